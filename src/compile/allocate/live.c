// Live ranges, one unit at a time: from each use backwards over predecessors to the definition. The work is
// proportional to the length of the ranges in blocks, so long code without long-lived values stays cheap.
#include "base/hash.h"
#include "compile/allocate/allocate.h"

#include <stdlib.h>
#include <string.h>

struct event { // a read
    uint32_t unit, slot, block;
};

struct walker {
    struct allocation *a;
    VEC(struct event) reads;
    uint32_t *def_slot;
    uint32_t *stamp; // by block: 1 + the last unit found live out of the block
    VEC(uint32_t) todo;
    VEC(struct segment) found;
};

static void note_access(void *context, struct mach_inst *i, uint32_t unit, enum mach_access access)
{
    struct walker *w = context;
    if (access == MACH_READ) {
        struct event e = {unit, i->position, i->block->id};
        vec_push(&w->reads, e);
    } else {
        w->a->def[unit] = i;
        w->a->def_block[unit] = i->block->id;
        w->def_slot[unit] = i->position + 1;
    }
}

static void collect(struct walker *w)
{
    struct mach_function *f = w->a->f;
    for (uint32_t k = 0; k < f->block_count; k++) {
        struct mach_block *b = f->blocks[k];
        for (size_t p = 0; p < b->phis.count; p++) {
            struct mach_phi *phi = &b->phis.data[p];
            w->a->def_block[phi->dst] = k;
            w->def_slot[phi->dst] = b->start;
            for (uint32_t n = 0; n < b->pred_count; n++) {
                if (phi->src[n] == MACH_NONE) continue;
                struct event e = {phi->src[n], b->preds[n]->end - 1, b->preds[n]->id};
                vec_push(&w->reads, e);
            }
        }
        for (struct mach_inst *i = b->first; i; i = i->next) mach_each_unit(f, i, note_access, w);
    }
}

static void add_segment(struct walker *w, uint32_t start, uint32_t end)
{
    struct segment s = {start, end, 0};
    vec_push(&w->found, s);
}

static void live_out(struct walker *w, uint32_t unit, uint32_t block)
{
    if (w->stamp[block] == unit + 1) return;
    w->stamp[block] = unit + 1;
    vec_push(&w->todo, block);
}

static void live_in(struct walker *w, uint32_t unit, uint32_t block)
{
    struct mach_block *b = w->a->f->blocks[block];
    for (uint32_t k = 0; k < b->pred_count; k++) live_out(w, unit, b->preds[k]->id);
}

static void walk_read(struct walker *w, const struct event *e)
{
    uint32_t unit = e->unit, def_block = w->a->def_block[unit], def_slot = w->def_slot[unit];
    if (def_block == e->block && def_slot <= e->slot) {
        add_segment(w, def_slot, e->slot + 1);
        return;
    }
    add_segment(w, w->a->f->blocks[e->block]->start, e->slot + 1);
    live_in(w, unit, e->block);
    while (w->todo.count) {
        uint32_t block = vec_pop(&w->todo);
        struct mach_block *b = w->a->f->blocks[block];
        bool defines = def_block == block;
        add_segment(w, defines ? def_slot : b->start, b->end);
        if (!defines) live_in(w, unit, block);
    }
}

static int by_start(const void *x, const void *y)
{
    const struct segment *a = x, *b = y;
    return a->start < b->start ? -1 : a->start > b->start;
}

// Sorts the found segments, merges overlapping and adjacent segments, and stores the range of `unit`.
static void keep_range(struct walker *w, uint32_t unit)
{
    struct segment *s = w->found.data;
    uint32_t n = (uint32_t)w->found.count, kept = 0;
    if (n > 1) qsort(s, n, sizeof *s, by_start);
    for (uint32_t k = 0; k < n; k++) {
        if (kept && s[k].start <= s[kept - 1].end) {
            if (s[k].end > s[kept - 1].end) s[kept - 1].end = s[k].end;
        } else {
            s[kept++] = s[k];
        }
    }
    struct range *r = &w->a->live[unit];
    r->count = kept;
    r->segments = ARENA_ARRAY(w->a->arena, struct segment, kept);
    for (uint32_t k = 0; k < kept; k++)
        r->segments[k] = (struct segment){s[k].start, s[k].end, w->a->value[unit]};
    w->found.count = 0;
}

static bool is_ignored(const struct walker *w, uint32_t unit) { return unit == w->a->f->stack_pointer; }

// Groups reads by unit (counting sort) and builds the range of each unit.
static void build_ranges(struct walker *w)
{
    uint32_t units = mach_unit_count(w->a->f), total = (uint32_t)w->reads.count;
    uint32_t *first = ARENA_ARRAY(w->a->arena, uint32_t, units + 2);
    uint32_t *order = ARENA_ARRAY(w->a->arena, uint32_t, total + 1);
    for (uint32_t k = 0; k < total; k++) first[w->reads.data[k].unit + 2]++;
    for (uint32_t u = 2; u < units + 2; u++) first[u] += first[u - 1];
    for (uint32_t k = 0; k < total; k++) order[first[w->reads.data[k].unit + 1]++] = k;
    for (uint32_t u = 0; u < units; u++) {
        if (is_ignored(w, u)) continue;
        for (uint32_t k = first[u]; k < first[u + 1]; k++) walk_read(w, &w->reads.data[order[k]]);
        if (w->def_slot[u])
            add_segment(w, w->def_slot[u], w->def_slot[u] + 1); // an unread result occupies its slot, too
        keep_range(w, u);
    }
}

static uint64_t constant_key(const struct operand *o)
{
    return (uint64_t)o->value | (uint64_t)o->bank << 32 | (uint64_t)o->kind << 40 | (uint64_t)o->flags << 48;
}

// Units set to equal constants have the same value number: the first such unit.
static void number_constant(struct allocation *a, struct u64map *constants, const struct operand *o,
                            uint32_t unit)
{
    uint32_t first;
    if (u64map_get(constants, constant_key(o), &first))
        a->value[unit] = first;
    else
        u64map_set(constants, constant_key(o), unit);
}

static void number_inst(struct allocation *a, struct u64map *constants, const struct mach_inst *i)
{
    if (mach_makes_constant(i) && i->dst[0] != a->f->stack_pointer)
        number_constant(a, constants, &i->i.src[0], i->dst[0]);
    for (uint32_t m = 0; i->i.op == MACH_COPIES && m < i->move_count; m++)
        if (i->moves[m].src != MACH_NONE)
            a->value[i->moves[m].dst] = i->moves[m].src;
        else
            number_constant(a, constants, &i->moves[m].value, i->moves[m].dst);
}

// Numbers values: a copy takes the value of its source, down the chain to a unit that is not a copy.
static void number_values(struct allocation *a)
{
    uint32_t units = mach_unit_count(a->f);
    struct u64map constants = {0};
    for (uint32_t u = 0; u < units; u++) a->value[u] = u;
    for (uint32_t k = 0; k < a->f->block_count; k++)
        for (struct mach_inst *i = a->f->blocks[k]->first; i; i = i->next) number_inst(a, &constants, i);
    for (uint32_t u = 0; u < units; u++) {
        uint32_t root = u;
        while (a->value[root] != root) root = a->value[root];
        for (uint32_t at = u; at != root;) {
            uint32_t next = a->value[at];
            a->value[at] = root;
            at = next;
        }
    }
    u64map_fini(&constants);
}

void allocate_live(struct allocation *a)
{
    struct walker w = {.a = a};
    uint32_t units = mach_unit_count(a->f);
    mach_number(a->f);
    a->def = ARENA_ARRAY(a->arena, struct mach_inst *, units);
    a->def_block = ARENA_ARRAY(a->arena, uint32_t, units);
    a->live = ARENA_ARRAY(a->arena, struct range, units);
    a->value = ARENA_ARRAY(a->arena, uint32_t, units);
    w.def_slot = ARENA_ARRAY(a->arena, uint32_t, units);
    w.stamp = ARENA_ARRAY(a->arena, uint32_t, a->f->block_count);
    memset(a->def_block, 0xff, sizeof *a->def_block * units);
    number_values(a);
    collect(&w);
    build_ranges(&w);
    vec_fini(&w.reads);
    vec_fini(&w.todo);
    vec_fini(&w.found);
}

int32_t *allocate_live_counts(const struct allocation *a, struct arena *arena, bool predicates, int32_t *most)
{
    const struct mach_function *f = a->f;
    uint32_t slots = f->blocks[f->block_count - 1]->end + 2;
    int32_t *live = ARENA_ARRAY(arena, int32_t, slots + 1);
    for (uint32_t u = 0; u < mach_unit_count(f); u++) {
        const struct range *r = &a->live[u];
        if (mach_group_of(f, u)->predicate != predicates) continue;
        for (uint32_t k = 0; k < r->count; k++) {
            live[r->segments[k].start]++;
            live[r->segments[k].end < slots ? r->segments[k].end : slots]--;
        }
    }
    *most = 0;
    for (uint32_t k = 1; k <= slots; k++) {
        live[k] += live[k - 1];
        if (live[k] > *most) *most = live[k];
    }
    return live;
}

uint32_t allocate_pressure(struct mach_function *f)
{
    struct arena scratch;
    int32_t most;
    arena_init(&scratch);
    struct allocation a = {.f = f, .arena = &scratch};
    allocate_live(&a);
    allocate_live_counts(&a, &scratch, false, &most);
    arena_fini(&scratch);
    return (uint32_t)most;
}
