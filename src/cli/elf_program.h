// What the file of a program says about its CUDA runtime.
#pragma once
#include "base/diag.h"

struct elf_program {
    const char
        *runtime;   // "libcudart.so.13"; NULL: none is linked in a shared form, or the file is no ELF program
    bool has_rpath; // DT_RPATH: the loader looks there before LD_LIBRARY_PATH
};
// Reads the program, found as the shell does. False and an error: no such program; a program that cannot run with the
// drop-in runtimes, with the reason. A script, and a program without CUDA of its own, are good.
bool elf_program_read(struct elf_program *p, const char *name, struct diag *d);
