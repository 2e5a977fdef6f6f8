// Inlining: replaces calls of non-recursive functions by the functions' bodies.
#pragma once
#include "compile/ir/ir.h"

enum {
    INLINE_SIZE_MAX = 160,     // operations of a function to inline at every call
    INLINE_ONCE_MAX = 4000,    // operations of a function with a single call
    INLINE_CALLER_MAX = 20000, // operations of a caller, the limit of its growth
};

// Visits the unit's functions, callees first. Functions without remaining calls are removed from the unit,
// and function symbols are renumbered. Does nothing with compile.optimise=0.
void inline_calls(struct ir_unit *u);
