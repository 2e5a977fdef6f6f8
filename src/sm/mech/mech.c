// Mechanisms on an SM: start, end, and an SM's calls of their hooks. The functions that mechanisms call are
// in tech.c.
#include "exec/launch.h"
#include "isa/program.h"
#include "sm/mech/mech_impl.h"

#include <stdlib.h>

// -- several mechanisms as one ------------------------------------------------------------------------------
// Each hook calls the hooks of all mechanisms in order. The state is the struct sm_grid.

#define CALL_ALL(name, ...)                                                                                  \
    struct sm_grid *g = grid;                                                                                \
    EACH(g, k) if (k->hooks.name) k->hooks.name(k->state, __VA_ARGS__)

static void all_block_start(void *grid, unsigned block) { CALL_ALL(block_start, block); }
static void all_block_end(void *grid, unsigned block) { CALL_ALL(block_end, block); }

static void all_warp_start(void *grid, unsigned place) { CALL_ALL(warp_start, place); }
static void all_warp_started(void *grid, unsigned place) { CALL_ALL(warp_started, place); }

static uint64_t all_fetch(void *grid, uint64_t fetchable)
{
    struct sm_grid *g = grid;
    EACH(g, k) if (k->hooks.fetch) fetchable = k->hooks.fetch(k->state, fetchable);
    return fetchable;
}

static uint32_t all_fetched(void *grid, unsigned place, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct sm_grid *g = grid;
    uint32_t span = *count;
    EACH(g, k) if (k->hooks.fetched) span = k->hooks.fetched(k->state, place, pc, count, most);
    return span;
}

static void all_filled(void *grid, unsigned place, uint32_t pc, unsigned count)
{
    CALL_ALL(filled, place, pc, count);
}

static void all_flushed(void *grid, unsigned place) { CALL_ALL(flushed, place); }

static void all_reads(void *grid, unsigned place, uint32_t index) { CALL_ALL(reads, place, index); }

void mech_tell_others(struct sm_grid *g, const struct sm_tech *saver, unsigned place, uint32_t index,
                      enum tech_saving what)
{
    EACH(g, k) if (k != saver && k->hooks.saved) k->hooks.saved(k->state, place, index, what);
}

static uint32_t all_reuse(void *grid, unsigned place, uint32_t index)
{
    struct sm_grid *g = grid;
    EACH(g, k)
    {
        uint32_t cycles = k->hooks.reuse ? k->hooks.reuse(k->state, place, index) : 0;
        if (cycles) mech_tell_others(g, k, place, index, SAVED_EXECUTION);
        if (cycles) return cycles;
        if (k->hooks.leads && k->hooks.leads(k->state, place, index)) break;
    }
    return 0;
}

static uint32_t all_reuse_load(void *grid, unsigned place, uint32_t index)
{
    struct sm_grid *g = grid;
    EACH(g, k)
    {
        uint32_t cycles = k->hooks.reuse_load ? k->hooks.reuse_load(k->state, place, index) : 0;
        if (cycles) mech_tell_others(g, k, place, index, SAVED_EXECUTION);
        if (cycles) return cycles;
    }
    return 0;
}

static bool all_port(void *grid, unsigned place, uint32_t index)
{
    struct sm_grid *g = grid;
    EACH(g, k) if (k->hooks.port) return k->hooks.port(k->state, place, index);
    return false;
}

static void all_cost(void *grid, unsigned place, uint32_t index, struct op_cost *c)
{
    CALL_ALL(cost, place, index, c);
}

static uint32_t all_elsewhere(const void *grid, unsigned place, uint32_t index, bool is_write)
{
    const struct sm_grid *g = grid;
    uint32_t operands = 0;
    for (unsigned n = 0; n < g->tech_count; n++) {
        const struct sm_tech *k = &g->techs[n];
        if (!k->hooks.operand) continue;
        operands |= k->hooks.elsewhere ? k->hooks.elsewhere(k->state, place, index, is_write) : ~0u;
    }
    return operands;
}

static void all_operand(void *grid, unsigned place, uint32_t index, struct operand_access *a)
{
    CALL_ALL(operand, place, index, a);
}

static uint32_t all_copies(void *grid, unsigned place, uint32_t index)
{
    struct sm_grid *g = grid;
    uint32_t copied = 0;
    EACH(g, k) if (k->hooks.copies && !copied) copied = k->hooks.copies(k->state, place, index);
    return copied;
}

static void all_executed(void *grid, unsigned place, uint32_t index) { CALL_ALL(executed, place, index); }

static void all_result(void *grid, unsigned place, uint32_t index, uint64_t cycle)
{
    CALL_ALL(result, place, index, cycle);
}

static void all_issued(void *grid, unsigned place, uint32_t index) { CALL_ALL(issued, place, index); }

static void all_replied(void *grid, unsigned place, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    CALL_ALL(replied, place, index, registers, cycle);
}

static void all_access(void *grid, const struct tech_line *line) { CALL_ALL(access, line); }
static bool all_foreseen(void *grid, const struct tech_line *line)
{
    struct sm_grid *g = grid;
    bool foreseen = false;
    EACH(g, k) foreseen |= k->hooks.foreseen && k->hooks.foreseen(k->state, line);
    return foreseen;
}

static void all_event(void *grid, unsigned block) { CALL_ALL(event, block); }
static void all_warp_end(void *grid, unsigned place) { CALL_ALL(warp_end, place); }

static const struct mech_hooks all = {.block_start = all_block_start,
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
                                      .reuse_load = all_reuse_load,
                                      .port = all_port,
                                      .executed = all_executed,
                                      .elsewhere = all_elsewhere,
                                      .operand = all_operand,
                                      .cost = all_cost,
                                      .foreseen = all_foreseen,
                                      .result = all_result,
                                      .issued = all_issued,
                                      .replied = all_replied,
                                      .access = all_access,
                                      .event = all_event,
                                      .warp_end = all_warp_end};

static const struct mech_hooks none = {0};

// -- hooks of a grid ----------------------------------------------------------------------------------------

void mech_block_end(struct sm_grid *g, unsigned block) { ASK(g, block_end, block); }

void mech_warp_start(const struct sm_warp *w)
{
    ASK(w->grid, warp_start, w->place);
    ASK(w->grid, warp_started, w->place);
}

// -- instructions left out for a warp -----------------------------------------------------------------------
// Kept out of the callers: the test for a hook `leaves_out` runs all the time.

static inline uint32_t count_left_out(const struct sm_grid *g, unsigned place, uint32_t pc)
{
    if (g->left_out && !g->left_out[pc]) return 0;
    return g->leaves_out->hooks.leaves_out(g->leaves_out->state, place, pc);
}

// Moves each warp's fetch past instructions that a mechanism leaves out, before any mechanism or the fetch
// arbiter sees them.
static __attribute__((noinline)) void pass_left_out(struct sm_grid *g, uint64_t places)
{
    for (uint64_t left = places; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        uint32_t count = count_left_out(g, place, warp_at(g, place)->front.pc);
        while (count--) tech_skip_fetch(g, place);
    }
}

// Counts up to *count instructions not left out by a mechanism, among the `most` instructions from pc on, and
// sets *count to the number. Returns the length of the range of these instructions, with left-out
// instructions in between and behind.
static __attribute__((noinline)) uint32_t span_of(const struct sm_grid *g, unsigned place, uint32_t pc,
                                                  uint32_t *count, uint32_t most)
{
    uint32_t fetched = 0, span = 0; // the instruction at pc exists
    for (; span < most && fetched < *count; fetched++) {
        span++;
        span += count_left_out(g, place, pc + span);
    }
    *count = fetched;
    return span < most ? span : most;
}

// The last `count` instructions before `end`, left-out instructions apart, are in the I-buffer. Calls the
// hook `filled` for each run of adjacent instructions.
static __attribute__((noinline)) void fill_runs(struct sm_grid *g, unsigned place, uint32_t end,
                                                unsigned count)
{
    uint32_t pc = end;
    for (unsigned left = count; left;) left -= !count_left_out(g, place, --pc);
    while (count) {
        unsigned run = 0;
        pc += count_left_out(g, place, pc);
        while (run < count && !count_left_out(g, place, pc + run)) run++;
        ASK(g, filled, place, pc, run);
        count -= run;
        pc += run;
    }
}

uint32_t mech_fetched(const struct sm_warp *w, uint32_t pc, uint32_t *count, uint32_t most)
{
    struct sm_grid *g = w->grid;
    if (is_guest(w)) return *count;
    if (g->leaves_out) return span_of(g, w->place, pc, count, most);
    return g->hooks->fetched ? g->hooks->fetched(g->hooked, w->place, pc, count, most) : *count;
}

void mech_filled(const struct sm_warp *w, uint32_t pc, unsigned count)
{
    if (!w->grid->hooks->filled) return;
    w->grid->looked_at = w->place;
    if (w->grid->leaves_out)
        fill_runs(w->grid, w->place, pc + count, count);
    else
        w->grid->hooks->filled(w->grid->hooked, w->place, pc, count);
    w->grid->looked_at = NO_WARP;
}

void mech_flushed(const struct sm_warp *w) { ASK(w->grid, flushed, w->place); }

bool mech_port(const struct sm_warp *w, uint32_t index)
{
    const struct sm_grid *g = w->grid;
    return g->hooks->port && g->hooks->port(g->hooked, w->place, index);
}

void mech_cost(const struct sm_warp *w, uint32_t index, struct op_cost *c)
{
    ASK(w->grid, cost, w->place, index, c);
}

void mech_result(const struct sm_warp *w, uint32_t index, uint64_t cycle)
{
    if (is_guest(w)) {
        const struct sm_tech *host = w->grid->guest->host;
        if (host->hooks.guest_result) host->hooks.guest_result(host->state, index, cycle);
        return;
    }
    ASK(w->grid, result, w->place, index, cycle);
}

void mech_replied(const struct sm_warp *w, uint32_t index, const uint16_t *registers, uint64_t cycle)
{
    ASK(w->grid, replied, w->place, index, registers, cycle);
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
                              .place = e->place,
                              .kind = (enum lsu_kind)e->kind,
                              .outcome = outcome};
}

void mech_kept(const struct sm_warp *w, struct tech_kept words[TECH_REGISTERS])
{
    EACH(w->grid, k) if (k->hooks.kept) k->hooks.kept(k->state, w->place, words);
}

// At most one mechanism claims L1 lines.
unsigned mech_access(const struct lsu_entry *e, enum line_outcome outcome, struct tech_neighbours *n)
{
    struct sm_grid *g = e->grid;
    const struct tech_line line = line_of(e, outcome);
    unsigned tech = 0;
    ASK(g, access, &line);
    if (!n) return 0;
    n->count = 0;
    n->only_touch = n->waits = false;
    while (tech < g->tech_count && !g->techs[tech].hooks.neighbours) tech++;
    if (tech < g->tech_count) g->techs[tech].hooks.neighbours(g->techs[tech].state, &line, n);
    return tech;
}

void mech_asked(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->hooks.asked) k->hooks.asked(k->state, line, token);
}

bool mech_foreseen(const struct lsu_entry *e)
{
    const struct sm_grid *g = e->grid;
    const struct tech_line line = line_of(e, LINE_MISS);
    return g->hooks->foreseen && g->hooks->foreseen(g->hooked, &line);
}

void mech_neighbour(struct sm_grid *g, unsigned tech, uint64_t line, enum line_outcome outcome)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->hooks.neighbour) k->hooks.neighbour(k->state, line, outcome);
}

void mech_line(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->hooks.line) k->hooks.line(k->state, line, token);
}

void mech_buffered(struct sm_grid *g, unsigned tech, uint64_t line, enum tech_buffered what)
{
    const struct sm_tech *k = &g->techs[tech];
    if (k->hooks.buffered) k->hooks.buffered(k->state, line, what);
}

// The buffer beside L1 of the mechanism last begun, if the mechanism wants a buffer.
static void begin_buffer(struct sm_grid *g, const void *launch)
{
    const struct tech_lines *lines = g->techs[g->tech_count - 1].tech->lines;
    uint32_t count = lines && lines->buffer ? lines->buffer(launch) : 0;
    if (count) line_buffer_begin(g, g->tech_count - 1, count);
}

// -- a grid on an SM ----------------------------------------------------------------------------------------

void mech_none(struct sm_grid *g)
{
    g->hooks = &none;
    g->looked_at = NO_WARP;
    if (g->launch->has_guest) guest_begin(g);
    g->sm->has_port |= g->launch->has_port;
}

static void flatten(struct mech_hooks *h, const struct tech *t)
{
#define CORE(name)        h->name = t->name;
#define HOOK(group, name) h->name = t->group ? t->group->name : NULL;
#include "sm/mech/hooks.def"
#undef CORE
#undef HOOK
}

// Fills the grid's table of hooks for several mechanisms: from `all`, every hook that at least one mechanism
// has. Hooks absent from `all`, such as saved and leads, are called mechanism by mechanism elsewhere.
static void join(struct sm_grid *g)
{
    EACH(g, k)
    {
#define CORE(name)                                                                                           \
    if (k->hooks.name) g->joined.name = all.name;
#define HOOK(group, name) CORE(name)
#include "sm/mech/hooks.def"
#undef CORE
#undef HOOK
    }
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
        flatten(&k->hooks, k->tech);
        k->pool = l->pools[n];
        k->counters = heap_alloc(TECH_COUNTERS_MAX * sizeof *k->counters);
        k->state = k->tech->sm_begin(l->tech_states[n], g, k->counters);
        if (k->hooks.leaves_out) g->leaves_out = k;
        if (k->hooks.leaves_out && k->tech->concerns) g->left_out = k->tech->concerns(k->state).left_out;
        begin_buffer(g, l->tech_states[n]);
    }
    bool one = g->tech_count == 1;
    if (!one) join(g);
    g->hooks = one ? &g->techs->hooks : &g->joined;
    g->hooked = one ? g->techs->state : g;
    if (one && g->techs->tech->concerns) g->concerns = g->techs->tech->concerns(g->techs->state);
    sm_note_onlookers(g->sm);
}

void mech_end(struct sm_grid *g)
{
    guest_end(g);
    line_buffer_end(g);
    g->sm->has_port = false;
    EACH_GRID(g->sm, other) g->sm->has_port |= other != g && other->launch->has_port;
    EACH(g, k)
    {
        k->tech->sm_end(k->state);
        free(k->counters);
    }
    vec_fini(&g->events.far);
}

// The mechanisms' state on an SM is created at the grid's first block on the SM: in small launches most SMs
// never get a block.
void mech_block_start(struct sm_grid *g, unsigned block)
{
    if (!g->operands.maps) begin(g);
    ASK(g, block_start, block);
}

// True: the grid's account has as many skipped instructions as the mechanisms' counters together, and as many
// reused instructions.
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

const char *mech_check(const struct sm_grid *g)
{
    const char *broken = NULL;
    for (unsigned k = 0; k < g->tech_count && !broken; k++)
        if (g->techs[k].hooks.check) broken = g->techs[k].hooks.check(g->techs[k].state);
    if (broken || !g->tech_count) return broken;
    return is_saved_by_somebody(g) ? NULL : "saved instructions differ from the mechanisms' counts";
}

// -- the grids of an SM -------------------------------------------------------------------------------------

// The only grid on the SM, if each warp's slot number is also its place; NULL: no such grid.
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

static uint64_t fetchable_of(struct sm_grid *g, uint64_t places, uint64_t moved)
{
    if (g->leaves_out && moved) pass_left_out(g, moved);
    return g->hooks->fetch && places ? g->hooks->fetch(g->hooked, places) : places;
}

uint64_t mech_fetch(struct sm *s, uint64_t fetchable, uint64_t moved)
{
    struct sm_grid *only = alone(s);
    uint64_t may = 0;
    if (only) return fetchable_of(only, fetchable, moved);
    EACH_GRID(s, g) may |= slots_of(g, fetchable_of(g, places_of(g, fetchable), places_of(g, moved)));
    return may;
}

static void take_events(struct sm_grid *g)
{
    for (uint64_t blocks = ring_take(&g->events, g->sm->now); blocks; blocks &= blocks - 1)
        ASK(g, event, bit_lowest(blocks));
}

void mech_events(struct sm *s)
{
    if (s->room.grid_count == 1) {
        struct sm_grid *only = s->room.grids[0];
        take_events(only);
        bool is_next = only->events.warps[(s->now + 1) % RING_CYCLES];
        s->event_at = is_next ? s->now + 1 : ring_next(&only->events, s->now);
        return;
    }
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
        const struct tech_program *program = uses[k].tech->program;
        if (uses[k].tech == me || !program || !program->shares) continue;
        if (!shared) shared = heap_alloc(p->inst_count * sizeof *shared);
        program->shares(&uses[k], p, block, warp_size, shared);
    }
    return shared;
}
