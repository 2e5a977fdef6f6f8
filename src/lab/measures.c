#include "lab/measures.h"
#include "base/str.h"

#include <math.h>

static const struct measure table[] = {
#define MEASURE(name, axis, aggregate, sql, meaning) {#name, axis, sql, meaning, MEASURE_##aggregate},
#include "lab/measures.def"
#undef MEASURE
};
enum { MEASURES = sizeof table / sizeof table[0] };

const struct measure *measure_at(size_t i) { return i < MEASURES ? &table[i] : NULL; }

const struct measure *measure_find(const char *name)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (str_equal(table[i].name, name)) return &table[i];
    return NULL;
}

const char *measure_next_name(const void *context, size_t i)
{
    (void)context;
    return i < MEASURES ? table[i].name : NULL;
}

double measure_mean(const struct measure *m, const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += m->aggregate == MEASURE_MEAN     ? values[i]
               : m->aggregate == MEASURE_SAVING ? log(1 - values[i])
                                                : log(values[i]);
    if (!count) return NAN;
    double mean = sum / (double)count;
    return m->aggregate == MEASURE_MEAN ? mean : m->aggregate == MEASURE_SAVING ? 1 - exp(mean) : exp(mean);
}
