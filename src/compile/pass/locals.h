// Promotion of local variables from memory to values.
#pragma once
#include "compile/ir/ir.h"

// Replaces loads and stores of the function's frame by values. A variable is promoted if its address is used
// only in whole, weak loads and stores at constant offsets; any other use keeps it in memory. True if
// anything changed.
bool locals_promote(struct ir_function *f);
