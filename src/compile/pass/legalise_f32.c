// Single-precision division, reciprocal and square root, correctly rounded in every mode.
//
//   hot:   approximation, Newton steps in FFMA, a final FFMA that rounds the residual in
//          test (exponents where a step could overflow or be inexact) ──▶ cold:  the same in double precision
//   join:  phi  ◀─────────────────────────────────────────────────────────┘      and one rounding conversion
//
// Hot path. y is the machine's reciprocal of b, rounded to nearest (an error of an ulp would fail for the
// fraction of all ones). Then e = 1 - b·y is exact, and y + y·e is 1/b to within rounding. q = a·y is
// corrected with the exact residual a - b·q (Markstein, IBM J. R&D 34, 1990). Under a directed mode the
// quotient is first computed to nearest, and only the last step is directed. An exact quotient then leaves a
// residual of zero.
//
// Cold path. An inexact quotient or root of 24-bit numbers lies at least 2^-49 (relative) from any 25-bit
// number. The double-precision value is good to 2^-52, and exact where the result is exact, so rounding it
// once more is innocuous, subnormal results included. ftz flushes only at the conversions: no subnormal
// reaches the hot path.
#include "compile/pass/legalise.h"
#include "isa/inst.h"
#include "isa/modes.h"

enum { F32_ONE = 0x3f800000, F32_HALF = 0x3f000000 };

static struct ir_value *fma32(struct builder *b, struct ir_value *x, struct ir_value *y, struct ir_value *z)
{
    return build3(b, IR_FFMA, TYPE_F32, x, y, z);
}

static struct ir_value *fma64(struct builder *b, struct ir_value *x, struct ir_value *y, struct ir_value *z)
{
    return build3(b, IR_FFMA, TYPE_F64, x, y, z);
}

static struct ir_value *mufu(struct builder *b, enum isa_mode mode, struct ir_value *x)
{
    struct ir_value *v = build1(b, IR_MUFU, TYPE_F32, x);
    b->made->mode = (uint8_t)mode;
    return v;
}

// A double: the high word is the machine's approximation for the high word of x, the low word 0.
static struct ir_value *mufu64(struct builder *b, enum isa_mode mode, struct ir_value *x)
{
    struct ir_value *high = build1(b, IR_MUFU, TYPE_F64, build1(b, IR_HI, TYPE_NONE, x));
    b->made->mode = (uint8_t)mode;
    return build2(b, IR_PACK, TYPE_NONE, build_u32(b, 0), high);
}

static struct ir_value *to_f64(struct builder *b, const struct ir_inst *i, struct ir_value *x)
{
    struct ir_value *v = build1(b, IR_CVT, TYPE_F64, x);
    b->made->type2 = TYPE_F32;
    b->made->flags = i->flags & INST_FTZ;
    return v;
}

static struct ir_value *to_f32(struct builder *b, const struct ir_inst *i, struct ir_value *x)
{
    struct ir_value *v = build1(b, IR_CVT, TYPE_F32, x);
    b->made->type2 = TYPE_F64;
    b->made->round = i->round;
    b->made->flags = i->flags & INST_FTZ;
    return v;
}

static struct ir_value *negated(struct builder *b, enum isa_type type, struct ir_value *x)
{
    return build1(b, IR_FNEG, type, x);
}

// -- hot paths: each returns its value and in *cold the predicate of lanes for the cold path ----------------

static struct ir_value *hot_divide(struct builder *b, const struct ir_inst *i, struct ir_value **cold)
{
    struct ir_value *x = ir_operand(i, 0), *y = ir_operand(i, 1), *one = build_u32(b, F32_ONE);
    *cold = build2(b, IR_FCHK, TYPE_F32, x, y);
    struct ir_value *minus = negated(b, TYPE_F32, y), *r = mufu(b, MODE_MUFU_RCP, y);
    r = fma32(b, r, fma32(b, minus, r, one), r);
    struct ir_value *q = build2(b, IR_FMUL, TYPE_F32, x, r);
    unsigned steps = i->round == ROUND_RN ? 2 : 3;
    for (unsigned k = 0; k < steps; k++) q = fma32(b, fma32(b, minus, q, x), r, q);
    b->made->round = i->round;
    return q;
}

// Operands with biased exponent 253 to 255 or 0 take the cold path: exactly for these exponents, exponent + 3
// modulo 256 is below 4.
static struct ir_value *hot_reciprocal(struct builder *b, const struct ir_inst *i, struct ir_value **cold)
{
    struct ir_value *x = ir_operand(i, 0), *one = build_u32(b, F32_ONE);
    struct ir_value *exponent =
        build2(b, IR_AND, TYPE_B32, build2(b, IR_ADD, TYPE_U32, x, build_u32(b, 0x01800000)),
               build_u32(b, 0x7f800000));
    *cold = build_compare(b, CMP_LT, TYPE_U32, exponent, build_u32(b, 0x02000000));
    struct ir_value *minus = negated(b, TYPE_F32, x), *r = mufu(b, MODE_MUFU_RCP, x);
    unsigned steps = i->round == ROUND_RN ? 1 : 2;
    for (unsigned k = 0; k < steps; k++) r = fma32(b, r, fma32(b, minus, r, one), r);
    b->made->round = i->round;
    return r;
}

// The hot path takes operands from 2^-101 (below, the residual could be inexact) to below infinity.
static struct ir_value *hot_root(struct builder *b, const struct ir_inst *i, struct ir_value **cold)
{
    struct ir_value *x = ir_operand(i, 0);
    struct ir_value *offset = build2(b, IR_ADD, TYPE_U32, x, build_u32(b, 0u - 0x0d000000));
    *cold = build_compare(b, CMP_GT, TYPE_U32, offset, build_u32(b, 0x727fffff));
    struct ir_value *r = mufu(b, MODE_MUFU_RSQ, x);
    struct ir_value *g = build2(b, IR_FMUL, TYPE_F32, x, r),
                    *h = build2(b, IR_FMUL, TYPE_F32, r, build_u32(b, F32_HALF));
    unsigned steps = i->round == ROUND_RN ? 1 : 2;
    for (unsigned k = 0; k < steps; k++) g = fma32(b, fma32(b, negated(b, TYPE_F32, g), g, x), h, g);
    b->made->round = i->round;
    return g;
}

// -- cold paths ---------------------------------------------------------------------------------------------

// x / y in double precision. y0, an approximation of 1/y good to 2^-19, is refined once. The quotient is
// corrected once with the exact residual. Zeros, infinities and NaN spoil the refinement, or the sign of
// zero; there x·y0 is right.
static struct ir_value *cold_divide(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *x = to_f64(b, i, ir_operand(i, 0)), *y = to_f64(b, i, ir_operand(i, 1));
    struct ir_value *minus = negated(b, TYPE_F64, y), *one = build_u64(b, 0x3ff0000000000000);
    struct ir_value *y0 = mufu64(b, MODE_MUFU_RCP64H, y);
    struct ir_value *r = fma64(b, y0, fma64(b, minus, y0, one), y0);
    struct ir_value *q = build2(b, IR_FMUL, TYPE_F64, x, r);
    q = fma64(b, fma64(b, minus, q, x), r, q);
    struct ir_value *special = build2(b, IR_FMUL, TYPE_F64, x, y0);
    struct ir_value *number =
        build_compare(b, CMP_GT, TYPE_F64, build1(b, IR_FABS, TYPE_F64, q), build_u64(b, 0));
    return to_f32(b, i, build_select(b, number, q, special));
}

static struct ir_value *cold_reciprocal(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *x = to_f64(b, i, ir_operand(i, 0)), *one = build_u64(b, 0x3ff0000000000000);
    struct ir_value *minus = negated(b, TYPE_F64, x), *y0 = mufu64(b, MODE_MUFU_RCP64H, x), *r = y0;
    for (unsigned k = 0; k < 2; k++) r = fma64(b, r, fma64(b, minus, r, one), r);
    struct ir_value *special = build_compare(b, CMP_NAN, TYPE_F64, r, r);
    return to_f32(b, i, build_select(b, special, y0, r));
}

// Zeros, infinity, NaN and negative numbers become NaN in the refinement; the approximate root is exact for
// them.
static struct ir_value *cold_root(struct builder *b, const struct ir_inst *i)
{
    struct ir_value *x = to_f64(b, i, ir_operand(i, 0)), *half = build_u64(b, 0x3fe0000000000000);
    struct ir_value *y0 = mufu64(b, MODE_MUFU_RSQ64H, x), *xy = build2(b, IR_FMUL, TYPE_F64, x, y0);
    struct ir_value *e = fma64(b, negated(b, TYPE_F64, xy), y0, build_u64(b, 0x3ff0000000000000));
    struct ir_value *r = fma64(b, build2(b, IR_FMUL, TYPE_F64, y0, half), e, y0);
    struct ir_value *g = build2(b, IR_FMUL, TYPE_F64, x, r);
    struct ir_value *residual = fma64(b, negated(b, TYPE_F64, g), g, x);
    g = to_f32(b, i, fma64(b, residual, build2(b, IR_FMUL, TYPE_F64, r, half), g));
    struct ir_value *special = build_compare(b, CMP_NAN, TYPE_F32, g, g);
    struct ir_value *approximate = mufu(b, MODE_MUFU_SQRT, ir_operand(i, 0));
    b->made->flags = i->flags & INST_FTZ;
    return build_select(b, special, approximate, g);
}

struct ir_value *legalise_f32(struct ir_inst *i)
{
    struct builder hot = builder_at(i);
    struct ir_value *cold_lanes, *result[2];
    if (i->op == IR_DIV)
        result[0] = hot_divide(&hot, i, &cold_lanes);
    else if (i->op == IR_RCP)
        result[0] = hot_reciprocal(&hot, i, &cold_lanes);
    else
        result[0] = hot_root(&hot, i, &cold_lanes);
    struct builder cold = build_cold(i, cold_lanes);
    if (i->op == IR_DIV)
        result[1] = cold_divide(&cold, i);
    else if (i->op == IR_RCP)
        result[1] = cold_reciprocal(&cold, i);
    else
        result[1] = cold_root(&cold, i);
    return build_phi(i->block, IR_CLASS_32, result, i->lines);
}
