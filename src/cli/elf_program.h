// What the file of a program says about its CUDA libraries.
#pragma once
#include "base/diag.h"

enum { ELF_LIBRARIES_MOST = 8 };
struct elf_program {
    const char
        *runtime;   // "libcudart.so.13"; NULL: none is linked in a shared form, or the file is no ELF program
    bool has_rpath; // DT_RPATH: the loader looks there before LD_LIBRARY_PATH
    // Libraries that warpfold stands in for, among those that the program names; the first `library_count` are filled.
    const char *libraries[ELF_LIBRARIES_MOST];
    unsigned library_count;
    bool has_driver; // libcuda.so.1 is among them
};
// Reads the program, found as the shell does. False and an error: no such program; a program that cannot run with the
// drop-in runtimes, with the reason. A script, and a program without CUDA of its own, are good.
bool elf_program_read(struct elf_program *p, const char *name, struct diag *d);
