// A queue of events by time for a machine whose events are nearly all near: a ring of buckets, one a cycle,
// and a heap for what is farther away than the ring is long. Within a cycle events come in order of pushing,
// but for those pushed with a turn: they come last, in order of their turns.
//
//     bucket:   plain ─▶ plain ─▶ …     then    turn 3 ─▶ turn 3 ─▶ turn 7
#pragma once
#include "base/vec.h"
#include "memory/heap.h"

#include <stdbool.h>
#include <stdint.h>

enum { CALENDAR_CYCLES = 1024, CALENDAR_NO_TURN = UINT32_MAX };

struct calendar_event {
    uint64_t cycle;
    uint32_t kind, what, turn;
    uint32_t next; // in its bucket, or among the free ones
};

struct calendar_bucket {
    uint32_t first, last; // plain
    uint32_t turns;       // first of those with a turn
};

struct calendar {
    struct calendar_bucket buckets[CALENDAR_CYCLES];
    uint64_t occupied[CALENDAR_CYCLES / 64];
    VEC(struct calendar_event) events;
    uint32_t free;
    uint64_t base;         // no event is before it
    uint64_t lag;          // of pushes behind the last event taken
    uint64_t order;        // of far events
    struct event_heap far; // what: index into events
    size_t count;
};

// lag: how far behind the latest `until` of calendar_pop a push may be; at most half the ring.
void calendar_init(struct calendar *c, uint64_t lag);
void calendar_fini(struct calendar *c);
void calendar_push(struct calendar *c, uint64_t cycle, uint32_t kind, uint32_t what, uint32_t turn);
// The next event before `until`; false when there is none.
bool calendar_pop(struct calendar *c, uint64_t until, struct calendar_event *e);
uint64_t calendar_next(const struct calendar *c); // its cycle; UINT64_MAX: none
