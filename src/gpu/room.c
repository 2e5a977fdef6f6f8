// Grids, blocks and warps come and go.
#include "gpu/sm_impl.h"

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
    memset(g->room.slots, NO_WARP, sizeof g->room.slots);
    operand_begin(g);
    tags_begin(g);
    account_begin(g);
    tech_none(g);
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
    while (r->grids[k] != g) k++;
    memmove(r->grids + k, r->grids + k + 1, (--r->grid_count - k) * sizeof *r->grids);
    tech_end(g);
    account_end(g);
    tags_end(g);
    operand_end(g);
    for (k = 0; k < SM_BLOCKS; k++)
        if (g->room.blocks[k].cta) timed_block_destroy(g->room.blocks[k].cta);
    for (k = 0; k < SM_WARPS; k++)
        if (g->sm->warps[k].grid == g) g->sm->warps[k].grid = NULL;
    sm_note_guests(g->sm);
    free(g);
}

void room_fini(struct sm *s)
{
    while (s->room.grid_count) sm_dismiss(s->room.grids[s->room.grid_count - 1]);
    vec_fini(&s->room.placed);
    vec_fini(&s->room.ends);
}

// -- ends ---------------------------------------------------------------------------------------------------

static void block_ended(struct sm_grid *g, struct sm_block *b, uint64_t cycle)
{
    struct sm *s = g->sm;
    stall_speaks_against(s);
    if (has_techs(s)) tech_block_end(g, (unsigned)(b - g->room.blocks));
    timed_block_end(g->engine, b->cta);
    b->running = false;
    b->free_at = cycle;
    g->room.running--;
    s->room.taken &= ~b->slots;
    for (uint64_t left = b->slots; left; left &= left - 1) {
        struct sm_warp *w = &s->warps[bit_lowest(left)];
        g->room.slots[w->place] = NO_WARP;
        w->warp = NULL;
        s->room.free_at[bit_lowest(left)] = cycle;
    }
    vec_push(&s->room.ends, (struct sm_block_end){cycle, s->index, g->launch->grid});
}

// Nobody fetches or issues for it any more; its registers may still be written.
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
    if (has_techs(s)) tech_warp_end(g, slot);
}

void room_warp_ended(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_block *b = &w->grid->room.blocks[w->block];
    if (s->room.resident >> slot & 1) leave(s, slot);
    if (w->lsu.loads) return; // their registers are still to be written
    b->warps &= ~(1ull << slot);
    uint64_t end = s->now + 1;
    for (uint64_t left = b->slots; left; left &= left - 1)
        end = later(end, s->warps[bit_lowest(left)].operands.busy_until);
    if (!b->warps) block_ended(w->grid, b, end);
}

size_t sm_ended(struct sm *s, struct sm_block_end **ends)
{
    size_t n = s->room.ends.count;
    *ends = s->room.ends.data;
    s->room.ends.count = 0;
    return n;
}

// -- beginnings ---------------------------------------------------------------------------------------------

static void warp_start(struct sm_grid *g, unsigned slot, unsigned block, unsigned k, struct warp *warp)
{
    struct sm *s = g->sm;
    unsigned place = block * g->launch->warps_per_block + k;
    s->warps[slot] = (struct sm_warp){.warp = warp,
                                      .grid = g,
                                      .age = s->room.warps_so_far++,
                                      .block = (uint8_t)block,
                                      .place = (uint8_t)place};
    operand_start(s, slot);
    s->room.resident |= 1ull << slot;
    s->room.resident_count++;
    g->room.resident_count++;
    issue_join(s, slot);
    front_update(s, slot);
    ready_start(s, slot);
    if (has_techs(s)) tech_warp_start(&s->warps[slot]);
}

// Slots for a block in this cycle: the lowest. 0: there are not enough.
static uint64_t free_slots(const struct sm *s, unsigned count)
{
    uint64_t slots = 0;
    for (uint64_t left = ~s->room.taken & bit_mask(s->config->max_warps); left && count; left &= left - 1) {
        if (s->room.free_at[bit_lowest(left)] > s->now) continue;
        slots |= left & -left;
        count--;
    }
    return count ? 0 : slots;
}

// False: what it takes the place of is not all over yet.
static bool block_start(struct sm_grid *g, uint64_t linear)
{
    struct sm *s = g->sm;
    unsigned n = 0, k = 0;
    while (n < SM_BLOCKS && (g->room.blocks[n].running || g->room.blocks[n].free_at > s->now)) n++;
    uint64_t slots = free_slots(s, g->launch->warps_per_block);
    if (n >= g->launch->blocks_per_sm || !slots) return false;
    struct sm_block *b = &g->room.blocks[n];
    stall_speaks_against(s);
    if (!b->cta) b->cta = timed_block_create(g->engine);
    timed_block_start(g->engine, b->cta, linear);
    b->running = true;
    b->warps = b->slots = slots;
    g->room.running++;
    s->room.taken |= slots;
    for (uint64_t left = slots; left; left &= left - 1, k++) {
        unsigned place = n * g->launch->warps_per_block + k;
        g->room.slots[place] = (uint8_t)bit_lowest(left);
        g->room.is_apart |= place != bit_lowest(left);
    }
    if (g->launch->tech_count) tech_block_start(g, n);
    k = 0;
    for (uint64_t left = slots; left; left &= left - 1, k++)
        warp_start(g, bit_lowest(left), n, k, &b->cta->warps[k]);
    return true;
}

void sm_place(struct sm_grid *g, uint64_t block, uint64_t cycle)
{
    struct room *r = &g->sm->room;
    vec_push(&r->placed, (struct placed_block){block, cycle, g});
    for (size_t k = r->placed.count - 1; k && r->placed.data[k - 1].cycle > cycle; k--) {
        r->placed.data[k] = r->placed.data[k - 1];
        r->placed.data[k - 1] = (struct placed_block){block, cycle, g};
    }
}

void room_start_placed(struct sm *s)
{
    for (size_t k = 0; k < s->room.placed.count && s->room.placed.data[k].cycle <= s->now;) {
        struct placed_block p = s->room.placed.data[k];
        if (!block_start(p.grid, p.block)) {
            s->room.placed.data[k++].cycle = s->now + 1;
            continue;
        }
        memmove(s->room.placed.data + k, s->room.placed.data + k + 1,
                (--s->room.placed.count - k) * sizeof *s->room.placed.data);
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

// -- questions ----------------------------------------------------------------------------------------------

bool sm_has_grids(const struct sm *s) { return s->room.grid_count; }
bool sm_is_shared(const struct sm *s) { return s->room.grid_count > 1; }
bool sm_is_crowded(const struct sm *s) { return s->room.grid_count == SM_GRIDS; }

struct cta *sm_stuck_block(const struct sm_grid *g)
{
    for (unsigned k = 0; g->room.running && k < g->launch->blocks_per_sm; k++)
        if (g->room.blocks[k].running) return g->room.blocks[k].cta;
    return NULL;
}

void sm_collect(struct sm_grid *g)
{
    for (unsigned k = 0; k < SM_BLOCKS; k++)
        if (g->room.blocks[k].running) exec_cta_collect(g->room.blocks[k].cta);
}
