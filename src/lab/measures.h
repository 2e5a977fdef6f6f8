// What of a timed run experiments show: a table of SQL expressions over the results database.
#pragma once
#include <stddef.h>

// SQL: the energy of a run (r or b) in events of a kind; and those of work, which leakage and idle clocks are
// not.
#define MEASURE_ENERGY_OF(run, condition)                                                                    \
    "(SELECT sum(count * pj_each) FROM energy WHERE run = " run ".id AND (" condition "))"
#define MEASURE_WORK "part NOT IN ('leakage', 'clock') AND unit <> 'bit cycles'"

enum measure_aggregate { MEASURE_RATIO, MEASURE_SAVING, MEASURE_MEAN };
struct measure {
    const char *name, *axis, *sql, *meaning;
    enum measure_aggregate aggregate;
};
const struct measure *measure_at(size_t i);                   // NULL past the last
const struct measure *measure_find(const char *name);         // NULL: none
const char *measure_next_name(const void *context, size_t i); // for str_nearest
// Of a group's values: geometric or arithmetic mean, as the measure says. NAN for none.
double measure_mean(const struct measure *m, const double *values, size_t count);
