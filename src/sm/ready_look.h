// The evaluation of a warp (ready.h), inline for the paths of every instruction. Belongs to ready.c.
#pragma once
#include "sm/sm_impl.h"

// -- ready.c
void ready_stopped(struct sm *s, unsigned slot);        // the warp may not issue whatever its operands are
void ready_look_at_flying(struct sm *s, unsigned slot); // nothing stops the warp but operands under way
// The operands are ready for a memory access, which also needs a queue entry of the load/store unit. Without an
// entry, the warp waits in line.
void ready_may_access(struct sm *s, unsigned slot);
void ready_without_access(struct sm *s, unsigned slot);

// True: the warp may not issue whatever its operands are. Mechanisms' holds are left out.
static inline __attribute__((always_inline)) bool ready_is_stopped(const struct sm *s,
                                                                   const struct sm_warp *w)
{
    return !w->front.count || w->ready.resume > s->now || w->tags.waits_for_constant || !w->warp ||
           w->warp->state != WARP_READY;
}

// The operands of the warp's next instruction, `o`, are ready.
static inline __attribute__((always_inline)) void ready_becomes(struct sm *s, const struct sm_warp *w,
                                                                unsigned slot, const struct op *o)
{
    uint64_t bit = 1ull << slot;
    if (accesses_memory(w, o)) {
        ready_may_access(s, slot);
        return;
    }
    s->ready.wants_lsu &= ~bit;
    s->ready.now |= bit;
    if (__builtin_expect((s->lsu.asked & bit) != 0, 0)) ready_without_access(s, slot);
}

static inline void ready_waits(const struct sm *s, struct sm_warp *w, enum gpu_slot why)
{
    if (w->ready.why == why) return;
    w->ready.why = (uint8_t)why;
    w->ready.charged = why == SLOT_MEMORY ? ready_column(w->ready.source) : (uint8_t)why;
    w->ready.since = s->now;
}

// The I-buffer is empty. others: bits of further warps in need of ready_stopped.
static inline __attribute__((always_inline)) void ready_starves(struct sm *s, struct sm_warp *w,
                                                                unsigned slot, uint64_t others)
{
    bool is_fetched_for = w->warp && w->warp->state == WARP_READY && w->ready.resume <= s->now;
    if (is_fetched_for && !((s->lsu.asked | others) >> slot & 1))
        ready_waits(s, w, SLOT_FETCH);
    else
        ready_stopped(s, slot);
}

// ready_evaluate of warp `w` in the slot. has_techs: with mechanisms on the SM, a constant.
static inline __attribute__((always_inline)) void ready_look_among(struct sm *s, struct sm_warp *w,
                                                                   unsigned slot, bool has_techs)
{
    s->ready.now &= ~(1ull << slot);
    if (!w->front.count) {
        ready_starves(s, w, slot, has_techs ? s->ready.held | s->front.held : 0);
        return;
    }
    if (ready_is_stopped(s, w) || (has_techs && s->ready.held >> slot & 1)) {
        ready_stopped(s, slot);
        return;
    }
    const struct op *o = &w->grid->ops[w->front.head];
    if (w->operands.flying & o->needs)
        ready_look_at_flying(s, slot);
    else
        ready_becomes(s, w, slot, o);
}

static inline __attribute__((always_inline)) void ready_look_plain(struct sm *s, struct sm_warp *w,
                                                                   unsigned slot)
{
    ready_look_among(s, w, slot, false);
}

static inline __attribute__((always_inline)) void ready_look(struct sm *s, struct sm_warp *w, unsigned slot)
{
    ready_look_among(s, w, slot, true);
}
