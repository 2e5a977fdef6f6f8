// A warp can issue if its next instruction is fetched, its operands are ready and nothing else holds the
// warp back. issue.dependences decides on operands: the scoreboard, encoded waits (waits.h), the board
// (board.h), or the end of the warp's only instruction in flight.
#include "exec/async.h"
#include "exec/bulk.h"
#include "exec/phase.h"
#include "exec/timed.h"
#include "isa/inst.h"
#include "sm/operand_take.h"
#include "sm/ready_look.h"

void ready_fini(struct sm *s) { vec_fini(&s->ready.wakes.far); }

static inline __attribute__((always_inline)) struct hazard encoded_hazard(const struct sm_warp *w,
                                                                          const struct op *o)
{
    struct hazard h = {w->operands.stall_until, SOURCE_ALU};
    for (unsigned left = o->wait | w->operands.owed; left; left &= left - 1) {
        unsigned b = bit_lowest(left);
        uint64_t ready = w->operands.barrier_pending[b] ? CYCLE_NEVER : w->operands.barrier_ready[b];
        if (ready > h.cycle) h = (struct hazard){ready, w->operands.barrier_from_memory >> b & 1};
    }
    return h;
}

// Operands and destinations must be ready, so that writes to one register stay in program order.
static struct hazard scoreboard_hazard(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    return operand_hazard(s, w, o, op_need_count(o));
}

// issue.dependences=single: the warp waits for the results of its last instruction, and for its stores to
// leave the load/store queue. With mechanisms, registers may also come from other warps.
static __attribute__((noinline)) struct hazard single_hazard(const struct sm *s, const struct sm_warp *w,
                                                             const struct op *o)
{
    if (w->lsu.loads) return (struct hazard){CYCLE_NEVER, SOURCE_AWAITED};
    if (w->lsu.queued) return (struct hazard){CYCLE_NEVER, SOURCE_LEVEL + LEVEL_ORDER};
    struct hazard last = {w->operands.stall_until, w->operands.stalls_for_memory},
                  others = has_techs(s) ? scoreboard_hazard(s, w, o) : last;
    return others.cycle > last.cycle ? others : last;
}

// issue.dependences=board: operands come from the board (board.h) or from the register file; board_lets
// covers the destination.
static __attribute__((noinline)) struct hazard board_hazard(struct sm *s, const struct sm_warp *w,
                                                            const struct op *o)
{
    struct hazard h = operand_hazard(s, w, o, o->read_count);
    bool memory;
    uint64_t lets = board_lets(s, slot_of(s, w), o, &memory);
    return lets > h.cycle ? (struct hazard){lets, memory} : h;
}

// Whether the warp's next instruction waits for copies not landed (exec/async.h).
static bool waits_for_copies(const struct sm *s, const struct sm_warp *w, const struct op *o)
{
    if (o->path != PATH_COPIES || !s->lsu.copies_of[slot_of(s, w)]) return false;
    const struct inst *i = &w->grid->engine->exec.insts[o - w->grid->ops];
    if (i->op == OP_UTMACMDWAIT) return bulk_covers(w->warp, w->warp->active, i->src[0].value);
    return async_covers(w->warp, w->warp->active, i->src[0].value);
}

// In the general case: several results under way, a fence, or with dependences other than the scoreboard's.
static __attribute__((noinline)) struct hazard any_hazard(struct sm *s, const struct sm_warp *w,
                                                          const struct op *o)
{
    if (o->path == PATH_FENCE && (w->lsu.loads || w->lsu.stores))
        return (struct hazard){CYCLE_NEVER, SOURCE_LEVEL + LEVEL_ORDER};
    if (waits_for_copies(s, w, o)) return (struct hazard){CYCLE_NEVER, SOURCE_LEVEL + LEVEL_ORDER};
    if (o->path == PATH_COPIES) {
        uint64_t opens = warpgroup_opens(s, slot_of(s, w), &w->grid->engine->exec.insts[o - w->grid->ops]);
        if (opens > s->now) return (struct hazard){opens, 0};
    }
    switch ((enum dependences)s->config->dependences) {
    case DEPENDENCES_SCOREBOARD: break;
    case DEPENDENCES_ENCODED: return encoded_hazard(w, o);
    case DEPENDENCES_SINGLE: return single_hazard(s, w, o);
    case DEPENDENCES_BOARD:
        if (!is_guest(w)) return board_hazard(s, w, o);
        break;
    }
    return scoreboard_hazard(s, w, o);
}

void ready_may_access(struct sm *s, unsigned slot)
{
    s->ready.wants_lsu |= 1ull << slot;
    if (s->lsu.shut && !lsu_has_place(s, slot))
        ready_waits(s, &s->warps[slot], SLOT_UNIT);
    else
        s->ready.now |= 1ull << slot;
}

// A mechanism has made unnecessary the access for which the warp waits in line.
void ready_without_access(struct sm *s, unsigned slot) { lsu_leave_line(s, slot); }

// Evaluates a warp on a wrong path (predict.h), paused until the right path is known: whether the next ghost,
// an instruction of the wrong path, can issue.
static __attribute__((noinline)) void evaluate_wrong(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    ready_waits(s, w, SLOT_FETCH);
    predict_look(s, slot);
    if (!(s->predict.wrong >> slot & 1)) {
        ready_wake_at(s, slot, w->ready.resume);
        return;
    }
    if (!w->front.count || !predict_may_issue(&w->grid->ops[w->front.head])) return;
    struct hazard h = any_hazard(s, w, &w->grid->ops[w->front.head]);
    if (h.cycle <= s->now)
        s->ready.now |= 1ull << slot;
    else if (h.cycle != CYCLE_NEVER)
        ready_wake_at(s, slot, h.cycle);
}

// The warp waits; a queue entry of the load/store unit reserved for the warp is free again.
static __attribute__((noinline)) void is_unable(struct sm *s, unsigned slot, enum gpu_slot why,
                                                uint64_t until)
{
    ready_waits(s, &s->warps[slot], why);
    if (until != CYCLE_NEVER) ready_wake_at(s, slot, until);
    if (s->lsu.asked >> slot & 1) lsu_unable(s, slot);
}

// A warp parked for a phase of an mbarrier (exec/phase.h). True: its time was up, and it has been evaluated.
static __attribute__((noinline)) bool parked(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot, ns = w->warp->parked_ns;
    if (!(s->ready.at_barrier & bit)) { // has just stopped
        uint64_t limit = ns == NO_LIMIT ? s->config->mbarrier_suspend : ns * s->config->core_mhz / 1000 + 1;
        s->ready.parked_until[slot] = s->now + limit;
        ready_wake_at(s, slot, s->ready.parked_until[slot]);
        return false;
    }
    if (s->now < s->ready.parked_until[slot]) return false;
    s->ready.at_barrier &= ~bit;
    phase_expire(w->warp);
    if (w->warp->state != WARP_READY) return false;
    timed_settle(w->warp);
    ready_settle(s, slot);
    return true;
}

void ready_stopped(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    uint64_t bit = 1ull << slot;
    if (!w->warp || w->warp->state == WARP_DONE) return;
    if (w->warp->state == WARP_BARRIER) {
        if (w->warp->parked && parked(s, slot)) return;
        s->ready.at_barrier |= bit;
        is_unable(s, slot, SLOT_BARRIER, CYCLE_NEVER);
    } else if (w->ready.resume > s->now) {
        if (s->predict.wrong & bit)
            evaluate_wrong(s, slot);
        else
            is_unable(s, slot, (enum gpu_slot)w->ready.pause, w->ready.resume);
    } else if (s->ready.held & bit) {
        is_unable(s, slot, SLOT_SYNC, CYCLE_NEVER);
    } else if (!w->front.count) {
        is_unable(s, slot, s->front.held & bit ? SLOT_SYNC : SLOT_FETCH, CYCLE_NEVER);
    } else {
        ready_awaits(&w->ready, SOURCE_LEVEL + LEVEL_CONSTANT);
        is_unable(s, slot, SLOT_MEMORY, CYCLE_NEVER); // a line of constants
    }
}

static __attribute__((noinline)) void look_at_all(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *o = &w->grid->ops[w->front.head];
    if (waits_for_copies(s, w, o)) {
        is_unable(s, slot, SLOT_COPY, CYCLE_NEVER);
        return;
    }
    struct hazard h = any_hazard(s, w, o);
    // With mechanisms, the awaited register may be of another warp's load.
    if (s->account.waiting[slot] && h.cycle != CYCLE_NEVER) account_came(s, slot, operand_level(s, w, o));
    if (h.cycle <= s->now) {
        ready_becomes(s, w, slot, o);
        return;
    }
    ready_awaits(&w->ready, h.memory == SOURCE_AWAITED && h.cycle != CYCLE_NEVER
                                ? (uint8_t)(SOURCE_LEVEL + operand_level(s, w, o))
                                : h.memory);
    is_unable(s, slot, h.memory ? SLOT_MEMORY : SLOT_ALU, h.cycle);
}

// The operands of the warp's next instruction, `o`, are ready at h.cycle.
static inline __attribute__((always_inline)) void ready_at(struct sm *s, struct sm_warp *w, unsigned slot,
                                                           const struct op *o, struct hazard h)
{
    if (h.cycle <= s->now) {
        ready_becomes(s, w, slot, o);
        return;
    }
    enum gpu_slot why = h.memory ? SLOT_MEMORY : SLOT_ALU;
    ready_awaits(&w->ready, h.memory);
    bool is_near = h.cycle - s->now < RING_CYCLES, is_never = h.cycle == CYCLE_NEVER;
    if (s->lsu.asked >> slot & 1 || !(is_near || is_never)) {
        is_unable(s, slot, why, h.cycle);
        return;
    }
    ready_waits(s, w, why);
    if (is_near) ring_add_near(&s->ready.wakes, h.cycle, slot);
}

static __attribute__((noinline)) void look_at_several(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *o = &w->grid->ops[w->front.head];
    struct hazard h;
    if (o->needs & OP_ASK || !operand_flying(s, w, o, &h))
        look_at_all(s, slot);
    else
        ready_at(s, w, slot, o, h);
}

// Mostly a single result. Calls only at the ends, so that no register is saved.
void ready_look_at_flying(struct sm *s, unsigned slot)
{
    struct sm_warp *w = &s->warps[slot];
    const struct op *o = &w->grid->ops[w->front.head];
    uint64_t result = w->operands.flying & o->needs;
    if ((result & (result - 1)) | (result & (OP_ASK | OP_FAR))) {
        look_at_several(s, slot);
        return;
    }
    struct hazard h = operand_of_bit(s, w, bit_lowest(result));
    if (h.cycle <= s->now) operand_landed(&w->operands, result);
    ready_at(s, w, slot, o, h);
}

void ready_evaluate(struct sm *s, unsigned slot) { ready_look(s, &s->warps[slot], slot); }

__attribute__((noinline)) uint64_t ready_stream(struct sm *s, struct sm_warp *w, enum gpu_slot *why)
{
    *why = w->tags.waits_for_constant ? SLOT_MEMORY : w->front.waits_for_line ? SLOT_CODE : SLOT_FETCH;
    if (!w->front.count || w->tags.waits_for_constant) return CYCLE_NEVER;
    struct hazard h = any_hazard(s, w, &w->grid->ops[w->front.head]);
    *why = h.memory ? SLOT_MEMORY : SLOT_ALU;
    return later(h.cycle, w->ready.resume);
}

void ready_wake_at(struct sm *s, unsigned slot, uint64_t cycle)
{
    ring_add(&s->ready.wakes, s->now, cycle, slot);
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
    for (uint64_t left = g->room.blocks[block].warps & s->ready.at_barrier; left; left &= left - 1) {
        unsigned slot = bit_lowest(left);
        struct sm_warp *w = &s->warps[slot];
        if (!w->warp || w->warp->state != WARP_READY) continue;
        s->ready.at_barrier &= ~(left & -left);
        ready_pause(&w->ready, s->now + s->config->barrier_latency, SLOT_BARRIER);
        timed_settle(w->warp);
        ready_settle(s, slot);
    }
}

void ready_woken(void *sm_grid, struct cta *c)
{
    struct sm_grid *g = sm_grid;
    for (unsigned n = 0; n < g->launch->blocks_per_sm; n++)
        if (g->room.blocks[n].cta == c) ready_barriers(g, n);
}

void ready_start(struct sm *s, unsigned slot)
{
    s->warps[slot].ready.since = s->now;
    ready_evaluate(s, slot);
}

void ready_forget(struct sm *s, unsigned slot)
{
    account_came(s, slot, LEVEL_ORDER);
    s->ready.now &= ~(1ull << slot);
    s->ready.at_barrier &= ~(1ull << slot);
    predict_forget(s, slot);
}

void ready_hold(struct sm *s, unsigned slot, bool held)
{
    uint64_t bit = 1ull << slot;
    s->ready.held = held ? s->ready.held | bit : s->ready.held & ~bit;
}
