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
    if (!part && c->sms[sm] && sm_is_crowded(c->sms[sm])) return false;
    return grid_has_blocks(g, sm) && (part ? part->blocks : 0) < g->kinds[kind].blocks_per_sm &&
           share_holds(&c->dispatch.left[sm], &g->needs[kind]);
}

// Wants of the kind go.
static void drop_wants(struct dispatch *d, const struct grid *ended)
{
    size_t kept = 0;
    for (size_t k = 0; k < d->wants.count; k++)
        if (d->wants.data[k].ended != ended) d->wants.data[kept++] = d->wants.data[k];
    d->wants.count = kept;
}

// Once an SM, however often there is a reason: each has its turn.
void dispatch_offer(struct chip *c)
{
    drop_wants(&c->dispatch, NULL);
    for (unsigned sm = 0; sm < c->config.gpu.sm_count; sm++)
        vec_push(&c->dispatch.wants, (struct want){.cycle = c->now, .at = c->now, .sm = sm});
}

static void gather_ends(struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++) {
        struct sm_block_end *ends;
        size_t n = sm_ended(c->busy.data[k], &ends);
        for (size_t i = 0; i < n; i++) {
            uint64_t at = ends[i].cycle + c->config.gpu.dispatch_latency;
            vec_push(&c->dispatch.wants, (struct want){ends[i].cycle, at, ends[i].sm, ends[i].grid});
        }
    }
}

void dispatch_forget(struct chip *c, const struct grid *g)
{
    gather_ends(c);
    drop_wants(&c->dispatch, g);
    for (size_t k = 0; k < g->parts.count; k++) {
        const struct grid_part *p = g->parts.data[k];
        for (uint32_t n = 0; n < p->blocks; n++)
            share_give(&c->dispatch.left[p->sm], &g->needs[chip_kind_of(c, p->sm)]);
    }
    dispatch_offer(c);
}

static int by_cycle(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return (x->sm > y->sm) - (x->sm < y->sm);
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

// Whom the SM's room goes to, for one block. NULL: nobody.
static struct grid *give_out(struct chip *c, const struct want *w)
{
    static struct grid *(*const policies[])(const struct chip *c, unsigned sm) = {
#define DISPATCH(symbol, word, meaning) dispatch_##symbol,
#include "gpu/dispatch.def"
#undef DISPATCH
    };
    struct grid *g = policies[c->config.gpu.dispatch](c, w->sm);
    if (!g) return NULL;
    share_take(&c->dispatch.left[w->sm], &g->needs[chip_kind_of(c, w->sm)]);
    chip_place(c, g, w->sm, w->at > g->begin ? w->at : g->begin);
    return g;
}

// Wants of one cycle take turns, a block each, until nobody has room. True when a grid has no block left: others
// may have waited for that, wherever there was room.
static bool give_out_in_turn(struct chip *c, struct want *wants, size_t count)
{
    bool some_has_none = false;
    for (size_t kept; count; count = kept) {
        kept = 0;
        for (size_t k = 0; k < count; k++) {
            struct grid *g = give_out(c, &wants[k]);
            if (!g) continue;
            some_has_none |= g->next_block == g->blocks;
            wants[kept++] = wants[k];
        }
    }
    return some_has_none;
}

static void give_out_anew(struct chip *c, const struct want *because)
{
    struct want wants[CHIP_SMS];
    do {
        for (unsigned sm = 0; sm < c->config.gpu.sm_count; sm++)
            wants[sm] = (struct want){because->cycle, because->at, sm, NULL};
    } while (give_out_in_turn(c, wants, c->config.gpu.sm_count));
}

void dispatch_hand_out(struct chip *c)
{
    struct dispatch *d = &c->dispatch;
    gather_ends(c);
    if (!d->wants.count) return;
    qsort(d->wants.data, d->wants.count, sizeof *d->wants.data, by_cycle);
    for (size_t first = 0, end; first < d->wants.count; first = end) {
        const struct want because = d->wants.data[first];
        for (end = first; end < d->wants.count && d->wants.data[end].cycle == because.cycle; end++)
            if (d->wants.data[end].ended) take_back(c, &d->wants.data[end]);
        if (give_out_in_turn(c, d->wants.data + first, end - first) && c->grids.count > 1)
            give_out_anew(c, &because);
    }
    d->wants.count = 0;
}
