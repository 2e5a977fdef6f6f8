// Marks of definitions: the fixed point of the rules over SSA.
#pragma once
#include "mark/ssa.h"

void mark_propagate(struct mark_ssa *s, const struct mark_rules *r);

// What an instruction itself claims: its definitions' weakest value, or VECTOR with a cause when it must be
// executed by every warp. Fills everything but `from`'s chain, which mark_explain follows through the
// definitions.
void mark_of_inst(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct mark *out);
