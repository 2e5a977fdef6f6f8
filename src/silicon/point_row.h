// Converts a row of a list of points to points, for silicon/point.c.
#pragma once
#include "silicon/point.h"

typedef void point_made(void *context, const struct point *p);
// Makes a point from a row of set `clocks` for each word of `clocks`. Returns a static error text, or NULL.
const char *point_at_clocks(struct arena *a, const struct point *row, const char *clocks, point_made *made,
                            void *context);
