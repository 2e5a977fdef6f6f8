// Natural loops. Headers are visited innermost first (dominator preorder backwards). The body of a loop is
// collected against the edge direction. A union-find steps over loops already known, so every node is walked
// once at any nesting depth.
#include "flow/graph.h"

#include <string.h>

static uint32_t outermost(uint32_t *above, uint32_t loop) // with path halving
{
    while (above[loop] != loop) {
        above[loop] = above[above[loop]];
        loop = above[loop];
    }
    return loop;
}

// Makes `loop` the innermost loop of every node of its body not yet in a loop, and the parent of the inner
// loops found earlier.
static void collect_body(struct flow_loops *l, const struct flow_graph *g, const struct flow_tree *t,
                         uint32_t loop, uint32_t *above, uint32_t *stack)
{
    uint32_t header = l->loops[loop].header, depth = 0;
    for (uint32_t k = g->pred_first[header]; k < g->pred_first[header + 1]; k++)
        if (flow_dominates(t, header, g->preds[k])) stack[depth++] = g->preds[k];
    if (l->innermost[header] == FLOW_NONE) l->innermost[header] = loop;
    while (depth) {
        uint32_t n = stack[--depth];
        if (l->innermost[n] != FLOW_NONE) {
            uint32_t inner = outermost(above, l->innermost[n]);
            if (inner == loop) continue;
            above[inner] = loop; // a known loop is an inner loop: continue from its header
            l->loops[inner].parent = loop;
            n = l->loops[inner].header;
        } else {
            l->innermost[n] = loop;
        }
        for (uint32_t k = g->pred_first[n]; k < g->pred_first[n + 1]; k++)
            if (t->first[g->preds[k]] != FLOW_NONE) stack[depth++] = g->preds[k];
    }
}

// Reverses the list of loops, which were found innermost first, so parents come before children. Sets depths
// and node counts.
static void turn_round(struct flow_loops *l, uint32_t node_count)
{
    for (uint32_t k = 0; k < l->count / 2; k++) {
        struct flow_loop swap = l->loops[k];
        l->loops[k] = l->loops[l->count - 1 - k];
        l->loops[l->count - 1 - k] = swap;
    }
    for (uint32_t k = 0; k < l->count; k++) {
        struct flow_loop *loop = &l->loops[k];
        if (loop->parent != FLOW_NONE) loop->parent = l->count - 1 - loop->parent;
        loop->depth = loop->parent == FLOW_NONE ? 1 : l->loops[loop->parent].depth + 1;
    }
    for (uint32_t n = 0; n < node_count; n++) {
        if (l->innermost[n] == FLOW_NONE) continue;
        l->innermost[n] = l->count - 1 - l->innermost[n];
        l->loops[l->innermost[n]].node_count++;
    }
    for (uint32_t k = l->count; k-- > 0;)
        if (l->loops[k].parent != FLOW_NONE)
            l->loops[l->loops[k].parent].node_count += l->loops[k].node_count;
}

// Whether the graph has a retreating edge of the depth-first order whose target does not dominate its source.
static bool find_irreducible(const struct flow_graph *g, const struct flow_tree *t)
{
    struct flow_order order;
    flow_order_init(&order, g, 0);
    for (uint32_t k = 0; k < order.count; k++) {
        uint32_t n = order.nodes[k];
        for (uint32_t s = g->succ_first[n]; s < g->succ_first[n + 1]; s++)
            if (order.position[g->succs[s]] <= k && !flow_dominates(t, g->succs[s], n)) return true;
    }
    return false;
}

void flow_loops_init(struct flow_loops *l, const struct flow_graph *g, const struct flow_tree *dominators)
{
    struct arena *a = g->arena;
    *l = (struct flow_loops){0};
    l->loops = ARENA_ARRAY(a, struct flow_loop, g->count);
    l->innermost = ARENA_ARRAY(a, uint32_t, g->count);
    memset(l->innermost, 0xff, g->count * sizeof *l->innermost);
    if (!g->count) return;
    uint32_t *above = ARENA_ARRAY(a, uint32_t, g->count);
    // Size of the stack: each node pushes its predecessors once, and a loop header once more when an outer
    // loop contains the loop.
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, 2 * g->edge_count + 1);
    for (uint32_t k = dominators->reached; k-- > 0;) {
        uint32_t n = dominators->preorder[k];
        bool header = false;
        for (uint32_t p = g->pred_first[n]; p < g->pred_first[n + 1] && !header; p++)
            header = flow_dominates(dominators, n, g->preds[p]);
        if (!header) continue;
        uint32_t loop = l->count++;
        l->loops[loop] = (struct flow_loop){.header = n, .parent = FLOW_NONE};
        above[loop] = loop;
        collect_body(l, g, dominators, loop, above, stack);
    }
    turn_round(l, g->count);
    l->irreducible = find_irreducible(g, dominators);
}

bool flow_loop_contains(const struct flow_loops *l, uint32_t loop, uint32_t node)
{
    uint32_t at = l->innermost[node];
    while (at != FLOW_NONE && l->loops[at].depth > l->loops[loop].depth) at = l->loops[at].parent;
    return at == loop;
}
