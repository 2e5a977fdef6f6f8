// Comparison and selection (PTX ISA 9.7.6, 9.7.7).
#include "compile/lower/impl.h"
#include "isa/inst.h"

static enum isa_cmp comparison(enum ptx_cmp cmp)
{
    static const uint8_t comparisons[] = {
        [PTX_CMP_NONE] = CMP_F,  [PTX_CMP_EQ] = CMP_EQ,   [PTX_CMP_NE] = CMP_NE,   [PTX_CMP_LT] = CMP_LT,
        [PTX_CMP_LE] = CMP_LE,   [PTX_CMP_GT] = CMP_GT,   [PTX_CMP_GE] = CMP_GE,   [PTX_CMP_LO] = CMP_LT,
        [PTX_CMP_LS] = CMP_LE,   [PTX_CMP_HI] = CMP_GT,   [PTX_CMP_HS] = CMP_GE,   [PTX_CMP_EQU] = CMP_EQU,
        [PTX_CMP_NEU] = CMP_NEU, [PTX_CMP_LTU] = CMP_LTU, [PTX_CMP_LEU] = CMP_LEU, [PTX_CMP_GTU] = CMP_GTU,
        [PTX_CMP_GEU] = CMP_GEU, [PTX_CMP_NUM] = CMP_NUM, [PTX_CMP_NAN] = CMP_NAN,
    };
    return (enum isa_cmp)comparisons[cmp];
}

// Predicates from the comparison of PTX operands 1 and 2. `high`: result of the high halves of a packed type,
// else NULL.
struct comparison {
    struct ir_value *low, *high;
};

static struct comparison compare_operands(struct lower *l, enum ptx_type type)
{
    enum isa_cmp cmp = comparison(l->inst->cmp);
    bool is_float = lower_is_float(type), packed = type == PTX_F16X2 || type == PTX_BF16X2;
    bool is_unsigned = l->inst->cmp >= PTX_CMP_LO && l->inst->cmp <= PTX_CMP_HS;
    struct ir_value *a = is_float ? lower_read(l, 1, type) : lower_read_extended(l, 1, type);
    struct ir_value *b = is_float ? lower_read(l, 2, type) : lower_read_extended(l, 2, type);
    enum isa_type t = is_float ? lower_type(type) : lower_integer_type(type);
    if (is_unsigned) t = t == TYPE_S64 ? TYPE_U64 : t == TYPE_S32 ? TYPE_U32 : t;
    static const enum ir_class classes[] = {IR_CLASS_PRED, IR_CLASS_PRED};
    struct ir_inst *i = lower_inst(l, IR_SETP, t, packed ? 2 : 1, classes, 2, (struct ir_value *[]){a, b});
    i->cmp = (uint8_t)cmp;
    if (l->inst->ftz) i->flags |= INST_FTZ;
    return (struct comparison){i->defs[0], packed ? i->defs[1] : NULL};
}

static struct ir_value *with_third(struct lower *l, struct ir_value *p)
{
    if (l->inst->boolean == PTX_BOOL_NONE) return p;
    return lower_combine(l, l->inst->boolean, p, lower_read(l, 3, PTX_PRED));
}

// setp p|q, a, b, c: p = (a cmp b) op c, q = !(a cmp b) op c; packed halves: p of the low, q of the high
// halves.
void lower_setp(struct lower *l)
{
    const struct ptx_operand *p = lower_pair(&l->inst->operands[0], 0),
                             *q = lower_pair(&l->inst->operands[0], 1);
    struct comparison c = compare_operands(l, lower_type0(l));
    struct ir_value *first = with_third(l, c.low), *second = NULL;
    if (q) second = with_third(l, c.high ? c.high : lower_not(l, c.low));
    lower_write_operand(l, p, first);
    if (q) lower_write_operand(l, q, second);
}

// Bits that the PTX instruction `set` writes for true: all ones for integers, 1.0 for floats. For f16x2 and
// bf16x2: the 16 bits of one half.
static uint32_t truth(enum ptx_type type)
{
    switch ((int)type) {
    case PTX_F32: return 0x3f800000;
    case PTX_F16: return 0x3c00;
    case PTX_F16X2: return 0x3c00;
    case PTX_BF16:
    case PTX_BF16X2: return 0x3f80;
    default: return UINT32_MAX;
    }
}

void lower_set(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct comparison c = compare_operands(l, l->inst->types[1]);
    struct ir_value *yes = word(l, c.high ? truth(type) & 0xffff : truth(type)), *no = word(l, 0);
    struct ir_value *r = lower_select(l, with_third(l, c.low), yes, no);
    if (c.high) r = lower_pack_halves(l, r, lower_select(l, with_third(l, c.high), yes, no));
    lower_write(l, 0, r);
}

void lower_selp(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type);
    lower_write(l, 0, lower_select(l, lower_read(l, 3, PTX_PRED), a, b));
}

// slct d, a, b, c: c >= 0 ? a : b. -0.0 is not below zero, and NaN is not at or above it.
void lower_slct(struct lower *l)
{
    enum ptx_type type = lower_type0(l), of = l->inst->types[1];
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type);
    struct ir_value *p = lower_compare(l, CMP_GE, lower_type(of), lower_read(l, 3, of), word(l, 0));
    if (l->inst->ftz) p->def->flags |= INST_FTZ;
    lower_write(l, 0, lower_select(l, p, a, b));
}
