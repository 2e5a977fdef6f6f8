// Launches on the SIMTight core, used in place of SMs. One core serves all launches of a program's run, so
// its stack cache keeps contents from launch to launch.
#include "api/impl.h"
#include "simtight/watched.h"

#include <string.h>

bool api_has_core(const struct wf_context *c) { return c->gpu && c->chip.machine == MACHINE_SIMTIGHT; }

void api_core_forget(struct wf_context *c)
{
    simtight_destroy(c->core);
    c->core = NULL;
}

static uint64_t value_of(const struct simtight_counts *counts, const struct simtight_count_info *i)
{
    uint64_t value;
    memcpy(&value, (const char *)counts + i->offset, sizeof value);
    return value;
}

// Counter i of the core, with value 0.
static struct wf_counter row(const struct simtight_count_info *i)
{
    return (struct wf_counter){
        .name = i->name, .unit = i->unit, .meaning = i->meaning, .is_most = i->is_most};
}

bool wf_core_counter_at(size_t index, struct wf_counter *counter)
{
    if (index >= simtight_count_count) return false;
    *counter = row(&simtight_count_infos[index]);
    return true;
}

// Appends the SIMTight core's own counters to l->stats.counters, which so far holds the counters common to
// all GPUs.
static void add_counters(struct wf_pending *l)
{
    const struct simtight_counts *own = &l->core_counts;
    struct wf_stats *s = &l->stats;
    struct wf_counter *all = API_ARRAY(l, struct wf_counter, s->counter_count + simtight_count_count);
    memcpy(all, s->counters, s->counter_count * sizeof *all);
    for (size_t k = 0; k < simtight_count_count; k++) {
        const struct simtight_count_info *i = &simtight_count_infos[k];
        all[s->counter_count + k] = row(i);
        all[s->counter_count + k].value = value_of(own, i);
    }
    s->counters = all;
    s->counter_count += simtight_count_count;
}

// -- samples ------------------------------------------------------------------------------------------------
static void take_sample(void *context, uint64_t cycle, const struct simtight_counts *so_far)
{
    struct wf_pending *l = context;
    vec_push(&l->core_samples, (struct api_core_sample){cycle, *so_far});
}

// Counter values for the interval between two samples; of a maximum (is_most), the value so far. As in the
// launch's stats, counters common to all GPUs come first (WF_UNKNOWN in samples), then the SIMTight core's
// own.
static struct wf_sample sample_between(struct wf_pending *l, const struct api_core_sample *before,
                                       const struct api_core_sample *now)
{
    uint64_t *values = API_ARRAY(l, uint64_t, API_COUNTERS + simtight_count_count);
    for (size_t k = 0; k < API_COUNTERS; k++) values[k] = WF_UNKNOWN;
    for (size_t k = 0; k < simtight_count_count; k++) {
        const struct simtight_count_info *i = &simtight_count_infos[k];
        values[API_COUNTERS + k] =
            value_of(&now->so_far, i) - (i->is_most ? 0 : value_of(&before->so_far, i));
    }
    return (struct wf_sample){.from = before->at,
                              .to = now->at,
                              .counters = values,
                              .counter_count = API_COUNTERS + simtight_count_count};
}

static void fill_samples(struct wf_pending *l)
{
    static const struct api_core_sample start;
    if (!l->context->settings.report_interval) return;
    const struct api_core_sample *before = &start;
    uint64_t end = l->core_counts.cycles;
    while (l->core_samples.count && vec_last(&l->core_samples).at >= end) l->core_samples.count--;
    take_sample(l, end, &l->core_counts); // from the last sample to the end
    struct wf_sample *out = API_ARRAY(l, struct wf_sample, l->core_samples.count);
    for (size_t k = 0; k < l->core_samples.count; k++) {
        const struct api_core_sample *now = &l->core_samples.data[k];
        out[k] = sample_between(l, before, now);
        before = now;
    }
    l->stats.samples = out;
    l->stats.sample_count = l->core_samples.count;
}

static void fill(struct wf_pending *l)
{
    const struct simtight_counts *own = &l->core_counts;
    struct wf_context *c = l->context;
    struct wf_stats *s = &l->stats;
    const char *first;
    s->gpu = api_keep(l, c->gpu);
    s->cycles = own->cycles;
    s->elapsed = own->start_cycles + own->cycles;
    s->start = l->start;
    s->skipped = s->reused = 0;
    s->storage = api_storage(l, &s->storage_count);
    s->verify_mismatches = c->verify ? simtight_mismatches(c->core, &first) : WF_UNKNOWN;
    add_counters(l);
    fill_samples(l);
}

// -- launches -----------------------------------------------------------------------------------------------
bool api_run_on_core(struct wf_pending *l, struct exec_counts *counts)
{
    struct simtight_counts *own = &l->core_counts;
    struct wf_context *c = l->context;
    struct simtight_listener listener = {
        .sample_context = l, .interval = c->settings.report_interval, .sample = take_sample};
    struct watch_core watch;
    struct watcher *watcher = api_watcher(l);
    if (!c->core) c->core = simtight_create(&c->simtight);
    if (watcher) watch_core_begin(&watch, watcher, &l->launch, (struct watch_stream){0}, &listener);
    simtight_listen(c->core, watcher || listener.interval ? &listener : NULL);
    bool good = simtight_launch(c->core, &l->launch, c->max_cycles, c->verify, counts, own, &l->fault);
    if (watcher) watch_core_end(&watch, own->cycles);
    simtight_listen(c->core, NULL);
    l->start = c->clock;
    c->clock += own->start_cycles + own->cycles;
    l->end = c->clock;
    return good;
}

void api_core_fill(struct wf_pending *l)
{
    const char *first = NULL;
    fill(l);
    if (simtight_mismatches(l->context->core, &first))
        diag_error(&l->context->diag, loc_none(), "--verify: kernel %s: %s", l->kernel->info.name, first);
}

// Value of statistic `id` of the last launch, for the host part of a program; 0: an unknown id. Ids are as in
// StatIds.h of SIMTight's public source. As in the source, INSTRS counts an addition twice if the scalar
// pipeline leaves the addition to the lanes: the base of the sum is not aligned for an affine vector.
uint32_t api_core_statistic(const struct simtight_config *config, const struct simtight_counts *own,
                            uint64_t thread_instructions, uint32_t id)
{
    enum {
        CYCLES,
        INSTRS,
        MAX_VECTORS,
        SCALAR = 4,
        RETRIES,
        SUSPS,
        SCALAR_SUSPS,
        SCALAR_ABORTS,
        DRAM,
        VECTORS
    };
    enum { CACHE_HITS = 12, CACHE_MISSES };
    switch (id) {
    case CYCLES: return (uint32_t)own->cycles;
    case INSTRS: return (uint32_t)(thread_instructions + config->lanes * own->affine_aborts);
    case MAX_VECTORS: return (uint32_t)own->vector_max;
    case SCALAR: return (uint32_t)(config->scalar_unit ? own->scalarised : own->scalarisable);
    case RETRIES: return (uint32_t)own->retries;
    case SUSPS: return (uint32_t)own->susps;
    case SCALAR_SUSPS: return (uint32_t)own->scalar_susps;
    case SCALAR_ABORTS: return (uint32_t)own->scalar_aborts;
    case DRAM: return (uint32_t)(own->load_beats + own->store_beats);
    case VECTORS: return (uint32_t)own->vector_sum;
    case CACHE_HITS: return (uint32_t)own->stack_load_hits;
    case CACHE_MISSES: return (uint32_t)own->stack_load_misses;
    }
    return 0;
}
