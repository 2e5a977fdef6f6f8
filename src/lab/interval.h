// Intervals of an experiment's values that come from sampled runs.
#pragma once
#include "lab/database.h"
#include "lab/measures.h"

// *half: half-width of the 95 % interval of the measure's value for a run and its base run; 0: both runs are exact.
// Every figure of table `intervals` in the measure's SQL is moved by its half-width in turn, and the changes of the
// value add in squares. False: a database error.
bool interval_of(struct database *db, const struct measure *m, const char *run, const char *base,
                 double value, double *half);
