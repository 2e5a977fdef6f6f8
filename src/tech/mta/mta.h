// MTA: prefetches for loads (mta.c), tables of strides (strides.c).
#pragma once
#include "tech/prefetch/prefetch.h"

enum mta_lines { MTA_FIRST, MTA_ALL };

struct mta_options {
    struct prefetch_options prefetch;
    uint32_t by_warp, of_all, between, promote, train, distance, ahead;
    int lines;
};

enum mta_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/mta/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- strides (strides.c) ------------------------------------------------------------------------------------
//
//     by warp   instruction, warp │ last address, stride, repetitions
//     of all    instruction       │ stride                                promoted: shared by several warps
//     between   instruction       │ last warp and address, stride a warp, repetitions

struct mta_stride {
    bool used;
    uint8_t warp; // place of the warp; table `between`: number of the warp in its block
    uint32_t index;
    uint64_t block; // table `between`: number of the block in the grid
    uint64_t last;  // address
    int64_t stride; // bytes
    uint32_t again; // number of times the stride came in a row
    // serial number of the row's last use; in table `of_all` set at the promotion, not at a use. The row with
    // the lowest number is replaced.
    uint64_t turn;
};

struct mta_table {
    struct mta_stride *rows;
    uint32_t count;
};

struct mta_strides {
    const struct mta_options *options;
    uint64_t *counters;
    struct mta_table by_warp, of_all, between;
    uint64_t turn;
};

struct mta_load { // of a warp, at execution
    uint32_t index, place, warp;
    uint64_t block, address; // address: of the first executing lane
};

void mta_strides_init(struct mta_strides *s, const struct mta_options *o, uint64_t *counters);
void mta_strides_fini(struct mta_strides *s);
void mta_strides_warp(struct mta_strides *s, unsigned place); // the place has a new warp
// Learns from a load. Returns the distance in bytes from the load to the address worth a prefetch; 0:
// unknown.
int64_t mta_strides_next(struct mta_strides *s, const struct mta_load *l);
