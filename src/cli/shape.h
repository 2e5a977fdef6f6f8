// Shapes of grids and blocks as text.
#pragma once
#include "base/diag.h"

// Parses X[,Y[,Z]] into `shape`, missing numbers are 1. False and an error at `loc` that begins with `what`: invalid text.
bool shape_parse(const char *what, const char *text, uint32_t shape[3], struct loc loc, struct diag *d);
