// Chains of strides: links between load instructions, shared by all warps, and links from warp to warp. A link is
// known after `train` occurrences of its stride in a row.
#include "tech/snake/snake.h"

#include <stdlib.h>

static void table_init(struct snake_table *t, uint32_t count, uint32_t instructions)
{
    t->count = count;
    t->rows = heap_alloc((count ? count : 1) * sizeof *t->rows);
    t->first = heap_alloc(instructions * sizeof *t->first);
}

void snake_chains_init(struct snake_chains *c, const struct snake_options *o, uint32_t instructions,
                       uint64_t *counters)
{
    *c = (struct snake_chains){.options = o, .counters = counters};
    table_init(&c->links, o->links, instructions);
    table_init(&c->warps, o->between, instructions);
}

static void table_fini(struct snake_table *t)
{
    free(t->rows);
    free(t->first);
}

void snake_chains_fini(struct snake_chains *c)
{
    table_fini(&c->links);
    table_fini(&c->warps);
}

void snake_chains_warp(struct snake_chains *c, unsigned place) { c->heads[place].is_set = false; }

static struct snake_link *find(const struct snake_table *t, uint32_t from, uint32_t to)
{
    for (uint32_t k = t->first[from]; k; k = t->rows[k - 1].next)
        if (t->rows[k - 1].to == to) return &t->rows[k - 1];
    return NULL;
}

static void unlink_row(struct snake_table *t, const struct snake_link *l)
{
    uint32_t *at = &t->first[l->from];
    while (&t->rows[*at - 1] != l) at = &t->rows[*at - 1].next;
    *at = l->next;
}

// A free row, or the row with the lowest turn, made a new link. NULL: the table has no rows.
static struct snake_link *replace(struct snake_table *t, uint32_t from, uint32_t to)
{
    struct snake_link *oldest = t->count ? t->rows : NULL;
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->rows[k].used) {
            oldest = &t->rows[k];
            break;
        }
        if (t->rows[k].turn < oldest->turn) oldest = &t->rows[k];
    }
    if (!oldest) return NULL;
    if (oldest->used) unlink_row(t, oldest);
    *oldest = (struct snake_link){.used = true, .from = from, .to = to, .next = t->first[from]};
    t->first[from] = (uint32_t)(oldest - t->rows) + 1;
    return oldest;
}

static bool is_known(const struct snake_chains *c, const struct snake_link *l)
{
    return l && l->again >= c->options->train;
}

// Records a stride: one more repetition, or a new stride.
static void learn(struct snake_chains *c, struct snake_link *l, int64_t stride)
{
    bool was_known = is_known(c, l);
    l->again = l->again && stride == l->stride ? l->again + 1 : 1;
    l->stride = stride;
    l->turn = ++c->turn;
    c->counters[COUNT_learned] += !was_known && is_known(c, l);
}

// The link from the warp's previous load to `l`. Returns whether the link was known and led to the address.
static bool extend(struct snake_chains *c, const struct snake_head *h, const struct snake_load *l)
{
    int64_t stride = (int64_t)(l->address - h->address);
    struct snake_link *link = find(&c->links, h->index, l->index);
    bool was_known = is_known(c, link), is_right = was_known && link->stride == stride;
    c->counters[COUNT_linked] += is_right;
    c->counters[COUNT_strayed] += was_known && !is_right;
    if (!link) link = replace(&c->links, h->index, l->index);
    if (link) learn(c, link, stride);
    return is_right;
}

// The stride between neighbouring warps of one block, from warps that execute the load in any order.
static void extend_warps(struct snake_chains *c, const struct snake_load *l)
{
    struct snake_link *link = find(&c->warps, l->index, l->index);
    bool is_same = link && link->block == l->block && link->warp != l->warp;
    if (!link) link = replace(&c->warps, l->index, l->index);
    if (!link) return;
    if (is_same) {
        int64_t bytes = (int64_t)(l->address - link->last), warps = (int64_t)l->warp - link->warp;
        learn(c, link, bytes % warps ? 0 : bytes / warps);
    }
    link->turn = ++c->turn;
    link->block = l->block;
    link->warp = l->warp;
    link->last = l->address;
}

bool snake_chains_learn(struct snake_chains *c, const struct snake_load *l)
{
    struct snake_head *h = &c->heads[l->place];
    bool is_right = h->is_set && extend(c, h, l);
    extend_warps(c, l);
    *h = (struct snake_head){.is_set = true, .index = l->index, .address = l->address};
    return is_right;
}

// Of several known links from a load, the link used last.
bool snake_chains_follow(struct snake_chains *c, uint32_t *index, int64_t *far)
{
    const struct snake_link *next = NULL;
    for (uint32_t k = c->links.first[*index]; k; k = c->links.rows[k - 1].next) {
        const struct snake_link *l = &c->links.rows[k - 1];
        if (is_known(c, l) && (!next || l->turn > next->turn)) next = l;
    }
    if (!next) return false;
    c->counters[COUNT_walked]++;
    *index = next->to;
    *far += next->stride;
    return true;
}

int64_t snake_chains_ahead(const struct snake_chains *c, uint32_t index)
{
    const struct snake_link *l = find(&c->warps, index, index);
    return is_known(c, l) ? l->stride * (int64_t)c->options->ahead : 0;
}
