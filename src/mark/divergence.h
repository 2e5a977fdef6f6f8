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
    uint32_t *core;   // number of the cycle with several entries that it is in, FLOW_NONE
    uint32_t *labels; // scratch
    uint32_t *touched;
};

void divergence_init(struct divergence *d, const struct mark_ssa *s);

typedef void divergence_visit(void *context, uint32_t block);
// Visits every block where two disjoint paths from different successors of block n meet.
void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context);
// Whether warps that part at block n may pass different numbers of the operations that `has` tells of before
// they meet again, or meet in one from different ways: some way leads through one, and another does not just
// lead out of the kernel.
bool divergence_unbalanced(struct divergence *d, uint32_t n, const bool *has);
// Visits every block that can be reached from block n's successors, those behind a barrier of the whole block
// only if asked.
void divergence_after(struct divergence *d, uint32_t n, bool past_resets, divergence_visit *visit,
                      void *context);
