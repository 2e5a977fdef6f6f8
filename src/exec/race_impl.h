// State of the race detector, shared by the sources of order (race.c) and the comparison of accesses (race_access.c).
#pragma once
#include "exec/race.h"
#include "exec/race_book.h"

struct race_block {
    uint32_t warps;
    uint32_t *clock; // [v * warps + u]: last stamp of warp u that happens before the present of warp v
    uint32_t *now;   // stamp of each warp
    // [barrier * warps + u]: maximum of clock[v * warps + u] over arrived warps v, and stamp of u if arrived.
    uint32_t *gathered;
    uint32_t *gathered_acquired; // by barrier: maximum of `acquired` over arrived warps
    uint32_t *sync;              // number of the last warp-wide sync of each warp
    uint32_t *all_sync;          // of each warp: number of the last warp-wide sync of all live lanes
    uint32_t *lane_sync; // [warp * LANES_MAX + lane]: number of the lane's last warp-wide sync of some lanes
    uint32_t *acquired;  // by warp: latest publication time acquired
    uint32_t fenced;     // time of the block's last fence
    // Fences between proxies. By thread: time of the last; NULL: nothing reads by the async proxy, or no checker.
    // By warp: its row of `clock` and its `acquired` at the last.
    uint32_t *proxy_fences, *proxy_clock, *proxy_acquired;
    struct race_copies *copies; // NULL: no copy yet
    struct race_page *shared;
};

// Order of an earlier record before the present accesses of a warp: before none, all, or some of its lanes.
enum race_order { RACE_UNORDERED, RACE_ORDERED, RACE_BY_LANE };

struct race_known { // the order of a record, of the instruction with time `time`
    uint32_t time, number;
    enum race_order order;
    bool is_own; // of the warp
};

enum { RACE_KNOWN = 8, RACE_PAGES = 64 };

struct race_detector {
    struct race_book *book;
    uint32_t time;
    VEC(uint32_t) fenced;   // by block: time of the last fence
    VEC(uint32_t) acquired; // by block: latest publication time acquired
    uint64_t count;
    char *text;
    unsigned warp_shift;    // log2 of the warp size
    struct race_record now; // of the present instruction or copy
    uint32_t now_access;    // of lane 0 of `now`; 0: not in the book yet
    uint32_t since;         // of the page found last
    struct race_known known[RACE_KNOWN];
    struct race_page *pages[RACE_PAGES]; // of global memory, by number: found last
};

void race_proxy_start(struct cta *c); // race_proxy.c
// Whether an earlier access, by lane `by` of a record, happens before the present access of the lane.
bool race_is_ordered(const struct warp *w, unsigned lane, const struct race_record *before, unsigned by);
