// The inputs a result is computed from, through all intermediate values, loads and addresses included.
#pragma once
#include "mark/mark.h"

enum mark_leaf {
    LEAF_TID_X = 1 << 0,
    LEAF_TID_Y = 1 << 1,
    LEAF_TID_Z = 1 << 2,
    LEAF_BLOCK_INDEX = 1 << 3,
    LEAF_SHAPE = 1 << 4, // dimensions of the block and the grid
    LEAF_CONSTANT = 1 << 5,
    LEAF_LOOP = 1 << 6, // a value carried from one loop iteration to the next
    LEAF_GLOBAL = 1 << 7,
    LEAF_SHARED = 1 << 8,
    LEAF_LOCAL = 1 << 9,
    LEAF_TEXTURE = 1 << 10,
    LEAF_MACHINE = 1 << 11, // other special registers (lane, warp, clock …), values of other lanes
    LEAF_CALL = 1 << 12,
    LEAF_OWN_LOOP = 1 << 13 // also a value carried by the innermost loop around the instruction
};

struct mark_leaves {
    uint32_t from;   // bits of enum mark_leaf
    uint64_t params; // bit k: kernel parameter k of the first 64
};

void mark_leaves_of(const struct marks *m, uint32_t inst, struct mark_leaves *out);
// The basic block of an instruction, and the nesting depth of loops around the block (0: no loop).
uint32_t mark_block(const struct marks *m, uint32_t inst);
uint32_t mark_loop_depth(const struct marks *m, uint32_t inst);
