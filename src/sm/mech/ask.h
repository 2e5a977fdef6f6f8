// Calls of the hooks that concern every instruction, inline. A hook absent from the grid's table costs a test.
#pragma once
#include "sm/sm_impl.h"

#define ASK(g, name, ...) ((g)->hooks->name ? (g)->hooks->name((g)->hooked, __VA_ARGS__) : (void)0)

// Hooks (CONCERNS_*) to be called for an instruction that a warp is about to issue.
static inline unsigned mech_concerns(const struct sm_warp *w, uint32_t index)
{
    const struct tech_concerns *c = &w->grid->concerns;
    if (!c->hooks || *c->attentive >> w->place & 1) return CONCERNS_ALL;
    return c->hooks[index];
}

// r + 1, perhaps with TECH_COPY_LANES, if register Rr must first move to all lanes of a register of the warp (hook
// `copies`); 0: no such register.
static inline uint32_t mech_copies(const struct sm_warp *w, uint32_t index)
{
    const struct sm_grid *g = w->grid;
    return g->hooks->copies ? g->hooks->copies(g->hooked, w->place, index) : 0;
}

// Calls the hook `reads`. The instruction has passed the checks of issue, such as room in the load/store
// queue. A hold set by a mechanism in the hook `reads` therefore begins after the instruction.
static inline void mech_begins(const struct sm_warp *w)
{
    w->grid->looked_at = w->place;
} // where `reads` is not called
static inline void mech_reads(const struct sm_warp *w, uint32_t index)
{
    mech_begins(w);
    ASK(w->grid, reads, w->place, index);
}

// Latency in cycles of a result supplied by a mechanism; 0: no mechanism has the result.
static inline uint32_t mech_reuse(const struct sm_warp *w, uint32_t index)
{
    struct sm_grid *g = w->grid;
    uint32_t cycles = g->hooks->reuse ? g->hooks->reuse(g->hooked, w->place, index) : 0;
    if (cycles) account_saved(&g->account, index, SAVED_EXECUTION);
    return cycles;
}

// The same for a memory instruction with an accessing lane.
static inline uint32_t mech_reuse_load(const struct sm_warp *w, uint32_t index)
{
    struct sm_grid *g = w->grid;
    uint32_t cycles = g->hooks->reuse_load ? g->hooks->reuse_load(g->hooked, w->place, index) : 0;
    if (cycles) account_saved(&g->account, index, SAVED_EXECUTION);
    return cycles;
}

static inline void mech_executed(const struct sm_warp *w, uint32_t index)
{
    ASK(w->grid, executed, w->place, index);
}

// In place of mech_issued, ends what mech_reads began: the instruction did not issue, or its warp has already
// given back the slot.
static inline void mech_settles(struct sm_grid *g) { g->looked_at = NO_WARP; }

// goes_on: the warp goes on with the next instruction in program order. The caller evaluates the warp's
// readiness after mech_issued.
static inline void mech_issued(const struct sm_warp *w, uint32_t index, bool goes_on)
{
    struct sm_grid *g = w->grid;
    g->looked_at = goes_on ? w->place : NO_WARP;
    ASK(g, issued, w->place, index);
    mech_settles(g);
}
