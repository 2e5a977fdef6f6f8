// Mechanisms on an SM, and what they see and do.
#include "gpu/sm_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EACH(s, k) for (struct sm_tech *k = (s)->techs; k < (s)->techs + (s)->tech_count; k++)

// -- several mechanisms as one: each hook calls those of all, in order; its state is the SM -----------------

#define CALL_ALL(name, ...)                                                                                  \
    struct sm *s = sm;                                                                                       \
    EACH(s, k) if (k->tech->name) k->tech->name(k->state, __VA_ARGS__)

static void all_block_start(void *sm, unsigned block) { CALL_ALL(block_start, block); }
static void all_block_end(void *sm, unsigned block) { CALL_ALL(block_end, block); }

static uint64_t all_fetch(void *sm, uint64_t fetchable)
{
    struct sm *s = sm;
    EACH(s, k) if (k->tech->fetch) fetchable = k->tech->fetch(k->state, fetchable);
    return fetchable;
}

static uint32_t all_fetched(void *sm, unsigned slot, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct sm *s = sm;
    uint32_t span = *count;
    EACH(s, k) if (k->tech->fetched) span = k->tech->fetched(k->state, slot, pc, count, most);
    return span;
}

static void all_filled(void *sm, unsigned slot, uint32_t pc, unsigned count)
{
    CALL_ALL(filled, slot, pc, count);
}

static void all_flushed(void *sm, unsigned slot) { CALL_ALL(flushed, slot); }

static void all_reads(void *sm, unsigned slot, uint32_t index) { CALL_ALL(reads, slot, index); }

static void tell_others(struct sm *s, const struct sm_tech *saver, unsigned slot, uint32_t index,
                        enum tech_saving what)
{
    EACH(s, k) if (k != saver && k->tech->saved) k->tech->saved(k->state, slot, index, what);
}

static uint32_t all_reuse(void *sm, unsigned slot, uint32_t index)
{
    struct sm *s = sm;
    EACH(s, k)
    {
        uint32_t cycles = k->tech->reuse ? k->tech->reuse(k->state, slot, index) : 0;
        if (cycles) tell_others(s, k, slot, index, SAVED_EXECUTION);
        if (cycles) return cycles;
        if (k->tech->leads && k->tech->leads(k->state, slot, index)) break;
    }
    return 0;
}

static void all_cost(void *sm, unsigned slot, uint32_t index, struct op_cost *c)
{
    CALL_ALL(cost, slot, index, c);
}

static void all_executed(void *sm, unsigned slot, uint32_t index) { CALL_ALL(executed, slot, index); }

static void all_result(void *sm, unsigned slot, uint32_t index, uint64_t cycle)
{
    CALL_ALL(result, slot, index, cycle);
}

static void all_issued(void *sm, unsigned slot, uint32_t index) { CALL_ALL(issued, slot, index); }

static void all_replied(void *sm, unsigned slot, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    CALL_ALL(replied, slot, index, registers, cycle);
}

static void all_event(void *sm, unsigned block) { CALL_ALL(event, block); }
static void all_warp_end(void *sm, unsigned slot) { CALL_ALL(warp_end, slot); }

static const struct tech all = {.block_start = all_block_start,
                                .block_end = all_block_end,
                                .fetch = all_fetch,
                                .fetched = all_fetched,
                                .filled = all_filled,
                                .flushed = all_flushed,
                                .reads = all_reads,
                                .reuse = all_reuse,
                                .executed = all_executed,
                                .cost = all_cost,
                                .result = all_result,
                                .issued = all_issued,
                                .replied = all_replied,
                                .event = all_event,
                                .warp_end = all_warp_end};

// -- an SM --------------------------------------------------------------------------------------------------

static void begin(struct sm *s)
{
    const struct sm_launch *l = s->launch;
    operand_begin_techs(s);
    account_begin_techs(s);
    for (unsigned n = 0; n < l->tech_count; n++) {
        if (!l->tech_states[n]) continue;
        struct sm_tech *k = &s->techs[s->tech_count++];
        k->tech = l->techs[n]->tech;
        k->pool = l->pools[n];
        k->counters = heap_alloc(TECH_COUNTERS_MAX * sizeof *k->counters);
        k->state = k->tech->sm_begin(l->tech_states[n], s, k->counters);
    }
    bool one = s->tech_count == 1;
    s->hooks = one ? s->techs->tech : &all;
    s->hooked = one ? s->techs->state : s;
    sm_note_guests(s);
    s->looked_at = NO_WARP;
}

void tech_end(struct sm *s)
{
    EACH(s, k)
    {
        k->tech->sm_end(k->state);
        free(k->counters);
    }
    vec_fini(&s->events.far);
}

static struct sm_tech *of(struct sm *s, const struct tech *t)
{
    struct sm_tech *k = s->techs;
    for (; k->tech != t; k++) assert(k + 1 < s->techs + s->tech_count);
    return k;
}

// Mechanisms have no state of an SM that no block ever comes to: small launches leave most of them idle.
void tech_block_start(struct sm *s, unsigned block)
{
    if (!s->operands.maps) begin(s);
    HOOK(s, block_start, block);
}

// What is saved of all instructions is what the mechanisms say.
static bool is_saved_by_somebody(const struct sm *s)
{
    uint64_t left[SAVINGS] = {0};
    for (size_t n = 0; n < s->launch->launch->program->inst_count; n++)
        for (unsigned k = 0; k < SAVINGS; k++) left[k] += s->account.inst_saved[n * SAVINGS + k];
    for (unsigned k = 0; k < s->tech_count; k++) {
        const struct sm_tech *m = &s->techs[k];
        if (m->tech->skipped >= 0) left[SAVED_FETCH] -= m->counters[m->tech->skipped];
        if (m->tech->reused >= 0) left[SAVED_EXECUTION] -= m->counters[m->tech->reused];
    }
    return !left[SAVED_FETCH] && !left[SAVED_EXECUTION];
}

const char *tech_check(const struct sm *s)
{
    const char *broken = NULL;
    for (unsigned k = 0; k < s->tech_count && !broken; k++)
        if (s->techs[k].tech->check) broken = s->techs[k].tech->check(s->techs[k].state);
    if (broken) return broken;
    return is_saved_by_somebody(s) ? NULL : "instructions saved are not those that mechanisms count";
}

// -- what a mechanism sees ----------------------------------------------------------------------------------

const struct sm_launch *tech_launch(const struct sm *s) { return s->launch; }
uint64_t tech_now(const struct sm *s) { return s->now; }
unsigned tech_index(const struct sm *s) { return s->index; }
struct warp *tech_warp(struct sm *s, unsigned slot) { return s->warps[slot].warp; }
unsigned tech_block_of(const struct sm *s, unsigned slot) { return s->warps[slot].block; }
uint64_t tech_slots(const struct sm *s, unsigned block) { return s->room.blocks[block].slots; }
uint32_t tech_fetch_pc(const struct sm *s, unsigned slot) { return s->warps[slot].front.pc; }
bool tech_is_fetching(const struct sm *s, unsigned slot) { return s->warps[slot].front.fetching != 0; }
uint16_t *tech_map(struct sm *s, unsigned slot) { return s->warps[slot].operands.map; }

uint16_t tech_own(const struct sm *s, unsigned slot, unsigned r)
{
    return (uint16_t)(s->warps[slot].operands.registers + r);
}

// Behind the registers of all warps, a block's after the other's.
uint16_t tech_pool(struct sm *s, const struct tech *me, unsigned block)
{
    const struct sm_launch *l = s->launch;
    uint32_t own = l->blocks_per_sm * l->warps_per_block * l->registers_per_warp;
    return (uint16_t)(own + block * l->pool + of(s, me)->pool.first);
}

uint32_t tech_pool_size(struct sm *s, const struct tech *me) { return of(s, me)->pool.count; }

uint64_t tech_ready(const struct sm *s, uint16_t physical) { return s->operands.ready[physical]; }

uint32_t *tech_lanes(struct sm *s, unsigned slot, unsigned r)
{
    return reg_lanes(s->warps[slot].warp->regs, r * s->engine->exec.vector_bytes);
}

uint64_t tech_issuing(const struct sm *s) { return s->issue.lanes; }
const struct exec_access *tech_access(const struct sm *s) { return &s->engine->access; }

void tech_free_banks(struct sm *s, const struct tech *me)
{
    for (unsigned block = 0; block < s->launch->blocks_per_sm; block++)
        operand_free_banks(s, tech_pool(s, me, block), tech_pool_size(s, me));
}

// -- what a mechanism does ----------------------------------------------------------------------------------

static void hold(struct sm *s, struct sm_tech *me, unsigned slot, unsigned what)
{
    unsigned held = 0;
    me->held[slot] = (uint8_t)what;
    EACH(s, k) held |= k->held[slot];
    front_hold(s, slot, held & HOLD_FETCH);
    ready_hold(s, slot, held & HOLD_ISSUE);
}

void tech_hold(struct sm *s, const struct tech *me, unsigned slot, unsigned what)
{
    assert(!what || me->claims & CLAIMS(HOLDS));
    hold(s, of(s, me), slot, what);
    if (!s->warps[slot].warp || slot == s->looked_at) return;
    front_update(s, slot);
    ready_evaluate(s, slot);
}

void tech_warp_end(struct sm *s, unsigned slot)
{
    HOOK(s, warp_end, slot);
    EACH(s, k) hold(s, k, slot, 0);
}

void tech_skip_fetch(struct sm *s, unsigned slot)
{
    stall_speaks_against(s);
    front_skip(s, slot);
}

void tech_drop(struct sm *s, unsigned slot)
{
    stall_speaks_against(s);
    front_drop(s, slot);
}

unsigned tech_buffered(const struct sm *s, unsigned slot) { return s->warps[slot].front.count; }

void tech_drop_fetching(struct sm *s, unsigned slot)
{
    stall_speaks_against(s);
    front_drop_fetching(s, slot);
}

void tech_advance(struct sm *s, const struct tech *me, unsigned slot, uint32_t pc)
{
    assert(me->claims & CLAIMS(FETCH));
    tell_others(s, of(s, me), slot, pc - 1, SAVED_FETCH);
    stall_speaks_against(s);
    struct sm_warp *w = &s->warps[slot];
    const struct op *skipped = &s->ops[pc - 1];
    account_saved(&s->account, pc - 1, SAVED_FETCH);
    front_advance(s, slot, pc);
    w->warp->pc = pc;
    if (w->warp->active != w->warp->full) { // lanes may meet there
        timed_settle(w->warp);
        if (w->warp->pc != pc) ready_settle(s, slot);
    }
    // What its control word says holds for those behind it.
    operand_skip(s, slot, skipped);
}

uint64_t tech_copy(struct sm *s, uint16_t from, uint16_t to) { return operand_move(s, from, to); }

void tech_at(struct sm *s, unsigned block, uint64_t cycle)
{
    ring_add(&s->events, s->now, cycle > s->now ? cycle : s->now + 1, block);
}

bool tech_recompute(struct sm *s, unsigned slot, uint32_t pc)
{
    struct warp *w = s->warps[slot].warp;
    uint32_t at = w->pc;
    uint64_t issued = w->issued;
    struct exec_counts counts = w->counts;
    w->pc = pc;
    enum timed_outcome o = timed_recompute(s->engine, w, s->now);
    w->pc = at;
    w->issued = issued;
    w->counts = counts;
    s->faulted |= o == TIMED_FAULT;
    return o == TIMED_DONE;
}

void tech_evaluate(struct sm *s, unsigned slot, uint32_t pc, uint64_t lanes)
{
    struct warp *w = s->warps[slot].warp;
    bool is_full = lanes == w->full;
    const struct bound *d = (is_full ? w->exec->full : w->exec->masked) + pc;
    (is_full ? d->handlers->full : d->handlers->masked)(d, w, w->regs, lanes);
}
