// Webs: groups of units that share registers. Fresh units of a phi share a register, and so do a guarded
// instruction's old value and result. After that every copy, deepest loops first, joins the webs of its
// source and destination if widths and alignment allow. Live ranges of different values that overlap in a
// part prevent the join. Overlap of equal values (copies, equal constants) is no interference.
#include "compile/allocate/allocate.h"

#include <stdlib.h>
#include <string.h>

static struct mach_group *group_at(struct allocation *a, uint32_t group) { return &a->f->groups.data[group]; }

// -- ranges -------------------------------------------------------------------------------------------------

static uint32_t first_ending_after(const struct range *r, uint32_t slot)
{
    uint32_t low = 0, high = r->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (r->segments[middle].end > slot)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool segment_disturbs(const struct segment *s, const struct range *r)
{
    for (uint32_t n = first_ending_after(r, s->start); n < r->count && r->segments[n].start < s->end; n++)
        if (r->segments[n].value != s->value) return true;
    return false;
}

static bool runs_disturb(const struct runs *x, const struct runs *y)
{
    if (x->total > y->total) {
        const struct runs *t = x;
        x = y;
        y = t;
    }
    for (uint32_t k = 0; k < x->count; k++)
        for (uint32_t n = 0; n < x->run[k].count; n++)
            for (uint32_t m = 0; m < y->count; m++)
                if (segment_disturbs(&x->run[k].segments[n], &y->run[m])) return true;
    return false;
}

// Union of two ranges. Overlapping segments have equal values and are merged.
static struct range join_ranges(struct allocation *a, const struct range *x, const struct range *y)
{
    if (!x->count) return *y;
    if (!y->count) return *x;
    struct range r = {ARENA_ARRAY(a->arena, struct segment, x->count + y->count), 0};
    uint32_t i = 0, k = 0;
    while (i < x->count || k < y->count) {
        bool from_x = k == y->count || (i < x->count && x->segments[i].start <= y->segments[k].start);
        struct segment s = from_x ? x->segments[i++] : y->segments[k++];
        struct segment *last = r.count ? &r.segments[r.count - 1] : NULL;
        if (last && s.start < last->end) {
            if (s.end > last->end) last->end = s.end;
        } else if (last && s.start == last->end && s.value == last->value) {
            last->end = s.end;
        } else {
            r.segments[r.count++] = s;
        }
    }
    return r;
}

// Inserts a run by length and joins runs until each is at least twice as long as the next.
static void add_run(struct allocation *a, struct runs *r, struct range run)
{
    if (!run.count) return;
    if (!r->run) r->run = ARENA_ARRAY(a->arena, struct range, RUNS_MAX);
    uint32_t at = r->count++;
    for (; at && r->run[at - 1].count < run.count; at--) r->run[at] = r->run[at - 1];
    r->run[at] = run;
    for (at = r->count - 1; at-- > 0;) {
        if (r->run[at].count >= 2 * r->run[at + 1].count) continue;
        r->run[at] = join_ranges(a, &r->run[at], &r->run[at + 1]);
        r->count--;
        for (uint32_t k = at + 1; k < r->count; k++) r->run[k] = r->run[k + 1];
    }
    r->total = 0;
    for (uint32_t k = 0; k < r->count; k++) r->total += r->run[k].count;
}

// -- joining ------------------------------------------------------------------------------------------------

// True if webs x and y can share registers with the first part (register) of y at part `shift` of x. A
// negative shift means: the first part of x at part -shift of y. The narrower web must lie inside the wider
// web, aligned to its own width. False if a register web meets a predicate web, or if either is fixed by
// convention.
static bool shapes_fit(const struct web *x, const struct web *y, int shift)
{
    if (x->predicate != y->predicate) return false;
    if (x->fixed_by_convention || y->fixed_by_convention) return false;
    int x_align = (int)operand_alignment(x->width), y_align = (int)operand_alignment(y->width);
    if (x->width >= y->width) return shift >= 0 && shift % y_align == 0 && shift + y->width <= x->width;
    return shift <= 0 && -shift % x_align == 0 && -shift + x->width <= y->width;
}

static void absorb(struct allocation *a, uint32_t into, uint32_t from, unsigned shift, bool joined)
{
    struct web *x = &a->webs[into], *y = &a->webs[from];
    for (unsigned p = 0; joined && p < y->width; p++)
        for (uint32_t k = 0; k < y->growing[p].count; k++)
            add_run(a, &x->growing[shift + p], y->growing[p].run[k]);
    for (uint32_t g = y->first_group; g != MACH_NONE; g = a->next_group[g]) {
        a->web_of[g] = into;
        a->offset_of[g] = (uint8_t)(a->offset_of[g] + shift);
    }
    a->next_group[x->last_group] = y->first_group;
    x->last_group = y->last_group;
    x->member_count += y->member_count;
    x->is_temporary &= y->is_temporary;
    y->first_group = MACH_NONE;
    y->width = 0;
}

// Joins the webs of u and v so that both units share a register. False if shapes_fit refuses, live ranges
// interfere, or the web has both units already in different registers. `forced` skips the interference check
// and leaves merging of the ranges to collect_parts.
static bool join_units(struct allocation *a, uint32_t u, uint32_t v, bool forced)
{
    uint32_t gu = a->f->group_of.data[u], gv = a->f->group_of.data[v];
    uint32_t wu = a->web_of[gu], wv = a->web_of[gv];
    int at_u = (int)(a->offset_of[gu] + (u - group_at(a, gu)->unit)),
        at_v = (int)(a->offset_of[gv] + (v - group_at(a, gv)->unit));
    int shift = at_u - at_v; // offset of v's web inside u's web
    if (wu == wv) return shift == 0;
    struct web *x = &a->webs[wu], *y = &a->webs[wv];
    if (!shapes_fit(x, y, shift)) return false;
    bool swap = x->width < y->width || (x->width == y->width && x->member_count < y->member_count);
    uint32_t into = swap ? wv : wu, from = swap ? wu : wv;
    unsigned at = (unsigned)(swap ? -shift : shift);
    for (unsigned p = 0; !forced && p < a->webs[from].width; p++)
        if (runs_disturb(&a->webs[into].growing[at + p], &a->webs[from].growing[p])) return false;
    absorb(a, into, from, at, !forced);
    return true;
}

static void create_webs(struct allocation *a)
{
    uint32_t groups = (uint32_t)a->f->groups.count;
    a->web_count = groups;
    a->webs = ARENA_ARRAY(a->arena, struct web, groups);
    a->web_of = ARENA_ARRAY(a->arena, uint32_t, groups);
    a->offset_of = ARENA_ARRAY(a->arena, uint8_t, groups);
    a->next_group = ARENA_ARRAY(a->arena, uint32_t, groups);
    for (uint32_t g = 0; g < groups; g++) {
        struct mach_group *group = group_at(a, g);
        struct web *w = &a->webs[g];
        *w = (struct web){.width = group->width,
                          .predicate = group->predicate,
                          .reg = group->fixed,
                          .first_group = g,
                          .last_group = g,
                          .member_count = 1};
        w->growing = ARENA_ARRAY(a->arena, struct runs, group->width);
        w->parts = ARENA_ARRAY(a->arena, struct range, group->width);
        w->fixed_by_convention = group->fixed >= 0;
        w->is_temporary = group->temporary;
        a->web_of[g] = g;
        a->next_group[g] = MACH_NONE;
    }
}

static void join_by_necessity(struct allocation *a)
{
    for (uint32_t k = 0; k < a->f->block_count; k++) {
        struct mach_block *b = a->f->blocks[k];
        for (size_t p = 0; p < b->phis.count; p++)
            for (uint32_t n = 0; n < b->pred_count; n++)
                if (b->phis.data[p].src[n] != MACH_NONE)
                    join_units(a, b->phis.data[p].dst, b->phis.data[p].src[n], true);
        for (struct mach_inst *i = b->first; i; i = i->next)
            for (unsigned d = 0; d < 2; d++)
                if (i->old[d] != MACH_NONE) join_units(a, i->dst[d], i->old[d], true);
    }
}

static int by_start(const void *x, const void *y)
{
    const struct segment *a = x, *b = y;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

// Live range of one part of a web, collected from the units of its member groups.
static struct range collect_part(struct allocation *a, const struct web *w, unsigned part)
{
    uint32_t total = 0, sources = 0;
    struct range r = {NULL, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t g = w->first_group; g != MACH_NONE; g = a->next_group[g]) {
            struct mach_group *group = group_at(a, g);
            if (part < a->offset_of[g] || part >= (unsigned)a->offset_of[g] + group->width) continue;
            const struct range *live = &a->live[group->unit + part - a->offset_of[g]];
            if (!live->count) continue;
            if (pass == 0) {
                total += live->count;
                r = *live;
                sources++;
            } else {
                memcpy(r.segments + r.count, live->segments, sizeof *live->segments * live->count);
                r.count += live->count;
            }
        }
        if (pass == 0 && sources < 2) return r;
        if (pass == 0) r = (struct range){ARENA_ARRAY(a->arena, struct segment, total), 0};
    }
    qsort(r.segments, r.count, sizeof *r.segments, by_start);
    return r;
}

static void collect_parts(struct allocation *a)
{
    for (uint32_t k = 0; k < a->web_count; k++)
        for (unsigned p = 0; p < a->webs[k].width; p++)
            add_run(a, &a->webs[k].growing[p], collect_part(a, &a->webs[k], p));
}

// -- copies, the most frequently executed first -------------------------------------------------------------

static void join_copies(struct allocation *a, uint32_t depth)
{
    for (uint32_t k = 0; k < a->f->block_count; k++) {
        struct mach_block *b = a->f->blocks[k];
        if (b->loop_depth != depth) continue;
        for (struct mach_inst *i = b->first; i; i = i->next) {
            if (i->i.op != MACH_COPIES) continue;
            for (uint32_t m = 0; m < i->move_count; m++)
                if (i->moves[m].src != MACH_NONE) join_units(a, i->moves[m].dst, i->moves[m].src, false);
        }
    }
}

// -- input of colouring -------------------------------------------------------------------------------------

// Estimated executions of a block, for spill costs: a factor of ten for every surrounding loop, at most 1e6.
static float frequency(const struct mach_block *b)
{
    static const float powers[] = {1, 10, 100, 1e3f, 1e4f, 1e5f, 1e6f};
    return powers[b->loop_depth < 6 ? b->loop_depth : 6];
}

static void add_cost(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access)
{
    struct allocation *a = context;
    (void)access;
    if (i->i.op == MACH_COPIES) return;
    a->webs[web_of_unit(a, unit)].cost += frequency(i->block);
}

static void measure(struct allocation *a)
{
    for (uint32_t k = 0; k < a->f->block_count; k++)
        for (struct mach_inst *i = a->f->blocks[k]->first; i; i = i->next)
            mach_each_unit(a->f, i, add_cost, a);
    for (uint32_t k = 0; k < a->web_count; k++) {
        struct web *w = &a->webs[k];
        w->start = UINT32_MAX;
        for (unsigned p = 0; p < w->width; p++) {
            struct range r = {NULL, 0};
            for (uint32_t n = w->growing[p].count; n-- > 0;) r = join_ranges(a, &r, &w->growing[p].run[n]);
            w->parts[p] = r;
            if (!r.count) continue;
            if (r.segments[0].start < w->start) w->start = r.segments[0].start;
            if (r.segments[r.count - 1].end > w->end) w->end = r.segments[r.count - 1].end;
        }
    }
}

void allocate_webs(struct allocation *a)
{
    create_webs(a);
    join_by_necessity(a);
    collect_parts(a);
    uint32_t deepest = 0;
    for (uint32_t k = 0; k < a->f->block_count; k++)
        if (a->f->blocks[k]->loop_depth > deepest) deepest = a->f->blocks[k]->loop_depth;
    for (uint32_t depth = deepest + 1; depth-- > 0;) join_copies(a, depth);
    measure(a);
}
