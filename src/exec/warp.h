// The state of a warp, of its splits and of its block while a launch executes: for exec/, for the timing
// models, which execute an instruction at issue, and for observed runs.
//
// The registers of a warp are vectors of one 32-bit word per lane, vector_bytes each, consecutive in memory.
// After the program's registers come zero vectors (reads of RZ) and sinks (writes to RZ). A warp of fewer than 32 threads is a 32-lane warp with lanes absent. A program
// sees a 64-lane warp as two groups of 32 lanes: %laneid, %warpid, member masks and shuffles stay within a
// group.
#pragma once
#include "base/vec.h"
#include "exec/access.h"
#include "exec/counts.h"
#include "exec/observe.h"
#include "exec/spare.h"
#include "isa/bank.h"

enum { LANES_MAX = WARP_SIZE_MAX, GROUP_LANES = 32, BARRIERS = 16, NO_BARRIER = 255, NO_SLOT = UINT16_MAX };
enum { PRED_SINK = 8, PRED_SLOTS = 9 };
#define NO_LIMIT UINT32_MAX

struct async_warp;
struct bound;
struct checker_block;
struct exec;
struct look_block;
struct race_block;

// A split: lanes of a warp that execute together. simt=stack: the splits are a stack and the last entry runs.
// simt=splits and simt=nest: the splits are a set and any ready split may run.
enum split_state {
    SPLIT_READY,
    SPLIT_SYNC,
    SPLIT_WARPSYNC,
    SPLIT_BARRIER,
    SPLIT_ARRIVE,
    SPLIT_PHASE,
    SPLIT_CLUSTER /* phase.h */
};

struct split {
    uint64_t mask;
    uint32_t pc;    // instruction index; of the running split valid only after a stop
    uint32_t depth; // call depth; simt=nest: nest level
    // simt=stack: the entry ends at rejoin_pc and its lanes continue in the entry below; NO_TARGET: no end pc
    uint32_t rejoin_pc;
    uint32_t rejoin_depth;
    uint64_t waits_for; // SYNC, WARPSYNC: member lanes; PHASE: parity << 63 | address of the mbarrier
    uint8_t state;      // enum split_state
    uint8_t barrier;    // BARRIER, ARRIVE: barrier number
    // SPLIT_BARRIER: destination of the result of BAR.RED (register offset and predicate index, or sinks).
    uint8_t result_q, result_boolean;
    uint32_t result_dst;
    uint64_t result_lanes;
    uint32_t barrier_threads; // operand of the instruction; 0: the whole block
};

enum warp_state { WARP_READY, WARP_BARRIER, WARP_DONE };

struct warp {
    uint64_t pred[PRED_SLOTS]; // lane masks; [PRED_TRUE] is `full`, [PRED_SINK] is never read
    uint64_t active;           // lanes of the running split
    uint64_t full;             // lane mask of a full warp
    uint8_t *regs;
    const uint8_t *threads; // vectors of thread indices and lane numbers
    struct exec *exec;
    struct cta *cta;
    const struct bound *run_start; // first instruction of the current straight run, not yet counted
    uint64_t issued;               // warp instructions issued since the warp started
    uint64_t slice_end;            // value of `issued` at which the warp stops at its next branch
    uint8_t *shared;
    // Bounds of the shared memory accessible to the warp: offsets, or addresses on a flat machine.
    uint64_t shared_from, shared_end;
    // Interleaved by lane in words: byte b of lane l is at b / 4 * local_stride + l * 4 + b % 4.
    uint8_t *local;
    struct exec_counts counts;

    uint64_t present; // lanes with a thread
    uint64_t exited;
    uint32_t index; // in the block
    uint32_t depth; // of the running split: call depth; simt=nest: nest level
    uint32_t pc;    // of the running split, valid while the warp is stopped
    uint8_t state;  // enum warp_state
    VEC(struct split) splits;
    uint32_t current;        // index of the running split (simt=stack: the last split)
    uint32_t split_fuel;     // simt=splits: backward branches left before another split's turn
    uint32_t split_turn;     // simt=splits: joins the running split may still pass without yielding
    uint64_t waiting_places; // simt=nest: PCs of splits that wait at the running split's level, bit pc % 64
    uint32_t turn_lane;      // simt=splits: lane that chose the split of the last turn
    // Threads counted by a barrier on arrival: the warp's own, rounded up to groups of 32 (or to a smaller
    // warp size).
    uint32_t arrival;
    struct async_warp *async; // copies under way (async.h); NULL: none since the block's creation
    uint64_t cluster_arrived; // lanes that have arrived in the present phase of the cluster's barrier
    uint32_t parked;          // splits in SPLIT_PHASE
    uint32_t parked_ns;       // time limit of the last, NO_LIMIT: the GPU's
    uint8_t waits_at;         // barrier at which the warp has arrived and waits; NO_BARRIER: none
};

struct barrier {
    uint32_t arrived;  // threads, counted by whole warps
    uint32_t expected; // threads; 0: the whole block
    uint32_t popc;     // true predicates of BAR.RED so far
    bool all, any;
};

// Blocks that share their shared memory and a barrier. In timed runs every block has a copy of its own (remote.h).
struct cluster {
    struct cta *cta[ISA_CLUSTER_MAX]; // by rank; NULL: the block has ended, or (timed) is another
    uint32_t size, left;              // left: blocks not ended
    uint32_t there;                   // ranks as bits: blocks not ended
    uint32_t arrived;                 // timed: ranks at the barrier in the present phase
    uint8_t sm[ISA_CLUSTER_MAX];      // timed: SM, by rank
    uint32_t published;               // of the race detector: time of the last arrival that releases
    bool is_open;                     // threads have arrived in the present phase of the barrier
};

struct cta {
    struct exec *exec;
    struct cluster *cluster, own; // the block's cluster; own: of the block alone
    uint32_t rank;                // in the cluster
    uint32_t parked;              // splits in SPLIT_PHASE
    uint32_t id[3];
    uint64_t linear;
    uint32_t warps_left, threads_left; // warps not ended; threads of live warps as counted by barriers
    uint32_t barriers_used;            // bit mask of barriers with an arrival
    uint8_t *shared;
    struct race_block *race;       // race detector state, or NULL
    struct checker_block *checked; // checker state, or NULL
    struct warp *warps;
    uint32_t warp_count;
    uint32_t next_warp; // index of the next warp to run
    struct observed_block observed;
    struct look_block *looked_at; // state of a look under way (look.h)
    struct barrier barriers[BARRIERS];
    struct spare_memory
        taken; // one allocation: registers of all warps, shared and local memory (flat: registers only)
    size_t registers_bytes, local_bytes; // local_bytes: of one warp
};

static inline uint32_t *reg_lanes(uint8_t *regs, uint32_t offset)
{
    return (uint32_t *)(void *)(regs + offset);
}

static inline uint64_t pred_source(const struct warp *w, uint32_t source)
{
    return w->pred[source & 15] ^ (source >> 31 ? w->full : 0);
}
