// The order of instructions inside blocks.
#pragma once
#include "compile/mach.h"

// Reorders every block so that what takes long starts early, as far as registers allow, and so that values
// that loops hand on to themselves can stay in their register. Order among memory accesses that may touch the
// same bytes, and of everything with an effect, is kept.
void mach_schedule(struct mach_function *f);
