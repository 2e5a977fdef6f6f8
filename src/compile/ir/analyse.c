// Order, dominators, post-dominators and loops of a function's blocks, computed by flow/ on a copy of the
// graph.
#include "compile/ir/ir.h"
#include "flow/graph.h"

static struct flow_edge *collect_edges(struct arena *a, const struct ir_function *f, struct ir_block **blocks,
                                       uint32_t *count)
{
    uint32_t edges = 0, block = 0;
    for (struct ir_block *b = f->first_block; b; b = b->next) {
        b->id = block;
        blocks[block++] = b;
        edges += b->succ_count;
    }
    struct flow_edge *list = ARENA_ARRAY(a, struct flow_edge, edges);
    *count = 0;
    for (struct ir_block *b = f->first_block; b; b = b->next)
        for (uint32_t k = 0; k < b->succ_count; k++)
            list[(*count)++] = (struct flow_edge){b->id, b->succs[k]->id};
    return list;
}

void ir_analyse(struct ir_function *f)
{
    struct arena scratch;
    arena_init(&scratch);
    uint32_t edge_count, n = 0;
    for (const struct ir_block *b = f->first_block; b; b = b->next) n++;
    f->block_count = n;
    struct ir_block **blocks = ARENA_ARRAY(&scratch, struct ir_block *, n);
    struct flow_edge *edges = collect_edges(&scratch, f, blocks, &edge_count);
    struct flow_graph graph;
    flow_graph_init(&graph, &scratch, n, edges, edge_count);
    struct flow_order order;
    flow_order_init(&order, &graph, 0);
    struct flow_tree dominators, postdominators;
    flow_dominators(&dominators, &graph);
    flow_postdominators(&postdominators, &graph);
    struct flow_loops loops;
    flow_loops_init(&loops, &graph, &dominators);
    for (uint32_t k = 0; k < n; k++) {
        struct ir_block *b = blocks[k];
        uint32_t idom = dominators.parent[k], ipdom = postdominators.parent[k], loop = loops.innermost[k];
        b->rpo = order.position[k];
        b->idom = idom == FLOW_NONE ? NULL : blocks[idom];
        b->ipdom = ipdom == FLOW_NONE || ipdom == n ? NULL : blocks[ipdom];
        b->dom_depth = dominators.depth[k];
        b->dom_first = dominators.first[k] == FLOW_NONE ? 1 : dominators.first[k] + 1;
        b->dom_last = dominators.first[k] == FLOW_NONE ? 0 : dominators.last[k] + 1;
        b->loop_depth = loop == FLOW_NONE ? 0 : loops.loops[loop].depth;
        b->loop_header = loop == FLOW_NONE ? NULL : blocks[loops.loops[loop].header];
    }
    arena_fini(&scratch);
}
