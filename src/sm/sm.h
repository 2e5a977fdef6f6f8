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
#include "memory/system.h"
#include "sm/decode.h"

enum gpu_slot {
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name, meaning) SLOT_##which,
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    SLOT_COUNT
};

struct gpu_counts {
#define GPU_COUNTER(group, name, unit, meaning) uint64_t group##_##name;
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name, meaning)
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    uint64_t lanes[LANES_COUNT]; // enum gpu_lanes
    uint64_t slots[SLOT_COUNT];
};

struct sm;
struct sm_grid; // what it has of a grid
struct tech_use;
enum { TECH_MAX = 4 };

struct sm_pool {
    uint32_t first, count;
};

struct grid;

enum lsu_kind { // of memory instructions
    LSU_SHARED,
    LSU_LOAD,
    LSU_LOAD_PAST_L1, // of L2 alone, whatever L1 has
    LSU_LOCAL_LOAD,
    LSU_STORE,
    LSU_LOCAL_STORE,
    LSU_ATOMIC,
    LSU_REDUCE,
    LSU_CONSTANT,
    LSU_TEXTURE
};

enum line_outcome { // of a line that the load/store unit is to send
    LINE_STALLED,   // there is no MSHR, or no way
    LINE_HIT,       // its cache has it
    LINE_MISS,      // its cache has asked for it
    LINE_JOINED,    // its cache had done so before
    LINE_KEPT,      // a store, and its cache keeps it
    LINE_PASSED     // it has gone on to the L2: stores that go through, atomics, loads that no cache serves
};

struct sm_end { // of a warp or a block, that has left its room
    uint64_t cycle;
    unsigned sm;
    struct grid *grid;
    uint32_t warps; // whose slots and registers are free
    bool is_block;  // its shared memory and all else that is a block's
};

struct tech_room;

// What all SMs of a kind share in a launch, and do not change.
struct sm_launch {
    struct grid *grid;
    uint8_t number;     // of the grid, while it lives: its requests carry it
    uint64_t space;     // added to the addresses of constants and local memory, which are each grid's own
    uint64_t code;      // address of the first instruction in the SM's caches, the grid's own
    uint64_t kept_code; // and in the L2: the same, or with icache.keep the kernel's
    const struct memory_config *memory;
    const struct gpu_kind *kind;
    const struct launch *launch;
    struct decoded decoded;
    uint64_t window;                              // cycles
    uint32_t warps_per_block, registers_per_warp; // vector registers, allocated
    uint32_t warps_by_block;                      // on an SM at most, dispatched by block
    // 0 until all mechanisms have looked at the launch, and may have changed them.
    uint32_t blocks_per_sm, places; // of its warps on an SM (room.h)
    // The mechanism that dispatches by warp (tech.h), and what it made of the launch; NULL: by block.
    uint32_t (*admit)(const void *launch, const struct tech_room *r);
    const void *admits;
    // Mechanisms, what each made of the launch, and its part of a block's renamed registers.
    const struct tech_use *techs[TECH_MAX];
    void *tech_states[TECH_MAX];
    struct sm_pool pools[TECH_MAX];
    unsigned tech_count;
    uint32_t pool;  // all parts
    bool has_guest; // one of them claims the guest stream
    bool has_port;  // and one the issue port
};

// What mechanisms keep an instruction from: being fetched (it is skipped), or executed once fetched (reused).
enum tech_saving {
    SAVED_FETCH,     // it was not fetched
    SAVED_EXECUTION, // it was fetched, and not executed
    SAVED_SLOT, // it was executed, and took no slot of a scheduler: a port's, or a guest's beside the schedulers
    SAVINGS
};

struct sm *sm_create(const struct gpu_config *c, uint32_t line_bytes, unsigned index, uint64_t now);
void sm_destroy(struct sm *s); // and all grids' parts of it
// The same SM without a grid, as new but for what its caches keep.
struct sm *sm_renew(struct sm *s, uint64_t now);
// A grid comes to an SM, between windows, and leaves it when all its blocks have ended and its requests have
// been answered. What is under way in it is told apart by these parts.
struct sm_grid *sm_admit(struct sm *s, const struct sm_launch *l, struct timed_engine *engine);
void sm_dismiss(struct sm_grid *g);
void sm_kill(struct sm_grid *g); // its warps exit, and no block comes; what is under way goes its way
bool sm_has_grids(const struct sm *s);
bool sm_is_shared(const struct sm *s);  // by several
bool sm_is_crowded(const struct sm *s); // no other can come
// So many warps of the block start then, not before the next window: its first ones, or further ones.
void sm_place(struct sm_grid *g, uint64_t block, uint32_t warps, uint64_t cycle);
// Runs to cycle `until`, taking the replies that arrive before and asking memory for more. A grid whose warp meets a
// fault is killed.
void sm_run(struct sm *s, struct memory_system *m, uint64_t until);
// From now on its counts are kept at that cycle and every `interval` cycles later; sm_samples hands out those
// since its last call.
void sm_sample(struct sm_grid *g, uint64_t first, uint64_t interval);
const struct gpu_counts *sm_samples(struct sm_grid *g, size_t *count);
struct watch_sm;
void sm_watch(struct sm *s, struct watch_sm *w); // NULL: nobody watches
// What has ended since the last call.
size_t sm_ended(struct sm *s, struct sm_end **ends); // forgets it
// The first cycle at which anything can happen without a new reply or block; UINT64_MAX: never.
uint64_t sm_next(const struct sm *s);
// Nothing will happen without one. A mechanism's watchdogs count for nothing when there is no block to wait
// for.
bool sm_is_quiet(const struct sm *s);
bool sm_is_done_with(const struct sm_grid *g); // no block of it is here or comes, and no reply
bool sm_has_blocks(const struct sm_grid *g);   // that have not ended
struct cta *
sm_stuck_block(const struct sm_grid *g);         // one of them that waits for no room; NULL: there is none
void sm_collect(struct sm_grid *g);              // adds the counts of blocks that have not ended
uint64_t sm_last_reply(const struct sm_grid *g); // cycle
uint64_t sm_unanswered(const struct sm_grid *g); // requests
uint64_t sm_take_active(struct sm *s);           // cycles with a warp since it was asked last
const struct gpu_counts *sm_counts(struct sm_grid *g);
const uint64_t *sm_tech_counts(const struct sm_grid *g,
                               const struct tech_use *u); // NULL: not in this launch
const uint64_t *sm_inst_slots(const struct sm_grid *g);   // [instruction, or none][SLOT_COUNT]
// Warp instructions that mechanisms saved, [instruction][enum tech_saving]; NULL: there are no mechanisms.
const uint64_t *sm_inst_saved(const struct sm_grid *g);
// One line a warp that has not ended: pc, source line, what it waits for, since which cycle after `begin`; and who has not
// started.
void sm_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out);
// NULL when the grid's books balance at its end, else what does not; static text. Those of the SM: when no grid
// is here.
const char *sm_check_grid(const struct sm_grid *g);
const char *sm_check(const struct sm *s);
