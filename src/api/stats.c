// Figures of a finished launch. The launch owns all of them: settings, mechanisms and GPU may change while
// the caller still reads the stats.
#include "api/impl.h"

#include <string.h>

void *api_piece(struct wf_pending *l, size_t bytes)
{
    vec_push(&l->pieces, heap_alloc(bytes));
    return vec_last(&l->pieces);
}

const char *api_keep(struct wf_pending *l, const char *text)
{
    if (!text) return NULL;
    size_t bytes = strlen(text) + 1;
    return memcpy(api_piece(l, bytes), text, bytes);
}

// Warp instructions not fetched because of mechanisms or, if `reused`, fetched and not executed. timed NULL
// (functional, SIMTight core): WF_UNKNOWN.
static uint64_t tech_count(const struct wf_context *c, const struct chip_result *timed, bool reused)
{
    uint64_t sum = 0;
    if (!timed) return WF_UNKNOWN;
    for (unsigned k = 0; k < c->techs.count; k++) {
        int which = reused ? c->techs.uses[k].tech->reused : c->techs.uses[k].tech->skipped;
        if (which >= 0) sum += timed->techs[k][which];
    }
    return sum;
}

static const struct wf_warning *warnings(struct wf_pending *l, size_t *count)
{
    static const char *const names[NOTE_COUNT] = {
        [NOTE_BOUNDS] = "bounds", [NOTE_MEMBERS] = "members", [NOTE_RACE] = "race"};
    struct wf_warning *out = API_ARRAY(l, struct wf_warning, NOTE_COUNT);
    *count = 0;
    for (unsigned k = 0; k < NOTE_COUNT; k++)
        if (l->notes.of[k].count)
            out[(*count)++] = (struct wf_warning){names[k], l->notes.of[k].count, l->notes.of[k].text};
    return out;
}

const struct wf_structure *api_storage(struct wf_pending *l, size_t *count)
{
    *count = api_storage_fill(l->context);
    struct wf_structure *out = API_ARRAY(l, struct wf_structure, *count);
    for (size_t i = 0; i < *count; i++) {
        out[i] = l->context->storage[i];
        out[i].sm_class = api_keep(l, out[i].sm_class);
    }
    return out;
}

static void fill_timed(struct wf_pending *l, const struct chip_result *timed)
{
    const struct wf_context *c = l->context;
    struct wf_stats *s = &l->stats;
    s->cycles = timed->cycles;
    s->elapsed = timed->overhead + timed->cycles;
    s->start = l->start;
    s->verify_mismatches = c->verify ? timed->mismatches : WF_UNKNOWN;
    s->tech = c->tech ? api_keep(l, c->tech) : "base";
    s->fetched = timed->gpu.fetch_fetched;
    s->occupancy = timed->occupancy;
    s->gpu = api_keep(l, c->gpu);
    s->peaks = api_peaks(c);
    if (!wf_slice_of(c, &s->slice)) s->slice.parts = 0;
    if (!l->sampled) { // figures of single SMs are not estimated
        s->sms = api_account_sms(l);
        s->sm_count = c->chip.sm_count;
        s->classes = api_account_classes(l);
        s->class_count = c->chip.class_count;
    }
    s->samples = api_samples(l);
    s->sample_count = l->series.samples.count;
    s->energy = api_energy(l, timed, &s->energy_count);
    s->storage = api_storage(l, &s->storage_count);
}

static enum wf_fault fault_of(enum launch_fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE: return WF_FAULT_NONE;
    case FAULT_BOUNDS:
    case FAULT_SHARED:
    case FAULT_LOCAL:
    case FAULT_CONSTANT: return WF_FAULT_ADDRESS;
    case FAULT_ALIGNMENT: return WF_FAULT_ALIGNMENT;
    case FAULT_STACK: return WF_FAULT_STACK;
    case FAULT_BRANCH:
    case FAULT_TEXTURE:
    case FAULT_MEMBERS: return WF_FAULT_INSTRUCTION;
    case FAULT_TRAP: return WF_FAULT_TRAP;
    case FAULT_ASSERT: return WF_FAULT_ASSERT;
    case FAULT_DEADLOCK:
    case FAULT_STALL: return WF_FAULT_HANG;
    case FAULT_LIMIT: return WF_FAULT_LIMIT;
    case FAULT_INTERRUPTED: return WF_FAULT_INTERRUPTED;
    case FAULT_INTERNAL: break;
    }
    return WF_FAULT_INTERNAL;
}

void api_stats_fill(struct wf_pending *l, enum wf_status status, const struct exec_counts *counts,
                    const struct chip_result *timed, double seconds)
{
    const struct wf_context *c = l->context;
    struct wf_stats *s = &l->stats;
    *s = (struct wf_stats){
        .status = status,
        .cycles = WF_UNKNOWN,
        .elapsed = WF_UNKNOWN,
        .has_run = true,
        .start = WF_UNKNOWN,
        .skipped = tech_count(c, timed, false),
        .reused = tech_count(c, timed, true),
        .verify_mismatches = WF_UNKNOWN,
        .tech = "base",
        .fetched = WF_UNKNOWN,
        .occupancy = -1,
        .warp_instructions = counts->warp_instructions,
        .thread_instructions = counts->thread_instructions,
        .races = l->launch.check_races ? l->race.count : WF_UNKNOWN,
        .race_text = l->race.text,
        .fault_text = l->fault.text,
        .fault = fault_of(l->fault.kind),
        .has_waited = l->has_waited,
        .never_ends =
            l->fault.kind == FAULT_DEADLOCK || l->fault.kind == FAULT_STALL || l->fault.kind == FAULT_LIMIT,
        .wall_seconds = seconds,
        .core_mhz = c->chip.gpu.core_mhz,
    };
    s->warnings = warnings(l, &s->warning_count);
    struct wf_counter *counters = api_counters(l, counts, timed, &s->counter_count);
    s->counters = counters;
    if (timed) fill_timed(l, timed);
    if (timed && l->sampled) api_sample_stats(l, counters);
}

struct wf_pending *api_launch_create(struct wf_kernel *k)
{
    struct wf_context *c = k->module->context;
    struct wf_pending *l = heap_alloc(sizeof *l);
    l->context = c;
    l->kernel = k;
    l->form = api_form_use(k->form);
    l->start = l->end = WF_UNKNOWN;
    l->place = c->alive.count;
    vec_push(&c->alive, l);
    return l;
}

void api_launch_destroy(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    struct wf_pending *last = vec_pop(&c->alive);
    if (last != l) {
        c->alive.data[l->place] = last;
        last->place = l->place;
    }
    if (c->last == l) c->last = NULL;
    api_form_release(l->form);
    api_sample_free(l);
    free(l->params);
    free(l->addresses);
    free(l->functions);
    free(l->textures);
    vec_fini(&l->waits_for);
    vec_fini(&l->rivals);
    series_fini(&l->series);
    vec_fini(&l->core_samples);
    launch_fault_fini(&l->fault);
    launch_race_fini(&l->race);
    launch_notes_fini(&l->notes);
    for (size_t i = 0; i < l->pieces.count; i++) free(l->pieces.data[i]);
    vec_fini(&l->pieces);
    free(l);
}

void wf_launch_free(struct wf_pending *l)
{
    if (!l) return;
    l->is_freed = true;
    if (l->state == LAUNCH_OVER && !l->held) api_launch_destroy(l);
}

const struct wf_stats *wf_launch_stats(struct wf_pending *l)
{
    wf_launch_status(l);
    return &l->stats;
}
