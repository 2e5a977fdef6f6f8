// Number of low bits known to be zero: the proof that adjacent accesses can be merged into a wider access.
#pragma once
#include "compile/ir/ir.h"

// Trailing zero bits of v, guaranteed in every execution; 64 for constant zero. Stateless (leaves `note`
// alone) and bounded in depth: cheap enough for a call per access.
unsigned align_known_zeros(const struct ir_value *v);
