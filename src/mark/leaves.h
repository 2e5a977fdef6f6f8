// What a result is computed from in the end, through whatever lies between, loads and their addresses
// included.
#pragma once
#include "mark/mark.h"

enum mark_leaf {
    LEAF_TID_X = 1 << 0,
    LEAF_TID_Y = 1 << 1,
    LEAF_TID_Z = 1 << 2,
    LEAF_BLOCK_INDEX = 1 << 3,
    LEAF_SHAPE = 1 << 4, // dimensions of the block and the grid
    LEAF_CONSTANT = 1 << 5,
    LEAF_LOOP = 1 << 6, // what a loop carries from one iteration to the next
    LEAF_GLOBAL = 1 << 7,
    LEAF_SHARED = 1 << 8,
    LEAF_LOCAL = 1 << 9,
    LEAF_TEXTURE = 1 << 10,
    LEAF_MACHINE = 1 << 11, // lanes, clocks, what other lanes hold
    LEAF_CALL = 1 << 12,
    LEAF_OWN_LOOP = 1 << 13 // and by the innermost loop that the instruction is in
};

struct mark_leaves {
    uint32_t from;   // bits of enum mark_leaf
    uint64_t params; // of the kernel's first 64, by number
};

void mark_leaves_of(const struct marks *m, uint32_t inst, struct mark_leaves *out);
// The basic block that an instruction is in, and in how many loops that is, one inside the other.
uint32_t mark_block(const struct marks *m, uint32_t inst);
uint32_t mark_loop_depth(const struct marks *m, uint32_t inst);
