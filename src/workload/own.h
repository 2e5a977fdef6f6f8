// A workload of the caller's own beside the bundled ones: a function makes the launches. The pointer to
// `workload` is all that users of workloads need.
#pragma once
#include "workload/workload.h"

struct workload_own {
    struct workload workload; // the first member: workload_run finds the rest by the pointer
    // Makes the launches, and sets the figures of `result`. The hash of outputs stands for the results: there is
    // no reference.
    enum wf_status (*run)(void *context, struct wf_context *c, const struct workload_options *options,
                          struct workload_result *result);
    void *context;
};

// name: kept by the caller. The class of outputs is D until the caller sets another.
void workload_own_init(struct workload_own *w, const char *name,
                       enum wf_status (*run)(void *context, struct wf_context *c,
                                             const struct workload_options *options,
                                             struct workload_result *result),
                       void *context);
// Adds a launch to the figures of a result.
void workload_own_account(struct workload_result *result, const struct wf_stats *stats);
