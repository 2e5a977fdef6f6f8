// Readers of a changed definition, readers outside a loop of the values defined inside, and the order in
// which mark/propagate.c visits readers. Built once from the finished SSA form, in the arena of the SSA form.
//
// A reader is an instruction's index, or inst_count + definition for a phi.
#pragma once
#include "mark/divergence.h"
#include "mark/ssa.h"

struct readers {
    // Positions in program order: the phis of a block, then its instructions.
    uint32_t *place_of_inst, *place_of_phi, *at_place, place_count; // at_place: the reader at a position
    uint32_t *user_first, *users;                                   // by definition
    // By loop (leavers), and by irreducible cycle (core_leavers): readers outside of values defined inside.
    uint32_t *leaver_first, *leavers, *core_leaver_first, *core_leavers;
    uint32_t *core_first, *core_blocks; // by irreducible cycle: the cycle's basic blocks
};

void readers_init(struct readers *r, const struct mark_ssa *s, const struct divergence *d);
