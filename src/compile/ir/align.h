// How many low bits of a value are known to be zero: what proves that neighbouring accesses may become one.
#pragma once
#include "compile/ir/ir.h"

// Trailing zero bits that every execution of v has; 64 for constant zero. Uses v->note of nothing: stateless,
// bounded in depth, so cheap enough to ask per access.
unsigned align_known_zeros(const struct ir_value *v);
