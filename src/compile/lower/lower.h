// Lowering: translates a checked PTX kernel, and every function it can reach, to SSA form.
//
//     ptx_function ─ reach, cut ─▶ basic blocks ─ lower ─▶ ir_function ─ inline ─▶ unit
//
// Parameters and results of device functions that are not inlined (lower/call.c):
//   - a scalar is one value: 32-bit (8, 16 and 32 bits), 64-bit, or two 64-bit values (.b128);
//   - an array or vector of up to LOWER_SPLIT_BYTES is one 32-bit value for every four bytes;
//   - a larger array or vector lies in the caller's frame, and the local address (32 bits) is passed;
//     addresses of large results follow the parameters, in the order of the results.
#pragma once
#include "compile/ir/ir.h"

enum { LOWER_SPLIT_BYTES = 64 };

// Returns NULL and a located error if the kernel cannot run. The program of the unit has parameters, symbols,
// shared memory and limits filled in; the functions pass ir_verify and are not optimised.
struct ir_unit *lower_kernel(const struct ptx_module *m, const struct ptx_function *kernel,
                             const struct compile_options *o, struct diag *d);

// The last step of lowering, on the intermediate representation: replaces calls of small or once-called
// functions by the functions' bodies. Size limits hold; functions that recurse or never return stay. Visits
// the unit's functions, callees first. Functions no longer called, and without a taken address, are removed
// from the unit; function symbols are renumbered. Does nothing with compile.optimise=0.
void inline_calls(struct ir_unit *u);
