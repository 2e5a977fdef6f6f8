// Floating point: arithmetic and approximations (PTX ISA 9.7.3, 9.7.4).
//
// Correctly rounded quotients, roots and reciprocals are one IR operation each; legalisation in the optimiser
// expands them. Approximations map directly to the special-function unit.
#include "compile/lower/impl.h"
#include "isa/inst.h"
#include "isa/modes.h"

// Puts the modifiers of the PTX instruction on the operation that defines v.
static struct ir_value *modified(struct lower *l, struct ir_value *v)
{
    const struct ptx_inst *i = l->inst;
    v->def->round = (uint8_t)lower_round(i->round);
    if (i->ftz) v->def->flags |= INST_FTZ;
    if (i->sat) v->def->flags |= INST_SAT;
    if (i->relu) v->def->flags |= INST_RELU;
    if (i->nan) v->def->flags |= INST_NAN;
    if (i->xorsign) v->def->flags |= INST_XORSIGN;
    return v;
}

// Operand k of an operation of the type; add.f32.f16 and its like have halves before the last operand.
static struct ir_value *read_source(struct lower *l, unsigned k, enum ptx_type type)
{
    const struct ptx_inst *i = l->inst;
    if (i->type_count < 2 || k + 1 == i->operand_count) return lower_read(l, k, type);
    struct ir_value *r = op1(l, IR_CVT, TYPE_F32, lower_read(l, k, i->types[1]));
    r->def->type2 = (uint8_t)lower_type(i->types[1]);
    return r;
}

// .f32x2: the operation on both words of 64 bits. `negates`: the second operand.
static void on_words(struct lower *l, enum ir_op op, bool negates)
{
    struct ir_value *words[2], *sources[3];
    unsigned count = l->inst->operand_count - 1u;
    for (unsigned k = 0; k < count; k++) sources[k] = lower_read(l, k + 1, PTX_B64);
    for (unsigned h = 0; h < 2; h++) {
        struct ir_value *uses[3];
        for (unsigned k = 0; k < count; k++) {
            uses[k] = h ? lower_high(l, sources[k]) : lower_low(l, sources[k]);
            if (negates && k == 1) uses[k] = op1(l, IR_FNEG, TYPE_F32, uses[k]);
        }
        words[h] = modified(l, lower_make(l, op, TYPE_F32, IR_CLASS_32, count, uses));
    }
    lower_write(l, 0, lower_pack(l, words[0], words[1]));
}

void lower_float_binary(struct lower *l, enum ir_op op)
{
    enum ptx_type type = lower_type0(l);
    if (type == PTX_F32X2) {
        on_words(l, op, false);
        return;
    }
    struct ir_value *a = read_source(l, 1, type), *b = lower_read(l, 2, type);
    struct ir_value *r = modified(l, op2(l, op, lower_type(type), a, b));
    bool third = (op == IR_FMIN || op == IR_FMAX) && l->inst->operand_count == 4; // min d, a, b, c
    if (third) r = modified(l, op2(l, op, lower_type(type), r, lower_read(l, 3, type)));
    lower_write(l, 0, r);
}

void lower_float_sub(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_type(type);
    if (type == PTX_F32X2) {
        on_words(l, IR_FADD, true);
        return;
    }
    struct ir_value *a = read_source(l, 1, type), *b = op1(l, IR_FNEG, t, lower_read(l, 2, type));
    lower_write(l, 0, modified(l, op2(l, IR_FADD, t, a, b)));
}

void lower_fma(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    if (type == PTX_F32X2) {
        on_words(l, IR_FFMA, false);
        return;
    }
    struct ir_value *a = read_source(l, 1, type), *b = read_source(l, 2, type);
    lower_write(l, 0, modified(l, op3(l, IR_FFMA, lower_type(type), a, b, lower_read(l, 3, type))));
}

struct ir_value *lower_flush(struct lower *l, enum isa_type t, struct ir_value *v)
{
    uint32_t minus_zero = t == TYPE_F32 ? 0x80000000 : t == TYPE_F16 ? 0x8000 : 0x80008000;
    return op2(l, IR_FADD, t, v, word(l, minus_zero));
}

// neg and abs change only the sign bit; .ftz flushes the result.
void lower_float_sign(struct lower *l, enum ir_op op)
{
    enum ptx_type type = lower_type0(l);
    enum isa_type t = lower_type(type);
    struct ir_value *r = op1(l, op, t, lower_read(l, 1, type));
    if (l->inst->ftz) r = modified(l, lower_flush(l, t, r));
    lower_write(l, 0, r);
}

// -- special functions --------------------------------------------------------------------------------------

static struct ir_value *mufu(struct lower *l, enum isa_mode mode, enum isa_type t, struct ir_value *a,
                             bool ftz)
{
    struct ir_value *r = lower_make(l, IR_MUFU, t, IR_CLASS_32, 1, &a);
    r->def->mode = (uint8_t)mode;
    if (ftz) r->def->flags |= INST_FTZ;
    return r;
}

static struct ir_value *multiply(struct lower *l, struct ir_value *a, struct ir_value *b, bool ftz)
{
    struct ir_value *r = op2(l, IR_FMUL, TYPE_F32, a, b);
    if (ftz) r->def->flags |= INST_FTZ;
    return r;
}

static struct ir_value *float_constant(struct lower *l, float f) { return word(l, f32_bits(f)); }

static struct ir_value *magnitude_is(struct lower *l, enum isa_cmp cmp, struct ir_value *v, float limit)
{
    return lower_compare(l, cmp, TYPE_F32, op1(l, IR_FABS, TYPE_F32, v), float_constant(l, limit));
}

// bf16 has the exponent range of f32: an approximation in bf16 is computed in f32 and rounded.
static void approximate(struct lower *l, enum isa_mode mode)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type);
    if (type != PTX_BF16) {
        lower_write(l, 0, mufu(l, mode, lower_type(type), a, l->inst->ftz));
        return;
    }
    struct ir_value *r = mufu(l, mode, TYPE_F32, op2(l, IR_SHL, TYPE_U32, a, word(l, 16)), l->inst->ftz);
    r = op1(l, IR_CVT, TYPE_BF16, r);
    r->def->type2 = TYPE_F32;
    lower_write(l, 0, r);
}

void lower_sin(struct lower *l) { approximate(l, MODE_MUFU_SIN); }
void lower_cos(struct lower *l) { approximate(l, MODE_MUFU_COS); }
void lower_lg2(struct lower *l) { approximate(l, MODE_MUFU_LG2); }
void lower_ex2(struct lower *l) { approximate(l, MODE_MUFU_EX2); }
void lower_tanh(struct lower *l) { approximate(l, MODE_MUFU_TANH); }

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read the high word only, and set the low word of the result to
// zero (PTX ISA 9.7.3.14, 9.7.3.17).
static void approximate_high_word(struct lower *l, enum isa_mode mode)
{
    struct ir_value *high = lower_high(l, lower_read(l, 1, PTX_F64));
    lower_write(l, 0, lower_pack(l, word(l, 0), mufu(l, mode, TYPE_F64, high, true)));
}

static void rounded(struct lower *l, enum ir_op op)
{
    enum ptx_type type = lower_type0(l);
    lower_write(l, 0, modified(l, op1(l, op, lower_type(type), lower_read(l, 1, type))));
}

void lower_rcp(struct lower *l)
{
    if (!l->inst->approx)
        rounded(l, IR_RCP);
    else if (lower_type0(l) == PTX_F64)
        approximate_high_word(l, MODE_MUFU_RCP64H);
    else
        approximate(l, MODE_MUFU_RCP);
}

void lower_sqrt(struct lower *l)
{
    if (l->inst->approx)
        approximate(l, MODE_MUFU_SQRT);
    else
        rounded(l, IR_SQRT);
}

void lower_rsqrt(struct lower *l)
{
    if (lower_type0(l) == PTX_F32) {
        approximate(l, MODE_MUFU_RSQ);
    } else if (l->inst->ftz) {
        approximate_high_word(l, MODE_MUFU_RSQ64H);
    } else { // 1 / sqrt(x), both rounded: more accurate than PTX requires, correct for special values
        struct ir_value *root = op1(l, IR_SQRT, TYPE_F64, lower_read(l, 1, PTX_F64));
        lower_write(l, 0, op1(l, IR_RCP, TYPE_F64, root));
    }
}

// -- quotients ----------------------------------------------------------------------------------------------

// div.approx.f32 is a * (1 / b), where 1 / b is zero for |b| > 2^126 (PTX ISA 9.7.3.8). The special-function
// unit flushes subnormals, so both operands are scaled first if |b| < 2^-126, unless the division has .ftz:
//
//     s = |b| >= 2^-126 ? 1 : 2^24        d = (a * s) * rcp.ftz(b * s)
static struct ir_value *divide_approx(struct lower *l, struct ir_value *a, struct ir_value *b)
{
    bool ftz = l->inst->ftz;
    if (!ftz) {
        struct ir_value *small = magnitude_is(l, CMP_LT, b, 0x1p-126f), *scale = float_constant(l, 0x1p24f);
        a = lower_select(l, small, multiply(l, a, scale, false), a);
        b = lower_select(l, small, multiply(l, b, scale, false), b);
    }
    return multiply(l, a, mufu(l, MODE_MUFU_RCP, TYPE_F32, b, true), ftz);
}

// div.full.f32 scales both operands: by 2^24 for |b| < 2^-126, by 1/4 for |b| > 2^126, where 1 / b would be
// subnormal. If a · 2^24 overflows, a / b overflows, too.
static struct ir_value *divide_full(struct lower *l, struct ir_value *a, struct ir_value *b)
{
    bool ftz = l->inst->ftz;
    struct ir_value *small = magnitude_is(l, CMP_LT, b, 0x1p-126f),
                    *large = magnitude_is(l, CMP_GT, b, 0x1p126f);
    struct ir_value *scale = lower_select(l, small, float_constant(l, 0x1p24f), float_constant(l, 1.0f));
    scale = lower_select(l, large, float_constant(l, 0.25f), scale);
    struct ir_value *reciprocal = mufu(l, MODE_MUFU_RCP, TYPE_F32, multiply(l, b, scale, ftz), ftz);
    return multiply(l, multiply(l, a, scale, ftz), reciprocal, ftz);
}

void lower_float_div(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type), *r;
    if (l->inst->approx)
        r = divide_approx(l, a, b);
    else if (l->inst->full)
        r = divide_full(l, a, b);
    else
        r = modified(l, op2(l, IR_DIV, lower_type(type), a, b));
    lower_write(l, 0, r);
}

// -- signs and classes --------------------------------------------------------------------------------------

// The sign of a on the magnitude of b (PTX ISA 9.7.3.2).
void lower_copysign(struct lower *l)
{
    enum ptx_type type = lower_type0(l);
    struct ir_value *a = lower_read(l, 1, type), *b = lower_read(l, 2, type), *sign = word(l, 0x80000000);
    enum { LUT_MERGE = (0xaa & 0xf0) | (0x55 & 0xcc) }; // c ? a : b, bit by bit
    if (type == PTX_F32) {
        lower_write(l, 0, lower_lop3(l, LUT_MERGE, a, b, sign));
        return;
    }
    struct ir_value *high = lower_lop3(l, LUT_MERGE, lower_high(l, a), lower_high(l, b), sign);
    lower_write(l, 0, lower_pack(l, lower_low(l, b), high));
}

// testp compares the bits without the sign as integers (PTX ISA 9.7.3.1; zeros count as normal):
//
//     0 | 1 … subnormal | smallest normal … finite | infinity | NaNs …
void lower_testp(struct lower *l)
{
    bool is_f64 = lower_type0(l) == PTX_F64;
    enum isa_type t = is_f64 ? TYPE_U64 : TYPE_U32;
    enum ir_class class = is_f64 ? IR_CLASS_64 : IR_CLASS_32;
    uint64_t infinity = is_f64 ? 0x7ff0000000000000 : 0x7f800000, normal = is_f64 ? 1ull << 52 : 1u << 23;
    uint64_t all = is_f64 ? INT64_MAX : INT32_MAX;
    struct ir_value *m = op2(l, IR_AND, t, lower_read(l, 1, lower_type0(l)), ir_constant(l->f, class, all));
    struct ir_value *limit = ir_constant(l->f, class, infinity), *r = NULL;
    struct ir_value *one = ir_constant(l->f, class, 1), *subnormals = ir_constant(l->f, class, normal - 1);
    switch ((int)l->inst->mode) {
    case PTX_MODE_TESTP_FINITE: r = lower_compare(l, CMP_LT, t, m, limit); break;
    case PTX_MODE_TESTP_INFINITE: r = lower_compare(l, CMP_EQ, t, m, limit); break;
    case PTX_MODE_TESTP_NUMBER: r = lower_compare(l, CMP_LE, t, m, limit); break;
    case PTX_MODE_TESTP_NAN: r = lower_compare(l, CMP_GT, t, m, limit); break;
    case PTX_MODE_TESTP_SUBNORMAL:
        r = lower_compare(l, CMP_LT, t, op2(l, IR_SUB, t, m, one), subnormals);
        break;
    default: { // normal: finite and not subnormal
        struct ir_value *finite = lower_compare(l, CMP_LT, t, m, limit);
        struct ir_value *other = lower_compare(l, CMP_GE, t, op2(l, IR_SUB, t, m, one), subnormals);
        r = lower_combine(l, PTX_BOOL_AND, finite, other);
    }
    }
    lower_write(l, 0, r);
}
