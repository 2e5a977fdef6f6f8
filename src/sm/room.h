// Residents of an SM: grids, blocks and warps with their slots. Written by room.c alone, readable
// everywhere.
//
//     slots       0 1 2 3 4 5 6 7 …                           64, of the SM
//     grid A      block 0 ─ warps 0 1    block 1 ─ warps 2 3  places: numbered by grid, a block's contiguous
//     grid B      block 0 ─ warps 0 1 2
//
// A block takes the lowest free slots, contiguous or not. The places of its warps follow from its index in
// the grid's part, and registers from the places. Place and slot are equal for a grid that has always had
// the SM to itself. A block holds slots and places until it ends.
//
// With dispatch by warp (dispatch.h), a warp holds its slot and place until the warp ends. A block starts
// with some of its warps and the rest follow; each warp takes the lowest free slot and place.
#pragma once
#include "base/vec.h"
#include "isa/bank.h"
#include "sm/places.h"
#include "sm/sm.h"

struct cta;
struct sm_grid;

struct sm_block {
    struct cta *cta; // context; NULL: never used
    bool running;
    uint8_t number;   // unique among the running blocks of all grids on the SM
    uint32_t to_come; // number of the block's warps not started yet
    uint64_t free_at; // end of the last block in this entry, with all register writes
    uint64_t warps;   // slots of warps started and not ended
    uint64_t slots;   // slots held
    uint64_t places;  // places held
};

struct placed_warps {
    uint64_t block, cycle;
    struct sm_grid *grid;
    uint32_t count;
    uint8_t sms[ISA_CLUSTER_MAX]; // of a cluster of several blocks, by rank
};

struct room {
    uint64_t resident; // bits by warp slot: warps not exited
    unsigned resident_count;
    uint32_t warps_so_far;      // warps started since the SM was created
    uint64_t taken;             // bits: slots held
    uint64_t free_at[SM_WARPS]; // of free slots: cycle of release
    uint64_t numbers;           // bits: numbers of running blocks
    struct sm_grid *grids[SM_GRIDS];
    unsigned grid_count;
    VEC(struct placed_warps) placed; // waiting to start, in order of cycle
    VEC(struct sm_end) ends;         // warps and blocks ended since the last sm_ended
    const char *broken;              // with sim.check: the first imbalance, static text
};

struct room_grid {
    unsigned resident_count; // warps not exited
    unsigned running;        // running blocks
    struct sm_block blocks[SM_BLOCKS];
    uint64_t taken;             // bits: places held
    uint64_t free_at[SM_WARPS]; // of free places: cycle of release
    uint8_t slots[SM_WARPS];    // by place; NO_WARP: free
    uint8_t block_of[SM_WARPS]; // by place: index in `blocks`
    bool is_apart;              // for some warp so far, slot and place differed
    bool had_company;           // another grid has shared the SM at some time
};

void room_fini(struct sm *s);
void room_kill_failed(struct sm *s);  // kills the grids with a faulting warp
void room_start_placed(struct sm *s); // starts the warps whose cycle has come
// A warp has exited, or the last memory reply to an exited warp has come. Ends fetch and issue for the warp;
// with no reply outstanding, ends the warp, and its block after the last warp.
void room_warp_ended(struct sm *s, unsigned slot);
// What-if: ends warps beyond sim.block_warps and sim.warp_instructions, and blocks beyond sim.block_instructions. Between
// windows.
void room_cut(struct sm *s);
// Inconsistency among the SM's resident blocks, slots and places, static text; NULL: consistent
// (room_check.c).
const char *room_check(const struct sm *s);
