// The affine warp: the stream's position for every warp, and the effect of the stream's instructions.
//
// Values are computed lane by lane, for every warp apart, and equal the values of the unmodified program. The
// hardware would hold a tuple for a block; the code says which registers hold a tuple. Every warp has a
// shadow warp, run by the same SIMT machinery, so that lanes diverge and reconverge in the same order.
#include "base/bits.h"
#include "decouple/tuple.h"
#include "exec/exec_impl.h"
#include "exec/launch.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "mark/access.h"
#include "memory/cache.h"
#include "tech/decoupled/decoupled.h"

#include <string.h>

// -- positions ----------------------------------------------------------------------------------------------

static bool is_at_step(const struct decoupled_launch *l, uint32_t inst)
{
    return l->code->first[inst] < l->code->first[inst + 1];
}

static inline void wait_or_follow(struct decoupled *d, unsigned place)
{
    bool asks = d->launch->asks[d->step[place]] && !d->followers[place].told_count;
    follow(d, place, asks ? WAITS_TO_BE_TOLD : FOLLOWS);
}

// Moves the shadow warp from its pc to the next step of the stream, past instructions of the warps alone and
// branches without affine code. Without a next step, the stream has ended for the warp (FOLLOWED).
static void advance(struct decoupled *d, unsigned place)
{
    const struct decoupled_launch *l = d->launch;
    struct warp *w = d->followers[place].shadow;
    if (w->active == w->full && w->pc < l->count) w->pc = l->next_step[w->pc]; // no lanes to wait for
    // Bounded: an endless loop may have no step for the stream.
    uint32_t fuel = 2 * l->count + 2;
    while (w->state == WARP_READY && w->pc < l->count && !is_at_step(l, w->pc) && fuel--) {
        const struct inst *i = &l->insts[w->pc];
        if (!isa_has(i, ISA_BRANCH))
            tech_shadow_go(w, l->jump[w->pc]);
        else
            tech_shadow_go(w, isa_is_conditional(i) ? i->reconverge : i->target);
    }
    bool ended = w->state != WARP_READY || w->pc >= l->count || !is_at_step(l, w->pc);
    if (ended) {
        follow(d, place, FOLLOWED);
        return;
    }
    d->step[place] = l->code->first[w->pc];
    wait_or_follow(d, place);
}

static bool is_barrier(const struct decoupled *d, uint32_t inst)
{
    return isa_has(&d->launch->insts[inst], ISA_BARRIER);
}

// Whether lanes of a warp arrive at a barrier without the warp's remaining lanes. The shadow cannot tell the
// order of the parts. The warp goes on without the stream, and the stream runs past no further barrier of the
// block.
static bool comes_parted(struct decoupled *d, const struct follower *f, uint32_t inst)
{
    bool all = f->shadow->active == (f->shadow->present & ~f->shadow->exited);
    bool is_parted = is_barrier(d, inst) && !all;
    d->is_parted[f->block] |= is_parted;
    return is_parted;
}

// Whether the instruction is a barrier that the stream may run past, because all threads of the block meet
// there.
static bool meets_ahead(const struct decoupled *d, const struct follower *f, uint32_t inst)
{
    return is_barrier(d, inst) && d->launch->meets_ahead && !d->is_parted[f->block];
}

// Advances the warp's stream to its next step: of the same instruction, or of a later instruction (advance).
static inline void step_on(struct decoupled *d, unsigned place)
{
    const struct decouple_code *c = d->launch->code;
    struct warp *full = d->followers[place].shadow;
    if (full->active == full->full && full->state == WARP_READY) {
        uint32_t next = d->launch->after[d->step[place]];
        d->step[place] = next == NO_STEP ? 0 : next;
        full->pc = next == NO_STEP ? d->launch->count : c->steps[next].inst;
        if (next == NO_STEP)
            follow(d, place, FOLLOWED);
        else
            wait_or_follow(d, place);
        return;
    }
    uint32_t inst = c->steps[d->step[place]].inst;
    if (++d->step[place] < c->first[inst + 1]) {
        wait_or_follow(d, place);
        return;
    }
    tech_shadow_go(d->followers[place].shadow, inst + 1);
    advance(d, place);
}

// Smallest index in code->steps at which a warp's stream can go on (`following`); NO_STEP: no such warp.
static uint32_t next_step(const struct decoupled *d)
{
    uint32_t next = NO_STEP;
    for (uint64_t left = d->following; left; left &= left - 1)
        if (d->step[bit_lowest(left)] < next) next = d->step[bit_lowest(left)];
    return next;
}

// Chooses the next step of the stream: the lowest at which a warp's stream can go on. Every CHOICES-th choice
// serves the places in turn, because warps spinning at low steps would starve the rest.
static uint32_t choose_step(struct decoupled *d)
{
    enum { CHOICES = 8 };
    if (++d->choices % CHOICES) return next_step(d);
    for (unsigned n = 0; n < WARPS && d->following; n++) {
        d->turn = (d->turn + 1) % WARPS;
        if (d->following >> d->turn & 1) return d->step[d->turn];
    }
    return NO_STEP;
}

void decoupled_start(struct decoupled *d)
{
    static const enum guest_turn turns[] = {GUEST_OLDEST, GUEST_FIRST, GUEST_IN_TURN, GUEST_LAST};
    if (d->launch->options->ideal || tech_guest_runs(d->grid)) return;
    d->again = 0;
    uint32_t next = next_step(d);
    if (next == NO_STEP) return;
    if (d->settles) decoupled_wake_at(d, d->settled_at);
    tech_guest_start(d->grid, &tech_decoupled, d->launch->count + next,
                     d->launch->options->issue == ISSUE_ANY ? GUEST_ANY : 0,
                     turns[d->launch->options->priority]);
}

static void enter(struct decoupled *d, unsigned place)
{
    const struct warp *w = tech_warp(d->grid, place);
    struct follower *f = &d->followers[place];
    f->shadow = &d->shadows[f->block]->warps[w->index];
    d->begun[f->block] = true;
    advance(d, place);
}

void decoupled_follow(struct decoupled *d, unsigned place)
{
    enter(d, place);
    decoupled_start(d);
}

void decoupled_news(struct decoupled *d, unsigned place)
{
    struct follower *f = &d->followers[place];
    bool waits_for_it = f->state == WAITS_FOR_ORDER || f->state == WAITS_FOR_OTHERS;
    if (waits_for_it ? f->orders_passed < f->orders_seen : f->state != WAITS_TO_BE_TOLD) return;
    wait_or_follow(d, place);
    decoupled_start(d);
}

// The stream passes a barrier for the block only after enqueueing everything before the barrier for all warps
// still served by the stream. Tuples of a warp waiting at the barrier therefore never block tuples of warps
// still on the way to the barrier.
void decoupled_meet(struct decoupled *d, unsigned block)
{
    uint64_t slots = tech_places(d->grid, block);
    uint32_t least = UINT32_MAX;
    if (d->started[block] < tech_launch(d->grid)->warps_per_block) return;
    for (uint64_t left = slots; left; left &= left - 1) {
        const struct follower *f = &d->followers[bit_lowest(left)];
        bool comes = f->is_there && f->state != FOLLOWED;
        if (comes && f->barriers < least) least = f->barriers;
    }
    for (uint64_t left = slots; left; left &= left - 1) {
        const struct follower *f = &d->followers[bit_lowest(left)];
        bool waits = f->is_there && f->state == WAITS_FOR_OTHERS;
        if (waits && f->barriers <= least) wait_or_follow(d, bit_lowest(left));
    }
    decoupled_start(d);
}

// -- values -------------------------------------------------------------------------------------------------

uint64_t decoupled_guarded(const struct warp *w, const struct inst *i)
{
    uint64_t guard = w->pred[i->guard];
    if (i->guard == PRED_TRUE)
        guard = i->guard_not ? 0 : UINT64_MAX;
    else if (i->guard_not)
        guard = ~guard;
    return w->active & guard;
}

// Moves words between registers and a spill slot in the thread's local memory. A shadow has local memory of
// its own.
static void move_slot(struct warp *w, const struct inst *i, uint64_t lanes)
{
    struct decouple_slot x = decouple_slot_of(i);
    for (unsigned k = 0; k < x.words; k++) {
        uint32_t *place = (uint32_t *)(void *)(w->local + (x.address / 4 + k) * w->exec->local_stride);
        uint32_t *own = x.registers->reg == REG_ZERO ? NULL : tech_lanes_of(w, x.registers->reg + k);
        for (uint64_t left = lanes; left && (own || x.is_store); left &= left - 1) {
            unsigned lane = bit_lowest(left);
            if (x.is_store)
                place[lane] = own ? own[lane] : 0;
            else
                own[lane] = place[lane];
        }
    }
}

bool decoupled_computes(const struct decoupled *d, struct warp *w, uint32_t inst, bool in_stream)
{
    const struct inst *i = &d->launch->insts[inst];
    bool in_all = in_stream && split_of(d, inst)->free;
    if (d->launch->traits[inst] & TRAIT_IS_APART) {
        if (split_of(d, inst)->slot) move_slot(w, i, decoupled_guarded(w, i));
        return split_of(d, inst)->slot;
    }
    uint64_t lanes = in_all ? w->active : decoupled_guarded(w, i);
    if (lanes) tech_evaluate_of(w, inst, lanes);
    return true;
}

// -- an instruction -----------------------------------------------------------------------------------------

static void take_what_was_told(struct decoupled *d, unsigned place, const struct inst *i)
{
    struct follower *f = &d->followers[place];
    const struct told *t = &f->told[f->told_first];
    f->told_first = (f->told_first + 1) % TOLD_MAX;
    f->told_count--;
    f->shadow->pred[i->guard] = (f->shadow->pred[i->guard] & ~t->active) | (t->pred & t->active);
    d->counters[COUNT_told]++;
}

static bool has_other_lanes(const struct follower *f)
{
    return f->told[f->told_first].active != f->shadow->active;
}

static inline void do_step(struct decoupled *d, unsigned place, const struct decouple_step *s)
{
    struct follower *f = &d->followers[place];
    const struct inst *i = &d->launch->insts[s->inst];
    bool told = split_of(d, s->inst)->feedback;
    d->counters[COUNT_served]++;
    switch ((enum decouple_step_kind)s->kind) {
    case DECOUPLE_COMPUTES:
        if (!decoupled_computes(d, f->shadow, s->inst, true))
            tech_shadow_compute(d->grid, f->shadow, s->inst);
        break;
    case DECOUPLE_ENQUEUES: decoupled_enqueue(d, place, s); break;
    case DECOUPLE_ORDERS: {
        if (comes_parted(d, f, s->inst)) {
            decoupled_leave(d, place);
            return;
        }
        bool ahead = meets_ahead(d, f, s->inst);
        f->orders_seen++;
        f->barriers += ahead;
        d->counters[COUNT_tokens]++;
        step_on(d, place);
        if (f->state != FOLLOWED && f->orders_passed < f->orders_seen)
            follow(d, place, ahead ? WAITS_FOR_OTHERS : WAITS_FOR_ORDER);
        return;
    }
    case DECOUPLE_BRANCHES:
    case DECOUPLE_ENDS:
        if (told && has_other_lanes(f)) {
            decoupled_leave(d, place);
            return;
        }
        if (told) take_what_was_told(d, place, i);
        d->counters[COUNT_branched]++;
        tech_shadow_branch(d->grid, f->shadow, s->inst);
        advance(d, place);
        return;
    }
    step_on(d, place);
}

void decoupled_run(struct decoupled *d, unsigned place)
{
    const struct follower *f = &d->followers[place];
    uint32_t fuel = UINT16_MAX; // an endless loop may have no record
    while (f->state == FOLLOWS && !f->addresses.count && !f->predicates.count && fuel--)
        do_step(d, place, &d->launch->code->steps[d->step[place]]);
}

static void meet_at_barriers(struct decoupled *d)
{
    uint64_t seen = 0;
    for (unsigned place = 0; place < WARPS; place++) {
        const struct follower *f = &d->followers[place];
        if (!f->is_there || f->state != WAITS_FOR_OTHERS || seen >> f->block & 1) continue;
        seen |= 1ull << f->block;
        decoupled_meet(d, f->block);
    }
}

uint32_t decoupled_gather(struct decoupled *d)
{
    d->gathers_until = 0;
    for (unsigned place = 0; place < WARPS; place++) {
        struct follower *f = &d->followers[place];
        if (!f->is_there || f->state != FOLLOWS_NOT) continue;
        enter(d, place);
    }
    return next_step(d);
}

bool decoupled_guest_may(const void *state, uint32_t index)
{
    const struct decoupled *d = state;
    uint32_t step = index - d->launch->count;
    const struct decouple_step *s = &d->launch->code->steps[step];
    if (d->settles && tech_now(d->grid) < d->settled_at) return false;
    if (s->kind != DECOUPLE_ENQUEUES) return true;
    if (d->count == d->launch->options->atq) return false;
    for (uint64_t left = s->site == DECOUPLE_ENQ_PRED ? d->following : 0; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (d->step[place] == step && d->followers[place].predicates.count >= d->launch->options->pwpq)
            return false;
    }
    return true;
}

// Whether step `next` may follow step `at` without waiting for all results. Control words encode waits along
// the program's paths, not for a jump elsewhere to serve other warps or lanes.
static bool is_on_the_way(const struct decoupled *d, uint32_t at, uint32_t next)
{
    const struct decoupled_launch *l = d->launch;
    const struct inst *i = &l->insts[l->count + at];
    bool encoded = tech_launch(d->grid)->kind->config.dependences == DEPENDENCES_ENCODED;
    bool leads = l->code->steps[at].kind == DECOUPLE_BRANCHES && i->target == l->count + next;
    return !encoded || leads || (next == at + 1 && (!isa_has(i, ISA_BRANCH) || isa_is_conditional(i)));
}

void decoupled_guest_result(void *state, uint32_t index, uint64_t cycle)
{
    struct decoupled *d = state;
    (void)index;
    if (cycle > d->settled_at) d->settled_at = cycle;
    if (d->settles) decoupled_wake_at(d, d->settled_at);
}

static void end_step(struct decoupled *d, uint32_t at, struct guest_step *step)
{
    uint32_t next = d->again ? at : choose_step(d);
    if (next == NO_STEP) next = decoupled_gather(d);
    step->next = next == NO_STEP ? (uint32_t)GUEST_ENDS : d->launch->count + next;
    d->settles = !is_on_the_way(d, at, next);
}

// The step is issued again for the next part of the blocks.
static void repeat(struct decoupled *d, const struct decouple_step *s)
{
    uint64_t places = d->parts[--d->again];
    struct entry *e = entry_at(d, d->count);
    if (s->kind != DECOUPLE_ENQUEUES) return;
    *e = d->later;
    e->left &= places;
    d->later.left &= ~places;
    if (!e->left) return; // the warps have ended
    d->count++;
    d->counters[COUNT_enqueued]++;
    decoupled_stir(d, true);
}

// Leaves the first part of the blocks in the entry, and keeps the others for further issues of the step.
static void divide(struct decoupled *d, const struct decouple_step *s, uint64_t places, struct entry *e)
{
    bool computes = s->kind == DECOUPLE_COMPUTES && !split_of(d, s->inst)->slot;
    bool leads = s->kind == DECOUPLE_ENQUEUES && s->site != DECOUPLE_ENQ_PRED;
    if (!places || (!computes && !leads)) return;
    unsigned parts = decoupled_divide(d, s->inst, places, leads ? e : NULL);
    d->again = parts - 1;
    if (parts == 1 || !leads) return;
    d->later = *e;
    e->left &= d->parts[parts - 1];
    d->later.left &= ~e->left;
}

void decoupled_guest(void *state, uint32_t index, struct guest_step *step)
{
    struct decoupled *d = state;
    const struct decoupled_launch *l = d->launch;
    uint32_t at = index - l->count;
    const struct decouple_step *s = &l->code->steps[at];
    struct entry *e = entry_at(d, d->count);
    if (s->kind == DECOUPLE_ENQUEUES) e->left = e->begun = 0, e->is_adjusted = false;
    d->counters[COUNT_steps]++;
    step->lanes = l->cost[at];
    step->forwards = l->options->bypass;
    if (d->again) {
        repeat(d, s);
        end_step(d, at, step);
        return;
    }
    const bool told = split_of(d, s->inst)->feedback;
    uint64_t waiting = 0, places = 0;
    for (uint64_t left = d->following; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (d->step[place] != at) continue;
        do_step(d, place, s);
        places |= 1ull << place;
        bool goes_on = d->followers[place].state == FOLLOWS ||
                       (d->followers[place].state == WAITS_FOR_OTHERS && !l->plan->yields);
        bool same = goes_on && !told;
        if (!same && d->followers[place].hold) waiting |= 1ull << place;
    }
    divide(d, s, places, e);
    if (s->kind == DECOUPLE_ENQUEUES && e->left) {
        d->count++;
        d->counters[COUNT_enqueued]++;
        decoupled_stir(d, e->is_address);
    }
    if (s->kind == DECOUPLE_ORDERS || s->kind == DECOUPLE_ENDS) meet_at_barriers(d);
    // Held warps may have waited for room to send a predicate to the stream, or for a record no longer to
    // come.
    for (; waiting; waiting &= waiting - 1) decoupled_look(d, bit_lowest(waiting));
    end_step(d, at, step);
}
