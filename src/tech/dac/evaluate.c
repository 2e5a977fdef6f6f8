// The affine unit. DAC has rules (section 3: tuples are added, and multiplied by scalars). The ideal unit
// decides at run time: the instruction is computed from the expanded source tuples in all threads of the
// block, including ended warps and warps not started. The result is affine if it is a tuple again. With
// uniform sources one warp is enough.
#include "base/bits.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "tech/dac/dac.h"

#include <stdlib.h>
#include <string.h>

enum { SAVED_MAX = KEY_MAX + DST_MAX };

struct saved { // state of a warp to be restored after a computation
    uint32_t lanes[SAVED_MAX][LANES_MAX];
    uint8_t registers[SAVED_MAX], count;
    uint64_t pred[PRED_SLOTS];
};

static void save(const struct dac *d, struct warp *w, unsigned r, struct saved *s)
{
    s->registers[s->count] = (uint8_t)r;
    memcpy(s->lanes[s->count++], tech_lanes_of(w, r), d->launch->threads.lanes * 4);
}

static void restore(const struct dac *d, struct warp *w, const struct saved *s)
{
    for (unsigned n = s->count; n-- > 0;)
        memcpy(tech_lanes_of(w, s->registers[n]), s->lanes[n], d->launch->threads.lanes * 4);
    memcpy(w->pred, s->pred, sizeof w->pred);
}

static void put_sources(const struct dac *d, struct warp *w, const struct op *o, const struct instance *e)
{
    for (unsigned k = 0; k < o->read_count; k++)
        tuple_expand(&e->key[k], &d->launch->threads, w->index, tech_lanes_of(w, o->reads[k]));
    for (unsigned left = o->pred_reads; left; left &= left - 1) {
        unsigned p = bit_lowest(left);
        w->pred[p] = e->key_preds >> p & 1 ? w->full : 0;
    }
}

static void take_results(struct dac *d, struct warp *w, uint32_t pc, uint64_t *masks)
{
    const struct op *o = &d->launch->ops[pc];
    const struct inst *i = &d->launch->program->insts[pc];
    const struct threads *t = &d->launch->threads;
    for (unsigned n = 0; n < o->dst_words; n++)
        memcpy(d->values + ((size_t)n * t->warps + w->index) * t->lanes, tech_lanes_of(w, o->dst + n),
               t->lanes * 4);
    for (unsigned k = 0; k < 2; k++)
        if (masks && i->dst[k].kind == OPERAND_PRED) masks[k * t->warps + w->index] = w->pred[i->dst[k].reg];
}

static void begin(const struct dac *d, struct warp *w, const struct op *o, const struct instance *e,
                  struct saved *s)
{
    s->count = 0;
    memcpy(s->pred, w->pred, sizeof s->pred);
    for (unsigned k = 0; k < o->read_count; k++) save(d, w, o->reads[k], s);
    for (unsigned n = 0; n < o->dst_words; n++) save(d, w, o->dst + n, s);
    put_sources(d, w, o, e);
}

static void compute(struct dac *d, struct warp *w, uint32_t pc, const struct instance *e, uint64_t *masks)
{
    struct saved s;
    begin(d, w, &d->launch->ops[pc], e, &s);
    tech_evaluate_of(w, pc, w->present);
    take_results(d, w, pc, masks);
    restore(d, w, &s);
}

// Loads into d->values, and restores the warp's registers. False: the load must wait for an atomic, or has
// failed.
static bool compute_load(struct dac *d, unsigned place, uint32_t pc, const struct instance *e)
{
    struct warp *w = tech_warp(d->grid, place);
    struct saved s;
    begin(d, w, &d->launch->ops[pc], e, &s);
    bool done = tech_recompute(d->grid, place, pc);
    take_results(d, w, pc, NULL);
    restore(d, w, &s);
    return done;
}

// Sets the outcome to uniform tuples and predicates, from the results of one warp with the same value in all
// lanes.
static void take_uniform(struct dac *d, unsigned warp, uint32_t pc, struct outcome *out)
{
    const struct threads *t = &d->launch->threads;
    out->words = d->launch->ops[pc].dst_words;
    for (unsigned n = 0; n < out->words; n++)
        out->tuples[n] = (struct tuple){.base = d->values[((size_t)n * t->warps + warp) * t->lanes]};
    out->uniform = out->preds;
    for (unsigned k = 0; k < 2; k++)
        if (out->preds >> k & 1) out->value |= (uint8_t)((out->masks[k * t->warps + warp] & 1) << k);
}

static bool take_affine(struct dac *d, uint32_t pc, struct outcome *out)
{
    const struct threads *t = &d->launch->threads;
    out->words = d->launch->ops[pc].dst_words;
    for (unsigned n = 0; n < out->words; n++)
        if (!tuple_fit(&out->tuples[n], t, d->values + (size_t)n * t->warps * t->lanes) ||
            (d->launch->options->tuples == TUPLES_LANES && !tuple_is_lanewise(&out->tuples[n], t)))
            return false;
    for (unsigned k = 0; k < 2; k++) {
        if (!(out->preds >> k & 1)) continue;
        bool first = out->masks[k * t->warps] & 1, uniform = true;
        for (unsigned w = 0; w < t->warps; w++) {
            uint64_t there = bit_mask(threads_in(t, w));
            uniform &= (out->masks[k * t->warps + w] & there) == (first ? there : 0);
        }
        out->uniform |= (uint8_t)(uniform << k);
        out->value |= (uint8_t)((uniform && first) << k);
    }
    return d->launch->options->predicates == PREDICATES_AFFINE || out->uniform == out->preds;
}

// Whether every result register has one value in all active lanes of the warp.
static bool is_one_value(struct dac *d, unsigned place, uint32_t pc)
{
    const struct threads *t = &d->launch->threads;
    const struct warp *w = tech_warp(d->grid, place);
    for (unsigned n = 0; n < d->launch->ops[pc].dst_words; n++) {
        const uint32_t *lanes = d->values + ((size_t)n * t->warps + index_in_block(d, place)) * t->lanes;
        for (uint64_t left = w->active; left; left &= left - 1)
            if (lanes[bit_lowest(left)] != lanes[bit_lowest(w->active)]) return false;
    }
    return true;
}

static void evaluate_load(struct dac *d, unsigned place, uint32_t pc, struct instance *e)
{
    const struct threads *t = &d->launch->threads;
    size_t lane = index_in_block(d, place) * t->lanes + bit_lowest(tech_warp(d->grid, place)->active);
    e->affine = compute_load(d, place, pc, e) && is_one_value(d, place, pc);
    e->outcome.words = d->launch->ops[pc].dst_words;
    for (unsigned n = 0; n < e->outcome.words; n++)
        e->outcome.tuples[n] = (struct tuple){.base = d->values[(size_t)n * t->warps * t->lanes + lane]};
}

bool dac_loads_the_same(struct dac *d, unsigned place, uint32_t pc, const struct instance *e)
{
    struct instance mine = *e;
    mine.outcome = (struct outcome){0};
    evaluate_load(d, place, pc, &mine);
    bool same = mine.affine;
    for (unsigned n = 0; n < e->outcome.words; n++)
        same &= tuple_equal(&mine.outcome.tuples[n], &e->outcome.tuples[n]);
    return same;
}

// For tests: flips a bit of the first tuple, and the uniform predicates, of the n-th affine outcome (n:
// option corrupt).
static void corrupt(struct dac *d, struct outcome *out)
{
    if (++d->led != d->launch->options->corrupt) return;
    out->tuples[0].base ^= 1;
    out->value ^= out->preds;
}

void dac_evaluate(struct dac *d, unsigned place, uint32_t pc, struct instance *e)
{
    const struct threads *t = &d->launch->threads;
    const struct inst *i = &d->launch->program->insts[pc];
    struct outcome *out = &e->outcome;
    struct cta *block = tech_warp(d->grid, place)->cta;
    bool uniform = !d->launch->thread_dependent[pc];
    for (unsigned k = 0; k < e->key_count; k++) uniform &= tuple_is_uniform(&e->key[k]);
    *out = (struct outcome){0};
    if (d->launch->candidates[pc] == LOADS) {
        if (uniform) evaluate_load(d, place, pc, e);
        return;
    }
    for (unsigned k = 0; k < 2; k++)
        if (i->dst[k].kind == OPERAND_PRED && i->dst[k].reg != PRED_TRUE) out->preds |= (uint8_t)(1u << k);
    if (out->preds) out->masks = heap_alloc(2 * t->warps * sizeof *out->masks);
    if (uniform) {
        compute(d, tech_warp(d->grid, place), pc, e, out->masks);
        take_uniform(d, index_in_block(d, place), pc, out);
        e->affine = true;
    } else if (i->op != OP_LDC) { // a constant load with different addresses is left to each warp
        for (unsigned k = 0; k < block->warp_count; k++) compute(d, &block->warps[k], pc, e, out->masks);
        e->affine = take_affine(d, pc, out);
    }
    if (!e->affine || out->uniform == out->preds) {
        free(out->masks);
        out->masks = NULL;
    }
    if (e->affine) corrupt(d, out);
}
