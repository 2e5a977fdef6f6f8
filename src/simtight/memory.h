// What is behind the core's lanes: the queue of memory instructions, the coalescer, the compressed stack cache, DRAM and
// the scratchpad. Time and traffic; values are in memory when an instruction executes.
//
//     execute ─▶ queue ─▶ coalescer ─┬─▶ stack cache ─▶ DRAM: beats in order, one at a time ─▶ replies ─┐
//                                    └─▶ scratchpad: a bank a word, ports that lanes share ─▶ replies ──┴─▶ resume
//
// Left out: rows, banks and refresh of DRAM, which the public source's simulator does not have either; the host's share.
#pragma once
#include "scalar/stackcache.h"
#include "simtight/coalesce.h"
#include "simtight/config.h"

struct simtight_reply { // of a group of a load, an atomic or a fence
    uint64_t at;
    uint32_t lanes;
    uint8_t warp, reg, beats;
    bool is_unspill;
};

// A warp's request has at most a group a lane, and a warp has one request.
enum { SIMTIGHT_REPLIES = 64 * SIMTIGHT_LANES };

struct simtight_replies { // in order
    struct simtight_reply all[SIMTIGHT_REPLIES];
    uint32_t first, count;
};

struct simtight_dram {
    uint64_t free_at; // in parts of a cycle, `rate` of them
    uint32_t inflight;
};

struct simtight_traffic {
    uint64_t load_beats, store_beats, groups;
    uint64_t scratch_groups, scratch_cycles;
};

struct simtight_memory {
    const struct simtight_config *config;
    struct simtight_request *pool;
    uint16_t *free_requests, *queue; // numbers in the pool
    uint32_t free_count, queue_first, queue_count;
    struct simtight_coalescer coalescer;
    uint64_t send_at; // the coalescer may send its next group
    bool has_stack_cache;
    struct stackcache stack_cache;
    uint32_t stacks; // physical addresses from here on are stacks
    struct simtight_dram dram;
    struct simtight_replies
        under_way; // groups of loads that the coalescer has sent, to DRAM or to the stack cache
    struct simtight_replies replies, scratch_replies;
    uint64_t replied_at,
        scratch_free_at; // when the last reply is through; the scratchpad takes the next group
    struct simtight_traffic traffic;
};

void simtight_memory_init(struct simtight_memory *m, const struct simtight_config *c,
                          struct simtight_window scratchpad, uint32_t stacks);
void simtight_memory_fini(struct simtight_memory *m);
void simtight_memory_restart(struct simtight_memory *m); // at cycle 0; caches and counts stay
// A request to be filled; NULL: the queue is full. The coalescer sees it in the next cycle.
struct simtight_request *simtight_memory_ask(struct simtight_memory *m);
void simtight_memory_tick(struct simtight_memory *m, uint64_t now);
// A reply that has come by now, which is taken; false: there is none.
bool simtight_memory_take(struct simtight_memory *m, uint64_t now, struct simtight_reply *r);
bool simtight_memory_is_idle(const struct simtight_memory *m);
// The first cycle, `now` or later, in which a tick or a take can change anything.
uint64_t simtight_memory_next(const struct simtight_memory *m, uint64_t now);

// Cycles that the scratchpad needs for these lanes of a request.
unsigned simtight_scratch_cycles(const struct simtight_request *r, uint32_t lanes, unsigned banks);
