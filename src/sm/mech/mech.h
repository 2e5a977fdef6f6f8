// What an SM asks its mechanisms (tech.h). Called only for grids with mechanisms.
//
//     struct tech, with groups ── copied when a grid begins on an SM ─▶ struct mech_hooks, one table without NULL groups
//
// With one mechanism the grid's table is the mechanism's own; with several it has functions that ask all of them in order. So a
// hook costs one test and one indirect call.
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

// A mechanism of a grid on an SM.
struct sm_tech {
    const struct tech *tech;
    struct mech_hooks hooks;
    void *state;
    uint64_t *counters;
    struct sm_pool pool;
    uint8_t held[SM_WARPS]; // enum tech_hold, by place
};

void mech_none(struct sm_grid *g);                        // the grid has come, without mechanisms so far
void mech_block_start(struct sm_grid *g, unsigned block); // the first block brings the mechanisms
void mech_block_end(struct sm_grid *g, unsigned block);
void mech_end(struct sm_grid *g);
const char *mech_check(const struct sm_grid *g); // NULL, or which book of a mechanism does not balance
void mech_warp_start(const struct sm_warp *w);
void mech_warp_end(struct sm_grid *g, unsigned slot); // no mechanism holds the warp any more

// Of all grids of an SM: slots that may be fetched for, of those given; events due now.
uint64_t mech_fetch(struct sm *s, uint64_t fetchable);
void mech_events(struct sm *s);

uint32_t mech_fetched(const struct sm_warp *w, uint32_t pc, uint32_t *count, uint32_t most);
void mech_filled(const struct sm_warp *w, uint32_t pc, unsigned count);
void mech_flushed(const struct sm_warp *w);

// An instruction issues, from mech_reads to mech_issued or mech_settles. A mechanism that holds the warp in between has the warp's
// readiness evaluated behind that.
uint32_t mech_copies(const struct sm_warp *w,
                     uint32_t index); // register to be written into all lanes first, + 1; 0: none
void mech_reads(const struct sm_warp *w, uint32_t index);
uint32_t mech_reuse(const struct sm_warp *w,
                    uint32_t index); // cycles to a result that a mechanism has; 0: none
bool mech_port(const struct sm_warp *w, uint32_t index);
void mech_executed(const struct sm_warp *w, uint32_t index);
void mech_cost(const struct sm_warp *w, uint32_t index, struct op_cost *c);
void mech_issued(const struct sm_warp *w, uint32_t index,
                 bool goes_on);       // goes_on: the next instruction may issue this cycle
void mech_settles(struct sm_grid *g); // the instruction did not issue, or its block has ended with it

// Registers. elsewhere: bits of registers read, or written, for which mech_operand is to be called; all others are in the main register
// file. Only of grids with the hook `elsewhere`.
uint32_t mech_elsewhere(const struct sm_warp *w, uint32_t index, bool is_write);
void mech_operand(const struct sm_warp *w, uint32_t index, struct operand_access *a);
void mech_result(const struct sm_warp *w, uint32_t index, uint64_t cycle);
void mech_replied(const struct sm_warp *w, uint32_t index, const uint16_t *registers, uint64_t cycle);
void mech_kept(const struct sm_warp *w, struct tech_kept words[TECH_REGISTERS]);

// Lines. The entry's next line has left the load/store unit. n: filled with lines to come with it; NULL: none can. Returns the number of
// the mechanism that filled n, which mech_neighbour and mech_line take.
unsigned mech_access(const struct lsu_entry *e, enum line_outcome outcome, struct tech_neighbours *n);
void mech_neighbour(struct sm_grid *g, unsigned tech, uint64_t line, enum line_outcome outcome);
void mech_line(struct sm_grid *g, unsigned tech, uint64_t line, uint32_t token);
