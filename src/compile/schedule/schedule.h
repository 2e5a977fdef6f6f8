// The order of instructions inside blocks.
#pragma once
#include "compile/mach/mach.h"

// Reorders every block so that what takes long starts early, as far as registers allow. Order among memory
// accesses that may touch the same bytes, and of everything with an effect, is kept. keeps_variables: a
// loop's variable is made anew behind all readers of the old value where that can be, so that it stays in its
// register; else it is when its time has come, and the loop may end with a move.
void mach_schedule(struct mach_function *f, bool keeps_variables);
