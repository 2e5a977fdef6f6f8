// The rules, and their fixed point. Everything starts redundant and uniform; a definition is weakened by what
// it reads, by branches whose sides it merges, by loops it leaves, and the instructions that see it are
// looked at again. Values only ever get weaker, so this ends, whatever the order.
#include "mark/propagate.h"
#include "base/vec.h"
#include "mark/access.h"
#include "mark/divergence.h"

enum { NO_BASIS = 0xff };

// What an instruction's result would be if its sources were all redundant.
struct claim {
    bool vector;
    uint8_t conditions, class, basis, cause;
    bool stride_known;
    int32_t stride;
};

struct worker {
    struct mark_ssa *s;
    const struct mark_rules *r;
    struct divergence divergence;
    VEC(uint32_t) insts, phis; // to be looked at
    bool *inst_waiting, *phi_waiting;
    uint32_t *user_first, *users; // of a definition: instructions, or inst_count + definition for phis
    struct claim *branch_done;    // per block: the weakness of its branch already applied
};

static bool is_on(const struct worker *w, enum mark_soundness rule)
{
    return !w->r->paper && !(w->r->broken >> rule & 1);
}

static struct claim uniform(void) { return (struct claim){.class = MARK_UNIFORM, .basis = NO_BASIS}; }

static struct claim vector(enum mark_cause cause)
{
    return (struct claim){
        .vector = true, .class = MARK_UNSTRUCTURED, .basis = NO_BASIS, .cause = (uint8_t)cause};
}

static struct claim thread_index(uint8_t condition, bool allowed, enum mark_class class, uint8_t basis)
{
    if (!allowed) return vector(CAUSE_THREAD_INDEX);
    return (struct claim){.conditions = condition,
                          .class = (uint8_t) class,
                          .basis = basis,
                          .cause = condition ? CAUSE_THREAD_INDEX : CAUSE_NONE,
                          .stride_known = true,
                          .stride = 1};
}

static struct claim special_register(const struct worker *w, enum isa_sreg sreg)
{
    switch (sreg) {
    case SREG_TID_X: return thread_index(MARK_IF_TID_X, true, MARK_AFFINE, SREG_TID_X);
    case SREG_TID_Y:
        return thread_index(MARK_IF_TID_Y, w->r->tid_y && !w->r->paper, MARK_UNSTRUCTURED, NO_BASIS);
    case SREG_TID_Z:
        return thread_index(MARK_IF_TID_Z, w->r->tid_y && !w->r->paper, MARK_UNSTRUCTURED, NO_BASIS);
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
    case SREG_NWARPID:
    case SREG_NSMID:
    case SREG_GRIDID:
    case SREG_DYNAMIC_SHARED:
    case SREG_TOTAL_SHARED:
    case SREG_SMID: return uniform();
    case SREG_LANEID: return thread_index(0, w->r->laneid && !w->r->paper, MARK_AFFINE, SREG_LANEID);
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT: return thread_index(0, w->r->laneid && !w->r->paper, MARK_UNSTRUCTURED, NO_BASIS);
    case SREG_WARPID: return vector(CAUSE_THREAD_INDEX);
    case SREG_CLOCK_LO:
    case SREG_CLOCK_HI:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
    case SREG_GLOBALTIMER: return is_on(w, SOUND_CLOCK) || w->r->paper ? vector(CAUSE_SPECIAL) : uniform();
    case SREG_COUNT: break;
    }
    return vector(CAUSE_SPECIAL);
}

// What the instruction does to redundancy apart from its sources.
static struct claim own_claim(const struct worker *w, const struct inst *i)
{
    struct claim c = uniform();
    if (isa_has(i, ISA_SPECIAL_READ)) return special_register(w, (enum isa_sreg)i->src[0].reg);
    if (isa_has(i, ISA_ATOMIC)) return is_on(w, SOUND_ATOMIC) ? vector(CAUSE_ATOMIC) : c;
    if (isa_has(i, ISA_CROSS_LANE)) return is_on(w, SOUND_CROSS_LANE) ? vector(CAUSE_CROSS_LANE) : c;
    if (isa_has(i, ISA_CALL)) return vector(CAUSE_CALL);
    if (isa_has(i, ISA_BARRIER | ISA_SIDE_EFFECT)) return vector(CAUSE_EFFECT);
    if (!isa_has(i, ISA_LOAD)) return c;
    if (i->op == OP_LDL && !access_is_spill(w->s->program, i))
        return is_on(w, SOUND_LOCAL) ? vector(CAUSE_LOCAL) : c;
    if (i->op == OP_LD && is_on(w, SOUND_GENERIC)) return vector(CAUSE_GENERIC);
    if (i->sem != SEM_WEAK && is_on(w, SOUND_ORDERED)) return vector(CAUSE_ORDERED);
    return c;
}

static bool is_memory_result(const struct inst *i)
{
    if (isa_has(i, ISA_LOAD)) return i->op != OP_LDL;
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].kind == OPERAND_SHARED) return true;
    return false;
}

static bool immediate_of(const struct inst *i, unsigned k, uint32_t *value)
{
    if (i->src[k].kind != OPERAND_IMM || i->src[k].flags) return false;
    *value = i->src[k].value;
    return true;
}

static const struct mark_def *read_def(const struct worker *w, uint32_t inst, unsigned operand)
{
    struct access_list list;
    access_reads(w->s->program, &w->s->program->insts[inst], &list);
    for (unsigned k = 0; k < list.count; k++)
        if (list.at[k].role == ROLE_SOURCE && list.at[k].operand == operand)
            return &w->s->defs[w->s->reads[w->s->read_first[inst] + k]];
    return NULL;
}

// The pattern over lanes of a linear instruction: sums of affine values of one basis, times constants.
struct linear {
    bool affine; // representable; stride counts only when known
    uint8_t basis;
    bool known;
    int64_t stride;
};

static void linear_add(struct linear *l, const struct worker *w, uint32_t inst, unsigned operand,
                       int64_t factor, bool factor_known)
{
    const struct operand *o = &w->s->program->insts[inst].src[operand];
    const struct mark_def *d = read_def(w, inst, operand);
    if (o->kind == OPERAND_SHARED) l->affine = false;
    if (!d || d->class == MARK_UNIFORM) return;
    if (d->class != MARK_AFFINE || (l->basis != NO_BASIS && l->basis != d->basis) ||
        (o->flags & OPERAND_ABS)) {
        l->affine = false;
        return;
    }
    l->basis = d->basis;
    l->known = l->known && d->stride_known && factor_known;
    if (l->known) l->stride += ((o->flags & OPERAND_NEG) ? -factor : factor) * d->stride;
}

static bool pattern_of(const struct worker *w, uint32_t inst, struct linear *l)
{
    const struct inst *i = &w->s->program->insts[inst];
    *l = (struct linear){.affine = true, .basis = NO_BASIS, .known = true};
    uint32_t value;
    switch ((unsigned)i->op) {
    case OP_MOV:
    case OP_IADD3:
        if (i->flags & INST_X) return false;
        for (unsigned k = 0; k < 3; k++) linear_add(l, w, inst, k, 1, true);
        break;
    case OP_IMAD:
    case OP_IMADW: {
        const struct mark_def *a = read_def(w, inst, 0), *b = read_def(w, inst, 1);
        bool a_varies = a && a->class != MARK_UNIFORM, b_varies = b && b->class != MARK_UNIFORM;
        if ((i->flags & (INST_X | INST_HI)) || (a_varies && b_varies)) return false;
        unsigned varying = b_varies ? 1 : 0;
        bool constant = immediate_of(i, 1 - varying, &value);
        if (a_varies || b_varies) linear_add(l, w, inst, varying, constant ? (int32_t)value : 0, constant);
        linear_add(l, w, inst, 2, 1, true);
        break;
    }
    case OP_SHL:
        if (read_def(w, inst, 1) && read_def(w, inst, 1)->class != MARK_UNIFORM) return false;
        linear_add(l, w, inst, 0, immediate_of(i, 1, &value) && value < 32 ? (int64_t)1 << value : 0,
                   immediate_of(i, 1, &value) && value < 32);
        break;
    case OP_LEA:
        if (i->flags & (INST_X | INST_HI)) return false;
        linear_add(l, w, inst, 0, (int64_t)1 << i->shift, true);
        linear_add(l, w, inst, 1, 1, true);
        break;
    default: return false;
    }
    return l->affine;
}

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

static void weaken(struct worker *w, uint32_t def, const struct claim *c, uint32_t from_def,
                   uint32_t from_inst)
{
    struct mark_def *d = &w->s->defs[def];
    bool weaker = (c->vector && !d->vector) || (!d->vector && (c->conditions & ~d->conditions));
    bool changed = weaker;
    if (weaker) {
        d->cause = c->cause;
        d->from_def = from_def;
        d->from_inst = from_inst;
    }
    d->vector |= c->vector;
    d->conditions |= c->conditions;
    if (c->class > d->class) {
        d->class = c->class;
        d->basis = c->basis;
        d->stride_known = c->stride_known;
        d->stride = c->stride;
        changed = true;
    } else if (c->class == MARK_AFFINE && d->class == MARK_AFFINE &&
               (d->basis != c->basis || d->stride_known != c->stride_known || d->stride != c->stride)) {
        if (d->basis != c->basis) {
            d->class = MARK_UNSTRUCTURED;
            changed = true;
        } else if (d->stride_known) {
            d->stride_known = false;
            changed = true;
        }
    }
    if (changed) look_again(w, def);
}

static struct claim claim_of_def(const struct mark_def *d, enum mark_cause cause)
{
    return (struct claim){.vector = d->vector,
                          .conditions = d->conditions,
                          .class = MARK_UNIFORM,
                          .basis = NO_BASIS,
                          .cause = (uint8_t)cause};
}

// The weakest exit branch of the loops that hold `def` but not block `use`, as a claim on what is seen
// outside.
static bool leaves_loop(const struct worker *w, const struct mark_def *d, uint32_t use, struct claim *c,
                        uint32_t *branch)
{
    const struct mark_ssa *s = w->s;
    if (!is_on(w, SOUND_LOOP) || !w->divergence.reaches_barrier[use]) return false;
    *c = uniform();
    for (uint32_t l = s->loops.innermost[d->block]; l != FLOW_NONE; l = s->loops.loops[l].parent) {
        if (flow_loop_contains(&s->loops, l, use)) break;
        for (uint32_t n = 0; n < s->flow.count; n++) {
            const struct claim *done = &w->branch_done[n];
            if ((!done->vector && !done->conditions) || !flow_loop_contains(&s->loops, l, n)) continue;
            bool exits = false;
            for (uint32_t e = s->flow.graph.succ_first[n]; e < s->flow.graph.succ_first[n + 1]; e++)
                exits |= !flow_loop_contains(&s->loops, l, s->flow.graph.succs[e]);
            if (!exits) continue;
            if (done->vector > c->vector || (done->conditions & ~c->conditions))
                *branch = s->flow.blocks[n].first + s->flow.blocks[n].count - 1;
            c->vector |= done->vector;
            c->conditions |= done->conditions;
        }
    }
    c->cause = CAUSE_LOOP;
    return c->vector || c->conditions;
}

static void visit_phi(struct worker *w, uint32_t def)
{
    struct mark_def *phi = &w->s->defs[def];
    const struct flow_graph *g = &w->s->flow.graph;
    uint32_t n = phi->block;
    for (uint32_t e = g->pred_first[n]; e < g->pred_first[n + 1]; e++) {
        uint32_t source = phi->sources[e - g->pred_first[n]];
        const struct mark_def *d = &w->s->defs[source];
        struct claim c = claim_of_def(d, CAUSE_SOURCE);
        c.class = d->class;
        c.basis = d->basis;
        c.stride_known = d->stride_known;
        c.stride = d->stride;
        weaken(w, def, &c, source, FLOW_NONE);
        uint32_t branch = FLOW_NONE;
        if (leaves_loop(w, d, n, &c, &branch)) weaken(w, def, &c, FLOW_NONE, branch);
    }
}

struct joined {
    struct worker *w;
    struct claim claim;
    uint32_t branch;
};

static void weaken_phis(struct worker *w, uint32_t n, const struct claim *c, uint32_t branch)
{
    for (uint32_t k = w->s->phi_first[n]; k < w->s->phi_first[n + 1]; k++)
        weaken(w, w->s->phis[k], c, FLOW_NONE, branch);
}

static void weaken_join(void *context, uint32_t n)
{
    struct joined *j = context;
    // Warps that parted never correspond again unless a barrier brings them together.
    if (!j->w->divergence.reaches_barrier[n]) return;
    weaken_phis(j->w, n, &j->claim, j->branch);
}

// Every value that leaves a loop is looked at again when one of the loop's exits has become weaker.
static void revisit_everything(struct worker *w)
{
    for (uint32_t k = 0; k < w->s->program->inst_count; k++) {
        if (!w->inst_waiting[k]) vec_push(&w->insts, k);
        w->inst_waiting[k] = true;
    }
    for (uint32_t k = 0; k < w->s->phi_first[w->s->flow.count]; k++) {
        uint32_t phi = w->s->phis[k];
        if (!w->phi_waiting[phi]) vec_push(&w->phis, phi);
        w->phi_waiting[phi] = true;
    }
}

// The branch that ends block n depends on a value as weak as `c`.
static void visit_branch(struct worker *w, uint32_t inst, struct claim c)
{
    const struct mark_ssa *s = w->s;
    uint32_t n = s->flow.block_of[inst];
    struct claim *done = &w->branch_done[n];
    if ((!c.vector || done->vector) && !(c.conditions & ~done->conditions)) return;
    done->vector |= c.vector;
    done->conditions |= c.conditions;
    struct joined j = {w, c, inst};
    j.claim.cause = CAUSE_JOIN;
    if (is_on(w, SOUND_JOIN)) divergence_joins(&w->divergence, n, weaken_join, &j);
    if (is_on(w, SOUND_BARRIER) && divergence_unbalanced(&w->divergence, n)) {
        j.claim.cause = CAUSE_BARRIER;
        for (uint32_t l = 0; l < s->loops.count; l++)
            if (w->divergence.reaches_barrier[s->loops.loops[l].header])
                weaken_phis(w, s->loops.loops[l].header, &j.claim, inst);
    }
    if (s->loops.innermost[n] != FLOW_NONE) revisit_everything(w);
}

// All the claims that instruction's operands make on its results, and the results' pattern.
static void visit_inst(struct worker *w, uint32_t inst)
{
    struct mark_ssa *s = w->s;
    const struct inst *i = &s->program->insts[inst];
    uint32_t first = s->write_first[inst], last = s->write_first[inst + 1], n = s->flow.block_of[inst];
    struct claim own = own_claim(w, i), branch = uniform();
    struct linear l;
    bool varies = false;
    struct access_list list;
    access_reads(s->program, i, &list);
    if (s->flow.blocks[n].function && is_on(w, SOUND_CALL)) own = vector(CAUSE_CALL);
    for (unsigned k = 0; k < list.count; k++) {
        uint32_t source = s->reads[s->read_first[inst] + k];
        const struct mark_def *d = &s->defs[source];
        enum mark_cause cause = list.at[k].role == ROLE_GUARD ? CAUSE_GUARD
                                : list.at[k].role == ROLE_OLD ? CAUSE_OLD
                                                              : CAUSE_SOURCE;
        varies |= d->class != MARK_UNIFORM;
        bool counts =
            (cause != CAUSE_GUARD || is_on(w, SOUND_GUARD)) && (cause != CAUSE_OLD || is_on(w, SOUND_OLD));
        struct claim c = claim_of_def(d, cause), left;
        uint32_t exit = FLOW_NONE;
        bool leaves = leaves_loop(w, d, n, &left, &exit);
        branch.vector |= c.vector || (leaves && left.vector);
        branch.conditions |= c.conditions | (leaves ? left.conditions : 0);
        if (d->class != MARK_UNIFORM)
            branch.class = MARK_UNSTRUCTURED; // lanes part, and their values with them
        for (uint32_t d2 = first; counts && d2 < last; d2++) {
            weaken(w, s->writes[d2], &c, source, FLOW_NONE);
            if (leaves) weaken(w, s->writes[d2], &left, FLOW_NONE, exit);
        }
    }
    if (isa_has(i, ISA_BRANCH) && !isa_has(i, ISA_CALL) &&
        s->flow.graph.succ_first[n + 1] - s->flow.graph.succ_first[n] > 1)
        visit_branch(w, inst, branch);
    if (varies && own.class == MARK_UNIFORM) {
        bool affine = !is_memory_result(i) && pattern_of(w, inst, &l) && l.basis != NO_BASIS;
        own.class = affine ? MARK_AFFINE : MARK_UNSTRUCTURED;
        own.basis = affine ? l.basis : NO_BASIS;
        own.stride_known = affine && l.known;
        own.stride = affine && l.known ? (int32_t)l.stride : 0;
    }
    for (uint32_t d = first; d < last; d++) weaken(w, s->writes[d], &own, FLOW_NONE, FLOW_NONE);
}

// tid.x & (W - 1): redundant under a weaker condition than tid.x itself. The generic rules have made it
// conditional on tid.x; this one runs before them, on the definitions it recognises.
static bool is_tid_modulo(const struct worker *w, uint32_t inst)
{
    const struct inst *i = &w->s->program->insts[inst];
    if (!w->r->tid_x_mod || w->r->paper || i->op != OP_LOP3 || i->guard != PRED_TRUE ||
        i->lut != (0xf0 & 0xcc))
        return false;
    uint32_t value;
    if (!immediate_of(i, 1, &value) || value & (value + 1) || value >= w->r->warp_size) return false;
    const struct mark_def *d = read_def(w, inst, 0);
    if (!d || d->kind != DEF_INST) return false;
    const struct inst *from = &w->s->program->insts[d->inst];
    return from->op == OP_S2R && from->src[0].reg == SREG_TID_X && from->guard == PRED_TRUE;
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

void mark_propagate(struct mark_ssa *s, const struct mark_rules *r)
{
    struct worker w = {.s = s, .r = r};
    divergence_init(&w.divergence, s);
    w.inst_waiting = ARENA_ARRAY(s->arena, bool, s->program->inst_count);
    w.phi_waiting = ARENA_ARRAY(s->arena, bool, s->def_count);
    w.branch_done = ARENA_ARRAY(s->arena, struct claim, s->flow.count);
    find_users(&w);
    struct claim undefined = vector(CAUSE_UNDEFINED);
    for (uint32_t k = 0; k < s->def_count; k++) {
        s->defs[k].basis = NO_BASIS;
        if (s->defs[k].kind == DEF_UNDEFINED && is_on(&w, SOUND_UNDEFINED))
            weaken(&w, k, &undefined, FLOW_NONE, FLOW_NONE);
    }
    revisit_everything(&w);
    while (w.insts.count || w.phis.count) {
        if (w.phis.count) {
            uint32_t def = vec_pop(&w.phis);
            w.phi_waiting[def] = false;
            visit_phi(&w, def);
            continue;
        }
        uint32_t inst = vec_pop(&w.insts);
        w.inst_waiting[inst] = false;
        if (is_tid_modulo(&w, inst)) {
            struct claim c = thread_index(MARK_IF_TID_X_MOD, true, MARK_AFFINE, SREG_LANEID);
            weaken(&w, s->writes[s->write_first[inst]], &c, FLOW_NONE, FLOW_NONE);
            continue;
        }
        visit_inst(&w, inst);
    }
    vec_fini(&w.insts);
    vec_fini(&w.phis);
}

static bool must_execute(const struct inst *i)
{
    return isa_has(i, ISA_STORE | ISA_FENCE | ISA_BRANCH | ISA_BARRIER | ISA_SIDE_EFFECT | ISA_ATOMIC);
}

void mark_of_inst(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst, struct mark *out)
{
    const struct inst *i = &s->program->insts[inst];
    uint32_t first = s->write_first[inst], last = s->write_first[inst + 1];
    *out = (struct mark){
        .kind = MARK_VECTOR, .from = FLOW_NONE, .guarded = i->guard != PRED_TRUE || i->guard_not};
    out->has_result = first < last;
    bool spill_store = i->op == OP_STL && access_is_spill(s->program, i);
    if (!out->has_result || (must_execute(i) && !spill_store && !(r->paper && isa_has(i, ISA_ATOMIC)))) {
        out->class = MARK_UNSTRUCTURED;
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
        if (d->class >= out->class) {
            out->class = d->class;
            out->stride_known = d->stride_known;
            out->stride = d->stride;
        }
        registers_only &= d->location < LOCATION_PREDICATE;
    }
    out->shareable = registers_only;
    out->kind = is_vector ? MARK_VECTOR : out->conditions ? MARK_CONDITIONAL : MARK_REDUNDANT;
    if (is_vector) out->conditions = 0;
}
