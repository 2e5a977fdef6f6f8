// Memory behind the SMs: crossbar, L2 slices, DRAM channels, as one machine driven by events.
//
//     SM ── port ─▶ crossbar ─▶ slice: queue ─▶ tags ─┬ hit ───────────────▶ crossbar ─▶ SM
//                                                    └ miss ─▶ MSHR ─▶ DRAM ─▶ fill ─▶ crossbar ─▶ SM
//
// Only time is here: values are in exec/, which executes atomics and merges stores in the order of `cycle` of
// the request (then SM, then order of pushing). A window of time is simulated at once: push the requests of
// all SMs up to a cycle, run to it, take the replies. No reply arrives earlier than memory_system_window
// cycles after its request.
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
};

struct memory_reply { // every request has exactly one; a store's and reduction's is its acknowledgement
    uint64_t cycle;
    uint32_t token;
    uint16_t sm;
    uint8_t sectors;
};

struct memory_counts {
#define MEMORY_COUNTER(name, unit, meaning) uint64_t name;
#include "memory/counters.def"
#undef MEMORY_COUNTER
    struct dram_counts dram;
};

struct memory_system;

struct memory_system *memory_system_create(const struct memory_config *c, unsigned sm_count);
void memory_system_destroy(struct memory_system *m);
// Cycles that pass at least between a request and its reply: the longest window SMs may run ahead.
uint64_t memory_system_window(const struct memory_config *c);
// In any order; none more than a window before the last run's end.
void memory_system_push(struct memory_system *m, const struct memory_request *r);
// Everything before core cycle `until`.
void memory_system_run(struct memory_system *m, uint64_t until);
// The first cycle at which something happens, UINT64_MAX when all is quiet.
uint64_t memory_system_next(const struct memory_system *m);
// The next reply for an SM that arrives before `until`, in order of cycle; false when there is none.
bool memory_system_take(struct memory_system *m, unsigned sm, uint64_t until, struct memory_reply *r);
bool memory_system_is_idle(const struct memory_system *m); // nothing queued anywhere
void memory_system_clear_caches(struct memory_system *m);  // between launches, when caches do not persist
void memory_system_counts(const struct memory_system *m, struct memory_counts *out);
