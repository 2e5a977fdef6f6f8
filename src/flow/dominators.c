// Dominators and post-dominators by Lengauer and Tarjan's algorithm (TOPLAS 1979), in its simple form with
// path compression: O(m log n) for any graph. The iterative method of Cooper, Harvey and Kennedy is quadratic
// on long chains of nested loops. All steps work on depth-first numbers, without recursion.
#include "flow/graph.h"

#include <string.h>

struct lengauer {
    const struct flow_graph *g;
    uint32_t count;   // nodes reached
    uint32_t *number; // node -> depth-first number, FLOW_NONE
    uint32_t *node;   // number -> node
    // The arrays from parent to bucket_next are indexed by the depth-first number of a node.
    uint32_t *parent;   // in the depth-first tree
    uint32_t *semi;     // semidominator
    uint32_t *ancestor; // in the forest being linked
    uint32_t *label;    // node of least semi on the path
    uint32_t *idom;     // immediate dominator
    uint32_t *bucket;   // head of the list of nodes with the indexing node as semidominator
    uint32_t *bucket_next;
    uint32_t *stack;
};

static void number_depth_first(struct lengauer *l, uint32_t root)
{
    const struct flow_graph *g = l->g;
    uint32_t *next = ARENA_ARRAY(g->arena, uint32_t, g->count);
    uint32_t depth = 0;
    l->number[root] = 0;
    l->node[0] = root;
    l->count = 1;
    next[root] = g->succ_first[root];
    l->stack[depth++] = root;
    while (depth) {
        uint32_t n = l->stack[depth - 1];
        if (next[n] == g->succ_first[n + 1]) {
            depth--;
            continue;
        }
        uint32_t s = g->succs[next[n]++];
        if (l->number[s] != FLOW_NONE) continue;
        l->parent[l->count] = l->number[n];
        l->node[l->count] = s;
        l->number[s] = l->count++;
        next[s] = g->succ_first[s];
        l->stack[depth++] = s;
    }
}

// The node of least semidominator on the forest path above v. Compresses the path.
static uint32_t evaluate(struct lengauer *l, uint32_t v)
{
    if (l->ancestor[v] == FLOW_NONE) return v;
    uint32_t depth = 0;
    for (uint32_t u = v; l->ancestor[l->ancestor[u]] != FLOW_NONE; u = l->ancestor[u]) l->stack[depth++] = u;
    while (depth) {
        uint32_t u = l->stack[--depth], above = l->ancestor[u];
        if (l->semi[l->label[above]] < l->semi[l->label[u]]) l->label[u] = l->label[above];
        l->ancestor[u] = l->ancestor[above];
    }
    return l->label[v];
}

static void semidominators(struct lengauer *l)
{
    const struct flow_graph *g = l->g;
    for (uint32_t w = l->count; w-- > 1;) {
        uint32_t n = l->node[w];
        for (uint32_t k = g->pred_first[n]; k < g->pred_first[n + 1]; k++) {
            uint32_t v = l->number[g->preds[k]];
            if (v == FLOW_NONE) continue;
            uint32_t u = evaluate(l, v);
            if (l->semi[u] < l->semi[w]) l->semi[w] = l->semi[u];
        }
        l->bucket_next[w] = l->bucket[l->semi[w]];
        l->bucket[l->semi[w]] = w;
        uint32_t p = l->parent[w];
        l->ancestor[w] = p;
        for (uint32_t v = l->bucket[p]; v != FLOW_NONE; v = l->bucket_next[v]) {
            uint32_t u = evaluate(l, v);
            l->idom[v] = l->semi[u] < l->semi[v] ? u : p;
        }
        l->bucket[p] = FLOW_NONE;
    }
    for (uint32_t w = 1; w < l->count; w++)
        if (l->idom[w] != l->semi[w]) l->idom[w] = l->idom[l->idom[w]];
}

static uint32_t *filled(struct arena *a, uint32_t count, uint32_t value)
{
    uint32_t *array = ARENA_ARRAY(a, uint32_t, count);
    memset(array, (int)(value & 0xff), count * sizeof *array); // 0 or FLOW_NONE
    return array;
}

// Computes depth and preorder interval of every node of the dominator tree from the parents. In depth-first
// numbers a parent precedes its children.
static void finish_tree(struct flow_tree *t, struct arena *a, const struct lengauer *l)
{
    uint32_t *child = filled(a, t->count, FLOW_NONE), *sibling = filled(a, t->count, FLOW_NONE);
    for (uint32_t w = l->count; w-- > 1;) { // backwards: sibling lists end up in depth-first order
        uint32_t n = l->node[w], p = t->parent[n];
        sibling[n] = child[p];
        child[p] = n;
    }
    uint32_t depth = 0, next = 0;
    l->stack[depth++] = t->root;
    while (depth) {
        uint32_t n = l->stack[--depth];
        t->first[n] = next;
        t->preorder[next++] = n;
        t->depth[n] = n == t->root ? 0 : t->depth[t->parent[n]] + 1;
        if (n != t->root && sibling[n] != FLOW_NONE) l->stack[depth++] = sibling[n];
        if (child[n] != FLOW_NONE) l->stack[depth++] = child[n];
    }
    t->reached = next;
    for (uint32_t k = next; k-- > 0;) { // children before parents
        uint32_t n = t->preorder[k];
        if (t->last[n] < t->first[n]) t->last[n] = t->first[n];
        if (n == t->root) continue;
        uint32_t p = t->parent[n];
        if (t->last[p] < t->last[n]) t->last[p] = t->last[n];
    }
}

static void build_tree(struct flow_tree *t, const struct flow_graph *g, uint32_t root)
{
    struct arena *a = g->arena;
    uint32_t n = g->count;
    *t = (struct flow_tree){.root = root, .count = n};
    t->parent = filled(a, n, FLOW_NONE);
    t->depth = filled(a, n, 0);
    t->first = filled(a, n, FLOW_NONE);
    t->last = filled(a, n, 0);
    t->preorder = filled(a, n, 0);
    if (!n) return;
    struct lengauer l = {.g = g};
    l.number = filled(a, n, FLOW_NONE);
    l.node = filled(a, n, 0);
    l.parent = filled(a, n, 0);
    l.semi = filled(a, n, 0);
    l.ancestor = filled(a, n, FLOW_NONE);
    l.label = filled(a, n, 0);
    l.idom = filled(a, n, 0);
    l.bucket = filled(a, n, FLOW_NONE);
    l.bucket_next = filled(a, n, FLOW_NONE);
    l.stack = filled(a, n + 1, 0);
    for (uint32_t k = 0; k < n; k++) l.semi[k] = l.label[k] = k;
    number_depth_first(&l, root);
    semidominators(&l);
    for (uint32_t w = 1; w < l.count; w++) t->parent[l.node[w]] = l.node[l.idom[w]];
    finish_tree(t, a, &l);
}

void flow_dominators(struct flow_tree *t, const struct flow_graph *g) { build_tree(t, g, 0); }

void flow_postdominators(struct flow_tree *t, const struct flow_graph *g)
{
    struct flow_graph reversed;
    flow_graph_reverse(&reversed, g);
    build_tree(t, &reversed, g->count);
}

bool flow_dominates(const struct flow_tree *t, uint32_t a, uint32_t b)
{
    if (t->first[a] == FLOW_NONE || t->first[b] == FLOW_NONE) return false;
    return t->first[a] <= t->first[b] && t->first[b] <= t->last[a];
}

uint32_t flow_common_dominator(const struct flow_tree *t, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (t->depth[a] < t->depth[b])
            b = t->parent[b];
        else
            a = t->parent[a];
    }
    return a;
}

// A join is in the frontier of every node from a predecessor up the tree to, but excluding, the join's
// immediate dominator.
static void walk_frontiers(const struct flow_graph *g, const struct flow_tree *t, uint32_t *stamp,
                           uint32_t *fill, uint32_t *nodes)
{
    for (uint32_t n = 0; n < g->count; n++) {
        if (t->first[n] == FLOW_NONE) continue;
        for (uint32_t k = g->pred_first[n]; k < g->pred_first[n + 1]; k++) {
            uint32_t runner = g->preds[k];
            if (t->first[runner] == FLOW_NONE) continue;
            for (; runner != FLOW_NONE && runner != t->parent[n]; runner = t->parent[runner]) {
                if (stamp[runner] == n) break; // already walked from another predecessor
                stamp[runner] = n;
                if (nodes) nodes[fill[runner]] = n;
                fill[runner]++;
            }
        }
    }
}

void flow_frontiers_init(struct flow_frontiers *f, const struct flow_graph *g,
                         const struct flow_tree *dominators)
{
    struct arena *a = g->arena;
    uint32_t *fill = filled(a, g->count + 1, 0);
    walk_frontiers(g, dominators, filled(a, g->count, FLOW_NONE), fill, NULL);
    f->first = ARENA_ARRAY(a, uint32_t, g->count + 1);
    for (uint32_t n = 0; n < g->count; n++) {
        f->first[n + 1] = f->first[n] + fill[n];
        fill[n] = f->first[n];
    }
    f->nodes = ARENA_ARRAY(a, uint32_t, f->first[g->count]);
    walk_frontiers(g, dominators, filled(a, g->count, FLOW_NONE), fill, f->nodes);
}
