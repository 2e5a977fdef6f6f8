// Whom a change concerns: who reads a definition, and who sees from outside what a loop defines; and the order in which
// mark/propagate.c looks at them. Built once from the finished SSA form and in its arena.
//
// A reader is an instruction's index, or inst_count + definition for a phi.
#pragma once
#include "mark/divergence.h"
#include "mark/ssa.h"

struct readers {
    // Places, in the order of the program: of each block its phis, then its instructions.
    uint32_t *place_of_inst, *place_of_phi, *at_place, place_count; // at_place: the reader
    uint32_t *user_first, *users;                                   // by definition
    // By loop, and by cycle with several entries: readers outside of what is defined in it.
    uint32_t *leaver_first, *leavers, *core_leaver_first, *core_leavers;
    uint32_t *core_first, *core_blocks; // by cycle with several entries: its blocks
};

void readers_init(struct readers *r, const struct mark_ssa *s, const struct divergence *d);
