// Directed graphs with an entry, and the usual compiler analyses: order, dominators, loops.
//
// A graph is independent of instructions: nodes are 0..count-1, node 0 is the entry, parallel edges and self
// loops are allowed. All memory comes from the arena given to flow_graph_init, and results are plain arrays
// indexed by node. Every algorithm except dominance frontiers is linear or n log n. No algorithm is
// recursive, and any graph is allowed (unreachable nodes and endless loops included).
#pragma once
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define FLOW_NONE UINT32_MAX

struct flow_edge {
    uint32_t from, to;
};

struct flow_graph {
    struct arena *arena;
    uint32_t count;
    uint32_t edge_count;
    // Successors of n, in the order of the given edges: succs[succ_first[n]] … succs[succ_first[n + 1] - 1].
    // Likewise preds.
    uint32_t *succ_first, *succs;
    uint32_t *pred_first, *preds;
};

void flow_graph_init(struct flow_graph *g, struct arena *a, uint32_t node_count,
                     const struct flow_edge *edges, uint32_t edge_count);
// The reversed graph: the same nodes, every edge reversed, and one more node, number g->count: the virtual
// exit. The virtual exit has an edge to every node without successors. For parts that cannot reach an exit,
// the virtual exit has an edge to one node of each endless loop reachable from the entry.
void flow_graph_reverse(struct flow_graph *reversed, const struct flow_graph *g);

// Reverse post-order of a depth-first walk from `root`.
struct flow_order {
    uint32_t *nodes;    // nodes reached, `count` entries
    uint32_t *position; // index into nodes, FLOW_NONE: unreachable
    uint32_t count;
};
void flow_order_init(struct flow_order *o, const struct flow_graph *g, uint32_t root);

// A dominator tree. The root of a post-dominator tree is the virtual exit, numbered graph->count.
struct flow_tree {
    uint32_t root, count;   // count: size of the arrays (post-dominators: the virtual exit included)
    uint32_t *parent;       // immediate dominator; FLOW_NONE for the root and unreachable nodes
    uint32_t *depth;        // root 0
    uint32_t *first, *last; // preorder interval: a dominates b when first[a] <= first[b] <= last[a]
    uint32_t *preorder;     // reached nodes, parents before children, `reached` entries
    uint32_t reached;
};
void flow_dominators(struct flow_tree *t, const struct flow_graph *g);
void flow_postdominators(struct flow_tree *t, const struct flow_graph *g);
// True when a dominates b; a == b counts. False when a or b is unreachable.
bool flow_dominates(const struct flow_tree *t, uint32_t a, uint32_t b);
// The nearest common dominator of a and b, both reachable.
uint32_t flow_common_dominator(const struct flow_tree *t, uint32_t a, uint32_t b);

// Dominance frontiers as one array: frontier of n is nodes[first[n]] … nodes[first[n + 1] - 1], ascending.
struct flow_frontiers {
    uint32_t *first, *nodes;
};
void flow_frontiers_init(struct flow_frontiers *f, const struct flow_graph *g,
                         const struct flow_tree *dominators);

// Natural loops: one loop per header (back edges to the same header make one loop), nested or disjoint. A
// cycle with an entry that does not dominate the cycle (irreducible) is not a loop, and sets `irreducible`.
struct flow_loop {
    uint32_t header;
    uint32_t parent;     // index of the enclosing loop, or FLOW_NONE
    uint32_t depth;      // 1: outermost
    uint32_t node_count; // inner loops included
};
struct flow_loops {
    struct flow_loop *loops; // outer loops before inner loops
    uint32_t count;
    uint32_t *innermost; // by node: index into loops of the innermost loop, FLOW_NONE: no loop
    bool irreducible;
};
void flow_loops_init(struct flow_loops *l, const struct flow_graph *g, const struct flow_tree *dominators);
bool flow_loop_contains(const struct flow_loops *l, uint32_t loop, uint32_t node);
