// Warps able to issue, and the obstacles of the others. Written only in ready.c and in this header, readable
// everywhere.
//
//     evaluated ─▶ ready ─▶ issues ─▶ evaluated …        a warp is evaluated when its situation changes
//         └─▶ waits: woken at a known cycle, or evaluated again by a reply, a barrier or the end of a warp
#pragma once
#include "sm/account.h"
#include "sm/event_ring.h"
#include "sm/places.h"
#include "sm/sm.h"

struct sm_grid;
struct sm_warp;

struct ready_warp {
    uint64_t resume; // earliest next issue after a barrier, a sleep, a branch or a refused load
    uint64_t since;  // cycle since which the warp waits for `why`
    uint8_t why;     // enum gpu_slot: reason of the warp's present or last wait
    uint8_t pause;   // enum gpu_slot: reason charged for a wait until `resume`
    uint8_t source;  // of a wait for memory: SOURCE_AWAITED, or SOURCE_LEVEL + enum gpu_level (account.h)
    // Of a row of slots, the column charged for the wait: `why`; for memory the level; SOURCE_AWAITED: not known yet.
    uint8_t charged;
    uint32_t stopped_at; // index of the barrier or sleep issued last
};

struct ready {           // bits by warp slot
    uint64_t now;        // ready to issue
    uint64_t wants_lsu;  // bits: next instruction accesses memory
    uint64_t held;       // bits: held by a mechanism
    uint64_t at_barrier; // bits: waiting for another warp to complete the barrier
    // By slot, of warps parked for a phase (exec/phase.h): the cycle at which their time is up.
    uint64_t parked_until[SM_SLOTS];
    struct event_ring wakes;
};

void ready_fini(struct sm *s);
// Evaluates a warp: ready to issue, or the reason of the wait and the cycle of the next evaluation.
void ready_evaluate(struct sm *s, unsigned slot);
// Evaluates a guest's I-buffer and registers, without side effects on the warp. Returns the earliest cycle of
// issue; *why: the obstacle. CYCLE_NEVER: not known yet.
uint64_t ready_stream(struct sm *s, struct sm_warp *w, enum gpu_slot *why);
void ready_wake_at(struct sm *s, unsigned slot, uint64_t cycle); // schedules an evaluation
// After a change of the warp's pc or state: updates I-buffer, fetching and evaluation.
void ready_settle(struct sm *s, unsigned slot);
// Resumes warps released from the block's barriers.
void ready_barriers(struct sm_grid *g, unsigned block);
// The same for an sm_grid and a block: exec->woken.
void ready_woken(void *sm_grid, struct cta *c);
void ready_start(struct sm *s, unsigned slot);
void ready_forget(struct sm *s, unsigned slot); // the warp has ended
void ready_hold(struct sm *s, unsigned slot, bool held);

static inline uint64_t ready_due(struct ready *r, uint64_t now) { return ring_take(&r->wakes, now); }
// The load/store unit has reserved queue entries for the warps (bits), now able to issue.
static inline void ready_admit(struct ready *r, uint64_t warps) { r->now |= warps; }
static inline void ready_pause(struct ready_warp *w, uint64_t until, enum gpu_slot why)
{
    w->resume = until;
    w->pause = (uint8_t)why;
}
static inline uint8_t ready_column(uint8_t source)
{
    return source > SOURCE_AWAITED ? source : SOURCE_AWAITED;
}
// Waits for memory are of `source` (account.h) from now on.
static inline void ready_awaits(struct ready_warp *w, uint8_t source)
{
    w->source = source;
    if (w->why == SLOT_MEMORY) w->charged = ready_column(source);
}
// The warp stops at a barrier or sleep, instruction `index`: the waiting time is charged to the instruction.
static inline void ready_stop(struct ready_warp *w, uint32_t index) { w->stopped_at = index; }
