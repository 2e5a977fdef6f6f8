// Where warps from different sides of a branch meet again. Joins, live-out values of loops, loops around
// barriers and loads depend on the branch for this reason.
#pragma once
#include "mark/ssa.h"

struct divergence {
    const struct mark_ssa *s;
    // By block. Calls, and the code after a function's return, count as holding every operation.
    // the block or a block behind it may hold a barrier of the whole block, after which warps correspond
    // again
    bool *reaches_reset;
    bool *meets;       // holds a barrier of the whole block
    bool *resets;      // may hold a barrier of the whole block
    bool *has_barrier; // holds any barrier, counted ones and arrivals included
    bool *has_sync;    // holds an operation ordering memory: a barrier, fence, acquire or volatile load
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
// Visits every join of the branch at block n: a block where two disjoint paths from different successors of n
// meet.
void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context);
// True: warps that part at block n may pass different numbers of the counted operations before meeting again,
// or meet in one operation from different sides. Some path passes one of the operations, and another path
// does more than leave the kernel. Counted operations: barriers, or everything that orders memory.
bool divergence_unbalanced(struct divergence *d, uint32_t n, bool barriers);
// Visits blocks reachable from the successors of block n. The visit returns true to continue behind its
// block. Blocks may be visited more than once, so a visit must return false eventually.
typedef bool divergence_visit_on(void *context, uint32_t block);
void divergence_after(const struct divergence *d, uint32_t n, divergence_visit_on *visit, void *context);
