// Intervals of sums of sampled figures over launches: shared half-widths of a group add up, all other half-widths
// add in squares (wf_error).
#pragma once
#include "api/warpfold.h"
#include "base/vec.h"

struct report_group_errors {
    uint32_t group;
    double *shared; // by figure; heap
};

struct report_errors {
    size_t figures;
    VEC(struct report_group_errors) groups;
    double *own; // squares, by figure; heap
};

// Figures of a run: then counters, in the run's order.
enum report_figure {
    FIGURE_CYCLES,
    FIGURE_FETCHED,
    FIGURE_SKIPPED,
    FIGURE_REUSED,
    FIGURE_WARP_INSTRUCTIONS,
    FIGURE_THREAD_INSTRUCTIONS,
    FIGURE_ENERGY,
    FIGURE_WARP_CYCLES, // occupancy times cycles
    FIGURE_COUNTERS
};

void report_errors_fini(struct report_errors *e);
// Adds a launch's half-width of a figure. figures: number of figures, equal in all calls.
void report_errors_add(struct report_errors *e, size_t figures, uint32_t group, size_t figure,
                       struct wf_error error);
// Half-width of the sum; 0: exact.
double report_errors_half(const struct report_errors *e, size_t figure);
