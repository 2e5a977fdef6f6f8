// The hand that gives out blocks, between windows.
//
//     a block has ended on an SM ─┐                                    ┌─ no grid ─▶ the room stays
//     a grid has come, or gone    ┴▶ wants: (cycle, SM), in that order ┤
//                                         ▲                            └─ a grid ─▶ a block placed, the want
//                                         └──────── still room? ◀───────────────────┘ goes behind its equals
//
// What an SM has left is kept here, in order of those cycles; which slots a block gets is the SM's business
// (room.c). Who gets the room is a policy's: one function (dispatch.def).
#pragma once
#include "base/vec.h"
#include "gpu/sm.h"

struct chip;
struct grid;

struct share { // of an SM
    uint32_t warps, registers, shared, blocks;
};

struct want {
    uint64_t cycle, at; // at: the block may start
    unsigned sm;
    struct grid *ended; // whose block made room; NULL: there may have been room before
};

struct dispatch {
    struct share *left;     // by SM
    VEC(struct want) wants; // since the hand gave out blocks last
};

void dispatch_init(struct chip *c);
void dispatch_fini(struct chip *c);
void dispatch_offer(struct chip *c); // a grid has come, or one that others waited for is out of their way
void dispatch_forget(struct chip *c, const struct grid *g); // it goes, and leaves what it had
void dispatch_hand_out(struct chip *c);                     // what has ended since, and what takes its place

// -- for policies
// Whether the SM has room for a block of the grid, which has some left.
bool dispatch_fits(const struct chip *c, const struct grid *g, unsigned sm);
#define DISPATCH(symbol, word, meaning) struct grid *dispatch_##symbol(const struct chip *c, unsigned sm);
#include "gpu/dispatch.def"
#undef DISPATCH
