// Warps of a block end at different times (Xiang's dissertation, 3.3): lifetimes, the loss of dispatch by
// block, and two of the reasons, instructions and misses of each warp. Launches are timed; a mechanism that
// changes nothing looks on.
//
//     block    ├──────── warp 0 ────────┤░░░░░░░░░░░░│      RTRU = ░ / all
//              ├──────── warp 1 ──┤░░░░░░░░░░░░░░░░░░│
//              ├──────── warp 2 ─────────────────────┤
#include "study/warps.h"
#include "exec/warp.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum missed { MISSED_L1, MISSED_TEXTURE, CACHES };

struct life {
    uint64_t launch, block; // launch: its number within the study
    uint64_t start, end;    // cycle of the warp's start; cycle of its end
    uint64_t instructions, misses[CACHES];
    uint32_t warp;
};

struct lives {
    VEC(struct life) list;
};

struct state {
    uint64_t launches;              // launches begun
    VEC(struct lives *) of_kernels; // heap; freed at the end
};

double warps_rtru(const uint64_t *cycles, size_t count)
{
    uint64_t most = 0, lost = 0;
    for (size_t k = 0; k < count; k++) most = cycles[k] > most ? cycles[k] : most;
    for (size_t k = 0; k < count; k++) lost += most - cycles[k];
    return most ? (double)lost / ((double)count * (double)most) : 0;
}

// -- observing ----------------------------------------------------------------------------------------------

struct of_launch {
    uint64_t number;
    struct lives *to;
};

struct on_sm {
    struct sm_grid *grid;
    const struct of_launch *launch;
    struct lives here;
    struct life now[64]; // current warps by place
};

static struct lives *lives_of(struct study *s)
{
    struct state *state = s->state;
    if (!s->kernel->data) {
        s->kernel->data = heap_alloc(sizeof(struct lives));
        vec_push(&state->of_kernels, s->kernel->data);
    }
    return s->kernel->data;
}

// Called once per kind of SM.
static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct study *s = (struct study *)u->options;
    struct state *state = s->state;
    struct of_launch *launch = heap_alloc(sizeof *launch);
    if (study_is_new(s, l->launch)) {
        study_kernel_enter(s, l->launch);
        state->launches++;
    }
    *launch = (struct of_launch){state->launches, lives_of(s)};
    return launch;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct on_sm *o = heap_alloc(sizeof *o);
    (void)counts;
    *o = (struct on_sm){.grid = grid, .launch = launch};
    return o;
}

// Called once the launch has ended on all SMs, on one thread. Merges the SM's finished warps.
static void sm_end(void *state)
{
    struct on_sm *o = state;
    for (size_t k = 0; k < o->here.list.count; k++) vec_push(&o->launch->to->list, o->here.list.data[k]);
    vec_fini(&o->here.list);
    free(o);
}

static void warp_start(void *state, unsigned place)
{
    struct on_sm *o = state;
    o->now[place] = (struct life){.start = tech_now(o->grid)};
}

static void warp_end(void *state, unsigned place)
{
    struct on_sm *o = state;
    const struct warp *w = tech_warp(o->grid, place);
    struct life *life = &o->now[place];
    life->launch = o->launch->number;
    life->block = w->cta->linear;
    life->warp = w->index;
    life->end = tech_now(o->grid);
    life->instructions = w->issued;
    vec_push(&o->here.list, *life);
}

// Counts misses of loads and texture fetches, but not of stores, whose warp may have ended already.
static void access_line(void *state, const struct tech_line *l)
{
    struct on_sm *o = state;
    if (l->outcome != LINE_MISS) return;
    if (l->kind == LSU_TEXTURE) o->now[l->place].misses[MISSED_TEXTURE]++;
    if (l->kind == LSU_LOAD || l->kind == LSU_LOCAL_LOAD) o->now[l->place].misses[MISSED_L1]++;
}

static const struct tech looks_on = {
    .name = "warps",
    .meaning = "looks on",
    .skipped = -1,
    .reused = -1,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = sm_end,
    .warp_start = warp_start,
    .warp_end = warp_end,
    .lines = &(const struct tech_lines){.access = access_line},
};

// -- sums ---------------------------------------------------------------------------------------------------

static int by_place(const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    if (x->launch != y->launch) return x->launch < y->launch ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->warp > y->warp) - (x->warp < y->warp);
}

// Warps of one block, by number.
struct block {
    const struct life *warps;
    size_t count;
};

static struct block block_at(const struct lives *all, size_t first)
{
    const struct life *from = &all->list.data[first];
    size_t n = 1;
    while (first + n < all->list.count && from[n].launch == from->launch && from[n].block == from->block) n++;
    return (struct block){from, n};
}

static uint64_t start_of(const struct block *b)
{
    uint64_t start = UINT64_MAX;
    for (size_t k = 0; k < b->count; k++) start = b->warps[k].start < start ? b->warps[k].start : start;
    return start;
}

enum { WARPS_MAX = 1024 }; // most warps of a block: 1024 threads, with one thread a warp

// Share of the block's warp cycles lost.
static double rtru_of(const struct block *b)
{
    uint64_t cycles[WARPS_MAX], start = start_of(b);
    for (size_t k = 0; k < b->count; k++) cycles[k] = b->warps[k].end - start;
    return warps_rtru(cycles, b->count);
}

struct sums {
    uint64_t blocks, even, warps; // even: blocks with all warps ending together
    // held: warp cycles from the start of a block to the end of its last warp. lost: the part after each
    // warp's own end.
    uint64_t held, lost;
    uint64_t instructions, least, most, misses[CACHES];
    // Sums over blocks. rtru: RTRU (share of warp cycles lost). log_rtru: logarithm of RTRU, of blocks with
    // a loss.
    double rtru, log_rtru;
};

static void add_block(struct sums *s, const struct block *b)
{
    uint64_t start = start_of(b), most = 0;
    for (size_t k = 0; k < b->count; k++) {
        const struct life *w = &b->warps[k];
        most = w->end - start > most ? w->end - start : most;
        s->lost -= w->end - start;
        s->instructions += w->instructions;
        s->least = !s->warps || w->instructions < s->least ? w->instructions : s->least;
        s->most = w->instructions > s->most ? w->instructions : s->most;
        for (unsigned c = 0; c < CACHES; c++) s->misses[c] += w->misses[c];
        s->warps++;
    }
    double rtru = rtru_of(b);
    s->held += b->count * most;
    s->lost += b->count * most;
    s->blocks++;
    s->even += rtru == 0;
    s->rtru += rtru;
    if (rtru > 0) s->log_rtru += log(rtru);
}

static double per_thousand(uint64_t n, uint64_t instructions)
{
    return instructions ? 1000.0 * (double)n / (double)instructions : 0;
}

// -- report -------------------------------------------------------------------------------------------------

#define KERNEL_COLUMNS                                                                                       \
    {"workload", "bundled workload"}, {"kernel", "its entry"}, { "block", "threads in x, y, z" }
#define COLUMNS(c) c, sizeof(c) / sizeof(c)[0]

static void add_sums(struct study_table *t, const struct sums *n)
{
    study_count(t, n->blocks);
    study_count(t, n->warps);
    study_share(t, n->rtru / (double)n->blocks);
    if (n->even < n->blocks)
        study_share(t, exp(n->log_rtru / (double)(n->blocks - n->even)));
    else
        study_none(t);
    study_ratio(t, n->even, n->blocks);
    study_count(t, n->held);
    study_count(t, n->lost);
    study_count(t, n->least);
    study_number(t, (double)n->instructions / (double)n->warps);
    study_count(t, n->most);
    for (unsigned c = 0; c < CACHES; c++) study_number(t, per_thousand(n->misses[c], n->instructions));
}

// Finds a block of the number, in the first launch with one. False: no such block.
static bool find_block(const struct lives *all, uint64_t number, struct block *b)
{
    size_t first = 0;
    while (all && first < all->list.count && all->list.data[first].block != number) first++;
    if (!all || first == all->list.count) return false;
    *b = block_at(all, first);
    return true;
}

static void report_kernels(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {
        KERNEL_COLUMNS,
        {"blocks", "executed blocks"},
        {"warps", "warps of executed blocks"},
        {"rtru", "share of slot and register cycles lost by warps ending before their block; "
                 "mean over blocks"},
        {"rtru_geometric", "geometric mean over blocks with a loss"},
        {"even", "share of blocks without a loss"},
        {"held", "warp cycles of blocks, from start to end of a block"},
        {"lost", "held warp cycles behind the end of the warp"},
        {"least", "instructions of a warp, minimum"},
        {"mean", "instructions of a warp, mean"},
        {"most", "instructions of a warp, maximum"},
        {"l1_mpki", "L1 misses per thousand warp instructions"},
        {"texture_mpki", "texture cache misses per thousand warp instructions"},
        {"rtru_block", "share lost in the block study.block, of the first launch with such a block"}};
    struct study_table *t = study_table_add(r, "kernels", "End times of a block's warps", COLUMNS(columns));
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct lives *all = s->kernels.data[i]->data;
        struct sums n = {0};
        struct block b;
        if (!all || !all->list.count) continue;
        for (size_t first = 0; first < all->list.count;) {
            b = block_at(all, first);
            add_block(&n, &b);
            first += b.count;
        }
        study_kernel_cells(t, s->kernels.data[i]);
        add_sums(t, &n);
        if (find_block(all, s->settings.block, &b))
            study_share(t, rtru_of(&b));
        else
            study_none(t);
    }
}

// By kernel, the warps of block study.block, in the first launch with a block of this number. Figures 21, 26,
// 27 and 28 of Xiang's dissertation.
static void report_lifetimes(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {KERNEL_COLUMNS,
                                                  {"warp", "of the block study.block"},
                                                  {"start", "cycles since the block's start"},
                                                  {"end", "the same"},
                                                  {"instructions", "of the warp"},
                                                  {"l1_mpki", "as above"},
                                                  {"texture_mpki", "as above"}};
    struct study_table *t = study_table_add(r, "lifetimes", "Lifetimes of a block's warps", COLUMNS(columns));
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct lives *all = s->kernels.data[i]->data;
        struct block b;
        if (!find_block(all, s->settings.block, &b)) continue;
        for (size_t k = 0; k < b.count; k++) {
            const struct life *w = &b.warps[k];
            study_kernel_cells(t, s->kernels.data[i]);
            study_count(t, w->warp);
            study_count(t, w->start - start_of(&b));
            study_count(t, w->end - start_of(&b));
            study_count(t, w->instructions);
            for (unsigned c = 0; c < CACHES; c++)
                study_number(t, per_thousand(w->misses[c], w->instructions));
        }
    }
}

static int by_count(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Figures 23 and 25 of Xiang's dissertation: warps by executed instructions, in bins (a, b] of width
// study.bin. Empty bins are left out.
static void add_histogram(struct study *s, struct study_table *t, const struct study_kernel *k)
{
    const struct lives *all = k->data;
    size_t count = all->list.count;
    uint64_t *bins = heap_alloc(count * sizeof *bins), wide = s->settings.bin;
    for (size_t n = 0; n < count; n++) {
        uint64_t executed = all->list.data[n].instructions;
        bins[n] = executed ? (executed - 1) / wide : 0;
    }
    qsort(bins, count, sizeof *bins, by_count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && bins[end] == bins[first]; end++) {
        }
        study_kernel_cells(t, k);
        study_count(t, bins[first] * wide);
        study_count(t, (bins[first] + 1) * wide);
        study_count(t, end - first);
        study_ratio(t, end - first, count);
    }
    free(bins);
}

static void report_histogram(struct study *s, struct study_report *r)
{
    static const struct study_column columns[] = {KERNEL_COLUMNS,
                                                  {"above", "instructions of a warp"},
                                                  {"up_to", "the same"},
                                                  {"warps", "with so many"},
                                                  {"share", "of all warps"}};
    struct study_table *t =
        study_table_add(r, "histogram", "Warps by the instructions they execute", COLUMNS(columns));
    t->detail = true;
    for (size_t i = 0; i < s->kernels.count; i++) {
        const struct lives *all = s->kernels.data[i]->data;
        if (all && all->list.count) add_histogram(s, t, s->kernels.data[i]);
    }
}

static void report(struct study *s, struct study_report *r)
{
    for (size_t i = 0; i < s->kernels.count; i++) {
        struct lives *all = s->kernels.data[i]->data;
        if (all) qsort(all->list.data, all->list.count, sizeof all->list.data[0], by_place);
    }
    report_kernels(s, r);
    report_lifetimes(s, r);
    report_histogram(s, r);
}

static void fini(struct study *s)
{
    struct state *state = s->state;
    for (size_t i = 0; i < state->of_kernels.count; i++) {
        vec_fini(&state->of_kernels.data[i]->list);
        free(state->of_kernels.data[i]);
    }
    vec_fini(&state->of_kernels);
}

const struct study_class study_warps = {
    .state_bytes = sizeof(struct state), .timed = &looks_on, .fini = fini, .report = report};
