// Local variables in memory become values.
#pragma once
#include "compile/ir/ir.h"

// Replaces what is stored to and loaded from bytes of the function's frame by values, where every access is
// seen: an address that is used for anything but whole, weak loads and stores at constant offsets keeps its
// variable in memory.
bool locals_promote(struct ir_function *f);
