// Inference of results with base and stride, written (base, stride), from the sources' bases and strides,
// without looking at registers' lanes.
//
//     (b, s) + (c, t) = (b + c, s + t)
//     (b, s) * (c, 0) = (b c, s c)
//     f((b, 0), (c, 0) …) = (f(b, c …), 0)
#include "base/bits.h"
#include "exec/exec_impl.h"
#include "isa/fields.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/sregs.h"
#include "tech/cae/cae.h"

static bool is_leaf(const struct cae_sources *s, enum isa_sreg sreg)
{
    bool is_index = sreg == SREG_TID_X || sreg == SREG_TID_Y || sreg == SREG_TID_Z;
    if (is_index) return s->rows_of_warps;
    // affine for at most GROUP_LANES lanes: then the lane number restarts
    if (sreg == SREG_LANEID) return s->warp->exec->lanes <= GROUP_LANES;
    return isa_sreg_whose(sreg) == SREG_OF_BLOCK;
}

static const struct cae_tuple *tuple_of(const struct cae_sources *s, const struct operand *o, unsigned word)
{
    return o->kind == OPERAND_REG && o->reg != REG_ZERO ? &s->registers[o->reg + word] : NULL;
}

static bool is_source_affine(const struct cae_sources *s, const struct operand *o)
{
    if (o->kind == OPERAND_SHARED || o->kind == OPERAND_MEM) return false;
    if (o->kind == OPERAND_SREG) return is_leaf(s, (enum isa_sreg)o->reg);
    if (o->kind == OPERAND_PRED) return true; // checked separately
    for (unsigned n = 0; n < operand_words(o); n++)
        if (tuple_of(s, o, n) && !tuple_of(s, o, n)->is_affine) return false;
    return true;
}

// Whether an affine source (is_source_affine) is known to have one value in all live lanes.
static bool is_source_uniform(const struct cae_sources *s, const struct operand *o)
{
    if (o->kind == OPERAND_SREG) return isa_sreg_whose((enum isa_sreg)o->reg) == SREG_OF_BLOCK;
    if (o->kind == OPERAND_PRED) {
        uint64_t bits = s->warp->pred[o->reg] & s->live;
        return o->reg == PRED_TRUE || !bits || bits == s->live;
    }
    for (unsigned n = 0; n < operand_words(o); n++)
        if (tuple_of(s, o, n) && tuple_of(s, o, n)->stride) return false;
    return true;
}

static bool are_all(const struct cae_sources *s,
                    bool (*is)(const struct cae_sources *, const struct operand *))
{
    for (unsigned k = 0; k < 4; k++)
        if (s->inst->src[k].kind != OPERAND_NONE && !is(s, &s->inst->src[k])) return false;
    return true;
}

// Whether the flags of an IADD3, LEA or IMAD allow a result with base and stride. Sources may be negated.
// Carries differ from lane to lane and are excluded.
static bool is_sum(const struct cae_sources *s)
{
    const struct inst *i = s->inst;
    for (unsigned k = 0; k < 4; k++)
        if (i->src[k].flags & ~OPERAND_NEG) return false;
    return !(i->flags & (INST_CC | INST_X | INST_HI | INST_SAT | INST_SX));
}

// -- comparisons --------------------------------------------------------------------------------------------

bool cae_is_compare(const struct inst *i) { return i->op == OP_ISETP; }

struct range { // value of a source in the first and last live lane, in the comparison's type
    int64_t first, last;
    bool is_straight; // the value is known not to wrap between first and last
};

static int64_t as_type(const struct inst *i, uint32_t word)
{
    return isa_type_is_signed((enum isa_type)i->type) ? (int32_t)word : (int64_t)word;
}

static struct range range_of(const struct cae_sources *s, unsigned k)
{
    const struct operand *o = &s->inst->src[k];
    const struct cae_tuple *t = tuple_of(s, o, 0);
    unsigned first = bit_lowest(s->live), last = 63u - (unsigned)__builtin_clzll(s->live);
    if (!t) {
        int64_t value = o->kind == OPERAND_REG
                            ? 0
                            : as_type(s->inst, (uint32_t)s->warp->exec->general[s->index].value[k]);
        return (struct range){value, value, o->kind != OPERAND_SREG};
    }
    int64_t from = as_type(s->inst, t->base + t->stride * first),
            to = as_type(s->inst, t->base + t->stride * last);
    return (struct range){from, to, from + (int64_t)(int32_t)t->stride * (int64_t)(last - first) == to};
}

static bool is_less(int64_t a, int64_t b, bool or_equal) { return a < b || (or_equal && a == b); }

// Whether first and last live lane show one outcome for all live lanes. One side of the comparison is
// uniform, the other does not wrap (is_straight). Order comparisons: both ends have the same outcome, so the
// lanes between have it, too. Equality: the varying side lies above or below the uniform side as a whole, so
// no lane is equal.
static bool do_ends_agree(const struct inst *i, struct range a, struct range b)
{
    bool above = a.first > b.first && a.last > b.last && a.first > b.last && a.last > b.first,
         below = a.first < b.first && a.last < b.last && a.first < b.last && a.last < b.first;
    if (i->cmp == CMP_LT || i->cmp == CMP_GE)
        return is_less(a.first, b.first, false) == is_less(a.last, b.last, false);
    if (i->cmp == CMP_LE || i->cmp == CMP_GT)
        return is_less(a.first, b.first, true) == is_less(a.last, b.last, true);
    return (i->cmp == CMP_EQ || i->cmp == CMP_NE) && (above || below);
}

static bool is_compare_affine(const struct cae_sources *s)
{
    const struct inst *i = s->inst;
    bool varies[2] = {!is_source_uniform(s, &i->src[0]), !is_source_uniform(s, &i->src[1])};
    if (i->flags & INST_EX || !is_source_uniform(s, &i->src[2])) return false;
    if (!varies[0] && !varies[1]) return true;
    if (varies[0] && varies[1]) return false;
    struct range a = range_of(s, 0), b = range_of(s, 1);
    return a.is_straight && b.is_straight && do_ends_agree(i, a, b);
}

// -- results ------------------------------------------------------------------------------------------------

bool cae_is_affine(const struct cae_sources *s)
{
    const struct inst *i = s->inst;
    if (!isa_has(i, ISA_PURE | ISA_SPECIAL_READ) || isa_has(i, ISA_CROSS_LANE)) return false;
    if (!are_all(s, is_source_affine)) return false;
    if (cae_is_compare(i)) return is_compare_affine(s);
    if (are_all(s, is_source_uniform)) return true;
    if (i->op == OP_S2R) return true;
    if (i->op == OP_MOV) return !i->src[0].flags;
    if (i->op == OP_SHL) return is_source_uniform(s, &i->src[1]);
    if (i->op == OP_IMAD && !is_source_uniform(s, &i->src[0]) && !is_source_uniform(s, &i->src[1]))
        return false;
    return (i->op == OP_IADD3 || i->op == OP_LEA || i->op == OP_IMAD) && is_sum(s);
}
