// Where warps that leave a branch by different ways meet again: what makes a join, a loop's live-out values,
// a loop around a barrier or a load depend on the branch.
#pragma once
#include "mark/ssa.h"

struct divergence {
    const struct mark_ssa *s;
    // Of a block. A call may do anything, and so may whatever follows a function's return.
    bool *reaches_reset; // in it or after it the whole block can meet at one barrier, and warps correspond
                         // again
    bool *meets;         // holds such a barrier
    bool *resets;        // may hold one
    bool *has_barrier;   // holds any barrier, counted ones and arrivals included
    bool *has_sync;      // holds what orders memory: a barrier, fence, acquire or volatile load
    bool *reaches_sync;
    uint32_t *core; // number of the cycle with several entries that it is in, FLOW_NONE
    // What is known of ways to where they end (divergence_unbalanced), by block, for barriers and for all
    // that orders memory: the end, and what came out.
    struct divergence_way {
        uint32_t stop;
        bool has, known;
    } * ways[2];
    uint32_t *labels; // scratch
    uint32_t *touched;
};

void divergence_init(struct divergence *d, const struct mark_ssa *s);

typedef void divergence_visit(void *context, uint32_t block);
// Visits every block where two disjoint paths from different successors of block n meet.
void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context);
// Whether warps that part at block n may pass different numbers of the operations asked for before
// they meet again, or meet in one from different ways: some way leads through one, and another does not just
// lead out of the kernel. What is asked for: barriers, or all that orders memory.
bool divergence_unbalanced(struct divergence *d, uint32_t n, bool barriers);
// Visits blocks that can be reached from block n's successors; a visit says whether those behind its block
// are to be visited on its account. Blocks may be visited more than once, and a visit must say no in the end.
typedef bool divergence_visit_on(void *context, uint32_t block);
void divergence_after(const struct divergence *d, uint32_t n, divergence_visit_on *visit, void *context);
