// Lowering: a checked PTX kernel, with everything it can reach, to SSA form.
//
//     ptx_function ─ reach, cut ─▶ basic blocks ─ lower ─▶ ir_function ─ inline ─▶ unit
//
// How values cross a call, in every device function that is not inlined (lower/call.c):
//   - a scalar parameter or result is one value: 32-bit (8, 16 and 32 bits), 64-bit, or two 64-bit ones
//   (.b128);
//   - an array or vector of up to LOWER_SPLIT_BYTES is one 32-bit value for every four bytes;
//   - a larger one is copied by the caller into its own frame, and its local address (32 bits) is passed; for
//   a large
//     result the address comes behind the parameters, in the order of the results.
#pragma once
#include "compile/ir/ir.h"

enum { LOWER_SPLIT_BYTES = 64 };

// NULL and a located error when the kernel cannot run. The unit's program has its parameters, symbols, shared
// memory and limits filled in; its functions are sound (ir_verify) and not optimised.
struct ir_unit *lower_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                             const struct compile_options *o, struct diag *d);
