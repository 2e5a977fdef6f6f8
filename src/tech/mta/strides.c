// Tables of strides. A stride is known after `train` occurrences in a row.
#include "tech/mta/mta.h"

#include <stdlib.h>

static void table_init(struct mta_table *t, uint32_t count)
{
    t->count = count;
    t->rows = heap_alloc((count ? count : 1) * sizeof *t->rows);
}

void mta_strides_init(struct mta_strides *s, const struct mta_options *o, uint64_t *counters)
{
    *s = (struct mta_strides){.options = o, .counters = counters};
    table_init(&s->by_warp, o->by_warp);
    table_init(&s->of_all, o->of_all);
    table_init(&s->between, o->between);
}

void mta_strides_fini(struct mta_strides *s)
{
    free(s->by_warp.rows);
    free(s->of_all.rows);
    free(s->between.rows);
}

void mta_strides_warp(struct mta_strides *s, unsigned place)
{
    for (uint32_t k = 0; k < s->by_warp.count; k++)
        if (s->by_warp.rows[k].warp == place) s->by_warp.rows[k].used = false;
}

static struct mta_stride *find(const struct mta_table *t, uint32_t index, int warp)
{
    for (uint32_t k = 0; k < t->count; k++)
        if (t->rows[k].used && t->rows[k].index == index && (warp < 0 || t->rows[k].warp == warp))
            return &t->rows[k];
    return NULL;
}

// A free row, or the row with the lowest turn. NULL: the table has no rows.
static struct mta_stride *replace(const struct mta_table *t)
{
    struct mta_stride *oldest = t->count ? t->rows : NULL;
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->rows[k].used) return &t->rows[k];
        if (t->rows[k].turn < oldest->turn) oldest = &t->rows[k];
    }
    return oldest;
}

// Records a stride: one more repetition, or a new stride.
static void learn(struct mta_stride *row, int64_t stride)
{
    row->again = stride == row->stride ? row->again + 1 : 1;
    row->stride = stride;
}

static bool is_known(const struct mta_strides *s, const struct mta_stride *row)
{
    return row && row->stride && row->again >= s->options->train;
}

// Number of warps whose stride at the row's load instruction is known and equals the row's.
static uint32_t in_common(const struct mta_strides *s, const struct mta_stride *row)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->by_warp.count; k++) {
        const struct mta_stride *other = &s->by_warp.rows[k];
        count +=
            other->used && other->index == row->index && other->stride == row->stride && is_known(s, other);
    }
    return count;
}

// Promotes a stride shared by several warps to all warps, until a warp shows a different stride, known as
// well.
static void promote(struct mta_strides *s, const struct mta_stride *row)
{
    struct mta_stride *common = find(&s->of_all, row->index, -1);
    if (common && common->stride != row->stride) common->used = false;
    if (common || in_common(s, row) < s->options->promote) return;
    common = replace(&s->of_all);
    if (!common) return;
    *common = *row;
    s->counters[COUNT_promoted]++;
}

static const struct mta_stride *of_warp(struct mta_strides *s, const struct mta_load *l)
{
    struct mta_stride *row = find(&s->by_warp, l->index, (int)l->place);
    if (row) {
        learn(row, (int64_t)(l->address - row->last));
        if (is_known(s, row)) promote(s, row);
    } else {
        row = replace(&s->by_warp);
        if (!row) return NULL;
        *row = (struct mta_stride){.used = true, .warp = (uint8_t)l->place, .index = l->index};
    }
    row->last = l->address;
    row->turn = ++s->turn;
    return row;
}

// Learns the stride between neighbouring warps of one block, from warps executing the instruction in any
// order.
static const struct mta_stride *between_warps(struct mta_strides *s, const struct mta_load *l)
{
    struct mta_stride *row = find(&s->between, l->index, -1);
    if (row && row->block == l->block && row->warp != l->warp) {
        int64_t bytes = (int64_t)(l->address - row->last), warps = (int64_t)l->warp - row->warp;
        learn(row, bytes % warps ? 0 : bytes / warps);
    }
    if (!row) {
        row = replace(&s->between);
        if (!row) return NULL;
        *row = (struct mta_stride){.used = true, .index = l->index};
    }
    row->block = l->block;
    row->warp = (uint8_t)l->warp;
    row->last = l->address;
    row->turn = ++s->turn;
    return row;
}

int64_t mta_strides_next(struct mta_strides *s, const struct mta_load *l)
{
    const struct mta_stride *own = of_warp(s, l), *next = between_warps(s, l),
                            *common = find(&s->of_all, l->index, -1);
    if (common) {
        s->counters[COUNT_trained_gs]++;
        return common->stride * (int64_t)s->options->distance;
    }
    if (is_known(s, own)) {
        s->counters[COUNT_trained_pws]++;
        return own->stride * (int64_t)s->options->distance;
    }
    if (!is_known(s, next)) return 0;
    s->counters[COUNT_trained_ip]++;
    return next->stride * (int64_t)s->options->ahead;
}
