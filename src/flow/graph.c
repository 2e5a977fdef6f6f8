// Graphs in compressed rows, reversal with a virtual exit, and depth-first order.
#include "flow/graph.h"

#include <string.h>

// Counting sort of the edges by source, or by target (by_target). The opposite ends of node n's edges are
// rows[first[n]] … rows[first[n + 1] - 1], in the order of edges[].
static void fill_rows(uint32_t *first, uint32_t *rows, uint32_t node_count, const struct flow_edge *edges,
                      uint32_t edge_count, bool by_target)
{
    for (uint32_t k = 0; k < edge_count; k++) first[(by_target ? edges[k].to : edges[k].from) + 1]++;
    for (uint32_t n = 0; n < node_count; n++) first[n + 1] += first[n];
    for (uint32_t k = 0; k < edge_count; k++) { // moves first[n] to the end of node n's rows …
        uint32_t key = by_target ? edges[k].to : edges[k].from;
        rows[first[key]++] = by_target ? edges[k].from : edges[k].to;
    }
    memmove(first + 1, first, node_count * sizeof *first); // … which is the start of node n + 1's rows
    first[0] = 0;
}

void flow_graph_init(struct flow_graph *g, struct arena *a, uint32_t node_count,
                     const struct flow_edge *edges, uint32_t edge_count)
{
    *g = (struct flow_graph){.arena = a, .count = node_count, .edge_count = edge_count};
    g->succ_first = ARENA_ARRAY(a, uint32_t, node_count + 1);
    g->pred_first = ARENA_ARRAY(a, uint32_t, node_count + 1);
    g->succs = ARENA_ARRAY(a, uint32_t, edge_count);
    g->preds = ARENA_ARRAY(a, uint32_t, edge_count);
    fill_rows(g->succ_first, g->succs, node_count, edges, edge_count, false);
    fill_rows(g->pred_first, g->preds, node_count, edges, edge_count, true);
}

// Marks every node with a path to `node`.
static void mark_reaching(const struct flow_graph *g, uint32_t node, bool *marked, uint32_t *stack)
{
    uint32_t depth = 0;
    if (marked[node]) return;
    marked[node] = true;
    stack[depth++] = node;
    while (depth) {
        uint32_t n = stack[--depth];
        for (uint32_t k = g->pred_first[n]; k < g->pred_first[n + 1]; k++) {
            uint32_t p = g->preds[k];
            if (marked[p]) continue;
            marked[p] = true;
            stack[depth++] = p;
        }
    }
}

// Makes a node of every endless loop reachable from the entry an exit. Walks the depth-first order (reverse
// post-order) backwards: a node becomes an exit if no path leads from the node to an exit found so far.
void flow_graph_reverse(struct flow_graph *reversed, const struct flow_graph *g)
{
    struct arena *a = g->arena;
    uint32_t exit = g->count, exits = 0;
    bool *marked = ARENA_ARRAY(a, bool, g->count);
    bool *is_exit = ARENA_ARRAY(a, bool, g->count);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->count);
    for (uint32_t n = 0; n < g->count; n++) {
        if (g->succ_first[n] != g->succ_first[n + 1]) continue;
        is_exit[n] = true;
        exits++;
        mark_reaching(g, n, marked, stack);
    }
    struct flow_order order;
    flow_order_init(&order, g, 0);
    for (uint32_t k = order.count; k-- > 0;) {
        uint32_t n = order.nodes[k];
        if (marked[n]) continue;
        is_exit[n] = true;
        exits++;
        mark_reaching(g, n, marked, stack);
    }
    struct flow_edge *edges = ARENA_ARRAY(a, struct flow_edge, g->edge_count + exits);
    uint32_t count = 0;
    for (uint32_t n = 0; n < g->count; n++) {
        if (is_exit[n]) edges[count++] = (struct flow_edge){exit, n};
        for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++)
            edges[count++] = (struct flow_edge){g->succs[k], n};
    }
    flow_graph_init(reversed, a, g->count + 1, edges, count);
}

void flow_order_init(struct flow_order *o, const struct flow_graph *g, uint32_t root)
{
    struct arena *a = g->arena;
    o->nodes = ARENA_ARRAY(a, uint32_t, g->count);
    o->position = ARENA_ARRAY(a, uint32_t, g->count);
    o->count = 0;
    memset(o->position, 0xff, g->count * sizeof *o->position);
    if (!g->count) return;
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->count);
    uint32_t *next = ARENA_ARRAY(a, uint32_t, g->count); // next successor to visit
    bool *seen = ARENA_ARRAY(a, bool, g->count);
    uint32_t depth = 0, place = g->count; // filled from the back in post-order
    seen[root] = true;
    next[root] = g->succ_first[root];
    stack[depth++] = root;
    while (depth) {
        uint32_t n = stack[depth - 1];
        if (next[n] == g->succ_first[n + 1]) {
            o->nodes[--place] = n;
            depth--;
            continue;
        }
        uint32_t s = g->succs[next[n]++];
        if (seen[s]) continue;
        seen[s] = true;
        next[s] = g->succ_first[s];
        stack[depth++] = s;
    }
    o->count = g->count - place;
    memmove(o->nodes, o->nodes + place, o->count * sizeof *o->nodes);
    for (uint32_t k = 0; k < o->count; k++) o->position[o->nodes[k]] = k;
}
