// Values that may differ between the lanes of a warp. An estimate to choose the shape of branch code;
// correctness must not depend on it.
#pragma once
#include "compile/ir/ir.h"

// Array by value id, allocated in `a`: true if the value may differ between lanes. Requires ir_analyse.
bool *find_varying(struct ir_function *f, struct arena *a);
// True if the block ends in a branch that lanes may take differently.
bool block_may_part(const struct ir_block *b, const bool *varying);
