// The rules, and their fixed point. Everything starts redundant, with unknown pattern. A definition is
// weakened by its sources, by branches with sides merging at the definition, and by loops left on the way.
// Readers of a weakened definition are visited again. Values only get weaker, so the iteration ends in any
// order.
//
// Dependences between values settle first; branches and patterns follow, so that the plainer of two reasons
// is reported. The work list is swept in program order, which makes most sources known before their users.
// Branches know their affected readers: the work grows with the program, not with its square.
#include "base/bits.h"
#include "isa/profile.h"
#include "mark/access.h"
#include "mark/claim.h"
#include "mark/divergence.h"
#include "mark/readers.h"
#include "mark/ssa.h"

struct blamed { // a claim and the responsible branch
    struct claim claim;
    uint32_t branch;
};

struct worker {
    struct mark_ssa *s;
    const struct mark_rules *r;
    struct divergence divergence;
    struct readers readers;
    uint64_t *waiting; // work list: bits by place
    uint32_t waiting_count;
    // second phase: value dependences have reached their fixed point; branches and patterns follow
    bool settled;
    // by block: claim on the branch at the block's end, as far as already propagated
    struct claim *branch_done;
    // by loop: claim on values defined inside, for readers outside the loop, and the exit branch to blame
    struct blamed *loop_exit;
    bool *core_varies; // by irreducible cycle: lanes of a warp may diverge inside
    // by block: claim on loads, since warps may have passed different barriers, and the branch to blame
    struct blamed *epoch;
    // Claims already propagated. Index 1 (after_done: second index 1): claims of branches where lanes of one
    // warp diverge. time_done: to all loops of the program. epoch_done: to loads of every block. after_done:
    // by block, to loads of the block and of blocks reachable from the block; last index 1: also when
    // barriers lie between.
    struct claim time_done[2], epoch_done[2], (*after_done)[2][2];
};

static bool is_on(const struct worker *w, enum mark_soundness rule) { return claim_rule_is_on(w->r, rule); }

static void look_at(struct worker *w, uint32_t user)
{
    uint32_t insts = w->s->program->inst_count;
    uint32_t place = user < insts ? w->readers.place_of_inst[user] : w->readers.place_of_phi[user - insts];
    uint64_t bit = 1ull << place % 64, *word = &w->waiting[place / 64];
    w->waiting_count += !(*word & bit);
    *word |= bit;
}

static void look_again(struct worker *w, uint32_t def)
{
    for (uint32_t k = w->readers.user_first[def]; k < w->readers.user_first[def + 1]; k++)
        look_at(w, w->readers.users[k]);
}

// Merges claim *c into *done; true when *c adds a weakness.
static bool is_news(struct claim *done, const struct claim *c)
{
    bool news = (c->vector && !done->vector) || (c->conditions & ~done->conditions);
    done->vector |= c->vector;
    done->conditions |= c->conditions;
    return news;
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

// Sets a definition's pattern over lanes; a known pattern only becomes less specific.
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

// *left: the union of the claims, with an exit branch, on loops that contain definition d but not the reading
// block `use`. True: the claim is weak.
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

// A definition's pattern for a reader in basic block `block`. Lanes that left a loop in different iterations
// hold values of different iterations.
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
        if (!w->settled) continue;
        merged = claim_pattern_merged(merged, pattern_seen(w, source, n));
        struct blamed left;
        if (leaves_loop(w, d, n, &left)) weaken(w, def, &left.claim, FLOW_NONE, left.branch);
    }
    set_pattern(w, def, merged);
}

// -- branches -----------------------------------------------------------------------------------------------

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

struct applied { // the claim on a branch while propagated through the flow graph
    struct worker *w;
    struct claim claim;
    uint32_t branch;
    bool past_resets; // continues past barriers of the whole block
};

static void weaken_join(void *context, uint32_t n)
{
    struct applied *a = context;
    struct claim c = a->claim;
    // Diverged warps execute corresponding instructions again only after a barrier of the thread block. With
    // no barrier reachable, the claim loses its weakness, unless lanes diverge: warps with diverged lanes may
    // execute corresponding instructions earlier.
    if (!a->w->divergence.reaches_reset[n] && !c.varies) {
        c.vector = false;
        c.conditions = 0;
    }
    weaken_phis(a->w, n, &c, a->branch);
}

static void weaken_epoch(const struct applied *a, uint32_t n)
{
    struct worker *w = a->w;
    const struct flow_block *b = &w->s->flow.blocks[n];
    struct blamed *e = &w->epoch[n];
    if (!w->divergence.reaches_reset[n] && !a->claim.varies) return;
    e->claim.cause = CAUSE_EPOCH;
    if (!is_news(&e->claim, &a->claim)) return;
    e->branch = a->branch;
    for (uint32_t k = b->first; k < b->first + b->count; k++)
        if (access_may_change(&w->s->program->insts[k])) look_at(w, k);
}

// Weakens the loads of block n, reachable from the branch. True: visit the block's successors. A claim that
// adds no weakness was propagated from block n before.
static bool weaken_epoch_behind(void *context, uint32_t n)
{
    struct applied *a = context;
    if (!is_news(&a->w->after_done[n][a->claim.varies][a->past_resets], &a->claim)) return false;
    weaken_epoch(a, n);
    return a->past_resets || !a->w->divergence.meets[n];
}

static void weaken_core(struct applied *a, uint32_t core)
{
    struct worker *w = a->w;
    bool news = a->claim.varies && !w->core_varies[core];
    w->core_varies[core] |= a->claim.varies;
    for (uint32_t k = w->readers.core_leaver_first[core]; news && k < w->readers.core_leaver_first[core + 1];
         k++)
        look_at(w, w->readers.core_leavers[k]);
    for (uint32_t k = w->readers.core_first[core];
         is_on(w, SOUND_LOOP) && k < w->readers.core_first[core + 1]; k++)
        weaken_join(a, w->readers.core_blocks[k]);
}

// For each loop that block n's branch may leave, weakens readers outside the loop of values defined inside.
// For an irreducible cycle around block n: outside readers and all phis inside.
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
        bool news = exits && a->claim.varies && !x->claim.varies;
        if (exits) x->claim.varies |= a->claim.varies;
        if (matters && is_news(&x->claim, &a->claim)) {
            x->branch = a->branch;
            news = true;
        }
        for (uint32_t k = w->readers.leaver_first[l]; news && k < w->readers.leaver_first[l + 1]; k++)
            look_at(w, w->readers.leavers[k]);
    }
    a->claim.cause = CAUSE_LOOP;
    if (w->divergence.core[n] != FLOW_NONE) weaken_core(a, w->divergence.core[n]);
}

// Warps diverge at block n and may pass a barrier, or another operation ordering memory, on one side only.
// When the warps next execute corresponding instructions, loop iterations may differ, and so may the memory
// contents read.
static void weaken_time(struct applied *a, uint32_t n, bool barriers)
{
    struct worker *w = a->w;
    const struct mark_ssa *s = w->s;
    struct divergence *d = &w->divergence;
    a->claim.cause = CAUSE_BARRIER;
    // Diverging lanes make patterns of phis unstructured even when the claim adds no weakness.
    if (barriers && is_on(w, SOUND_BARRIER) &&
        (is_news(&w->time_done[a->claim.varies], &a->claim) ||
         (a->claim.varies && !w->time_done[1].varies))) {
        w->time_done[1].varies |= a->claim.varies;
        for (uint32_t l = 0; l < s->loops.count; l++)
            if (d->reaches_reset[s->loops.loops[l].header])
                weaken_phis(w, s->loops.loops[l].header, &a->claim, a->branch);
        for (uint32_t m = 0; m < s->flow.count; m++)
            if (d->core[m] != FLOW_NONE) weaken_join(a, m);
    }
    if (!is_on(w, SOUND_EPOCH) || !claim_is_weak(&a->claim)) return;
    if (!s->flow.blocks[n].function) {
        a->past_resets = barriers;
        divergence_after(d, n, weaken_epoch_behind, a);
    } else if (is_news(&w->epoch_done[a->claim.varies], &a->claim)) { // may return into any caller
        for (uint32_t m = 0; m < s->flow.count; m++) weaken_epoch(a, m);
    }
}

static void weaken_after_branch(struct applied *a, uint32_t n)
{
    struct divergence *d = &a->w->divergence;
    bool inside = a->w->s->flow.blocks[n].function != 0;
    bool barriers = inside || divergence_unbalanced(d, n, true);
    if (barriers || divergence_unbalanced(d, n, false)) weaken_time(a, n, barriers);
}

// Propagates the claim on the guard of a barrier or fence: some warps may pass the barrier or fence, others
// not.
static void visit_guarded_sync(struct worker *w, uint32_t inst)
{
    const struct mark_ssa *s = w->s;
    uint32_t n = s->flow.block_of[inst];
    struct access_list list;
    access_reads(s->program, &s->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++) {
        if (list.at[k].role != ROLE_GUARD) continue;
        uint32_t guard = s->reads[s->read_first[inst] + k];
        struct applied a = {.w = w, .claim = claim_of_def(&s->defs[guard], CAUSE_BARRIER), .branch = inst};
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
    }
}

// Propagates claim c, on the condition of branch `inst`, to joins, loop exits and code after barriers.
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
    struct applied a = {.w = w, .claim = c, .branch = inst};
    a.claim.cause = CAUSE_JOIN;
    if (is_on(w, SOUND_JOIN)) divergence_joins(&w->divergence, n, weaken_join, &a);
    weaken_exits(&a, n);
    weaken_after_branch(&a, n);
}

// -- instructions -------------------------------------------------------------------------------------------

// True: lanes or warps may diverge at the instruction, a branch or guarded return, and continue at different
// places of the same function.
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
        // The pattern holds for the first result register. The high word of a pair, a carry or a comparison's
        // result follows no affine pattern.
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
    bool is_index = claim_is_index(s, w->r, inst, &own);
    for (unsigned k = 0; k < list.count && !is_index; k++) {
        uint32_t source = s->reads[s->read_first[inst] + k];
        enum mark_cause cause = list.at[k].role == ROLE_GUARD                                ? CAUSE_GUARD
                                : list.at[k].role == ROLE_OLD                                ? CAUSE_OLD
                                : is_load && list.at[k].location == access_local(s->program) ? CAUSE_LOCAL
                                                                                             : CAUSE_SOURCE;
        struct claim c = claim_of_def(&s->defs[source], cause);
        struct blamed left;
        bool leaves = w->settled && leaves_loop(w, &s->defs[source], n, &left);
        if (w->settled) {
            struct mark_pattern p = pattern_seen(w, source, n);
            branch.vector |= c.vector || left.claim.vector;
            branch.conditions |= c.conditions | left.claim.conditions;
            branch.varies |= p.known && p.class != MARK_UNIFORM;
        }
        if (list.at[k].location == access_local(s->program) && !is_on(w, SOUND_LOCAL)) continue;
        if (cause == CAUSE_GUARD && !is_on(w, SOUND_GUARD)) continue;
        if (cause == CAUSE_OLD && !is_on(w, SOUND_OLD)) continue;
        weaken_results(w, inst, &c, source, FLOW_NONE);
        if (leaves) weaken_results(w, inst, &left.claim, FLOW_NONE, left.branch);
    }
    if (w->settled && is_parting(s, i, n)) visit_branch(w, inst, branch);
    if (w->settled && (i->guard != PRED_TRUE || i->guard_not) && access_orders_memory(i))
        visit_guarded_sync(w, inst);
    weaken_results(w, inst, &own, FLOW_NONE, FLOW_NONE);
    if (access_may_change(i) && claim_is_weak(&w->epoch[n].claim))
        weaken_results(w, inst, &w->epoch[n].claim, FLOW_NONE, w->epoch[n].branch);
    if (w->settled) set_result_patterns(w, inst);
}

static void weaken_outside(struct worker *w)
{
    struct claim undefined = claim_vector(CAUSE_UNDEFINED), call = claim_vector(CAUSE_CALL);
    for (uint32_t k = 0; k < w->s->def_count; k++) {
        uint8_t kind = w->s->defs[k].kind;
        if (kind != DEF_UNDEFINED && kind != DEF_CALL) continue;
        bool is_riscv = w->s->program->profile == PROFILE_RISCV; // RISC-V registers are 0 at kernel start
        if (kind == DEF_UNDEFINED && (is_riscv || w->s->defs[k].location == access_local(w->s->program))) {
            // equal in every thread; in RISC-V 0
            set_pattern(w, k, (struct mark_pattern){.known = true, .base_known = is_riscv});
            continue;
        }
        set_pattern(w, k, scattered);
        if (kind == DEF_UNDEFINED && is_on(w, SOUND_UNDEFINED))
            weaken(w, k, &undefined, FLOW_NONE, FLOW_NONE);
        if (kind == DEF_CALL && is_on(w, SOUND_CALL)) weaken(w, k, &call, FLOW_NONE, FLOW_NONE);
    }
}

// Visits every instruction and phi on the work list in program order. Readers added in words of the list
// already passed wait for the next sweep.
static void sweep(struct worker *w)
{
    uint32_t insts = w->s->program->inst_count;
    for (uint32_t word = 0; word <= w->readers.place_count / 64; word++)
        while (w->waiting[word]) {
            uint32_t user = w->readers.at_place[word * 64 + bit_lowest(w->waiting[word])];
            w->waiting[word] &= w->waiting[word] - 1;
            w->waiting_count--;
            if (user < insts)
                visit_inst(w, user);
            else
                visit_phi(w, user - insts);
        }
}

static void sweep_all(struct worker *w)
{
    for (uint32_t k = 0; k < w->readers.place_count; k++) look_at(w, w->readers.at_place[k]);
    while (w->waiting_count) sweep(w);
}

void mark_propagate(struct mark_ssa *s, const struct mark_rules *r)
{
    struct worker w = {.s = s, .r = r};
    divergence_init(&w.divergence, s);
    w.branch_done = ARENA_ARRAY(s->arena, struct claim, s->flow.count);
    s->parts = ARENA_ARRAY(s->arena, bool, s->flow.count);
    s->parts_unless = ARENA_ARRAY(s->arena, uint8_t, s->flow.count);
    s->parts_lanes = ARENA_ARRAY(s->arena, bool, s->flow.count);
    w.loop_exit = ARENA_ARRAY(s->arena, struct blamed, s->loops.count + 1);
    w.core_varies = ARENA_ARRAY(s->arena, bool, s->flow.count);
    w.epoch = ARENA_ARRAY(s->arena, struct blamed, s->flow.count);
    w.after_done = arena_alloc(s->arena, s->flow.count * sizeof *w.after_done);
    readers_init(&w.readers, s, &w.divergence);
    w.waiting = ARENA_ARRAY(s->arena, uint64_t, w.readers.place_count / 64 + 1);
    weaken_outside(&w);
    sweep_all(&w);
    w.settled = true;
    sweep_all(&w);
}

static bool must_execute(const struct inst *i)
{
    return isa_has(i, ISA_STORE | ISA_FENCE | ISA_BRANCH | ISA_BARRIER | ISA_SIDE_EFFECT | ISA_ATOMIC);
}

// Sets the mark of a branch direction (out->way) from the results of mark_propagate.
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
    *out = (struct mark){.kind = MARK_VECTOR,
                         .from = FLOW_NONE,
                         .guarded = i->guard != PRED_TRUE || i->guard_not,
                         .reached = s->flow.blocks[s->flow.block_of[inst]].function != FLOW_NONE};
    set_way(s, inst, out);
    out->has_result = first < last;
    struct claim index;
    out->is_index = claim_is_index(s, r, inst, &index);
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
