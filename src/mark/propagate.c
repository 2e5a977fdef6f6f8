// The rules, and their fixed point. Everything starts redundant with no pattern known; a definition is
// weakened by what it reads, by branches whose sides it merges, by loops it leaves, and the instructions that
// see it are looked at again. Values only ever get weaker, so this ends, whatever the order.
#include "mark/propagate.h"
#include "base/vec.h"
#include "mark/access.h"
#include "mark/claim.h"
#include "mark/divergence.h"

struct blamed { // a claim and the branch behind it
    struct claim claim;
    uint32_t branch;
};

struct worker {
    struct mark_ssa *s;
    const struct mark_rules *r;
    struct divergence divergence;
    VEC(uint32_t) insts, phis; // to be looked at
    bool *inst_waiting, *phi_waiting;
    uint32_t *user_first, *users; // of a definition: instructions, or inst_count + definition for phis
    struct claim *branch_done;    // of a block: the weakness of its branch already applied
    struct blamed *loop_exit;     // of a loop: what is seen outside of it is as weak as this
    bool *core_varies;            // of a cycle with several entries: lanes part in it
    struct blamed *epoch;         // of a block: so are loads in it
};

static bool is_on(const struct worker *w, enum mark_soundness rule) { return claim_rule_is_on(w->r, rule); }

static void look_again(struct worker *w, uint32_t def)
{
    for (uint32_t k = w->user_first[def]; k < w->user_first[def + 1]; k++) {
        uint32_t user = w->users[k];
        if (user < w->s->program->inst_count) {
            if (!w->inst_waiting[user]) vec_push(&w->insts, user);
            w->inst_waiting[user] = true;
        } else {
            user -= w->s->program->inst_count;
            if (!w->phi_waiting[user]) vec_push(&w->phis, user);
            w->phi_waiting[user] = true;
        }
    }
}

static void look_at_phi(struct worker *w, uint32_t phi)
{
    if (!w->phi_waiting[phi]) vec_push(&w->phis, phi);
    w->phi_waiting[phi] = true;
}

static void look_at_everything(struct worker *w)
{
    for (uint32_t k = 0; k < w->s->program->inst_count; k++) {
        if (!w->inst_waiting[k]) vec_push(&w->insts, k);
        w->inst_waiting[k] = true;
    }
    for (uint32_t k = 0; k < w->s->phi_first[w->s->flow.count]; k++) look_at_phi(w, w->s->phis[k]);
}

static void weaken(struct worker *w, uint32_t def, const struct claim *c, uint32_t from_def,
                   uint32_t from_inst)
{
    struct mark_def *d = &w->s->defs[def];
    bool weaker = (c->vector && !d->vector) || (!d->vector && (c->conditions & ~d->conditions));
    if (!weaker) return;
    d->cause = c->cause;
    d->from_def = from_def;
    d->from_inst = from_inst;
    d->vector |= c->vector;
    d->conditions |= c->conditions;
    look_again(w, def);
}

static bool same_pattern(const struct mark_pattern *a, const struct mark_pattern *b)
{
    return a->known == b->known && a->class == b->class && a->basis == b->basis &&
           a->base_known == b->base_known && a->base == b->base && a->stride_known == b->stride_known &&
           a->stride == b->stride;
}

static const struct mark_pattern scattered = {.known = true, .class = MARK_UNSTRUCTURED};

// What a definition is now known to look like, which may only be vaguer than before.
static void set_pattern(struct worker *w, uint32_t def, struct mark_pattern p)
{
    struct mark_def *d = &w->s->defs[def];
    if (d->varies) p = scattered;
    if (!p.known) return;
    if (!p.base_known) p.base = 0;
    if (!p.stride_known) p.stride = 0;
    if (d->pattern.known && p.class <= d->pattern.class) p = claim_pattern_merged(d->pattern, p);
    if (same_pattern(&p, &d->pattern)) return;
    d->pattern = p;
    look_again(w, def);
}

static struct claim claim_of_def(const struct mark_def *d, enum mark_cause cause)
{
    return (struct claim){.vector = d->vector, .conditions = d->conditions, .cause = (uint8_t)cause};
}

// The weakest exit branch of the loops that hold the definition but not block `use`.
static bool leaves_loop(const struct worker *w, const struct mark_def *d, uint32_t use, struct blamed *left)
{
    const struct mark_ssa *s = w->s;
    *left = (struct blamed){.claim = claim_redundant(), .branch = FLOW_NONE};
    if (!is_on(w, SOUND_LOOP)) return false;
    for (uint32_t l = s->loops.innermost[d->block]; l != FLOW_NONE; l = s->loops.loops[l].parent) {
        if (flow_loop_contains(&s->loops, l, use)) break;
        const struct blamed *exit = &w->loop_exit[l];
        if (exit->claim.vector > left->claim.vector || (exit->claim.conditions & ~left->claim.conditions))
            left->branch = exit->branch;
        left->claim.vector |= exit->claim.vector;
        left->claim.conditions |= exit->claim.conditions;
        left->claim.varies |= exit->claim.varies;
    }
    left->claim.cause = CAUSE_LOOP;
    return claim_is_weak(&left->claim);
}

// A definition's pattern as block `block` sees it: lanes that left a loop in different iterations hold
// different iterations' values.
static struct mark_pattern pattern_seen(const void *context, uint32_t def, uint32_t block)
{
    const struct worker *w = context;
    const struct mark_def *d = &w->s->defs[def];
    struct blamed left;
    leaves_loop(w, d, block, &left);
    uint32_t core = w->divergence.core[d->block];
    bool leaves_core = core != FLOW_NONE && w->divergence.core[block] != core && w->core_varies[core];
    return (left.claim.varies || leaves_core) && d->pattern.known ? scattered : d->pattern;
}

static void visit_phi(struct worker *w, uint32_t def)
{
    struct mark_def *phi = &w->s->defs[def];
    const struct flow_graph *g = &w->s->flow.graph;
    uint32_t n = phi->block;
    struct mark_pattern merged = {0};
    for (uint32_t e = g->pred_first[n]; e < g->pred_first[n + 1]; e++) {
        uint32_t source = phi->sources[e - g->pred_first[n]];
        const struct mark_def *d = &w->s->defs[source];
        struct claim c = claim_of_def(d, CAUSE_SOURCE);
        weaken(w, def, &c, source, FLOW_NONE);
        merged = claim_pattern_merged(merged, pattern_seen(w, source, n));
        struct blamed left;
        if (leaves_loop(w, d, n, &left)) weaken(w, def, &left.claim, FLOW_NONE, left.branch);
    }
    set_pattern(w, def, merged);
}

// -- branches ------------------------------------------------------------------------------------

static void weaken_phis(struct worker *w, uint32_t n, const struct claim *c, uint32_t branch)
{
    for (uint32_t k = w->s->phi_first[n]; k < w->s->phi_first[n + 1]; k++) {
        uint32_t phi = w->s->phis[k];
        weaken(w, phi, c, FLOW_NONE, branch);
        if (c->varies && !w->s->defs[phi].varies) {
            w->s->defs[phi].varies = true;
            set_pattern(w, phi, scattered);
        }
    }
}

struct applied { // a branch's weakness, on its way through the graph
    struct worker *w;
    struct claim claim;
    uint32_t branch;
    bool changed; // an epoch, which no definition's users are told of
};

static void weaken_join(void *context, uint32_t n)
{
    struct applied *a = context;
    struct claim c = a->claim;
    // Warps that parted never correspond again without a barrier; those whose lanes parted may.
    if (!a->w->divergence.reaches_reset[n] && !c.varies) {
        c.vector = false;
        c.conditions = 0;
    }
    weaken_phis(a->w, n, &c, a->branch);
}

static void weaken_epoch(void *context, uint32_t n)
{
    struct applied *a = context;
    struct blamed *e = &a->w->epoch[n];
    if (!a->w->divergence.reaches_reset[n] && !a->claim.varies) return;
    if (a->claim.vector > e->claim.vector || (a->claim.conditions & ~e->claim.conditions)) {
        e->branch = a->branch;
        a->changed = true;
    }
    e->claim.vector |= a->claim.vector;
    e->claim.conditions |= a->claim.conditions;
    e->claim.cause = CAUSE_EPOCH;
}

// The loops that block n's branch leaves, and the cycles with several entries around it.
static void weaken_exits(struct applied *a, uint32_t n)
{
    struct worker *w = a->w;
    const struct mark_ssa *s = w->s;
    const struct flow_graph *g = &s->flow.graph;
    for (uint32_t l = s->loops.innermost[n]; l != FLOW_NONE; l = s->loops.loops[l].parent) {
        bool exits = false, matters = false;
        for (uint32_t e = g->succ_first[n]; e < g->succ_first[n + 1]; e++) {
            if (flow_loop_contains(&s->loops, l, g->succs[e])) continue;
            exits = true;
            matters |= a->claim.varies || w->divergence.reaches_reset[g->succs[e]];
        }
        struct blamed *x = &w->loop_exit[l];
        if (exits) x->claim.varies |= a->claim.varies;
        if (!matters) continue;
        if (a->claim.vector > x->claim.vector || (a->claim.conditions & ~x->claim.conditions))
            x->branch = a->branch;
        x->claim.vector |= a->claim.vector;
        x->claim.conditions |= a->claim.conditions;
    }
    uint32_t core = w->divergence.core[n];
    if (core != FLOW_NONE) w->core_varies[core] |= a->claim.varies;
    a->claim.cause = CAUSE_LOOP;
    for (uint32_t m = 0; core != FLOW_NONE && is_on(w, SOUND_LOOP) && m < s->flow.count; m++)
        if (w->divergence.core[m] == core) weaken_join(a, m);
}

// Warps that part at block n, some of them to pass a barrier or at least something that orders memory, may be
// in different iterations, or have seen memory at different times, when they next correspond.
static void weaken_time(struct applied *a, uint32_t n, bool barriers)
{
    struct worker *w = a->w;
    const struct mark_ssa *s = w->s;
    struct divergence *d = &w->divergence;
    a->claim.cause = CAUSE_BARRIER;
    for (uint32_t l = 0; barriers && is_on(w, SOUND_BARRIER) && l < s->loops.count; l++)
        if (d->reaches_reset[s->loops.loops[l].header])
            weaken_phis(w, s->loops.loops[l].header, &a->claim, a->branch);
    for (uint32_t m = 0; barriers && is_on(w, SOUND_BARRIER) && m < s->flow.count; m++)
        if (d->core[m] != FLOW_NONE) weaken_join(a, m);
    if (!is_on(w, SOUND_EPOCH) || !claim_is_weak(&a->claim)) return;
    if (s->flow.blocks[n].function) // which may return into any of its callers
        for (uint32_t m = 0; m < s->flow.count; m++) weaken_epoch(a, m);
    else
        divergence_after(d, n, barriers, weaken_epoch, a);
}

static void weaken_after_branch(struct applied *a, uint32_t n)
{
    struct divergence *d = &a->w->divergence;
    bool inside = a->w->s->flow.blocks[n].function != 0;
    bool barriers = inside || divergence_unbalanced(d, n, d->has_barrier);
    if (barriers || divergence_unbalanced(d, n, d->has_sync)) weaken_time(a, n, barriers);
}

// A barrier or fence behind a guard is one that some warps pass and others do not.
static void visit_guarded_sync(struct worker *w, uint32_t inst)
{
    const struct mark_ssa *s = w->s;
    uint32_t n = s->flow.block_of[inst];
    struct access_list list;
    access_reads(s->program, &s->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        if (list.at[k].role != ROLE_GUARD) continue;
        uint32_t guard = s->reads[s->read_first[inst] + k];
        struct applied a = {w, claim_of_def(&s->defs[guard], CAUSE_BARRIER), inst, false};
        struct mark_pattern p = pattern_seen(w, guard, n);
        struct blamed left;
        if (leaves_loop(w, &s->defs[guard], n, &left)) {
            a.claim.vector |= left.claim.vector;
            a.claim.conditions |= left.claim.conditions;
        }
        a.claim.varies = p.known && p.class != MARK_UNIFORM;
        if (!claim_is_weak(&a.claim) && !a.claim.varies) return;
        weaken_time(&a, n, isa_has(&s->program->insts[inst], ISA_BARRIER));
        if (is_on(w, SOUND_EPOCH) && claim_is_weak(&a.claim)) weaken_epoch(&a, n);
        if (a.changed) look_at_everything(w);
    }
}

// The branch that ends block n depends on a value as weak as `c`.
static void visit_branch(struct worker *w, uint32_t inst, struct claim c)
{
    uint32_t n = w->s->flow.block_of[inst];
    struct claim *done = &w->branch_done[n];
    bool news =
        (c.vector && !done->vector) || (c.conditions & ~done->conditions) || (c.varies && !done->varies);
    if (!news) return;
    done->vector |= c.vector;
    done->conditions |= c.conditions;
    done->varies |= c.varies;
    w->s->parts[n] = done->vector;
    w->s->parts_unless[n] = done->conditions;
    w->s->parts_lanes[n] = done->varies;
    struct applied a = {w, c, inst, false};
    a.claim.cause = CAUSE_JOIN;
    if (is_on(w, SOUND_JOIN)) divergence_joins(&w->divergence, n, weaken_join, &a);
    weaken_exits(&a, n);
    weaken_after_branch(&a, n);
    look_at_everything(w); // what leaves a loop and what is loaded may be anywhere
}

// -- instructions --------------------------------------------------------------------------------

// Whether lanes or warps part at this instruction and go on at different places of the same function.
static bool is_parting(const struct mark_ssa *s, const struct inst *i, uint32_t n)
{
    if (!isa_has(i, ISA_BRANCH) || isa_has(i, ISA_CALL)) return false;
    if (i->op == OP_RET && (i->guard != PRED_TRUE || i->guard_not)) return true;
    return s->flow.graph.succ_first[n + 1] - s->flow.graph.succ_first[n] > 1;
}

static void weaken_results(struct worker *w, uint32_t inst, const struct claim *c, uint32_t from_def,
                           uint32_t from_inst)
{
    const struct mark_ssa *s = w->s;
    for (uint32_t d = s->write_first[inst]; d < s->write_first[inst + 1]; d++)
        weaken(w, s->writes[d], c, from_def, from_inst);
}

static void set_result_patterns(struct worker *w, uint32_t inst)
{
    const struct mark_ssa *s = w->s;
    uint32_t first = s->write_first[inst];
    struct mark_pattern p = claim_pattern(s, w->r, inst, pattern_seen, w);
    for (uint32_t d = first; d < s->write_first[inst + 1]; d++) {
        uint32_t at = s->defs[s->writes[d]].location;
        bool is_word = at < LOCATION_PREDICATE || at >= LOCATION_SPILL;
        // The low word of a pair is the sum; its high word, a carry or a comparison is something else.
        if (d > first || !is_word) {
            if (p.class != MARK_UNIFORM) p.class = MARK_UNSTRUCTURED;
            p.base_known = p.stride_known = false;
        }
        set_pattern(w, s->writes[d], p);
    }
}

static void visit_inst(struct worker *w, uint32_t inst)
{
    struct mark_ssa *s = w->s;
    const struct inst *i = &s->program->insts[inst];
    uint32_t n = s->flow.block_of[inst];
    struct claim own = claim_of_inst(s, w->r, i), branch = claim_redundant();
    struct access_list list;
    access_reads(s->program, i, &list);
    bool is_load = i->op == OP_LDL;
    bool modulo = claim_is_tid_modulo(s, w->r, inst);
    if (modulo) own = (struct claim){.conditions = MARK_IF_TID_X_MOD, .cause = CAUSE_THREAD_INDEX};
    for (unsigned k = 0; k < list.count && !modulo; k++) {
        uint32_t source = s->reads[s->read_first[inst] + k];
        enum mark_cause cause = list.at[k].role == ROLE_GUARD                                ? CAUSE_GUARD
                                : list.at[k].role == ROLE_OLD                                ? CAUSE_OLD
                                : is_load && list.at[k].location == access_local(s->program) ? CAUSE_LOCAL
                                                                                             : CAUSE_SOURCE;
        struct claim c = claim_of_def(&s->defs[source], cause);
        struct blamed left;
        bool leaves = leaves_loop(w, &s->defs[source], n, &left);
        branch.vector |= c.vector || left.claim.vector;
        branch.conditions |= c.conditions | left.claim.conditions;
        struct mark_pattern p = pattern_seen(w, source, n);
        branch.varies |= p.known && p.class != MARK_UNIFORM;
        if (list.at[k].location == access_local(s->program) && !is_on(w, SOUND_LOCAL)) continue;
        if (cause == CAUSE_GUARD && !is_on(w, SOUND_GUARD)) continue;
        if (cause == CAUSE_OLD && !is_on(w, SOUND_OLD)) continue;
        weaken_results(w, inst, &c, source, FLOW_NONE);
        if (leaves) weaken_results(w, inst, &left.claim, FLOW_NONE, left.branch);
    }
    if (is_parting(s, i, n)) visit_branch(w, inst, branch);
    if ((i->guard != PRED_TRUE || i->guard_not) && access_orders_memory(i)) visit_guarded_sync(w, inst);
    weaken_results(w, inst, &own, FLOW_NONE, FLOW_NONE);
    if (access_may_change(i) && claim_is_weak(&w->epoch[n].claim))
        weaken_results(w, inst, &w->epoch[n].claim, FLOW_NONE, w->epoch[n].branch);
    set_result_patterns(w, inst);
}

static void find_users(struct worker *w)
{
    struct mark_ssa *s = w->s;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t *count = ARENA_ARRAY(s->arena, uint32_t, s->def_count + 1);
    uint32_t reads = s->read_first[s->program->inst_count], phis = s->phi_first[s->flow.count];
    for (uint32_t k = 0; k < reads; k++) count[s->reads[k]]++;
    for (uint32_t k = 0; k < phis; k++) {
        const struct mark_def *d = &s->defs[s->phis[k]];
        for (uint32_t e = 0; e < g->pred_first[d->block + 1] - g->pred_first[d->block]; e++)
            count[d->sources[e]]++;
    }
    w->user_first = ARENA_ARRAY(s->arena, uint32_t, s->def_count + 1);
    for (uint32_t k = 0; k < s->def_count; k++) w->user_first[k + 1] = w->user_first[k] + count[k];
    w->users = ARENA_ARRAY(s->arena, uint32_t, w->user_first[s->def_count]);
    for (uint32_t k = 0; k <= s->def_count; k++) count[k] = 0;
    for (uint32_t i = 0; i < s->program->inst_count; i++)
        for (uint32_t k = s->read_first[i]; k < s->read_first[i + 1]; k++)
            w->users[w->user_first[s->reads[k]] + count[s->reads[k]]++] = i;
    for (uint32_t k = 0; k < phis; k++) {
        const struct mark_def *d = &s->defs[s->phis[k]];
        for (uint32_t e = 0; e < g->pred_first[d->block + 1] - g->pred_first[d->block]; e++)
            w->users[w->user_first[d->sources[e]] + count[d->sources[e]]++] =
                s->program->inst_count + s->phis[k];
    }
}

static void weaken_outside(struct worker *w)
{
    struct claim undefined = claim_vector(CAUSE_UNDEFINED), call = claim_vector(CAUSE_CALL);
    for (uint32_t k = 0; k < w->s->def_count; k++) {
        uint8_t kind = w->s->defs[k].kind;
        if (kind != DEF_UNDEFINED && kind != DEF_CALL) continue;
        if (kind == DEF_UNDEFINED && w->s->defs[k].location == access_local(w->s->program)) {
            set_pattern(w, k, (struct mark_pattern){.known = true}); // nought in every thread
            continue;
        }
        set_pattern(w, k, scattered);
        if (kind == DEF_UNDEFINED && is_on(w, SOUND_UNDEFINED))
            weaken(w, k, &undefined, FLOW_NONE, FLOW_NONE);
        if (kind == DEF_CALL && is_on(w, SOUND_CALL)) weaken(w, k, &call, FLOW_NONE, FLOW_NONE);
    }
}

void mark_propagate(struct mark_ssa *s, const struct mark_rules *r)
{
    struct worker w = {.s = s, .r = r};
    divergence_init(&w.divergence, s);
    w.inst_waiting = ARENA_ARRAY(s->arena, bool, s->program->inst_count);
    w.phi_waiting = ARENA_ARRAY(s->arena, bool, s->def_count);
    w.branch_done = ARENA_ARRAY(s->arena, struct claim, s->flow.count);
    s->parts = ARENA_ARRAY(s->arena, bool, s->flow.count);
    s->parts_unless = ARENA_ARRAY(s->arena, uint8_t, s->flow.count);
    s->parts_lanes = ARENA_ARRAY(s->arena, bool, s->flow.count);
    w.loop_exit = ARENA_ARRAY(s->arena, struct blamed, s->loops.count + 1);
    w.core_varies = ARENA_ARRAY(s->arena, bool, s->flow.count);
    w.epoch = ARENA_ARRAY(s->arena, struct blamed, s->flow.count);
    find_users(&w);
    weaken_outside(&w);
    look_at_everything(&w);
    while (w.insts.count || w.phis.count) {
        if (w.phis.count) {
            uint32_t def = vec_pop(&w.phis);
            w.phi_waiting[def] = false;
            visit_phi(&w, def);
            continue;
        }
        uint32_t inst = vec_pop(&w.insts);
        w.inst_waiting[inst] = false;
        visit_inst(&w, inst);
    }
    vec_fini(&w.insts);
    vec_fini(&w.phis);
}

static bool must_execute(const struct inst *i)
{
    return isa_has(i, ISA_STORE | ISA_FENCE | ISA_BRANCH | ISA_BARRIER | ISA_SIDE_EFFECT | ISA_ATOMIC);
}

// Only where mark_propagate has looked at the branch does it know where warps go.
static void set_way(const struct mark_ssa *s, uint32_t inst, struct mark *out)
{
    uint32_t n = s->flow.block_of[inst];
    out->way = MARK_VECTOR;
    if (!is_parting(s, &s->program->insts[inst], n) || s->parts[n]) return;
    out->way_conditions = s->parts_unless[n];
    out->way_varies = s->parts_lanes[n];
    out->way = out->way_conditions ? MARK_CONDITIONAL : MARK_REDUNDANT;
}

void mark_of_inst(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct mark *out)
{
    const struct inst *i = &s->program->insts[inst];
    uint32_t first = s->write_first[inst], last = s->write_first[inst + 1];
    *out = (struct mark){
        .kind = MARK_VECTOR, .from = FLOW_NONE, .guarded = i->guard != PRED_TRUE || i->guard_not};
    set_way(s, inst, out);
    out->has_result = first < last;
    bool spill_store = i->op == OP_STL && access_is_spill(s->program, i);
    if (!out->has_result || (must_execute(i) && !spill_store && !(r->paper && isa_has(i, ISA_ATOMIC)))) {
        out->pattern = scattered;
        out->cause = isa_has(i, ISA_ATOMIC)   ? CAUSE_ATOMIC
                     : isa_has(i, ISA_BRANCH) ? CAUSE_CONTROL
                                              : CAUSE_EFFECT;
        return;
    }
    bool is_vector = false, registers_only = true;
    for (uint32_t k = first; k < last; k++) {
        const struct mark_def *d = &s->defs[s->writes[k]];
        bool weaker = (d->vector && !is_vector) || (!is_vector && (d->conditions & ~out->conditions));
        if (weaker) {
            out->cause = d->cause;
            out->from = d->from_inst;
            if (d->from_def != FLOW_NONE) out->from = s->defs[d->from_def].inst;
        }
        is_vector |= d->vector;
        out->conditions |= d->conditions;
        if (k == first || d->pattern.class > out->pattern.class) out->pattern = d->pattern;
        registers_only &= d->location < LOCATION_PREDICATE;
    }
    out->shareable = registers_only && !out->guarded;
    out->kind = is_vector ? MARK_VECTOR : out->conditions ? MARK_CONDITIONAL : MARK_REDUNDANT;
    if (is_vector) out->conditions = 0;
}
