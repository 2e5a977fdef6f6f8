// A PTX function cut into basic blocks.
//
// Guards on branches are the branches' conditions. A guarded ret, exit, call or brx is taken apart, so that
// the instruction itself stands alone in a block:
//
//     …                         [ …          ]  how = GUARD, on the instruction behind it
//     @p call f;        ──▶     [ call f     ]  alone; taken when p
//     …                         [ …          ]
//
// Every other guarded instruction stays in its block and is executed under its guard.
#pragma once
#include "base/arena.h"
#include "ptx/ptx.h"

enum cut_how {
    CUT_THROUGH, // runs into the next block
    CUT_JUMP,    // bra: the last instruction
    CUT_BRANCH,  // @p bra: succs[0] when taken
    CUT_SWITCH,  // brx.idx
    CUT_GUARD,   // succs[0] when the guard of the instruction behind the block is true
    CUT_LEAVE    // ret or exit, or the end of the text
};

struct cut_block {
    uint32_t first, end; // instructions [first, end), the last being what `how` names; may be empty
    enum cut_how how;
    bool alone; // its one instruction's guard was decided by the block before
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
