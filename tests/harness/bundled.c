#include "harness/bundled.h"

struct workload_result bundled_run(struct test *t, struct wf_context *c, const char *name,
                                   void (*launched)(void *context, struct wf_kernel *kernel,
                                                    const struct wf_launch_config *shape,
                                                    const struct wf_stats *stats),
                                   void *context)
{
    const char *nearest;
    const struct workload *w = workload_find(name, &nearest);
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .ptx = WORKLOAD_NVCC, .launched = launched, .launched_context = context};
    struct workload_result result = {0};
    CHECK_MSG(t, w, "no bundled kernel %s", name);
    CHECK_MSG(t, w && workload_run(w, c, &options, &result) == WF_OK, "%s: %s", name, wf_errors(c));
    return result;
}
