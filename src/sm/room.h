// Who lives in an SM: grids, their blocks, and the warps of the slots. room.c alone writes these; everybody may
// read them.
//
//     slots       0 1 2 3 4 5 6 7 …                           64, of the SM
//     grid A      block 0 ─ warps 0 1    block 1 ─ warps 2 3  places: numbers of its own, a block's side by side
//     grid B      block 0 ─ warps 0 1 2
//
// A block takes the lowest slots that are free, wherever they are. The places of its warps follow from its
// number alone, and registers from the places: a grid that has the SM to itself has places like slots. Slots and
// places are its own until it ends.
//
// Where a mechanism dispatches by warp (dispatch.h), they are a warp's own until that ends, and the next one's then:
// a block begins with some of its warps, the others come to it, and each takes the lowest slot and place.
#pragma once
#include "base/vec.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;

struct sm_block {
    struct cta *cta; // NULL: never used
    bool running;
    uint8_t number;   // among the blocks that run on the SM, of whatever grid
    uint32_t to_come; // warps that have not started
    uint64_t free_at; // when its last block had ended: nothing of it is under way any more
    uint64_t warps;   // slots of those that have started and not ended
    uint64_t slots;   // of those that have one
    uint64_t places;  // of the same
};

struct placed_warps {
    uint64_t block, cycle;
    struct sm_grid *grid;
    uint32_t count;
};

struct room {
    uint64_t resident; // bits by warp slot
    unsigned resident_count;
    uint32_t warps_so_far;
    uint64_t taken;             // bits: slots that are somebody's
    uint64_t free_at[SM_WARPS]; // of the others
    uint64_t numbers;           // bits: of blocks that run
    struct sm_grid *grids[SM_GRIDS];
    unsigned grid_count;
    VEC(struct placed_warps) placed; // to start, in order of cycle
    VEC(struct sm_end) ends;         // since they were asked for last
    const char *broken;              // with sim.check: what did not balance first, static text
};

struct room_grid {
    unsigned resident_count; // warps
    unsigned running;        // blocks
    struct sm_block blocks[SM_BLOCKS];
    uint64_t taken;             // bits: places that are somebody's
    uint64_t free_at[SM_WARPS]; // of the others
    uint8_t slots[SM_WARPS];    // by place; NO_WARP: nobody's
    uint8_t block_of[SM_WARPS]; // by place
    bool is_apart;              // some warp's slot is not its place
    bool had_company;           // another grid has been here with it
};

void room_fini(struct sm *s);
void room_kill_failed(struct sm *s);               // grids of which a warp has met a fault
void room_start_placed(struct sm *s);              // whose cycle has come
void room_warp_ended(struct sm *s, unsigned slot); // it has exited, or the last reply it waited for has come
const char *
room_check(const struct sm *s); // what does not balance, static text; NULL: it does (room_check.c)
