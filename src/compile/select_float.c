// Selection of floating-point arithmetic, conversions and comparisons.
//
// Negation and absolute value are operand modifiers of every float instruction: FNEG and FABS vanish into
// their users. The types choose the instruction: F32, F64, and F16 or BF16 in two halves of which a scalar
// uses the low one.
#include "base/bits.h"
#include "compile/select.h"

static bool is_double(unsigned type) { return type == TYPE_F64; }

static bool is_half(unsigned type)
{
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static uint8_t half_type(unsigned type)
{
    return type == TYPE_BF16 || type == TYPE_BF16X2 ? TYPE_BF16 : TYPE_F16;
}

// Follows FNEG and FABS of the same type down to what is modified; flags are what the operand must carry.
static struct ir_value *strip_signs(struct select *s, struct ir_value *v, unsigned type, uint8_t *flags)
{
    for (*flags = 0;;) {
        struct ir_inst *neg = def_of(v, IR_FNEG), *abs = def_of(v, IR_FABS), *i = neg ? neg : abs;
        if (!i || i->type != type) return v;
        folded(s, i);
        if (neg && !(*flags & OPERAND_ABS)) *flags ^= OPERAND_NEG;
        if (abs) *flags |= OPERAND_ABS;
        v = i->uses[0].value;
    }
}

static struct source signed_imm(uint32_t bits, uint8_t flags)
{
    if (flags & OPERAND_ABS) bits &= 0x7fffffff;
    if (flags & OPERAND_NEG) bits ^= 0x80000000;
    return source_imm(bits);
}

// A 64-bit operand: an immediate when the low word is zero, a literal otherwise.
static struct source double_source(struct select *s, struct ir_value *v)
{
    uint8_t flags;
    uint64_t bits;
    v = strip_signs(s, v, TYPE_F64, &flags);
    struct source o;
    if (constant_of(v, &bits) && !(uint32_t)bits) {
        o = signed_imm((uint32_t)(bits >> 32), flags);
        o.o.width = 2;
        return o;
    }
    if (constant_of(v, &bits)) {
        struct operand c = {
            .kind = OPERAND_CONST, .width = 2, .bank = BANK_LITERAL, .value = select_literal(s, bits)};
        o = (struct source){c, MACH_NONE};
    } else {
        o = source_pair_any(s, v);
    }
    o.o.flags = flags;
    return o;
}

static struct source float_source(struct select *s, struct ir_value *v, unsigned type)
{
    uint8_t flags;
    uint64_t bits;
    if (is_double(type)) return double_source(s, v);
    v = strip_signs(s, v, type, &flags);
    if (constant_of(v, &bits) && type == TYPE_F32) return signed_imm((uint32_t)bits, flags);
    struct source o = source_any(s, v);
    if (source_is_zero(&o) && type == TYPE_F32) return signed_imm(0, flags);
    if (flags) o = in_register(s, o); // modifiers on immediates of two halves would be read as an integer's
    o.o.flags = flags;
    return o;
}

static void set_float_flags(struct mach_inst *m, const struct ir_inst *i)
{
    m->i.round = i->round;
    m->i.flags |= i->flags & (INST_FTZ | INST_SAT | INST_NAN | INST_XORSIGN | INST_RELU);
}

void select_arithmetic(struct select *s, struct ir_inst *i)
{
    bool wide = is_double(i->type);
    struct mach_inst *m = begin(s, select_table[i->op].op[wide ? 1 : is_half(i->type) ? 2 : 0]);
    set_float_flags(m, i);
    if (is_half(i->type)) m->i.type = half_type(i->type);
    if (i->op == IR_FMIN || i->op == IR_FMAX) {
        m->i.mode = i->op == IR_FMIN ? MODE_MIN : MODE_MAX;
        m->i.round = ROUND_RN;
    }
    set_dst(m, 0, wanted(s, i, 0), wide ? 2 : 1);
    for (unsigned k = 0; k < i->use_count; k++) set_src(m, k, float_source(s, ir_operand(i, k), i->type));
    finish(s, m);
}

// FNEG and FABS whose value is wanted in a register: the sign bits of each word, untouched otherwise.
void select_sign(struct select *s, struct ir_inst *i)
{
    enum { XOR = 0x3c, AND = 0xc0 };
    bool negate = i->op == IR_FNEG, both = i->type == TYPE_F16X2 || i->type == TYPE_BF16X2;
    uint32_t sign = both ? 0x80008000 : is_half(i->type) ? 0x8000 : 0x80000000;
    uint32_t dst = wanted(s, i, 0);
    struct ir_value *a = ir_operand(i, 0);
    struct source high = is_double(i->type) ? source_half(s, a, HIGH) : source_any(s, a);
    emit_lop3(s, is_double(i->type) ? dst + 1 : dst, high, source_imm(negate ? sign : ~sign), source_zero(),
              negate ? XOR : AND);
    if (is_double(i->type)) move_to(s, dst, source_half(s, a, LOW));
}

void select_mufu(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, is_half(i->type) ? OP_HMUFU : OP_MUFU);
    m->i.mode = i->mode;
    m->i.flags = i->flags & (INST_FTZ | INST_SAT);
    if (is_half(i->type)) m->i.type = half_type(i->type);
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0,
            is_double(i->type) ? source_any(s, ir_operand(i, 0))
                               : float_source(s, ir_operand(i, 0), i->type));
    finish(s, m);
}

// -- conversions --------------------------------------------------------------------------------------------

static unsigned conversion_op(const struct ir_inst *i)
{
    bool from = isa_type_is_float((enum isa_type)i->type2), to = isa_type_is_float((enum isa_type)i->type);
    if (!from) return OP_I2F;
    if (!to) return OP_F2I;
    return i->type == i->type2 && i->flags & INST_WRAP ? OP_FRND : OP_F2F;
}

void select_convert(struct select *s, struct ir_inst *i)
{
    unsigned op = conversion_op(i);
    bool wide_source = isa_type_bytes((enum isa_type)i->type2) == 8;
    struct mach_inst *m = begin(s, op);
    m->i.type = i->type;
    m->i.type2 = op == OP_FRND ? TYPE_NONE : i->type2;
    m->i.round = i->round;
    m->i.flags = i->flags & (op == OP_F2F ? INST_FTZ | INST_SAT | INST_RELU : INST_FTZ | INST_SAT);
    set_dst(m, 0, wanted(s, i, 0), isa_type_bytes((enum isa_type)i->type) == 8 ? 2 : 1);
    if (op != OP_I2F)
        set_src(m, 0, float_source(s, ir_operand(i, 0), i->type2));
    else
        set_src(m, 0, wide_source ? source_pair_any(s, ir_operand(i, 0)) : source_any(s, ir_operand(i, 0)));
    finish(s, m);
}

void select_pack_halves(struct select *s, struct ir_inst *i)
{
    struct mach_inst *m = begin(s, OP_F2FP);
    m->i.type = half_type(i->type);
    m->i.round = i->round;
    m->i.flags = i->flags & (INST_RELU | INST_SAT | INST_FTZ);
    set_dst(m, 0, wanted(s, i, 0), 1);
    set_src(m, 0, float_source(s, ir_operand(i, 0), TYPE_F32));
    set_src(m, 1, float_source(s, ir_operand(i, 1), TYPE_F32));
    finish(s, m);
}

// -- comparisons --------------------------------------------------------------------------------------------

static void set_compare(struct mach_inst *m, unsigned cmp, unsigned boolean, uint32_t p, uint32_t q,
                        struct source c)
{
    m->i.cmp = (uint8_t)cmp;
    m->i.boolean = (uint8_t)boolean;
    set_dst_pred(m, 0, p);
    set_dst_pred(m, 1, q);
    set_src(m, 2, c);
}

static void compare_floats(struct select *s, struct ir_inst *i, struct compare *c)
{
    struct mach_inst *m = begin(s, is_double(i->type) ? OP_DSETP : is_half(i->type) ? OP_HSETP2 : OP_FSETP);
    m->i.flags = i->flags & INST_FTZ;
    if (is_half(i->type)) m->i.type = half_type(i->type);
    if (i->type == TYPE_F16 || i->type == TYPE_BF16) m->i.flags |= INST_SCALAR;
    set_compare(m, i->cmp, c->boolean, c->p, c->q, c->c);
    set_src(m, 0, float_source(s, ir_operand(i, 0), i->type));
    set_src(m, 1, float_source(s, ir_operand(i, 1), i->type));
    finish(s, m);
}

static bool is_integer_signed(unsigned type) { return type == TYPE_S32 || type == TYPE_S64; }

static struct mach_inst *compare_words(struct select *s, struct source a, struct source b, unsigned type)
{
    struct mach_inst *m = begin(s, OP_ISETP);
    m->i.type = (uint8_t)type;
    set_src(m, 0, a);
    set_src(m, 1, b);
    (void)s;
    return m;
}

//     ISETP.LT.U32.AND   p = a0 < b0
//     ISETP.LT.AND.EX    d = a1 < b1 || (a1 == b1 && p)
static void compare_integers(struct select *s, struct ir_inst *i, struct compare *c)
{
    struct ir_value *a = ir_operand(i, 0), *b = ir_operand(i, 1);
    unsigned type = is_integer_signed(i->type) ? TYPE_S32 : TYPE_U32;
    if (isa_type_bytes((enum isa_type)i->type) != 8) {
        struct mach_inst *m = compare_words(s, source_any(s, a), source_any(s, b), type);
        set_compare(m, i->cmp, c->boolean, c->p, c->q, c->c);
        finish(s, m);
        return;
    }
    struct source low = source_true();
    low.unit = mach_pred(s->f);
    struct mach_inst *m = compare_words(s, source_half(s, a, LOW), source_half(s, b, LOW), TYPE_U32);
    set_compare(m, i->cmp, BOOL_AND, low.unit, MACH_NONE, source_true());
    finish(s, m);
    m = compare_words(s, source_half(s, a, HIGH), source_half(s, b, HIGH), type);
    m->i.flags |= INST_EX;
    set_compare(m, i->cmp, c->boolean, c->p, c->q, c->c);
    set_src(m, 3, low);
    finish(s, m);
}

void select_compare(struct select *s, struct ir_inst *i, struct compare *c)
{
    if (isa_type_is_float((enum isa_type)i->type))
        compare_floats(s, i, c);
    else
        compare_integers(s, i, c);
}

void select_setp(struct select *s, struct ir_inst *i)
{
    if (select_test(s, i)) return;
    struct compare c = {BOOL_AND, wanted(s, i, 0), wanted(s, i, 1), source_true()};
    select_compare(s, i, &c);
}
