// A warp can issue if its next instruction is fetched, its operands are ready and nothing else holds the
// warp back. issue.dependences decides on operands: the scoreboard, encoded waits (waits.h), the board
// (board.h), or the end of the warp's only instruction in flight.
#include "exec/timed.h"
#include "sm/sm_impl.h"

void ready_fini(struct sm *s) { vec_fini(&s->ready.wakes.far); }

static void waits(struct sm *s, struct sm_warp *w, enum gpu_slot why)
{
    if (w->ready.why == why) return;
    w->ready.why = (uint8_t)why;
    w->ready.since = s->now;
}

struct hazard {
    uint64_t cycle;
    bool memory;
};

static inline __attribute__((always_inline)) struct hazard encoded_hazard(const struct sm_warp *w,
                                                                          const struct op *o)
{
    struct hazard h = {w->operands.stall_until, false};
    for (unsigned left = o->wait | w->operands.owed; left; left &= left - 1) {
        unsigned b = bit_lowest(left);
        uint64_t ready = w->operands.barrier_pending[b] ? CYCLE_NEVER : w->operands.barrier_ready[b];
        if (ready > h.cycle) h = (struct hazard){ready, w->operands.barrier_from_memory >> b & 1};
    }
    return h;
}

// Cycle from which the first need_count registers and all predicates of an instruction are ready, and whether
// the wait is for memory.
static inline __attribute__((always_inline)) struct hazard
registers_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o, unsigned need_count)
{
    struct hazard h = {0};
    uint32_t last = 0;
    for (unsigned k = 0; k < need_count; k++) {
        uint32_t r = w->operands.map[o->needs[k]];
        uint64_t ready = s->operands.ready[r];
        last = ready > h.cycle ? r : last;
        h.cycle = ready > h.cycle ? ready : h.cycle;
    }
    if (h.cycle > s->now) h.memory = s->operands.from_memory[last];
    for (unsigned left = o->pred_reads | o->pred_writes; left; left &= left - 1) {
        unsigned p = bit_lowest(left);
        if (w->operands.pred_ready[p] <= h.cycle) continue;
        h.cycle = w->operands.pred_ready[p];
        h.memory = w->operands.pred_from_memory >> p & 1;
    }
    return h;
}

// Operands and destinations must be ready, so that writes to one register stay in program order.
static inline __attribute__((always_inline)) struct hazard
scoreboard_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    return registers_hazard(s, w, o, o->need_count);
}

// issue.dependences=single: the warp waits for the results of its last instruction, and for its stores to
// leave the load/store queue. With mechanisms, registers may also come from other warps.
static __attribute__((noinline)) struct hazard single_hazard(const struct sm *s, const struct sm_warp *w,
                                                             const struct op *o)
{
    if (w->lsu.loads || w->lsu.queued) return (struct hazard){CYCLE_NEVER, true};
    struct hazard last = {w->operands.stall_until, w->operands.stalls_for_memory},
                  others = has_techs(s) ? scoreboard_hazard(s, w, o) : last;
    return others.cycle > last.cycle ? others : last;
}

// issue.dependences=board: operands come from the board (board.h) or from the register file; board_lets
// covers the destination.
static __attribute__((noinline)) struct hazard board_hazard(struct sm *s, const struct sm_warp *w,
                                                            const struct op *o)
{
    struct hazard h = registers_hazard(s, w, o, o->read_count);
    bool memory;
    uint64_t lets = board_lets(s, slot_of(s, w), o, &memory);
    return lets > h.cycle ? (struct hazard){lets, memory} : h;
}

static inline __attribute__((always_inline)) struct hazard hazard_of(struct sm *s, const struct sm_warp *w,
                                                                     const struct op *o)
{
    if (o->path == PATH_FENCE && (w->lsu.loads || w->lsu.stores)) return (struct hazard){CYCLE_NEVER, true};
    int way = s->config->dependences;
    if (__builtin_expect(way == DEPENDENCES_SCOREBOARD || (way == DEPENDENCES_BOARD && is_guest(w)), 1))
        return scoreboard_hazard(s, w, o);
    if (way == DEPENDENCES_ENCODED) return encoded_hazard(w, o);
    return way == DEPENDENCES_SINGLE ? single_hazard(s, w, o) : board_hazard(s, w, o);
}

// The warp's operands are ready. A memory access also needs a queue entry of the load/store unit, or else
// waits in line.
static void becomes_ready(struct sm *s, unsigned slot, const struct op *o)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot;
    if (accesses_memory(w, o)) {
        s->ready.wants_lsu |= bit;
        if (s->lsu.shut && !lsu_has_place(s, slot)) {
            waits(s, w, SLOT_UNIT);
            return;
        }
    } else {
        s->ready.wants_lsu &= ~bit;
        if (s->lsu.asked & bit) lsu_leave_line(s, slot); // a mechanism has made the access unnecessary
    }
    s->ready.now |= bit;
}

// Evaluates a warp on a wrong path (predict.h), paused until the right path is known: whether the next ghost,
// an instruction of the wrong path, can issue.
static __attribute__((noinline)) void evaluate_wrong(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    waits(s, w, SLOT_FETCH);
    predict_look(s, slot);
    if (!(s->predict.wrong >> slot & 1)) {
        ready_wake_at(s, slot, w->ready.resume);
        return;
    }
    if (!w->front.count || !predict_may_issue(&w->grid->ops[w->front.head])) return;
    struct hazard h = hazard_of(s, w, &w->grid->ops[w->front.head]);
    if (h.cycle <= s->now)
        s->ready.now |= 1ull << slot;
    else if (h.cycle != CYCLE_NEVER)
        ready_wake_at(s, slot, h.cycle);
}

void ready_evaluate(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot;
    s->ready.now &= ~bit;
    if (!w->warp || w->warp->state == WARP_DONE) return;
    if (w->warp->state == WARP_BARRIER) {
        w->ready.at_barrier = true;
        waits(s, w, SLOT_BARRIER);
    } else if (w->ready.resume > s->now) {
        if (__builtin_expect((s->predict.wrong & bit) != 0, 0)) {
            evaluate_wrong(s, slot);
            return;
        }
        waits(s, w, (enum gpu_slot)w->ready.pause);
        ready_wake_at(s, slot, w->ready.resume);
    } else if (s->ready.held & bit) {
        waits(s, w, SLOT_SYNC);
    } else if (!w->front.count) {
        waits(s, w, s->front.held & bit ? SLOT_SYNC : SLOT_FETCH);
    } else if (w->tags.waits_for_constant) {
        waits(s, w, SLOT_MEMORY);
    } else {
        const struct op *o = &w->grid->ops[w->front.head];
        struct hazard h = hazard_of(s, w, o);
        if (h.cycle <= s->now) {
            becomes_ready(s, slot, o);
            return;
        }
        waits(s, w, h.memory ? SLOT_MEMORY : SLOT_ALU);
        if (h.cycle != CYCLE_NEVER) ready_wake_at(s, slot, h.cycle);
    }
    if (s->lsu.asked & bit) lsu_unable(s, slot);
}

__attribute__((noinline)) uint64_t ready_stream(struct sm *s, const struct sm_warp *w, enum gpu_slot *why)
{
    *why = w->tags.waits_for_constant ? SLOT_MEMORY : w->front.waits_for_line ? SLOT_CODE : SLOT_FETCH;
    if (!w->front.count || w->tags.waits_for_constant) return CYCLE_NEVER;
    struct hazard h = hazard_of(s, w, &w->grid->ops[w->front.head]);
    *why = h.memory ? SLOT_MEMORY : SLOT_ALU;
    return later(h.cycle, w->ready.resume);
}

void ready_wake_at(struct sm *s, unsigned slot, uint64_t cycle)
{
    ring_add(&s->ready.wakes, s->now, cycle, slot);
}

void ready_wake(struct sm *s, uint64_t warps)
{
    for (uint64_t left = warps; left; left &= left - 1) ready_evaluate(s, bit_lowest(left));
}

void ready_settle(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    if (w->warp->state == WARP_READY && w->warp->pc != w->front.head && !(s->predict.wrong >> slot & 1))
        front_flush(s, slot, w->warp->pc);
    front_update(s, slot);
    ready_evaluate(s, slot);
}

void ready_barriers(struct sm_grid *g, unsigned block)
{
    struct sm *s = g->sm;
    for (uint64_t left = g->room.blocks[block].warps; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        struct sm_warp *w = &s->warps[slot];
        if (!w->warp || !w->ready.at_barrier || w->warp->state != WARP_READY) continue;
        w->ready.at_barrier = false;
        ready_pause(&w->ready, s->now + s->config->barrier_latency, SLOT_BARRIER);
        timed_settle(w->warp);
        ready_settle(s, slot);
    }
}

void ready_start(struct sm *s, unsigned slot)
{
    s->warps[slot].ready.since = s->now;
    ready_evaluate(s, slot);
}

void ready_forget(struct sm *s, unsigned slot)
{
    s->ready.now &= ~(1ull << slot);
    predict_forget(s, slot);
}

void ready_hold(struct sm *s, unsigned slot, bool held)
{
    uint64_t bit = 1ull << slot;
    s->ready.held = held ? s->ready.held | bit : s->ready.held & ~bit;
}
