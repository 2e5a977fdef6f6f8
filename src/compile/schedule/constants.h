// Constants in registers, shared between blocks and taken out of loops.
#pragma once
#include "compile/mach/mach.h"

// Between selection and scheduling.
void mach_keep_constants(struct mach_function *f);
