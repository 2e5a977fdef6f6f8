// The dispatcher of blocks, called between windows.
//
//     a block has ended on an SM ──┐                                     ┌─ no grid ─▶ the room stays free
//     a grid has arrived or left  ─┴▶ wants, by (cycle, SM) ─▶ policy ───┤
//                                       ▲                                └─ a grid ──▶ a block is placed
//                                       └─────── next turn among wants of the cycle ─────┘
//
// The dispatcher keeps the free resources of every SM; an SM chooses the slots of a block (room.c). A
// policy (dispatch.def) chooses the grid that gets the room.
//
// A mechanism may dispatch by warp (`admit` in tech.h). Slots and registers are then freed when a warp
// ends. A block may be placed with room for only some of its warps, as a *partial* block. The rest start as
// other warps end:
//
//     SM      block 0: 8 of 8 warps  block 1: 8 of 8  block 2: 3 of 8, partial ◀─ room of the next 5 to end
//
// No block waits for ever for the rest of a partial block:
//   - An SM has at most one partial block. Until the block is complete, all freed room of the SM goes to the
//     block. All other blocks of the SM were placed earlier and are complete.
//   - Suppose a block waits only for blocks placed earlier. (A program with waits for later blocks may hang
//     under dispatch by block, too.) Take the first block in order of placing that has not ended. A complete
//     block proceeds. A partial block is alone on its SM, since the SM's other blocks were placed earlier.
//     The mechanism is no longer asked, and the remaining warps start: a whole block fits on an SM.
// Whole blocks are placed wherever they fit before any partial block. Blocks resident together under
// dispatch by block are resident together under dispatch by warp, unless the mechanism keeps a block away.
#pragma once
#include "base/vec.h"
#include "sm/sm.h"

struct chip;
struct grid;

struct share { // resources of an SM
    uint32_t warps, registers, shared, blocks;
};

struct need {                 // resources of a block
    struct share block, warp; // once for the block; for each warp
    uint32_t warps;
};

struct want {
    uint64_t at; // earliest cycle at which a block may start in the room
    // End of a block or warps, which freed room; end.grid NULL: an offer of the SM's free room
    // (dispatch_offer).
    struct sm_end end;
    bool is_over; // the policy has no further block for the room
};

struct partial {       // a block with warps not started yet
    struct grid *grid; // NULL: the SM has no partial block
    uint64_t block;
    uint32_t to_come; // warps not started yet
};

struct dispatch {
    struct share *left;      // by SM: free resources
    struct partial *partial; // by SM
    bool gives_partial;      // second pass, for partial blocks: no whole block fits
    VEC(struct want) wants;  // collected since the last dispatch_hand_out
    const char *broken;      // with sim.check: the first imbalance, static text
};

void dispatch_init(struct chip *c);
void dispatch_fini(struct chip *c);
void dispatch_offer(struct chip *c); // offers the room of every SM: a grid has arrived, failed or left
void dispatch_forget(struct chip *c, const struct grid *g); // the grid leaves: its resources are freed
void dispatch_hand_out(struct chip *c); // frees ended blocks' and warps' resources, places blocks and warps

// -- for policies
// Whether the grid's next block can be placed on the SM; in the pass for partial blocks, some of its warps.
bool dispatch_fits(const struct chip *c, const struct grid *g, unsigned sm);
