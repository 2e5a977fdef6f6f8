// Observers of a functional run: told of every warp instruction that executes, before and after, and of what
// happens to blocks and warps. An observed run does the same things in the same order as an unobserved one:
// same bytes, same counts, same printed text, same fault. An observer reads; it changes nothing.
//
//   launch_begin
//     block_begin                       blocks that wait for each other are resident together
//       before ── executes ── after     one warp instruction; warps of a block take turns
//       warp_exit                       after the instruction that ended it
//       barrier                         warps have met at a barrier and go on: after the instruction of the
//       last one
//     block_end                         when its last warp has ended; a fault ends blocks early (`cut`)
//   launch_end
//
// `after` is missing for an instruction that a fault cut short, and for one that did not execute because its
// lanes have to wait for members that have yet to arrive (shuffles under simt=splits): then a later `before`
// has them all.
//
// Everything handed over is valid during the call. Functions may be NULL.
#pragma once
#include "exec/access.h"

struct observed_block {
    uint64_t linear;
    uint32_t id[3];
    uint32_t warps, warp_size;
    bool cut;    // at block_end: it did not run to its end
    void *state; // the observer's own, NULL at block_begin, kept until block_end
};

struct observed { // one warp instruction
    struct observed_block *block;
    const struct inst *inst;
    uint32_t index;         // of the instruction
    uint32_t warp;          // in the block
    uint32_t depth;         // calls
    uint32_t lane_count;    // of a register vector: 32 or 64
    uint64_t full;          // lanes of a warp with all its threads
    uint64_t present;       // lanes that have a thread
    uint64_t live;          // of those: not exited
    uint64_t path;          // on the path, i.e. running now
    uint64_t lanes;         // executing it: on the path and not guarded off; of BRA, those that take it
    const uint8_t *regs;    // vectors of 4 * lane_count bytes, aligned to 64: observed_register
    const uint64_t *pred;   // lanes by predicate, P0..P6, PT = 7
    uint64_t thread_offset; // of the vectors of %tid.x, %tid.y, %tid.z in regs
    const struct exec_access
        *access; // of a memory instruction, ALU forms with a shared operand included; NULL
};

// Lanes of Rr. RZ is no register: the caller knows it.
static inline const uint32_t *observed_register(const struct observed *o, unsigned r)
{
    return (const uint32_t *)(const void *)(o->regs + (size_t)r * 4 * o->lane_count);
}

// Lanes of a register and the predicates of any warp of the block.
const uint32_t *observed_block_register(const struct observed_block *b, uint32_t warp, unsigned r);
const uint64_t *observed_block_predicates(const struct observed_block *b, uint32_t warp);

struct observed_barrier {
    uint32_t number;
    uint32_t index;   // the barrier instruction, when all warps wait at the same one; else NO_TARGET
    bool whole;       // it waited for the whole block, and every warp that has not ended was at it
    bool whole_warps; // and each with all its live lanes together
};

struct observer {
    void *context;     // handed to every function
    bool wants_access; // fill observed.access; costs a pass over the lanes
    void (*launch_begin)(void *context, const struct launch *l);
    void (*launch_end)(void *context);
    void (*block_begin)(void *context, struct observed_block *b);
    void (*block_end)(void *context, struct observed_block *b);
    void (*before)(void *context, const struct observed *o);
    void (*after)(void *context, const struct observed *o); // the same, with results in registers and
                                                            // predicates; BAR.RED's are there at `barrier`
    void (*barrier)(void *context, struct observed_block *b, const struct observed_barrier *barrier);
    void (*warp_exit)(void *context, struct observed_block *b, uint32_t warp);
};
