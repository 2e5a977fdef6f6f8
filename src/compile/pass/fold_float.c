// Constant folding of f32 and f64 where the host's IEEE arithmetic gives the machine's bits: comparisons,
// signs, truncation to integers, and results rounded to nearest. NaN results of arithmetic, directed
// roundings of floats and approximations are left to the machine.
#include "compile/pass/fold.h"
#include "isa/inst.h"

#include "base/bits.h"

#include <math.h>

static float flushed(float x, const struct ir_inst *i)
{
    return i->flags & INST_FTZ && fpclassify(x) == FP_SUBNORMAL ? copysignf(0.0f, x) : x;
}

static bool finish_f32(const struct ir_inst *i, float v, uint64_t *result)
{
    if (isnan(v)) return false;
    v = flushed(v, i);
    if (i->flags & INST_SAT) v = v > 1.0f ? 1.0f : v > 0.0f ? v : 0.0f;
    *result = f32_bits(v);
    return true;
}

static bool fold_f32(const struct ir_inst *i, const uint64_t *u, uint64_t *result)
{
    float x = flushed(f32_from_bits((uint32_t)u[0]), i), y = flushed(f32_from_bits((uint32_t)u[1]), i);
    float z = flushed(f32_from_bits((uint32_t)u[2]), i);
    switch ((int)i->op) {
    case IR_FADD: return finish_f32(i, x + y, result);
    case IR_FMUL: return finish_f32(i, x * y, result);
    case IR_FFMA: return finish_f32(i, fmaf(x, y, z), result);
    case IR_DIV: return finish_f32(i, x / y, result);
    case IR_RCP: return finish_f32(i, 1.0f / x, result);
    case IR_SQRT: return finish_f32(i, sqrtf(x), result);
    }
    return false;
}

static bool fold_f64(const struct ir_inst *i, const uint64_t *u, uint64_t *result)
{
    double x = f64_from_bits(u[0]), y = f64_from_bits(u[1]), z = f64_from_bits(u[2]), v;
    switch ((int)i->op) {
    case IR_FADD: v = x + y; break;
    case IR_FMUL: v = x * y; break;
    case IR_FFMA: v = fma(x, y, z); break;
    case IR_DIV: v = x / y; break;
    case IR_RCP: v = 1.0 / x; break;
    case IR_SQRT: v = sqrt(x); break;
    default: return false;
    }
    *result = f64_bits(v);
    return !isnan(v);
}

static bool compare(const struct ir_inst *i, const uint64_t *u, uint64_t *result)
{
    double x, y;
    if (i->type == TYPE_F32) {
        x = (double)flushed(f32_from_bits((uint32_t)u[0]), i);
        y = (double)flushed(f32_from_bits((uint32_t)u[1]), i);
    } else {
        x = f64_from_bits(u[0]);
        y = f64_from_bits(u[1]);
    }
    bool unordered = isnan(x) || isnan(y), or_unordered = i->cmp >= CMP_NAN && i->cmp != CMP_T;
    switch ((enum isa_cmp)i->cmp) {
    case CMP_F: *result = 0; break;
    case CMP_T: *result = 1; break;
    case CMP_NUM: *result = !unordered; break;
    case CMP_NAN: *result = unordered; break;
    case CMP_LT:
    case CMP_LTU: *result = unordered ? or_unordered : x < y; break;
    case CMP_EQ:
    case CMP_EQU: *result = unordered ? or_unordered : x == y; break;
    case CMP_LE:
    case CMP_LEU: *result = unordered ? or_unordered : x <= y; break;
    case CMP_GT:
    case CMP_GTU: *result = unordered ? or_unordered : x > y; break;
    case CMP_NE:
    case CMP_NEU: *result = unordered ? or_unordered : x != y; break;
    case CMP_GE:
    case CMP_GEU: *result = unordered ? or_unordered : x >= y; break;
    }
    return true;
}

static bool is_real(enum isa_type type) { return type == TYPE_F32 || type == TYPE_F64; }

// Conversions between integers, f32 and f64, to nearest; truncation to integers in range. False: any other
// conversion or operand (NaN, for instance).
static bool convert(const struct ir_inst *i, uint64_t u, uint64_t *result)
{
    enum isa_type to = (enum isa_type)i->type, from = (enum isa_type)i->type2;
    if (is_real(from) && is_real(to)) {
        if (i->flags & INST_WRAP || i->round != ROUND_RN) return false;
        double x = from == TYPE_F32 ? (double)flushed(f32_from_bits((uint32_t)u), i) : f64_from_bits(u);
        if (isnan(x)) return false;
        if (to == TYPE_F32) return finish_f32(i, (float)x, result);
        *result = f64_bits(x);
        return !(i->flags & INST_SAT);
    }
    if (is_real(to) && !isa_type_is_float(from)) {
        if (i->round != ROUND_RN || i->flags & INST_SAT) return false;
        uint64_t x = fold_extend(u, from);
        bool negative = isa_type_is_signed(from);
        if (to == TYPE_F32) return finish_f32(i, negative ? (float)(int64_t)x : (float)x, result);
        *result = f64_bits(negative ? (double)(int64_t)x : (double)x);
        return true;
    }
    if (is_real(from) && !isa_type_is_float(to)) {
        if (i->round != ROUND_RZ) return false;
        double x = from == TYPE_F32 ? (double)flushed(f32_from_bits((uint32_t)u), i) : f64_from_bits(u);
        double top = ldexp(1, (int)(8 * isa_type_bytes(to)) - isa_type_is_signed(to));
        if (!(x < top && x > (isa_type_is_signed(to) ? -top : -1.0))) return false;
        *result = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
        return true;
    }
    return false;
}

bool fold_float(const struct ir_inst *i, const uint64_t *u, uint64_t *result)
{
    enum isa_type type = (enum isa_type)i->type;
    if (i->op == IR_CVT) return convert(i, u[0], result);
    if (!is_real(type)) return false;
    switch ((int)i->op) {
    case IR_SETP: return compare(i, u, result);
    case IR_FNEG: *result = u[0] ^ (type == TYPE_F32 ? 1ull << 31 : 1ull << 63); return true;
    case IR_FABS: *result = u[0] & (type == TYPE_F32 ? ~(1ull << 31) : ~(1ull << 63)); return true;
    }
    if (i->round != ROUND_RN) return false;
    return type == TYPE_F32 ? fold_f32(i, u, result) : fold_f64(i, u, result);
}
