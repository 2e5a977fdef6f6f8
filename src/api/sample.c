// Sampled timing of launches (docs/explanation/sampling.md): which launches are timed, which blocks of a launch,
// and the figures of the rest.
#include "api/impl.h"
#include "api/sample_figures.h"
#include "exec/image.h"
#include "isa/program.h"
#include "sample/curves.h"
#include "sample/refuse.h"
#include "sample/steady.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

// Beside the figures of a curve: what they leave out.
struct curve_extra {
    double room;          // warp slots of an active SM
    double rep_half, rep; // cycles of timed launches: half-widths within launches, and sum
};

// Launches of a key with as many right guesses in a row are executed without a copy of memory.
enum { TRUST = 2 };

// The last launch of a key, for a guess before the next launch is executed.
struct last_launch {
    uint64_t key;
    size_t curve;
    double instructions;
    uint32_t right; // guesses in a row that the launch needs no time
    bool is_owed;   // the last launch was to be timed, and was executed without a copy of memory
};

struct api_sampling { // of a context
    struct sample_curves curves;
    VEC(struct curve_extra) extras; // by curve
    VEC(struct last_launch) last;
    VEC(uint64_t) run; // keys of kernels that have been timed on the present chip
    struct memory_image *image;
    uint32_t own_numbers; // numbers given to launches sampled by blocks, from the end of the range
};

// Sums of a launch at the end of a window.
struct sample_mark {
    double *words; // heap
};

struct api_sampled { // of a launch
    struct wf_sampling out;
    struct chip_result shared, own; // half-widths, word by word
    bool is_grouped;                // a member of a curve
    bool is_unlike;                 // unlike the launches of the curve that gives its figures
    bool has_work;                  // `signature` comes from a functional trial
    double trial_seconds;           // of the host
    struct sample_signature signature;
    // Blocks.
    struct chip_sampler sampler;
    struct steady steady;
    VEC(struct sample_mark) marks;
    uint64_t taken;
    struct exec_counts executed; // of taken blocks
};

static struct api_sampling *sampling_of(struct wf_context *c)
{
    if (c->sampling) return c->sampling;
    c->sampling = heap_alloc(sizeof *c->sampling);
    sample_curves_init(&c->sampling->curves, figures_count());
    return c->sampling;
}

void api_sample_fini(struct wf_context *c)
{
    if (!c->sampling) return;
    sample_curves_fini(&c->sampling->curves);
    vec_fini(&c->sampling->extras);
    vec_fini(&c->sampling->last);
    vec_fini(&c->sampling->run);
    memory_image_free(c->sampling->image);
    free(c->sampling);
}

void api_sample_new_chip(struct wf_context *c)
{
    if (c->sampling) c->sampling->run.count = 0;
}

void api_sample_free(struct wf_pending *l)
{
    struct api_sampled *s = l->sampled;
    if (!s) return;
    for (size_t i = 0; i < s->marks.count; i++) free(s->marks.data[i].words);
    vec_fini(&s->marks);
    steady_fini(&s->steady);
    free(s);
}

static bool samples_launches(const struct wf_context *c)
{
    return c->settings.sample == API_SAMPLE_LAUNCHES || c->settings.sample == API_SAMPLE_BOTH;
}

static bool samples_blocks(const struct wf_context *c)
{
    return c->settings.sample == API_SAMPLE_BLOCKS || c->settings.sample == API_SAMPLE_BOTH;
}

// -- refusals -----------------------------------------------------------------------------------------------

// What needs every launch timed whole; NULL: nothing.
static const char *needs_all(const struct wf_context *c)
{
    if (c->watcher) return "a timeline";
    if (c->verify) return "verification";
    if (c->upsets) return "fault injection";
    if (c->settings.report_interval) return "report.interval";
    if (c->study && c->study->class->timed) return c->study->name;
    return NULL;
}

bool api_sample_check(struct wf_context *c)
{
    if (c->settings.sample == API_SAMPLE_OFF || !c->gpu) return true;
    const char *what = needs_all(c);
    if (api_has_core(c))
        return diag_error(&c->diag, loc_none(),
                          "sample: GPU %s runs RISC-V programs, whose warps stay for the whole launch",
                          c->gpu);
    if (what) return diag_error(&c->diag, loc_none(), "sample: %s needs every block timed", what);
    if (c->settings.sample == API_SAMPLE_BLOCKS && c->techs.count)
        return diag_error(
            &c->diag, loc_none(),
            "sample=blocks: mechanism %s has state of all earlier blocks, and blocks without time "
            "leave no trace in the state; sample=launches times whole launches",
            c->tech);
    return true;
}

// Why no launch may stand for the launch; NULL: no reason.
static const char *why_not(const struct wf_pending *l)
{
    const struct wf_context *c = l->context;
    if (l->launch.flat) return "a RISC-V program's memory is outside the device's allocations";
    if (l->stream != &c->first) return "launches of several streams may share the chip";
    if (l->launch.check_bounds != CHECK_STOP) return "check.bounds permits accesses outside allocations";
    if (c->chip.keep_caches || c->chip.gpu.l1_keep || c->chip.gpu.texture_keep)
        return "caches keep data from launch to launch, and execution without time leaves no lines";
    return sample_refuses_launches(l->kernel->program);
}

static const char *why_no_blocks(const struct wf_pending *l)
{
    const struct wf_context *c = l->context;
    const char *why = why_not(l);
    if (why || !samples_blocks(c)) return why;
    if (c->techs.count) return "a mechanism has state of all earlier blocks";
    if (launch_cluster_size(&l->launch) > 1) return "blocks of a cluster start together";
    return sample_refuses_blocks(l->kernel->program);
}

// -- functional execution -----------------------------------------------------------------------------------

struct capture {
    struct strbuf text;
};

static void keep_text(void *context, const char *text, size_t length)
{
    strbuf_write(&((struct capture *)context)->text, text, length);
}

// Runs a session to its end. may_wait: a launch that waits goes on, until no warp can ever continue.
static bool run_session(struct exec_session *session, bool may_wait)
{
    enum exec_turn turn = exec_go(session, false);
    while (may_wait && turn == EXEC_WAITS && !exec_is_stuck(session)) turn = exec_go(session, false);
    if (may_wait && turn == EXEC_WAITS) exec_fail_stuck(session, "");
    return turn == EXEC_ENDED;
}

// Executes blocks first to end - 1 without time; both 0: all. False, with memory as before: the blocks fail, or
// wait for other blocks. failure: no copy of memory is made, and the failure is written to *failure.
static bool execute(struct wf_pending *l, uint64_t first, uint64_t end, struct exec_counts *counts,
                    struct launch_fault *failure)
{
    struct api_sampling *s = sampling_of(l->context);
    struct launch part = l->launch;
    struct capture out = {0};
    struct launch_fault fault;
    struct launch_notes notes = {0};
    part.program = l->kernel->program;
    part.first_block = first;
    part.end_block = end;
    part.progress = NULL;
    part.notes = &notes;
    if (part.print) part.print = keep_text;
    part.print_context = &out;
    if (!failure) s->image = memory_image_take(l->launch.memory, s->image);
    struct exec_session *session = exec_begin(&part);
    bool has_ended = run_session(session, failure);
    bool good = exec_end(session, counts, &fault, NULL) && has_ended;
    if (failure)
        *failure = fault;
    else
        launch_fault_fini(&fault);
    bool stands = good || failure;
    if (stands && out.text.length) l->launch.print(l->launch.print_context, out.text.text, out.text.length);
    if (stands)
        launch_notes_add(&l->notes, &notes);
    else
        memory_image_put(s->image, l->launch.memory);
    launch_notes_fini(&notes);
    strbuf_fini(&out.text);
    return good;
}

// -- curves -------------------------------------------------------------------------------------------------

// Whether the kernel's code is cold in caches that outlive a launch.
static bool is_cold(const struct wf_pending *l)
{
    const struct api_sampling *s = l->context->sampling;
    uint64_t kernel = (uint64_t)(uintptr_t)l->kernel;
    for (size_t i = 0; i < s->run.count; i++)
        if (s->run.data[i] == kernel) return false;
    return true;
}

static uint64_t key_of(const struct wf_pending *l)
{
    const struct wf_context *c = l->context;
    const struct launch *e = &l->launch;
    const uint64_t parts[] = {(uint64_t)(uintptr_t)l->kernel,
                              is_cold(l),
                              e->block[0],
                              (uint64_t)e->block[1] << 32 | e->block[2],
                              (uint64_t)e->dynamic_shared << 32 | e->registers,
                              e->warp_size};
    uint64_t hash = hash_bytes(&c->chip, sizeof c->chip, 41);
    if (c->tech) hash = hash_bytes(c->tech, strlen(c->tech), hash);
    return hash_bytes(parts, sizeof parts, hash);
}

static void sign(struct sample_signature *s, const struct exec_counts *counts)
{
    const double all[] = {
#define COUNTER(name, unit, meaning) (double)counts->name,
#include "exec/counters.def"
#undef COUNTER
    };
    _Static_assert(sizeof all / sizeof all[0] <= SAMPLE_COUNTS, "a place for every count");
    memcpy(s->counts, all, sizeof all);
    s->instructions = (double)counts->warp_instructions;
}

// The last launch of the launch's key; NULL: none.
static struct last_launch *last_of(const struct wf_pending *l)
{
    struct api_sampling *s = l->context->sampling;
    for (size_t i = 0; i < s->last.count; i++)
        if (s->last.data[i].key == l->sampled->signature.key) return &s->last.data[i];
    return NULL;
}

// Makes the launch a member of its curve, and returns the curve's number.
static size_t join(struct wf_pending *l)
{
    struct api_sampling *s = l->context->sampling;
    const struct sample_signature *work = &l->sampled->signature;
    size_t n = sample_curves_join(&s->curves, work);
    if (n == s->extras.count) vec_push(&s->extras, (struct curve_extra){0});
    if (!last_of(l)) vec_push(&s->last, (struct last_launch){.key = work->key});
    struct last_launch *last = last_of(l);
    last->curve = n;
    last->instructions = work->instructions;
    l->sampled->out.group = (uint32_t)n;
    l->sampled->is_grouped = true;
    return n;
}

static double double_of(uint64_t value) { return (double)value; }

// Warp slots of an active SM, from figures of a timed launch.
static double room_of(const struct chip_result *r)
{
    double active = double_of(r->gpu.sm_active_cycles);
    return r->occupancy > 0 && active > 0 ? double_of(r->gpu.sm_warp_cycles) / r->occupancy / active : 0;
}

static double occupancy_of(const struct chip_result *r, double room)
{
    double slots = room * double_of(r->gpu.sm_active_cycles);
    return slots > 0 ? double_of(r->gpu.sm_warp_cycles) / slots : 0;
}

// Half-width of the occupancy: relative half-widths of the two factors add up at worst.
static double occupancy_half(const struct chip_result *value, const struct chip_result *half)
{
    if (!value->gpu.sm_warp_cycles || !value->gpu.sm_active_cycles) return 0;
    return value->occupancy *
           (double_of(half->gpu.sm_warp_cycles) / double_of(value->gpu.sm_warp_cycles) +
            double_of(half->gpu.sm_active_cycles) / double_of(value->gpu.sm_active_cycles));
}

static void note_occupancy(struct api_sampled *o, struct chip_result *value, double room)
{
    value->occupancy = occupancy_of(value, room);
    o->out.occupancy = (struct wf_error){occupancy_half(value, &o->shared), occupancy_half(value, &o->own)};
}

// Relative half-width of a launch unlike the launches of its curve.
#define UNLIKE 0.5

// Adds an estimate of every figure to *value and the launch's half-widths.
static void add_estimates(struct wf_pending *l, struct chip_result *value)
{
    struct api_sampled *o = l->sampled;
    struct sample_curves *all = &l->context->sampling->curves;
    const struct sample_curve *c = &all->list.data[o->out.group];
    const struct curve_extra *x = &l->context->sampling->extras.data[o->out.group];
    double within = x->rep > 0 ? x->rep_half / x->rep : 0, work = o->signature.instructions;
    bool is_plain = !l->context->techs.count;
    struct sample_fit fit = sample_fit_of(c, work);
    for (size_t i = 0; i < all->figures; i++) {
        if (is_plain && figures_is_executed(i)) continue;
        double seen = 0;
        for (size_t k = 0; k < c->nodes.count; k++) seen += c->nodes.data[k].figures[i];
        if (seen == 0) continue;
        struct ratio_estimate e = sample_fit_estimate(c, &fit, i);
        double rare = e.value > 0 && figures_is_event(i) ? ratio_rare(seen, (double)c->nodes.count, 1) : 0;
        figures_add(value, i, e.value);
        figures_add(&o->shared, i, hypot(e.shared, hypot(within * e.value, rare)));
        figures_add(&o->own, i, o->is_unlike ? fmax(e.own, UNLIKE * e.value) : e.own);
    }
    sample_curves_note(all, o->out.group, &fit, double_of(value->cycles));
    sample_fit_fini(&fit);
}

// Ends a launch executed without time, with estimated figures.
static void end_untimed(struct wf_pending *l, const struct exec_counts *counts, double seconds)
{
    struct wf_context *c = l->context;
    struct api_sampled *o = l->sampled;
    struct chip_result value;
    memset(&value, 0, sizeof value);
    o->out.how = WF_SAMPLED_LAUNCH;
    add_estimates(l, &value);
    if (!c->techs.count) value.exec = *counts;
    value.overhead = c->chip.launch_latency;
    note_occupancy(o, &value, c->sampling->extras.data[o->out.group].room);
    l->start = c->clock;
    l->end = l->start + value.overhead + value.cycles;
    c->clock_before += value.overhead + value.cycles;
    c->clock = l->end;
    api_run_finish(l, true, &value.exec, &value, seconds);
}

// Ends a launch that failed when executed without time: the fault stands, without figures of time.
static void fail_untimed(struct wf_pending *l, const struct exec_counts *counts, double seconds)
{
    static const struct chip_result no_time;
    struct chip_result value = no_time;
    value.exec = *counts;
    l->start = l->end = l->context->clock;
    api_run_finish(l, false, counts, &value, seconds);
}

static bool wants_time(const struct wf_pending *l, size_t curve, double instructions, unsigned ahead)
{
    const struct wf_context *c = l->context;
    return sample_curves_want(&c->sampling->curves, curve, instructions, ahead,
                              c->settings.sample_error / 100) != SAMPLE_KNOWN;
}

// Executes the launch without time. True: the launch is over, with figures of the curve. False: memory is as before,
// and the launch is to be timed.
static bool try_untimed(struct wf_pending *l)
{
    struct exec_counts counts = {0};
    double began = clock_seconds();
    if (!execute(l, 0, 0, &counts, NULL)) {
        l->sampled->out.why = "executed without time, the launch fails or waits";
        return false;
    }
    sign(&l->sampled->signature, &counts);
    l->sampled->has_work = true;
    if (!wants_time(l, join(l), l->sampled->signature.instructions, 0)) {
        last_of(l)->right++;
        end_untimed(l, &counts, clock_seconds() - began);
        return true;
    }
    last_of(l)->right = 0;
    memory_image_put(l->context->sampling->image, l->launch.memory);
    l->sampled->trial_seconds = clock_seconds() - began;
    return false;
}

// Executes the launch without time and without a copy of memory. A launch that turns out to want time has estimated
// figures, and the next launch of the key is timed. A launch unlike all timed ones is estimated by its predecessor's
// curve, with a wide interval.
static void run_untimed(struct wf_pending *l)
{
    struct api_sampling *s = l->context->sampling;
    struct exec_counts counts = {0};
    double began = clock_seconds();
    size_t before = last_of(l)->curve;
    if (!execute(l, 0, 0, &counts, &l->fault)) {
        fail_untimed(l, &counts, clock_seconds() - began);
        return;
    }
    sign(&l->sampled->signature, &counts);
    l->sampled->has_work = true;
    size_t n = join(l);
    struct last_launch *last = last_of(l);
    last->is_owed = wants_time(l, n, l->sampled->signature.instructions, 0);
    if (last->is_owed) last->right = 0;
    if (s->curves.list.data[n].nodes.count < SAMPLE_LEAST) {
        l->sampled->out.group = (uint32_t)before;
        l->sampled->is_unlike = true;
    }
    end_untimed(l, &counts, clock_seconds() - began);
}

double api_sample_seconds(const struct wf_pending *l) { return l->sampled ? l->sampled->trial_seconds : 0; }

bool api_sample_begin(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    if (c->settings.sample == API_SAMPLE_OFF) return false;
    sampling_of(c);
    struct api_sampled *o = l->sampled = heap_alloc(sizeof *o);
    o->out.how = WF_TIMED;
    o->out.timed_blocks = launch_blocks(&l->launch);
    o->out.why = samples_launches(c) ? why_not(l) : NULL;
    if (o->out.why || !samples_launches(c)) return false;
    o->signature.key = key_of(l);
    const struct last_launch *last = last_of(l);
    bool is_known = last && !last->is_owed && !wants_time(l, last->curve, last->instructions, 1);
    if (is_known && last->right >= TRUST) {
        run_untimed(l);
        return true;
    }
    return (is_known || c->techs.count) && try_untimed(l);
}

static void add_to_curve(struct wf_pending *l, const struct chip_result *timed)
{
    struct api_sampling *s = l->context->sampling;
    struct api_sampled *o = l->sampled;
    double *words = heap_alloc(figures_count() * sizeof *words);
    if (!o->has_work) sign(&o->signature, &timed->exec);
    size_t n = o->is_grouped ? o->out.group : join(l);
    figures_read(timed, words);
    sample_curves_add(&s->curves, n, o->signature.instructions, words,
                      l->context->settings.sample_error / 100);
    last_of(l)->is_owed = false;
    struct curve_extra *x = &s->extras.data[n];
    x->room = room_of(timed);
    x->rep += double_of(timed->cycles);
    x->rep_half += double_of(o->shared.cycles);
    free(words);
}

// -- blocks -------------------------------------------------------------------------------------------------

static void note_mark(struct api_sampled *o, const struct chip_sums *now)
{
    struct sample_mark m = {heap_alloc(figures_count() * sizeof(double))};
    figures_read_sums(now, m.words);
    vec_push(&o->marks, m);
}

static uint64_t take(void *context, const struct chip_sums *now)
{
    struct wf_pending *l = context;
    struct api_sampled *o = l->sampled;
    size_t before = o->steady.marks.count;
    o->steady.wave = now->wave;
    o->steady.blocks = now->blocks;
    const struct steady_sums sums = {.cycle = now->cycle,
                                     .instructions = now->gpu.issue_issued,
                                     .read = now->memory.dram.reads,
                                     .written = now->memory.dram.writes,
                                     .stored = now->memory.l2_write_sectors,
                                     .answered = now->memory.replies,
                                     .waiting = now->unanswered,
                                     .ended = now->ended};
    steady_look(&o->steady, &sums);
    o->sampler.due = steady_due(&o->steady);
    if (o->steady.marks.count == before) return 0;
    note_mark(o, now);
    uint64_t waves = (now->blocks - now->next) / now->wave;
    uint64_t count = waves * now->wave;
    enum steady_verdict verdict = count ? steady_judge(&o->steady, count) : STEADY_GOES_ON;
    if (verdict == STEADY_CLOSES || verdict == STEADY_OPENS)
        chip_close_l2(l->context->chip_state, verdict == STEADY_CLOSES);
    if (verdict != STEADY_SETTLED) return 0;
    o->sampler.due = UINT64_MAX;
    if (execute(l, now->next, now->next + count, &o->executed, NULL))
        o->taken = count;
    else
        o->out.why = "executed without time, blocks fail or wait for other blocks";
    return o->taken;
}

struct chip_sampler *api_sample_blocks(struct wf_pending *l)
{
    struct wf_context *c = l->context;
    struct api_sampled *o = l->sampled;
    if (!o || !samples_blocks(c) || o->out.why) return NULL;
    const char *why = why_no_blocks(l);
    if (why) {
        if (!samples_launches(c)) o->out.why = why;
        return NULL;
    }
    const struct memory_config *m = &c->chip.memory;
    uint64_t lines = (uint64_t)m->partitions * m->slices * m->l2_sets * m->l2_ways;
    o->steady.capacity = lines * memory_l2_line_bytes(m) / SECTOR_BYTES;
    // DRAM moves dram.rate transfers of dram.bus_bytes in a command cycle of every channel.
    o->steady.peak = (double)m->partitions * m->dram_bus_bytes * m->dram_rate / SECTOR_BYTES * m->dram_mhz /
                     c->chip.gpu.core_mhz;
    o->steady.error = c->settings.sample_error / 100;
    o->sampler = (struct chip_sampler){.context = l, .take = take};
    return &o->sampler;
}

// Write-backs of dirty lines begin only when reads and stores have filled the L2, perhaps after the last mark. All
// stores may then end in DRAM: intervals of writes reach from the estimate to all stores, and intervals of other
// counts of DRAM grow by the share of the added writes.
static void widen_writes(struct api_sampled *o, struct chip_result *timed)
{
    struct memory_counts *value = &timed->memory, *half = &o->shared.memory;
    uint64_t stored = value->l2_write_sectors, writes = value->dram.writes;
    uint64_t most = stored + value->dram.reads > o->steady.capacity ? stored : 0;
    if (writes >= most) return;
    uint64_t added = (most - writes) / 2;
    double share = 2 * double_of(added) / double_of(value->dram.reads + writes + added);
#define MEMORY_COUNTER(name, unit, meaning)
#define DRAM_COUNTER(name, unit, meaning) half->dram.name += (uint64_t)(share * double_of(value->dram.name));
    uint64_t reads_half = half->dram.reads;
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
    half->dram.reads = reads_half;
    value->dram.writes += added;
    half->dram.writes += added;
    value->l2_writebacks += added;
    half->l2_writebacks += added;
}

// Least relative half-width of a launch with taken blocks: the timed rest begins in another phase of DRAM and
// clocks.
#define PHASE 0.007

// Relative half-width of late rates with a closed L2, which holds fewer lines than the open one.
#define CLOSED 0.03

// A figure of `work` instructions at the rate of the windows between marks at[0] to at[windows]. The ratio of the
// windows is written to *r.
static struct ratio_estimate rate(const struct api_sampled *o, const size_t *at, size_t windows,
                                  size_t figure, double work, struct ratio *r)
{
    const struct steady_sums *m = o->steady.marks.data;
    *r = (struct ratio){0};
    for (size_t k = 0; k < windows; k++)
        ratio_add(r, double_of(m[at[k + 1]].instructions - m[at[k]].instructions),
                  o->marks.data[at[k + 1]].words[figure] - o->marks.data[at[k]].words[figure]);
    return work > 0 ? ratio_estimate(r, work) : (struct ratio_estimate){0};
}

// Whether the L2 was closed for a while. The cycles are then not those of a whole run, even if every block is timed.
static bool was_closed(const struct api_sampled *o)
{
    return o->steady.early_windows || o->steady.stays_open;
}

// Adds the figures of taken blocks to *timed: executed instructions exactly, the rest at the rates of the
// settled windows.
static void extrapolate(struct wf_pending *l, struct chip_result *timed)
{
    struct api_sampled *o = l->sampled;
    double room = room_of(timed), work = (double)o->executed.warp_instructions;
    double early = steady_early_share(&o->steady, o->taken);
    size_t at[STEADY_MOST + 1], windows = steady_windows(&o->steady, at);
    double *seen = heap_alloc(figures_count() * sizeof *seen); // of all timed blocks
    figures_read(timed, seen);
    for (size_t i = 0; i < figures_count(); i++) {
        struct ratio first, r;
        struct ratio_estimate before =
            rate(o, o->steady.early, o->steady.early_windows, i, early * work, &first);
        struct ratio_estimate e = rate(o, at, windows, i, (1 - early) * work, &r);
        double closed = CLOSED * (!was_closed(o) ? 0 : o->taken ? e.value : seen[i]);
        e.value += before.value;
        double half = hypot(hypot(e.shared, closed), hypot(before.shared, PHASE * (seen[i] + e.value)));
        if (figures_is_event(i) && seen[i] > 0) half = hypot(half, ratio_rare(r.figure, r.work, work));
        figures_add(timed, i, e.value);
        if (!figures_is_executed(i)) figures_add(&o->shared, i, half);
    }
#define COUNTER(name, unit, meaning) timed->exec.name += o->executed.name;
#include "exec/counters.def"
#undef COUNTER
    free(seen);
    if (!o->steady.early_windows) widen_writes(o, timed);
    timed->chip_cycles = timed->cycles;
    timed->sm_cycles = timed->cycles * l->context->chip.sm_count;
    o->shared.sm_cycles = o->shared.cycles * l->context->chip.sm_count;
    note_occupancy(o, timed, room);
}

uint64_t api_sample_end(struct wf_pending *l, struct chip_result *timed, bool good)
{
    struct api_sampled *o = l->sampled;
    uint64_t cycles = timed->cycles;
    if (o) chip_close_l2(l->context->chip_state, false);
    if (!o || !good) return 0;
    if (o->taken || was_closed(o)) {
        o->out.how = WF_SAMPLED_BLOCKS;
        o->out.timed_blocks -= o->taken;
        extrapolate(l, timed);
    }
    if (samples_launches(l->context) && !why_not(l)) add_to_curve(l, timed);
    if (o->out.how == WF_SAMPLED_BLOCKS) o->out.group = UINT32_MAX - l->context->sampling->own_numbers++;
    if (is_cold(l)) vec_push(&l->context->sampling->run, (uint64_t)(uintptr_t)l->kernel);
    return timed->cycles - cycles;
}

// -- intervals of the stats ---------------------------------------------------------------------------------

static struct wf_error error_of(uint64_t shared, uint64_t own)
{
    return (struct wf_error){double_of(shared), double_of(own)};
}

// Half-width of the energy: the energy of the half-widths of all counts, as if all erred together.
static double energy_half(struct wf_pending *l, const struct chip_result *half)
{
    struct wf_context *c = l->context;
    double sum = 0;
    size_t count = energy_rows(&c->energy, &c->chip, half, c->energy_rows);
    for (size_t i = 0; i < count; i++) sum += double_of(c->energy_rows[i].count) * c->energy_rows[i].pj;
    return sum;
}

static uint64_t of_techs(const struct wf_context *c, const struct chip_result *r, bool reused)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < c->techs.count; k++) {
        int which = reused ? c->techs.uses[k].tech->reused : c->techs.uses[k].tech->skipped;
        if (which >= 0) sum += r->techs[k][which];
    }
    return sum;
}

static void fill_counters(const struct wf_pending *l, struct wf_counter *counters)
{
    const struct wf_context *c = l->context;
    const struct api_sampled *o = l->sampled;
    uint64_t shared[API_COUNTERS], own[API_COUNTERS];
    size_t n = API_COUNTERS;
    api_counter_values(&o->shared.exec, &o->shared.gpu, &o->shared.memory, shared);
    api_counter_values(&o->own.exec, &o->own.gpu, &o->own.memory, own);
    for (size_t i = 0; i < API_COUNTERS; i++) counters[i].error = error_of(shared[i], own[i]);
    for (unsigned k = 0; k < c->techs.count; k++)
        for (size_t i = 0; i < c->techs.uses[k].tech->counter_count; i++)
            counters[n++].error = error_of(o->shared.techs[k][i], o->own.techs[k][i]);
}

void api_sample_stats(struct wf_pending *l, struct wf_counter *counters)
{
    struct wf_context *c = l->context;
    struct api_sampled *o = l->sampled;
    const struct chip_result *shared = &o->shared, *own = &o->own;
    struct wf_sampling *out = &o->out;
    if (out->how == WF_SAMPLED_BLOCKS || out->how == WF_SAMPLED_LAUNCH) {
        out->cycles = error_of(shared->cycles, own->cycles);
        out->fetched = error_of(shared->gpu.fetch_fetched, own->gpu.fetch_fetched);
        out->skipped = error_of(of_techs(c, shared, false), of_techs(c, own, false));
        out->reused = error_of(of_techs(c, shared, true), of_techs(c, own, true));
        out->warp_instructions = error_of(shared->exec.warp_instructions, own->exec.warp_instructions);
        out->thread_instructions = error_of(shared->exec.thread_instructions, own->exec.thread_instructions);
        out->energy_pj = (struct wf_error){energy_half(l, shared), energy_half(l, own)};
        fill_counters(l, counters);
    }
    if (out->how == WF_SAMPLED_LAUNCH) out->timed_blocks = 0;
    l->stats.sampling = *out;
}
