// Source lines by their share of the issue slots, for a terminal.
#pragma once
#include "base/str.h"

struct report_run;

// Of every kernel the lines with at least one slot in a hundred, the most first, at most 20. Lines are those of the
// CUDA source if the PTX names them, else of the PTX.
void report_lines_table(const struct report_run *r, bool colour, struct strbuf *out);
