// One launch from begin to end: on the chip, on the SIMTight core, or in the functional engine.
#include "api/impl.h"
#include "study/study.h"

#include <string.h>

// Cycle of a chip in which its first launch arrives (chip/chip.c): cycle clock_before of the context's clock.
enum { FIRST_CYCLE = 1 };

bool api_is_studied(const struct wf_context *c) { return c->study && !c->study->class->timed; }

// Whether later launches are timed on SMs. False without a GPU, and on a GPU with a SIMTight core. The race
// detector and functional studies also make launches functional, because both observe functional runs only.
bool api_is_timed(const struct wf_context *c)
{
    return c->gpu && !api_has_core(c) && !c->settings.check_races && !api_is_studied(c);
}

static void tell_study(struct wf_context *c)
{
    c->study->mark = c->mark;
    c->study->settings = c->study_settings;
}

// Asks the function of wf_set_interrupt. A first answer of true interrupts all launches under way; until
// their end the function is not called again.
bool api_is_interrupted(void *context)
{
    struct wf_context *c = context;
    if (!c->is_stopping && c->is_interrupted) c->is_stopping = c->is_interrupted(c->interrupt_context);
    return c->is_stopping;
}

static enum wf_status status_of(const struct wf_pending *l, bool good)
{
    if (good) return WF_OK;
    return l->fault.kind == FAULT_INTERRUPTED ? WF_INTERRUPTED : WF_PROGRAM_FAILED;
}

// The progress bar shows a launch only if no other launch is running at its begin.
static void begin_progress(struct wf_pending *l)
{
    const uint32_t *grid = l->launch.grid;
    progress_init(&l->progress, l->kernel->info.name, "blocks", (uint64_t)grid[0] * grid[1] * grid[2],
                  l->context->progress && !l->context->running);
    l->launch.progress = &l->progress;
}

void api_run_finish(struct wf_pending *l, bool good, const struct exec_counts *counts,
                    const struct chip_result *timed, double seconds)
{
    progress_fini(&l->progress);
    l->state = LAUNCH_OVER;
    if (!good) diag_text(&l->context->diag, DIAG_ERROR, loc_none(), l->fault.text);
    api_stats_fill(l, status_of(l, good), counts, timed, seconds);
}

// Passes the launch's rivals (unordered launches) to the race check. An unfinished rival has no record yet,
// and compares itself with the launch later.
static void meet_rivals(struct wf_pending *l)
{
    struct launch_rival *rivals = API_ARRAY(l, struct launch_rival, l->rivals.count + 1);
    l->launch.rivals = rivals;
    for (size_t k = 0; k < l->rivals.count; k++) {
        const struct wf_pending *other = l->rivals.data[k];
        rivals[l->launch.rival_count++] = (struct launch_rival){&other->launch, other->race.book};
    }
}

static void begin_functional(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    const uint32_t *block = l->launch.block;
    l->launch.hint_races = !l->kernel->hinted && block[0] * block[1] * block[2] > l->launch.warp_size;
    l->kernel->hinted = true;
    if (c->study) {
        c->study->kernel_name = l->kernel->info.name;
        tell_study(c);
        l->launch.observer = &c->study->observer;
    }
    l->session = exec_begin(&l->launch);
    l->state = LAUNCH_RUNS;
}

// Of two rivals (launches not ordered by streams or events) the later to finish compares the memory touched
// by both. Keeps l's record of touched memory for unfinished rivals.
static void leave_to_rivals(struct wf_pending *l)
{
    for (size_t k = 0; k < l->rivals.count; k++) {
        struct wf_pending *other = l->rivals.data[k];
        if (other->state == LAUNCH_OVER) continue;
        vec_push(&other->rivals, l);
        l->launch.is_rival = true;
        l->held++;
    }
}

static void end_functional(struct wf_pending *l)
{
    struct exec_counts counts = {0};
    leave_to_rivals(l);
    if (l->rivals.count) meet_rivals(l);
    bool good = exec_end(l->session, &counts, &l->fault, &l->race);
    l->session = NULL;
    api_run_finish(l, good, &counts, NULL, l->run_seconds);
}

bool api_run_turn(struct wf_pending *l, bool is_beside, bool *has_moved)
{
    double began = clock_seconds();
    enum exec_turn turn = exec_go(l->session, is_beside);
    l->run_seconds += clock_seconds() - began;
    l->is_stuck = exec_is_stuck(l->session);
    *has_moved = exec_has_moved(l->session);
    if (turn != EXEC_WAITS) end_functional(l);
    return turn != EXEC_WAITS;
}

void api_run_stuck(struct wf_pending *l, const char *beside)
{
    exec_fail_stuck(l->session, beside);
    end_functional(l);
}

static void run_on_core(struct wf_pending *l)
{
    struct exec_counts counts = {0};
    double began = clock_seconds();
    bool good = api_run_on_core(l, &counts);
    api_run_finish(l, good, &counts, NULL, clock_seconds() - began);
    api_core_fill(l);
}

static void make_chip(struct wf_context *c)
{
    if (c->chip_state) return;
    c->chip_state = chip_create(&c->chip);
    for (size_t k = 0; k < c->copied.count; k++)
        chip_copied(c->chip_state, c->copied.data[k].address, c->copied.data[k].bytes);
    c->copied.count = 0;
}

static void begin_timed(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    struct chip_account account;
    api_account_begin(l, &account);
    account.sampler = api_sample_blocks(l);
    for (unsigned n = 0; n < c->techs.count; n++) {
        struct tech_use *u = &c->techs.uses[n];
        u->marks = &c->mark;
        u->verify = c->verify;
        u->upsets = c->upsets;
    }
    if (c->study) {
        tell_study(c);
        study_name(c->study, &l->launch, l->kernel->info.name);
    }
    make_chip(c);
    l->run_seconds = c->run_seconds;
    l->grid = chip_begin(c->chip_state, &l->launch, l->max_cycles, &account);
    l->state = LAUNCH_RUNS;
}

void api_run_begin(struct wf_pending *l)
{
    begin_progress(l);
    if (l->is_timed && api_sample_begin(l)) return;
    if (l->is_timed)
        begin_timed(l);
    else if (l->is_on_core)
        run_on_core(l);
    else
        begin_functional(l);
}

void api_run_end(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    struct chip_result timed;
    bool good = chip_end(c->chip_state, l->grid, &timed, &l->fault);
    if (good && timed.imbalance) { // a simulator bug must not look like a result
        struct strbuf text = {0};
        strbuf_printf(&text, "internal error: the timing model's books do not balance: %s", timed.imbalance);
        l->fault = (struct launch_fault){.kind = FAULT_INTERNAL, .text = text.text};
        good = false;
    }
    uint64_t added = api_sample_end(l, &timed, good);
    l->start = c->clock_before + timed.start - FIRST_CYCLE;
    l->end = l->start + timed.overhead + timed.cycles;
    c->clock_before += added; // the chip's own clock has not seen these cycles
    if (c->clock < l->end) c->clock = l->end;
    double seconds = c->run_seconds - l->run_seconds + api_sample_seconds(l);
    api_run_finish(l, good, &timed.exec, &timed, seconds);
}

void api_run_never(struct wf_pending *l, enum wf_status status, const char *why)
{
    static const struct exec_counts nothing;
    static const struct chip_result no_time;
    struct wf_context *c = l->context;
    struct strbuf text = {0};
    strbuf_printf(&text, "kernel %s did not begin: %s", l->kernel->info.name, why);
    l->fault.text = text.text;
    l->state = LAUNCH_OVER;
    if (l->is_timed) {
        l->sms = API_ARRAY(l, struct gpu_counts, c->chip.sm_count);
        l->end = c->clock;
    }
    api_stats_fill(l, status, &nothing, l->is_timed ? &no_time : NULL, 0);
    l->stats.has_run = false;
}
