// Double-precision division, reciprocal and square root, correctly rounded in every mode, for every operand.
//
// The machine computes the high word of 1/x or 1/sqrt(x) from the high word of x, good to about 2^-19; Newton
// steps in DFMA do the rest. Hot and cold paths as in legalise_f32.c. The hot path takes exponents where no
// step can overflow, underflow or lose a bit of a residual. The cold path scales its operands, exactly, until
// the same holds:
//
//   a / b   mantissas m = a·2^-A, n = b·2^-B in [1, 2), k = A - B. With q = m/n to nearest, s = q·2^k
//           rounded to nearest is the quotient or, if subnormal, its neighbour on the coarser grid. In both
//           cases m - n·(s·2^-k) is exact, and one DFMA of s with the residual (times 1/n) rounds the
//           quotient once, in the requested mode. k is at most 900 up to this DFMA, so s is finite; the rest
//           of the scaling is exact or overflows by mode.
//   sqrt a  a·2^128; the root of a double is never subnormal and never overflows.
#include "compile/pass/legalise.h"
#include "isa/modes.h"

#define ONE  0x3ff0000000000000ull
#define HALF 0x3fe0000000000000ull

static struct ir_value *fma64(struct builder *b, struct ir_value *x, struct ir_value *y, struct ir_value *z)
{
    return build3(b, IR_FFMA, TYPE_F64, x, y, z);
}

static struct ir_value *mul64(struct builder *b, struct ir_value *x, struct ir_value *y)
{
    return build2(b, IR_FMUL, TYPE_F64, x, y);
}

static struct ir_value *negated(struct builder *b, struct ir_value *x)
{
    return build1(b, IR_FNEG, TYPE_F64, x);
}

static struct ir_value *high(struct builder *b, struct ir_value *x) { return build1(b, IR_HI, TYPE_NONE, x); }

static struct ir_value *approximation(struct builder *b, enum isa_mode mode, struct ir_value *x)
{
    struct ir_value *v = build1(b, IR_MUFU, TYPE_F64, high(b, x));
    b->made->mode = (uint8_t)mode;
    return build2(b, IR_PACK, TYPE_NONE, build_u32(b, 0), v);
}

static struct ir_value *exponent_field(struct builder *b, struct ir_value *high_word)
{
    return build3(b, IR_BFE, TYPE_U32, high_word, build_u32(b, 20), build_u32(b, 11));
}

// True if x - low > span, unsigned: x is outside low … low + span.
static struct ir_value *outside(struct builder *b, struct ir_value *x, uint32_t low, uint32_t span)
{
    struct ir_value *offset = build2(b, IR_ADD, TYPE_U32, x, build_u32(b, 0u - low));
    return build_compare(b, CMP_GT, TYPE_U32, offset, build_u32(b, span));
}

static struct ir_value *either(struct builder *b, struct ir_value *p, struct ir_value *q)
{
    return build2(b, IR_POR, TYPE_NONE, p, q);
}

// 2^n for -1022 <= n <= 1023.
static struct ir_value *power(struct builder *b, struct ir_value *n)
{
    struct ir_value *biased = build2(b, IR_ADD, TYPE_U32, n, build_u32(b, 1023));
    return build2(b, IR_PACK, TYPE_NONE, build_u32(b, 0),
                  build2(b, IR_SHL, TYPE_U32, biased, build_u32(b, 20)));
}

// 1/y to nearest, y > 0. The first step, of third order, improves 2^-19 to 2^-57; the second removes the
// rounding error. The first step is rounded up for the sake of one fraction, all ones. There 1/y lies next to
// a midpoint, and a step from below would stay below.
static struct ir_value *reciprocal(struct builder *b, struct ir_value *y, struct ir_value *minus)
{
    struct ir_value *one = build_u64(b, ONE), *r = approximation(b, MODE_MUFU_RCP64H, y);
    struct ir_value *e = fma64(b, minus, r, one);
    r = fma64(b, r, fma64(b, e, e, e), r);
    b->made->round = ROUND_RP;
    return fma64(b, r, fma64(b, minus, r, one), r);
}

static struct ir_value *quotient(struct builder *b, struct ir_value *x, struct ir_value *minus,
                                 struct ir_value *r, unsigned steps)
{
    struct ir_value *q = mul64(b, x, r);
    for (unsigned k = 0; k < steps; k++) q = fma64(b, fma64(b, minus, q, x), r, q);
    return q;
}

// x with its sign inverted if y is negative, so that x / y = result / |y| and later steps see a positive
// divisor.
static struct ir_value *take_sign(struct builder *b, struct ir_value *x, struct ir_value *y)
{
    struct ir_value *sign = build2(b, IR_AND, TYPE_B32, high(b, y), build_u32(b, 0x80000000));
    return build2(b, IR_PACK, TYPE_NONE, build1(b, IR_LO, TYPE_NONE, x),
                  build2(b, IR_XOR, TYPE_B32, high(b, x), sign));
}

static struct ir_value *hot_divide(struct builder *b, const struct ir_inst *i, struct ir_value *x,
                                   struct ir_value *y, struct ir_value **cold)
{
    struct ir_value *a = exponent_field(b, high(b, x)), *e = exponent_field(b, high(b, y));
    struct ir_value *difference = build2(b, IR_SUB, TYPE_U32, a, e);
    *cold = either(b, either(b, outside(b, a, 54, 2046 - 54), outside(b, e, 1, 2044 - 1)),
                   outside(b, difference, 0u - 1021, 1022 + 1021));
    struct ir_value *minus = negated(b, y), *r = reciprocal(b, y, minus);
    struct ir_value *q = quotient(b, x, minus, r, i->round == ROUND_RN ? 2 : 3);
    b->made->round = i->round;
    return q;
}

// -- cold division ------------------------------------------------------------------------------------------

// x = mantissa · 2^(exponent - 1023) for finite x != 0. Returns the mantissa, in ±[1, 2). *exponent is biased
// by 1023, and below 1 for a subnormal x.
static struct ir_value *take_apart(struct builder *b, struct ir_value *x, struct ir_value **exponent)
{
    struct ir_value *field = exponent_field(b, high(b, x));
    struct ir_value *subnormal = build_compare(b, CMP_EQ, TYPE_U32, field, build_u32(b, 0));
    struct ir_value *scaled =
        build_select(b, subnormal, mul64(b, x, build_u64(b, 0x4350000000000000)), x); // 2^54
    struct ir_value *h = high(b, scaled);
    *exponent = build2(b, IR_SUB, TYPE_U32, exponent_field(b, h),
                       build_select(b, subnormal, build_u32(b, 54), build_u32(b, 0)));
    struct ir_value *sign_and_fraction = build2(b, IR_AND, TYPE_B32, h, build_u32(b, 0x800fffff));
    return build2(b, IR_PACK, TYPE_NONE, build1(b, IR_LO, TYPE_NONE, scaled),
                  build2(b, IR_OR, TYPE_B32, sign_and_fraction, build_u32(b, 0x3ff00000)));
}

static struct ir_value *clamped(struct builder *b, struct ir_value *x, int32_t low, int32_t high_limit)
{
    return build2(b, IR_MIN, TYPE_S32, build2(b, IR_MAX, TYPE_S32, x, build_u32(b, (uint32_t)low)),
                  build_u32(b, (uint32_t)high_limit));
}

static struct ir_value *divide_scaled(struct builder *b, const struct ir_inst *i, struct ir_value *x,
                                      struct ir_value *y)
{
    struct ir_value *a, *e;
    struct ir_value *m = take_apart(b, x, &a), *n = take_apart(b, y, &e);
    struct ir_value *minus = negated(b, n), *r = reciprocal(b, n, minus);
    struct ir_value *k = clamped(b, build2(b, IR_SUB, TYPE_U32, a, e), -1200, 1100);
    struct ir_value *k0 = build2(b, IR_MIN, TYPE_S32, k, build_u32(b, 900));
    struct ir_value *k1 = build2(b, IR_SHR, TYPE_S32, k0, build_u32(b, 1)),
                    *k2 = build2(b, IR_SUB, TYPE_U32, k0, k1);
    struct ir_value *zero = build_u32(b, 0);
    struct ir_value *up1 = power(b, k1), *up2 = power(b, k2);
    struct ir_value *down1 = power(b, build2(b, IR_SUB, TYPE_U32, zero, k1));
    struct ir_value *down2 = power(b, build2(b, IR_SUB, TYPE_U32, zero, k2));
    struct ir_value *q = quotient(b, m, minus, r, 2);
    struct ir_value *s = mul64(b, mul64(b, q, up1), up2);
    struct ir_value *residual = fma64(b, minus, mul64(b, mul64(b, s, down2), down1), m);
    struct ir_value *rounded = fma64(b, mul64(b, residual, up1), mul64(b, r, up2), s);
    b->made->round = i->round;
    struct ir_value *result = mul64(b, rounded, power(b, build2(b, IR_SUB, TYPE_U32, k, k0)));
    b->made->round = i->round;
    return result;
}

// The quotient is x · w if an operand is zero, infinite or NaN. take_sign has moved the sign of y to x. w is
// infinity for y = 0, 0 for an infinite y, NaN for NaN, and otherwise 1.
static struct ir_value *cold_divide(struct builder *b, const struct ir_inst *i, struct ir_value *x,
                                    struct ir_value *y, struct ir_value *positive)
{
    struct ir_value *zero = build_u64(b, 0), *infinity = build_u64(b, 0x7ff0000000000000);
    struct ir_value *ax = build1(b, IR_FABS, TYPE_F64, x), *ay = positive;
    struct ir_value *y_zero = build_compare(b, CMP_EQ, TYPE_F64, y, zero);
    struct ir_value *y_infinite = build_compare(b, CMP_EQ, TYPE_F64, ay, infinity);
    struct ir_value *special = either(b, build_compare(b, CMP_EQ, TYPE_F64, x, zero),
                                      build_compare(b, CMP_GEU, TYPE_F64, ax, infinity));
    special = either(b, special, either(b, y_zero, build_compare(b, CMP_GEU, TYPE_F64, ay, infinity)));
    struct ir_value *w = build_select(b, y_zero, build_u32(b, 0x7ff00000), build_u32(b, 0x3ff00000));
    w = build_select(b, y_infinite, build_u32(b, 0), w);
    w = build2(b, IR_PACK, TYPE_NONE, build_u32(b, 0), w);
    w = build_select(b, build_compare(b, CMP_NAN, TYPE_F64, y, y), y, w);
    struct ir_value *product = mul64(b, x, w);
    return build_select(b, special, product, divide_scaled(b, i, x, positive));
}

// -- square root --------------------------------------------------------------------------------------------

// The root to nearest. One Newton step of third order and one residual give the right value or, next to a
// midpoint, its neighbour. The signs of x - g·(g ± ulp), where g is the result, decide (Tuckerman's test).
static struct ir_value *root_to_nearest(struct builder *b, struct ir_value *x,
                                        struct ir_value **half_reciprocal)
{
    struct ir_value *y = approximation(b, MODE_MUFU_RSQ64H, x), *half = build_u64(b, HALF),
                    *zero = build_u64(b, 0);
    struct ir_value *e = fma64(b, negated(b, mul64(b, x, y)), y, build_u64(b, ONE));
    struct ir_value *p = fma64(b, e, build_u64(b, 0x3fd8000000000000), half); // 1/2 + 3/8 e
    y = fma64(b, p, mul64(b, y, e), y);
    struct ir_value *g = mul64(b, x, y), *h = mul64(b, y, half);
    g = fma64(b, fma64(b, negated(b, g), g, x), h, g);
    *half_reciprocal = h;
    struct ir_value *minus = negated(b, g);
    struct ir_value *below = build2(b, IR_ADD, TYPE_U64, g, build_u64(b, ~0ull));
    struct ir_value *above = build2(b, IR_ADD, TYPE_U64, g, build_u64(b, 1));
    struct ir_value *too_high = build_compare(b, CMP_LE, TYPE_F64, fma64(b, minus, below, x), zero);
    struct ir_value *too_low = build_compare(b, CMP_GT, TYPE_F64, fma64(b, minus, above, x), zero);
    return build_select(b, too_low, above, build_select(b, too_high, below, g));
}

static struct ir_value *root(struct builder *b, const struct ir_inst *i, struct ir_value *x)
{
    struct ir_value *h, *g = root_to_nearest(b, x, &h);
    if (i->round == ROUND_RN) return g;
    g = fma64(b, fma64(b, negated(b, g), g, x), h, g);
    b->made->round = i->round;
    return g;
}

static struct ir_value *cold_root(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *x = ir_operand(i, 0), *zero = build_u64(b, 0),
                    *infinity = build_u64(b, 0x7ff0000000000000);
    struct ir_value *scaled = mul64(b, x, build_u64(b, 0x47f0000000000000));                 // 2^128
    struct ir_value *small = mul64(b, root(b, i, scaled), build_u64(b, 0x3bf0000000000000)); // 2^-64
    struct ir_value *itself = either(b, build_compare(b, CMP_EQ, TYPE_F64, x, zero),
                                     build_compare(b, CMP_EQ, TYPE_F64, x, infinity));
    struct ir_value *w = build_select(b, itself, build_u64(b, ONE), build_u64(b, 0xfff8000000000000));
    struct ir_value *special = mul64(b, x, w); // x, or NaN if x is negative or NaN
    struct ir_value *number = build2(b, IR_PAND, TYPE_NONE, build_compare(b, CMP_GT, TYPE_F64, x, zero),
                                     build_compare(b, CMP_LT, TYPE_F64, x, infinity));
    return build_select(b, number, small, special);
}

// The hot path takes operands from 2^-959 (every residual is exact) to below infinity. The test reads the
// high word alone.
static struct ir_value *hot_root(struct builder *b, const struct ir_inst *i, struct ir_value **cold)
{
    *cold = outside(b, high(b, ir_operand(i, 0)), 0x04000000, 0x7fefffff - 0x04000000);
    return root(b, i, ir_operand(i, 0));
}

struct ir_value *legalise_f64(struct ir_inst *i)
{
    struct builder hot = builder_at(i);
    struct ir_value *x = i->op == IR_RCP ? build_u64(&hot, ONE) : ir_operand(i, 0);
    struct ir_value *y = i->op == IR_DIV ? ir_operand(i, 1) : ir_operand(i, 0), *positive = NULL;
    struct ir_value *cold_lanes, *result[2];
    if (i->op == IR_SQRT) {
        result[0] = hot_root(&hot, i, &cold_lanes);
    } else {
        x = take_sign(&hot, x, y);
        positive = build1(&hot, IR_FABS, TYPE_F64, y);
        result[0] = hot_divide(&hot, i, x, positive, &cold_lanes);
    }
    struct builder cold = build_cold(i, cold_lanes);
    result[1] = i->op == IR_SQRT ? cold_root(&cold, i) : cold_divide(&cold, i, x, y, positive);
    return build_phi(i->block, IR_CLASS_64, result, i->lines);
}
