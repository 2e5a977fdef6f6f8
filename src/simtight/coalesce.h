// Coalescer: splits the lanes of a memory instruction into accesses (SIMTight's published source, coalescing
// unit).
//
// The first pending lane is the leader. Its group:
// - leader in the scratchpad: all pending scratchpad lanes
// - else lanes of one aligned block, each at the offset of its lane number, if at least two lanes match:
//       word   lane x 4 in 128 bytes   2 DRAM beats (whatever the access width: serves stacks)
//       half   lane x 2 in 64 bytes    1              (only accesses of 2 bytes)
//       byte   lane in 32 bytes        1              (only accesses of 1 byte)
//   These are blocks of 32 lanes; blocks of fewer lanes are shorter, and with 16 or fewer a word takes 1 beat.
// - else lanes with the leader's address, 1 beat
// Lanes outside the group go round again.
//
//     queue ─▶ 0 ─▶ 1 ─▶ 2 ─▶ 3 ─▶ 4 ─▶ a group ─▶ DRAM, scratchpad
//                   ▲              │
//                   └─ remainder ──┘
#pragma once
#include "scalar/detector.h"

enum { SIMTIGHT_LANES_MAX = 32, SIMTIGHT_BEAT_BYTES = 64, SIMTIGHT_COALESCER_STAGES = 5 };

enum simtight_mode { SIMTIGHT_ADDRESS, SIMTIGHT_BYTE, SIMTIGHT_HALF, SIMTIGHT_WORD, SIMTIGHT_SCRATCHPAD };

struct simtight_request {
    uint32_t address[SIMTIGHT_LANES_MAX]; // physical
    uint32_t lanes;
    uint8_t bytes, warp, reg; // access width of a lane in bytes; requesting warp; destination register
    bool is_store, is_fence, is_unspill;
    bool is_broadcast; // a load: one access serves the group's scratchpad lanes if all have one address
    bool is_scalar;    // the stored value has a scalar form: `form` is valid
    struct scalar_form form;
};

struct simtight_group {
    uint32_t lanes, address; // `address`: of the leader lane
    uint8_t mode, beats;     // enum simtight_mode; DRAM beats
};

struct simtight_window { // address range
    uint32_t from, end;  // inclusive
};

// Next group out of the pending lanes. lanes: of a warp, a power of two.
struct simtight_group simtight_group(const struct simtight_request *r, uint32_t pending,
                                     struct simtight_window scratchpad, unsigned lanes);
// DRAM beats of a word of every lane.
static inline unsigned simtight_word_beats(unsigned lanes)
{
    return (4 * lanes + SIMTIGHT_BEAT_BYTES - 1) / SIMTIGHT_BEAT_BYTES;
}

// -- the stages ---------------------------------------------------------------------------------------------
struct simtight_coalescer {
    struct simtight_window scratchpad;
    unsigned lanes; // of a warp
    struct simtight_stage {
        const struct simtight_request *request; // NULL: empty
        uint32_t pending;
    } stages[SIMTIGHT_COALESCER_STAGES];
    bool has_group;
    struct simtight_group group; // of the last stage
};

// Group at the last stage, valid until simtight_coalescer_move; NULL: the stage is empty.
const struct simtight_group *simtight_coalescer_group(struct simtight_coalescer *c);
static inline const struct simtight_request *simtight_coalescer_request(const struct simtight_coalescer *c)
{
    return c->stages[SIMTIGHT_COALESCER_STAGES - 1].request;
}
// Advances all stages by a cycle; the last stage must be empty or its group sent. Returns whether `next` (may
// be NULL) entered stage 0. *done: the request of the group sent, if no lane of the request remains, else
// NULL.
bool simtight_coalescer_move(struct simtight_coalescer *c, const struct simtight_request *next,
                             const struct simtight_request **done);
bool simtight_coalescer_is_empty(const struct simtight_coalescer *c);
