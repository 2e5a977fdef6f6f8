// From the lanes of a memory instruction to accesses (public source, its coalescing unit).
//
// The first lane that waits leads. With it go
//     all lanes of the scratchpad               if it is one itself
//     lanes of one block, each where its number puts it:   word   lane x 4 in 128 bytes   2 beats of DRAM
//                                                          half   lane x 2 in 64          1
//                                                          byte   lane in 32              1
//       if they are the leader and another at least; words whatever the access's width, which serves stacks
//     else lanes with the leader's address                                                1
// The rest waits for the next time round.
//
//     queue ─▶ 0 ─▶ 1 ─▶ 2 ─▶ 3 ─▶ 4 ─▶ a group ─▶ DRAM, scratchpad
//                   ▲              │
//                   └── the rest ──┘
#pragma once
#include "scalar/detector.h"

enum { SIMTIGHT_LANES = 32, SIMTIGHT_COALESCER_STAGES = 5 };

enum simtight_mode { SIMTIGHT_ADDRESS, SIMTIGHT_BYTE, SIMTIGHT_HALF, SIMTIGHT_WORD, SIMTIGHT_SCRATCHPAD };

struct simtight_request {
    uint32_t address[SIMTIGHT_LANES]; // physical
    uint32_t lanes;
    uint8_t bytes, warp, reg; // of a lane; who waits for it, and the register that it goes to
    bool is_store, is_fence, is_unspill;
    bool is_broadcast; // loads alone: lanes of the scratchpad with one address ask once
    bool is_scalar;    // what is stored: form
    struct scalar_form form;
};

struct simtight_group {
    uint32_t lanes, address; // the leader's
    uint8_t mode, beats;     // enum simtight_mode; of DRAM
};

struct simtight_window { // of addresses
    uint32_t from, end;  // inclusive
};

// The group that goes next, of the lanes that are pending.
struct simtight_group simtight_group(const struct simtight_request *r, uint32_t pending,
                                     struct simtight_window scratchpad);

// -- the stages ---------------------------------------------------------------------------------------------
struct simtight_coalescer {
    struct simtight_window scratchpad;
    struct simtight_stage {
        const struct simtight_request *request; // NULL: empty
        uint32_t pending;
    } stages[SIMTIGHT_COALESCER_STAGES];
    bool has_group;
    struct simtight_group group; // of the last stage
};

// The group at the last stage; NULL: there is none. It stays until it is taken.
const struct simtight_group *simtight_coalescer_group(struct simtight_coalescer *c);
static inline const struct simtight_request *simtight_coalescer_request(const struct simtight_coalescer *c)
{
    return c->stages[SIMTIGHT_COALESCER_STAGES - 1].request;
}
// A cycle in which the last stage is empty or its group is taken: everything moves on. Whether `next`, which may be NULL,
// has come in; and the request whose last group was taken, NULL: there is none.
bool simtight_coalescer_move(struct simtight_coalescer *c, const struct simtight_request *next,
                             const struct simtight_request **done);
bool simtight_coalescer_is_empty(const struct simtight_coalescer *c);
