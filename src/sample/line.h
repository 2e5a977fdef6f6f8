// Figures of launches of one kernel with different amounts of work, as a straight line over the work: least squares,
// with 95 % intervals (Draper and Smith, Applied Regression Analysis, 1.4). Estimates are made only between the
// least and the most work observed.
#pragma once
#include "sample/ratio.h"

#include <stdbool.h>

enum { LINE_LEAST = 4 }; // observations

struct line {
    size_t count;
    double x, y, xx, xy, yy; // sums
    double least, most;      // x
};

void line_add(struct line *l, double x, double y);
bool line_reaches(const struct line *l, double x); // at least LINE_LEAST observations, and x between them
// value, shared (of the line at x) and own (of a single figure about the line). x: line_reaches.
struct ratio_estimate line_estimate(const struct line *l, double x);
