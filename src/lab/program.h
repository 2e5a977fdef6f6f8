// Programs for RISC-V as subjects of experiments: those of kernels/riscv, which are part of the library, by their names, and
// one's own by their paths. A program has a form for each code: NAME.elf for 32 registers, rv32e/NAME.elf beside it for 16.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

struct program_subject {
    const char *name; // "VecAdd"
    const char *path; // one's own: absolute, without ".elf"; NULL: it comes with the library
};

struct program_subjects {
    VEC(struct program_subject) list;
};

// The code that a view or a series names, "rv32i" or "rv32e". NULL: it is none.
const char *program_code(const char *name);
extern const char program_codes[]; // all of them, for messages

// Adds one by name, those of the group "simtight", or one's own, when the word ends with ".elf". Texts are kept in the arena. False and
// an error at loc.
bool program_subjects_add(struct program_subjects *s, const char *word, struct arena *arena, struct diag *d,
                          struct loc loc);

// What its console reads at a size: the byte that says which input a program of kernels/riscv makes. Two sizes there are, "small" and the
// paper's, which is any other.
const char *program_size(const char *size);  // "small" or "paper"
const char *program_input(const char *size); // hexadecimal, as --input takes it

// The file that a program of the library is in the results' folder `kernels`, as jobs name it; NULL: it has no such form.
const char *program_file_name(const struct program_subject *s, const char *code, struct arena *arena);
// What such a file has in it. NULL: none of that name.
const char *program_file(const char *name, size_t *length);
