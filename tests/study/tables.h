// Cells of a study's report by name.
#pragma once
#include "api/warpfold.h"

const struct wf_table *tables_find(const struct wf_study_report *r, const char *name); // NULL: none
const struct wf_cell *tables_cell(const struct wf_table *t, size_t row, const char *column);
double tables_share(const struct wf_table *t, size_t row, const char *column);     // 0 where there is none
const char *tables_text(const struct wf_table *t, size_t row, const char *column); // "" where there is none
