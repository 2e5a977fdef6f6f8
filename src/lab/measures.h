// Measures of a timed run shown by experiments: a table of SQL expressions over the results database.
#pragma once
#include "base/diag.h"

#include <stddef.h>

// SQL: the energy, in pJ, of a run ("r") or its base run ("b") in events selected by a condition.
// MEASURE_WORK: the condition for events of work, without leakage and idle clocks.
#define MEASURE_ENERGY_OF(run, condition)                                                                    \
    "(SELECT sum(count * pj_each) FROM energy WHERE run = " run ".id AND (" condition "))"
#define MEASURE_WORK "part NOT IN ('leakage', 'clock') AND unit <> 'bit cycles'"

enum measure_aggregate { MEASURE_RATIO, MEASURE_SAVING, MEASURE_MEAN };
struct measure {
    const char *name, *axis, *sql, *meaning;
    enum measure_aggregate aggregate;
};
// Makes a measure from an expression over counters, keys of configurations, columns of table `runs` and other
// measures ("l2.misses / instructions", "100 * cycles / base.cycles"). base.NAME is of the base run. False and an error
// at `loc`: bad syntax, or an unknown name, with the nearest.
bool measure_make(struct measure *m, const char *text, struct arena *arena, struct diag *d, struct loc loc);
// Name and meaning of a column of table `runs` usable in expressions. NULL past the last.
const char *measure_column_at(size_t i, const char **meaning);
const struct measure *measure_at(size_t i);                   // NULL past the last
const struct measure *measure_find(const char *name);         // NULL: unknown name
const char *measure_next_name(const void *context, size_t i); // for str_nearest
// Mean of a group's values by the measure: geometric, arithmetic, or 1 less the geometric mean of 1 - value.
// NAN for count 0.
double measure_mean(const struct measure *m, const double *values, size_t count);
