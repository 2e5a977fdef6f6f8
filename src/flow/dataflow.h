// Data flow over bit sets: reaching definitions, liveness, available expressions and similar problems.
//
//     forwards:  in[n] = meet of out[p] over predecessors p      out[n] = (in[n] & ~kill[n]) | gen[n]
//     backwards: out[n] = meet of in[s] over successors s        in[n] = (out[n] & ~kill[n]) | gen[n]
//
// Nodes unreachable from the entry keep empty sets (under intersection: full sets). At the entry (forwards)
// and at nodes without successors (backwards) the outside counts as empty.
#pragma once
#include "flow/graph.h"

enum flow_direction { FLOW_FORWARD, FLOW_BACKWARD };
enum flow_meet { FLOW_UNION, FLOW_INTERSECTION };

struct flow_sets { // one set per node, `words` 64-bit words per set
    uint64_t *bits;
    uint32_t words;
};

// Allocates empty sets of `bit_count` bits for every node.
void flow_sets_init(struct flow_sets *s, const struct flow_graph *g, uint32_t bit_count);
static inline uint64_t *flow_set(const struct flow_sets *s, uint32_t node)
{
    return s->bits + (size_t)node * s->words;
}
static inline bool flow_set_has(const uint64_t *set, uint32_t bit) { return set[bit / 64] >> bit % 64 & 1; }
static inline void flow_set_add(uint64_t *set, uint32_t bit) { set[bit / 64] |= 1ull << bit % 64; }

// Computes the least (union) or greatest (intersection) solution. gen and kill have equal numbers of words;
// in and out are allocated from the graph's arena.
void flow_solve(const struct flow_graph *g, enum flow_direction direction, enum flow_meet meet,
                const struct flow_sets *gen, const struct flow_sets *kill, struct flow_sets *in,
                struct flow_sets *out);
