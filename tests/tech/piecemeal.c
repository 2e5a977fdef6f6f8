// Dispatch by warp for tests: a block's warps start as slots and registers come free.
//
// Both mechanisms check the promises of the dispatch interface. A grid has at most one partly started block
// on an SM. Every warp starts exactly once and in order. The resident blocks fit on the SM.
#include "exec/launch.h"
#include "tech/extra.h"

#include "base/bits.h"
#include "base/hash.h"
#include "exec/warp.h"

enum { PLACES = 64 };

struct piecemeal {
    struct sm_grid *grid;
    uint64_t *counts;
    uint32_t started[PLACES];            // warps, by block
    uint64_t start[PLACES];              // cycle, by block
    uint64_t running, resident, partial; // bits: blocks; places; blocks with warps still to start
    const char *broken;
};

enum { COUNT_warps, COUNT_late };

static void *sm_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct piecemeal *p = heap_alloc(sizeof *p);
    (void)launch;
    *p = (struct piecemeal){.grid = grid, .counts = counts};
    return p;
}

static void expect(struct piecemeal *p, bool good, const char *what)
{
    if (!good && !p->broken) p->broken = what;
}

static void block_start(void *state, unsigned block)
{
    struct piecemeal *p = state;
    p->started[block] = 0;
    p->start[block] = tech_now(p->grid);
    p->running |= 1ull << block;
    p->partial |= 1ull << block;
}

static void check_room(struct piecemeal *p)
{
    const struct sm_launch *l = tech_launch(p->grid);
    const struct gpu_config *c = &l->kind->config;
    uint32_t lanes = l->launch->warp_size > 32 ? 64 : 32, warps = bit_count(p->resident);
    expect(p, warps <= c->max_warps, "more warps than slots");
    uint32_t given = l->launch->registers ? l->launch->registers : l->registers_per_warp;
    expect(p, warps * given * lanes <= c->registers, "more registers than there are");
    expect(p, bit_count(p->running) * l->launch->shared_total <= c->shared_bytes, "more shared memory");
}

static void warp_start(void *state, unsigned place)
{
    struct piecemeal *p = state;
    unsigned block = tech_block_of(p->grid, place);
    expect(p, tech_places(p->grid, block) >> place & 1, "a warp is not among those of its block");
    expect(p, tech_warp(p->grid, place)->index == p->started[block]++, "a warp does not start in its turn");
    p->counts[COUNT_warps]++;
    p->counts[COUNT_late] += p->start[block] != tech_now(p->grid);
    p->resident |= 1ull << place;
    if (p->started[block] == tech_launch(p->grid)->warps_per_block) p->partial &= ~(1ull << block);
    check_room(p);
}

// Checked at issue, since blocks of the same cycle start one after the other.
static void issued(void *state, unsigned place, uint32_t index)
{
    struct piecemeal *p = state;
    (void)place, (void)index;
    expect(p, !(p->partial & (p->partial - 1)), "two blocks have warps that have not started");
}

static void warp_end(void *state, unsigned place)
{
    ((struct piecemeal *)state)->resident &= ~(1ull << place);
}

static void block_end(void *state, unsigned block)
{
    struct piecemeal *p = state;
    p->running &= ~(1ull << block);
    p->partial &= ~(1ull << block); // a block killed before every warp has started
}

static const char *check(const void *state) { return ((const struct piecemeal *)state)->broken; }

static uint32_t admit_all(const void *launch, const struct tech_room *r)
{
    (void)launch;
    return r->room;
}

// Simulates a policy of its own: starts every warp with room, some of them, or no warp.
static uint32_t admit_some(const void *launch, const struct tech_room *r)
{
    (void)launch;
    uint64_t draw = hash_u64((uint64_t)r->resident << 32 ^ (uint64_t)r->to_come << 16 ^ r->room ^ r->sm << 8);
    return (uint32_t)(draw % (r->room + 1));
}

static const struct tech_counter counters[] = {{"warps", "warps", "started"},
                                               {"late", "warps", "later than the first of their block"}};

static const struct tech_blocks blocks = {.block_start = block_start, .block_end = block_end};

#define PIECEMEAL                                                                                            \
    .claims = CLAIMS(DISPATCH), .skipped = -1, .reused = -1, .counters = counters, .counter_count = 2,       \
    .launch_begin = extra_launch, .launch_end = free, .sm_begin = sm_begin, .sm_end = free,                  \
    .blocks = &blocks, .warp_start = warp_start, .issued = issued, .warp_end = warp_end, .check = check

const struct tech tech_piecemeal = {
    .name = "piecemeal",
    .meaning = "warps start as they find room",
    PIECEMEAL,
    .dispatch = &(const struct tech_dispatch){.admit = admit_all},
};
const struct tech tech_grudging = {
    .name = "grudging",
    .meaning = "the same, but not always",
    PIECEMEAL,
    .dispatch = &(const struct tech_dispatch){.admit = admit_some},
};
