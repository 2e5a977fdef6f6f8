// The optimiser: every pass of passes.def over every function of a unit, and the legalisation that always
// runs.
//
//   lowered IR ─▶ [passes, until nothing changes] ─▶ legalise ─▶ [passes again, now late] ─▶ IR for selection
//
// With compile_options.optimise == 0 only legalise runs. Passes keep functions sound (ir_verify) one by one.
//
// What is left after legalise is said in backend.h.
#pragma once
#include "compile/ir/ir.h"

struct pass_context {
    bool late;   // after legalise: forms that hide structure from other passes are made now (MAD, LOP3)
    bool broken; // compile_options.broken_passes: one plausible wrong behaviour, on purpose
};

// Each returns whether it changed anything.
#define PASS(function, name, meaning) bool function(struct ir_function *f, const struct pass_context *c);
#include "compile/pass/passes.def"
#undef PASS

bool legalise(struct ir_function *f); // with `optimise` = 0 too

// Runs everything the unit's options ask for. NULL, or under options->check the text of ir_verify with the
// name of the pass that broke the function (in the unit's arena).
const char *passes_run(struct ir_unit *u);
