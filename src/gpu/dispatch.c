#include "gpu/chip_impl.h"

#include <stdlib.h>

static void share_give(struct share *to, const struct share *what)
{
    to->warps += what->warps;
    to->registers += what->registers;
    to->shared += what->shared;
    to->blocks += what->blocks;
}

static void share_take(struct share *from, const struct share *what)
{
    from->warps -= what->warps;
    from->registers -= what->registers;
    from->shared -= what->shared;
    from->blocks -= what->blocks;
}

static bool share_holds(const struct share *all, const struct share *what)
{
    return all->warps >= what->warps && all->registers >= what->registers && all->shared >= what->shared &&
           all->blocks >= what->blocks;
}

void dispatch_init(struct chip *c)
{
    c->dispatch.left = heap_alloc(c->config.gpu.sm_count * sizeof *c->dispatch.left);
    for (unsigned sm = 0; sm < c->config.gpu.sm_count; sm++) {
        const struct gpu_config *g = &c->kinds[chip_kind_of(c, sm)].config;
        c->dispatch.left[sm] = (struct share){g->max_warps, g->registers, g->shared_bytes, g->max_blocks};
    }
}

void dispatch_fini(struct chip *c)
{
    free(c->dispatch.left);
    vec_fini(&c->dispatch.wants);
}

bool dispatch_fits(const struct chip *c, const struct grid *g, unsigned sm)
{
    unsigned kind = chip_kind_of(c, sm);
    const struct grid_part *part = g->by_sm[sm];
    return grid_has_blocks(g, sm) && (part ? part->blocks : 0) < g->kinds[kind].blocks_per_sm &&
           share_holds(&c->dispatch.left[sm], &g->needs[kind]);
}

void dispatch_arrival(struct chip *c)
{
    for (unsigned sm = 0; sm < c->config.gpu.sm_count; sm++)
        vec_push(&c->dispatch.wants, (struct want){.cycle = c->now, .sm = sm});
}

void dispatch_forget(struct chip *c, const struct grid *g)
{
    size_t kept = 0;
    for (size_t k = 0; k < c->dispatch.wants.count; k++)
        if (c->dispatch.wants.data[k].ended != g) c->dispatch.wants.data[kept++] = c->dispatch.wants.data[k];
    c->dispatch.wants.count = kept;
    for (size_t k = 0; k < g->parts.count; k++) {
        const struct grid_part *p = g->parts.data[k];
        for (uint32_t n = 0; n < p->blocks; n++)
            share_give(&c->dispatch.left[p->sm], &g->needs[chip_kind_of(c, p->sm)]);
    }
}

static int by_cycle(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return (x->sm > y->sm) - (x->sm < y->sm);
}

static void gather_ends(struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++) {
        struct sm_block_end *ends;
        size_t n = sm_ended(c->busy.data[k], &ends);
        for (size_t i = 0; i < n; i++)
            vec_push(&c->dispatch.wants, (struct want){ends[i].cycle, ends[i].sm, ends[i].grid});
    }
}

static void take_back(struct chip *c, const struct want *w)
{
    struct grid *g = w->ended;
    g->by_sm[w->sm]->blocks--;
    share_give(&c->dispatch.left[w->sm], &g->needs[chip_kind_of(c, w->sm)]);
    if (w->cycle > g->last_end) g->last_end = w->cycle;
    g->ended++;
    if (g->launch->progress) progress_update(g->launch->progress, g->ended);
}

// Whom the SM's room goes to, for one block. False: to nobody.
static bool give_out(struct chip *c, const struct want *w)
{
    static struct grid *(*const policies[])(const struct chip *c, unsigned sm) = {
#define DISPATCH(symbol, word, meaning) dispatch_##symbol,
#include "gpu/dispatch.def"
#undef DISPATCH
    };
    struct grid *g = policies[c->config.gpu.dispatch](c, w->sm);
    if (!g) return false;
    uint64_t at = w->ended ? w->cycle + c->config.gpu.dispatch_latency : w->cycle;
    share_take(&c->dispatch.left[w->sm], &g->needs[chip_kind_of(c, w->sm)]);
    chip_place(c, g, w->sm, at > g->begin ? at : g->begin);
    return true;
}

// Wants of one cycle take turns, a block each, until nobody has room.
void dispatch_hand_out(struct chip *c)
{
    struct dispatch *d = &c->dispatch;
    gather_ends(c);
    if (!d->wants.count) return;
    qsort(d->wants.data, d->wants.count, sizeof *d->wants.data, by_cycle);
    for (size_t first = 0, end; first < d->wants.count; first = end) {
        size_t left = 0;
        for (end = first; end < d->wants.count && d->wants.data[end].cycle == d->wants.data[first].cycle;
             end++)
            if (d->wants.data[end].ended) take_back(c, &d->wants.data[end]);
        left = end - first;
        while (left) {
            size_t kept = 0;
            for (size_t k = 0; k < left; k++)
                if (give_out(c, &d->wants.data[first + k]))
                    d->wants.data[first + kept++] = d->wants.data[first + k];
            left = kept;
        }
    }
    d->wants.count = 0;
}
