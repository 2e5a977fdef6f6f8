// The compiler's public face: compiles a kernel of a checked PTX module to a program for the machine.
#pragma once
// clang-format off
#include "base/config.h"
#include "base/diag.h"
#include "compile/ir/options.h"
#include "compile/lower/bank.h"
#include "ptx/ptx.h"

struct program;

void compile_options_default(struct compile_options *o);

// NULL and a located error if the kernel can reach an unsupported construct, or on a fault of the compiler.
// The caller owns the program.
struct program *compile_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                               const struct compile_options *o, struct diag *d);

// The compiler's settings, one field per row of config.def.
struct compile_settings {
    int profile; // enum program_profile
    bool optimise, check;
    uint32_t max_registers, stack_bytes;
    const char *disable, *broken; // names of passes, separated by commas
};
extern const struct config_key compile_config_keys[];
extern const size_t compile_config_key_count;
// False and an error at `loc` if a word in the list `disable` or `broken` is not the name of a pass.
bool compile_options_from(struct compile_options *o, const struct compile_settings *s, struct loc loc, struct diag *d);

// Name of the optimiser's pass at `index`, in the order of passes.def; NULL past the last. A name is valid in
// --set compile.disable=NAME.
const char *compile_pass_name(unsigned index);
