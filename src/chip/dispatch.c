#include "chip/chip_impl.h"

#include <stdlib.h>
#include <string.h>

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

static const struct gpu_config *config_of(const struct chip *c, unsigned sm)
{
    return &c->kinds[chip_kind_of(c, sm)].config;
}

void dispatch_init(struct chip *c)
{
    c->dispatch.left = heap_alloc(c->config.sm_count * sizeof *c->dispatch.left);
    c->dispatch.partial = heap_alloc(c->config.sm_count * sizeof *c->dispatch.partial);
    for (unsigned sm = 0; sm < c->config.sm_count; sm++) {
        const struct gpu_config *g = config_of(c, sm);
        c->dispatch.left[sm] = (struct share){g->max_warps, g->registers, g->shared_bytes, g->max_blocks};
    }
}

void dispatch_fini(struct chip *c)
{
    free(c->dispatch.left);
    free(c->dispatch.partial);
    vec_fini(&c->dispatch.wants);
}

static struct share share_of(const struct need *n, uint32_t warps, bool with_block)
{
    struct share s = with_block ? n->block : (struct share){0};
    s.warps += warps * n->warp.warps;
    s.registers += warps * n->warp.registers;
    return s;
}

// -- resources ---------------------------------------------------------------------------------------------

static bool is_partial(const struct partial *p) { return p->grid && p->grid->state == GRID_LIVES; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Number of warps of the grid that fit into `left` free registers, divided among register files as in CUDA's
// occupancy calculator. The file of each allocation is not tracked. The end of a file too small for a warp is
// kept free, even if usable by warps of another grid. Registers set apart by blocks count as part of such
// ends.
static uint32_t warps_by_registers(const struct gpu_config *all, const struct need *n, uint32_t left,
                                   uint32_t blocks)
{
    uint32_t nobodys = all->registers - gpu_registers_for(all, n->warp.registers);
    uint32_t apart = blocks * n->block.registers;
    uint32_t kept = nobodys > apart && all->register_files > 1 ? nobodys - apart : 0;
    return left > kept ? (left - kept) / n->warp.registers : 0;
}

// Of a block's `to_come` warps not yet started, the number that can start on the SM now. Dispatch by block:
// all or 0. Dispatch by warp: as many as fit and the mechanism admits; for a block alone on the SM, as many
// as fit. is_new: the block is not on the SM yet.
static uint32_t starting(const struct chip *c, const struct grid *g, unsigned sm, uint32_t to_come,
                         bool is_new)
{
    const struct sm_launch *l = &g->kinds[chip_kind_of(c, sm)];
    const struct need *n = &g->needs[chip_kind_of(c, sm)];
    const struct gpu_config *all = config_of(c, sm);
    struct share left = c->dispatch.left[sm];
    bool is_alone = left.blocks + !is_new == all->max_blocks;
    if (is_new && !share_holds(&left, &n->block)) return 0;
    if (is_new) share_take(&left, &n->block);
    uint32_t blocks = (g->by_sm[sm] ? g->by_sm[sm]->blocks : 0) + is_new;
    uint32_t by_registers = warps_by_registers(all, n, left.registers, blocks);
    uint32_t room = least(to_come, least(left.warps, by_registers));
    if (!l->admit) return room == to_come ? room : 0;
    if (is_alone || !room) return room;
    const struct tech_room r = {.sm = sm,
                                .resident = all->max_warps - left.warps,
                                .by_block = l->warps_by_block,
                                .to_come = to_come,
                                .room = room};
    return least(room, l->admit(l->admits, &r));
}

// Number of warps of the grid's next block that can start on the SM; 0: the block cannot be placed.
static uint32_t fitting(const struct chip *c, const struct grid *g, unsigned sm)
{
    unsigned kind = chip_kind_of(c, sm);
    const struct grid_part *there = g->by_sm[sm];
    if (!there && c->sms[sm] && sm_is_crowded(c->sms[sm])) return 0;
    if (!grid_has_blocks(g, sm) || (there ? there->blocks : 0) >= g->kinds[kind].blocks_per_sm) return 0;
    if (is_partial(&c->dispatch.partial[sm])) return 0;
    uint32_t warps = starting(c, g, sm, g->needs[kind].warps, true);
    return warps == g->needs[kind].warps || c->dispatch.gives_partial ? warps : 0;
}

// -- clusters ------------------------------------------------------------------------------------------------

// Finds SMs of the GPC that begins with SM `first` for the blocks of the grid's next cluster: the emptiest, by rank.
// Returns the number of free blocks of the fullest; 0: too few SMs have room.
static uint32_t find_in_gpc(const struct chip *c, const struct grid *g, unsigned first,
                            uint8_t sms[ISA_CLUSTER_MAX])
{
    const struct share *left = c->dispatch.left;
    uint32_t count = 0;
    for (unsigned k = first; k < c->config.sm_count && c->gpc_of[k] == c->gpc_of[first]; k++) {
        if (!fitting(c, g, k)) continue;
        uint32_t at = count;
        for (; at && left[sms[at - 1]].blocks < left[k].blocks; at--)
            if (at < g->cluster) sms[at] = sms[at - 1];
        if (at < g->cluster) sms[at] = (uint8_t)k;
        if (count < g->cluster) count++;
    }
    return count == g->cluster ? left[sms[count - 1]].blocks : 0;
}

// The same in the GPC with the emptiest SMs, the first of several.
static bool find_cluster(const struct chip *c, const struct grid *g, uint8_t sms[ISA_CLUSTER_MAX])
{
    uint32_t best = 0;
    for (unsigned k = 0; k < c->config.sm_count && c->gpc_of[k] != NO_GPC; k++) {
        uint8_t there[ISA_CLUSTER_MAX];
        bool is_first = !k || c->gpc_of[k] != c->gpc_of[k - 1];
        uint32_t left = is_first ? find_in_gpc(c, g, k, there) : 0;
        if (left <= best) continue;
        best = left;
        memcpy(sms, there, g->cluster);
    }
    return best;
}

bool dispatch_fits(const struct chip *c, const struct grid *g, unsigned sm)
{
    uint8_t sms[ISA_CLUSTER_MAX];
    return g->cluster > 1 ? find_cluster(c, g, sms) : fitting(c, g, sm);
}

// -- wants --------------------------------------------------------------------------------------------------

// Removes the wants (free room on an SM) left by ended blocks and warps of the grid `ended`; NULL: removes
// the wants made by dispatch_offer.
static void drop_wants(struct dispatch *d, const struct grid *ended)
{
    size_t kept = 0;
    for (size_t k = 0; k < d->wants.count; k++)
        if (d->wants.data[k].end.grid != ended) d->wants.data[kept++] = d->wants.data[k];
    d->wants.count = kept;
}

// Offers the room of every SM at the next dispatch_hand_out. Replaces the offers of earlier calls: however often
// called, every SM gets a single turn.
void dispatch_offer(struct chip *c)
{
    drop_wants(&c->dispatch, NULL);
    for (unsigned sm = 0; sm < c->config.sm_count; sm++)
        vec_push(&c->dispatch.wants, (struct want){.at = c->now, .end = {.cycle = c->now, .sm = sm}});
}

static void gather_ends(struct chip *c)
{
    for (size_t k = 0; k < c->busy.count; k++) {
        struct sm_end *ends;
        size_t n = sm_ended(c->busy.data[k], &ends);
        for (size_t i = 0; i < n; i++)
            vec_push(&c->dispatch.wants,
                     (struct want){.at = ends[i].cycle + c->config.dispatch_latency, .end = ends[i]});
    }
}

void dispatch_forget(struct chip *c, const struct grid *g)
{
    gather_ends(c);
    drop_wants(&c->dispatch, g);
    for (size_t k = 0; k < g->parts.count; k++) {
        const struct grid_part *p = g->parts.data[k];
        const struct need *n = &g->needs[chip_kind_of(c, p->sm)];
        const struct share warps = share_of(n, p->warps, false);
        share_give(&c->dispatch.left[p->sm], &warps);
        for (uint32_t i = 0; i < p->blocks; i++) share_give(&c->dispatch.left[p->sm], &n->block);
        if (c->dispatch.partial[p->sm].grid == g) c->dispatch.partial[p->sm].grid = NULL;
    }
    dispatch_offer(c);
}

static int by_cycle(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->end.cycle != y->end.cycle) return x->end.cycle < y->end.cycle ? -1 : 1;
    return (x->end.sm > y->end.sm) - (x->end.sm < y->end.sm);
}

static void take_back(struct chip *c, const struct sm_end *e)
{
    struct grid *g = e->grid;
    const struct share back = share_of(&g->needs[chip_kind_of(c, e->sm)], e->warps, e->is_block);
    share_give(&c->dispatch.left[e->sm], &back);
    g->by_sm[e->sm]->warps -= e->warps;
    if (!e->is_block) return;
    g->by_sm[e->sm]->blocks--;
    if (e->cycle > g->last_end) g->last_end = e->cycle;
    g->ended++;
    if (g->launch->progress) progress_update(g->launch->progress, g->ended);
}

// -- dispatcher --------------------------------------------------------------------------------------------

// Starts waiting warps of the SM's partial block, as many as fit and the mechanism admits; none without a
// partial block. A partial block has priority over other blocks.
static void give_to_partial(struct chip *c, const struct want *w)
{
    unsigned sm = w->end.sm;
    struct partial *p = &c->dispatch.partial[sm];
    uint32_t warps = is_partial(p) ? starting(c, p->grid, sm, p->to_come, false) : 0;
    if (!warps) return;
    const struct share taken = share_of(&p->grid->needs[chip_kind_of(c, sm)], warps, false);
    share_take(&c->dispatch.left[sm], &taken);
    chip_place(c, p->grid, sm, p->block, warps, w->at, NULL);
    p->to_come -= warps;
    if (!p->to_come) p->grid = NULL;
}

#define DISPATCH(symbol, word, meaning) struct grid *dispatch_##symbol(const struct chip *c, unsigned sm);
#include "chip/dispatch.def"
#undef DISPATCH

// Places the blocks of the grid's next cluster, on any GPC where it fits. They start together.
static void give_cluster(struct chip *c, struct grid *g, const struct want *w)
{
    uint8_t sms[ISA_CLUSTER_MAX];
    find_cluster(c, g, sms);
    for (uint32_t rank = 0; rank < g->cluster; rank++) {
        unsigned sm = sms[rank];
        const struct need *n = &g->needs[chip_kind_of(c, sm)];
        const struct share taken = share_of(n, n->warps, true);
        share_take(&c->dispatch.left[sm], &taken);
        chip_place(c, g, sm, launch_block_at(g->launch, g->next_block++), n->warps,
                   w->at > g->begin ? w->at : g->begin, sms);
        g->by_sm[sm]->blocks++;
    }
}

// Places one block, or one cluster, of the grid chosen by the policy in the SM's free room, and returns the grid. NULL: the
// policy chose no grid.
static struct grid *give_out(struct chip *c, const struct want *w)
{
    static struct grid *(*const policies[])(const struct chip *c, unsigned sm) = {
#define DISPATCH(symbol, word, meaning) dispatch_##symbol,
#include "chip/dispatch.def"
#undef DISPATCH
    };
    unsigned sm = w->end.sm;
    struct grid *g = policies[c->config.dispatch](c, sm);
    if (!g) return NULL;
    if (g->cluster > 1) {
        give_cluster(c, g, w);
        return g;
    }
    const struct need *n = &g->needs[chip_kind_of(c, sm)];
    uint32_t warps = fitting(c, g, sm);
    const struct share taken = share_of(n, warps, true);
    share_take(&c->dispatch.left[sm], &taken);
    if (warps < n->warps) c->dispatch.partial[sm] = (struct partial){g, g->next_block, n->warps - warps};
    chip_place(c, g, sm, g->next_block++, warps, w->at > g->begin ? w->at : g->begin, NULL);
    g->by_sm[sm]->blocks++;
    return g;
}

// Wants (free room on SMs) of one cycle take turns, a block each, until no want gets a block. True: a grid
// gave out its last block, so other grids may have become eligible on any SM.
static bool give_out_in_turn(struct chip *c, struct want *wants, size_t count)
{
    bool some_has_none = false, some_got = true;
    for (size_t k = 0; k < count; k++) wants[k].is_over = false;
    while (some_got) {
        some_got = false;
        for (size_t k = 0; k < count; k++) {
            struct grid *g = wants[k].is_over ? NULL : give_out(c, &wants[k]);
            wants[k].is_over = !g;
            some_got |= g != NULL;
            some_has_none |= g && g->next_block == g->blocks;
        }
    }
    return some_has_none;
}

static bool some_is_by_warp(const struct chip *c)
{
    bool some = false;
    for (size_t k = 0; k < c->grids.count; k++)
        for (unsigned kind = 0; kind < c->kind_count; kind++)
            some |= c->grids.data[k]->kinds[kind].admit != NULL;
    return some;
}

// Whole blocks first, then partial blocks.
static bool give_out_all(struct chip *c, struct want *wants, size_t count)
{
    bool some_has_none = give_out_in_turn(c, wants, count);
    if (!some_is_by_warp(c)) return some_has_none;
    c->dispatch.gives_partial = true;
    some_has_none |= give_out_in_turn(c, wants, count);
    c->dispatch.gives_partial = false;
    return some_has_none;
}

static void give_out_anew(struct chip *c, const struct want *because)
{
    struct want wants[CHIP_SMS];
    do {
        for (unsigned sm = 0; sm < c->config.sm_count; sm++)
            wants[sm] = (struct want){.at = because->at, .end = {.cycle = because->end.cycle, .sm = sm}};
    } while (give_out_all(c, wants, c->config.sm_count));
}

// Checks, for sim.check, that free and allocated resources of every SM add up to the total. Sets
// dispatch.broken if not.
static void look_over(struct chip *c)
{
    for (unsigned sm = 0; sm < c->config.sm_count; sm++) {
        const struct gpu_config *all = config_of(c, sm);
        struct share sum = c->dispatch.left[sm];
        for (size_t k = 0; k < c->grids.count; k++) {
            const struct grid *g = c->grids.data[k];
            const struct grid_part *p = g->by_sm[sm];
            if (!p) continue;
            const struct need *n = &g->needs[chip_kind_of(c, sm)];
            const struct share warps = share_of(n, p->warps, false);
            share_give(&sum, &warps);
            for (uint32_t i = 0; i < p->blocks; i++) share_give(&sum, &n->block);
        }
        bool balances = sum.warps == all->max_warps && sum.registers == all->registers &&
                        sum.shared == all->shared_bytes && sum.blocks == all->max_blocks;
        if (!balances && !c->dispatch.broken)
            c->dispatch.broken = "warps, registers, shared memory or contexts of an SM were lost or made";
    }
}

void dispatch_hand_out(struct chip *c)
{
    struct dispatch *d = &c->dispatch;
    gather_ends(c);
    if (!d->wants.count) return;
    qsort(d->wants.data, d->wants.count, sizeof *d->wants.data, by_cycle);
    for (size_t first = 0, end; first < d->wants.count; first = end) {
        const struct want because = d->wants.data[first];
        for (end = first; end < d->wants.count && d->wants.data[end].end.cycle == because.end.cycle; end++)
            if (d->wants.data[end].end.grid) take_back(c, &d->wants.data[end].end);
        for (size_t k = first; k < end; k++) give_to_partial(c, &d->wants.data[k]);
        if (give_out_all(c, d->wants.data + first, end - first) && c->grids.count > 1)
            give_out_anew(c, &because);
        if (c->config.gpu.check) look_over(c);
    }
    d->wants.count = 0;
}
