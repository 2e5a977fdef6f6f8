// Values of the affine stream are kept in tuples. A warp's lanes are computed from a tuple when the warp
// issues an instruction that reads the register or writes some of its lanes. In verified runs a warp's own
// registers hold privately computed values, and every expansion is compared.
#include "base/bits.h"
#include "isa/inst.h"
#include "isa/program.h"
#include "tech/dac/dac.h"

#include <assert.h>
#include <string.h>

static void mismatch(const struct dac *d) { __atomic_add_fetch(d->launch->mismatches, 1, __ATOMIC_RELAXED); }

static void set_known(struct known *k, unsigned r, const struct tuple *u)
{
    k->tuples[r] = *u;
    k->registers[r / 64] |= 1ull << r % 64;
    k->pending[r / 64] |= 1ull << r % 64;
}

static void set_preds(struct known *k, const struct inst *i, const struct line *l)
{
    for (unsigned n = 0; n < 2; n++) {
        if (!(l->outcome.preds >> n & 1)) continue;
        unsigned p = i->dst[n].reg;
        bool uniform = l->outcome.uniform >> n & 1, value = l->outcome.value >> n & 1;
        k->preds |= (uint8_t)(1u << p);
        k->uniform |= (uint8_t)(uniform << p);
        k->masks[p] = !uniform ? l->masks[n] : value ? UINT64_MAX : 0;
    }
}

void dac_learn(const struct dac *d, struct known *k, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    if (!l->writes) return;
    for (unsigned n = 0; n < o->dst_words; n++) set_known(k, o->dst + n, &l->outcome.tuples[n]);
    if (!o->pred_writes) return;
    k->preds &= (uint8_t)~o->pred_writes;
    k->uniform &= (uint8_t)~o->pred_writes;
    set_preds(k, &d->launch->program->insts[l->pc], l);
}

// -- expansion ----------------------------------------------------------------------------------------------

static bool same_lanes(const uint32_t *a, const uint32_t *b, uint64_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        if (a[bit_lowest(lanes)] != b[bit_lowest(lanes)]) return false;
    return true;
}

static void check_lanes(struct dac *d, unsigned place, const uint32_t *before, const uint32_t *now)
{
    const struct warp *w = tech_warp(d->grid, place);
    if (!same_lanes(now, before, w->present & ~w->exited)) mismatch(d);
}

// Whether the warp's oldest line belongs to the affine stream. The affine unit reads tuples; expansion into
// the leader's lanes only serves the simulation, and leaves counters and pending registers unchanged.
static bool is_led(struct dac *d, unsigned place)
{
    return line_at(&d->warps[place], 0)->role == ROLE_LEADER;
}

static void expand(struct dac *d, unsigned place, unsigned r)
{
    struct known *k = &d->warps[place].back;
    if (!(k->pending[r / 64] >> r % 64 & 1)) return;
    uint32_t before[LANES_MAX], *own = tech_lanes(d->grid, place, r);
    if (d->launch->verify) memcpy(before, own, d->launch->threads.lanes * 4);
    tuple_expand(&k->tuples[r], &d->launch->threads, index_in_block(d, place), own);
    if (d->launch->verify) check_lanes(d, place, before, own);
    if (is_led(d, place)) return;
    k->pending[r / 64] &= ~(1ull << r % 64);
    d->counters[COUNT_expanded]++;
}

static void expand_pred(struct dac *d, unsigned place, unsigned p)
{
    const struct known *k = &d->warps[place].back;
    struct warp *w = tech_warp(d->grid, place);
    if (!(k->preds >> p & 1)) return;
    if (d->launch->verify && (k->masks[p] ^ w->pred[p]) & w->present & ~w->exited) mismatch(d);
    w->pred[p] = k->masks[p] & w->full;
    d->counters[COUNT_expanded_preds] += !is_led(d, place);
}

void dac_reads(void *state, unsigned place, uint32_t index)
{
    struct dac *d = state;
    const struct known *k = &d->warps[place].back;
    const struct op *o = &d->launch->ops[index];
    bool pending = k->pending[0] | k->pending[1] | k->pending[2] | k->pending[3];
    if (!pending && !(k->preds & (o->pred_reads | o->pred_writes))) return;
    const struct warp *w = tech_warp(d->grid, place);
    const struct inst *i = &d->launch->program->insts[index];
    bool partial = i->guard != PRED_TRUE || i->guard_not || w->active != w->full;
    for (unsigned n = 0; n < o->read_count; n++) expand(d, place, o->reads[n]);
    for (unsigned left = o->pred_reads; left; left &= left - 1) expand_pred(d, place, bit_lowest(left));
    if (!partial) return;
    for (unsigned n = 0; n < o->dst_words; n++) expand(d, place, o->dst + n);
    for (unsigned left = o->pred_writes; left; left &= left - 1) expand_pred(d, place, bit_lowest(left));
}

// -- verification -------------------------------------------------------------------------------------------

// The warp executed the load when the instruction was ordered; a skipped load was then compared. Memory may
// have changed since, so the stream's value is copied to the warp's registers without a second comparison.
static void accept_load(struct dac *d, unsigned place, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    for (unsigned n = 0; n < o->dst_words; n++)
        tuple_expand(&l->outcome.tuples[n], &d->launch->threads, index_in_block(d, place),
                     tech_lanes(d->grid, place, o->dst + n));
}

// Verification of an instruction of the affine stream: counts a mismatch unless the result in the warp's own
// registers and predicates equals the stream's result, kept in the line.
static void compare(struct dac *d, unsigned place, const struct line *l)
{
    const struct op *o = &d->launch->ops[l->pc];
    const struct inst *i = &d->launch->program->insts[l->pc];
    const struct warp *w = tech_warp(d->grid, place);
    uint64_t there = w->present & ~w->exited;
    uint32_t lanes[LANES_MAX];
    bool same = true;
    for (unsigned n = 0; n < o->dst_words; n++) {
        tuple_expand(&l->outcome.tuples[n], &d->launch->threads, index_in_block(d, place), lanes);
        same &= same_lanes(lanes, tech_lanes(d->grid, place, o->dst + n), there);
    }
    for (unsigned n = 0; n < 2; n++) {
        if (!(l->outcome.preds >> n & 1)) continue;
        uint64_t value = l->outcome.value >> n & 1 ? UINT64_MAX : 0;
        if (!(l->outcome.uniform >> n & 1)) value = l->masks[n];
        same &= !((value ^ w->pred[i->dst[n].reg]) & there);
    }
    if (!same) mismatch(d);
}

void dac_verify(struct dac *d, unsigned place, const struct line *l)
{
    const struct inst *i = &d->launch->program->insts[l->pc];
    const struct warp *w = tech_warp(d->grid, place);
    uint64_t guard = w->pred[i->guard] ^ (i->guard_not ? UINT64_MAX : 0), there = w->present & ~w->exited;
    if ((guard & there) != (l->writes ? there : 0)) mismatch(d);
    if (!l->writes) return;
    if (d->launch->candidates[l->pc] == LOADS) {
        accept_load(d, place, l);
        return;
    }
    tech_evaluate(d->grid, place, l->pc, there);
    compare(d, place, l);
}

void dac_executed(void *state, unsigned place, uint32_t index)
{
    struct dac *d = state;
    struct dac_warp *w = &d->warps[place];
    const struct line *l = line_at(w, 0);
    assert(w->ordered && l->pc == index);
    if (d->launch->verify && l->role == ROLE_LEADER && l->writes) {
        if (d->launch->candidates[index] == LOADS)
            accept_load(d, place, l);
        else
            compare(d, place, l);
    }
    learn(d, &w->back, l);
    w->first = (w->first + 1) % LINES;
    w->count--;
    w->ordered--;
    w->blocking -= d->launch->blocks[index];
}

bool dac_leads(void *state, unsigned place, uint32_t index)
{
    (void)index;
    return is_led(state, place);
}

// Another mechanism has the result, in the warp's own registers: treated like an executed result.
void dac_saved(void *state, unsigned place, uint32_t index, enum tech_saving what)
{
    assert(what == SAVED_EXECUTION), (void)what; // no other mechanism leaves instructions out
    dac_executed(state, place, index);
}
