// The step between selection and allocation: constants that blocks share, then the order of instructions
// within a block.
#pragma once
#include "compile/mach/mach.h"

// Shares constants in registers between blocks and hoists constants out of loops, before mach_schedule.
// Changes f in place. Does nothing in a function of high register pressure.
void mach_keep_constants(struct mach_function *f);

// Reorders every block in place: instructions of long latency start early, as far as registers allow. Memory
// accesses that may touch the same bytes keep their order if one writes, as do instructions with side
// effects. keeps_variables: the update of a loop variable is placed after the readers of the old value where
// possible, so old and new value share a register. False: latency alone places the update, and the loop may
// end with a MOV.
void mach_schedule(struct mach_function *f, bool keeps_variables);
