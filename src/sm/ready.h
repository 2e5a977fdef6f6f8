// Which warps can issue, and what keeps the others from it. ready.c alone writes these; everybody may read
// them.
//
//     evaluated ─▶ ready ─▶ issues ─▶ evaluated …          a warp is looked at when something has changed for it
//         └─▶ waits, until it is woken at a cycle that is known, or a reply, a barrier or an end evaluates it
#pragma once
#include "sm/event_ring.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;
struct sm_warp;

struct ready_warp {
    uint64_t resume;     // may not issue before: after a barrier, a sleep, a branch that takes its time
    uint64_t since;      // it waits for what `why` says since then
    uint8_t why;         // enum gpu_slot: why it cannot issue
    uint8_t pause;       // enum gpu_slot: what a wait until `resume` is charged to
    bool at_barrier;     // until another warp completes it
    uint32_t stopped_at; // the barrier or sleep that it issued last
};

struct ready { // bits by warp slot
    uint64_t now;
    uint64_t wants_lsu; // of those: they access memory next
    uint64_t held;      // by a mechanism
    struct event_ring wakes;
};

void ready_fini(struct sm *s);
// Says whether a warp can issue, and if not, why, and when to look again.
void ready_evaluate(struct sm *s, unsigned slot);
// The same of a guest's I-buffer and registers, without a trace: from which cycle on it could.
uint64_t ready_stream(struct sm *s, const struct sm_warp *w, enum gpu_slot *why);
void ready_wake_at(struct sm *s, unsigned slot, uint64_t cycle); // to be looked at again then
void ready_wake(struct sm *s, uint64_t warps);
// The warp's pc or state has changed: I-buffer, fetching, evaluation.
void ready_settle(struct sm *s, unsigned slot);
void ready_barriers(struct sm_grid *g, unsigned block); // warps that others released go on
void ready_start(struct sm *s, unsigned slot);
void ready_forget(struct sm *s, unsigned slot); // the warp has ended
void ready_hold(struct sm *s, unsigned slot, bool held);

static inline uint64_t ready_due(struct ready *r, uint64_t now) { return ring_take(&r->wakes, now); }
// The load/store unit has places for them now.
static inline void ready_admit(struct ready *r, uint64_t warps) { r->now |= warps; }
static inline void ready_pause(struct ready_warp *w, uint64_t until, enum gpu_slot why)
{
    w->resume = until;
    w->pause = (uint8_t)why;
}
// At a barrier or sleep, which will be charged with the time there.
static inline void ready_stop(struct ready_warp *w, uint32_t index) { w->stopped_at = index; }
