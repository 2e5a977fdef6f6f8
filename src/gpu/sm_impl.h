// Inside an SM: its parts, each in a header of its own. Only the part's .c (and inline functions of its header)
// writes the part's members; `make check-layers` proves it.
//
//     room.h     who lives here: blocks, warps          front.h    fetch and the I-buffers
//     ready.h    who can issue, what others wait for    issue.h    the schedulers
//     operand.h  registers and pipelines in time        lsu.h      memory instructions
//     tags.h     L1 and the other caches                account.h  what the schedulers' slots went to
#pragma once
#include "gpu/account.h"
#include "gpu/check.h"
#include "gpu/front.h"
#include "gpu/issue.h"
#include "gpu/lsu.h"
#include "gpu/operand.h"
#include "gpu/pick.h"
#include "gpu/ready.h"
#include "gpu/room.h"
#include "gpu/stall.h"
#include "gpu/tags.h"
#include "gpu/tech.h"
#include "gpu/watch.h"

struct sm_warp {         // a slot
    struct warp *warp;   // NULL: it is empty
    uint32_t block;      // slot of its block
    uint32_t generation; // of the slot
    uint64_t age;        // number of the warp among those that came to the SM; these four are room.c's
    struct front_warp front;
    struct ready_warp ready;
    struct operand_warp operands;
    struct lsu_warp lsu;
    struct tags_warp tags;
};

struct sm {
    const struct sm_launch *launch;
    const struct gpu_config *config;
    const struct op *ops;
    struct timed_engine *engine;
    unsigned index;
    uint64_t now, window_end;
    bool faulted;

    struct sm_warp warps[SM_WARPS];
    struct room room;
    struct front front;
    struct ready ready;
    struct issue issue;
    struct operands operands;
    struct lsu lsu;
    struct tags tags;
    struct account account;
    struct gpu_counts counts;

    struct sm_tech {
        const struct tech *tech;
        void *state;
        uint64_t *counters;
        struct sm_pool pool;
        uint8_t held[SM_WARPS]; // enum tech_hold
    } techs[TECH_MAX];
    unsigned tech_count;
    const struct tech *hooks; // of the only mechanism, or of one that calls those of all
    void *hooked;             // its state
    bool has_guests;          // mechanisms, a watch, the book or a look for a stall
    unsigned looked_at;       // warp whose readiness is seen to behind the hook under way; NO_WARP
    struct event_ring events; // by block: mechanisms'

    struct check check;     // with sim.check
    struct stall *stall;    // NULL: nobody asks whether the launch will end
    struct watch_sm *watch; // NULL: nobody watches
};

static inline unsigned slot_of(const struct sm *s, const struct sm_warp *w)
{
    return (unsigned)(w - s->warps);
}

// The instruction that is charged for the warp's waiting: its next, or the barrier or sleep that keeps it
// from it.
static inline uint32_t waits_with(const struct sm_warp *w)
{
    return w->ready.why == SLOT_BARRIER ? w->ready.stopped_at : w->front.head;
}

// Whether a warp's next instruction, which is ready, goes to the load/store unit. One that accesses memory in
// no lane, for its guard, is over when it has issued.
static inline bool accesses_memory(const struct sm_warp *w, const struct op *o)
{
    if (o->path != PATH_MEMORY || !o->is_guarded) return o->path == PATH_MEMORY;
    uint64_t guard = w->warp->pred[o->guard];
    return w->warp->active & (o->guard_not ? ~guard : guard);
}

void sm_note_guests(struct sm *s); // somebody has come to look on, or gone

// -- tech.c: the hooks of all mechanisms; called only when there are any
// Mechanisms, and whoever looks on besides (watch.h, check.h): rare, so that an SM without any pays a test
// that the branch predictor knows.
static inline bool has_techs(const struct sm *s) { return __builtin_expect(s->tech_count != 0, 0); }
static inline bool has_guests(const struct sm *s) { return __builtin_expect(s->has_guests, 0); }
void tech_block_start(struct sm *s, unsigned block); // the first of an SM brings the mechanisms to it
void tech_end(struct sm *s);
const char *tech_check(const struct sm *s);

#define HOOK(s, name, ...) ((s)->hooks->name ? (s)->hooks->name((s)->hooked, __VA_ARGS__) : (void)0)
static inline void tech_block_end(struct sm *s, unsigned block) { HOOK(s, block_end, block); }
static inline uint64_t tech_fetch(struct sm *s, uint64_t fetchable)
{
    return s->hooks->fetch ? s->hooks->fetch(s->hooked, fetchable) : fetchable;
}
static inline uint32_t tech_fetched(struct sm *s, unsigned slot, uint32_t pc, uint32_t *count, uint32_t most)
{
    return s->hooks->fetched ? s->hooks->fetched(s->hooked, slot, pc, count, most) : *count;
}
static inline void tech_filled(struct sm *s, unsigned slot, uint32_t pc, unsigned count)
{
    s->looked_at = slot;
    HOOK(s, filled, slot, pc, count);
    s->looked_at = NO_WARP;
}
static inline void tech_flushed(struct sm *s, unsigned slot) { HOOK(s, flushed, slot); }
static inline uint32_t tech_reuse(struct sm *s, unsigned slot, uint32_t index)
{
    uint32_t cycles = s->hooks->reuse ? s->hooks->reuse(s->hooked, slot, index) : 0;
    if (cycles) account_saved(&s->account, index, SAVED_EXECUTION);
    return cycles;
}
static inline void tech_reads(struct sm *s, unsigned slot, uint32_t index) { HOOK(s, reads, slot, index); }
static inline void tech_executed(struct sm *s, unsigned slot, uint32_t index)
{
    HOOK(s, executed, slot, index);
}
static inline void tech_cost(struct sm *s, unsigned slot, uint32_t index, struct op_cost *c)
{
    HOOK(s, cost, slot, index, c);
}
static inline void tech_result(struct sm *s, unsigned slot, uint32_t index, uint64_t cycle)
{
    HOOK(s, result, slot, index, cycle);
}
static inline void tech_issued(struct sm *s, unsigned slot, uint32_t index, bool goes_on) // in this cycle
{
    s->looked_at = goes_on ? slot : NO_WARP;
    HOOK(s, issued, slot, index);
    s->looked_at = NO_WARP;
}
static inline void tech_replied(struct sm *s, unsigned slot, uint32_t index, const uint16_t *registers,
                                uint64_t cycle)
{
    HOOK(s, replied, slot, index, registers, cycle);
}
static inline void tech_events(struct sm *s)
{
    for (uint64_t blocks = ring_take(&s->events, s->now); blocks; blocks &= blocks - 1)
        HOOK(s, event, bit_lowest(blocks));
}
void tech_warp_end(struct sm *s, unsigned slot); // and nobody holds it any more
