// Who lives in an SM: grids, their blocks, and the warps of the slots. room.c alone writes these; everybody may
// read them.
//
//     slots       0 1 2 3 4 5 6 7 …                           64, of the SM
//     grid A      block 0 ─ warps 0 1    block 1 ─ warps 2 3  places: numbers of its own, a block's side by side
//     grid B      block 0 ─ warps 0 1 2
//
// A block takes the lowest slots that are free, wherever they are. The places of its warps follow from its
// number alone, and registers from the places: a grid that has the SM to itself has places like slots.
#pragma once
#include "base/vec.h"
#include "gpu/places.h"
#include "gpu/sm.h"

struct sm_grid;

struct sm_block {
    struct cta *cta; // NULL: never used
    bool running;
    uint64_t free_at; // when its last block had ended: nothing of it is under way any more
    uint64_t warps;   // slots of those that have not ended
    uint64_t slots;   // of all of them
};

struct placed_block {
    uint64_t block, cycle;
    struct sm_grid *grid;
};

struct room {
    uint64_t resident; // bits by warp slot
    unsigned resident_count;
    uint32_t warps_so_far;
    uint64_t taken;             // bits: slots of blocks that run
    uint64_t free_at[SM_WARPS]; // of the others
    struct sm_grid *grids[SM_GRIDS];
    unsigned grid_count;
    VEC(struct placed_block) placed; // to start, in order of cycle
    VEC(struct sm_block_end) ends;   // since they were asked for last
};

struct room_grid {
    unsigned resident_count; // warps
    unsigned running;        // blocks
    struct sm_block blocks[SM_BLOCKS];
    uint8_t slots[SM_WARPS]; // by place; NO_WARP: no block is there
    bool is_apart;           // some warp's slot is not its place
    bool had_company;        // another grid has been here with it
};

void room_fini(struct sm *s);
void room_kill_failed(struct sm *s);               // grids of which a warp has met a fault
void room_start_placed(struct sm *s);              // whose cycle has come
void room_warp_ended(struct sm *s, unsigned slot); // it has exited, or the last reply it waited for has come
