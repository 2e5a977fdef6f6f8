// WarpMan: decisions of a launch, the workload buffer, and the bookkeeping of an SM.
#pragma once
#include "sm/mech/duel.h"
#include "sm/mech/tech.h"

enum { WARPMAN_BLOCKS = 64 }; // of an SM, the upper limit of sm.blocks

enum warpman_variant {
    VARIANT_BASE, // dispatch by block: counters only
    // partial blocks in room left by ended warps: never more warps than with dispatch by block
    VARIANT_TEMPORAL,
    VARIANT_SPATIAL,   // partial blocks also in room too small for a whole block
    VARIANT_DUELING,   // spatial or temporal, whichever the leading SMs show to be faster
    VARIANT_THRESHOLD, // spatial while fewer than `limit` warps are resident on the SM; otherwise temporal
};

enum warpman_judge { JUDGE_EPOCH, JUDGE_LAUNCH };     // the work by which leaders are compared
enum warpman_begin { BEGIN_TEMPORAL, BEGIN_SPATIAL }; // followers until the first decision

struct warpman_options {
    int variant; // enum warpman_variant
    int judge;   // enum warpman_judge
    int begin;   // enum warpman_begin
    uint32_t limit, epoch, hold, leaders;
};

struct warpman_launch {
    const struct warpman_options *options;
    const struct tech_listener *listener; // NULL: no listener
    struct duel duel;
};

enum warpman_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/warpman/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- buffer.c: an SM's record of the block with warps still to start ----------------------------------------
//
//      39 37 36              11 10   6 5     1  0
//     ├─────┼──────────────────┼──────┼──────┼─────┤   sizes for a GTX 480 (Xiang, Figure 31): 8 blocks,
//     │P_TB │       L_TB       │start │ end  │valid│   32 warps a block; `start` and `end`: first and
//     └─────┴──────────────────┴──────┴──────┴─────┘   last warp still to start
struct warpman_buffer {
    unsigned physical; // number of the block on the SM
    uint64_t logical;  // number of the block in the grid
    uint32_t start, end;
    bool valid;
};

enum { BUFFER_LOGICAL_BITS = 26, BUFFER_WARP_BITS = 5 };

unsigned warpman_physical_bits(const struct gpu_config *c);
unsigned warpman_buffer_bits(const struct gpu_config *c);
uint64_t warpman_buffer_pack(const struct warpman_buffer *b, const struct gpu_config *c);
void warpman_buffer_unpack(struct warpman_buffer *b, uint64_t bits, const struct gpu_config *c);

// -- books.c: an SM -----------------------------------------------------------------------------------------

struct warpman {
    const struct warpman_launch *launch;
    struct sm_grid *grid;
    uint64_t *counters;
    struct warpman_buffer buffer;
    uint32_t by_block, resident; // warps on the SM: limit under dispatch by block; resident now
    uint64_t running;            // bits: blocks
    // By block; cycles, except for counts:
    uint64_t start[WARPMAN_BLOCKS], last_end[WARPMAN_BLOCKS];
    // sum over the block's ended warps: cycles from the block's start to the warp's end
    uint64_t ended_at[WARPMAN_BLOCKS];
    uint64_t late_before[WARPMAN_BLOCKS]; // counter of late warps at the start of the block's first warp
    uint32_t started[WARPMAN_BLOCKS];
    const char *broken; // first broken rule, static text; NULL: no rule broken
};

void warpman_block_start(void *state, unsigned block);
void warpman_block_end(void *state, unsigned block);
void warpman_warp_start(void *state, unsigned place);
void warpman_warp_end(void *state, unsigned place);
const char *warpman_check(const void *state);
