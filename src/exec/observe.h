// Observers of a functional run: notified of every executed warp instruction, before and after, and of events
// of blocks and warps. An observed run does the same work in the same order as an unobserved run, with the
// same bytes, counts, printed text and fault. An observer only reads.
//
//   launch_begin
//     block_begin                       blocks waiting for each other are resident together
//       before ── executes ── after     one warp instruction; warps of a block take turns
//       warp_exit                       after the instruction that ended the warp
//       barrier                         warps leave a barrier: after the last arrival or missing warp's exit
//     block_end                         after the end of the last warp; a fault ends blocks early (`cut`)
//   launch_end
//
// `after` is missing for an instruction cut short by a fault, and for an instruction deferred because its
// lanes wait for members yet to arrive (shuffles under simt=splits). A later `before` has the complete lanes.
//
// All arguments are valid only during the call. Functions may be NULL.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_access;
struct inst;
struct launch;

struct observed_block {
    uint64_t linear;
    uint32_t id[3];
    uint32_t warps, warp_size;
    bool cut;    // at block_end: the block did not run to its end
    void *state; // the observer's own, NULL at block_begin, kept until block_end
};

struct observed { // one warp instruction
    struct observed_block *block;
    const struct inst *inst;
    uint32_t index;          // of the instruction
    uint32_t warp;           // in the block
    uint32_t depth;          // call depth; simt=nest: nest level
    uint32_t lane_count;     // of a register vector: 32 or 64
    uint64_t full;           // lane mask of a warp with all threads
    uint64_t present;        // lanes with a thread
    uint64_t live;           // present lanes not exited
    uint64_t path;           // running lanes
    uint64_t lanes;          // executing lanes: in path and not guarded off; BRA: lanes that take the branch
    const uint8_t *regs;     // vectors of 4 * lane_count bytes, aligned to 64: observed_register
    const uint64_t *pred;    // lanes by predicate, P0..P6, PT = 7
    const uint32_t *threads; // vectors of %tid.x, %tid.y, %tid.z, lane_count words each
    // With wants_access: addresses of a memory instruction, or of an ALU instruction with a shared-memory
    // operand. Otherwise NULL.
    const struct exec_access *access;
};

// Words of register r, one per lane. Register RZ (zero) is not stored: the caller handles RZ.
static inline const uint32_t *observed_register(const struct observed *o, unsigned r)
{
    return (const uint32_t *)(const void *)(o->regs + (size_t)r * 4 * o->lane_count);
}

// Words of register r, one per lane, and lane masks of the predicates, of any warp of the block.
const uint32_t *observed_block_register(const struct observed_block *b, uint32_t warp, unsigned r);
const uint64_t *observed_block_predicates(const struct observed_block *b, uint32_t warp);

struct observed_barrier {
    uint32_t number;
    uint32_t index;   // of the barrier instruction, if common to all waiting warps; else NO_TARGET
    bool whole;       // the barrier is of the whole block, and every live warp waits
    bool whole_warps; // no waiting warp is diverged: the live lanes of each waiting warp wait together
};

struct observer {
    void *context;     // handed to every function
    bool wants_access; // fill observed.access; costs a pass over the lanes
    void (*launch_begin)(void *context, const struct launch *l);
    void (*launch_end)(void *context);
    void (*block_begin)(void *context, struct observed_block *b);
    void (*block_end)(void *context, struct observed_block *b);
    void (*before)(void *context, const struct observed *o);
    // As `before`, with results in registers and predicates; results of BAR.RED are available at `barrier`.
    void (*after)(void *context, const struct observed *o);
    void (*barrier)(void *context, struct observed_block *b, const struct observed_barrier *barrier);
    void (*warp_exit)(void *context, struct observed_block *b, uint32_t warp);
};
