// Memory behind the SMs: crossbar, L2 slices, DRAM channels.
//
//     SM ── port ─▶ crossbar ─▶ partition: L2 slices, DRAM ─▶ crossbar ── port ─▶ SM
//
// Only time is here: values are in exec/, which executes atomics and merges stores in the order of `cycle` of
// the request (then SM, then order of pushing). Time passes in windows no longer than the way through the
// crossbar, so what an SM and a partition do in one window cannot reach another before the next:
//
//     window          SMs: take replies, push requests          partitions: run
//        │                        └──────────── hand over ───────────┘
//     next window     SMs: replies of the last window           partitions: requests of the last window
//
// Within a window every SM's port and every partition is touched by one thread at most, and it does not
// matter by which and when: the same requests give the same replies.
#pragma once
#include "memory/config.h"
#include "memory/dram.h"

enum memory_kind { MEMORY_LOAD, MEMORY_STORE, MEMORY_ATOMIC, MEMORY_REDUCE };

struct memory_request {
    uint64_t cycle; // leaves the SM
    uint64_t line;  // address of the line
    uint32_t token; // the SM's
    uint16_t sm;
    uint8_t sectors;    // bits
    uint8_t data_bytes; // a store's or atomic's payload
    uint8_t kind;       // enum memory_kind
    uint8_t grid;       // number of the sender's grid
    // A load that goes along with the load that the SM pushed right before it, in the same cycle: if both are for one
    // slice, in its packet, without a header of its own, and the L2 looks both up at once. Each has its own reply.
    bool rides;
};

struct memory_reply { // every request has exactly one; a store's and reduction's is its acknowledgement
    uint64_t cycle;
    uint32_t token;
    uint16_t sm;
    uint8_t sectors;
    uint8_t grid;
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
// Cycles that pass at least between an SM and a partition, either way: the longest window.
uint64_t memory_system_window(const struct memory_config *c);

// -- between windows
// A window begins at core cycle `now`: what was sent before becomes visible at the other end.
void memory_system_hand_over(struct memory_system *m, uint64_t now);
// The first cycle at which something happens, `now` at the earliest; UINT64_MAX when all is quiet.
uint64_t memory_system_next(const struct memory_system *m, uint64_t now);
uint64_t memory_system_unanswered(const struct memory_system *m); // requests whose reply was not taken yet
bool memory_system_is_idle(const struct memory_system *m); // nothing queued anywhere, every request answered
// NULL when it is idle and its books balance, else what does not; static text.
const char *memory_system_check(const struct memory_system *m);
// Forgets lines from address `from` to before `to`, dirty or not; nothing under way asks for one.
void memory_system_clear_caches(struct memory_system *m, uint64_t from, uint64_t to);
// What the requests of a grid have counted, ever. Who evicts a line pays for writing it back.
void memory_system_counts(const struct memory_system *m, unsigned grid, struct memory_counts *out);

// -- within a window, a partition
unsigned memory_system_partitions(const struct memory_system *m);
void memory_system_run(struct memory_system *m, unsigned partition, uint64_t until); // the window's end

// -- within a window, an SM
void memory_system_open(struct memory_system *m, unsigned sm); // first of all
// In order of cycle, within the window.
void memory_system_push(struct memory_system *m, const struct memory_request *r);
// The next reply that arrives before `until`, the window's end, in order of cycle; false when there is none.
bool memory_system_take(struct memory_system *m, unsigned sm, uint64_t until, struct memory_reply *r);
