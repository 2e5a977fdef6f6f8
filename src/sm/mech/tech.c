// The functions by which mechanisms see and change an SM (tech.h). An SM's calls of hooks are in mech.c.
#include "exec/timed.h"
#include "sm/mech/mech_impl.h"

#include <assert.h>

static struct sm_tech *of(struct sm_grid *g, const struct tech *t)
{
    struct sm_tech *k = g->techs;
    for (; k->tech != t; k++) assert(k + 1 < g->techs + g->tech_count);
    return k;
}

// -- what a mechanism sees ----------------------------------------------------------------------------------

// Whether the place's warp has started and not ended. Under dispatch by block, an ended warp keeps its slot
// until its block ends.
static bool is_resident(const struct sm_grid *g, unsigned place)
{
    unsigned slot = slot_at(g, place);
    return slot != NO_WARP && g->sm->room.resident >> slot & 1;
}

const struct sm_launch *tech_launch(const struct sm_grid *g) { return g->launch; }
unsigned tech_index(const struct sm_grid *g) { return g->sm->index; }
unsigned tech_block_of(const struct sm_grid *g, unsigned place) { return g->room.block_of[place]; }
uint64_t tech_places(const struct sm_grid *g, unsigned block) { return g->room.blocks[block].places; }
uint32_t tech_fetch_pc(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.pc;
}
bool tech_is_fetching(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.fetching != 0;
}
const uint16_t *tech_map(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].operands.map;
}
void tech_remap(struct sm_grid *g, unsigned place, unsigned r, uint16_t physical)
{
    operand_remap(warp_at(g, place), r, physical);
}

uint16_t tech_own(const struct sm_grid *g, unsigned place, unsigned r)
{
    return (uint16_t)(operand_own(g, place) + r);
}

// In the order of physical registers, renamed registers follow the registers of all warps, block after block.
uint16_t tech_pool(struct sm_grid *g, const struct tech *me, unsigned block)
{
    const struct sm_launch *l = g->launch;
    uint32_t own = operand_own(g, l->places);
    return (uint16_t)(own + block * l->pool + of(g, me)->pool.first);
}

uint32_t tech_pool_size(struct sm_grid *g, const struct tech *me) { return of(g, me)->pool.count; }

uint32_t *tech_lanes(struct sm_grid *g, unsigned place, unsigned r)
{
    return tech_lanes_of(warp_at(g, place)->warp, r);
}

uint32_t *tech_lanes_of(struct warp *w, unsigned r) { return reg_lanes(w->regs, r * w->exec->vector_bytes); }

uint64_t tech_issuing(const struct sm_grid *g) { return g->sm->issue.lanes; }
const struct exec_access *tech_access(const struct sm_grid *g) { return &g->engine->access; }

void tech_free_banks(struct sm_grid *g, const struct tech *me)
{
    for (unsigned block = 0; block < g->launch->blocks_per_sm; block++)
        operand_free_banks(g->sm, tech_pool(g, me, block), tech_pool_size(g, me));
}

// -- what a mechanism does ----------------------------------------------------------------------------------

// Tells the other mechanisms that the warp has advanced.
static __attribute__((noinline)) void tell_advanced(struct sm_grid *g, const struct tech *me, unsigned place)
{
    EACH(g, k) if (k->tech != me && k->hooks.advanced) k->hooks.advanced(k->state, place);
}

static void hold(struct sm_grid *g, struct sm_tech *me, unsigned place, unsigned what)
{
    unsigned held = 0, slot = slot_at(g, place);
    me->held[place] = (uint8_t)what;
    EACH(g, k) held |= k->held[place];
    front_hold(g->sm, slot, held & HOLD_FETCH);
    ready_hold(g->sm, slot, held & HOLD_ISSUE);
}

void tech_hold(struct sm_grid *g, const struct tech *me, unsigned place, unsigned what)
{
    assert(!what || me->claims & CLAIMS(HOLDS));
    if (!is_resident(g, place)) return; // ended: a release of the hold could hit the slot's next warp
    hold(g, of(g, me), place, what);
    if (place == g->looked_at) return;
    front_update(g->sm, slot_at(g, place));
    ready_evaluate(g->sm, slot_at(g, place));
}

void tech_look(struct sm_grid *g, unsigned place)
{
    if (place == g->looked_at || !is_resident(g, place)) return;
    front_update(g->sm, slot_at(g, place));
    ready_evaluate(g->sm, slot_at(g, place));
}

void mech_warp_end(struct sm_grid *g, unsigned slot)
{
    unsigned place = g->sm->warps[slot].place;
    ASK(g, warp_end, place);
    if (g->guest && !g->room.resident_count) guest_stop(g);
    EACH(g, k) hold(g, k, place, 0);
}

void tech_to_port(struct sm_grid *g, const struct tech *me, unsigned place, bool to_port)
{
    (void)me;
    assert(me->claims & CLAIMS(ISSUE_PORT));
    if (is_resident(g, place)) issue_to_port(g->sm, slot_at(g, place), to_port);
}

void tech_skip_fetch(struct sm_grid *g, unsigned place)
{
    stall_doubts(g->sm);
    front_skip(g->sm, slot_at(g, place));
}

// A mechanism takes an instruction out of the I-buffer, or off its way there.
static void tell_dropped(struct sm *s, unsigned slot, uint32_t index)
{
    if (!s->has_watchers) return;
    stall_doubts(s);
    if (s->watch) watch_dropped(s, slot, index);
}

// The warp is past an instruction without issue.
static void tell_skipped(struct sm *s, unsigned slot, uint32_t index)
{
    if (!s->has_watchers) return;
    stall_skipped(s, slot, index);
    if (s->watch) watch_skipped(s, slot, index);
}

void tech_drop(struct sm_grid *g, unsigned place, uint32_t index)
{
    tell_dropped(g->sm, slot_at(g, place), index);
    front_drop(g->sm, slot_at(g, place));
}

unsigned tech_buffered(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.count;
}

void tech_drop_fetching(struct sm_grid *g, unsigned place, uint32_t index)
{
    tell_dropped(g->sm, slot_at(g, place), index);
    front_drop_fetching(g->sm, slot_at(g, place));
}

void tech_advance(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t pc)
{
    assert(me->claims & CLAIMS(FETCH));
    if (g->tech_count > 1) mech_tell_others(g, of(g, me), place, pc - 1, SAVED_FETCH);
    unsigned slot = slot_at(g, place);
    tell_skipped(g->sm, slot, pc - 1);
    struct sm_warp *w = &g->sm->warps[slot];
    const struct op *skipped = &g->ops[pc - 1];
    account_saved(&g->account, pc - 1, SAVED_FETCH);
    front_advance(g->sm, slot, pc);
    w->warp->pc = pc;
    if (w->warp->active != w->warp->full) { // lanes may reconverge
        timed_settle(w->warp);
        if (w->warp->pc != pc) ready_settle(g->sm, slot);
    }
    // The waits of the skipped instruction's control word carry over to the warp's next instruction.
    operand_skip(g->sm, slot, skipped);
    if (g->tech_count > 1) tell_advanced(g, me, place);
}

void tech_lend(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t index)
{
    EACH(g, k) if (k->tech != me && k->hooks.lends) k->hooks.lends(k->state, place, index);
}

uint64_t tech_copy(struct sm_grid *g, uint16_t from, uint16_t to) { return operand_move(g, from, to); }
void tech_write_back(struct sm_grid *g, unsigned place, unsigned r)
{
    operand_write_back(g->sm, warp_at(g, place), r);
}

bool tech_request(struct sm_grid *g, const struct tech *me, uint64_t line, uint8_t sectors, uint32_t token)
{
    assert(me->claims & CLAIMS(L1_LINES));
    return lsu_ask_early(g, (unsigned)(of(g, me) - g->techs), line, sectors, token);
}

bool tech_lock_line(struct sm_grid *g, const struct tech *me, uint64_t line)
{
    (void)me;
    assert(me->claims & CLAIMS(L1_LINES));
    return tags_lock(g, line);
}

bool tech_may_lock_line(const struct sm_grid *g, const struct tech *me, uint64_t line)
{
    (void)me;
    assert(me->claims & CLAIMS(L1_LINES));
    return tags_may_lock(g, line);
}

void tech_unlock_line(struct sm_grid *g, const struct tech *me, uint64_t line)
{
    (void)me;
    assert(me->claims & CLAIMS(L1_LINES));
    tags_unlock(g, line);
}

void tech_guest_start(struct sm_grid *g, const struct tech *me, uint32_t pc, unsigned scheduler,
                      enum guest_turn turn)
{
    assert(me->claims & CLAIMS(GUEST_STREAM));
    guest_start(g, of(g, me), pc, scheduler, turn);
}

void tech_guest_stop(struct sm_grid *g, const struct tech *me)
{
    (void)me;
    assert(me->claims & CLAIMS(GUEST_STREAM));
    guest_stop(g);
}

bool tech_guest_runs(const struct sm_grid *g) { return guest_runs(g->guest); }
uint16_t *tech_guest_map(struct sm_grid *g) { return g->guest->map; }

struct warp *tech_guest_values(struct sm_grid *g, uint64_t block, unsigned warp)
{
    return guest_values(g, block, warp);
}

bool tech_guest_compute(struct sm_grid *g, struct warp *values, uint32_t index)
{
    return guest_compute(g, values, index);
}

void tech_refetch(struct sm_grid *g, unsigned place)
{
    unsigned slot = slot_at(g, place);
    stall_doubts(g->sm);
    front_flush(g->sm, slot, g->sm->warps[slot].warp->pc);
    front_update(g->sm, slot);
    if (place != g->looked_at) ready_evaluate(g->sm, slot);
}

void tech_at(struct sm_grid *g, unsigned block, uint64_t cycle)
{
    struct sm *s = g->sm;
    if (cycle <= s->now) cycle = s->now + 1;
    ring_add(&g->events, s->now, cycle, block);
    if (cycle < s->event_at) s->event_at = cycle;
}

bool tech_recompute(struct sm_grid *g, unsigned place, uint32_t pc)
{
    struct warp *w = warp_at(g, place)->warp;
    uint32_t at = w->pc;
    uint64_t issued = w->issued;
    struct exec_counts counts = w->counts;
    w->pc = pc;
    enum timed_outcome o = timed_recompute(g->engine, w, g->sm->now);
    w->pc = at;
    w->issued = issued;
    w->counts = counts;
    g->sm->faulted |= o == TIMED_FAULT;
    return o == TIMED_DONE;
}

void tech_evaluate(struct sm_grid *g, unsigned place, uint32_t pc, uint64_t lanes)
{
    tech_evaluate_of(warp_at(g, place)->warp, pc, lanes);
}

void tech_evaluate_of(struct warp *w, uint32_t pc, uint64_t lanes)
{
    bool is_full = lanes == w->full;
    const struct bound *d = (is_full ? w->exec->full : w->exec->masked) + pc;
    (is_full ? d->handlers->full : d->handlers->masked)(d, w, w->regs, lanes);
}
