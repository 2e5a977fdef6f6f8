// Mechanisms on an SM, and what they see and do.
#include "gpu/sm_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define EACH(g, k) for (struct sm_tech *k = (g)->techs; k < (g)->techs + (g)->tech_count; k++)

static unsigned slot_at(const struct sm_grid *g, unsigned place) { return g->room.slots[place]; }
static struct sm_warp *warp_at(struct sm_grid *g, unsigned place) { return &g->sm->warps[slot_at(g, place)]; }

// -- several mechanisms as one: each hook calls those of all, in order; its state is the grid's part of the SM -----------------

#define CALL_ALL(name, ...)                                                                                  \
    struct sm_grid *g = grid;                                                                                \
    EACH(g, k) if (k->tech->name) k->tech->name(k->state, __VA_ARGS__)

static void all_block_start(void *grid, unsigned block) { CALL_ALL(block_start, block); }
static void all_block_end(void *grid, unsigned block) { CALL_ALL(block_end, block); }

static void all_warp_start(void *grid, unsigned slot) { CALL_ALL(warp_start, slot); }
static void all_warp_started(void *grid, unsigned slot) { CALL_ALL(warp_started, slot); }

static uint64_t all_fetch(void *grid, uint64_t fetchable)
{
    struct sm_grid *g = grid;
    EACH(g, k) if (k->tech->fetch) fetchable = k->tech->fetch(k->state, fetchable);
    return fetchable;
}

static uint32_t all_fetched(void *grid, unsigned slot, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct sm_grid *g = grid;
    uint32_t span = *count;
    EACH(g, k) if (k->tech->fetched) span = k->tech->fetched(k->state, slot, pc, count, most);
    return span;
}

static void all_filled(void *grid, unsigned slot, uint32_t pc, unsigned count)
{
    CALL_ALL(filled, slot, pc, count);
}

static void all_flushed(void *grid, unsigned slot) { CALL_ALL(flushed, slot); }

static void all_reads(void *grid, unsigned slot, uint32_t index) { CALL_ALL(reads, slot, index); }

static void tell_others(struct sm_grid *g, const struct sm_tech *saver, unsigned slot, uint32_t index,
                        enum tech_saving what)
{
    EACH(g, k) if (k != saver && k->tech->saved) k->tech->saved(k->state, slot, index, what);
}

static uint32_t all_reuse(void *grid, unsigned slot, uint32_t index)
{
    struct sm_grid *g = grid;
    EACH(g, k)
    {
        uint32_t cycles = k->tech->reuse ? k->tech->reuse(k->state, slot, index) : 0;
        if (cycles) tell_others(g, k, slot, index, SAVED_EXECUTION);
        if (cycles) return cycles;
        if (k->tech->leads && k->tech->leads(k->state, slot, index)) break;
    }
    return 0;
}

static bool all_port(void *grid, unsigned slot, uint32_t index)
{
    struct sm_grid *g = grid;
    EACH(g, k) if (k->tech->port) return k->tech->port(k->state, slot, index);
    return false;
}

static void all_cost(void *grid, unsigned slot, uint32_t index, struct op_cost *c)
{
    CALL_ALL(cost, slot, index, c);
}

static uint32_t all_elsewhere(const void *grid, unsigned slot, uint32_t index, bool is_write)
{
    const struct sm_grid *g = grid;
    uint32_t operands = 0;
    for (unsigned n = 0; n < g->tech_count; n++) {
        const struct sm_tech *k = &g->techs[n];
        if (!k->tech->operand) continue;
        operands |= k->tech->elsewhere ? k->tech->elsewhere(k->state, slot, index, is_write) : ~0u;
    }
    return operands;
}

static void all_operand(void *grid, unsigned slot, uint32_t index, struct operand_access *a)
{
    CALL_ALL(operand, slot, index, a);
}

static uint32_t all_copies(void *grid, unsigned slot, uint32_t index)
{
    struct sm_grid *g = grid;
    uint32_t copied = 0;
    EACH(g, k) if (k->tech->copies && !copied) copied = k->tech->copies(k->state, slot, index);
    return copied;
}

static void all_executed(void *grid, unsigned slot, uint32_t index) { CALL_ALL(executed, slot, index); }

static void all_result(void *grid, unsigned slot, uint32_t index, uint64_t cycle)
{
    CALL_ALL(result, slot, index, cycle);
}

static void all_issued(void *grid, unsigned slot, uint32_t index) { CALL_ALL(issued, slot, index); }

static void all_replied(void *grid, unsigned slot, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    CALL_ALL(replied, slot, index, registers, cycle);
}

static void all_access(void *grid, const struct tech_line *line) { CALL_ALL(access, line); }
static void all_event(void *grid, unsigned block) { CALL_ALL(event, block); }
static void all_warp_end(void *grid, unsigned slot) { CALL_ALL(warp_end, slot); }

static const struct tech all = {.block_start = all_block_start,
                                .block_end = all_block_end,
                                .warp_start = all_warp_start,
                                .warp_started = all_warp_started,
                                .fetch = all_fetch,
                                .fetched = all_fetched,
                                .filled = all_filled,
                                .flushed = all_flushed,
                                .copies = all_copies,
                                .reads = all_reads,
                                .reuse = all_reuse,
                                .port = all_port,
                                .executed = all_executed,
                                .elsewhere = all_elsewhere,
                                .operand = all_operand,
                                .cost = all_cost,
                                .result = all_result,
                                .issued = all_issued,
                                .replied = all_replied,
                                .access = all_access,
                                .event = all_event,
                                .warp_end = all_warp_end};

static const struct tech none = {0};

// -- hooks of a grid ----------------------------------------------------------------------------------------

#define HOOK(g, name, ...) ((g)->hooks->name ? (g)->hooks->name((g)->hooked, __VA_ARGS__) : (void)0)

void tech_block_end(struct sm_grid *g, unsigned block) { HOOK(g, block_end, block); }

void tech_warp_start(const struct sm_warp *w)
{
    HOOK(w->grid, warp_start, w->place);
    HOOK(w->grid, warp_started, w->place);
}

// -- instructions that are not there for a warp ---------------------------------------------------------------
// Apart from what asks whether there can be any, which is done all the time.

static uint32_t count_left_out(const struct sm_grid *g, unsigned place, uint32_t pc)
{
    return g->leaves_out->tech->leaves_out(g->leaves_out->state, place, pc);
}

// Those that come next are passed over, so that nobody sees them.
static __attribute__((noinline)) void pass_left_out(struct sm_grid *g, uint64_t places)
{
    const struct sm_tech *k = g->leaves_out;
    for (uint64_t left = places; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        uint32_t count = k->tech->leaves_out(k->state, place, warp_at(g, place)->front.pc);
        while (count--) tech_skip_fetch(g, place);
    }
}

// How far *count of them are that are there, and those behind that are not.
static __attribute__((noinline)) uint32_t span_of(const struct sm_grid *g, unsigned place, uint32_t pc,
                                                  uint32_t *count, uint32_t most)
{
    const struct sm_tech *k = g->leaves_out;
    uint32_t fetched = 0, span = 0; // it begins with one that is there
    for (; span < most && fetched < *count; fetched++) {
        span++;
        span += k->tech->leaves_out(k->state, place, pc + span);
    }
    *count = fetched;
    return span < most ? span : most;
}

// The last `count` before `end` that are there are filled in, by runs.
static __attribute__((noinline)) void fill_runs(struct sm_grid *g, unsigned place, uint32_t end,
                                                unsigned count)
{
    uint32_t pc = end;
    for (unsigned left = count; left;) left -= !count_left_out(g, place, --pc);
    while (count) {
        unsigned run = 0;
        pc += count_left_out(g, place, pc);
        while (run < count && !count_left_out(g, place, pc + run)) run++;
        HOOK(g, filled, place, pc, run);
        count -= run;
        pc += run;
    }
}

// The others hear that the warp is behind it.
static __attribute__((noinline)) void tell_advanced(struct sm_grid *g, const struct tech *me, unsigned place)
{
    EACH(g, k) if (k->tech != me && k->tech->advanced) k->tech->advanced(k->state, place);
}

uint32_t tech_fetched(const struct sm_warp *w, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct sm_grid *g = w->grid;
    if (is_guest(w)) return *count;
    if (g->leaves_out) return span_of(g, w->place, pc, count, most);
    return g->hooks->fetched ? g->hooks->fetched(g->hooked, w->place, pc, count, most) : *count;
}

void tech_filled(const struct sm_warp *w, uint32_t pc, unsigned count)
{
    if (!w->grid->hooks->filled) return;
    w->grid->looked_at = w->place;
    if (w->grid->leaves_out)
        fill_runs(w->grid, w->place, pc + count, count);
    else
        w->grid->hooks->filled(w->grid->hooked, w->place, pc, count);
    w->grid->looked_at = NO_WARP;
}

void tech_flushed(const struct sm_warp *w)
{
    if (!is_guest(w)) HOOK(w->grid, flushed, w->place);
}

uint32_t tech_reuse(const struct sm_warp *w, uint32_t index)
{
    struct sm_grid *g = w->grid;
    uint32_t cycles = g->hooks->reuse ? g->hooks->reuse(g->hooked, w->place, index) : 0;
    if (cycles) account_saved(&g->account, index, SAVED_EXECUTION);
    return cycles;
}

bool tech_port(const struct sm_warp *w, uint32_t index)
{
    const struct sm_grid *g = w->grid;
    return g->hooks->port && g->hooks->port(g->hooked, w->place, index);
}

uint32_t tech_copies(const struct sm_warp *w, uint32_t index)
{
    const struct sm_grid *g = w->grid;
    return g->hooks->copies ? g->hooks->copies(g->hooked, w->place, index) : 0;
}

// What accesses memory has a place in the load/store unit: who holds its warp now holds it behind the instruction.
void tech_reads(const struct sm_warp *w, uint32_t index)
{
    w->grid->looked_at = w->place;
    HOOK(w->grid, reads, w->place, index);
}

void tech_settles(struct sm_grid *g) { g->looked_at = NO_WARP; }
void tech_executed(const struct sm_warp *w, uint32_t index) { HOOK(w->grid, executed, w->place, index); }

uint32_t tech_elsewhere(const struct sm_warp *w, uint32_t index, bool is_write)
{
    return w->grid->hooks->elsewhere(w->grid->hooked, w->place, index, is_write);
}

void tech_operand(const struct sm_warp *w, uint32_t index, struct operand_access *a)
{
    HOOK(w->grid, operand, w->place, index, a);
}

void tech_cost(const struct sm_warp *w, uint32_t index, struct op_cost *c)
{
    HOOK(w->grid, cost, w->place, index, c);
}

void tech_result(const struct sm_warp *w, uint32_t index, uint64_t cycle)
{
    if (is_guest(w)) {
        const struct sm_tech *host = w->grid->guest->host;
        if (host->tech->guest_result) host->tech->guest_result(host->state, index, cycle);
        return;
    }
    HOOK(w->grid, result, w->place, index, cycle);
}

void tech_issued(const struct sm_warp *w, uint32_t index, bool goes_on)
{
    w->grid->looked_at = goes_on ? w->place : NO_WARP;
    HOOK(w->grid, issued, w->place, index);
    w->grid->looked_at = NO_WARP;
}

void tech_replied(const struct sm_warp *w, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    HOOK(w->grid, replied, w->place, index, registers, cycle);
}

static struct tech_line line_of(const struct lsu_entry *e, enum line_outcome outcome)
{
    const struct transaction *x = &e->lines[e->next];
    return (struct tech_line){.line = x->line,
                              .block = e->block,
                              .warp = e->index,
                              .index = (uint32_t)(e->op - e->grid->ops),
                              .sectors = x->sectors,
                              .first = x->first,
                              .slot = e->place,
                              .kind = (enum lsu_kind)e->kind,
                              .outcome = outcome};
}

void tech_kept(const struct sm_warp *w, struct tech_kept words[TECH_REGISTERS])
{
    EACH(w->grid, k) if (k->tech->kept) k->tech->kept(k->state, w->place, words);
}

// L1 lines are claimed by one at most.
unsigned tech_access_line(const struct lsu_entry *e, enum line_outcome outcome, struct tech_neighbours *n)
{
    struct sm_grid *g = e->grid;
    const struct tech_line line = line_of(e, outcome);
    unsigned tech = 0;
    HOOK(g, access, &line);
    if (!n) return 0;
    n->count = 0;
    n->only_touch = n->waits = false;
    while (tech < g->tech_count && !g->techs[tech].tech->neighbours) tech++;
    if (tech < g->tech_count) g->techs[tech].tech->neighbours(g->techs[tech].state, &line, n);
    return tech;
}

void tech_neighbour(struct sm_grid *g, unsigned tech, uint64_t line, enum line_outcome outcome)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->tech->neighbour) k->tech->neighbour(k->state, line, outcome);
}

void tech_line(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->tech->line) k->tech->line(k->state, line, token);
}

// -- a grid on an SM ----------------------------------------------------------------------------------------

void tech_none(struct sm_grid *g)
{
    g->hooks = &none;
    g->looked_at = NO_WARP;
    if (g->launch->has_guest) guest_begin(g);
    g->sm->has_port |= g->launch->has_port;
}

static void begin(struct sm_grid *g)
{
    const struct sm_launch *l = g->launch;
    operand_begin_techs(g);
    account_begin_techs(g);
    for (unsigned n = 0; n < l->tech_count; n++) {
        if (!l->tech_states[n]) continue;
        struct sm_tech *k = &g->techs[g->tech_count++];
        k->tech = l->techs[n]->tech;
        k->pool = l->pools[n];
        k->counters = heap_alloc(TECH_COUNTERS_MAX * sizeof *k->counters);
        k->state = k->tech->sm_begin(l->tech_states[n], g, k->counters);
        if (k->tech->leaves_out) g->leaves_out = k;
    }
    bool one = g->tech_count == 1;
    g->hooks = one ? g->techs->tech : &all;
    g->hooked = one ? g->techs->state : g;
    sm_note_onlookers(g->sm);
}

void tech_end(struct sm_grid *g)
{
    guest_end(g);
    g->sm->has_port = false;
    EACH_GRID(g->sm, other) g->sm->has_port |= other != g && other->launch->has_port;
    EACH(g, k)
    {
        k->tech->sm_end(k->state);
        free(k->counters);
    }
    vec_fini(&g->events.far);
}

static struct sm_tech *of(struct sm_grid *g, const struct tech *t)
{
    struct sm_tech *k = g->techs;
    for (; k->tech != t; k++) assert(k + 1 < g->techs + g->tech_count);
    return k;
}

// Mechanisms have no state of an SM that no block ever comes to: small launches leave most of them idle.
void tech_block_start(struct sm_grid *g, unsigned block)
{
    if (!g->operands.maps) begin(g);
    HOOK(g, block_start, block);
}

// What is saved of all instructions is what the mechanisms say.
static bool is_saved_by_somebody(const struct sm_grid *g)
{
    uint64_t left[SAVINGS] = {0};
    for (size_t n = 0; n < g->launch->launch->program->inst_count; n++)
        for (unsigned k = 0; k < SAVINGS; k++) left[k] += g->account.inst_saved[n * SAVINGS + k];
    for (unsigned k = 0; k < g->tech_count; k++) {
        const struct sm_tech *m = &g->techs[k];
        if (m->tech->skipped >= 0) left[SAVED_FETCH] -= m->counters[m->tech->skipped];
        if (m->tech->reused >= 0) left[SAVED_EXECUTION] -= m->counters[m->tech->reused];
    }
    return !left[SAVED_FETCH] && !left[SAVED_EXECUTION];
}

const char *tech_check(const struct sm_grid *g)
{
    const char *broken = NULL;
    for (unsigned k = 0; k < g->tech_count && !broken; k++)
        if (g->techs[k].tech->check) broken = g->techs[k].tech->check(g->techs[k].state);
    if (broken || !g->tech_count) return broken;
    return is_saved_by_somebody(g) ? NULL : "instructions saved are not those that mechanisms count";
}

// -- the grids of an SM -------------------------------------------------------------------------------------

// The grid that has the SM to itself, with slots like places; NULL: there is none.
static struct sm_grid *alone(const struct sm *s)
{
    struct sm_grid *g = s->room.grids[0];
    return s->room.grid_count == 1 && !g->room.is_apart ? g : NULL;
}

static uint64_t places_of(const struct sm_grid *g, uint64_t slots)
{
    uint64_t places = 0;
    for (; slots; slots &= slots - 1) {
        const struct sm_warp *w = &g->sm->warps[bit_lowest(slots)];
        if (w->grid == g) places |= 1ull << w->place;
    }
    return places;
}

static uint64_t slots_of(const struct sm_grid *g, uint64_t places)
{
    uint64_t slots = 0;
    for (; places; places &= places - 1) slots |= 1ull << g->room.slots[bit_lowest(places)];
    return slots;
}

static uint64_t fetchable_of(struct sm_grid *g, uint64_t places)
{
    if (g->leaves_out) pass_left_out(g, places);
    return g->hooks->fetch && places ? g->hooks->fetch(g->hooked, places) : places;
}

uint64_t tech_fetch(struct sm *s, uint64_t fetchable)
{
    struct sm_grid *only = alone(s);
    uint64_t may = 0;
    if (only) return fetchable_of(only, fetchable);
    EACH_GRID(s, g) may |= slots_of(g, fetchable_of(g, places_of(g, fetchable)));
    return may;
}

static void take_events(struct sm_grid *g)
{
    for (uint64_t blocks = ring_take(&g->events, g->sm->now); blocks; blocks &= blocks - 1)
        HOOK(g, event, bit_lowest(blocks));
}

void tech_events(struct sm *s)
{
    EACH_GRID(s, g) take_events(g);
    s->event_at = CYCLE_NEVER;
    EACH_GRID(s, g)
    {
        uint64_t event = ring_next(&g->events, s->now);
        if (event < s->event_at) s->event_at = event;
    }
}

// -- before a launch ----------------------------------------------------------------------------------------

bool *tech_shared(const struct tech_use *uses, unsigned count, const struct tech *me, const struct program *p,
                  const uint32_t block[3], unsigned warp_size)
{
    bool *shared = NULL;
    for (unsigned k = 0; k < count; k++) {
        if (uses[k].tech == me || !uses[k].tech->shares) continue;
        if (!shared) shared = heap_alloc(p->inst_count * sizeof *shared);
        uses[k].tech->shares(&uses[k], p, block, warp_size, shared);
    }
    return shared;
}

// -- what a mechanism sees ----------------------------------------------------------------------------------

// Its warp is there and has not ended. One that has ended keeps its slot as long as its block runs.
static bool is_resident(const struct sm_grid *g, unsigned place)
{
    unsigned slot = slot_at(g, place);
    return slot != NO_WARP && g->sm->room.resident >> slot & 1;
}

const struct sm_launch *tech_launch(const struct sm_grid *g) { return g->launch; }
uint64_t tech_now(const struct sm_grid *g) { return g->sm->now; }
unsigned tech_index(const struct sm_grid *g) { return g->sm->index; }
struct warp *tech_warp(struct sm_grid *g, unsigned place) { return warp_at(g, place)->warp; }
unsigned tech_block_of(const struct sm_grid *g, unsigned place) { return g->room.block_of[place]; }
uint64_t tech_slots(const struct sm_grid *g, unsigned block) { return g->room.blocks[block].places; }
uint32_t tech_fetch_pc(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.pc;
}
bool tech_is_fetching(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.fetching != 0;
}
uint16_t *tech_map(struct sm_grid *g, unsigned place) { return warp_at(g, place)->operands.map; }

uint16_t tech_own(const struct sm_grid *g, unsigned place, unsigned r)
{
    return (uint16_t)(operand_own(g, place) + r);
}

// Behind the registers of all warps, a block's after the other's.
uint16_t tech_pool(struct sm_grid *g, const struct tech *me, unsigned block)
{
    const struct sm_launch *l = g->launch;
    uint32_t own = operand_own(g, l->places);
    return (uint16_t)(own + block * l->pool + of(g, me)->pool.first);
}

uint32_t tech_pool_size(struct sm_grid *g, const struct tech *me) { return of(g, me)->pool.count; }

uint64_t tech_ready(const struct sm_grid *g, uint16_t physical) { return g->sm->operands.ready[physical]; }

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
    if (!is_resident(g, place)) return; // its slot may be another's by the time that it would be let go
    hold(g, of(g, me), place, what);
    if (place == g->looked_at) return;
    front_update(g->sm, slot_at(g, place));
    ready_evaluate(g->sm, slot_at(g, place));
}

void tech_warp_end(struct sm_grid *g, unsigned slot)
{
    unsigned place = g->sm->warps[slot].place;
    HOOK(g, warp_end, place);
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
    stall_speaks_against(g->sm);
    front_skip(g->sm, slot_at(g, place));
}

void tech_drop(struct sm_grid *g, unsigned place)
{
    stall_speaks_against(g->sm);
    front_drop(g->sm, slot_at(g, place));
}

unsigned tech_buffered(const struct sm_grid *g, unsigned place)
{
    return g->sm->warps[slot_at(g, place)].front.count;
}

void tech_drop_fetching(struct sm_grid *g, unsigned place)
{
    stall_speaks_against(g->sm);
    front_drop_fetching(g->sm, slot_at(g, place));
}

void tech_advance(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t pc)
{
    assert(me->claims & CLAIMS(FETCH));
    tell_others(g, of(g, me), place, pc - 1, SAVED_FETCH);
    stall_speaks_against(g->sm);
    unsigned slot = slot_at(g, place);
    struct sm_warp *w = &g->sm->warps[slot];
    const struct op *skipped = &g->ops[pc - 1];
    account_saved(&g->account, pc - 1, SAVED_FETCH);
    front_advance(g->sm, slot, pc);
    w->warp->pc = pc;
    if (w->warp->active != w->warp->full) { // lanes may meet there
        timed_settle(w->warp);
        if (w->warp->pc != pc) ready_settle(g->sm, slot);
    }
    // What its control word says holds for those behind it.
    operand_skip(g->sm, slot, skipped);
    if (g->tech_count > 1) tell_advanced(g, me, place);
}

void tech_lend(struct sm_grid *g, const struct tech *me, unsigned place, uint32_t index)
{
    EACH(g, k) if (k->tech != me && k->tech->lends) k->tech->lends(k->state, place, index);
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
    stall_speaks_against(g->sm);
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
