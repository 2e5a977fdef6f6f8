// Marks of definitions: the fixed point of the rules over SSA.
#pragma once
#include "mark/ssa.h"

void mark_propagate(struct mark_ssa *s, const struct mark_rules *r);

// The claim of an instruction: the weakest value of its definitions, or VECTOR with a cause when every warp
// must execute it. Fills *out except for the chain behind `from`; mark_explain follows the chain through the
// definitions.
void mark_of_inst(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct mark *out);
