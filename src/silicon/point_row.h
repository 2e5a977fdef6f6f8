// Makes points from a list's row of set `clocks`, for silicon/point.c.
#pragma once
#include "silicon/point.h"

typedef void point_made(void *context, const struct point *p);
// Makes one point for each word of column `clocks`, from a row of set `clocks`, and passes it to `made`.
// Returns a static error text; NULL: no error.
const char *point_at_clocks(struct arena *a, const struct point *row, const char *clocks, point_made *made,
                            void *context);
