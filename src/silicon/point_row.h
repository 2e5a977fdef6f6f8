// From a row of a list of points to points, for silicon/point.c.
#pragma once
#include "silicon/point.h"

typedef void point_made(void *context, const struct point *p);
// A row of set `clocks` gives a point a word of `clocks`. What is wrong, a static text; NULL: nothing.
const char *point_at_clocks(struct arena *a, const struct point *row, const char *clocks, point_made *made,
                            void *context);
