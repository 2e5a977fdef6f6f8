// Cells of a study's report by name, and studies of small kernels.
#pragma once
#include "api/warpfold.h"
#include "harness/test.h"

const struct wf_table *tables_find(const struct wf_study_report *r, const char *name); // NULL: none
const struct wf_cell *tables_cell(const struct wf_table *t, size_t row, const char *column);
double tables_share(const struct wf_table *t, size_t row, const char *column);     // 0 where there is none
const char *tables_text(const struct wf_table *t, size_t row, const char *column); // "" where there is none

// A study of one launch of two blocks. The kernel's body is PTX that adds to %sum what it will, which each
// thread then stores: %tx and %ty, its indices; %in, 4 KiB of zeros, %n, 7, arguments 0 and 2; %a0 to %a8,
// %i, %t, %d, %p to use; 512 bytes of shared memory at `tile`. Its first line is 22 of kernel.ptx.
struct wf_study *tables_watch(struct test *t, const char *study, const char *body, const uint32_t block[3]);
