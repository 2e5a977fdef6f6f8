// Pruned SSA after Cytron et al. (1991): liveness, phis at iterated dominance frontiers, renaming down the
// dominator tree. Renaming keeps the state at each block's end instead of a stack.
#include "mark/ssa.h"
#include "base/vec.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "mark/access.h"

#include <string.h>

struct builder {
    struct mark_ssa *s;
    uint64_t *live_in; // by block: bit set of the locations live at the start, `words` words
    uint32_t words;
    VEC(struct mark_def) defs;
    uint32_t *at_end;  // by block, location: the definition at the block's end
    uint32_t call;     // first of the DEF_CALL definitions, one per location
    uint32_t **phi_of; // by block: location -> 1 + definition; NULL: no phi
};

static bool bit_get(const uint64_t *set, uint32_t k) { return set[k / 64] >> (k % 64) & 1; }
static void bit_set(uint64_t *set, uint32_t k) { set[k / 64] |= 1ull << (k % 64); }
static void bit_clear(uint64_t *set, uint32_t k) { set[k / 64] &= ~(1ull << (k % 64)); }

// Computes live_in of block n from the locations live at the block's end, backwards by instruction. True:
// live_in changed.
static bool block_liveness(struct builder *b, uint32_t n, uint64_t *live)
{
    const struct mark_ssa *s = b->s;
    const struct flow_graph *g = &s->flow.graph;
    memset(live, 0, b->words * sizeof *live);
    for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++)
        for (uint32_t w = 0; w < b->words; w++) live[w] |= b->live_in[g->succs[e] * b->words + w];
    for (uint32_t k = s->flow.blocks[n].count; k-- > 0;) {
        const struct inst *i = &s->program->insts[s->flow.blocks[n].first + k];
        struct access_list list;
        access_writes(s->program, i, &list);
        for (unsigned a = 0; a < list.count; a++) bit_clear(live, list.at[a].location);
        // a guarded write also reads the destination's old value, which stays live
        access_reads(s->program, i, &list);
        for (unsigned a = 0; a < list.count; a++) bit_set(live, list.at[a].location);
    }
    uint64_t *in = &b->live_in[n * b->words];
    bool changed = memcmp(in, live, b->words * sizeof *live) != 0;
    memcpy(in, live, b->words * sizeof *live);
    return changed;
}

static void find_liveness(struct builder *b)
{
    struct mark_ssa *s = b->s;
    uint32_t count = s->flow.count;
    b->words = (s->location_count + 63) / 64;
    b->live_in = ARENA_ARRAY(s->arena, uint64_t, (size_t)count * b->words);
    uint64_t *live = ARENA_ARRAY(s->arena, uint64_t, b->words);
    struct flow_order order;
    flow_order_init(&order, &s->flow.graph, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = order.count; k-- > 0;) changed |= block_liveness(b, order.nodes[k], live);
    }
}

static uint32_t new_def(struct builder *b, enum mark_def_kind kind, uint32_t location, uint32_t block)
{
    struct mark_def d = {.kind = (uint8_t)kind, .location = location, .block = block};
    d.from_def = d.from_inst = d.inst = FLOW_NONE;
    vec_push(&b->defs, d);
    return (uint32_t)b->defs.count - 1;
}

struct block_list {
    uint32_t *data;
    size_t count, capacity;
};

// True: a callee may write the location: registers, predicates and local memory, but no spill slot of the
// caller.
static bool is_callees(const struct mark_ssa *s, uint32_t at)
{
    return at < LOCATION_SPILL || at == access_local(s->program);
}

static void add_writer(struct block_list *l, uint32_t n)
{
    if (!l->count || vec_last(l) != n) vec_push(l, n);
}

static void place_phis(struct builder *b)
{
    struct mark_ssa *s = b->s;
    uint32_t count = s->flow.count;
    struct flow_frontiers frontiers;
    flow_frontiers_init(&frontiers, &s->flow.graph, &s->dominators);
    // By location: list of the blocks that may write the location.
    struct block_list *writers = heap_alloc(s->location_count * sizeof *writers);
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < s->flow.blocks[n].count; k++) {
            const struct inst *i = &s->program->insts[s->flow.blocks[n].first + k];
            struct access_list list;
            access_writes(s->program, i, &list);
            for (unsigned a = 0; a < list.count; a++) add_writer(&writers[list.at[a].location], n);
            // Locations the callee may write.
            for (uint32_t at = 0; isa_has(i, ISA_CALL) && at < s->location_count; at++)
                if (is_callees(s, at)) add_writer(&writers[at], n);
        }
    for (uint32_t at = 0; at < s->location_count; at++) {
        for (size_t w = 0; w < writers[at].count; w++) { // grows while phis become writers
            uint32_t n = writers[at].data[w];
            for (uint32_t e = frontiers.first[n]; e < frontiers.first[n + 1]; e++) {
                uint32_t join = frontiers.nodes[e];
                if (!bit_get(&b->live_in[join * b->words], at)) continue;
                if (!b->phi_of[join]) b->phi_of[join] = ARENA_ARRAY(s->arena, uint32_t, s->location_count);
                if (b->phi_of[join][at]) continue;
                uint32_t d = new_def(b, DEF_PHI, at, join);
                b->defs.data[d].sources = ARENA_ARRAY(
                    s->arena, uint32_t, s->flow.graph.pred_first[join + 1] - s->flow.graph.pred_first[join]);
                b->phi_of[join][at] = d + 1;
                vec_push(&writers[at], join);
            }
        }
        vec_fini(&writers[at]);
    }
    free(writers);
}

static void rename_block(struct builder *b, uint32_t n)
{
    struct mark_ssa *s = b->s;
    uint32_t *state = &b->at_end[(size_t)n * s->location_count];
    uint32_t parent = s->dominators.parent[n];
    if (parent == FLOW_NONE) {
        // undefined definitions come first
        for (uint32_t at = 0; at < s->location_count; at++) state[at] = at;
    } else {
        memcpy(state, &b->at_end[(size_t)parent * s->location_count], s->location_count * sizeof *state);
    }
    for (uint32_t at = 0; b->phi_of[n] && at < s->location_count; at++)
        if (b->phi_of[n][at]) state[at] = b->phi_of[n][at] - 1;
    // The values at function entry are unknown.
    if (s->flow.blocks[n].begins_function)
        for (uint32_t at = 0; at < s->location_count; at++) state[at] = b->call + at;
    for (uint32_t k = 0; k < s->flow.blocks[n].count; k++) {
        uint32_t index = s->flow.blocks[n].first + k;
        const struct inst *i = &s->program->insts[index];
        struct access_list list;
        access_reads(s->program, i, &list);
        for (unsigned a = 0; a < list.count; a++)
            s->reads[s->read_first[index] + a] = state[list.at[a].location];
        if (isa_has(i, ISA_CALL)) // the callee may write anything
            for (uint32_t at = 0; at < s->location_count; at++)
                if (is_callees(s, at)) state[at] = b->call + at;
        access_writes(s->program, i, &list);
        for (unsigned a = 0; a < list.count; a++) {
            uint32_t d = new_def(b, DEF_INST, list.at[a].location, n);
            b->defs.data[d].inst = index;
            s->writes[s->write_first[index] + a] = state[list.at[a].location] = d;
        }
    }
}

static void fill_phis(struct builder *b)
{
    struct mark_ssa *s = b->s;
    const struct flow_graph *g = &s->flow.graph;
    VEC(uint32_t) list = {0};
    s->phi_first = ARENA_ARRAY(s->arena, uint32_t, s->flow.count + 1);
    for (uint32_t n = 0; n < s->flow.count; n++) {
        s->phi_first[n] = (uint32_t)list.count;
        for (uint32_t at = 0; b->phi_of[n] && at < s->location_count; at++) {
            if (!b->phi_of[n][at]) continue;
            uint32_t d = b->phi_of[n][at] - 1;
            vec_push(&list, d);
            for (uint32_t e = g->pred_first[n]; e < g->pred_first[n + 1]; e++)
                b->defs.data[d].sources[e - g->pred_first[n]] =
                    b->at_end[(size_t)g->preds[e] * s->location_count + at];
        }
    }
    s->phi_first[s->flow.count] = (uint32_t)list.count;
    s->phis = ARENA_ARRAY(s->arena, uint32_t, list.count);
    if (list.count) memcpy(s->phis, list.data, list.count * sizeof *s->phis);
    vec_fini(&list);
}

static void count_accesses(struct mark_ssa *s)
{
    uint32_t n = s->program->inst_count, reads = 0, writes = 0;
    s->read_first = ARENA_ARRAY(s->arena, uint32_t, n + 1);
    s->write_first = ARENA_ARRAY(s->arena, uint32_t, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        struct access_list list;
        s->read_first[k] = reads;
        s->write_first[k] = writes;
        access_reads(s->program, &s->program->insts[k], &list);
        reads += list.count;
        access_writes(s->program, &s->program->insts[k], &list);
        writes += list.count;
    }
    s->read_first[n] = reads;
    s->write_first[n] = writes;
    s->reads = ARENA_ARRAY(s->arena, uint32_t, reads);
    s->writes = ARENA_ARRAY(s->arena, uint32_t, writes);
}

void mark_ssa_init(struct mark_ssa *s, const struct program *p, struct arena *a)
{
    *s = (struct mark_ssa){.program = p, .arena = a, .location_count = access_location_count(p)};
    flow_blocks_init(&s->flow, p, a);
    flow_dominators(&s->dominators, &s->flow.graph);
    flow_postdominators(&s->postdominators, &s->flow.graph);
    flow_loops_init(&s->loops, &s->flow.graph, &s->dominators);
    count_accesses(s);
    for (uint32_t k = 0; k < p->inst_count; k++)
        s->blocks_talk |= isa_has(&p->insts[k], ISA_ATOMIC | ISA_FENCE) ||
                          (isa_has(&p->insts[k], ISA_LOAD | ISA_STORE) && p->insts[k].sem != SEM_WEAK);
    struct builder b = {.s = s};
    find_liveness(&b);
    for (uint32_t at = 0; at < s->location_count; at++) new_def(&b, DEF_UNDEFINED, at, 0);
    b.call = s->location_count;
    for (uint32_t at = 0; at < s->location_count; at++) new_def(&b, DEF_CALL, at, 0);
    b.phi_of = ARENA_ARRAY(a, uint32_t *, s->flow.count);
    b.at_end = heap_alloc((size_t)s->flow.count * s->location_count * sizeof *b.at_end);
    place_phis(&b);
    for (uint32_t k = 0; k < s->dominators.reached; k++)
        if (s->dominators.preorder[k] < s->flow.count) rename_block(&b, s->dominators.preorder[k]);
    fill_phis(&b);
    s->def_count = (uint32_t)b.defs.count;
    s->defs = ARENA_ARRAY(a, struct mark_def, s->def_count);
    memcpy(s->defs, b.defs.data, s->def_count * sizeof *s->defs);
    free(b.at_end);
    vec_fini(&b.defs);
}
