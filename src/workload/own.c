#include "workload/own.h"
#include "workload/host.h"

#include <string.h>

// A module without kernels, for workload_run to load.
static const char nothing[] = ".version 7.0\n.target sm_50\n.address_size 64\n";

static void run_own(struct host *h)
{
    const struct workload_own *w = (const struct workload_own *)h->workload; // the first member
    if (h->failed) return;
    h->status = w->run(w->context, h->context, h->options, h->result);
    h->failed = h->status != WF_OK;
}

void workload_own_init(struct workload_own *w, const char *name,
                       enum wf_status (*run)(void *context, struct wf_context *c,
                                             const struct workload_options *options,
                                             struct workload_result *result),
                       void *context)
{
    static const char *const no_kernels[] = {NULL};
    *w = (struct workload_own){.workload = {.name = name,
                                            .file = name,
                                            .title = "a run of the user's own",
                                            .block = {1, 1, 1},
                                            .output_class = WORKLOAD_CLASS_D,
                                            .kernels = no_kernels,
                                            .ptx_file = {name, name},
                                            .ptx = {nothing, nothing},
                                            .ptx_end = {nothing + strlen(nothing), nothing + strlen(nothing)},
                                            .source = "",
                                            .run = run_own},
                               .run = run,
                               .context = context};
}

void workload_own_account(struct workload_result *result, const struct wf_stats *stats)
{
    result->launches++;
    result->warp_instructions += stats->warp_instructions;
    result->thread_instructions += stats->thread_instructions;
    result->simulation_seconds += stats->wall_seconds;
    bool is_known = stats->cycles != WF_UNKNOWN && result->cycles != WF_UNKNOWN;
    result->cycles = is_known ? result->cycles + stats->cycles : WF_UNKNOWN;
    result->fault_text = stats->fault_text;
}
