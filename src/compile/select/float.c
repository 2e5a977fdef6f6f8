// Selection of floating-point arithmetic, conversions and comparisons.
//
// Negation and absolute value are operand modifiers of every float instruction, so FNEG and FABS fold into
// their users. The type chooses the instruction: F32, F64, or packed halves F16 and BF16, where a scalar uses
// the low half.
#include "base/bits.h"
#include "compile/select/select.h"
#include "isa/bank.h"
#include "isa/modes.h"
#include "isa/profile.h"
#include "isa/space.h"

static bool is_double(unsigned type) { return type == TYPE_F64; }

static bool is_half(unsigned type)
{
    return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F16X2 || type == TYPE_BF16X2;
}

static uint8_t half_type(unsigned type)
{
    return type == TYPE_BF16 || type == TYPE_BF16X2 ? TYPE_BF16 : TYPE_F16;
}

// Skips FNEG and FABS of the same type and returns the value under the signs; *flags: the operand modifiers
// that replace the skipped instructions.
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

// Operand for a double: a constant with a low word of zero is an immediate, any other constant an entry of
// the literal bank; a computed value is a register pair.
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
    // Sign modifiers would treat an immediate pair of halves as one integer, so the pair goes to a register.
    if (flags) o = in_register(s, o);
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

// FNEG and FABS requested in a register: logic on the sign bit of each word.
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

// -- special functions --------------------------------------------------------------------------------------

static struct mach_inst *begin_mufu(struct select *s, const struct ir_inst *i, uint32_t dst, struct source a)
{
    struct mach_inst *m = begin(s, is_half(i->type) ? OP_HMUFU : OP_MUFU);
    m->i.mode = i->mode;
    m->i.flags = i->flags & (INST_FTZ | INST_SAT);
    if (is_half(i->type)) m->i.type = half_type(i->type);
    set_dst(m, 0, dst, 1);
    set_src(m, 0, a);
    return m;
}

static uint32_t emit_rro(struct select *s, struct source a, enum isa_mode mode)
{
    uint32_t reduced = mach_reg(s->f, 1);
    struct mach_inst *m = begin(s, OP_RRO);
    m->i.mode = (uint8_t)mode;
    set_dst(m, 0, reduced, 1);
    set_src(m, 0, a);
    finish(s, m);
    return reduced;
}

static bool is_same(const struct source *a, const struct source *b)
{
    return a->o.kind == OPERAND_REG && b->o.kind == OPERAND_REG && a->unit == b->unit &&
           a->o.flags == b->o.flags;
}

// RRO of an angle. The sine and cosine of an angle share one RRO, which moves up to the first user (users are
// met bottom up). Measured on a GTX 1080 Ti: SHOC's FFT of doubles, 14 angles, executes 42 single-precision
// instructions: 14 RRO and 28 MUFU.
static uint32_t reduced_angle(struct select *s, struct source a)
{
    for (size_t k = 0; k < s->angles.count; k++) {
        struct mach_inst *m = s->angles.data[k].inst;
        if (!is_same(&s->angles.data[k].of, &a)) continue;
        if (s->cursor == m) s->cursor = m->next;
        mach_remove(m);
        mach_insert_before(s->block, s->cursor, m);
        return m->dst[0];
    }
    uint32_t unit = emit_rro(s, a, MODE_RRO_SINCOS);
    struct angle angle = {a, s->made.data[s->made.count - 1]};
    vec_push(&s->angles, angle);
    return unit;
}

// Profile pascal: sine, cosine and 2^x take their argument through RRO. Otherwise returns `a` unchanged.
static struct source range_reduced(struct select *s, struct source a, enum isa_mode mode)
{
    bool is_angle = mode == MODE_MUFU_SIN || mode == MODE_MUFU_COS;
    if (s->profile != PROFILE_PASCAL || (!is_angle && mode != MODE_MUFU_EX2)) return a;
    return source_unit(is_angle ? reduced_angle(s, a) : emit_rro(s, a, MODE_MUFU_EX2), 1);
}

// The hardware unit flushes subnormals. So an f32 function without .ftz or .sat scales arguments before and
// results after, in lanes with a subnormal (not in profile ptxplus):
//
//     FSETP.LT p, |x|, 2^-126      lg2: x * 2^24, r - 24       rsq:  x * 2^24, r * 2^12
//     @p FMUL  x, x, scale         2^x: x / 2 below -126, r r  sqrt: x * 2^24, r * 2^-12
//     MUFU.FTZ r, x
//     @p FMUL  r, r, back          exec/mufu.h rounds in the same way
static const struct scaling {
    float limit, scale, back;
    bool of_magnitude, adds, squares;
} scalings[MODE_COUNT] = {
    [MODE_MUFU_LG2] = {0x1p-126f, 0x1p24f, -24.0f, .of_magnitude = true, .adds = true},
    [MODE_MUFU_RSQ] = {0x1p-126f, 0x1p24f, 0x1p12f, .of_magnitude = true},
    [MODE_MUFU_SQRT] = {0x1p-126f, 0x1p24f, 0x1p-12f, .of_magnitude = true},
    [MODE_MUFU_EX2] = {-126.0f, 0.5f, 0, .squares = true},
};

// dst = a op b where p is true, else a.
static uint32_t emit_where(struct select *s, uint32_t p, unsigned op, uint32_t a, struct source b)
{
    uint32_t dst = mach_reg(s->f, 1);
    struct mach_inst *m = emit2(s, op, dst, source_unit(a, 1), b);
    m->guard = p;
    m->old[0] = a;
    return dst;
}

static struct source minus_zero(void)
{
    struct source o = source_zero();
    o.o.flags = OPERAND_NEG;
    return o;
}

// Selects p ? x * c : x with a constant c as a guarded multiplication. False if the select has a different
// form, or in profile ptxplus.
bool select_scaled_where(struct select *s, struct ir_inst *select)
{
    uint64_t c;
    struct ir_value *x = strip(ir_operand(select, 1));
    struct ir_inst *m = fold_of(s, ir_operand(select, 0), IR_FMUL);
    if (s->profile == PROFILE_PTXPLUS || !m || m->type != TYPE_F32 || x->is_constant) return false;
    if (strip(ir_operand(m, 0)) != x || !constant_of(ir_operand(m, 1), &c)) return false;
    struct source p = source_pred(s, ir_operand(select, 2));
    if (p.unit == MACH_NONE) return false;
    folded(s, m);
    struct mach_inst *i = begin(s, OP_FMUL);
    set_float_flags(i, m);
    i->guard = p.unit;
    i->i.guard_not = (p.o.flags & OPERAND_NOT) != 0;
    i->old[0] = demand(s, x);
    set_dst(i, 0, wanted(s, select, 0), 1);
    set_src(i, 0, source_unit(i->old[0], 1));
    set_src(i, 1, source_imm((uint32_t)c));
    finish(s, i);
    return true;
}

static struct source float_constant(float f) { return source_imm(f32_bits(f)); }

static void select_scaled(struct select *s, const struct ir_inst *i, uint32_t dst, struct source a)
{
    const struct scaling *scaling = &scalings[i->mode];
    uint32_t p = mach_pred(s->f), x = mach_reg(s->f, 1), r = mach_reg(s->f, 1);
    if (a.o.flags)
        emit2(s, OP_FADD, x, a, minus_zero());
    else
        copy_to(s, x, in_register(s, a));
    struct mach_inst *test = begin(s, OP_FSETP);
    struct source tested = source_unit(x, 1);
    if (scaling->of_magnitude) tested.o.flags = OPERAND_ABS;
    test->i.cmp = CMP_LT;
    set_dst_pred(test, 0, p);
    set_dst_pred(test, 1, MACH_NONE);
    set_src(test, 0, tested);
    set_src(test, 1, float_constant(scaling->limit));
    set_src(test, 2, source_true());
    finish(s, test);
    x = emit_where(s, p, OP_FMUL, x, float_constant(scaling->scale));
    struct mach_inst *m = begin_mufu(s, i, r, range_reduced(s, source_unit(x, 1), (enum isa_mode)i->mode));
    m->i.flags = INST_FTZ;
    finish(s, m);
    struct source back = scaling->squares ? source_unit(r, 1) : float_constant(scaling->back);
    r = emit_where(s, p, scaling->adds ? OP_FADD : OP_FMUL, r, back);
    copy_to(s, dst, source_unit(r, 1));
}

void select_mufu(struct select *s, struct ir_inst *i)
{
    struct source a =
        is_double(i->type) ? source_any(s, ir_operand(i, 0)) : float_source(s, ir_operand(i, 0), i->type);
    bool keeps_subnormals = i->type == TYPE_F32 && !(i->flags & (INST_FTZ | INST_SAT));
    if (keeps_subnormals && scalings[i->mode].limit != 0 && s->profile != PROFILE_PTXPLUS) {
        select_scaled(s, i, wanted(s, i, 0), a);
        return;
    }
    if (i->type == TYPE_F32) a = range_reduced(s, a, (enum isa_mode)i->mode);
    finish(s, begin_mufu(s, i, wanted(s, i, 0), a));
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
    bool is_eight = i->type == TYPE_E4M3 || i->type == TYPE_E5M2;
    m->i.type = is_eight ? i->type : (uint8_t)half_type(i->type);
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

// Compares 32-bit integers by one ISETP, 64-bit integers a1:a0 and b1:b0 by two:
//
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
