// Option --only: a part of the experiments' runs.
#pragma once
#include "lab/experiment.h"

// "WHAT=NAME[,NAME…]", where WHAT is a swept key, or kernel, program, series or view. Experiments with a WHAT
// keep only the named ones. False and an error: bad syntax, or a name unknown to every experiment.
bool only_apply(struct experiments *e, const char *text, struct diag *d);
