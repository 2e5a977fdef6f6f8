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

#define NO_STEP UINT32_MAX

// -- positions ----------------------------------------------------------------------------------------------

static bool is_at_step(const struct decoupled_launch *l, uint32_t inst)
{
    return l->code->first[inst] < l->code->first[inst + 1];
}

static void wait_or_follow(struct decoupled *d, unsigned place)
{
    const struct follower *f = &d->followers[place];
    const struct decouple_step *s = &d->launch->code->steps[d->step[place]];
    bool asks = s->kind == DECOUPLE_BRANCHES || s->kind == DECOUPLE_ENDS;
    asks &= split_of(d, s->inst)->feedback && !f->told_count;
    follow(d, place, asks ? WAITS_TO_BE_TOLD : FOLLOWS);
}

// Moves the shadow warp from its pc to the next step of the stream, past instructions of the warps alone and
// branches without affine code. Without a next step, the stream has ended for the warp (FOLLOWED).
static void advance(struct decoupled *d, unsigned place)
{
    const struct decoupled_launch *l = d->launch;
    struct warp *w = d->followers[place].shadow;
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
static void step_on(struct decoupled *d, unsigned place)
{
    const struct decouple_code *c = d->launch->code;
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
    if (split_of(d, inst)->slot) {
        move_slot(w, i, decoupled_guarded(w, i));
        return true;
    }
    if (isa_has(i, ISA_LOAD)) return false;
    uint64_t lanes = in_all ? w->active : decoupled_guarded(w, i);
    if (lanes) tech_evaluate_of(w, inst, lanes);
    return true;
}

// -- records ------------------------------------------------------------------------------------------------

static const uint32_t *lanes_of(const struct warp *w, unsigned r)
{
    return (const uint32_t *)(const void *)(w->regs + (size_t)r * w->exec->vector_bytes);
}

static uint64_t value_in(const struct piece *x, const int32_t at[3])
{
    uint64_t v = x->base;
    for (unsigned k = 0; k < 3; k++) v += (uint64_t)(x->offset[k] * at[k]);
    return v;
}

// Whether all lanes of a full warp have the tuple's values, in the bits of `mask`. Lanes of a row of threads rise by
// the tuple's x offset. starts: bits, the first lane of every row.
static bool holds_for_all(const struct piece *x, const struct thread_index *threads, uint64_t starts,
                          const uint64_t *values, unsigned lanes, uint64_t mask)
{
    uint64_t step = (uint64_t)x->offset[0], different = 0;
    for (uint64_t left = starts & bit_mask(lanes); left;) {
        unsigned from = bit_lowest(left);
        left &= left - 1;
        size_t count = (left ? bit_lowest(left) : lanes) - from;
        uint64_t expected = value_in(x, threads[from].at);
        const uint64_t *row = values + from;
        for (size_t k = 0; k < count; k++, expected += step) different |= row[k] ^ expected;
    }
    return !(different & mask);
}

// Bits: which of `lanes` have values equal to the tuple's, in the bits of `mask`.
static uint64_t lanes_in(const struct piece *x, uint64_t lanes, const struct thread_index *threads,
                         uint64_t starts, const uint64_t *values, uint64_t mask)
{
    uint64_t in = 0, expected = 0;
    for (unsigned lane = 0; lane <= bit_highest(lanes); lane++) {
        expected = starts >> lane & 1 ? value_in(x, threads[lane].at) : expected + (uint64_t)x->offset[0];
        in |= (uint64_t) !((expected ^ values[lane]) & mask) << lane;
    }
    return in & lanes;
}

// Derives the tuple's offset in one direction (x, y or z) from the difference between two lanes. False: the
// lanes differ in no direction with unknown offset, or in several, or the difference is no multiple of the
// distance.
static bool find_offset(struct piece *x, bool has[3], const int32_t from[3], const int32_t at[3],
                        int64_t difference)
{
    unsigned direction = 3;
    for (unsigned k = 0; k < 3; k++) {
        if (at[k] == from[k]) continue;
        if (has[k])
            difference -= x->offset[k] * (at[k] - from[k]);
        else if (direction < 3)
            return false;
        else
            direction = k;
    }
    if (direction == 3 || difference % (at[direction] - from[direction])) return false;
    x->offset[direction] = difference / (at[direction] - from[direction]);
    return has[direction] = true;
}

// Lanes that may differ from lane `first` in a direction with unknown offset.
static uint64_t telling(const struct warp_rows *rows, const bool has[3], unsigned first)
{
    uint64_t lanes = 0;
    for (unsigned k = 0; k < 3; k++)
        if (!has[k]) lanes |= first ? UINT64_MAX : rows->apart[k];
    return lanes;
}

// A tuple through the values of the first lane and of its neighbours in every direction, with the lanes the
// tuple holds for.
static struct piece piece_of(const struct decoupled_launch *l, const struct warp *w, uint64_t lanes,
                             const uint64_t *values, uint64_t mask)
{
    const struct thread_index *threads = l->threads + (size_t)w->index * l->launch->warp_size;
    const struct warp_rows *rows = &l->rows[w->index];
    unsigned first = bit_lowest(lanes);
    const int32_t *from = threads[first].at;
    struct piece x = {.base = values[first]};
    bool has[3];
    for (unsigned k = 0; k < 3; k++) has[k] = l->launch->block[k] == 1;
    for (uint64_t left = lanes & (lanes - 1); left &= telling(rows, has, first), left;) {
        unsigned lane = bit_lowest(left);
        uint64_t difference = values[lane] - values[first];
        find_offset(&x, has, from, threads[lane].at,
                    mask == UINT64_MAX ? (int64_t)difference : (int64_t)(int32_t)(uint32_t)difference);
        left &= left - 1;
    }
    for (unsigned k = 0; k < 3; k++) x.base -= (uint64_t)(x.offset[k] * from[k]);
    bool all = lanes == bit_mask(l->launch->warp_size) &&
               holds_for_all(&x, threads, rows->starts, values, l->launch->warp_size, mask);
    x.lanes = all ? lanes : lanes_in(&x, lanes, threads, rows->starts, values, mask);
    return x;
}

// Covers p->values with p->pieces tuples, at most as many as a register can hold. p->pieces = 0 if more are
// needed: the values stay one word a lane. *only: the last tuple.
static void find_pieces(struct decoupled *d, const struct warp *w, struct part *p, uint64_t mask,
                        struct piece *only)
{
    uint64_t left = p->lanes;
    for (p->pieces = 0; left && p->pieces < d->launch->options->rules.pieces; p->pieces++) {
        *only = piece_of(d->launch, w, left, p->values, mask);
        left &= ~only->lanes;
    }
    if (!left) return;
    p->pieces = 0;
    d->counters[COUNT_vectors]++;
}

// Verification: lines and masks expanded from the tuple lead back to every lane's address.
static void verify_records(const struct decoupled *d, const struct warp *w, const struct part *p,
                           const struct piece *x, const struct operand *o, unsigned bytes)
{
    const struct launch *l = d->launch->launch;
    struct decouple_tuple t =
        decouple_tuple_scalar(o->width == 2 ? 64 : 32, x->base + (uint64_t)(int64_t)(int32_t)o->value);
    for (unsigned k = 0; k < 3; k++)
        t.offset[k] = (uint64_t)x->offset[k] & (t.bits == 64 ? UINT64_MAX : UINT32_MAX);
    const struct decouple_warp at = {
        .block = {l->block[0], l->block[1], l->block[2]}, .warp = w->index, .warp_size = l->warp_size};
    struct decouple_record records[DECOUPLE_RECORDS_MAX];
    uint64_t addresses[LANES];
    unsigned lanes = bit_count(p->lanes), count = decouple_expand(&t, &at, p->lanes, bytes, records), n = 0;
    bool same = true;
    if (!count) return; // the access will fault
    decouple_record_addresses(records, count, bytes, lanes, addresses);
    for (uint64_t left = p->lanes; left; left &= left - 1) {
        uint64_t address = p->values[bit_lowest(left)] + (uint64_t)(int64_t)(int32_t)o->value;
        same &= addresses[n++] == (t.bits == 64 ? address : (uint32_t)address);
    }
    if (!same) __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED);
}

static void add_line(struct part *p, uint64_t line, uint64_t from, uint64_t to)
{
    unsigned n = p->line_count;
    while (n && p->line[n - 1] != line) n--;
    if (!n) {
        if (p->line_count == LINES_MAX) return;
        n = ++p->line_count;
        p->line[n - 1] = line;
        p->sectors[n - 1] = 0;
    }
    unsigned first = (unsigned)((from - line) / SECTOR_BYTES), last = (unsigned)((to - line) / SECTOR_BYTES);
    p->sectors[n - 1] |= (uint8_t)((2u << last) - (1u << first));
}

// Lists the cache lines that an access touches. is_dense: all lanes of a warp access adjacent elements, the
// first aligned.
static void find_lines(struct decoupled *d, const struct inst *i, const struct operand *o, struct part *p,
                       bool is_dense)
{
    uint64_t bytes = isa_type_bytes((enum isa_type)i->type), size = d->launch->line_bytes;
    uint64_t mask = o->width == 2 ? UINT64_MAX : UINT32_MAX;
    if (is_dense) {
        uint64_t at = (p->values[0] + (uint64_t)(int64_t)(int32_t)o->value) & mask;
        uint64_t end = at + bytes * bit_count(p->lanes) - 1;
        for (uint64_t line = at & ~(size - 1); line <= end; line += size)
            add_line(p, line, line > at ? line : at, line + size - 1 < end ? line + size - 1 : end);
        return;
    }
    for (uint64_t left = p->lanes; left; left &= left - 1) {
        uint64_t at = (p->values[bit_lowest(left)] + (uint64_t)(int64_t)(int32_t)o->value) & mask;
        uint64_t line = at & ~(size - 1), end = at + bytes - 1;
        if (end >= line + size) end = line + size - 1; // the access will fault
        add_line(p, line, at, end);
    }
}

static bool is_dense(const struct decoupled_launch *l, const struct part *p, const struct piece *x,
                     const struct inst *i, const struct operand *o)
{
    uint64_t bytes = isa_type_bytes((enum isa_type)i->type), mask = o->width == 2 ? UINT64_MAX : UINT32_MAX;
    uint64_t at = (p->values[0] + (uint64_t)(int64_t)(int32_t)o->value) & mask;
    bool is_row =
        p->lanes == bit_mask(l->launch->warp_size) && l->launch->block[1] * l->launch->block[2] == 1;
    return is_row && (uint64_t)x->offset[0] == bytes && at % bytes == 0 && mask - at >= bytes * LANES;
}

// Joins the words of addresses. NULL: zeros.
static void set_values(uint64_t *values, unsigned lanes, const uint32_t *low, const uint32_t *high)
{
    if (!low)
        memset(values, 0, lanes * sizeof *values);
    else if (!high)
        for (unsigned lane = 0; lane < lanes; lane++) values[lane] = low[lane];
    else
        for (unsigned lane = 0; lane < lanes; lane++) values[lane] = low[lane] | (uint64_t)high[lane] << 32;
}

static void enqueue_address(struct decoupled *d, const struct warp *w, const struct inst *i, struct part *p)
{
    const struct operand *o = decouple_address(i);
    bool has_register = o->reg != REG_ZERO;
    const uint32_t *low = has_register ? lanes_of(w, o->reg) : NULL;
    const uint32_t *high = has_register && o->width == 2 ? lanes_of(w, o->reg + 1u) : NULL;
    p->is_address = true;
    set_values(p->values, w->exec->lanes, low, high);
    struct piece x;
    find_pieces(d, w, p, o->width == 2 ? UINT64_MAX : UINT32_MAX, &x);
    if (d->launch->verify && p->pieces == 1)
        verify_records(d, w, p, &x, o, isa_type_bytes((enum isa_type)i->type));
    if (p->lanes && ++d->records_made == d->launch->options->corrupt) p->values[bit_lowest(p->lanes)] ^= 4;
    // Shared memory needs no lines: every lane has a bank, with an adder for the tuple.
    p->line_count = 0;
    if (isa_space_of(i) != SPACE_SHARED)
        find_lines(d, i, o, p, p->pieces == 1 && is_dense(d->launch, p, &x, i, o));
    p->records = p->line_count ? p->line_count : 1;
    bool early = d->launch->early && i->op == OP_LDG && i->sem == SEM_WEAK;
    if (!early) p->line_count = 0;
}

static void enqueue_predicate(struct decoupled *d, const struct warp *w, uint32_t inst, struct part *p)
{
    const struct inst *i = &d->launch->insts[inst];
    const struct decouple_inst *n = split_of(d, inst);
    p->is_address = false;
    p->line_count = 0;
    p->records = 1;
    if (n->compares) {
        for (unsigned k = 0; k < 2; k++)
            p->preds[k] = i->dst[k].kind == OPERAND_PRED ? w->pred[i->dst[k].reg] : 0;
    } else {
        p->preds[0] = w->pred[i->guard];
    }
    uint64_t set = p->preds[0] & p->active;
    p->effort = n->predicate_kind == DECOUPLE_SCALAR ? EFFORT_BLOCK
                : set == 0 || set == p->active       ? EFFORT_ENDS
                                                     : EFFORT_LANES;
    if (++d->records_made == d->launch->options->corrupt) p->preds[0] ^= p->active;
}

static void enqueue(struct decoupled *d, unsigned place, const struct decouple_step *s)
{
    struct follower *f = &d->followers[place];
    const struct inst *i = &d->launch->insts[s->inst];
    struct part *p = decoupled_part(d);
    struct entry *e = entry_at(d, d->count);
    p->inst = s->inst;
    p->active = f->shadow->active;
    bool in_all = s->site == DECOUPLE_ENQ_PRED || split_of(d, s->inst)->unguarded;
    p->lanes = in_all ? p->active : decoupled_guarded(f->shadow, i);
    if (s->site == DECOUPLE_ENQ_PRED)
        enqueue_predicate(d, f->shadow, s->inst, p);
    else
        enqueue_address(d, f->shadow, i, p);
    p->order = f->orders_seen;
    p->sequence = f->enqueued++;
    if (d->launch->options->ideal) {
        p->asked_at = p->ready_at = tech_now(d->grid);
        decoupled_push(d, f, p);
        return;
    }
    e->part[place] = p;
    e->left |= 1ull << place;
    e->is_address = p->is_address;
    f->expanding++;
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

static void do_step(struct decoupled *d, unsigned place, const struct decouple_step *s)
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
    case DECOUPLE_ENQUEUES: enqueue(d, place, s); break;
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
    uint64_t waiting = 0, places = 0;
    for (uint64_t left = d->following; left; left &= left - 1) {
        unsigned place = bit_lowest(left);
        if (d->step[place] != at) continue;
        do_step(d, place, s);
        places |= 1ull << place;
        bool same = d->followers[place].state == FOLLOWS && !split_of(d, s->inst)->feedback;
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
