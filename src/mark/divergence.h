// Where warps that leave a branch by different ways meet again: what makes a join, a loop's live-out values
// or a loop around a barrier depend on the branch.
#pragma once
#include "mark/ssa.h"

struct divergence {
    const struct mark_ssa *s;
    bool *reaches_barrier; // block: a barrier of the whole block can be executed in it or after it
    bool *has_barrier;     // block contains one
    uint32_t *labels;      // scratch of divergence_joins
    uint32_t *touched;
};

void divergence_init(struct divergence *d, const struct mark_ssa *s);

typedef void divergence_visit(void *context, uint32_t block);
// Visits every block where two disjoint paths from different successors of block n meet.
void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context);
// Whether warps that part at block n may execute different numbers of barriers before they meet again, or
// meet in a barrier from different ways: some way leads through one, and another does not just lead out of
// the kernel.
bool divergence_unbalanced(struct divergence *d, uint32_t n);
