// Graph algorithms against their definitions, checked on every random graph by the slowest means: nodes
// cut off by removing a node, nodes reachable by a walk. Fails when a result differs from the definition.
#include "base/rng.h"
#include "flow/dataflow.h"
#include "flow/graph.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 24 };

struct sample {
    struct arena arena;
    struct flow_graph g;
};

static void random_graph(struct sample *s, struct rng *r)
{
    struct flow_edge edges[NODES_MAX * 3];
    uint32_t count = 1 + rng_below(r, NODES_MAX), edge_count = rng_below(r, count * 2 + 1);
    arena_init(&s->arena);
    for (uint32_t k = 0; k < edge_count; k++) {
        uint32_t from = rng_below(r, count), to = rng_below(r, count);
        if (rng_below(r, 3) && from + 1 < count)
            to = from + 1 + rng_below(r, count - from - 1 < 3 ? count - from - 1 : 3);
        edges[k] = (struct flow_edge){from, to};
    }
    flow_graph_init(&s->g, &s->arena, count, edges, edge_count);
}

// Marks nodes reachable from `from` without passing through `without` (FLOW_NONE: no restriction).
static void reach(const struct flow_graph *g, uint32_t from, uint32_t without, bool *seen)
{
    memset(seen, 0, g->count * sizeof *seen);
    uint32_t stack[NODES_MAX + 1], depth = 0;
    if (from == without) return;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        uint32_t n = stack[--depth];
        for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++) {
            uint32_t s = g->succs[k];
            if (seen[s] || s == without) continue;
            seen[s] = true;
            stack[depth++] = s;
        }
    }
}

static void check_tree(struct test *t, const struct flow_tree *tree, const struct flow_graph *g,
                       uint32_t root)
{
    bool reached[NODES_MAX + 1], without[NODES_MAX + 1];
    reach(g, root, FLOW_NONE, reached);
    for (uint32_t a = 0; a < g->count; a++) {
        reach(g, root, a, without);
        for (uint32_t b = 0; b < g->count; b++) {
            bool dominates = reached[a] && reached[b] && !without[b];
            CHECK_EQ(t, flow_dominates(tree, a, b), dominates);
        }
        bool has_parent = reached[a] && a != root;
        CHECK_EQ(t, tree->parent[a] != FLOW_NONE, has_parent);
        if (!has_parent) continue;
        uint32_t p = tree->parent[a]; // the parent must be dominated by every other dominator
        CHECK(t, p != a && flow_dominates(tree, p, a));
        for (uint32_t b = 0; b < g->count; b++)
            if (b != a && flow_dominates(tree, b, a)) CHECK(t, flow_dominates(tree, b, p));
        CHECK_EQ(t, tree->depth[a], tree->depth[p] + 1);
    }
}

static void test_dominators(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(1));
    for (unsigned k = 0; k < 2000 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        struct flow_tree tree;
        flow_dominators(&tree, &s.g);
        check_tree(t, &tree, &s.g, 0);
        arena_fini(&s.arena);
    }
}

static void test_postdominators(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(2));
    for (unsigned k = 0; k < 2000 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        struct flow_graph reversed;
        flow_graph_reverse(&reversed, &s.g);
        struct flow_tree tree;
        flow_postdominators(&tree, &s.g);
        check_tree(t, &tree, &reversed, s.g.count);
        bool from_entry[NODES_MAX + 1], from_exit[NODES_MAX + 1];
        reach(&s.g, 0, FLOW_NONE, from_entry);
        reach(&reversed, s.g.count, FLOW_NONE, from_exit);
        for (uint32_t n = 0; n < s.g.count; n++)
            CHECK(t, !from_entry[n] || from_exit[n]); // endless loops too
        arena_fini(&s.arena);
    }
}

static void test_order(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(3));
    for (unsigned k = 0; k < 2000 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        struct flow_order order;
        flow_order_init(&order, &s.g, 0);
        struct flow_tree tree;
        flow_dominators(&tree, &s.g);
        bool seen[NODES_MAX + 1];
        reach(&s.g, 0, FLOW_NONE, seen);
        uint32_t count = 0;
        for (uint32_t n = 0; n < s.g.count; n++) {
            count += seen[n];
            CHECK_EQ(t, order.position[n] != FLOW_NONE, seen[n]);
            if (seen[n]) CHECK_EQ(t, order.nodes[order.position[n]], n);
            if (seen[n] && n)
                CHECK(t, order.position[tree.parent[n]] < order.position[n]); // dominators come first
        }
        CHECK_EQ(t, order.count, count);
        arena_fini(&s.arena);
    }
}

// A join n is in the frontier of a when a dominates a predecessor of n but not n itself, or n is a.
static void test_frontiers(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(4));
    for (unsigned k = 0; k < 2000 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        const struct flow_graph *g = &s.g;
        struct flow_tree tree;
        flow_dominators(&tree, g);
        struct flow_frontiers f;
        flow_frontiers_init(&f, g, &tree);
        for (uint32_t a = 0; a < g->count; a++) {
            bool in[NODES_MAX + 1] = {false};
            for (uint32_t n = f.first[a]; n < f.first[a + 1]; n++) {
                CHECK(t, !in[f.nodes[n]]);
                CHECK(t, n == f.first[a] || f.nodes[n - 1] < f.nodes[n]);
                in[f.nodes[n]] = true;
            }
            for (uint32_t n = 0; n < g->count; n++) {
                bool wanted = false;
                for (uint32_t p = g->pred_first[n]; p < g->pred_first[n + 1]; p++)
                    wanted |=
                        flow_dominates(&tree, a, g->preds[p]) && !(a != n && flow_dominates(&tree, a, n));
                CHECK_EQ(t, in[n], wanted);
            }
        }
        arena_fini(&s.arena);
    }
}

// The loop of header h: every node that reaches a back edge to h without passing through h.
static bool in_natural_loop(const struct flow_graph *g, const struct flow_tree *tree, uint32_t h, uint32_t n)
{
    bool seen[NODES_MAX + 1];
    if (tree->first[n] == FLOW_NONE) return false;
    for (uint32_t p = g->pred_first[h]; p < g->pred_first[h + 1]; p++) {
        uint32_t latch = g->preds[p];
        if (!flow_dominates(tree, h, latch)) continue;
        if (n == h || n == latch) return true;
        reach(g, n, h, seen);
        if (seen[latch]) return true;
    }
    return false;
}

static void test_loops(struct test *t)
{
    struct rng r;
    rng_init(&r, test_seed(5));
    for (unsigned k = 0; k < 2000 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        const struct flow_graph *g = &s.g;
        struct flow_tree tree;
        flow_dominators(&tree, g);
        struct flow_loops loops;
        flow_loops_init(&loops, g, &tree);
        uint32_t headers = 0;
        for (uint32_t h = 0; h < g->count; h++) {
            if (!in_natural_loop(g, &tree, h, h)) continue;
            headers++;
            uint32_t loop = 0;
            while (loop < loops.count && loops.loops[loop].header != h) loop++;
            CHECK(t, loop < loops.count);
            if (loop == loops.count) continue;
            uint32_t nodes = 0;
            for (uint32_t n = 0; n < g->count; n++) {
                bool inside = in_natural_loop(g, &tree, h, n);
                nodes += inside;
                CHECK_EQ(t, flow_loop_contains(&loops, loop, n), inside);
            }
            CHECK_EQ(t, loops.loops[loop].node_count, nodes);
            uint32_t parent = loops.loops[loop].parent;
            CHECK_EQ(t, loops.loops[loop].depth, parent == FLOW_NONE ? 1 : loops.loops[parent].depth + 1);
            if (parent != FLOW_NONE) CHECK(t, parent < loop && flow_loop_contains(&loops, parent, h));
        }
        CHECK_EQ(t, loops.count, headers);
        arena_fini(&s.arena);
    }
}

// Liveness and availability bit by bit, by walking. Bit b is live into n when a generating node can be
// reached through nodes that do not kill b. Bit b is available when no walk from the entry lacks b.
static bool live(const struct flow_graph *g, const struct flow_sets *gen, const struct flow_sets *kill,
                 uint32_t from, uint32_t bit)
{
    bool seen[NODES_MAX] = {false};
    uint32_t stack[NODES_MAX], depth = 0;
    stack[depth++] = from;
    seen[from] = true;
    while (depth) {
        uint32_t n = stack[--depth];
        if (flow_set_has(flow_set(gen, n), bit)) return true;
        if (flow_set_has(flow_set(kill, n), bit)) continue;
        for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++) {
            if (seen[g->succs[k]]) continue;
            seen[g->succs[k]] = true;
            stack[depth++] = g->succs[k];
        }
    }
    return false;
}

// Whether some walk from the entry comes to `to` without the bit.
static bool may_lack(const struct flow_graph *g, const struct flow_sets *gen, const struct flow_sets *kill,
                     uint32_t to, uint32_t bit)
{
    bool seen[NODES_MAX][2] = {{false}};
    uint32_t stack[2 * NODES_MAX], depth = 0;
    stack[depth++] = 0;
    seen[0][0] = true; // states: node on entry, with the bit or without
    while (depth) {
        uint32_t state = stack[--depth], n = state / 2;
        bool has = state % 2;
        if (n == to && !has) return true;
        if (flow_set_has(flow_set(kill, n), bit)) has = false;
        if (flow_set_has(flow_set(gen, n), bit)) has = true;
        for (uint32_t k = g->succ_first[n]; k < g->succ_first[n + 1]; k++) {
            if (seen[g->succs[k]][has]) continue;
            seen[g->succs[k]][has] = true;
            stack[depth++] = g->succs[k] * 2 + has;
        }
    }
    return false;
}

static void test_dataflow(struct test *t)
{
    enum { BITS = 70 };
    struct rng r;
    rng_init(&r, test_seed(6));
    for (unsigned k = 0; k < 500 && !test_failed(t); k++) {
        struct sample s;
        random_graph(&s, &r);
        struct flow_sets gen, kill, in, out, available, ignored;
        flow_sets_init(&gen, &s.g, BITS);
        flow_sets_init(&kill, &s.g, BITS);
        for (uint32_t n = 0; n < 2 * s.g.count; n++) {
            flow_set_add(flow_set(&gen, rng_below(&r, s.g.count)), rng_below(&r, BITS));
            flow_set_add(flow_set(&kill, rng_below(&r, s.g.count)), rng_below(&r, BITS));
        }
        flow_solve(&s.g, FLOW_BACKWARD, FLOW_UNION, &gen, &kill, &in, &out);
        flow_solve(&s.g, FLOW_FORWARD, FLOW_INTERSECTION, &gen, &kill, &available, &ignored);
        bool reached[NODES_MAX + 1];
        reach(&s.g, 0, FLOW_NONE, reached);
        for (uint32_t n = 0; n < s.g.count; n++) {
            for (uint32_t bit = 0; bit < BITS && reached[n]; bit += 1 + rng_below(&r, 3)) {
                CHECK_EQ(t, flow_set_has(flow_set(&in, n), bit), live(&s.g, &gen, &kill, n, bit));
                CHECK_EQ(t, flow_set_has(flow_set(&available, n), bit), !may_lack(&s.g, &gen, &kill, n, bit));
            }
        }
        arena_fini(&s.arena);
    }
}

// A hundred thousand nodes in shapes that make naive methods recurse deeply or take quadratic time.
static void test_large(struct test *t)
{
    enum { N = 100000 };
    struct flow_edge *edges = malloc(3 * N * sizeof *edges);
    for (unsigned shape = 0; shape < 3; shape++) {
        struct arena arena;
        arena_init(&arena);
        uint32_t count = 0;
        for (uint32_t n = 0; n + 1 < N; n++) {
            edges[count++] = (struct flow_edge){n, n + 1};
            if (shape == 1 && n > N / 2) edges[count++] = (struct flow_edge){n, N - n}; // loops inside loops
            if (shape == 2 && n > 1) edges[count++] = (struct flow_edge){n, n - 2};     // a ladder backwards
        }
        struct flow_graph g;
        flow_graph_init(&g, &arena, N, edges, count);
        struct flow_tree tree, post;
        flow_dominators(&tree, &g);
        flow_postdominators(&post, &g);
        struct flow_loops loops;
        flow_loops_init(&loops, &g, &tree);
        CHECK_EQ(t, tree.depth[N - 1], N - 1);
        CHECK_EQ(t, post.parent[0], 1);
        CHECK_EQ(t, loops.count > 0, shape > 0);
        arena_fini(&arena);
    }
    free(edges);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"dominators", test_dominators}, {"postdominators", test_postdominators},
        {"order", test_order},           {"frontiers", test_frontiers},
        {"loops", test_loops},           {"dataflow", test_dataflow},
        {"large", test_large},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
