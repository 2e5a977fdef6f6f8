// Joins by label propagation, as in Karrenberg and Hack's divergence analysis: every block reached from a
// successor of the branch carries the label of that successor, or its own once two labels have met in it.
// Labels change at most twice, so a walk costs the edges of the region between the branch and its immediate
// post-dominator.
#include "mark/divergence.h"
#include "base/vec.h"

static bool is_full_barrier(const struct inst *i)
{
    return isa_has(i, ISA_BARRIER) && i->mode != MODE_BAR_ARRIVE && i->src[1].kind == OPERAND_NONE;
}

void divergence_init(struct divergence *d, const struct mark_ssa *s)
{
    uint32_t count = s->flow.count;
    *d = (struct divergence){.s = s};
    d->has_barrier = ARENA_ARRAY(s->arena, bool, count);
    d->reaches_barrier = ARENA_ARRAY(s->arena, bool, count);
    d->labels = ARENA_ARRAY(s->arena, uint32_t, count + 1);
    d->touched = ARENA_ARRAY(s->arena, uint32_t, count + 1);
    for (uint32_t n = 0; n <= count; n++) d->labels[n] = FLOW_NONE;
    VEC(uint32_t) work = {0};
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < s->flow.blocks[n].count; k++)
            // A called function may hold a barrier, so a call counts as one.
            if (is_full_barrier(&s->program->insts[s->flow.blocks[n].first + k]) ||
                isa_has(&s->program->insts[s->flow.blocks[n].first + k], ISA_CALL)) {
                if (!d->has_barrier[n]) vec_push(&work, n);
                d->has_barrier[n] = d->reaches_barrier[n] = true;
            }
    const struct flow_graph *g = &s->flow.graph;
    while (work.count) {
        uint32_t n = vec_pop(&work);
        for (uint32_t e = g->pred_first[n]; e < g->pred_first[n + 1]; e++)
            if (!d->reaches_barrier[g->preds[e]]) {
                d->reaches_barrier[g->preds[e]] = true;
                vec_push(&work, g->preds[e]);
            }
    }
    vec_fini(&work);
}

void divergence_joins(struct divergence *d, uint32_t n, divergence_visit *visit, void *context)
{
    const struct flow_graph *g = &d->s->flow.graph;
    uint32_t stop = d->s->postdominators.parent[n], touched = 0;
    VEC(uint32_t) work = {0};
    for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++) {
        uint32_t t = g->succs[e];
        if (d->labels[t] != FLOW_NONE) continue;
        d->labels[t] = t;
        d->touched[touched++] = t;
        vec_push(&work, t);
    }
    while (work.count) {
        uint32_t at = vec_pop(&work);
        if (at == stop) continue; // all ways meet there; what follows is common again
        for (uint32_t e = g->succ_first[at]; e < g->succ_first[at + 1]; e++) {
            uint32_t t = g->succs[e];
            if (d->labels[t] == FLOW_NONE) {
                d->labels[t] = d->labels[at];
                d->touched[touched++] = t;
                vec_push(&work, t);
            } else if (d->labels[t] != d->labels[at] && d->labels[t] != t) {
                d->labels[t] = t;
                vec_push(&work, t);
                visit(context, t);
            } else if (d->labels[t] != d->labels[at]) {
                visit(context, t); // a successor of the branch itself that another way leads to
            }
        }
    }
    vec_fini(&work);
    for (uint32_t k = 0; k < touched; k++) d->labels[d->touched[k]] = FLOW_NONE;
}

// Blocks on the way from `from` to `stop`, which is not entered: does any hold a barrier?
static bool way_has_barrier(struct divergence *d, uint32_t from, uint32_t stop)
{
    const struct flow_graph *g = &d->s->flow.graph;
    if (from == stop || !d->reaches_barrier[from]) return false;
    VEC(uint32_t) work = {0};
    uint32_t touched = 0;
    bool found = false;
    vec_push(&work, from);
    d->labels[from] = from;
    d->touched[touched++] = from;
    while (work.count && !found) {
        uint32_t at = vec_pop(&work);
        found = d->has_barrier[at];
        for (uint32_t e = g->succ_first[at]; e < g->succ_first[at + 1]; e++) {
            uint32_t t = g->succs[e];
            if (t == stop || d->labels[t] != FLOW_NONE) continue;
            d->labels[t] = t;
            d->touched[touched++] = t;
            vec_push(&work, t);
        }
    }
    vec_fini(&work);
    for (uint32_t k = 0; k < touched; k++) d->labels[d->touched[k]] = FLOW_NONE;
    return found;
}

bool divergence_unbalanced(struct divergence *d, uint32_t n)
{
    const struct flow_graph *g = &d->s->flow.graph;
    uint32_t stop = d->s->postdominators.parent[n];
    uint32_t with = 0, lasting = 0;
    for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++) {
        uint32_t t = g->succs[e];
        with += way_has_barrier(d, t, stop);
        // A way that only leads out of the kernel has no barrier left to meet anyone in.
        lasting += d->reaches_barrier[t] || (stop != FLOW_NONE && stop < d->s->flow.count);
    }
    return with > 0 && lasting > 1;
}
