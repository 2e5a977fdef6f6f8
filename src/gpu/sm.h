// One streaming multiprocessor, simulated a window of time at a time.
//
//     fetch ─▶ I-buffers ─▶ schedulers ─▶ collectors ─▶ pipelines ─▶ registers
//     (front.c)      (ready.c, issue.c)     (operand.c)    │
//                               │ executes                 ▼
//                               ▼                      load/store unit ─▶ L1, shared … ─▶ requests
//                           exec/timed.h               (lsu.c, tags.c)
//
// An instruction is executed when it is issued; what comes after decides only when its registers are ready.
// Inside a window an SM depends on nothing but itself, so SMs may be simulated in any order or at once.
#pragma once
#include "base/progress.h"
#include "exec/timed.h"
#include "gpu/decode.h"
#include "memory/system.h"

enum gpu_slot {
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name, meaning) SLOT_##which,
#include "gpu/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    SLOT_COUNT
};

struct gpu_counts {
#define GPU_COUNTER(group, name, unit, meaning) uint64_t group##_##name;
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name, meaning)
#include "gpu/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    uint64_t lanes[LANES_COUNT]; // enum gpu_lanes
    uint64_t slots[SLOT_COUNT];
};

struct sm;
struct tech_use;
enum { TECH_MAX = 4 };

struct sm_pool {
    uint32_t first, count;
};

struct sm_block_end {
    uint64_t cycle;
    unsigned sm;
};

// What all SMs of a kind share in a launch, and do not change.
struct sm_launch {
    const struct chip_config *config;
    const struct gpu_kind *kind;
    const struct launch *launch;
    struct decoded decoded;
    uint64_t window;                                             // cycles
    uint32_t blocks_per_sm, warps_per_block, registers_per_warp; // vector registers, allocated
    // Mechanisms, what each made of the launch, and its part of a block's renamed registers.
    const struct tech_use *techs[TECH_MAX];
    void *tech_states[TECH_MAX];
    struct sm_pool pools[TECH_MAX];
    unsigned tech_count;
    uint32_t pool; // all parts
};

// What mechanisms keep an instruction from: being fetched (it is skipped), or executed once fetched (reused).
enum tech_saving { SAVED_FETCH, SAVED_EXECUTION, SAVINGS };

struct sm *sm_create(const struct sm_launch *l, struct timed_engine *engine, unsigned index, uint64_t now);
void sm_destroy(struct sm *s);
void sm_place(struct sm *s, uint64_t block, uint64_t cycle); // to start then; not before the next window
// Runs to cycle `until`, taking the replies that arrive before and asking memory for more. False after a
// fault.
bool sm_run(struct sm *s, struct memory_system *m, uint64_t until);
// From now on its counts are kept at that cycle and every `interval` cycles later; sm_samples hands out those
// since its last call.
void sm_sample(struct sm *s, uint64_t first, uint64_t interval);
const struct gpu_counts *sm_samples(struct sm *s, size_t *count);
// The blocks that ended since the last call.
size_t sm_ended(struct sm *s, struct sm_block_end **ends); // forgets them
// The first cycle at which anything can happen without a new reply or block; UINT64_MAX: never.
uint64_t sm_next(const struct sm *s);
// Nothing will happen without one. A mechanism's watchdogs count for nothing when there is no block to wait
// for.
bool sm_is_quiet(const struct sm *s);
bool sm_is_idle(const struct sm *s);            // no block, nothing under way
struct cta *sm_stuck_block(const struct sm *s); // a block that has not ended, NULL when there is none
void sm_collect(struct sm *s);                  // adds the counts of blocks that have not ended
uint64_t sm_last_reply(const struct sm *s);     // cycle
const struct gpu_counts *sm_counts(const struct sm *s);
const uint64_t *sm_tech_counts(const struct sm *s, const struct tech_use *u); // NULL: not in this launch
const uint64_t *sm_inst_slots(const struct sm *s); // [instruction, or none][SLOT_COUNT]
// Warp instructions that mechanisms saved, [instruction][enum tech_saving]; NULL: there are no mechanisms.
const uint64_t *sm_inst_saved(const struct sm *s);
// One line a warp that has not ended: pc, source line, what it waits for, since when.
void sm_report(const struct sm *s, struct strbuf *out);
// NULL when its books balance at the end of a launch, else what does not; static text.
const char *sm_check(const struct sm *s);
