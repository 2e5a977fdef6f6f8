// Inlining: replaces calls of non-recursive functions by the functions' bodies.
#pragma once
#include "compile/ir/ir.h"

enum {
    INLINE_SIZE_MAX = 160,     // largest function inlined at every call, in operations
    INLINE_ONCE_MAX = 4000,    // largest function inlined at its only call
    INLINE_CALLER_MAX = 20000, // largest caller after inlining
};

// Visits the unit's functions, callees first. Functions without remaining calls are removed from the unit,
// and function symbols are renumbered. Does nothing with compile.optimise=0.
void inline_calls(struct ir_unit *u);
