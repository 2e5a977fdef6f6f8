// Directed graphs with an entry, and what a compiler asks about them: order, dominators, loops.
//
// A graph knows nothing of instructions: nodes are 0..count-1, node 0 is the entry, parallel edges and self
// loops are allowed. Everything is allocated from the arena given to flow_graph_create, results are plain
// arrays indexed by node, and every algorithm is linear or n log n, without recursion, whatever the graph
// (unreachable nodes and endless loops included).
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
    // Successors of n, in the order of the edges given: succs[succ_first[n]] … up to succ_first[n + 1]. The
    // same for preds.
    uint32_t *succ_first, *succs;
    uint32_t *pred_first, *preds;
};

void flow_graph_init(struct flow_graph *g, struct arena *a, uint32_t node_count,
                     const struct flow_edge *edges, uint32_t edge_count);
// The same nodes with every edge turned and one node more: `count` (the virtual exit) is its last node, with
// an edge to every node that has no successor and, for parts that cannot reach one, to one node of each
// endless loop.
void flow_graph_reverse(struct flow_graph *reversed, const struct flow_graph *g);

// Reverse post-order of a depth-first walk from `root`.
struct flow_order {
    uint32_t *nodes;    // reached nodes, `count` of them
    uint32_t *position; // index into nodes, FLOW_NONE when not reached
    uint32_t count;
};
void flow_order_init(struct flow_order *o, const struct flow_graph *g, uint32_t root);

// A dominator tree. For post-dominators the root is the virtual exit, numbered graph->count.
struct flow_tree {
    uint32_t root, count; // nodes of the tree's arrays, the virtual exit included
    uint32_t *parent;     // immediate dominator; FLOW_NONE for the root and for nodes the root does not reach
    uint32_t *depth;      // root 0
    uint32_t *first, *last; // preorder interval: a dominates b when first[a] <= first[b] <= last[a]
    uint32_t *preorder;     // reached nodes, parents before children, `reached` of them
    uint32_t reached;
};
void flow_dominators(struct flow_tree *t, const struct flow_graph *g);
void flow_postdominators(struct flow_tree *t, const struct flow_graph *g);
bool flow_dominates(const struct flow_tree *t, uint32_t a,
                    uint32_t b); // a == b counts; false when not reached
// The nearest node that dominates both (both reached).
uint32_t flow_common_dominator(const struct flow_tree *t, uint32_t a, uint32_t b);

// Dominance frontiers as one array: frontier of n is nodes[first[n]] … nodes[first[n + 1] - 1], ascending.
struct flow_frontiers {
    uint32_t *first, *nodes;
};
void flow_frontiers_init(struct flow_frontiers *f, const struct flow_graph *g,
                         const struct flow_tree *dominators);

// Natural loops: one per header (back edges to the same header make one loop), nested or disjoint. A cycle
// whose entry does not dominate it (irreducible) is no loop here, and sets `irreducible`.
struct flow_loop {
    uint32_t header;
    uint32_t parent;     // index of the loop around it, FLOW_NONE
    uint32_t depth;      // outermost 1
    uint32_t node_count; // with inner loops
};
struct flow_loops {
    struct flow_loop *loops; // outer loops before inner ones
    uint32_t count;
    uint32_t *innermost; // of a node: index into loops, FLOW_NONE
    bool irreducible;
};
void flow_loops_init(struct flow_loops *l, const struct flow_graph *g, const struct flow_tree *dominators);
bool flow_loop_contains(const struct flow_loops *l, uint32_t loop, uint32_t node);
