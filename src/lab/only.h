// --only: a part of what experiments would run.
#pragma once
#include "lab/experiment.h"

// "WHAT=NAME[,NAME…]", where WHAT is a swept key, or kernel, program, series or view: of experiments that have such, what is not named
// is left out. False and an error: it says nothing, or a name that no experiment has.
bool only_apply(struct experiments *e, const char *text, struct diag *d);
