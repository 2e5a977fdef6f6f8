// Options of a compilation, readable from every folder of the compiler.
#pragma once
// clang-format off
#include <stdbool.h>
#include <stdint.h>

struct compile_options {
    uint8_t profile;          // enum program_profile (isa/profile.h)
    unsigned optimise;        // 0: no inlining, optimiser passes or scheduling; 1: everything
    unsigned max_registers;   // 0: the kernel's .maxnreg, else 255
    unsigned address_bits;    // 32: every global address fits in 32 bits (profile ptxplus uses it); else 64
    uint32_t stack_bytes;     // stack of a thread if recursion or indirect calls leave the depth unknown
    bool check;               // verify the representation after every pass; check register allocation, too
    uint32_t disabled_passes; // bit per row of passes.def: leave the pass out, to bisect a fault
    uint32_t broken_passes;   // bit per row of passes.def: tests break the pass on purpose
};
