// Cells of a study's report by name, and studies of small kernels.
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

const struct wf_table *tables_find(const struct wf_study_results *r, const char *name); // NULL: no such table
const struct wf_cell *tables_cell(const struct wf_table *t, size_t row, const char *column);
double tables_share(const struct wf_table *t, size_t row, const char *column);     // 0: no such cell
const char *tables_text(const struct wf_table *t, size_t row, const char *column); // "": no such cell

// A study of one launch of two blocks. `body` is PTX adding to %sum; every thread then stores %sum.
// Arguments: %in, 4 KiB of zeros (number 0), and %n, 7 (number 2). Registers: %tx and %ty, the thread's
// indices; %a0 to %a8, %i, %t, %d, %p, free. `tile` is 512 bytes of shared memory. The body's first
// line is line 22 of kernel.ptx.
struct wf_study *tables_watch(struct test *t, const char *study, const char *body, const uint32_t block[3]);
