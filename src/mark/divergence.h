// Points where threads from different sides of a branch meet again: different warps that took different
// sides, or the parted lanes of one warp. Values may then differ by the side taken: at joins, behind loops,
// in loops around barriers, and in loads.
#pragma once
#include "mark/ssa.h"

struct divergence {
    const struct mark_ssa *s;
    // Arrays by basic block. A call counts as holding every operation, except in `meets`. In reaches_*, so
    // does every basic block of a called function. reaches_reset: the basic block, or a block reachable from
    // it, may hold a barrier of the whole thread block.
    bool *reaches_reset;
    bool *meets;       // the basic block holds a barrier of the whole thread block
    bool *resets;      // the basic block may hold a barrier of the whole thread block
    bool *has_barrier; // the basic block holds any barrier, also for a thread count or an arrival alone
    // the basic block holds an operation ordering memory: barrier, fence, acquire, volatile load
    bool *has_sync;
    bool *reaches_sync;
    uint32_t *core; // number of the irreducible cycle around the block, or FLOW_NONE
    // Cache of divergence_unbalanced by start block: [1] for barriers, [0] for all operations ordering
    // memory. `stop`: the end of the paths; `has`: the answer.
    struct divergence_way {
        uint32_t stop;
        bool has, known;
    } * ways[2];
    uint32_t *labels; // scratch
    uint32_t *touched;
};

void divergence_init(struct divergence *d, const struct mark_ssa *s);

typedef void divergence_visit(void *context, uint32_t block);
// Visits every join of the branch at block n, possibly more than once: a block where two disjoint paths from
// different successors of n meet.
void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context);
// True: warps parting at block n may pass different numbers of the counted operations before meeting again
// at the post-dominator, or meet at one of the operations while still on different sides. Some path passes
// one of the operations, and another path does more than leave the kernel. Counted operations: barriers if
// `barriers`, else everything that orders memory.
bool divergence_unbalanced(struct divergence *d, uint32_t n, bool barriers);
// Visits blocks reachable from the successors of block n. The visit returns true to continue with its block's
// successors. Blocks may be visited more than once, so a visit must return false eventually.
typedef bool divergence_visit_on(void *context, uint32_t block);
void divergence_after(const struct divergence *d, uint32_t n, divergence_visit_on *visit, void *context);
