// Memory behind the SMs: crossbar, L2 slices, DRAM channels.
//
//     SM ── port ─▶ crossbar ─▶ partition: L2 slices, DRAM ─▶ crossbar ── port ─▶ SM
//
// Models time only: values are in exec/, which executes atomics and merges stores in order of (request
// `cycle`, SM, push). A window is at most as long as the crossbar latency. Actions of an SM or partition in
// one window therefore reach the other side in the next window at the earliest:
//
//     window          SMs: take replies, push requests          partitions: run
//        │                        └──────────── hand over ───────────┘
//     next window     SMs: replies of the last window           partitions: requests of the last window
//
// Within a window, at most one thread touches each SM port and each partition. Which thread and when does
// not matter: equal requests give equal replies.
#pragma once
#include "memory/config.h"
#include "memory/dram.h"

enum memory_kind { MEMORY_LOAD, MEMORY_STORE, MEMORY_ATOMIC, MEMORY_REDUCE };

static inline bool memory_has_data(unsigned kind) // the reply
{
    return kind == MEMORY_LOAD || kind == MEMORY_ATOMIC;
}

struct memory_request {
    uint64_t cycle; // departure from the SM
    uint64_t line;  // address of the line
    uint32_t token; // the SM's
    uint16_t sm;
    uint8_t sectors;    // bits
    uint8_t data_bytes; // a store's or atomic's payload
    uint8_t kind;       // enum memory_kind
    uint8_t grid;       // number of the sender's grid
    // The load rides with the load that the SM pushed immediately before, in the same cycle. If both go to
    // one slice, they share a packet without a second header, and the L2 looks both up at once. Each load
    // has its own reply.
    bool rides;
};

// A reply, exactly one per request; the reply to a store or reduction is its acknowledgement.
struct memory_reply {
    uint64_t cycle;
    uint32_t token;
    uint16_t sm;
    uint8_t sectors;
    uint8_t grid;
    bool from_dram; // a sector was not in the L2
};

struct memory_counts {
#define MEMORY_COUNTER(name, unit, meaning) uint64_t name;
#define DRAM_COUNTER(name, unit, meaning)
#include "memory/counters.def"
#undef MEMORY_COUNTER
#undef DRAM_COUNTER
    struct dram_counts dram;
};

struct memory_system;

struct memory_system *memory_system_create(const struct memory_config *c, unsigned sm_count);
void memory_system_destroy(struct memory_system *m);
// Sectors of address … address + bytes - 1 become valid in the L2, in rising order, without time and counts. Only
// between windows.
void memory_system_fill(struct memory_system *m, uint64_t address, uint64_t bytes);
// Closes the L2: sets are full with the lines that they have (cache_close). Only between windows.
void memory_system_close(struct memory_system *m, bool is_closed);
// Least core cycles between an SM and a partition, either way: the longest window.
uint64_t memory_system_window(const struct memory_config *c);

// -- between windows
// Starts a window at core cycle `now`: packets sent earlier become visible at the receivers.
void memory_system_hand_over(struct memory_system *m, uint64_t now);
// Cycle of the next event, at least `now`; UINT64_MAX when idle.
uint64_t memory_system_next(const struct memory_system *m, uint64_t now);
uint64_t memory_system_unanswered(const struct memory_system *m); // requests pushed, replies not yet taken
bool memory_system_is_idle(const struct memory_system *m);        // all queues empty, every request answered
// NULL when the memory system is idle and its counts of requests balance, else the failed invariant; static
// text.
const char *memory_system_check(const struct memory_system *m);
// Drops lines at addresses from..to-1, dirty or not. No request for such a line may be under way.
void memory_system_clear_caches(struct memory_system *m, uint64_t from, uint64_t to);
// Counts of all requests under a grid number since the memory system's creation. A write-back is charged to
// the evicting grid.
void memory_system_counts(const struct memory_system *m, unsigned grid, struct memory_counts *out);

// Whether an SM gets replies in the window begun.
bool memory_system_has_replies(const struct memory_system *m);

// -- within a window, a partition
unsigned memory_system_partitions(const struct memory_system *m);
void memory_system_run(struct memory_system *m, unsigned partition, uint64_t until); // the window's end

// -- within a window, an SM
void memory_system_open(struct memory_system *m, unsigned sm); // first call of the window
// An SM pushes its requests in order of cycle, within the window.
void memory_system_push(struct memory_system *m, const struct memory_request *r);
// Takes the next reply before `until`, the window's end, in order of cycle; false when no reply is left.
bool memory_system_take(struct memory_system *m, unsigned sm, uint64_t until, struct memory_reply *r);
