// Patterns over the lanes of a warp. Sums of affine values of one basis, times constants, keep a base and a
// stride (DAC's tuples). Every other varying value is unstructured.
//
//     S2R R2, SR_TID.X            0 + 1 * threadIdx.x
//     SHL R10, R2, 0x2            0 + 4 * threadIdx.x
//     IADD3 R16, R10, 0x1000, RZ  0x1000 + 4 * threadIdx.x
#include "isa/fields.h"
#include "isa/sregs.h"
#include "mark/access.h"
#include "mark/claim.h"

static struct mark_pattern constant(uint32_t value)
{
    return (struct mark_pattern){.known = true, .base_known = true, .base = value};
}

static struct mark_pattern unstructured(void)
{
    return (struct mark_pattern){.known = true, .class = MARK_UNSTRUCTURED};
}

struct mark_pattern claim_pattern_merged(struct mark_pattern a, struct mark_pattern b)
{
    if (!a.known) return b;
    if (!b.known) return a;
    struct mark_pattern m = {.known = true, .class = a.class > b.class ? a.class : b.class};
    if (m.class == MARK_UNSTRUCTURED) return m;
    if (a.class == MARK_AFFINE && b.class == MARK_AFFINE && a.basis != b.basis) return unstructured();
    m.basis = a.basis ? a.basis : b.basis;
    m.base_known = a.base_known && b.base_known && a.base == b.base;
    m.base = m.base_known ? a.base : 0;
    bool both = a.class == MARK_AFFINE && b.class == MARK_AFFINE; // a uniform value has stride 0
    m.stride_known = both && a.stride_known && b.stride_known && a.stride == b.stride;
    m.stride = m.stride_known ? a.stride : 0;
    return m;
}

struct reader {
    const struct mark_ssa *s;
    uint32_t inst;
    claim_pattern_of *seen;
    const void *context;
};

// Pattern, over the lanes of a warp, of a source operand's first register.
static struct mark_pattern operand_pattern(const struct reader *r, unsigned operand)
{
    const struct inst *i = &r->s->program->insts[r->inst];
    const struct operand *o = &i->src[operand];
    if (o->kind == OPERAND_IMM) return constant(o->value);
    if (o->kind == OPERAND_NONE || (o->kind == OPERAND_REG && o->reg == REG_ZERO)) return constant(0);
    struct access_list list;
    access_reads(r->s->program, i, &list);
    for (unsigned k = 0; k < list.count; k++)
        if (list.at[k].role == ROLE_SOURCE && list.at[k].operand == operand) {
            uint32_t def = r->s->reads[r->s->read_first[r->inst] + k];
            return r->seen(r->context, def, r->s->flow.block_of[r->inst]);
        }
    return (struct mark_pattern){.known = true}; // a constant bank's word: uniform
}

// total += factor * operand, all modulo 2^32. False when the sum is not affine.
static bool add_term(struct mark_pattern *total, const struct reader *r, unsigned operand, uint32_t factor,
                     bool factor_known)
{
    const struct operand *o = &r->s->program->insts[r->inst].src[operand];
    struct mark_pattern p = operand_pattern(r, operand);
    if (o->kind == OPERAND_SHARED || p.class == MARK_UNSTRUCTURED) return false;
    if (p.class == MARK_AFFINE &&
        ((total->basis && total->basis != p.basis) || o->flags & OPERAND_ABS || o->flags & OPERAND_NOT))
        return false;
    if (o->flags & OPERAND_NEG) factor = 0u - factor;
    bool exact = factor_known && !(o->flags & (OPERAND_ABS | OPERAND_NOT));
    bool is_zero = p.base_known && !p.base; // 0 times anything
    total->base_known &= p.base_known && (exact || is_zero);
    total->base += factor * p.base;
    if (p.class == MARK_AFFINE) {
        total->stride_known = (total->class != MARK_AFFINE || total->stride_known) && p.stride_known && exact;
        total->class = MARK_AFFINE;
        total->basis = p.basis;
        total->stride += (int32_t)(factor * (uint32_t)p.stride);
    }
    return true;
}

// Adds the pattern of src[0] * src[1] + src[2] to *total. False: not affine, for example because both factors
// differ between lanes.
static bool add_product(struct mark_pattern *total, const struct reader *r)
{
    struct mark_pattern a = operand_pattern(r, 0), b = operand_pattern(r, 1);
    if (a.class != MARK_UNIFORM && b.class != MARK_UNIFORM) return false;
    bool a_is_factor =
        a.class == MARK_UNIFORM && (b.class != MARK_UNIFORM || (a.base_known && !b.base_known));
    unsigned varying = a_is_factor ? 1 : 0;
    const struct mark_pattern *factor = varying ? &a : &b;
    const struct operand *o = &r->s->program->insts[r->inst].src[1 - varying];
    if (o->kind == OPERAND_SHARED || o->flags) return false;
    return add_term(total, r, varying, factor->base, factor->base_known) && add_term(total, r, 2, 1, true);
}

static bool add_terms(struct mark_pattern *total, const struct reader *r)
{
    const struct inst *i = &r->s->program->insts[r->inst];
    switch ((unsigned)i->op) {
    case OP_MOV: return i->dst[0].width <= 1 && add_term(total, r, 0, 1, true);
    case OP_IADD3:
        if (i->flags & INST_X) return false;
        for (unsigned k = 0; k < 3; k++)
            if (!add_term(total, r, k, 1, true)) return false;
        return true;
    case OP_IMAD:
    case OP_IMADW: return !(i->flags & (INST_X | INST_HI)) && add_product(total, r);
    case OP_SHL: {
        struct mark_pattern amount = operand_pattern(r, 1);
        if (amount.class != MARK_UNIFORM || i->src[1].kind == OPERAND_SHARED) return false;
        bool known = amount.base_known && amount.base < 32;
        return add_term(total, r, 0, known ? 1u << amount.base : 0, known);
    }
    case OP_LEA:
        if (i->flags & (INST_X | INST_HI)) return false;
        return add_term(total, r, 0, 1u << (i->shift & 31), true) && add_term(total, r, 1, 1, true);
    default: return false;
    }
}

static struct mark_pattern special_pattern(enum isa_sreg sreg)
{
    struct mark_pattern p = constant(0);
    switch ((unsigned)sreg) {
    case SREG_TID_X:
    case SREG_LANEID:
        p.class = MARK_AFFINE;
        p.basis = sreg == SREG_TID_X ? MARK_BASIS_TID_X : MARK_BASIS_LANE;
        p.stride_known = true;
        p.stride = 1;
        return p;
    case SREG_HART:
        p.class = MARK_AFFINE;
        p.basis = MARK_BASIS_LANE;
        p.base_known = false; // the warp's first thread
        p.stride_known = true;
        p.stride = 1;
        return p;
    case SREG_TID_Y:
    case SREG_TID_Z:
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT: return unstructured();
    default: return (struct mark_pattern){.known = true}; // one value for the whole warp
    }
}

// Whether equal sources in all lanes give equal results in all lanes.
static bool is_lane_blind(const struct inst *i)
{
    if (isa_has(i, ISA_ATOMIC | ISA_CALL | ISA_CROSS_LANE | ISA_BARRIER | ISA_SIDE_EFFECT)) return false;
    return i->op != OP_LD && i->op != OP_ST; // a generic address may lie in the local memory of each lane
}

struct mark_pattern claim_pattern(const struct mark_ssa *s, const struct mark_rules *r, uint32_t inst,
                                  claim_pattern_of *seen, const void *context)
{
    const struct inst *i = &s->program->insts[inst];
    struct reader reader = {s, inst, seen, context};
    if (isa_has(i, ISA_SPECIAL_READ)) return special_pattern((enum isa_sreg)i->src[0].reg);
    if (!is_lane_blind(i)) return unstructured();
    struct access_list list;
    access_reads(s->program, i, &list);
    struct mark_pattern old = {0}, spilled = {0};
    struct mark_pattern index;
    if (claim_may_be_index(s, r, inst) && claim_index_pattern(s, r, inst, &index)) return index;
    bool varies = false;
    for (unsigned k = 0; k < list.count; k++) {
        struct mark_pattern p = seen(context, s->reads[s->read_first[inst] + k], s->flow.block_of[inst]);
        if (!p.known) return p;
        if (list.at[k].role == ROLE_OLD) {
            old = claim_pattern_merged(old, p);
            continue;
        }
        if (list.at[k].role == ROLE_GUARD && p.class != MARK_UNIFORM) return unstructured();
        varies |= p.class != MARK_UNIFORM;
        spilled = p;
    }
    // Reloads and spills of one word pass the pattern on.
    bool word = access_is_spill(s->program, i) && list.count == 1;
    struct mark_pattern total = constant(0);
    if (word) return spilled;
    if (!add_terms(&total, &reader)) {
        total = varies ? unstructured() : (struct mark_pattern){.known = true};
    }
    return claim_pattern_merged(total, old);
}
