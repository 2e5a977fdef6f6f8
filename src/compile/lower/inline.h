// Calls of functions that are not recursive, replaced by the functions' bodies.
#pragma once
#include "compile/ir/ir.h"

enum {
    INLINE_SIZE_MAX = 160,     // operations of a function that is inlined wherever it is called
    INLINE_ONCE_MAX = 4000,    // of one that is called in one place only
    INLINE_CALLER_MAX = 20000, // a function does not grow past this
};

// Over the unit's functions, callees first. Functions that nothing calls any more are dropped from the unit,
// and function symbols renumbered. Nothing is inlined with compile.optimise=0.
void inline_calls(struct ir_unit *u);
