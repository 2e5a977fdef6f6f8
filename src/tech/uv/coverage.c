// What the checks cover (Xiang 2.4.4): of ALUs, lane operations that are computed twice or found with parity; of registers, the time in
// which the value is still going to be read and is there twice. Both are exact: whether a value was going to be read is known when it
// is written again, by the cycle of the last read.
//
//     written ────── read ──── read ──────── written again
//        └───────── live ────────┘  (nobody reads it any more)
#include "tech/uv/uv.h"

#include <stdlib.h>

void uv_coverage_begin(struct uv *v)
{
    if (v->launch->options.protect) v->lives = heap_alloc(UV_WARPS * UV_REGISTERS * sizeof *v->lives);
}

static struct life *life_of(struct uv *v, unsigned slot, unsigned r)
{
    return &v->lives[slot * UV_REGISTERS + r];
}

static void end(struct uv *v, struct life *l)
{
    uint64_t cycles = l->read > l->defined ? l->read - l->defined : 0;
    v->counters[COUNT_live_cycles] += cycles;
    if (l->is_protected) v->counters[COUNT_covered_cycles] += cycles;
    *l = (struct life){.defined = tech_now(v->sm), .read = tech_now(v->sm)};
}

void uv_coverage_warp(struct uv *v, unsigned slot)
{
    for (unsigned r = 0; v->lives && r < UV_REGISTERS; r++) end(v, life_of(v, slot, r));
}

void uv_coverage_read(struct uv *v, unsigned slot, const struct op *o)
{
    for (unsigned k = 0; v->lives && k < o->read_count; k++)
        life_of(v, slot, o->reads[k])->read = tech_now(v->sm);
}

void uv_coverage_written(struct uv *v, unsigned slot, const struct op *o, bool is_protected)
{
    for (unsigned n = 0; v->lives && n < o->dst_words; n++) {
        struct life *l = life_of(v, slot, o->dst + n);
        end(v, l);
        l->is_protected = is_protected;
    }
}

// A protected instruction stands for all lanes of its warp.
void uv_coverage_executed(struct uv *v, const struct op *o, bool is_protected)
{
    uint64_t lanes = tech_launch(v->sm)->launch->warp_size;
    if (!v->lives || o->path != PATH_ALU) return;
    v->counters[COUNT_alu_lanes] += is_protected ? lanes : bit_count(v->executing);
    v->counters[COUNT_covered_lanes] += is_protected ? lanes : 0;
}
