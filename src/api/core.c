// Launches on the SIMTight core, which stands where other GPUs have their SMs. It lives as long as a program with a host
// part runs: what its stack cache holds stays from launch to launch.
#include "api/impl.h"

#include <string.h>

bool api_has_core(const struct wf_context *c) { return c->gpu && c->chip.gpu.machine == MACHINE_SIMTIGHT; }

void api_core_forget(struct wf_context *c)
{
    simtight_destroy(c->core);
    c->core = NULL;
}

// Behind the counters of all GPUs.
static void add_counters(struct wf_launch *l, const struct simtight_counts *own)
{
    struct wf_stats *s = &l->stats;
    struct wf_counter *all = API_ARRAY(l, struct wf_counter, s->counter_count + simtight_count_count);
    memcpy(all, s->counters, s->counter_count * sizeof *all);
    for (size_t k = 0; k < simtight_count_count; k++) {
        const struct simtight_count_info *i = &simtight_count_infos[k];
        uint64_t value;
        memcpy(&value, (const char *)own + i->offset, sizeof value);
        all[s->counter_count + k] = (struct wf_counter){.name = i->name, .unit = i->unit, .meaning = i->meaning, .value = value};
    }
    s->counters = all;
    s->counter_count += simtight_count_count;
}

static void fill(struct wf_launch *l, const struct simtight_counts *own)
{
    struct wf_context *c = l->context;
    struct wf_stats *s = &l->stats;
    const char *first;
    s->gpu = api_keep(l, c->gpu);
    s->cycles = own->cycles;
    s->elapsed = own->start_cycles + own->cycles;
    s->start = l->start;
    s->skipped = s->reused = 0;
    s->verify_mismatches = c->verify ? simtight_mismatches(c->core, &first) : WF_UNKNOWN;
    add_counters(l, own);
}

bool api_run_on_core(struct wf_launch *l, struct exec_counts *counts, struct simtight_counts *own)
{
    struct wf_context *c = l->context;
    if (!c->core) c->core = simtight_create(&c->simtight);
    bool good = simtight_launch(c->core, &l->launch, c->max_cycles, c->verify, counts, own, &l->fault);
    l->start = c->clock;
    c->clock += own->start_cycles + own->cycles;
    l->end = c->clock;
    return good;
}

void api_core_fill(struct wf_launch *l, const struct simtight_counts *own)
{
    const char *first = NULL;
    fill(l, own);
    if (simtight_mismatches(l->context->core, &first))
        diag_error(&l->context->diag, loc_none(), "--verify: kernel %s: %s", l->kernel->info.name, first);
}
