// Asynchronous copies from global to shared memory (cp.async) and the arrivals at mbarriers behind them.
//
//     issue ──▶ departure ──▶ landing        issue: addresses are read and checked
//                  │             │           departure: global memory is read
//                  └─ data ──────┘           landing: shared memory is written
//
//     run                          departure                                  landing
//     functional, early            issue                                      issue
//     functional, late             the wait that covers the copy,             at once after departure
//                                  or the thread's end
//     timed                        the request leaves the SM                  an event at completion
//
// Groups belong to threads: a copy has the number of commits of its thread before the issue, and a wait for all but
// N groups covers copies with a number below commits - N. An arrival (cp.async.mbarrier.arrive) is made once all
// earlier copies of its thread have landed. Late runs: a strong load of an mbarrier covers the copies behind whose
// landing an arrival at the mbarrier waits.
#pragma once
#include "base/vec.h"
#include "exec/exec_impl.h"

// An instruction with lanes under way: a copy, or arrivals.
struct async_entry {
    uint64_t lanes;  // copies not landed, or arrivals not made
    uint64_t unread; // subset: copies not departed
    uint64_t number; // of the warp's entries since its start
    uint8_t bytes;   // of a lane's copy; 0: arrivals
    struct async_entry *next_spare;
    uint32_t group[LANES_MAX];      // commits of the lane before the issue
    const uint8_t *from[LANES_MAX]; // host bytes of the source
    uint8_t *to[LANES_MAX];         // host bytes of the destination, or of the mbarrier
    uint8_t real[LANES_MAX];        // bytes read; the rest of the copy is zero
    uint8_t data[LANES_MAX][16];    // after departure
};

struct bulk_warp;
struct warpgroup_warp;

struct async_warp {
    struct bulk_warp *bulk; // bulk copies (bulk.h); NULL: none since the block's creation
    struct warpgroup_warp
        *warpgroup; // products of a warpgroup (warpgroup.h); NULL: none since the block's creation
    VEC(struct async_entry *) queue; // in order of issue
    struct async_entry *spare;
    uint64_t entries; // issued since the warp's start
    uint32_t commits[LANES_MAX];
};

struct async_warp *async_of(struct warp *w); // made on demand
// Departure and landing of a copy's lanes; a lane departs before it lands. Both have no effect on lanes over already.
// Landing makes the arrivals that waited for the lanes, and removes finished entries from the queue.
void async_depart(struct async_entry *c, uint64_t lanes);
void async_land(struct warp *w, struct async_entry *c, uint64_t lanes);
// The entry with the number; NULL: over.
struct async_entry *async_entry_of(const struct warp *w, uint64_t number);
// Whether a copy covered by a wait of `lanes` for all but the newest `pending` groups has not landed.
bool async_covers(const struct warp *w, uint64_t lanes, unsigned pending);
// The threads of `lanes` end. Late runs: all their copies depart and land.
void async_exit(struct warp *w, uint64_t lanes);
void async_start(struct warp *w); // a warp starts: nothing is under way
void async_fini(struct warp *w);
// Late runs: copies of the block land if an arrival at the mbarrier at host bytes `at` waits behind them.
void async_land_for(struct cta *c, const uint8_t *at);
extern const struct handlers async_load_handlers; // late runs: a strong load of shared memory
