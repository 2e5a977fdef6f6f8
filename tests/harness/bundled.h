// Runs of bundled kernels at small size, from nvcc's PTX.
#pragma once
#include "harness/test.h"
#include "workload/workload.h"

// Runs the kernel in the context. A run that fails, or a name of no kernel, fails the case and is
// named with the errors. `launched` is called after every launch, with `context`; NULL: no call.
struct workload_result bundled_run(struct test *t, struct wf_context *c, const char *name,
                                   void (*launched)(void *context, struct wf_kernel *kernel,
                                                    const struct wf_launch_config *shape,
                                                    const struct wf_stats *stats),
                                   void *context);
