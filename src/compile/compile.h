// The compiler's public face: a kernel of a checked PTX module to a program for the machine.
#pragma once
#include "base/diag.h"
#include "isa/program.h"
#include "ptx/ptx.h"

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

void compile_options_default(struct compile_options *o);

// NULL and a located error when the kernel reaches something unsupported.
struct program *compile_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                               const struct compile_options *o, struct diag *d);

// Names of the optimiser's passes in order; NULL past the last (--set compile.disable=NAME).
const char *compile_pass_name(unsigned index);
