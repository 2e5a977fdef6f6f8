// An SM's calls of the hooks of its mechanisms (tech.h). Hooks exist only for grids with mechanisms.
//
//     struct tech, with groups ─ copied at a grid's begin on an SM ─▶ struct mech_hooks: one table, no groups
//
// With one mechanism the grid's table is the mechanism's own, and a hook costs one test and one indirect
// call. With several, the table's functions ask the mechanisms in order. `reuse`, `copies` and `port` stop at
// the first mechanism with an answer.
#pragma once
#include "sm/mech/tech.h"
#include "sm/places.h"

struct sm_warp;
struct lsu_entry;

struct mech_hooks {
#define CORE(name)        __typeof__(((struct tech *)NULL)->name) name;
#define HOOK(group, name) __typeof__(((struct tech_##group *)NULL)->name) name;
#include "sm/mech/hooks.def"
#undef CORE
#undef HOOK
};

// A mechanism of one grid on one SM.
struct sm_tech {
    const struct tech *tech;
    struct mech_hooks hooks;
    void *state;
    uint64_t *counters;
    struct sm_pool pool;
    uint8_t held[SM_WARPS]; // by place: bits of enum tech_hold
};

void mech_none(struct sm_grid *g); // at the grid's arrival: no mechanisms until the first block
void mech_block_start(struct sm_grid *g, unsigned block); // the first block also starts the mechanisms
void mech_block_end(struct sm_grid *g, unsigned block);
void mech_end(struct sm_grid *g);
// At the grid's end: NULL, or what is wrong in a mechanism's state or the counts of saved instructions;
// static text.
const char *mech_check(const struct sm_grid *g);
void mech_warp_start(const struct sm_warp *w);
void mech_warp_end(struct sm_grid *g, unsigned slot); // also releases the warp from every hold

// For all grids of the SM. mech_fetch: returns the part of `fetchable` (slots) open to the fetch arbiter; moved: the
// fetchable warps with another pc than at their last call. mech_events: calls the hook `event` for events due now.
uint64_t mech_fetch(struct sm *s, uint64_t fetchable, uint64_t moved);
void mech_events(struct sm *s);

uint32_t mech_fetched(const struct sm_warp *w, uint32_t pc, uint32_t *count, uint32_t most);
void mech_filled(const struct sm_warp *w, uint32_t pc, unsigned count);
void mech_flushed(const struct sm_warp *w);

// From mech_reads to mech_issued or mech_settles (ask.h) an instruction issues. The warp's readiness is evaluated
// afterwards anyway, so tech_hold does not evaluate the warp in between.
bool mech_port(const struct sm_warp *w, uint32_t index);
void mech_cost(const struct sm_warp *w, uint32_t index, struct op_cost *c);

// Registers.
void mech_result(const struct sm_warp *w, uint32_t index, uint64_t cycle);
void mech_replied(const struct sm_warp *w, uint32_t index, const uint16_t *registers, uint64_t cycle);
void mech_kept(const struct sm_warp *w, struct tech_kept words[TECH_REGISTERS]);

// Lines. mech_access: the entry's next line has left the load/store unit. n: filled with the lines to be
// brought to L1 together with this line; NULL: no further lines are possible. Returns the number of the
// mechanism that filled n, for mech_neighbour and mech_line.
unsigned mech_access(const struct lsu_entry *e, enum line_outcome outcome, struct tech_neighbours *n);
void mech_neighbour(struct sm_grid *g, unsigned tech, uint64_t line, enum line_outcome outcome);
// A line requested by the mechanism is under way.
void mech_asked(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token);
// Whether the entry's next line counts as a hit, whatever the L1 holds.
bool mech_foreseen(const struct lsu_entry *e);
void mech_line(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token);
void mech_buffered(struct sm_grid *g, unsigned tech, uint64_t line, enum tech_buffered what);
