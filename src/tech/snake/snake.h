// Snake: prefetches for loads (snake.c), chains of strides (chains.c).
#pragma once
#include "tech/prefetch/prefetch.h"

struct snake_options {
    struct prefetch_options prefetch;
    uint32_t links, between, train, depth, ahead;
    int lines, room;
};

enum snake_counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/snake/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

// -- chains (chains.c) --------------------------------------------------------------------------------------
//
//     head of a warp   last load │ address                       the next load of the warp extends or follows the chain
//     link             from, to  │ stride, repetitions           of every warp: load `to` comes after load `from`, `stride`
//                                                                bytes farther on; from == to: a load in a loop
//     link of warps    load      │ last warp, address, stride    the same load of the block's next warp

struct snake_head {
    bool is_set;
    uint32_t index;
    uint64_t address;
};

struct snake_link {
    bool used;
    uint32_t from, to;
    int64_t stride; // bytes
    uint32_t again; // number of times the stride came in a row
    uint64_t turn;  // serial number of the last use; the row with the lowest number is replaced
    // links of warps: number of the last warp in its block, number of the block in the grid, address
    uint32_t warp;
    uint64_t block, last;
    uint32_t next; // 1 + the next row with the same `from`; 0: none
};

struct snake_table {
    struct snake_link *rows; // heap
    uint32_t count;
    uint32_t *first; // heap; by instruction: 1 + the first row with the instruction as `from`; 0: none
};

struct snake_chains {
    const struct snake_options *options;
    uint64_t *counters;
    struct snake_head heads[64];     // by place
    struct snake_table links, warps; // of options links and between
    uint64_t turn;
};

struct snake_load { // of a warp, at execution
    uint32_t index, place, warp;
    uint64_t block, address; // address: of the first executing lane
};

// instructions: of the program
void snake_chains_init(struct snake_chains *c, const struct snake_options *o, uint32_t instructions,
                       uint64_t *counters);
void snake_chains_fini(struct snake_chains *c);
void snake_chains_warp(struct snake_chains *c, unsigned place); // the place has a new warp
// Learns from a load. Returns whether a known link led to the load's address.
bool snake_chains_learn(struct snake_chains *c, const struct snake_load *l);
// Follows a known link from load *index: *index becomes the next load, *far grows by the stride. False: no known
// link.
bool snake_chains_follow(struct snake_chains *c, uint32_t *index, int64_t *far);
// Bytes from the load's address to the address of the same load `ahead` warps on; 0: unknown.
int64_t snake_chains_ahead(const struct snake_chains *c, uint32_t index);
