// Colouring: a linear scan over webs in order of their start, with holes. Each machine register has a bit set
// of occupied slots. A web takes the lowest register free in all its slots, preferably the register that
// saves a copy. If every register is occupied, the webs of the register cheapest to clear, or the web itself,
// are marked for spilling. Ranges of asynchronous products come before all other webs.
#include "base/bits.h"
#include "compile/allocate/allocate.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *busy_bits(struct allocation *a, bool predicate, unsigned reg)
{
    return predicate ? a->busy_pred[reg] : a->busy[reg];
}

// True if no bit in the slots of the range is set.
static bool range_is_free(const uint64_t *bits, const struct range *r)
{
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t start = r->segments[k].start, end = r->segments[k].end;
        for (uint32_t word = start / 64; word * 64 < end; word++) {
            uint64_t mask = ~0ull;
            if (word == start / 64) mask &= ~0ull << start % 64;
            if (end - word * 64 < 64) mask &= bit_mask(end - word * 64);
            if (bits[word] & mask) return false;
        }
    }
    return true;
}

static void mark_range(uint64_t *bits, const struct range *r, bool taken)
{
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t start = r->segments[k].start, end = r->segments[k].end;
        for (uint32_t word = start / 64; word * 64 < end; word++) {
            uint64_t mask = ~0ull;
            if (word == start / 64) mask &= ~0ull << start % 64;
            if (end - word * 64 < 64) mask &= bit_mask(end - word * 64);
            if (taken)
                bits[word] |= mask;
            else
                bits[word] &= ~mask;
        }
    }
}

static bool fits_at(struct allocation *a, const struct web *w, unsigned reg)
{
    unsigned limit = w->predicate ? PRED_LIMIT : a->limit;
    if (reg % operand_alignment(w->width) || reg + w->width > limit) return false;
    for (unsigned p = 0; p < w->width; p++)
        if (!range_is_free(busy_bits(a, w->predicate, reg + p), &w->parts[p])) return false;
    return true;
}

static void take(struct allocation *a, struct web *w, unsigned reg)
{
    w->reg = (int16_t)reg;
    for (unsigned p = 0; p < w->width; p++)
        mark_range(busy_bits(a, w->predicate, reg + p), &w->parts[p], true);
}

static void give_back(struct allocation *a, struct web *w)
{
    for (unsigned p = 0; p < w->width; p++)
        mark_range(busy_bits(a, w->predicate, (unsigned)w->reg + p), &w->parts[p], false);
    w->reg = -1;
}

// -- preferences --------------------------------------------------------------------------------------------

// copies between different webs
struct hints {
    uint32_t *first; // by web: index of its first copy in edges; web count + 1 entries
    struct {
        uint32_t web;
        int shift; // register distance that saves the copy: the other web's register minus this web's
    } * edges;
};

struct hint_walk {
    struct allocation *a;
    struct hints *h;
    bool fill;
};

static void add_hint(struct hint_walk *w, uint32_t u, uint32_t v)
{
    struct allocation *a = w->a;
    uint32_t gu = a->f->group_of.data[u], gv = a->f->group_of.data[v], wu = a->web_of[gu], wv = a->web_of[gv];
    if (wu == wv) return;
    if (!w->fill) {
        w->h->first[wu + 2]++;
        return;
    }
    int at_u = (int)(a->offset_of[gu] + u - a->f->groups.data[gu].unit),
        at_v = (int)(a->offset_of[gv] + v - a->f->groups.data[gv].unit);
    uint32_t k = w->h->first[wu + 1]++;
    w->h->edges[k].web = wv;
    w->h->edges[k].shift = at_u - at_v;
}

static void walk_hints(struct hint_walk *w)
{
    struct mach_function *f = w->a->f;
    for (uint32_t k = 0; k < f->block_count; k++)
        for (struct mach_inst *i = f->blocks[k]->first; i; i = i->next) {
            if (i->i.op != MACH_COPIES) continue;
            for (uint32_t m = 0; m < i->move_count; m++) {
                if (i->moves[m].src == MACH_NONE) continue;
                add_hint(w, i->moves[m].dst, i->moves[m].src);
                add_hint(w, i->moves[m].src, i->moves[m].dst);
            }
        }
}

static void collect_hints(struct allocation *a, struct hints *h)
{
    struct hint_walk w = {a, h, false};
    h->first = ARENA_ARRAY(a->arena, uint32_t, a->web_count + 3);
    walk_hints(&w);
    for (uint32_t k = 2; k < a->web_count + 2; k++) h->first[k] += h->first[k - 1];
    h->edges = arena_alloc(a->arena, sizeof *h->edges * (h->first[a->web_count + 1] + 1));
    w.fill = true;
    walk_hints(&w);
}

static int hinted(struct allocation *a, const struct hints *h, uint32_t web)
{
    for (uint32_t k = h->first[web]; k < h->first[web + 1]; k++) {
        const struct web *other = &a->webs[h->edges[k].web];
        int reg = other->reg - h->edges[k].shift;
        if (other->reg >= 0 && reg >= 0 && fits_at(a, &a->webs[web], (unsigned)reg)) return reg;
    }
    return -1;
}

// -- the scan -----------------------------------------------------------------------------------------------

static int lowest_free(struct allocation *a, const struct web *w)
{
    unsigned limit = w->predicate ? PRED_LIMIT : a->limit;
    for (unsigned reg = 0; reg + w->width <= limit; reg += operand_alignment(w->width))
        if (fits_at(a, w, reg)) return (int)reg;
    return -1;
}

// A web made by spill code cannot be spilled again, only moved to a different register.
static const float TEMPORARY_WEIGHT = 1e30f;

static bool is_kept(const struct web *w) { return w->is_temporary || web_is_range(w); }

static float weight(const struct web *w)
{
    return is_kept(w) ? TEMPORARY_WEIGHT : w->cost / (float)(w->end - w->start + 1);
}

static bool ranges_meet(const struct range *x, const struct range *y)
{
    for (uint32_t i = 0, k = 0; i < x->count && k < y->count;) {
        if (x->segments[i].end <= y->segments[k].start)
            i++;
        else if (y->segments[k].end <= x->segments[i].start)
            k++;
        else
            return true;
    }
    return false;
}

// Adds the spill weight of the coloured web x to weights[r], once for every part of w that x blocks at first
// register r.
static void add_weights(const struct web *w, const struct web *x, float weights[])
{
    if (x->end <= w->start || w->end <= x->start) return;
    for (unsigned p = 0; p < w->width; p++)
        for (unsigned q = 0; q < x->width; q++) {
            int base = x->reg + (int)q - (int)p;
            if (base >= 0 && base % (int)operand_alignment(w->width) == 0 &&
                ranges_meet(&w->parts[p], &x->parts[q]))
                weights[base] += weight(x);
        }
}

static bool is_in_the_way(const struct web *w, const struct web *x, unsigned reg)
{
    for (unsigned p = 0; p < w->width; p++)
        for (unsigned q = 0; q < x->width; q++)
            if (x->reg + (int)q == (int)(reg + p) && ranges_meet(&w->parts[p], &x->parts[q])) return true;
    return false;
}

static void spill(struct allocation *a, struct web *w)
{
    w->spilled = true;
    a->spilled_count++;
}

// First register of the cheapest set of webs to evict for w; *cost: their weight. -1: the calling convention
// reserves every candidate.
static int cheapest_register(struct allocation *a, const uint32_t *order, uint32_t done, const struct web *w,
                             float *cost)
{
    float weights[REG_LIMIT + 1] = {0}; // a part of the widest web is at most the last register
    unsigned limit = w->predicate ? PRED_LIMIT : a->limit;
    for (uint32_t k = 0; k < done; k++) {
        const struct web *x = &a->webs[order[k]];
        if (x->reg >= 0 && x->predicate == w->predicate) add_weights(w, x, weights);
    }
    int best = -1;
    for (unsigned reg = 0; reg + w->width <= limit; reg += operand_alignment(w->width)) {
        bool conventional = false;
        for (unsigned p = 0; p < w->width; p++)
            conventional |= !range_is_free(w->predicate ? a->kept_pred : a->kept[reg + p], &w->parts[p]);
        if (!conventional && (best < 0 || weights[reg] < weights[best])) best = (int)reg;
    }
    *cost = best < 0 ? 0 : weights[best];
    return best;
}

static bool colour_web(struct allocation *a, const struct hints *h, const uint32_t *order, uint32_t done,
                       uint32_t web);

// Spills the webs of the register cheapest to clear, or w itself if w costs no more. Temporary webs (of spill
// code) in the way are coloured anew. False: no colouring found.
static bool make_room(struct allocation *a, const struct hints *h, const uint32_t *order, uint32_t done,
                      uint32_t web)
{
    struct web *w = &a->webs[web];
    float cost;
    int reg = cheapest_register(a, order, done, w, &cost);
    if (!is_kept(w) && (reg < 0 || cost >= weight(w))) {
        spill(a, w);
        return true;
    }
    if (reg < 0 || !a->moves_left) return false;
    VEC(uint32_t) moved = {0};
    for (uint32_t k = 0; k < done; k++) {
        struct web *x = &a->webs[order[k]];
        if (x->reg < 0 || x->predicate != w->predicate || !is_in_the_way(w, x, (unsigned)reg)) continue;
        give_back(a, x);
        if (is_kept(x))
            vec_push(&moved, order[k]);
        else
            spill(a, x);
    }
    take(a, w, (unsigned)reg);
    bool good = a->moves_left >= moved.count;
    a->moves_left -= good ? (uint32_t)moved.count : 0;
    for (size_t k = 0; k < moved.count && good; k++) good = colour_web(a, h, order, done, moved.data[k]);
    vec_fini(&moved);
    return good;
}

static bool colour_web(struct allocation *a, const struct hints *h, const uint32_t *order, uint32_t done,
                       uint32_t web)
{
    struct web *w = &a->webs[web];
    int reg = hinted(a, h, web);
    if (reg < 0) reg = lowest_free(a, w);
    if (reg < 0) return make_room(a, h, order, done, web);
    take(a, w, (unsigned)reg);
    return true;
}

struct order_key {
    bool is_narrow;
    uint32_t start, web;
};

static int by_key(const void *x, const void *y)
{
    const struct order_key *a = x, *b = y;
    if (a->is_narrow != b->is_narrow) return a->is_narrow ? 1 : -1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->web < b->web ? -1 : a->web > b->web;
}

static uint32_t *scan_order(struct allocation *a, uint32_t *count)
{
    struct order_key *keys = ARENA_ARRAY(a->arena, struct order_key, a->web_count + 1);
    *count = 0;
    for (uint32_t k = 0; k < a->web_count; k++)
        if (a->webs[k].width && a->webs[k].end && !a->webs[k].fixed_by_convention)
            keys[(*count)++] = (struct order_key){!web_is_range(&a->webs[k]), a->webs[k].start, k};
    qsort(keys, *count, sizeof *keys, by_key);
    uint32_t *order = ARENA_ARRAY(a->arena, uint32_t, *count + 1);
    for (uint32_t k = 0; k < *count; k++) order[k] = keys[k].web;
    return order;
}

static uint64_t *fresh_bits(struct allocation *a) { return ARENA_ARRAY(a->arena, uint64_t, a->slot_words); }

// Marks slots reserved by convention: the stack pointer, registers of arguments and results, and at calls the
// registers that the callee may write. `kept` is a copy without the webs coloured later.
static void reserve(struct allocation *a)
{
    struct mach_function *f = a->f;
    for (unsigned reg = 0; reg < REG_LIMIT; reg++) a->kept[reg] = fresh_bits(a);
    a->kept_pred = fresh_bits(a);
    if (f->stack_pointer != MACH_NONE)
        memset(a->kept[ABI_STACK_POINTER], 0xff, sizeof(uint64_t) * a->slot_words);
    for (uint32_t k = 0; k < a->web_count; k++) {
        const struct web *w = &a->webs[k];
        for (unsigned p = 0; w->fixed_by_convention && w->reg != ABI_STACK_POINTER && p < w->width; p++)
            mark_range(a->kept[(unsigned)w->reg + p], &w->parts[p], true);
    }
    for (uint32_t k = 0; f->has_calls && k < f->block_count; k++)
        for (struct mach_inst *i = f->blocks[k]->first; i; i = i->next) {
            if (i->i.op != OP_CALL && i->i.op != OP_CALLR) continue;
            struct segment s = {i->position + 1, i->position + 2, 0};
            struct range r = {&s, 1};
            for (unsigned reg = 0; reg < ABI_FIRST_SAVED; reg++) mark_range(a->kept[reg], &r, true);
            mark_range(a->kept_pred, &r, true);
        }
    for (unsigned reg = 0; reg < REG_LIMIT; reg++)
        memcpy(a->busy[reg], a->kept[reg], sizeof(uint64_t) * a->slot_words);
    for (unsigned reg = 0; reg < PRED_LIMIT; reg++)
        memcpy(a->busy_pred[reg], a->kept_pred, sizeof(uint64_t) * a->slot_words);
}

bool allocate_colours(struct allocation *a)
{
    struct mach_function *f = a->f;
    uint32_t slots = f->blocks[f->block_count - 1]->end + 2, count;
    a->slot_words = slots / 64 + 1;
    for (unsigned reg = 0; reg < REG_LIMIT; reg++) a->busy[reg] = fresh_bits(a);
    for (unsigned reg = 0; reg < PRED_LIMIT; reg++) a->busy_pred[reg] = fresh_bits(a);
    reserve(a);
    a->moves_left = 1000;
    struct hints h;
    collect_hints(a, &h);
    uint32_t *order = scan_order(a, &count);
    for (uint32_t k = 0; k < count; k++)
        if (!colour_web(a, &h, order, k + 1, order[k])) return false;
    return a->spilled_count == 0;
}
