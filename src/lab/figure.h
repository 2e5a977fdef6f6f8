// A figure or table of an experiment: which runs each of its values comes from (chart.h makes the values of
// them).
#pragma once
#include "lab/database.h"
#include "workload/workload.h"

struct figure_cell { // one value, or a table of them
    size_t view, category_order, series;
    const char *category;
    size_t job, base; // into jobs; NO_JOB: none
};
#define NO_JOB SIZE_MAX

struct figure {
    const struct experiment *experiment;
    const char *size;
    VEC(struct figure_cell) cells;
    // Of a sweep: what a series of cells is called, the subjects of one combination after each other; how many these are.
    VEC(const char *) lines;
    size_t subjects;
};

void figure_fini(struct figure *f);
// False and an error: kernels are named, and none of them has the size. The others are left out. Programs have all sizes.
bool figure_has_kernels(const struct experiment *x, const char *size, struct diag *d);
// Puts what the figure needs into jobs.
void figure_plan(struct figure *f, const struct experiment *x, const char *size, struct jobs *jobs);
// A category that stands for a kernel, or for one of the experiment's programs or pairs; in a group of those: "all", or of kernels
// one of Table 1's.
bool figure_is_subject(const struct experiment *x, const char *category);
bool figure_in_group(const struct experiment *x, const char *group, const char *category);
// The bundled kernel that a category of the experiment names by its abbreviation; NULL: none.
const struct workload *figure_kernel(const struct experiment *x, const char *category);
