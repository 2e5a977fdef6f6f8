// PTX from CUDA C, by a compiler of the machine: clang with warpfold's own headers (docs/device-header.md), or
// nvcc on request.
//
//     struct toolchain_order order = {.path = "k.cu"};
//     struct toolchain_ptx ptx;
//     if (toolchain_compile(&order, &ptx, diag)) … toolchain_ptx_fini(&ptx);
//
// The compiler runs in a process of its own, with files in a temporary folder, removed before the return.
#pragma once
#include "base/diag.h"

struct toolchain_order {
    const char *path;    // of the CUDA C
    const char *kernel;  // a kernel to instantiate, "axpy<float, 2>"; NULL, or a name without <: none
    const char *options; // further words for the compiler; NULL: none
    bool nvcc;           // nvcc in place of clang
};

struct toolchain_ptx {
    char *text; // heap
    size_t length;
    char *compiler; // "Debian clang version 14.0.6", heap
    char *said;     // the compiler's warnings, "" without, heap
};

bool toolchain_is_cuda(const char *path); // ends with .cu
// The options among words "[nvcc] OPTIONS", and whether nvcc is the first word. words NULL: none.
const char *toolchain_words(const char *words, bool *nvcc);
// False and an error: no compiler, no headers, or the compiler refuses the text.
bool toolchain_compile(const struct toolchain_order *order, struct toolchain_ptx *ptx, struct diag *d);
void toolchain_ptx_fini(struct toolchain_ptx *ptx);
