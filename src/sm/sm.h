// One streaming multiprocessor, simulated a window of time at a time.
//
//     fetch ─▶ I-buffers ─▶ schedulers ─▶ collectors ─▶ pipelines ─▶ registers
//     (front.c)      (ready.c, issue.c)     (operand.c)    │
//                               │ executes                 ▼
//                               ▼                      load/store unit ─▶ L1, shared … ─▶ requests
//                           exec/timed.h               (lsu.c, tags.c)
//
// An instruction executes functionally at issue; the later stages only time the results. Inside a window an
// SM depends on its own state alone, so SMs may be simulated in any order or in parallel.
#pragma once
#include "base/progress.h"
#include "sm/decode.h"

struct cta;
struct launch;
struct memory_system;
struct timed_engine;

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

enum gpu_level { // places that results of memory instructions come from, the farther the larger up to LEVEL_DRAM
#define GPU_COUNTER(group, name, unit, meaning)
#define GPU_LANES(which, name, meaning)
#define GPU_SLOT(which, name, meaning)
#define GPU_LEVEL(which, name, meaning) LEVEL_##which,
#include "sm/counters.def"
#undef GPU_COUNTER
#undef GPU_LANES
#undef GPU_SLOT
    LEVEL_COUNT,
    SLOT_COLUMNS =
        SLOT_COUNT + LEVEL_COUNT // of a row of slots: by enum gpu_slot, then SLOT_MEMORY's by level
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
    uint64_t levels[LEVEL_COUNT]; // of slots[SLOT_MEMORY]; of a running grid, without the waits that last
};

struct sm;
struct sm_grid;
struct tech_use;
enum { TECH_MAX = 4 };

struct sm_pool {
    uint32_t first, count;
};

struct grid;

enum lsu_kind { // kinds of memory instructions
    LSU_SHARED,
    LSU_LOAD,
    // served by the L2 alone: .cg, .cv, strong loads with a scope beyond the block
    LSU_LOAD_PAST_L1,
    LSU_LOCAL_LOAD,
    LSU_STORE,
    LSU_LOCAL_STORE,
    LSU_ATOMIC,
    LSU_REDUCE,
    LSU_CONSTANT,
    LSU_TEXTURE,
    LSU_REMOTE // shared memory of another block of the cluster (net.h)
};

enum line_outcome { // what became of a line sent by the load/store unit
    LINE_STALLED,   // no free MSHR or way: try again after a reply
    LINE_HIT,       // present in the cache
    LINE_MISS,      // absent: the cache has sent a request
    LINE_JOINED,    // absent: an earlier request for the line is outstanding
    LINE_KEPT,      // a store, kept in the cache
    // sent on to the L2: write-through stores, atomics, loads served by no cache of the SM
    LINE_PASSED
};

struct sm_end { // a warp or a block has ended and freed its resources
    uint64_t cycle;
    unsigned sm;
    struct grid *grid;
    uint32_t warps; // number of warps; slots and registers are free from `cycle` on
    bool is_block;  // false: a warp; true: a block, with its shared memory and context
};

struct tech_room;

// State of a launch shared by all SMs of a kind; SMs only read it.
struct sm_launch {
    struct grid *grid;
    uint8_t number; // unique among the grids on the chip; requests carry the number
    // added to the addresses of constants and local memory, and in the SM's caches of global memory, so that
    // grids do not share cache lines
    uint64_t space;
    // address of the grid's first instruction in the SM's caches, different for every grid
    uint64_t code;
    // address of the grid's first instruction in the L2; with icache.keep, shared by all launches of the
    // kernel
    uint64_t kept_code;
    const struct memory_config *memory;
    const struct gpu_kind *kind;
    const struct launch *launch;
    struct decoded decoded;
    uint64_t window;                              // cycles
    uint32_t warps_per_block, registers_per_warp; // vector registers, allocated
    uint32_t warps_by_block;                      // most warps of the grid on an SM under dispatch by block
    // Limits for one SM, not final until every mechanism has seen the launch and possibly changed the limits.
    uint32_t blocks_per_sm, places; // places: warps of the grid on an SM at most (room.h)
    // Function of the mechanism that dispatches by warp (tech.h), and the mechanism's state for the launch;
    // NULL: dispatch by block.
    uint32_t (*admit)(const void *launch, const struct tech_room *r);
    const void *admits;
    // By index of the mechanism: its use by the launch, its state for the launch, its part of a block's
    // renamed registers.
    const struct tech_use *techs[TECH_MAX];
    void *tech_states[TECH_MAX];
    struct sm_pool pools[TECH_MAX];
    unsigned tech_count;
    uint32_t pool;  // sum of the parts
    bool has_guest; // a mechanism claims the guest stream
    bool has_port;  // a mechanism claims the issue port
};

// Work that mechanisms save an instruction.
enum tech_saving {
    SAVED_FETCH,     // skipped: not fetched, or dropped before issue
    SAVED_EXECUTION, // reused: issued, not executed
    // executed without a scheduler slot: issued by a mechanism's port, or by a guest beside the schedulers
    SAVED_SLOT,
    SAVINGS
};

struct sm *sm_create(const struct gpu_config *c, uint32_t line_bytes, unsigned index, uint64_t now);
void sm_destroy(struct sm *s); // with its parts of all grids
// Destroys the SM and returns a new one without grids. Only lines kept by l1.keep, texture.keep, icache.warm and constant.keep carry
// over.
struct sm *sm_renew(struct sm *s, uint64_t now);
// Adds a grid to the SM, between windows, and returns the SM's part of the grid. sm_dismiss removes the grid;
// call only once sm_is_done_with holds, or before the SM is destroyed.
struct sm_grid *sm_admit(struct sm *s, const struct sm_launch *l, struct timed_engine *engine);
void sm_dismiss(struct sm_grid *g);
void sm_kill(struct sm_grid *g); // all warps exit, no more blocks start; outstanding requests drain
bool sm_has_grids(const struct sm *s);
bool sm_is_shared(const struct sm *s);  // by two grids or more
bool sm_is_crowded(const struct sm *s); // no room for another grid
// Starts the next `warps` warps of a block, the first or later warps, at `cycle` or as soon as slots are
// free. `cycle` must not be before the next window.
// sms: of a launch in clusters of several blocks, the SMs of the block's cluster, by rank.
void sm_place(struct sm_grid *g, uint64_t block, uint32_t warps, uint64_t cycle, const uint8_t *sms);
// Hands over what SMs have sent to each other in the window (net.h). sms: by number; busy: SMs with a grid, in order.
void sm_exchange(struct sm *const *sms, struct sm *const *busy, size_t count);
// Runs to cycle `until`: takes the replies due before `until` and sends requests to memory. A fault in a
// warp kills the warps of its grid on the SM (sm_kill).
void sm_run(struct sm *s, struct memory_system *m, uint64_t until);
// Samples the grid's counts at cycle `first` and every `interval` cycles later. sm_samples returns the
// samples since its last call; the SM owns the array.
void sm_sample(struct sm_grid *g, uint64_t first, uint64_t interval);
const struct gpu_counts *sm_samples(struct sm_grid *g, size_t *count);
struct watch_sm;
void sm_watch(struct sm *s, struct watch_sm *w); // NULL: stop watching
// Returns the number of ends since the last call and the SM's array of ends, and empties the array. Ends are
// of blocks, and under dispatch by warp of warps, too.
size_t sm_ended(struct sm *s, struct sm_end **ends);
// The first cycle with an event of the SM, other than events caused by a new reply or block; UINT64_MAX:
// never.
uint64_t sm_next(const struct sm *s);
// Whether no event is left without a new reply or block. Events of mechanisms (watchdogs) and guests count
// only while some warp slot is taken.
bool sm_is_quiet(const struct sm *s);
// Whether the grid has no running or queued block and no outstanding request.
bool sm_is_done_with(const struct sm_grid *g);
bool sm_has_blocks(const struct sm_grid *g); // blocks still running
// A running block whose warps have all started; NULL: none.
struct cta *sm_stuck_block(const struct sm_grid *g);
void sm_collect(struct sm_grid *g);              // adds the counts of running blocks
uint64_t sm_last_reply(const struct sm_grid *g); // cycle
uint64_t sm_unanswered(const struct sm_grid *g); // requests
uint64_t sm_take_active(struct sm *s);           // cycles with a resident warp since the last call
const struct gpu_counts *sm_counts(struct sm_grid *g);
const uint64_t *sm_tech_counts(const struct sm_grid *g,
                               const struct tech_use *u); // NULL: not in this launch
// Adds the slots of every instruction to `to`: [instruction, last: no instruction][SLOT_COLUMNS].
void sm_add_inst_slots(const struct sm_grid *g, uint64_t *to);
// Numbers of warp instructions saved by mechanisms, [instruction][enum tech_saving]; NULL: no mechanisms
// began.
const uint64_t *sm_inst_saved(const struct sm_grid *g);
// Appends a line for each block with warps not started yet, for each live warp, for each ended warp that
// waits for replies, and for a guest. The line of a live warp: reason of the wait, start of the wait in
// cycles after `begin`, pc, source line.
void sm_report(const struct sm_grid *g, uint64_t begin, struct strbuf *out);
// sm_check_grid: NULL if everything counted for the grid is settled at the grid's end; else the imbalance,
// static text. sm_check: likewise for the whole SM, once all grids have left.
const char *sm_check_grid(const struct sm_grid *g);
const char *sm_check(const struct sm *s);
