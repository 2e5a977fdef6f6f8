// The account of an SM: what its schedulers' slots went to, cycle by cycle, in all and by instruction.
// account.c alone writes these; everybody may read them. (The counters of counters.def are in struct sm: each
// part counts its own.)
#pragma once
#include "base/vec.h"
#include "gpu/sm.h"

struct account {
    uint64_t *inst_slots;           // [instruction, or none][SLOT_COUNT]
    uint64_t *inst_saved;           // [instruction][SAVINGS], with mechanisms
    uint64_t sample_at, interval;   // cycle of the next sample; CYCLE_NEVER: none are taken
    VEC(struct gpu_counts) samples; // the counts so far at each
};

void account_init(struct sm *s);
void account_fini(struct sm *s);
void account_begin_techs(struct sm *s);
// So many cycles have passed, alike, with so many warps resident, which are some.
void account_cycles(struct sm *s, unsigned resident_count, uint64_t cycles);
void account_sample(struct sm *s);
const char *account_check(const struct sm *s); // NULL: it balances

static inline void account_issued(struct account *a, uint32_t inst)
{
    a->inst_slots[(size_t)inst * SLOT_COUNT + SLOT_ISSUED]++;
}
static inline void account_saved(struct account *a, uint32_t inst, enum tech_saving what)
{
    a->inst_saved[(size_t)inst * SAVINGS + what]++;
}
