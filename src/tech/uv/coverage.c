// What the checks cover (Xiang 2.4.4): of ALUs, lane operations that are computed twice or found with parity; of registers and entries,
// the time in which the value is still going to be read and is checked then. Both are exact, of registers as wholes: a read says of the
// time before it, back to the last one or to a write of whatever lanes, that the value was going to be read.
//
//     written ────── read ──── read ──────── written again
//        └───────── live ────────┘  (nobody reads it any more)
//
// They are also the places in which a bit may turn (sm/mech/upset.h). In the time that a read speaks of nothing has touched the value, so a
// bit that turned anywhere in it is as good as one that turns now.
#include "tech/uv/uv.h"

void uv_coverage_begin(struct uv *v)
{
    if (v->launch->options.protect || v->launch->upsets)
        v->lives = heap_alloc(UV_WARPS * UV_REGISTERS * sizeof *v->lives);
}

static struct life *life_of(struct uv *v, unsigned place, unsigned r)
{
    return &v->lives[place * UV_REGISTERS + r];
}

void uv_coverage_warp(struct uv *v, unsigned place)
{
    for (unsigned r = 0; v->lives && r < UV_REGISTERS; r++)
        *life_of(v, place, r) = (struct life){.since = tech_now(v->grid)};
}

static void read(struct uv *v, unsigned place, uint32_t index, unsigned r)
{
    struct life *l = life_of(v, place, r);
    uint64_t from = l->since, cycles = tech_now(v->grid) - from;
    l->since = tech_now(v->grid);
    if (!cycles) return;
    v->counters[COUNT_live_cycles] += cycles;
    if (l->is_protected) v->counters[COUNT_covered_cycles] += cycles;
    uv_upset_register(v, place, index, r, from, cycles);
}

void uv_coverage_read(struct uv *v, unsigned place, uint32_t index)
{
    const struct op *o = &v->launch->ops[index];
    for (unsigned k = 0; k < o->read_count; k++) read(v, place, index, o->reads[k]);
}

void uv_coverage_copied(struct uv *v, unsigned place, uint32_t index, unsigned r)
{
    read(v, place, index, r);
    life_of(v, place, r)->is_protected = false;
}

// What no lane writes stays what it was.
void uv_coverage_written(struct uv *v, unsigned place, const struct op *o, bool is_protected)
{
    for (unsigned n = 0; v->executing && n < o->dst_words; n++)
        *life_of(v, place, o->dst + n) = (struct life){
            .since = tech_now(v->grid), .is_protected = is_protected && v->launch->options.protect};
}

// One that is uniform stands for all lanes of its warp.
uint64_t uv_coverage_lanes(const struct uv *v, const struct op *o)
{
    return o->path == PATH_ALU ? bit_count(v->executing) : 0;
}

void uv_coverage_executed(struct uv *v, const struct op *o, bool is_protected)
{
    v->counters[COUNT_alu_lanes] += uv_coverage_lanes(v, o);
    if (is_protected) v->counters[COUNT_covered_lanes] += uv_coverage_lanes(v, o);
}

// From when its result was there, or it was looked at last.
void uv_coverage_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e)
{
    uint64_t now = tech_now(v->grid), from = e->ready > e->looked_at ? e->ready : e->looked_at;
    if (from >= now) return;
    e->looked_at = now;
    v->counters[COUNT_entry_cycles] += now - from;
    if (v->launch->options.parity) v->counters[COUNT_covered_entry_cycles] += now - from;
    uv_upset_entry(v, place, index, e, from, now - from);
}
