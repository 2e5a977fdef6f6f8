// The warps' stream: instructions left out of fetch, waits at sites, and records taken from queues.
//
// Fetch skips instructions removed in favour of the affine stream. Their results are still computed in the
// warp's registers. A warp on another path than the affine stream goes on alone with these registers;
// hardware excludes the case by its order of divergence. Operands of a site are written to registers from the
// queue.
#include "base/bits.h"
#include "decouple/tuple.h"
#include "isa/isa.h"
#include "sm/places.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

static bool is_kernels(const struct decoupled *d, uint32_t pc) { return pc < d->launch->count; }

static bool is_removed(const struct decoupled *d, const struct follower *f, uint32_t pc)
{
    return d->launch->removed[pc] && !f->is_alone;
}

uint32_t decoupled_leaves_out(const void *state, unsigned place, uint32_t pc)
{
    const struct decoupled *d = state;
    return is_removed(d, &d->followers[place], pc) ? d->launch->removed[pc] : 0;
}

// -- the next instruction -----------------------------------------------------------------------------------

static void change_hold(struct decoupled *d, unsigned place, unsigned what)
{
    struct follower *f = &d->followers[place];
    f->hold = what;
    f->moved = false;
    attend(d, place);
    tech_hold(d->grid, &tech_decoupled, place, what);
}

static inline void hold(struct decoupled *d, unsigned place, unsigned what)
{
    const struct follower *f = &d->followers[place];
    if (f->hold != what || f->moved) change_hold(d, place, what);
}

// Notes when the warp began to wait for the stream. Beside a mechanism that shares instructions, warps may
// wait for one another beyond the program's barriers. A warp with full queues may then stand still until
// another warp moves on. The stream cannot serve the other warp while the queues are full. After PATIENCE
// cycles the warps waiting for the stream, or the warps with records, whichever are fewer, go on without the
// stream.
static void starve(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    if (!d->launch->plan->yields || f->starves_since) return;
    f->starves_since = tech_now(d->grid) + 1;
    d->starving |= 1ull << place;
    decoupled_wake_at(d, tech_now(d->grid) + PATIENCE);
}

static inline void feed(struct decoupled *d, unsigned place)
{
    if (!d->starving) return;
    d->followers[place].starves_since = 0;
    d->starving &= ~(1ull << place);
}

static unsigned under_way(const struct follower *f)
{
    return f->expanding + f->addresses.count + f->predicates.count;
}

// Bits: the warps with records under way if any, and fewer than the warps waiting for the stream; else the
// waiting warps.
static uint64_t who_go_alone(const struct decoupled *d)
{
    uint64_t served = 0;
    for (unsigned k = 0; k < WARPS; k++) {
        const struct follower *f = &d->followers[k];
        if (f->is_there && !f->astray && under_way(f)) served |= 1ull << k;
    }
    return served && bit_count(served) < bit_count(d->starving) ? served : d->starving;
}

void decoupled_relieve(struct decoupled *d)
{
    uint64_t due = CYCLE_NEVER;
    for (uint64_t left = d->starving; left; left &= left - 1) {
        uint64_t until = d->followers[bit_lowest(left)].starves_since - 1 + PATIENCE;
        if (until < due) due = until;
    }
    if (due == CYCLE_NEVER) return;
    if (due > tech_now(d->grid)) {
        decoupled_wake_at(d, due);
        return;
    }
    for (uint64_t left = who_go_alone(d); left; left &= left - 1) decoupled_leave(d, bit_lowest(left));
    for (uint64_t left = d->starving; left; left &= left - 1) // PATIENCE starts again
        d->followers[bit_lowest(left)].starves_since = tech_now(d->grid) + 1;
    if (d->starving) decoupled_wake_at(d, tech_now(d->grid) + PATIENCE);
}

// For a warp that goes on alone: holds fetch until no instruction is buffered, in flight or skipped ahead.
// Then fetches everything from the warp's pc.
static void drain(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    bool is_ahead = tech_fetch_pc(d->grid, place) > tech_warp(d->grid, place)->pc;
    if (is_ahead || tech_buffered(d->grid, place) || tech_is_fetching(d->grid, place)) {
        hold(d, place, HOLD_FETCH);
        return;
    }
    f->is_alone = true;
    tech_refetch(d->grid, place);
    hold(d, place, 0);
}

// The warp goes on without the affine stream after executing the instructions already fetched.
void decoupled_leave(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    if (f->astray) return;
    f->astray = true;
    attend(d, place);
    feed(d, place);
    follow(d, place, FOLLOWED);
    d->counters[COUNT_astray]++;
    decoupled_forget(d, place);
    decoupled_meet(d, f->block);
    hold(d, place, HOLD_FETCH);
    decoupled_look(d, place);
    decoupled_start(d);
}

static inline bool is_there(const struct decoupled *d, const struct part *p)
{
    if (p->ready_at > tech_now(d->grid) || p->asked != p->line_count) return false;
    return p->there == bit_mask(p->line_count) || d->launch->options->arrival == ARRIVAL_JOIN;
}

// Whether the record is the next in the warp's order, for the site and the warp's active lanes.
static inline bool is_for(const struct follower *f, const struct part *p, const struct warp *w, uint32_t inst)
{
    return p->sequence == f->dequeued && p->inst == inst && p->active == w->active;
}

// Whether the next record in the warp's order is, or may still become, a record for the site and the warp's
// active lanes. False: the warp took another path. Addresses and predicates have a queue each; sequence
// numbers give the common order.
static bool is_on_its_way(struct follower *f, const struct warp *w, uint32_t inst, bool is_address)
{
    const struct part *p = queue_of(f, is_address)->first, *other = queue_of(f, !is_address)->first;
    if (other && other->sequence == f->dequeued) return false;
    if (p) return is_for(f, p, w, inst);
    // The queue is empty; a record may be in the ATQ (expanding). A stream waiting for the warp itself
    // enqueues nothing before the warp sends a predicate or passes a memory-ordering instruction.
    return f->expanding || f->state == FOLLOWS || f->state == FOLLOWS_NOT || f->state == WAITS_FOR_OTHERS;
}

// The site's record is not ready: the warp is held, or leaves the stream.
static void await_record(struct decoupled *d, unsigned place, const struct warp *w, uint32_t inst)
{
    struct follower *f = &d->followers[place];
    bool is_address = d->launch->traits[inst] & TRAIT_ADDRESS;
    const struct part *p = queue_of(f, is_address)->first;
    if (!is_on_its_way(f, w, inst, is_address)) {
        decoupled_leave(d, place);
        return;
    }
    if (p || f->expanding)
        feed(d, place);
    else
        starve(d, place);
    if (p && p->line_count && !f->was_late) {
        f->was_late = true;
        d->counters[COUNT_late]++;
    }
    if (p && p->ready_at > tech_now(d->grid)) {
        d->waits_for_cycle |= 1ull << place;
        f->waits_until = p->ready_at;
        decoupled_wake_at(d, p->ready_at);
    }
    hold(d, place, HOLD_ISSUE);
}

// True: the site's record is ready. False: the warp is held, or has left the stream.
static inline bool await(struct decoupled *d, unsigned place, const struct warp *w, uint32_t inst)
{
    struct follower *f = &d->followers[place];
    const struct part *p = queue_of(f, d->launch->traits[inst] & TRAIT_ADDRESS)->first;
    bool is_ready = p && is_for(f, p, w, inst) && is_there(d, p);
    d->waits_for_cycle &= ~(1ull << place);
    if (!is_ready) {
        await_record(d, place, w, inst);
        return false;
    }
    feed(d, place);
    hold(d, place, 0);
    return true;
}

// Whether a memory reply still under way, of an atomic, would overwrite the result of the removed
// instruction.
static bool is_outstanding(const struct decoupled *d, unsigned place, uint32_t pc)
{
    const struct op *o = &d->launch->ops[pc];
    for (unsigned n = 0; n < o->dst_words; n++)
        if (tech_ready(d->grid, tech_own(d->grid, place, o->dst + n)) == CYCLE_NEVER) return true;
    return false;
}

// Moves the warp past removed instructions at its pc, computing the results. False: the warp must wait before
// the next removed instruction.
static bool pass_removed(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    struct warp *w = tech_warp(d->grid, place);
    while (w->state == WARP_READY && is_removed(d, f, w->pc)) {
        uint32_t pc = w->pc;
        if (is_outstanding(d, place, pc)) return false;
        if (d->launch->plan->yields) {
            tech_lend(d->grid, &tech_decoupled, place, pc);
            f->moved = true;
        }
        if (!decoupled_computes(d, w, pc, false)) tech_recompute(d->grid, place, pc);
        if (d->launch->spoil) decoupled_spoil_result(d, place, pc);
        d->counters[COUNT_removed]++;
        tech_advance(d->grid, &tech_decoupled, place, pc + 1);
    }
    return true;
}

// decoupled_look for a warp without its result known at once: removed instructions, holds, ways alone.
static __attribute__((noinline)) void look_closely(struct decoupled *d, unsigned place, struct warp *w)
{
    struct follower *f = &d->followers[place];
    if (is_removed(d, f, w->pc) && !pass_removed(d, place)) {
        hold(d, place, f->astray ? HOLD_FETCH | HOLD_ISSUE : HOLD_ISSUE);
        return;
    }
    if (w->state != WARP_READY || !is_kernels(d, w->pc)) return;
    if (d->launch->options->ideal) decoupled_run(d, place);
    if (f->astray) {
        drain(d, place);
        return;
    }
    const unsigned traits = d->launch->traits[w->pc];
    if (traits & TRAIT_SITE) {
        await(d, place, w, w->pc);
    } else if (traits & TRAIT_FEEDBACK && f->told_count == d->launch->options->told) {
        starve(d, place);
        hold(d, place, HOLD_ISSUE);
    } else {
        feed(d, place);
        hold(d, place, 0);
    }
}

void decoupled_look(struct decoupled *d, unsigned place)
{
    const struct decoupled_launch *l = d->launch;
    const struct follower *f = &d->followers[place];
    if (!f->is_there || f->is_alone || f->taken || f->issues) return;
    struct warp *w = tech_warp(d->grid, place);
    if (!w || w->state != WARP_READY) return;
    uint32_t pc = w->pc;
    bool is_plain = !f->hold && !f->astray && !f->moved && !d->starving && !l->options->ideal;
    if (is_plain && pc < l->count && !l->removed[pc]) { // not held, and perhaps rightly so
        const unsigned traits = l->traits[pc];
        const struct part *p = traits & TRAIT_ADDRESS ? f->addresses.first : f->predicates.first;
        if (!(traits & (TRAIT_SITE | TRAIT_FEEDBACK))) return;
        if (traits & TRAIT_SITE && p && is_for(f, p, w, pc) && is_there(d, p)) {
            d->waits_for_cycle &= ~(1ull << place);
            return;
        }
    }
    look_closely(d, place, w);
}

void decoupled_advanced(void *state, unsigned place) { decoupled_look(state, place); }

// -- a site -------------------------------------------------------------------------------------------------

static void compare_word(struct decoupled *d, uint64_t found, uint64_t own)
{
    if (d->launch->verify && !d->launch->spoil && found != own)
        __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void write_predicate(struct decoupled *d, struct warp *w, unsigned r, uint64_t lanes, uint64_t values)
{
    if (r == PRED_TRUE) return;
    compare_word(d, values & lanes, w->pred[r] & lanes);
    w->pred[r] = (w->pred[r] & ~lanes) | (values & lanes);
}

static void put_words(uint32_t *to, const uint32_t *words, uint64_t lanes)
{
    enum { FULL = 32 };
    if (lanes == UINT32_MAX) {
        memcpy(to, words, FULL * sizeof *to);
        return;
    }
    for (; lanes; lanes &= lanes - 1) to[bit_lowest(lanes)] = words[bit_lowest(lanes)];
}

// Writes the record's address to the registers of the operand. Verification first compares with the address
// computed in the warp's own registers.
static inline void write_address(struct decoupled *d, struct warp *w, const struct operand *o,
                                 const struct part *p)
{
    if (!o || o->reg == REG_ZERO) return;
    uint32_t *low = tech_lanes_of(w, o->reg), *high = o->width == 2 ? tech_lanes_of(w, o->reg + 1u) : NULL;
    for (uint64_t left = d->launch->verify ? p->lanes : 0; left; left &= left - 1) {
        unsigned lane = bit_lowest(left);
        uint64_t own = low[lane] | (high ? (uint64_t)high[lane] << 32 : 0);
        compare_word(d, high ? part_value(p, lane) : p->low[lane], own);
    }
    put_words(low, p->low, p->lanes);
    if (high) put_words(high, p->high, p->lanes);
}

static inline void take_address(struct decoupled *d, unsigned place, struct warp *w, uint32_t inst,
                                struct part *p)
{
    struct follower *f = &d->followers[place];
    const struct inst *i = &d->launch->insts[inst];
    bool is_own = split_of(d, inst)->unguarded; // the guard is the warp's own
    if (is_own) p->lanes &= decoupled_guarded(w, i);
    uint64_t guard = i->guard_not ? ~p->lanes : p->lanes;
    if (i->guard != PRED_TRUE && !is_own) write_predicate(d, w, i->guard, p->active, guard);
    write_address(d, w, d->launch->addresses[inst], p);
    d->counters[split_of(d, inst)->site == DECOUPLE_ENQ_DATA ? COUNT_data : COUNT_addresses]++;
    for (unsigned n = 0; n < p->line_count; n++) {
        d->counters[COUNT_ahead] += tech_now(d->grid) - p->asked_at;
        if (p->locked >> n & 1) vec_push(&f->locks, (struct access_lock){p->line[n], inst});
    }
    p->line_count = 0; // the access owns the locks now
}

static inline void take(struct decoupled *d, unsigned place, struct warp *w, uint32_t inst)
{
    struct follower *f = &d->followers[place];
    struct queue *q = queue_of(f, d->launch->traits[inst] & TRAIT_ADDRESS);
    struct part *p = q->first;
    q->first = p->next;
    if (!p->next) q->last = NULL;
    q->count--;
    q->records -= p->records;
    f->was_late = false;
    f->dequeued++;
    f->taken = p;
    d->counters[COUNT_taken]++;
    unblock(d, place, p->is_address);
    if (d->launch->spoil) decoupled_keep(d, place, inst);
    if (p->is_address)
        take_address(d, place, w, inst, p);
    else
        d->counters[COUNT_preds_block + p->effort]++;
    decoupled_stir(d, p->is_address); // room in the queue
}

static void give_predicates(struct decoupled *d, unsigned place, uint32_t inst)
{
    struct follower *f = &d->followers[place];
    const struct inst *i = &d->launch->insts[inst];
    struct warp *w = tech_warp(d->grid, place);
    if (!split_of(d, inst)->compares) {
        write_predicate(d, w, i->guard, f->taken->active, f->taken->preds[0]);
        return;
    }
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED)
            write_predicate(d, w, i->dst[k].reg, f->taken->active, f->taken->preds[k]);
}

static void finish(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    if (f->taken) decoupled_part_free(d, f->taken);
    f->taken = NULL;
}

static void tell(struct decoupled *d, unsigned place, uint32_t inst)
{
    struct follower *f = &d->followers[place];
    const struct warp *w = tech_warp(d->grid, place);
    f->told[(f->told_first + f->told_count++) % TOLD_MAX] =
        (struct told){w->active, w->pred[d->launch->insts[inst].guard]};
}

void decoupled_reads(void *state, unsigned place, uint32_t inst)
{
    struct decoupled *d = state;
    const struct follower *f = &d->followers[place];
    if (f->astray || !is_kernels(d, inst)) return;
    const unsigned traits = d->launch->traits[inst];
    if (f->taken) return; // an instruction issued again keeps its record
    if (traits & TRAIT_FEEDBACK) tell(d, place, inst);
    if (!(traits & TRAIT_SITE)) return;
    struct warp *w = tech_warp(d->grid, place);
    if (!await(d, place, w, inst)) {
        decoupled_leave(d, place);
        return;
    }
    take(d, place, w, inst);
    if (!(traits & TRAIT_ADDRESS) && !split_of(d, inst)->compares) give_predicates(d, place, inst);
}

void decoupled_executed(void *state, unsigned place, uint32_t inst)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[place];
    const struct part *p = f->taken;
    f->issues = true;
    if (!p) return;
    if (!p->is_address && split_of(d, inst)->compares) give_predicates(d, place, inst);
    if (p->has_data) decoupled_replace(d, place, p);
    if (d->launch->spoil) decoupled_put_back(d, place, inst);
    finish(d, place);
}

void decoupled_saved(void *state, unsigned place, uint32_t inst, enum tech_saving what)
{
    struct decoupled *d = state;
    if (what == SAVED_EXECUTION) decoupled_executed(d, place, inst);
}

uint32_t decoupled_elsewhere(const void *state, unsigned place, uint32_t inst, bool is_write)
{
    const struct decoupled *d = state;
    return is_write || d->followers[place].astray ? 0 : d->launch->queued[inst];
}

// Operands from a queue take no port of the register file.
void decoupled_operand(void *state, unsigned place, uint32_t inst, struct operand_access *a)
{
    if (!(decoupled_elsewhere(state, place, inst, a->is_write) >> a->nth & 1)) return;
    a->main = 0;
    a->bank = NO_BANK;
}

// -- behind an instruction ----------------------------------------------------------------------------------

static void pass_order(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    if (!f->is_there || !f->order_pending) return;
    const struct warp *w = tech_warp(d->grid, place);
    if (!w || w->state != WARP_READY) return;
    f->order_pending = false;
    attend(d, place);
    f->orders_passed++;
    unblock(d, place, true);
    if (f->expanding) decoupled_stir(d, true);
    decoupled_news(d, place);
}

// Looks at every warp of the block: after a barrier or an exit, any warp may go on.
static void look_at_block(struct decoupled *d, unsigned block)
{
    for (uint64_t left = tech_places(d->grid, block); left; left &= left - 1) {
        pass_order(d, bit_lowest(left));
        decoupled_look(d, bit_lowest(left));
    }
}

static void count_access(struct decoupled *d, unsigned traits, bool decoupled)
{
    d->counters[COUNT_kept] += !decoupled;
    if (traits & TRAIT_LOADS) d->counters[decoupled ? COUNT_loads : COUNT_loads_kept]++;
}

void decoupled_issued(void *state, unsigned place, uint32_t inst)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[place];
    f->issues = false;
    if (!is_kernels(d, inst)) return;
    const unsigned traits = d->launch->traits[inst];
    if (traits & TRAIT_ACCESSES) count_access(d, traits, traits & TRAIT_ADDRESS && !f->astray);
    if (traits & TRAIT_ORDERS) {
        f->order_pending = true;
        attend(d, place);
    }
    if (traits & TRAIT_FEEDBACK) decoupled_news(d, place);
    bool completes = traits & TRAIT_MEETS && tech_warp(d->grid, place)->state == WARP_READY;
    if (completes || traits & TRAIT_ENDS) {
        look_at_block(d, f->block);
        return;
    }
    if (f->order_pending) pass_order(d, place);
    decoupled_look(d, place);
}

static void let_go(struct decoupled *d, struct follower *f, size_t n)
{
    decoupled_unlock(d, f->locks.data[n].line);
    f->locks.data[n] = vec_last(&f->locks);
    f->locks.count--;
}

void decoupled_access(void *state, const struct tech_line *line)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[line->place];
    if (line->kind != LSU_LOAD) return;
    for (size_t n = 0; n < f->locks.count; n++)
        if (f->locks.data[n].line == line->line && f->locks.data[n].inst == line->index) {
            let_go(d, f, n);
            return;
        }
}

bool decoupled_foreseen(void *state, const struct tech_line *line)
{
    const struct decoupled *d = state;
    return d->launch->options->ideal == IDEAL_ARRIVED && !d->followers[line->place].astray &&
           split_of(d, line->index)->site == DECOUPLE_ENQ_DATA;
}

// Whether a reply may let the warp go on: before a removed instruction with an outstanding destination. Beside other
// mechanisms, and without time for the stream, any look may count.
static bool waits_for_replies(const struct decoupled *d, unsigned place)
{
    const struct follower *f = &d->followers[place];
    const struct warp *w = tech_warp(d->grid, place);
    if (f->astray || d->launch->plan->yields || d->launch->options->ideal) return true;
    return w && w->pc < d->launch->count && is_removed(d, f, w->pc);
}

void decoupled_replied(void *state, unsigned place, uint32_t inst, const uint16_t *registers, uint64_t cycle)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[place];
    (void)registers, (void)cycle;
    for (size_t n = f->locks.count; n-- > 0;)
        if (f->locks.data[n].inst == inst) let_go(d, f, n);
    if (waits_for_replies(d, place)) decoupled_look(d, place);
}

void decoupled_warp_end(void *state, unsigned place)
{
    struct decoupled *d = state;
    struct follower *f = &d->followers[place];
    unsigned block = f->block;
    while (f->locks.count) let_go(d, f, 0);
    decoupled_forget(d, place);
    finish(d, place);
    f->is_there = false;
    d->there &= ~(1ull << place);
    decoupled_meet(d, block);
    follow(d, place, FOLLOWS_NOT);
    f->hold = 0;
    attend(d, place);
    d->waits_for_cycle &= ~(1ull << place);
    feed(d, place);
    look_at_block(d, block);
}
