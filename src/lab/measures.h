// Measures of a timed run shown by experiments: a table of SQL expressions over the results database.
#pragma once
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
const struct measure *measure_at(size_t i);                   // NULL past the last
const struct measure *measure_find(const char *name);         // NULL: unknown name
const char *measure_next_name(const void *context, size_t i); // for str_nearest
// Mean of a group's values by the measure: geometric, arithmetic, or 1 less the geometric mean of 1 - value.
// NAN for count 0.
double measure_mean(const struct measure *m, const double *values, size_t count);
