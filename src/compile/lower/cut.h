// A PTX function cut into basic blocks.
//
// The guard of a branch is the condition of the branch. A guarded ret, exit, call or brx is isolated in a
// block of its own:
//
//     …                         [ …          ]  how = GUARD, on the following instruction
//     @p call f;        ──▶     [ call f     ]  alone; taken if p
//     …                         [ …          ]
//
// Any other guarded instruction stays in its block and executes under its guard.
#pragma once
#include "base/arena.h"
#include "ptx/ptx.h"

enum cut_how {
    CUT_THROUGH, // falls through to the next block
    CUT_JUMP,    // bra: the last instruction
    CUT_BRANCH,  // @p bra: succs[0] if taken
    CUT_SWITCH,  // brx.idx
    CUT_GUARD,   // succs[0] if the guard of the instruction following the block is true
    CUT_LEAVE    // ret or exit, or the end of the text
};

struct cut_block {
    // instructions [first, end), may be empty; a bra, brx, ret or exit named by `how` is the last
    uint32_t first, end;
    enum cut_how how;
    bool alone; // a single instruction; the preceding block has decided its guard
    bool reached;
    uint32_t succ_count;
    uint32_t *succs; // indices of blocks
};

struct cut {
    struct cut_block *blocks; // in order of the text
    uint32_t count;
    uint32_t *order; // reached blocks in reverse postorder
    uint32_t order_count;
};

void cut_function(struct cut *c, struct arena *a, const struct ptx_function *f);
