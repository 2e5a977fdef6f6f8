// What a kernel is compiled with, which every room of the compiler may read.
#pragma once
// clang-format off
#include "isa/program.h"

struct compile_options {
    enum program_profile profile;
    unsigned optimise;        // 0: lowering, legalisation and allocation only; 1: everything
    unsigned max_registers;   // 0: the kernel's .maxnreg, else 255
    unsigned address_bits;    // 32: every global address fits in 32 bits (profile ptxplus uses it); else 64
    uint32_t stack_bytes;     // per thread, where its depth cannot be bounded
    bool check;               // verify the representation after every pass
    uint32_t disabled_passes; // bit per row of passes.def, for finding the pass at fault
    uint32_t broken_passes;   // bit per row of passes.def: tests make that pass wrong on purpose
};
