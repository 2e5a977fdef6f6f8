// A worklist in (reverse) post-order: each round visits the nodes with changed inputs. In a graph without
// loops the order makes one round sufficient.
#include "flow/dataflow.h"

#include <string.h>

void flow_sets_init(struct flow_sets *s, const struct flow_graph *g, uint32_t bit_count)
{
    s->words = (bit_count + 63) / 64;
    s->bits = ARENA_ARRAY(g->arena, uint64_t, (size_t)g->count * s->words);
}

struct solver {
    const struct flow_graph *g;
    bool backward, intersect;
    uint32_t words;
    const struct flow_sets *gen, *kill;
    // Sets before and after a node's transfer function, in the direction of the flow.
    struct flow_sets *before, *after;
    bool *pending;
};

static void meet_neighbours(const struct solver *s, uint32_t n)
{
    const struct flow_graph *g = s->g;
    const uint32_t *first = s->backward ? g->succ_first : g->pred_first,
                   *rows = s->backward ? g->succs : g->preds;
    uint64_t *set = flow_set(s->before, n);
    bool outside = first[n] == first[n + 1] || (!s->backward && n == 0);
    memset(set, s->intersect && !outside ? 0xff : 0, s->words * sizeof *set);
    for (uint32_t k = first[n]; k < first[n + 1] && !(outside && s->intersect); k++) {
        const uint64_t *other = flow_set(s->after, rows[k]);
        for (uint32_t w = 0; w < s->words; w++) set[w] = s->intersect ? set[w] & other[w] : set[w] | other[w];
    }
}

static bool transfer(const struct solver *s, uint32_t n)
{
    const uint64_t *gen = flow_set(s->gen, n), *kill = flow_set(s->kill, n), *before = flow_set(s->before, n);
    uint64_t *after = flow_set(s->after, n);
    bool changed = false;
    for (uint32_t w = 0; w < s->words; w++) {
        uint64_t v = (before[w] & ~kill[w]) | gen[w];
        changed |= v != after[w];
        after[w] = v;
    }
    return changed;
}

static bool wake_readers(const struct solver *s, uint32_t n)
{
    const struct flow_graph *g = s->g;
    const uint32_t *first = s->backward ? g->pred_first : g->succ_first,
                   *rows = s->backward ? g->preds : g->succs;
    for (uint32_t k = first[n]; k < first[n + 1]; k++) s->pending[rows[k]] = true;
    return first[n] != first[n + 1];
}

void flow_solve(const struct flow_graph *g, enum flow_direction direction, enum flow_meet meet,
                const struct flow_sets *gen, const struct flow_sets *kill, struct flow_sets *in,
                struct flow_sets *out)
{
    struct solver s = {
        .g = g, .backward = direction == FLOW_BACKWARD, .intersect = meet == FLOW_INTERSECTION};
    s.words = gen->words;
    s.gen = gen;
    s.kill = kill;
    flow_sets_init(in, g, 64 * s.words);
    flow_sets_init(out, g, 64 * s.words);
    s.before = s.backward ? out : in;
    s.after = s.backward ? in : out;
    if (s.intersect) {
        memset(in->bits, 0xff, (size_t)g->count * s.words * sizeof(uint64_t));
        memset(out->bits, 0xff, (size_t)g->count * s.words * sizeof(uint64_t));
    }
    struct flow_order order;
    flow_order_init(&order, g, 0);
    s.pending = ARENA_ARRAY(g->arena, bool, g->count);
    for (uint32_t k = 0; k < order.count; k++) s.pending[order.nodes[k]] = true;
    for (bool again = order.count > 0; again;) {
        again = false;
        for (uint32_t k = 0; k < order.count; k++) {
            uint32_t n = order.nodes[s.backward ? order.count - 1 - k : k];
            if (!s.pending[n]) continue;
            s.pending[n] = false;
            meet_neighbours(&s, n);
            if (transfer(&s, n)) again |= wake_readers(&s, n);
        }
    }
}
