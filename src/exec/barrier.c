// The sixteen barriers of a block (PTX ISA 9.7.13.1). Arrival is by whole warps: a warp arrives when all of
// its threads not yet exited wait at the barrier, and counts for the warp's threads rounded up to whole
// groups of 32. A barrier of the whole block waits for all warps not yet exited.
//
// With simt=stack the running lanes arrive on behalf of their warp, as in hardware before sm_70.
#include "exec/checker.h"
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/hint.h"
#include "exec/race.h"
#include "exec/timed.h"
#include "isa/fields.h"
#include "isa/modes.h"

#include <string.h>

static void write_result(struct warp *w, const struct split *s, const struct barrier *b)
{
    uint64_t counted = s->result_boolean == BOOL_POPC ? s->result_lanes : 0;
    for (uint64_t left = counted; left; left &= left - 1)
        reg_lanes(w->regs, s->result_dst)[bit_lowest(left)] = b->popc;
    bool all_or_any = s->result_boolean == BOOL_AND ? b->all : b->any;
    w->pred[s->result_q] = (w->pred[s->result_q] & ~s->result_lanes) | (all_or_any ? s->result_lanes : 0);
}

// Ends the wait of a warp whose live lanes are one split, without the search of split_release and split_pick.
static inline void release_whole(struct warp *w, const struct barrier *b)
{
    struct split *s = w->splits.data;
    if (s->result_q != PRED_SINK || s->result_boolean == BOOL_POPC) write_result(w, s, b);
    s->state = SPLIT_READY;
    w->current = 0;
    w->active = s->mask;
    w->depth = s->depth;
    w->pc = s->pc;
    w->waiting_places = 0;
}

static void release_parts(struct warp *w, unsigned number, const struct barrier *b)
{
    for (uint32_t k = 0; k < w->splits.count; k++) {
        const struct split *s = &w->splits.data[k];
        if (s->state == SPLIT_BARRIER && s->barrier == number) write_result(w, s, b);
    }
    split_release(w, SPLIT_BARRIER, number);
    split_pick(w);
}

static void complete(struct cta *c, unsigned number)
{
    if (c->exec->observed) observed_barrier(c, number);
    if (c->exec->checker) checker_barrier(c, number);
    struct barrier b = {.all = true};
    const bool is_watched = c->exec->races != NULL;
    uint32_t released = 0;
    if (!c->exec->launch->flat) {
        b = c->barriers[number];
        c->barriers[number] = (struct barrier){.all = true};
        c->barriers_used &= ~(1u << number);
    }
    for (struct warp *w = c->warps, *end = w + c->warp_count; w < end; w++) {
        if (w->waits_at != number || w->state == WARP_DONE) continue;
        w->waits_at = NO_BARRIER;
        w->state = WARP_READY;
        if (w->splits.count == 1)
            release_whole(w, &b);
        else
            release_parts(w, number, &b);
        if (is_watched) race_barrier_leave(w, number);
        released++;
    }
    race_barrier_complete(c, number, released == c->warp_count);
    hint_ordered(c);
}

// Barrier of the warp's barrier group (barrier_warps in struct launch_flat). The barrier's number is the
// number of the group: index of the group's first warp divided by warps per group.
const struct bound *barrier_group(struct warp *w, uint32_t pc)
{
    struct cta *c = w->cta;
    uint32_t size = w->exec->launch->flat->barrier_warps;
    if (!size || size > c->warp_count) size = c->warp_count;
    uint32_t first = w->index / size * size,
             end = first + size < c->warp_count ? first + size : c->warp_count;
    w->splits.data[w->current].pc = pc;
    w->splits.data[w->current].state = SPLIT_BARRIER;
    w->splits.data[w->current].barrier = w->waits_at = (uint8_t)(first / size);
    w->state = WARP_BARRIER;
    race_barrier_arrive(w, w->waits_at);
    for (uint32_t i = first; i < end; i++)
        if (c->warps[i].waits_at != w->waits_at) return NULL;
    complete(c, w->waits_at);
    return warp_go(w, pc);
}

static inline void check_complete(struct cta *c, unsigned number)
{
    struct barrier *b = &c->barriers[number];
    uint32_t wanted = b->expected ? b->expected : c->threads_left;
    if (b->arrived && b->arrived >= wanted) complete(c, number);
}

void barrier_warp_exited(struct warp *w)
{
    for (uint32_t used = w->cta->barriers_used; used; used &= used - 1) {
        unsigned n = bit_lowest(used);
        if (!w->cta->barriers[n].expected) check_complete(w->cta, n);
    }
}

void timed_pass_barrier(struct warp *w)
{
    unsigned number = w->waits_at;
    if (number == NO_BARRIER) return;
    struct barrier *b = &w->cta->barriers[number];
    for (uint32_t k = 0; k < w->splits.count; k++)
        if (w->splits.data[k].state == SPLIT_BARRIER) write_result(w, &w->splits.data[k], b);
    b->arrived -= w->arrival;
    w->waits_at = NO_BARRIER;
    w->state = WARP_READY;
    split_release(w, SPLIT_BARRIER, number);
    split_pick(w);
    timed_settle(w);
}

static void add_predicates(struct barrier *b, const struct bound *d, const struct warp *w, uint64_t active)
{
    uint64_t yes = pred_source(w, d->src[2]) & active;
    b->popc += bit_count(yes);
    b->all = b->all && yes == active;
    b->any = b->any || yes;
}

// The warp arrives at a barrier for `threads` threads (0: the whole block).
static inline void arrive(struct warp *w, unsigned number, uint32_t threads)
{
    struct barrier *b = &w->cta->barriers[number];
    if (!b->arrived) b->expected = threads;
    b->arrived += w->arrival;
    w->cta->barriers_used |= 1u << number;
    if (w->exec->races) race_barrier_arrive(w, number);
}

bool barrier_try_arrive(struct warp *w)
{
    const struct split *first = &vec_last(&w->splits);
    unsigned number = first->barrier;
    if (w->waits_at != NO_BARRIER || !w->splits.count) return false;
    if (first->state != SPLIT_BARRIER && first->state != SPLIT_ARRIVE) return false;
    if (!split_all_wait_at(w, number)) return false;
    arrive(w, number, first->barrier_threads);
    split_release(w, SPLIT_ARRIVE, number);
    for (uint32_t k = 0; k < w->splits.count; k++)
        if (w->splits.data[k].state == SPLIT_BARRIER) w->waits_at = (uint8_t)number;
    check_complete(w->cta, number);
    return true;
}

static __attribute__((noinline)) const struct bound *wait_any(const struct bound *d, struct warp *w,
                                                              uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    unsigned lane = bit_lowest(active);
    uint32_t number = exec_lane_word(d, w, regs, 0, 0, lane);
    if (number >= BARRIERS)
        return exec_fault(w, d, FAULT_TRAP, lane, "barrier %u does not exist: a block has barriers 0 to 15",
                          number);
    w->counts.barriers++;
    if (i->mode == MODE_BAR_RED) add_predicates(&w->cta->barriers[number], d, w, active);
    struct split *s = &w->splits.data[w->current];
    s->barrier = (uint8_t)number;
    s->barrier_threads = i->src[1].kind == OPERAND_NONE ? 0 : exec_lane_word(d, w, regs, 1, 0, lane);
    s->result_boolean = i->mode == MODE_BAR_RED ? i->boolean : BOOL_AND;
    s->result_dst = d->dst;
    s->result_lanes = active;
    s->result_q = i->mode == MODE_BAR_RED ? d->q : PRED_SINK;
    warp_count_run(w, d);
    return split_wait(w, active, d->index + 1, d->index + 1,
                      i->mode == MODE_BAR_ARRIVE ? SPLIT_ARRIVE : SPLIT_BARRIER, 0);
}

static __attribute__((noinline)) const struct bound *release_and_go(struct warp *w, unsigned number)
{
    complete(w->cta, number);
    return warp_go(w, w->pc);
}

// Frequent: a full warp, undivided, at a barrier of the whole block. The same as split_wait and barrier_try_arrive, in
// one step; no result is due.
const struct bound *exec_bar(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    struct split *s = w->splits.data;
    bool is_whole = w->splits.count == 1 && active == w->full && w->waits_at == NO_BARRIER;
    if (!is_whole || !d->spare_byte || w->exec->races) return wait_any(d, w, regs, active);
    struct cta *c = w->cta;
    struct barrier *b = &c->barriers[d->scalar];
    uint32_t wanted = b->expected ? b->expected : c->threads_left, arrived = b->arrived + w->arrival;
    uint64_t instructions = (uint64_t)(d - w->run_start) + 1;
    w->counts.barriers++;
    w->issued += instructions;
    w->counts.thread_instructions += instructions * w->exec->lanes;
    b->arrived = arrived;
    c->barriers_used |= 1u << d->scalar;
    w->waits_at = s->barrier = (uint8_t)d->scalar;
    w->pc = d->index;
    s->pc = d->index + 1;
    s->barrier_threads = 0;
    s->result_boolean = BOOL_AND;
    s->result_q = PRED_SINK;
    s->state = SPLIT_BARRIER;
    if (arrived >= wanted) return release_and_go(w, d->scalar);
    w->state = WARP_BARRIER;
    return NULL;
}
