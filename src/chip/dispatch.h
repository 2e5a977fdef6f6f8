// The hand that gives out blocks, between windows.
//
//     a block has ended on an SM ─┐                                    ┌─ no grid ─▶ the room stays
//     a grid has come, or gone    ┴▶ wants: (cycle, SM), in that order ┤
//                                         ▲                            └─ a grid ─▶ a block placed, the want
//                                         └──────── still room? ◀───────────────────┘ goes behind its equals
//
// What an SM has left is kept here, in order of those cycles; which slots a block gets is the SM's business
// (room.c). Who gets the room is a policy's: one function (dispatch.def).
//
// A mechanism may dispatch by warp (`admit` in tech.h): slots and registers come back when a warp ends, and a block may
// be placed where only some of its warps have room: a *partial* one. The others start as warps end:
//
//     SM      block 0: 8 of 8 warps    block 1: 8 of 8    block 2: 3 of 8, partial ◀─ room of the next 5 that end
//
// Nobody waits for ever for the rest of a partial block:
//   - An SM has one at most, and as long as it has, no other block comes to it: all room that comes free is for that
//     one. So all other blocks of the SM were placed before it, and have all their warps.
//   - If each block waits for none but blocks placed before it (for a lock or a flag of a later one, a program may wait
//     for ever by block, too), take the first in order of placing that has not ended. Has it all its warps, it goes on.
//     Is it partial, nobody else is on its SM, since those came before it: the mechanism is not asked any more, its
//     warps start, and there is room for all, since a whole block fits on an SM.
// And blocks go as a whole wherever they have room, before any goes in part: those that are there together by block, as
// the blocks of a kernel that wait for each other, are there together by warp, unless the mechanism keeps one away.
#pragma once
#include "base/vec.h"
#include "sm/sm.h"

struct chip;
struct grid;

struct share { // of an SM
    uint32_t warps, registers, shared, blocks;
};

struct need {                 // of a block
    struct share block, warp; // once; and by warp
    uint32_t warps;
};

struct want {
    uint64_t at;       // the block may start
    struct sm_end end; // what made room; without a grid: there may have been room before
    bool is_over;      // nobody wants the room
};

struct partial {       // of a block, that has not all its warps
    struct grid *grid; // NULL: the SM has none
    uint64_t block;
    uint32_t to_come; // warps
};

struct dispatch {
    struct share *left;      // by SM
    struct partial *partial; // by SM
    bool gives_partial;      // the hand does so now: nobody has room for a block as a whole
    VEC(struct want) wants;  // since the hand gave out blocks last
    const char *broken;      // with sim.check: what did not balance first, static text
};

void dispatch_init(struct chip *c);
void dispatch_fini(struct chip *c);
void dispatch_offer(struct chip *c); // a grid has come, or one that others waited for is out of their way
void dispatch_forget(struct chip *c, const struct grid *g); // it goes, and leaves what it had
void dispatch_hand_out(struct chip *c);                     // what has ended since, and what takes its place

// -- for policies
// Whether the SM has room for a block of the grid, which has some left: for some of its warps, if that is what the hand gives.
bool dispatch_fits(const struct chip *c, const struct grid *g, unsigned sm);
