// A point's cycles on a card: its script several times over, medians of its launches, a row of CSV.
#pragma once
#include "bench/silicon/play.h"
#include "silicon/point.h"

struct measured {
    double cycles, microseconds, mhz; // as the point counts its launches; the clock's median
    size_t launches;
};

// The script once to warm up, then so many times. False and errors.
bool measure_point(struct device *device, const struct point *p, unsigned repetitions, struct measured *m,
                   struct diag *d);
void measure_heads(struct strbuf *out);
// What only counters know is left empty.
void measure_row(const struct point *p, const struct device *device, const struct measured *m,
                 unsigned repetitions, struct strbuf *out);
