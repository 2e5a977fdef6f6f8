// Waiting places:
//   barriers, except full-block barriers at a certain place: only the program knows the pairing
//   lane operations with a member mask, at an uncertain place
//   loops ended perhaps by another thread's write: spins, locks, turns
//   calls, if any called function has a waiting place
// A loop's end depends on memory if the guard of a leaving branch does: through registers, or through
// branches deciding between values at a join (phi). Values loaded before the loop do not change inside.
#include "tech/silicon_sync/waits.h"
#include "base/vec.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "mark/access.h"

struct waits {
    const struct mark_ssa *s;
    const bool *uncertain;
    bool *waits;  // by basic block
    bool *wanted; // by SSA definition: the end of the loop depends on the value
    VEC(uint32_t) pending;
};

static const struct inst *waits_last(const struct waits *w, uint32_t block)
{
    const struct flow_block *b = &w->s->flow.blocks[block];
    return &w->s->program->insts[b->first + b->count - 1];
}

static bool has_member_mask(const struct inst *i)
{
    if (i->op == OP_WARPSYNC) return true;
    if (!isa_has(i, ISA_CROSS_LANE)) return false;
    return i->op == OP_SHFL ? i->src[3].kind != OPERAND_NONE : i->src[1].kind != OPERAND_NONE;
}

static bool instruction_waits(const struct inst *i, bool uncertain)
{
    if (isa_has(i, ISA_BARRIER))
        return uncertain || !access_is_full_barrier(i) || i->guard != PRED_TRUE || i->guard_not ||
               i->src[0].kind != OPERAND_IMM;
    return uncertain && has_member_mask(i);
}

// -- loops perhaps ended by another thread ------------------------------------------------------------------

static void waits_want(struct waits *w, uint32_t definition)
{
    if (w->wanted[definition]) return;
    w->wanted[definition] = true;
    vec_push(&w->pending, definition);
}

// Adds to `wanted` the sources of the branch at the end of a basic block.
static void waits_want_branch(struct waits *w, uint32_t block)
{
    const struct flow_block *b = &w->s->flow.blocks[block];
    uint32_t n = b->first + b->count - 1;
    if (!isa_has(&w->s->program->insts[n], ISA_BRANCH)) return;
    for (uint32_t k = w->s->read_first[n]; k < w->s->read_first[n + 1]; k++) waits_want(w, w->s->reads[k]);
}

// Adds to `wanted` the sources of the branches deciding the way to block n: in the loop, dominated by n's
// immediate dominator (or the dominator itself), not dominated by n. For a loop header: of all branches in
// the loop.
static void waits_want_ways(struct waits *w, uint32_t loop, uint32_t n)
{
    const struct flow_tree *d = &w->s->dominators;
    bool header = n == w->s->loops.loops[loop].header;
    for (uint32_t b = 0; b < w->s->flow.count; b++)
        if (flow_loop_contains(&w->s->loops, loop, b) &&
            (header || (flow_dominates(d, d->parent[n], b) && !flow_dominates(d, n, b))))
            waits_want_branch(w, b);
}

static bool leaves_loop(const struct waits *w, uint32_t loop, uint32_t block)
{
    const struct flow_graph *g = &w->s->flow.graph;
    const struct inst *last = waits_last(w, block);
    if (isa_has(last, ISA_EXIT) || last->op == OP_RET) return true;
    for (uint32_t k = g->succ_first[block]; k < g->succ_first[block + 1]; k++)
        if (!flow_loop_contains(&w->s->loops, loop, g->succs[k])) return true;
    return false;
}

// Follows a definition in the loop one step backwards, adding its sources to `wanted`. True: another thread
// may write the value, loaded or returned by a call in the loop. False for a definition outside the loop.
static bool comes_from_others(struct waits *w, uint32_t loop, uint32_t definition)
{
    const struct mark_ssa *s = w->s;
    const struct mark_def *d = &s->defs[definition];
    if (d->kind == DEF_UNDEFINED || !flow_loop_contains(&s->loops, loop, d->block)) return false;
    if (d->kind == DEF_CALL) return true;
    if (d->kind == DEF_PHI) {
        for (uint32_t k = s->flow.graph.pred_first[d->block]; k < s->flow.graph.pred_first[d->block + 1]; k++)
            waits_want(w, d->sources[k - s->flow.graph.pred_first[d->block]]);
        waits_want_ways(w, loop, d->block);
        return false;
    }
    if (access_may_change(&s->program->insts[d->inst])) return true;
    for (uint32_t k = s->read_first[d->inst]; k < s->read_first[d->inst + 1]; k++) waits_want(w, s->reads[k]);
    return false;
}

static bool loop_waits(struct waits *w, uint32_t loop)
{
    bool others = false;
    for (uint32_t d = 0; d < w->s->def_count; d++) w->wanted[d] = false;
    w->pending.count = 0;
    for (uint32_t b = 0; b < w->s->flow.count; b++)
        if (flow_loop_contains(&w->s->loops, loop, b) && leaves_loop(w, loop, b)) waits_want_branch(w, b);
    while (w->pending.count && !others)
        others = comes_from_others(w, loop, w->pending.data[--w->pending.count]);
    return others;
}

// -- places -------------------------------------------------------------------------------------------------

static void find_waits(struct waits *w)
{
    const struct mark_ssa *s = w->s;
    for (uint32_t b = 0; b < s->flow.count; b++)
        for (uint32_t k = 0; k < s->flow.blocks[b].count; k++)
            w->waits[b] |=
                instruction_waits(&s->program->insts[s->flow.blocks[b].first + k], w->uncertain[b]);
    for (uint32_t l = 0; l < s->loops.count; l++)
        if (loop_waits(w, l))
            for (uint32_t b = 0; b < s->flow.count; b++) w->waits[b] |= flow_loop_contains(&s->loops, l, b);
}

// Every call is a waiting place if any called function has one. Recursive functions count as waiting:
// recursion is a loop.
static void find_waiting_calls(struct waits *w)
{
    const struct mark_ssa *s = w->s;
    bool functions_wait = s->program->stack_unbounded;
    for (uint32_t b = 0; b < s->flow.count; b++)
        functions_wait |= s->flow.blocks[b].function != 0 && w->waits[b];
    if (!functions_wait) return;
    for (uint32_t n = 0; n < s->program->inst_count; n++)
        w->waits[s->flow.block_of[n]] |= isa_has(&s->program->insts[n], ISA_CALL);
}

bool *silicon_waits_lead_to(const struct mark_ssa *s, const bool *uncertain, struct arena *a)
{
    const struct flow_graph *g = &s->flow.graph;
    struct waits w = {.s = s,
                      .uncertain = uncertain,
                      .waits = ARENA_ARRAY(a, bool, s->flow.count),
                      .wanted = ARENA_ARRAY(a, bool, s->def_count)};
    bool *behind = ARENA_ARRAY(a, bool, s->flow.count);
    find_waits(&w);
    find_waiting_calls(&w);
    w.pending.count = 0;
    for (uint32_t b = 0; b < s->flow.count; b++)
        if (w.waits[b] || s->loops.irreducible) vec_push(&w.pending, b);
    while (w.pending.count) {
        uint32_t b = w.pending.data[--w.pending.count];
        for (uint32_t k = g->succ_first[b]; k < g->succ_first[b + 1]; k++) {
            if (behind[g->succs[k]]) continue;
            behind[g->succs[k]] = true;
            vec_push(&w.pending, g->succs[k]);
        }
    }
    vec_fini(&w.pending);
    return behind;
}
