// WarpMan: slots and registers are allocated by warp and freed at the warp's end; shared memory and a context
// belong to the block. Starting warps is the dispatcher's work (chip/dispatch.h); WarpMan sets the limit of
// resident warps.
//
//     free on the SM ──▶ a whole block fits? ── yes ─▶ the block starts
//                             └─ no ─▶ shared memory, a context and a warp fit, and the variant allows it?
//                                          └─ yes ─▶ a part starts; the rest as warps end (workload buffer)
//
// docs/explanation/techniques/warpman.md has the paper's open points and the decisions.
#include "tech/warpman/warpman.h"
#include "tech/registry.h"

#include "base/bits.h"

#include <stdlib.h>

static const char *const variant_words[] = {"base", "temporal", "spatial", "dueling", "threshold", NULL},
                         *const judge_words[] = {"epoch", "launch", NULL},
                         *const begin_words[] = {"temporal", "spatial", NULL};
#define AT(field) offsetof(struct warpman_options, field)
// clang-format off
static const struct config_key keys[] = {
    {"variant", CONFIG_WORD, AT(variant), 0, 0, variant_words, "dueling", "dispatch of warps into free slots: base, none before a block fits; temporal, up to the number by whole blocks; spatial, any number; dueling, temporal or spatial as the better leader; threshold, up to `limit`", "Xiang, 3.6.1"},
    {"limit",   CONFIG_U32,  AT(limit),   1, 64, NULL,         "36",      "with variant=threshold: warps on an SM beyond which only whole blocks start", "Xiang, 3.6.1"},
    {"epoch",   CONFIG_U32,  AT(epoch),   100, 1000000000, NULL, "1000", "with variant=dueling: cycles from one comparison of the leaders to the next", "choice"},
    {"hold",    CONFIG_U32,  AT(hold),    1, 1000, NULL,       "1",       "lost epochs in a row before a follower changes its way", "choice"},
    {"judge",   CONFIG_WORD, AT(judge),   0, 0, judge_words,   "launch",   "with variant=dueling: leaders are compared by their work in the last epoch, or in the launch so far", "choice"},
    {"begin",   CONFIG_WORD, AT(begin),   0, 0, begin_words,   "spatial", "with variant=dueling: the followers' way until the first decision", "choice"},
    {"leaders", CONFIG_U32,  AT(leaders), 1, 128, NULL,        "1",       "leading SMs for either way: the first with variant=spatial, the next with variant=temporal", "Xiang, 3.4: one for either way"},
};
// clang-format on
static const struct tech_counter counters[] = {
#define COUNTER(name, unit, meaning) {#name, unit, meaning},
#include "tech/warpman/counters.def"
#undef COUNTER
};

// -- how many -----------------------------------------------------------------------------------------------

// Most warps allowed on the SM.
static uint32_t most(const struct warpman_launch *l, const struct tech_room *r)
{
    bool is_on = false;
    switch ((enum warpman_variant)l->options->variant) {
    case VARIANT_BASE:
    case VARIANT_TEMPORAL: break;
    case VARIANT_SPATIAL: is_on = true; break;
    case VARIANT_DUELING: is_on = duel_is_on(&l->duel, r->sm); break;
    case VARIANT_THRESHOLD: return u32_max(r->by_block, l->options->limit);
    }
    return is_on ? UINT32_MAX : r->by_block;
}

static uint32_t admit(const void *launch, const struct tech_room *r)
{
    uint32_t allowed = most(launch, r);
    return allowed > r->resident ? allowed - r->resident : 0;
}

static bool by_warp(const void *launch)
{
    return ((const struct warpman_launch *)launch)->options->variant != VARIANT_BASE;
}

static void window(void *launch, const struct tech_view *v)
{
    struct warpman_launch *l = launch;
    if (l->options->variant == VARIANT_DUELING) duel_watch(&l->duel, v);
}

// -- launches and SMs ---------------------------------------------------------------------------------------

static void *launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    struct warpman_launch *w = heap_alloc(sizeof *w);
    const struct warpman_options *o = u->options;
    const struct duel_config config = {.epoch = o->epoch,
                                       .hold = o->hold,
                                       .leaders = o->leaders,
                                       .first = l->kind->first,
                                       .in_total = o->judge == JUDGE_LAUNCH,
                                       .begins_on = o->begin == BEGIN_SPATIAL};
    *w = (struct warpman_launch){.options = o, .listener = u->listener};
    duel_init(&w->duel, &config, 0);
    return w;
}

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct warpman *w = heap_alloc(sizeof *w);
    *w = (struct warpman){.launch = launch, .grid = grid, .counters = counts};
    w->by_block = tech_launch(grid)->warps_by_block;
    return w;
}

static size_t storage(const void *options, const struct gpu_config *c,
                      struct tech_storage out[TECH_STORAGE_MAX])
{
    enum { GRID_BITS = 63 }; // 2^31 - 1 by 65,535 by 65,535 blocks (CUDA C Programming Guide)
    (void)options;
    out[0] = (struct tech_storage){"workload buffer", 1, warpman_buffer_bits(c), true, 1};
    out[1] =
        (struct tech_storage){"the rest of a block's number", 1, GRID_BITS - BUFFER_LOGICAL_BITS, false, 1};
    return 2;
}

static void rows(const void *state, struct tech_rows *to)
{
    const struct warpman *w = state;
    if (w->buffer.valid)
        tech_row(to, "workload buffer", TECH_OF_SM, 0, 0,
                 "block %llu in block slot %u: warps %u to %u to start",
                 (unsigned long long)w->buffer.logical, w->buffer.physical, w->buffer.start, w->buffer.end);
}

const struct tech tech_warpman = {
    .name = "warpman",
    .meaning = "a warp gets slots and registers alone, and frees both at its end",
    .paper = "Xiang, Yang, Zhou, HPCA 2014; Xiang's dissertation, chapter 3",
    .features = HAS(ROOM),
    .claims = CLAIMS(DISPATCH),
    .skipped = -1,
    .reused = -1,
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .options_bytes = sizeof(struct warpman_options),
    .counters = counters,
    .counter_count = COUNT_TOTAL,
    .storage = storage,
    .launch_begin = launch_begin,
    .launch_end = free,
    .sm_begin = sm_begin,
    .sm_end = free,
    .warp_start = warpman_warp_start,
    .warp_end = warpman_warp_end,
    .check = warpman_check,
    .rows = rows,
    .blocks = &(const struct tech_blocks){.block_start = warpman_block_start, .block_end = warpman_block_end},
    .dispatch = &(const struct tech_dispatch){.window = window, .by_warp = by_warp, .admit = admit},
};
