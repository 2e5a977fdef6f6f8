// RISC-V programs as subjects of experiments: bundled programs of kernels/riscv by name, own programs by
// path. A program's file for a code is NAME.elf for 32 registers, and rv32e/NAME.elf beside it for 16. Not
// every program has both.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

struct program_subject {
    const char *name; // "VecAdd"
    const char *path; // own program: absolute, without ".elf"; NULL: bundled
};

struct program_subjects {
    VEC(struct program_subject) list;
};

// The RISC-V code named by a view or a series: "rv32i" or "rv32e". NULL: not the name of a code.
const char *program_code(const char *name);
extern const char program_codes[]; // all codes, for messages

// Adds a program by name, the group "simtight", or an own program by a word ending in ".elf". Texts are kept
// in the arena. False and an error at loc.
bool program_subjects_add(struct program_subjects *s, const char *word, struct arena *arena, struct diag *d,
                          struct loc loc);

// Name of the program in the public suite: "BitonicSortLarge" for BitonicLa. For other names: the name.
const char *program_public_name(const char *name);

// Programs have two sizes: "small", and "paper" for every other size. program_input: the console input of a
// program in kernels/riscv, a byte selecting the size.
const char *program_size(const char *size);  // "small" or "paper"
const char *program_input(const char *size); // hexadecimal, as --input takes it

// Name of a bundled program's file, for program_file, or path of an own program's file. NULL: no file for the
// code.
const char *program_file_name(const struct program_subject *s, const char *code, struct arena *arena);
// Path of an own program's file for the code, which may not exist.
const char *program_path(const struct program_subject *s, const char *code, struct arena *arena);
// Content of a bundled program file by its name. NULL: unknown name.
const char *program_file(const char *name, size_t *length);
