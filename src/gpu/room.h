// Who lives in an SM: blocks and the warps of their slots. room.c alone writes these; everybody may read them.
#pragma once
#include "base/vec.h"
#include "gpu/places.h"
#include "gpu/sm.h"

struct sm_block {
    struct cta *cta; // NULL: never used
    bool running;
    uint64_t free_at; // when its last block had ended: nothing of it is under way any more
    uint64_t warps;   // slots of those that have not ended
    uint64_t slots;   // of all of them
};

struct placed_block {
    uint64_t block, cycle;
};

struct room {
    uint64_t resident; // bits by warp slot
    unsigned resident_count;
    uint64_t warps_so_far;
    struct sm_block blocks[SM_BLOCKS];
    VEC(struct placed_block) placed; // to start, in order of cycle
    VEC(struct sm_block_end) ends;   // since they were asked for last
};

void room_fini(struct sm *s);
void room_start_placed(struct sm *s);              // whose cycle has come
void room_warp_ended(struct sm *s, unsigned slot); // it has exited, or the last reply it waited for has come
