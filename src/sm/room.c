// Arrival and departure of grids, blocks and warps.
#include "exec/timed.h"
#include "sm/bulk.h"
#include "sm/net.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

// -- grids --------------------------------------------------------------------------------------------------

struct sm_grid *sm_admit(struct sm *s, const struct sm_launch *l, struct timed_engine *engine)
{
    struct sm_grid *g = heap_alloc(sizeof *g);
    g->sm = s;
    g->launch = l;
    g->ops = l->decoded.ops;
    g->engine = engine;
    engine->exec.woken = ready_woken;
    engine->exec.woken_context = g;
    engine->exec.copies = bulk_issued;
    engine->exec.sends = net_send;
    engine->exec.orders = net_order;
    engine->exec.polls = l->tech_count != 0;
    memset(g->room.slots, NO_WARP, sizeof g->room.slots);
    g->sight = (struct tech_sight){.now = &s->now,
                                   .ready = &s->operands.ready,
                                   .slots = g->room.slots,
                                   .warps = (const char *)s->warps,
                                   .warp_bytes = sizeof *s->warps};
    operand_begin(g);
    lsu_begin(g);
    tags_begin(g);
    account_begin(g);
    mech_none(g);
    s->room.grids[s->room.grid_count++] = g;
    for (unsigned k = 0; k < s->room.grid_count; k++)
        s->room.grids[k]->room.had_company |= s->room.grid_count > 1;
    return g;
}

static void forget_ends(struct room *r, const struct grid *g)
{
    size_t kept = 0;
    for (size_t k = 0; k < r->ends.count; k++)
        if (r->ends.data[k].grid != g) r->ends.data[kept++] = r->ends.data[k];
    r->ends.count = kept;
}

void sm_dismiss(struct sm_grid *g)
{
    struct room *r = &g->sm->room;
    unsigned k = 0;
    forget_ends(r, g->launch->grid);
    net_forget(g);
    while (r->grids[k] != g) k++;
    memmove(r->grids + k, r->grids + k + 1, (--r->grid_count - k) * sizeof *r->grids);
    mech_end(g);
    account_end(g);
    tags_end(g);
    front_end(g);
    operand_end(g);
    for (k = 0; k < SM_BLOCKS; k++)
        if (g->room.blocks[k].cta) timed_block_destroy(g->room.blocks[k].cta);
    for (k = 0; k < SM_WARPS; k++)
        if (g->sm->warps[k].grid == g) g->sm->warps[k].grid = NULL;
    sm_note_onlookers(g->sm);
    free(g);
}

void room_fini(struct sm *s)
{
    while (s->room.grid_count) sm_dismiss(s->room.grids[s->room.grid_count - 1]);
    vec_fini(&s->room.placed);
    vec_fini(&s->room.ends);
}

// With sim.check, after every change.
static void look_over(struct sm *s)
{
    if (s->config->check && !s->room.broken) s->room.broken = room_check(s);
}

// -- ends ---------------------------------------------------------------------------------------------------

// Frees the given slots of a block, and the places of the warps in the slots; other warps may start there
// from `cycle` on.
static void give_back(struct sm_grid *g, struct sm_block *b, uint64_t slots, uint64_t cycle)
{
    struct sm *s = g->sm;
    s->room.taken &= ~slots;
    b->slots &= ~slots;
    for (uint64_t left = slots; left; left &= left - 1) {
        unsigned slot = bit_lowest(left), place = s->warps[slot].place;
        s->warps[slot].warp = NULL;
        s->room.free_at[slot] = g->room.free_at[place] = cycle;
        g->room.slots[place] = NO_WARP;
        g->room.taken &= ~(1ull << place);
        b->places &= ~(1ull << place);
    }
}

static void block_ended(struct sm_grid *g, struct sm_block *b)
{
    struct sm *s = g->sm;
    stall_speaks_against(s);
    if (has_techs(s)) mech_block_end(g, (unsigned)(b - g->room.blocks));
    account_block_ended(g, b->cta);
    timed_block_end(g->engine, b->cta);
    b->running = false;
    g->room.running--;
    s->room.numbers &= ~(1ull << b->number);
    struct sm_end end = {b->free_at, s->index, g->launch->grid, bit_count(b->slots), true};
    give_back(g, b, b->slots, end.cycle);
    vec_push(&s->room.ends, end);
}

// Ends fetch and issue for an exited warp. Its registers may still be written.
static void leave(struct sm *s, unsigned slot)
{
    struct sm_grid *g = s->warps[slot].grid;
    stall_speaks_against(s);
    front_flush(s, slot, s->warps[slot].front.head);
    s->room.resident &= ~(1ull << slot);
    s->room.resident_count--;
    g->room.resident_count--;
    ready_forget(s, slot);
    front_forget(s, slot);
    issue_leave(s, slot);
    if (s->lsu.asked >> slot & 1) lsu_leave_line(s, slot);
    if (has_techs(s)) mech_warp_end(g, slot);
}

void room_warp_ended(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_block *b = &w->grid->room.blocks[w->block];
    if (s->room.resident >> slot & 1) leave(s, slot);
    // replies will still write the warp's registers, and the block's shared memory
    if (w->lsu.loads || s->lsu.copies_of[slot]) return;
    b->warps &= ~(1ull << slot);
    uint64_t end = later(s->now + 1, w->operands.busy_until);
    b->free_at = later(b->free_at, end);
    if (w->grid->launch->admit) {
        give_back(w->grid, b, 1ull << slot, end);
        vec_push(&s->room.ends, (struct sm_end){end, s->index, w->grid->launch->grid, 1, false});
    }
    if (!b->warps && !b->to_come) block_ended(w->grid, b);
    look_over(s);
}

size_t sm_ended(struct sm *s, struct sm_end **ends)
{
    size_t n = s->room.ends.count;
    *ends = s->room.ends.data;
    s->room.ends.count = 0;
    return n;
}

// -- beginnings ---------------------------------------------------------------------------------------------

static void warp_start(struct sm_grid *g, unsigned slot, unsigned block, unsigned place, struct warp *warp)
{
    struct sm *s = g->sm;
    s->warps[slot] = (struct sm_warp){.warp = warp,
                                      .grid = g,
                                      .age = s->room.warps_so_far++,
                                      .block = (uint8_t)block,
                                      .place = (uint8_t)place};
    operand_start(s, slot);
    warpgroup_begin(s, slot);
    s->room.resident |= 1ull << slot;
    s->room.resident_count++;
    g->room.resident_count++;
    issue_join(s, slot);
    front_start(s, slot);
    ready_start(s, slot);
    if (has_techs(s)) mech_warp_start(&s->warps[slot]);
}

// The lowest `count` bits of `among` whose slots or places are free in the current cycle; 0: too few are
// free.
static uint64_t lowest_free(const struct sm *s, uint64_t among, const uint64_t *free_at, unsigned count)
{
    uint64_t bits = 0;
    for (uint64_t left = among; left && count; left &= left - 1) {
        if (free_at[bit_lowest(left)] > s->now) continue;
        bits |= left & -left;
        count--;
    }
    return count ? 0 : bits;
}

// The entry for a block: under dispatch by warp, the block's own entry if the block is running; else a free
// entry. NULL: no entry is free yet.
static struct sm_block *find_block(struct sm_grid *g, uint64_t linear)
{
    struct sm_block *first = g->room.blocks, *end = first + g->launch->blocks_per_sm, *b = first;
    if (g->launch->admit)
        for (; b < end; b++)
            if (b->running && b->cta->linear == linear) return b;
    for (b = first; b < end && (b->running || b->free_at > g->sm->now);) b++;
    return b < end ? b : NULL;
}

static uint64_t find_places(const struct sm_grid *g, const struct sm_block *b, unsigned count)
{
    uint64_t all = bit_mask(g->launch->places);
    if (!g->launch->admit) return bit_mask(count) << (unsigned)(b - g->room.blocks) * count;
    return lowest_free(g->sm, ~g->room.taken & all, g->room.free_at, count);
}

static void block_start(struct sm_grid *g, struct sm_block *b, uint64_t linear, const uint8_t *sms)
{
    struct room *r = &g->sm->room;
    if (!b->cta) b->cta = timed_block_create(g->engine);
    timed_block_start(g->engine, b->cta, linear, sms);
    b->running = true;
    b->free_at = 0;
    b->to_come = g->launch->warps_per_block;
    b->number = (uint8_t)bit_lowest(~r->numbers);
    r->numbers |= 1ull << b->number;
    g->room.running++;
}

static void take(struct sm_grid *g, struct sm_block *b, uint64_t slots, uint64_t places)
{
    g->sm->room.taken |= slots;
    g->room.taken |= places;
    b->warps |= slots;
    b->slots |= slots;
    b->places |= places;
    for (; slots; slots &= slots - 1, places &= places - 1) {
        unsigned slot = bit_lowest(slots), place = bit_lowest(places);
        g->room.slots[place] = (uint8_t)slot;
        g->room.block_of[place] = (uint8_t)(b - g->room.blocks);
        g->room.is_apart |= place != slot;
    }
}

// Starts a block's next warps. False: too few slots, places or block entries are free.
static bool warps_start(const struct placed_warps *p)
{
    struct sm_grid *g = p->grid;
    struct sm *s = g->sm;
    uint64_t linear = p->block;
    unsigned count = p->count;
    struct sm_block *b = find_block(g, linear);
    uint64_t slots = lowest_free(s, ~s->room.taken & bit_mask(s->config->max_warps), s->room.free_at, count);
    uint64_t places = b ? find_places(g, b, count) : 0;
    if (!slots || !places) return false;
    bool is_new = !b->running;
    unsigned n = (unsigned)(b - g->room.blocks);
    stall_speaks_against(s);
    if (is_new) block_start(g, b, linear, p->sms);
    take(g, b, slots, places);
    if (is_new && g->launch->tech_count) mech_block_start(g, n);
    for (; slots; slots &= slots - 1, places &= places - 1) {
        unsigned k = g->launch->warps_per_block - b->to_come--;
        warp_start(g, bit_lowest(slots), n, bit_lowest(places), &b->cta->warps[k]);
    }
    return true;
}

void sm_place(struct sm_grid *g, uint64_t block, uint32_t warps, uint64_t cycle, const uint8_t *sms)
{
    struct room *r = &g->sm->room;
    for (size_t k = 0; g->launch->admit && k < r->placed.count; k++)
        if (r->placed.data[k].grid == g && r->placed.data[k].cycle > cycle) cycle = r->placed.data[k].cycle;
    struct placed_warps placed = {.block = block, .cycle = cycle, .grid = g, .count = warps};
    if (sms) memcpy(placed.sms, sms, launch_cluster_size(g->launch->launch));
    vec_push(&r->placed, placed);
    for (size_t k = r->placed.count - 1; k && r->placed.data[k - 1].cycle > cycle; k--) {
        r->placed.data[k] = r->placed.data[k - 1];
        r->placed.data[k - 1] = placed;
    }
}

// Whether entry `k` of `placed` must let an earlier entry of the same grid go first. Under dispatch by warp,
// a grid's warps start in the order of sm_place. The rest of a block comes before the next block, even if the
// room promised to the rest is free later.
static bool is_behind(const struct room *r, size_t k)
{
    const struct sm_grid *g = r->placed.data[k].grid;
    for (size_t before = 0; g->launch->admit && before < k; before++)
        if (r->placed.data[before].grid == g) return true;
    return false;
}

void room_start_placed(struct sm *s)
{
    for (size_t k = 0; k < s->room.placed.count && s->room.placed.data[k].cycle <= s->now;) {
        const struct placed_warps p = s->room.placed.data[k];
        if (is_behind(&s->room, k) || !warps_start(&p)) {
            s->room.placed.data[k++].cycle = s->now + 1;
            continue;
        }
        memmove(s->room.placed.data + k, s->room.placed.data + k + 1,
                (--s->room.placed.count - k) * sizeof *s->room.placed.data);
        look_over(s);
    }
}

// -- failures -----------------------------------------------------------------------------------------------

void sm_kill(struct sm_grid *g)
{
    struct sm *s = g->sm;
    size_t kept = 0;
    for (size_t k = 0; k < s->room.placed.count; k++)
        if (s->room.placed.data[k].grid != g) s->room.placed.data[kept++] = s->room.placed.data[k];
    s->room.placed.count = kept;
    for (struct sm_block *b = g->room.blocks; b < g->room.blocks + SM_BLOCKS; b++) {
        if (!b->running || !b->to_come) continue;
        b->to_come = 0;
        if (!b->warps) block_ended(g, b);
    }
    for (uint64_t left = s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        if (s->warps[slot].grid != g) continue;
        s->warps[slot].warp->state = WARP_DONE;
        room_warp_ended(s, slot);
    }
}

void room_kill_failed(struct sm *s)
{
    s->faulted = false;
    EACH_GRID(s, g)
    {
        if (g->engine->fault.kind != FAULT_NONE) sm_kill(g);
    }
}

// -- what-if runs -------------------------------------------------------------------------------------------

static void cut_block(struct sm_grid *g, unsigned n)
{
    struct sm *s = g->sm;
    const struct gpu_config *c = s->config;
    const struct cta *cta = g->room.blocks[n].cta;
    uint64_t issued = 0;
    for (uint32_t k = 0; k < cta->warp_count; k++) issued += cta->warps[k].issued;
    bool is_over = c->block_instructions && issued >= c->block_instructions;
    for (uint64_t left = g->room.blocks[n].warps & s->room.resident; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        struct warp *w = s->warps[slot].warp;
        bool is_long = c->warp_instructions && w->issued >= c->warp_instructions;
        if (!is_over && !is_long && (!c->block_warps || w->index < c->block_warps)) continue;
        timed_end_warp(w);
        ready_barriers(g, n);
        room_warp_ended(s, slot);
    }
}

void room_cut(struct sm *s)
{
    EACH_GRID(s, g)
    {
        for (unsigned n = 0; n < g->launch->blocks_per_sm; n++)
            if (g->room.blocks[n].running && !g->room.blocks[n].to_come) cut_block(g, n);
    }
}

// -- questions ----------------------------------------------------------------------------------------------

bool sm_has_grids(const struct sm *s) { return s->room.grid_count; }
bool sm_is_shared(const struct sm *s) { return s->room.grid_count > 1; }
bool sm_is_crowded(const struct sm *s) { return s->room.grid_count == SM_GRIDS; }

bool sm_has_blocks(const struct sm_grid *g) { return g->room.running; }

struct cta *sm_stuck_block(const struct sm_grid *g)
{
    for (unsigned k = 0; g->room.running && k < g->launch->blocks_per_sm; k++)
        if (g->room.blocks[k].running && !g->room.blocks[k].to_come) return g->room.blocks[k].cta;
    return NULL;
}

void sm_collect(struct sm_grid *g)
{
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (g->room.blocks[k].running) exec_cta_collect(g->room.blocks[k].cta);
}
