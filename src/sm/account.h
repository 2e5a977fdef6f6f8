// The account of an SM: what its schedulers' slots went to, cycle by cycle, in all and by instruction.
// account.c alone writes these; everybody may read them. (The counters of counters.def are in struct sm_grid:
// each part counts its own.)
#pragma once
#include "base/vec.h"
#include "sm/sm.h"

struct sm_grid;

struct account {
    uint64_t sample_at; // cycle of the grids' next sample; CYCLE_NEVER: none is taken
    uint64_t cycles;    // with a warp: what the grids' add up to
    uint64_t told;      // of those, to whoever shares out what is left
    unsigned warps;     // resident at the last look
};

struct account_grid {
    uint64_t *inst_slots;           // [instruction, or none][SLOT_COUNT]
    uint64_t *inst_saved;           // [instruction][SAVINGS], with mechanisms
    uint64_t sample_at, interval;   // cycle of the next sample; CYCLE_NEVER: none are taken
    VEC(struct gpu_counts) samples; // the counts so far at each
    // Beside other grids: its parts of active cycles, and of the slots of schedulers without a warp.
    uint64_t cycle_parts, no_warp_parts;
    unsigned warps; // resident at the last look
};

void account_init(struct sm *s);
void account_begin(struct sm_grid *g);
void account_end(struct sm_grid *g);
void account_begin_techs(struct sm_grid *g);
// Before the cycle, for several grids: how many warps each has.
void account_look(struct sm *s);
// So many cycles have passed, alike, with so many warps resident, which are some.
void account_cycles(struct sm *s, unsigned resident_count, uint64_t cycles);
void account_settle(struct sm_grid *g); // counts what is the same as another count
void account_sample(struct sm *s);
const char *account_check(const struct sm_grid *g); // NULL: it balances

static inline void account_issued(struct account_grid *a, uint32_t inst)
{
    a->inst_slots[(size_t)inst * SLOT_COUNT + SLOT_ISSUED]++;
}
static inline void account_saved(struct account_grid *a, uint32_t inst, enum tech_saving what)
{
    a->inst_saved[(size_t)inst * SAVINGS + what]++;
}
