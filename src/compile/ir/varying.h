// Which values may differ between the lanes of a warp, as far as a branch's code depends on it: a guess for the shape of
// code, never for its meaning.
#pragma once
#include "compile/ir/ir.h"

// By value id, from the arena. After ir_analyse.
bool *find_varying(struct ir_function *f, struct arena *a);
// Whether the block ends in a branch that lanes may take differently.
bool block_may_part(const struct ir_block *b, const bool *varying);
