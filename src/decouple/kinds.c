// Kinds of definitions: least fixed point of the rules over SSA. Every definition starts as a scalar and only
// moves towards DECOUPLE_VECTOR.
#include "decouple/slices.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/modes.h"
#include "isa/program.h"
#include "isa/sregs.h"

static bool is_vector(const struct decouple_value *v) { return v->kind == DECOUPLE_VECTOR; }

static struct decouple_value vector_for(enum decouple_cause cause, uint32_t from, bool potential)
{
    return (struct decouple_value){
        .kind = DECOUPLE_VECTOR, .pieces = 1, .cause = (uint8_t)cause, .from = from, .potential = potential};
}

// -- reads without operands ---------------------------------------------------------------------------------

static struct decouple_value special_of(const struct inst *i, uint32_t inst)
{
    enum isa_sreg r = (enum isa_sreg)i->src[0].reg;
    if (r <= SREG_TID_Z)
        return (struct decouple_value){
            .kind = DECOUPLE_AFFINE, .pieces = 1, .potential = true, .from = FLOW_NONE};
    if (isa_sreg_whose(r) == SREG_OF_BLOCK)
        return (struct decouple_value){.pieces = 1, .potential = true, .from = FLOW_NONE};
    return vector_for(DECOUPLE_FOR_SPECIAL, inst, false);
}

// Reason why no tuple operation can produce the result; DECOUPLE_FOR_NONE: an operation may exist.
static enum decouple_cause cause_against(const struct decouple *d, uint32_t inst)
{
    const struct program *p = d->program;
    const struct inst *i = &p->insts[inst];
    enum { OUTWARD = ISA_STORE | ISA_FENCE | ISA_BRANCH | ISA_BARRIER | ISA_SIDE_EFFECT };
    bool constant = i->op == OP_LDC && i->src[0].reg == REG_ZERO;
    if (access_is_spill(p, i)) return d->insts[inst].slot ? DECOUPLE_FOR_NONE : DECOUPLE_FOR_SPILL;
    if (isa_has(i, ISA_ATOMIC)) return DECOUPLE_FOR_ATOMIC;
    if (isa_reads_textures(i->op)) return DECOUPLE_FOR_TEXTURE;
    if ((isa_has(i, ISA_LOAD) && !constant) || access_reads_shared(i)) return DECOUPLE_FOR_LOAD;
    if (isa_has(i, ISA_CROSS_LANE)) return DECOUPLE_FOR_CROSS;
    return isa_has(i, OUTWARD) ? DECOUPLE_FOR_OPCODE : DECOUPLE_FOR_NONE;
}

// -- operations ---------------------------------------------------------------------------------------------

enum shape { LINEAR, PRODUCT, SHIFTED, COMPARES, CHOOSES, LOGIC, SCALARS_ONLY };

static bool is_sign_word(const struct inst *i) // all bits equal the sign
{
    return (i->op == OP_SHR && i->src[1].kind == OPERAND_IMM && i->src[1].value == 31) ||
           (i->op == OP_SHF && i->mode == MODE_SHF_R && i->src[1].kind == OPERAND_IMM &&
            i->src[1].value == 31);
}

static enum shape shape_of(const struct inst *i)
{
    switch (i->op) {
    case OP_MOV:
    case OP_LDL: // on a tracked spill slot: a move
    case OP_STL:
    case OP_IADD3:
    case OP_IADD3RS: return LINEAR;
    case OP_IMAD: return i->flags & INST_HI ? CHOOSES : PRODUCT; // the upper half acts as a quotient
    case OP_IMADW:
    case OP_XMAD: return PRODUCT;
    case OP_LEA:
    case OP_SHL: return SHIFTED;
    case OP_ISETP: return COMPARES;
    case OP_PLOP3: return LOGIC;
    case OP_SHR:
    case OP_SHF: return is_sign_word(i) ? LINEAR : CHOOSES;
    case OP_SEL:
    case OP_IMNMX:
    case OP_IABS:
    case OP_LOP3:
    case OP_BFE:
    case OP_PRMT:
    case OP_SGXT:
    case OP_I2I: return CHOOSES;
    default: return SCALARS_ONLY;
    }
}

struct operands { // values of an instruction's sources; a register pair is one source
    struct decouple_value src[4];
    bool varies[4];
};

// Kind and pieces of the result, given that no source is DECOUPLE_VECTOR. The result is DECOUPLE_VECTOR, with
// a cause, where no tuples can express it.
static struct decouple_value result_of(const struct decouple *d, const struct inst *i, uint32_t inst,
                                       const struct operands *o)
{
    unsigned varying = 0, pieces = 1, worst = DECOUPLE_SCALAR;
    for (unsigned k = 0; k < 4; k++) {
        varying += o->varies[k];
        pieces *= o->src[k].pieces ? o->src[k].pieces : 1;
        if (o->src[k].kind > worst) worst = o->src[k].kind;
    }
    if (!varying) return (struct decouple_value){.pieces = 1, .potential = true, .from = FLOW_NONE};
    switch (shape_of(i)) {
    case SCALARS_ONLY: return vector_for(DECOUPLE_FOR_OPCODE, inst, true);
    case PRODUCT:
        if (o->varies[0] && o->varies[1]) return vector_for(DECOUPLE_FOR_PRODUCT, inst, true);
        break;
    case SHIFTED:
        if (i->op == OP_SHL && o->varies[1]) return vector_for(DECOUPLE_FOR_OPCODE, inst, true);
        break;
    case COMPARES:
        if (o->varies[0] && o->varies[1]) return vector_for(DECOUPLE_FOR_TWO, inst, true);
        pieces = 1, worst = DECOUPLE_AFFINE; // one bit per lane, whatever the operands
        break;
    case LOGIC: pieces = 1, worst = DECOUPLE_AFFINE; break;
    case CHOOSES:
        pieces *= 2;
        worst = DECOUPLE_PIECEWISE;
        break;
    case LINEAR: break;
    }
    if (pieces > d->rules.pieces) return vector_for(DECOUPLE_FOR_PIECES, inst, true);
    return (struct decouple_value){
        .kind = (uint8_t)worst, .pieces = (uint8_t)pieces, .potential = true, .from = FLOW_NONE};
}

// Merges the value of a guarded write with the old value, kept by lanes whose guard is false.
static struct decouple_value under_guard(const struct decouple *d, uint32_t inst, struct decouple_value v,
                                         const struct decouple_value *guard, const struct decouple_value *old,
                                         bool is_predicate)
{
    unsigned pieces = v.pieces + old->pieces;
    if (is_vector(&v)) return v;
    v.potential &= guard->potential & old->potential;
    if (is_vector(guard)) return vector_for(DECOUPLE_FOR_GUARD, inst, v.potential);
    if (is_vector(old)) return vector_for(DECOUPLE_FOR_SOURCE, old->from, v.potential);
    if (old->kind > v.kind) v.kind = old->kind, v.pieces = old->pieces;
    if (guard->kind == DECOUPLE_SCALAR) return v;
    if (is_predicate) {
        v.kind = DECOUPLE_AFFINE;
        return v;
    }
    if (pieces > d->rules.pieces) return vector_for(DECOUPLE_FOR_PIECES, inst, v.potential);
    v.kind = DECOUPLE_PIECEWISE;
    v.pieces = (uint8_t)pieces;
    return v;
}

// -- definitions --------------------------------------------------------------------------------------------

struct decouple_value decouple_value_at(const struct decouple_slices *s, uint32_t def, uint32_t block)
{
    struct decouple_value v = s->values[def];
    uint32_t l = s->ssa.loops.innermost[s->ssa.defs[def].block];
    for (; l != FLOW_NONE && !flow_loop_contains(&s->ssa.loops, l, block); l = s->ssa.loops.loops[l].parent)
        if (s->leave_kind[l] != DECOUPLE_SCALAR && !is_vector(&v))
            v = vector_for(DECOUPLE_FOR_LOOP, s->leave_from[l], v.potential);
    return v;
}

static uint32_t inst_of(const struct mark_ssa *s, uint32_t def)
{
    return s->defs[def].kind == DEF_INST ? s->defs[def].inst : FLOW_NONE;
}

static void worsen(struct operands *o, unsigned k, const struct decouple_value *v)
{
    if (v->kind >= o->src[k].kind) o->src[k].kind = v->kind;
    if (v->pieces > o->src[k].pieces) o->src[k].pieces = v->pieces;
    o->varies[k] |= v->kind != DECOUPLE_SCALAR;
}

static struct decouple_value value_of_inst(const struct decouple *d, uint32_t inst, uint32_t block)
{
    const struct decouple_slices *a = d->analysis;
    const struct mark_ssa *s = &a->ssa;
    const struct inst *i = &d->program->insts[inst];
    enum decouple_cause against = cause_against(d, inst);
    struct operands o = {0};
    struct access_list list;
    struct decouple_value guard = {.pieces = 1, .potential = true}, old = guard;
    struct decouple_value bad = {0};
    bool potential = !against;
    access_reads(d->program, i, &list);
    for (unsigned k = 0; k < list.count; k++) {
        uint32_t def = s->reads[s->read_first[inst] + k];
        struct decouple_value v = decouple_value_at(a, def, block);
        potential &= v.potential;
        if (list.at[k].role == ROLE_GUARD) guard = v;
        if (list.at[k].role == ROLE_OLD && v.kind >= old.kind) {
            old = v;
            old.from = inst_of(s, def);
        }
        if (list.at[k].role != ROLE_SOURCE) continue;
        if (is_vector(&v) && !is_vector(&bad)) bad = vector_for(DECOUPLE_FOR_SOURCE, inst_of(s, def), false);
        worsen(&o, list.at[k].operand, &v);
    }
    if (against) return vector_for(against, inst, potential);
    if (is_vector(&bad)) {
        bad.potential = potential;
        return bad;
    }
    struct decouple_value v = isa_has(i, ISA_SPECIAL_READ) ? special_of(i, inst) : result_of(d, i, inst, &o);
    bool guarded = (i->guard != PRED_TRUE || i->guard_not) && !d->insts[inst].free;
    return guarded ? under_guard(d, inst, v, &guard, &old, i->dst[0].kind == OPERAND_PRED) : v;
}

static struct decouple_value value_of_phi(const struct decouple *d, const struct mark_def *def)
{
    const struct decouple_slices *a = d->analysis;
    const struct mark_ssa *s = &a->ssa;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t n = def->block, count = g->pred_first[n + 1] - g->pred_first[n];
    struct decouple_value v = {.pieces = 1, .potential = true, .from = FLOW_NONE};
    unsigned pieces = 0, worst = 1;
    for (uint32_t k = 0; k < count; k++) {
        bool again = false;
        for (uint32_t j = 0; j < k; j++) again |= def->sources[j] == def->sources[k];
        struct decouple_value x = decouple_value_at(a, def->sources[k], n);
        v.potential &= x.potential;
        if (is_vector(&x) && !is_vector(&v))
            v = vector_for(DECOUPLE_FOR_SOURCE, inst_of(s, def->sources[k]), v.potential);
        if (is_vector(&v)) continue;
        if (x.kind > v.kind) v.kind = x.kind;
        if (!again) pieces += x.pieces;
        if (x.pieces > worst) worst = x.pieces;
    }
    if (is_vector(&v)) return v;
    bool is_predicate = def->location >= LOCATION_PREDICATE && def->location < LOCATION_SPILL;
    v.pieces = (uint8_t)worst;
    if (a->join_kind[n] == DECOUPLE_SCALAR) return v;
    if (a->join_kind[n] == DECOUPLE_VECTOR)
        return vector_for(DECOUPLE_FOR_JOIN, a->join_from[n], v.potential);
    if (is_predicate) {
        v.kind = DECOUPLE_AFFINE;
        return v;
    }
    if (pieces > d->rules.pieces) return vector_for(DECOUPLE_FOR_PIECES, a->join_from[n], v.potential);
    v.kind = DECOUPLE_PIECEWISE;
    v.pieces = (uint8_t)pieces;
    return v;
}

static struct decouple_value value_of(const struct decouple *d, const struct mark_def *def)
{
    switch (def->kind) {
    case DEF_INST: return value_of_inst(d, def->inst, def->block);
    case DEF_PHI: return value_of_phi(d, def);
    default: return vector_for(DECOUPLE_FOR_UNDEFINED, FLOW_NONE, false);
    }
}

// -- branches -----------------------------------------------------------------------------------------------

struct meeting {
    struct decouple_slices *a;
    uint8_t kind;
    uint32_t branch;
    bool news;
};

static void meet(void *context, uint32_t block)
{
    struct meeting *m = context;
    if (m->a->join_kind[block] >= m->kind) return;
    m->a->join_kind[block] = m->kind;
    m->a->join_from[block] = m->branch;
    m->news = true;
}

// Propagates the branch at the end of block n: the kind of its predicate is the kind of divergence at its
// joins and loop exits. Returns whether a kind changed.
static bool part_at(struct decouple *d, uint32_t n)
{
    struct decouple_slices *a = d->analysis;
    const struct mark_ssa *s = &a->ssa;
    const struct flow_graph *g = &s->flow.graph;
    uint32_t last = decouple_last_of(s, n);
    const struct inst *i = &d->program->insts[last];
    struct access_list list;
    struct meeting m = {.a = a, .branch = last};
    if (!isa_has(i, ISA_BRANCH) || !isa_is_conditional(i)) return false;
    access_reads(d->program, i, &list);
    for (unsigned k = 0; k < list.count; k++) {
        struct decouple_value v = decouple_value_at(a, s->reads[s->read_first[last] + k], n);
        if (v.kind > m.kind) m.kind = v.kind;
    }
    if (m.kind == DECOUPLE_SCALAR) return false;
    divergence_joins(&a->divergence, n, meet, &m);
    for (uint32_t l = s->loops.innermost[n]; l != FLOW_NONE; l = s->loops.loops[l].parent)
        for (uint32_t e = g->succ_first[n]; e <= g->succ_first[n + 1]; e++) {
            bool leaves = e == g->succ_first[n + 1] ? isa_has(i, ISA_EXIT)
                                                    : !flow_loop_contains(&s->loops, l, g->succs[e]);
            if (!leaves || a->leave_kind[l] >= m.kind) continue;
            a->leave_kind[l] = m.kind;
            a->leave_from[l] = last;
            m.news = true;
        }
    return m.news;
}

static bool is_worse(const struct decouple_value *a, const struct decouple_value *b)
{
    return a->kind > b->kind || (a->kind == b->kind && a->pieces > b->pieces) ||
           (!a->potential && b->potential);
}

// Raises a definition's value to v; false: no change. A kind only moves towards DECOUPLE_VECTOR, so the
// iteration terminates.
static bool update(struct decouple_value *at, struct decouple_value v)
{
    if (!is_worse(&v, at)) return false;
    if (v.kind < at->kind) v.kind = at->kind, v.cause = at->cause, v.from = at->from;
    if (v.pieces < at->pieces) v.pieces = at->pieces;
    v.potential &= at->potential;
    *at = v;
    return true;
}

void decouple_find_kinds(struct decouple *d)
{
    struct decouple_slices *a = d->analysis;
    struct mark_ssa *s = &a->ssa;
    a->values = ARENA_ARRAY(&d->arena, struct decouple_value, s->def_count);
    a->join_kind = ARENA_ARRAY(&d->arena, uint8_t, s->flow.count);
    a->join_from = ARENA_ARRAY(&d->arena, uint32_t, s->flow.count);
    a->leave_kind = ARENA_ARRAY(&d->arena, uint8_t, s->loops.count + 1);
    a->leave_from = ARENA_ARRAY(&d->arena, uint32_t, s->loops.count + 1);
    for (uint32_t k = 0; k < s->def_count; k++)
        a->values[k] = (struct decouple_value){.pieces = 1, .potential = true, .from = FLOW_NONE};
    for (bool news = true; news;) {
        news = false;
        for (uint32_t k = 0; k < s->def_count; k++) news |= update(&a->values[k], value_of(d, &s->defs[k]));
        for (uint32_t n = 0; n < s->flow.count; n++) news |= part_at(d, n);
    }
    for (uint32_t k = 0; k < d->count; k++) {
        struct decouple_inst *x = &d->insts[k];
        x->has_result = s->write_first[k + 1] > s->write_first[k];
        x->kind = DECOUPLE_VECTOR;
        x->from = FLOW_NONE;
        if (!x->has_result) continue;
        const struct decouple_value *v = &a->values[s->writes[s->write_first[k]]];
        x->kind = v->kind, x->pieces = v->pieces, x->cause = v->cause, x->from = v->from;
        x->potential = v->potential;
        for (uint32_t n = s->write_first[k] + 1; n < s->write_first[k + 1]; n++)
            if (a->values[s->writes[n]].kind > x->kind) x->kind = a->values[s->writes[n]].kind;
    }
}
