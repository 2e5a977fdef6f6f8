// The compiler's public face: a kernel of a checked PTX module to a program for the machine.
#pragma once
// clang-format off
#include "base/config.h"
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

// Where a .const variable lies in BANK_USER: all .const variables of the module in order of the text, those inside
// functions after them, each aligned as declared. The loader fills the bank, and its copy in global memory that
// generic addresses see (cvta.const; SYMBOL_CONST), by the same function. Extern variables without a size have none.
uint32_t compile_const_layout(const struct ptx_module *m, const struct ptx_variable *v);
uint32_t compile_const_bytes(const struct ptx_module *m); // of the whole bank

// The compiler's settings as a user writes them (config.def of this folder), for a struct config.
struct compile_settings {
    int profile; // enum program_profile
    bool optimise, check;
    uint32_t max_registers, stack_bytes;
    const char *disable, *broken; // names of passes, separated by commas
};
extern const struct config_key compile_config_keys[];
extern const size_t compile_config_key_count;
// False and an error at `loc` when `disable` or `broken` names no pass.
bool compile_options_from(struct compile_options *o, const struct compile_settings *s, struct loc loc, struct diag *d);

// Names of the optimiser's passes in order; NULL past the last (--set compile.disable=NAME).
const char *compile_pass_name(unsigned index);
