// The account of an SM: the use of the schedulers' issue slots, in total and by instruction. Written only in
// account.c and in this header, readable everywhere. (The counters of counters.def are in struct sm_grid and
// are incremented by the SM's parts.)
#pragma once
#include "base/vec.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;

// Where an awaited result comes from. AWAITED: memory, and the reply is outstanding. Values from SOURCE_LEVEL on:
// SOURCE_LEVEL + enum gpu_level, the level's column in a row of slots.
enum { SOURCE_ALU, SOURCE_AWAITED, SOURCE_LEVEL = SLOT_COUNT };
_Static_assert((int)SOURCE_AWAITED == (int)SLOT_NO_WARP, "in ready_warp.charged no other wait has the value");

struct account {
    uint64_t sample_at; // cycle of the next sample of any grid; CYCLE_NEVER: none
    uint64_t cycles;    // cycles with a resident warp of any grid
    uint64_t told;      // value of `cycles` at the last sm_take_active
    unsigned warps;     // resident at the last account_look
    // By warp slot: slots charged to SLOT_MEMORY and instruction waiting_inst, not yet to a level: the awaited reply
    // says which.
    uint64_t waiting[SM_SLOTS];
    uint32_t waiting_inst[SM_SLOTS];
};

struct account_grid {
    // Scheduler slots, of the grid and by instruction: [instruction; last row: no instruction][SLOT_COLUMNS]. Column
    // SLOT_MEMORY has the slots without a level yet. SLOT_ISSUED: only by instruction.
    uint64_t columns[SLOT_COLUMNS];
    uint64_t *inst_slots;
    uint64_t *inst_saved;           // times work was saved: [instruction][SAVINGS]; NULL: no mechanisms began
    uint64_t sample_at, interval;   // cycle of the next sample, CYCLE_NEVER: none; cycles between samples
    VEC(struct gpu_counts) samples; // counts up to each sample
    // With several grids on the SM, the grid's share in fixed point: of active cycles, and of slots of
    // schedulers without a warp.
    uint64_t cycle_parts, no_warp_parts;
    unsigned warps; // resident at the last account_look
};

void account_init(struct sm *s);
void account_begin(struct sm_grid *g);
void account_end(struct sm_grid *g);
void account_begin_techs(struct sm_grid *g);
// Call before a cycle with several grids: records the number of resident warps of every grid.
void account_look(struct sm *s);
// Accounts for `cycles` equal cycles with resident_count (at least 1) resident warps on the SM.
void account_cycles(struct sm *s, unsigned resident_count, uint64_t cycles);
void account_settle(struct sm_grid *g); // sets the counts of slots and levels
void account_sample(struct sm *s);
void account_block_ended(struct sm_grid *g, const struct cta *c);
const char *account_check(const struct sm_grid *g); // NULL: the account balances; else static text

// Charges issue slots to a column and to the instruction with index `inst`. `inst` equal to the program's
// instruction count: no instruction.
static inline __attribute__((always_inline)) void account_charge(struct account_grid *a, uint64_t column,
                                                                 uint64_t inst, uint64_t slots)
{
    a->columns[column] += slots;
    a->inst_slots[inst * SLOT_COLUMNS + column] += slots;
}
// Charges slots to the level that the warp in `slot` waits for. A level not known yet is charged by account_came.
void account_waited(struct sm *s, unsigned slot, uint32_t inst, uint64_t slots);
// The result that the warp in `slot` waits for came from the level.
void account_came(struct sm *s, unsigned slot, enum gpu_level level);
static inline void account_issued(struct account_grid *a, uint32_t inst)
{
    a->inst_slots[(size_t)inst * SLOT_COLUMNS + SLOT_ISSUED]++;
}
static inline void account_saved(struct account_grid *a, uint32_t inst, enum tech_saving what)
{
    a->inst_saved[(size_t)inst * SAVINGS + what]++;
}
