// Sharing constants in registers between blocks and hoisting constants out of loops.
#pragma once
#include "compile/mach/mach.h"

// Runs between selection and scheduling; changes f in place. Does nothing in a function of high register
// pressure.
void mach_keep_constants(struct mach_function *f);
