// A figure or table of an experiment: the runs behind each of its values (chart.h computes the values).
#pragma once
#include "lab/database.h"
#include "workload/workload.h"

struct figure_cell { // one value, or a table
    size_t view, category_order, series;
    const char *category;
    size_t job, base; // index into jobs; NO_JOB: no run
};

struct figure {
    const struct experiment *experiment;
    const char *size;
    VEC(struct figure_cell) cells;
    // Sweeps: names of the chart's lines, without lines of means. In each group of `subjects` consecutive
    // lines, only the subject differs. subjects: number of subjects.
    VEC(const char *) lines;
    size_t subjects;
};

void figure_fini(struct figure *f);
// size: of --size; NULL: the experiment's own, or medium. False and an error: the experiment names kernels, but no kernel selected by --only has inputs of the size.
// Otherwise, kernels without the size are skipped. Programs have all sizes.
bool figure_has_kernels(const struct experiment *x, const char *size, struct diag *d);
// Adds the jobs needed for the figure. size: as above.
void figure_plan(struct figure *f, const struct experiment *x, const char *size, struct jobs *jobs);
// Number of the experiment's kernels of the group with inputs of the size, and for group "all" also of its
// programs and pairs. Kernels and programs left out by --only count, too.
size_t figure_group_size(const struct experiment *x, const char *group, const char *size);
// " of 2 of 8 kernels": `count` subjects of a group, of which --only leaves out some. "" if all are there.
const char *figure_part_of(const struct experiment *x, const char *group, const char *size, size_t count,
                           struct arena *arena);
