// Coverage of the checks (Xiang 2.4.4). For ALUs: lane operations computed twice or found with parity. For
// registers and entries: the time in which the value will still be read, and will be checked at the read.
// Both are exact. Registers count as wholes: a read covers the time back to the last read, or to a write of
// any lanes.
//
//     written ────── read ──── read ──────── written again
//        └───────── live ────────┘  (no further read)
//
// The covered lanes and times are also the sites of injected bit flips (sm/mech/upset.h). Nothing has touched
// the value in the time covered by a read, and a flip at any cycle of the time equals a flip at the read.
#include "base/bits.h"
#include "tech/uv/uv.h"

void uv_coverage_begin(struct uv *v)
{
    if (uv_checks_values(v) || v->launch->upsets)
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

// Notes the write of the destinations and whether checks cover the new value. Without an executing lane the
// old state stays.
void uv_coverage_written(struct uv *v, unsigned place, const struct op *o, bool is_protected)
{
    for (unsigned n = 0; v->executing && n < o->dst_words; n++)
        *life_of(v, place, o->dst + n) =
            (struct life){.since = tech_now(v->grid), .is_protected = is_protected && uv_checks_values(v)};
}

// Number of executing lanes of an ALU instruction; 0 for other instructions. A uniform instruction counts for
// every lane, though computed on one.
uint64_t uv_coverage_lanes(const struct uv *v, const struct op *o)
{
    return o->path == PATH_ALU ? bit_count(v->executing) : 0;
}

void uv_coverage_executed(struct uv *v, const struct op *o, bool is_protected)
{
    v->counters[COUNT_alu_lanes] += uv_coverage_lanes(v, o);
    if (is_protected) v->counters[COUNT_covered_lanes] += uv_coverage_lanes(v, o);
}

// Counts the cycles since the entry's result was ready, or since the entry's last lookup: covered, if entries
// have parity.
void uv_coverage_entry(struct uv *v, unsigned place, uint32_t index, struct entry *e)
{
    uint64_t now = tech_now(v->grid), from = e->ready > e->looked_at ? e->ready : e->looked_at;
    if (from >= now) return;
    e->looked_at = now;
    v->counters[COUNT_entry_cycles] += now - from;
    if (v->launch->options.parity) v->counters[COUNT_covered_entry_cycles] += now - from;
    uv_upset_entry(v, place, index, e, from, now - from);
}
