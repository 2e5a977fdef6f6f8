// Mechanisms that ask for lines of L1 before a warp does: a stream prefetcher, the same prefetcher under a
// duel, and a mechanism that locks lines.
#include "base/bits.h"
#include "base/hash.h"
#include "memory/cache.h"
#include "memory/config.h"
#include "sm/mech/duel.h"
#include "tech/extra.h"

#include <stdlib.h>

static uint32_t line_bytes(struct sm_grid *grid) { return tech_launch(grid)->memory->line_bytes; }
static uint8_t all_sectors(struct sm_grid *grid)
{
    return (uint8_t)bit_mask(line_bytes(grid) / SECTOR_BYTES);
}

// True if the load went to L1.
static bool is_cached_load(const struct tech_line *l)
{
    return l->kind == LSU_LOAD &&
           (l->outcome == LINE_HIT || l->outcome == LINE_MISS || l->outcome == LINE_JOINED);
}

// -- prefetch -----------------------------------------------------------------------------------------------
//
//     a warp's load: line A, A + s, A + 2 s  ─▶  A + 3 s is asked for     a table a warp, a row an instruction
//
// `dueling` prefetches on SM 0 of a class, not on SM 1; the other SMs follow
// whichever of both executes more threads.

enum { WARPS = 64, ROWS = 8 };

struct stream {
    uint32_t index; // of the instruction
    uint64_t last;  // line
    int64_t stride; // from the previous line to `last`, in lines
};

struct prefetch_launch {
    const struct tech *me;
    struct duel duel; // of dueling
};

struct prefetch {
    struct sm_grid *grid;
    const struct prefetch_launch *launch;
    uint64_t *counts;
    struct stream streams[WARPS][ROWS];
};

enum { ASKED, REFUSED, CAME, FOLLOWED };

static void *prefetch_launch_begin(const struct tech_use *u, const struct sm_launch *l)
{
    const struct duel_config config = {.epoch = 500, .hold = 2, .leaders = 1, .first = l->kind->first};
    struct prefetch_launch *p = heap_alloc(sizeof *p);
    p->me = u->tech;
    duel_init(&p->duel, &config, 0);
    return p;
}

static void dueling_window(void *launch, const struct tech_view *v)
{
    struct prefetch_launch *p = launch;
    duel_watch(&p->duel, v);
}

static void *prefetch_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct prefetch *p = heap_alloc(sizeof *p);
    *p = (struct prefetch){.grid = grid, .launch = launch, .counts = counts};
    return p;
}

static void prefetch_warp_start(void *state, unsigned place)
{
    struct prefetch *p = state;
    for (unsigned k = 0; k < ROWS; k++) p->streams[place][k] = (struct stream){.index = UINT32_MAX};
}

static bool is_on(const struct prefetch *p)
{
    return p->launch->me == &tech_prefetch || duel_is_on(&p->launch->duel, tech_index(p->grid));
}

static void prefetch_access(void *state, const struct tech_line *l)
{
    struct prefetch *p = state;
    struct stream *s = &p->streams[l->place][l->index % ROWS];
    if (!is_cached_load(l)) return;
    if (s->index != l->index) {
        *s = (struct stream){l->index, l->line, 0};
        return;
    }
    int64_t stride = (int64_t)(l->line - s->last);
    bool again = stride && stride == s->stride;
    *s = (struct stream){l->index, l->line, stride};
    if (!again || !is_on(p)) return;
    p->counts[FOLLOWED] += duel_role(&p->launch->duel, tech_index(p->grid)) == DUEL_FOLLOWS;
    bool accepted =
        tech_request(p->grid, p->launch->me, l->line + (uint64_t)stride, all_sectors(p->grid), l->index);
    p->counts[accepted ? ASKED : REFUSED]++;
}

static void prefetch_line(void *state, uint64_t line, uint32_t token)
{
    struct prefetch *p = state;
    (void)line, (void)token;
    p->counts[CAME]++;
}

static const char *prefetch_check(const void *state)
{
    const struct prefetch *p = state;
    return p->counts[ASKED] == p->counts[CAME] ? NULL : "prefetch: a line has not come";
}

static const struct tech_counter prefetch_counters[] = {
    [ASKED] = {"asked", "lines", "asked for"},
    [REFUSED] = {"refused", "lines", "for want of a place"},
    [CAME] = {"came", "lines", "that are there"},
    [FOLLOWED] = {"followed", "lines", "wanted on SMs from the third on"}};

static const struct tech_lines prefetch_lines = {.access = prefetch_access, .line = prefetch_line};

#define PREFETCH(its_name, its_meaning, its_dispatch)                                                        \
    {                                                                                                        \
        .name = its_name, .meaning = its_meaning, .claims = CLAIMS(L1_LINES), .skipped = -1, .reused = -1,   \
        .counters = prefetch_counters, .counter_count = 4, .launch_begin = prefetch_launch_begin,            \
        .launch_end = free, .sm_begin = prefetch_begin, .sm_end = free, .warp_start = prefetch_warp_start,   \
        .lines = &prefetch_lines, .dispatch = its_dispatch, .check = prefetch_check                          \
    }
const struct tech tech_prefetch = PREFETCH("prefetch", "the next line of a warp's stream comes to L1", NULL),
                  tech_dueling = PREFETCH("dueling", "the same where it pays",
                                          &(const struct tech_dispatch){.window = dueling_window});

// -- keeper -------------------------------------------------------------------------------------------------
//
// Asks for lines met by warps, or their neighbours, and locks arriving lines for a
// while: at most as long as some block runs.

enum { KEPT_MAX = 48 };
enum { LOCKS, UNABLE, UNSAID };

struct keeper {
    struct sm_grid *grid;
    uint64_t *counts, drawn, running; // running: bits by block
    unsigned count;
    struct kept {
        uint64_t line, until;
    } kept[KEPT_MAX];
};

static void *keeper_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct keeper *k = heap_alloc(sizeof *k);
    (void)launch;
    *k = (struct keeper){.grid = grid, .counts = counts};
    return k;
}

static void give_up(struct keeper *k, uint64_t until)
{
    unsigned left = 0;
    for (unsigned n = 0; n < k->count; n++)
        if (k->kept[n].until <= until)
            tech_unlock_line(k->grid, &tech_keeper, k->kept[n].line);
        else
            k->kept[left++] = k->kept[n];
    k->count = left;
}

static void keeper_block_start(void *state, unsigned block)
{
    ((struct keeper *)state)->running |= 1ull << block;
}

static void keeper_block_end(void *state, unsigned block)
{
    struct keeper *k = state;
    k->running &= ~(1ull << block);
    if (!k->running) give_up(k, UINT64_MAX);
}

static void keeper_access(void *state, const struct tech_line *l)
{
    struct keeper *k = state;
    uint64_t draw = hash_u64(++k->drawn ^ l->line);
    if (!is_cached_load(l) || draw % 3) return;
    tech_request(k->grid, &tech_keeper, l->line + draw / 4 % 3 * line_bytes(k->grid), all_sectors(k->grid),
                 0);
}

static void keeper_line(void *state, uint64_t line, uint32_t token)
{
    struct keeper *k = state;
    (void)token;
    if (!k->running || k->count == KEPT_MAX) return;
    bool may = tech_may_lock_line(k->grid, &tech_keeper, line);
    bool locked = tech_lock_line(k->grid, &tech_keeper, line);
    k->counts[locked ? LOCKS : UNABLE]++;
    k->counts[UNSAID] += may != locked;
    if (!locked) return;
    uint64_t until = tech_now(k->grid) + 1 + hash_u64(++k->drawn) % 500;
    k->kept[k->count++] = (struct kept){line, until};
    tech_at(k->grid, bit_lowest(k->running), until);
}

static void keeper_event(void *state, unsigned block)
{
    struct keeper *k = state;
    (void)block;
    give_up(k, tech_now(k->grid));
}

static const struct tech_counter keeper_counters[] = {
    [LOCKS] = {"locks", "locks", "of lines"},
    [UNABLE] = {"unable", "locks", "that were refused"},
    [UNSAID] = {"unsaid", "locks", "of which tech_may_lock_line had said otherwise"}};

static const char *keeper_check(const void *state)
{
    return ((const struct keeper *)state)->counts[UNSAID] ? "keeper: what may be locked is not what is"
                                                          : NULL;
}

const struct tech tech_keeper = {
    .name = "keeper",
    .meaning = "lines are locked in L1 now and then",
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .counters = keeper_counters,
    .counter_count = 3,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = keeper_begin,
    .sm_end = free,
    .check = keeper_check,
    .blocks = &(const struct tech_blocks){.block_start = keeper_block_start,
                                          .block_end = keeper_block_end,
                                          .event = keeper_event},
    .lines = &(const struct tech_lines){.access = keeper_access, .line = keeper_line},
};

// -- four together ------------------------------------------------------------------------------------------
//
//     A miss brings the three other lines of its aligned four.

struct four {
    struct sm_grid *grid;
    uint64_t *counts;
};
enum { BROUGHT };

static void *four_begin(void *launch, struct sm_grid *grid, uint64_t *counts)
{
    struct four *f = heap_alloc(sizeof *f);
    (void)launch;
    *f = (struct four){grid, counts};
    return f;
}

static void four_neighbours(void *state, const struct tech_line *l, struct tech_neighbours *n)
{
    const struct four *f = state;
    if (l->outcome != LINE_MISS) return;
    for (uint64_t k = 1; k < 4; k++) n->lines[n->count++] = l->line ^ k * line_bytes(f->grid);
}

static void four_line(void *state, uint64_t line, uint32_t token)
{
    (void)line;
    ((struct four *)state)->counts[BROUGHT] += token == TECH_NEIGHBOUR;
}

static const struct tech_counter four_counters[] = {
    [BROUGHT] = {"brought", "lines", "that came with another"}};

const struct tech tech_four = {
    .name = "four",
    .meaning = "lines come to L1 by fours",
    .claims = CLAIMS(L1_LINES),
    .skipped = -1,
    .reused = -1,
    .counters = four_counters,
    .counter_count = 1,
    .launch_begin = extra_launch,
    .launch_end = free,
    .sm_begin = four_begin,
    .sm_end = free,
    .lines = &(const struct tech_lines){.neighbours = four_neighbours, .line = four_line},
};
