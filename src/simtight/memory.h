// Memory side of the core: queue of memory instructions, coalescer, compressed stack cache, DRAM,
// scratchpad. Models time and traffic; values reach memory when the instruction executes.
//
//     execute ─▶ queue ─▶ coalescer ─┬─▶ stack cache ─▶ DRAM: beats in order ─▶ replies ───┬─▶ resume
//                                    └─▶ scratchpad: word banks, shared ports ─▶ replies ──┘
//
// Left out: rows, banks and refresh of DRAM (the public source's simulator has no model of them, either);
// traffic of the host.
#pragma once
#include "scalar/stackcache.h"
#include "simtight/coalesce.h"
#include "simtight/config.h"

struct simtight_reply { // to a group of lanes of a load, an atomic or a fence
    uint64_t at;
    uint32_t lanes;
    uint8_t warp, reg, beats;
    bool is_unspill;
};

// Bound on replies outstanding: one request per warp, at most one group per lane.
enum { SIMTIGHT_REPLIES = 64 * SIMTIGHT_LANES_MAX };

struct simtight_replies { // in order of cycle
    struct simtight_reply all[SIMTIGHT_REPLIES];
    uint32_t first, count;
};

struct simtight_dram {
    uint64_t free_at; // in 1/dram_rate cycles
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
    uint64_t send_at; // earliest cycle of the next group
    bool has_stack_cache;
    struct stackcache stack_cache;
    uint32_t stacks; // first physical address of the stacks
    struct simtight_dram dram;
    // Replies to loads, atomics and fences, sent to DRAM or answered by the stack cache, in order of sending.
    // A reply is for one coalesced group of lanes.
    struct simtight_replies under_way;
    struct simtight_replies replies, scratch_replies;
    // Cycle in which the coalescer has passed on the last reply; cycle in which the scratchpad is free again.
    uint64_t replied_at, scratch_free_at;
    struct simtight_traffic traffic;
};

void simtight_memory_init(struct simtight_memory *m, const struct simtight_config *c,
                          struct simtight_window scratchpad, uint32_t stacks);
void simtight_memory_fini(struct simtight_memory *m);
void simtight_memory_restart(struct simtight_memory *m); // back to cycle 0; caches and counts stay
// Allocates a request for the caller to fill; NULL: the queue is full. The coalescer sees the request in
// the next cycle.
struct simtight_request *simtight_memory_ask(struct simtight_memory *m);
void simtight_memory_tick(struct simtight_memory *m, uint64_t now);
// Takes a reply due by `now`; false: no reply is due.
bool simtight_memory_take(struct simtight_memory *m, uint64_t now, struct simtight_reply *r);
bool simtight_memory_is_idle(const struct simtight_memory *m);
// First cycle, at least `now`, in which a tick or a take can change anything; UINT64_MAX: none.
uint64_t simtight_memory_next(const struct simtight_memory *m, uint64_t now);

// Cycles the scratchpad takes for the given lanes of a request.
unsigned simtight_scratch_cycles(const struct simtight_request *r, uint32_t lanes, unsigned banks);
