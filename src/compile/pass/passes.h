// The optimiser: the passes of passes.def on every function of a unit, and legalisation, which always runs.
//
//   lowered IR ─▶ [passes, until nothing changes] ─▶ legalise ─▶ [passes again, late] ─▶ IR for selection
//
// With compile_options.optimise == 0 only legalise runs. Every pass leaves the function valid (ir_verify).
// backend.h defines legal IR.
#pragma once
#include "compile/ir/ir.h"

struct pass_context {
    bool late;   // after legalise: passes may make forms that hide structure (MAD, BFE)
    bool broken; // compile_options.broken_passes: one plausible wrong behaviour, on purpose
};

// Returns true if the function changed.
#define PASS(function, name, meaning) bool function(struct ir_function *f, const struct pass_context *c);
#include "compile/pass/passes.def"
#undef PASS

bool legalise(struct ir_function *f); // runs with `optimise` == 0, too

// Steps outside of passes.def. True if the function changed.

// Promotion of local variables, for pass_loads: replaces loads and stores of the function's frame by values.
// A variable qualifies if its address is used only in weak loads and stores at constant offsets inside the
// variable. Bytes that accesses overlap only in part stay in memory, too. Nothing is promoted in a function
// that accesses local memory at a constant address, or has too many variables and blocks (STATE_MAX).
bool locals_promote(struct ir_function *f);
// Global addresses in 32 bits, for profile ptxplus, before selection: gives every access to global or generic
// memory the low word of its address, computed in 32 bits. Requires 32-bit addresses
// (compile_options.address_bits). Unread values are left to pass_dead.
bool narrow_addresses(struct ir_function *f);

// Runs the passes selected by the unit's options. Returns NULL, or, under options->check, the text of
// ir_verify with the name of the faulty pass (in the unit's arena).
const char *passes_run(struct ir_unit *u);
