// Joins by label propagation, as in Karrenberg and Hack's divergence analysis. A block reached from a
// successor of the branch carries the label of the successor. A block reached by two different labels becomes
// a join and carries a label of its own. Labels change at most twice, so a walk costs the edges of the region
// between the branch and its immediate post-dominator.
#include "mark/divergence.h"
#include "base/vec.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "mark/access.h"

// reaches[n]: basic block n, or a block reachable from n, has the property has[], or belongs to a function
// other than the kernel.
static bool *find_reaching(const struct mark_ssa *s, const bool *has)
{
    const struct flow_graph *g = &s->flow.graph;
    bool *reaches = ARENA_ARRAY(s->arena, bool, s->flow.count);
    VEC(uint32_t) work = {0};
    for (uint32_t n = 0; n < s->flow.count; n++)
        if (has[n] || s->flow.blocks[n].function) {
            reaches[n] = true;
            vec_push(&work, n);
        }
    while (work.count) {
        uint32_t n = vec_pop(&work);
        for (uint32_t e = g->pred_first[n]; e < g->pred_first[n + 1]; e++)
            if (!reaches[g->preds[e]]) {
                reaches[g->preds[e]] = true;
                vec_push(&work, g->preds[e]);
            }
    }
    vec_fini(&work);
    return reaches;
}

// Irreducible cycles: strongly connected components (Tarjan 1972) of the graph without the back edges of
// natural loops.
struct components {
    const struct mark_ssa *s;
    uint32_t *index, *low, *edge, *stack, *path, *core;
    bool *on_stack;
    uint32_t next, depth, stacked, cores;
};

static bool is_back_edge(const struct mark_ssa *s, uint32_t from, uint32_t to)
{
    return flow_dominates(&s->dominators, to, from);
}

static void close_component(struct components *c, uint32_t root)
{
    bool single = c->stack[c->stacked - 1] == root;
    uint32_t at;
    do {
        at = c->stack[--c->stacked];
        c->on_stack[at] = false;
        if (!single) c->core[at] = c->cores;
    } while (at != root);
    if (!single) c->cores++;
}

static void enter(struct components *c, uint32_t n)
{
    c->index[n] = c->low[n] = ++c->next;
    c->edge[n] = c->s->flow.graph.succ_first[n];
    c->stack[c->stacked++] = c->path[c->depth++] = n;
    c->on_stack[n] = true;
}

static void find_component(struct components *c, uint32_t root)
{
    const struct flow_graph *g = &c->s->flow.graph;
    enter(c, root);
    while (c->depth) {
        uint32_t n = c->path[c->depth - 1];
        if (c->edge[n] < g->succ_first[n + 1]) {
            uint32_t t = g->succs[c->edge[n]++];
            if (is_back_edge(c->s, n, t)) continue;
            if (!c->index[t])
                enter(c, t);
            else if (c->on_stack[t] && c->index[t] < c->low[n])
                c->low[n] = c->index[t];
            continue;
        }
        c->depth--;
        uint32_t up = c->depth ? c->path[c->depth - 1] : n;
        if (c->low[n] < c->low[up]) c->low[up] = c->low[n];
        if (c->low[n] == c->index[n]) close_component(c, n);
    }
}

static uint32_t *find_cores(const struct mark_ssa *s)
{
    uint32_t count = s->flow.count;
    struct components c = {.s = s, .core = ARENA_ARRAY(s->arena, uint32_t, count)};
    for (uint32_t n = 0; n < count; n++) c.core[n] = FLOW_NONE;
    if (!s->loops.irreducible) return c.core;
    c.index = ARENA_ARRAY(s->arena, uint32_t, count);
    c.low = ARENA_ARRAY(s->arena, uint32_t, count);
    c.edge = ARENA_ARRAY(s->arena, uint32_t, count);
    c.stack = ARENA_ARRAY(s->arena, uint32_t, count);
    c.path = ARENA_ARRAY(s->arena, uint32_t, count);
    c.on_stack = ARENA_ARRAY(s->arena, bool, count);
    for (uint32_t n = 0; n < count; n++)
        if (!c.index[n]) find_component(&c, n);
    return c.core;
}

void divergence_init(struct divergence *d, const struct mark_ssa *s)
{
    uint32_t count = s->flow.count;
    *d = (struct divergence){.s = s};
    d->resets = ARENA_ARRAY(s->arena, bool, count);
    d->meets = ARENA_ARRAY(s->arena, bool, count);
    d->has_barrier = ARENA_ARRAY(s->arena, bool, count);
    d->has_sync = ARENA_ARRAY(s->arena, bool, count);
    for (unsigned k = 0; k < 2; k++) d->ways[k] = ARENA_ARRAY(s->arena, struct divergence_way, count + 1);
    d->labels = ARENA_ARRAY(s->arena, uint32_t, count + 1);
    d->touched = ARENA_ARRAY(s->arena, uint32_t, count + 1);
    for (uint32_t n = 0; n <= count; n++) d->labels[n] = FLOW_NONE;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < s->flow.blocks[n].count; k++) {
            const struct inst *i = &s->program->insts[s->flow.blocks[n].first + k];
            bool call = isa_has(i, ISA_CALL);
            d->meets[n] |= access_is_full_barrier(i);
            d->resets[n] |= access_is_full_barrier(i) || i->op == OP_WARPCMD || call;
            d->has_barrier[n] |= isa_has(i, ISA_BARRIER) || call;
            d->has_sync[n] |= access_orders_memory(i);
        }
    d->reaches_reset = find_reaching(s, d->resets);
    d->reaches_sync = find_reaching(s, d->has_sync);
    d->core = find_cores(s);
}

static void clear_labels(struct divergence *d, uint32_t touched)
{
    for (uint32_t k = 0; k < touched; k++) d->labels[d->touched[k]] = FLOW_NONE;
}

void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context)
{
    const struct flow_graph *g = &d->s->flow.graph;
    uint32_t stop = d->s->postdominators.parent[n], touched = 0, first = g->succ_first[n];
    // One of two successors is the post-dominator itself, so the post-dominator is the only join.
    if (g->succ_first[n + 1] - first == 2 && g->succs[first] != g->succs[first + 1] &&
        (g->succs[first] == stop || g->succs[first + 1] == stop)) {
        visit(context, stop);
        return;
    }
    VEC(uint32_t) work = {0};
    for (uint32_t e = first; e < g->succ_first[n + 1]; e++) {
        uint32_t t = g->succs[e];
        if (d->labels[t] != FLOW_NONE) continue;
        d->labels[t] = t;
        d->touched[touched++] = t;
        vec_push(&work, t);
    }
    while (work.count) {
        uint32_t at = vec_pop(&work);
        if (at == stop) continue; // all paths meet at the post-dominator; the code behind it is common again
        for (uint32_t e = g->succ_first[at]; e < g->succ_first[at + 1]; e++) {
            uint32_t t = g->succs[e];
            if (d->labels[t] == FLOW_NONE) {
                d->labels[t] = d->labels[at];
                d->touched[touched++] = t;
                vec_push(&work, t);
            } else if (d->labels[t] != d->labels[at] && d->labels[t] != t) {
                d->labels[t] = t;
                vec_push(&work, t);
                visit(context, t);
            } else if (d->labels[t] != d->labels[at]) {
                visit(context, t); // a successor of the branch, reachable from another successor
            }
        }
    }
    vec_fini(&work);
    clear_labels(d, touched);
}

// Caches way_has's answer `has` for the paths to `stop` from each of `count` basic blocks.
static void note_ways(struct divergence_way *ways, const uint32_t *blocks, uint32_t count, uint32_t stop,
                      bool has)
{
    for (uint32_t k = 0; k < count; k++)
        ways[blocks[k]] = (struct divergence_way){.stop = stop, .has = has, .known = true};
}

// True: a block on a path from block `from` to block `stop`, `stop` excluded, holds a barrier (`barriers`) or
// any operation ordering memory. Branches often share their post-dominator. A negative answer for `from`
// holds for every block on the path, so later queries reuse the result.
static bool way_has(struct divergence *d, uint32_t from, uint32_t stop, bool barriers)
{
    const struct flow_graph *g = &d->s->flow.graph;
    const bool *has = barriers ? d->has_barrier : d->has_sync;
    struct divergence_way *ways = d->ways[barriers];
    if (from == stop || !d->reaches_sync[from]) return false;
    if (ways[from].known && ways[from].stop == stop) return ways[from].has;
    VEC(uint32_t) work = {0};
    uint32_t touched = 0;
    bool found = false;
    vec_push(&work, from);
    d->labels[from] = from;
    d->touched[touched++] = from;
    while (work.count && !found) {
        uint32_t at = vec_pop(&work);
        bool known = ways[at].known && ways[at].stop == stop;
        found = known ? ways[at].has : has[at];
        for (uint32_t e = g->succ_first[at]; !known && e < g->succ_first[at + 1]; e++) {
            uint32_t t = g->succs[e];
            if (t == stop || d->labels[t] != FLOW_NONE) continue;
            d->labels[t] = t;
            d->touched[touched++] = t;
            vec_push(&work, t);
        }
    }
    vec_fini(&work);
    clear_labels(d, touched);
    note_ways(ways, d->touched, found ? 1 : touched, stop, found);
    return found;
}

bool divergence_unbalanced(struct divergence *d, uint32_t n, bool barriers)
{
    const struct flow_graph *g = &d->s->flow.graph;
    uint32_t stop = d->s->postdominators.parent[n];
    uint32_t with = 0, lasting = 0;
    for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++) {
        uint32_t t = g->succs[e];
        with += way_has(d, t, stop, barriers);
        // Not counted: a path that only leaves the kernel. Warps on the path meet warps of other paths
        // neither at an operation ordering memory nor at a post-dominator.
        lasting += d->reaches_sync[t] || (stop != FLOW_NONE && stop < d->s->flow.count);
    }
    return with > 0 && lasting > 1;
}

void divergence_after(const struct divergence *d, uint32_t n, divergence_visit_on *visit, void *context)
{
    const struct flow_graph *g = &d->s->flow.graph;
    VEC(uint32_t) work = {0};
    vec_push(&work, n);
    while (work.count) {
        uint32_t at = vec_pop(&work);
        for (uint32_t e = g->succ_first[at]; e < g->succ_first[at + 1]; e++)
            if (visit(context, g->succs[e])) vec_push(&work, g->succs[e]);
    }
    vec_fini(&work);
}
