// Floating-point arithmetic (PTX ISA 9.7.3, 9.7.4) and error bounds of approximate functions.
//
// f32 and f64 follow the host's IEEE arithmetic in the required rounding mode. f16 and bf16 are computed in
// double by "round to odd": truncated, with a note of the side of the exact result, then rounded once to
// the format.
//
// NaN results: f32 0x7fffffff, f16 and bf16 0x7fff. f64 "NaN payloads are supported": the largest NaN
// operand, quiet, with the sign bit set; 0xfff8000000000000 when an operation on numbers has no result.
#include "conformance/conformance.h"

#include "base/bits.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum operation {
    ADD,
    SUB,
    MUL,
    FMA,
    DIV,
    RCP,
    SQRT,
    ABS,
    NEG,
    MIN,
    MAX,
    COPYSIGN,
    RSQRT,
    SIN,
    COS,
    LG2,
    EX2,
    TANH
};

static int host_mode(enum round r)
{
    return r == TO_ZERO ? FE_TOWARDZERO : r == DOWN ? FE_DOWNWARD : r == UP ? FE_UPWARD : FE_TONEAREST;
}

static const struct format *format_of(const struct row *r)
{
    return r->bits == 64    ? &twice
           : r->bits == 32  ? &single
           : r->from_signed ? &brain
                            : &half; // from_signed marks bf16
}

static uint64_t nan_of(const struct row *r, const uint64_t *v, int count)
{
    const struct format *f = format_of(r);
    if (f != &twice) return format_canonical_nan(f);
    uint64_t nan = 0xfff8000000000000ull, largest = 0;
    for (int k = 0; k < count; k++)
        if (format_is_nan(f, v[k]) && (v[k] & bit_mask(51)) > largest) largest = v[k] & bit_mask(51);
    return nan | largest;
}

static uint64_t finish(const struct row *r, uint64_t bits)
{
    const struct format *f = format_of(r);
    uint64_t sign = 1ull << (f->bits - 1), one = (uint64_t)f->bias << f->fraction_bits;
    if (r->ftz) bits = format_flush(f, bits);
    if (format_is_nan(f, bits)) return r->sat ? 0 : bits;
    if (r->sat) bits = bits & sign ? 0 : bits > one ? one : bits;
    if (r->relu && bits & sign) bits = 0;
    return bits;
}

static uint64_t in_double(const struct row *r, const uint64_t *v)
{
    volatile double a = f64_from_bits(v[0]), b = f64_from_bits(v[1]), c = f64_from_bits(v[2]), d = 0;
    fesetround(host_mode(r->round));
    switch (r->code) {
    case ADD: d = a + b; break;
    case SUB: d = a - b; break;
    case MUL: d = a * b; break;
    case FMA: d = fma(a, b, c); break;
    case DIV: d = a / b; break;
    case RCP: d = 1 / a; break;
    default: d = sqrt(a); break;
    }
    fesetround(FE_TONEAREST);
    return f64_bits(d);
}

static uint64_t in_single(const struct row *r, const uint64_t *v)
{
    volatile float a = f32_from_bits((uint32_t)v[0]), b = f32_from_bits((uint32_t)v[1]),
                   c = f32_from_bits((uint32_t)v[2]), d = 0;
    fesetround(host_mode(r->round));
    switch (r->code) {
    case ADD: d = a + b; break;
    case SUB: d = a - b; break;
    case MUL: d = a * b; break;
    case FMA: d = fmaf(a, b, c); break;
    case DIV: d = a / b; break;
    case RCP: d = 1 / a; break;
    default: d = sqrtf(a); break;
    }
    fesetround(FE_TONEAREST);
    return f32_bits(d);
}

static uint64_t in_narrow(const struct row *r, const uint64_t *v)
{
    const struct format *f = format_of(r);
    volatile double a = format_value(f, v[0]), b = format_value(f, v[1]), c = format_value(f, v[2]), d = 0;
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_TOWARDZERO);
    switch (r->code) {
    case ADD: d = a + b; break;
    case SUB: d = a - b; break;
    case MUL: d = a * b; break;
    default: d = fma(a, b, c); break;
    }
    int above = fetestexcept(FE_INEXACT) ? (signbit(d) ? -1 : 1) : 0;
    fesetround(FE_TONEAREST);
    if (d == 0 && above == 0) { // an exact zero has the sign of rounding to nearest, also when truncated
        volatile double n = r->code == ADD   ? a + b
                            : r->code == SUB ? a - b
                            : r->code == MUL ? a * b
                                             : fma(a, b, c);
        d = n;
    }
    return format_round(f, d, above, r->round);
}

static uint64_t arithmetic(const struct row *r, const uint64_t *given, uint64_t *second)
{
    (void)second;
    const struct format *f = format_of(r);
    uint64_t v[3], d;
    for (int k = 0; k < 3; k++) v[k] = r->ftz ? format_flush(f, given[k]) : given[k];
    d = f == &twice ? in_double(r, v) : f == &single ? in_single(r, v) : in_narrow(r, v);
    if (format_is_nan(f, d)) {
        int count = r->code == FMA ? 3 : r->code == RCP || r->code == SQRT ? 1 : 2;
        d = nan_of(r, v, count);
    }
    return finish(r, d);
}

// abs, neg: change the sign bit only. "NaN inputs yield an unspecified NaN": here the sign of a NaN changes
// as well; with .ftz the result is the usual NaN.
static uint64_t sign_change(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    const struct format *f = format_of(r);
    uint64_t a = r->ftz ? format_flush(f, v[0]) : v[0], sign = 1ull << (f->bits - 1);
    if (r->ftz && format_is_nan(f, a)) return format_canonical_nan(f);
    return r->code == ABS ? a & ~sign : a ^ sign;
}

static uint64_t copy_sign(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint64_t sign = 1ull << (r->bits - 1);
    return (v[1] & ~sign) | (v[0] & sign); // "Copy sign bit of a into value of b"
}

static uint64_t lesser_or_greater(const struct row *r, const uint64_t *given, uint64_t *second)
{
    (void)second;
    const struct format *f = format_of(r);
    uint64_t v[2], sign = 1ull << (f->bits - 1), d;
    for (int k = 0; k < 2; k++) v[k] = r->ftz ? format_flush(f, given[k]) : given[k];
    uint64_t signs = (v[0] ^ v[1]) & sign;
    if (r->xorsign) v[0] &= ~sign, v[1] &= ~sign;
    bool nan_a = format_is_nan(f, v[0]), nan_b = format_is_nan(f, v[1]);
    if ((nan_a && nan_b) || (r->nan && (nan_a || nan_b))) return nan_of(r, v, 2);
    if (nan_a || nan_b) {
        d = v[nan_a];
    } else { // in the order of sign and magnitude: -0.0 < +0.0
        int64_t a = v[0] & sign ? -(int64_t)(v[0] ^ sign) - 1 : (int64_t)v[0];
        int64_t b = v[1] & sign ? -(int64_t)(v[1] ^ sign) - 1 : (int64_t)v[1];
        d = (r->code == MIN) == (a < b) ? v[0] : v[1];
    }
    if (r->xorsign) d = (d & ~sign) | signs;
    if (r->relu && d & sign) d = 0;
    return d;
}

// The halves of a word, separately by the scalar rule.
static uint64_t by_halves(const struct row *r, const uint64_t *v, uint64_t *second)
{
    uint64_t d = 0;
    for (unsigned k = 0; k < 2; k++) {
        uint64_t h[4] = {v[0] >> 16 * k & 0xffff, v[1] >> 16 * k & 0xffff, v[2] >> 16 * k & 0xffff, 0};
        row_rule rule = r->code == ABS || r->code == NEG   ? sign_change
                        : r->code == MIN || r->code == MAX ? lesser_or_greater
                                                           : arithmetic;
        d |= rule(r, h, second) << 16 * k;
    }
    return d;
}

static uint64_t property(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    int class = r->bits == 64 ? fpclassify(f64_from_bits(v[0])) : fpclassify(f32_from_bits((uint32_t)v[0]));
    switch (r->code) {
    case 0: return class != FP_INFINITE && class != FP_NAN;
    case 1: return class == FP_INFINITE;
    case 2: return class != FP_NAN;
    case 3: return class == FP_NAN;
    case 4: return class == FP_NORMAL || class == FP_ZERO;
    }
    return class == FP_SUBNORMAL;
}

// ---- rows

static const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"};
static const enum round round_of[] = {NEAREST, TO_ZERO, DOWN, UP};

static void binary(struct rows *rows, struct row r, const char *name, const char *type, char l, int sources)
{
    static const char *const operands[] = {"", "D, A", "D, A, B", "D, A, B, C"};
    snprintf(r.kinds, sizeof r.kinds, "%c:%.*s", l, sources, (const char[]){l, l, l, 0});
    r.rule = r.rule ? r.rule : arithmetic;
    row_add(rows, r, "%s.%s %s", name, type, operands[sources]);
}

static void f32_and_f64(struct rows *rows)
{
    static const struct {
        const char *name;
        enum operation op;
        int sources;
        bool may_omit, may_saturate;
    } table[] = {{"add", ADD, 2, true, true},   {"sub", SUB, 2, true, true},    {"mul", MUL, 2, true, true},
                 {"fma", FMA, 3, false, true},  {"mad", FMA, 3, false, true},   {"div", DIV, 2, false, false},
                 {"rcp", RCP, 1, false, false}, {"sqrt", SQRT, 1, false, false}};
    char name[40];
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int m = table[k].may_omit ? -1 : 0; m < 4; m++) {
            const char *rounding = m < 0 ? "" : roundings[m];
            struct row r = {.code = (int)table[k].op, .round = m < 0 ? NEAREST : round_of[m]};
            for (int ftz = 0; ftz < 2; ftz++)
                for (int sat = 0; sat <= table[k].may_saturate; sat++) {
                    r.bits = 32;
                    r.ftz = ftz;
                    r.sat = sat;
                    snprintf(name, sizeof name, "%s%s%s%s", table[k].name, rounding, ftz ? ".ftz" : "",
                             sat ? ".sat" : "");
                    binary(rows, r, name, "f32", 'f', table[k].sources);
                }
            r.ftz = r.sat = false;
            r.bits = 64;
            snprintf(name, sizeof name, "%s%s", table[k].name, rounding);
            binary(rows, r, name, "f64", 'g', table[k].sources);
        }
}

static void signs(struct rows *rows)
{
    for (int ftz = 0; ftz < 2; ftz++) {
        struct row r = {.bits = 32, .ftz = ftz, .rule = sign_change, .code = ABS};
        binary(rows, r, ftz ? "abs.ftz" : "abs", "f32", 'f', 1);
        r.code = NEG;
        binary(rows, r, ftz ? "neg.ftz" : "neg", "f32", 'f', 1);
    }
    struct row r = {.bits = 64, .rule = sign_change, .code = ABS};
    binary(rows, r, "abs", "f64", 'g', 1);
    r.code = NEG;
    binary(rows, r, "neg", "f64", 'g', 1);
    r.rule = copy_sign;
    binary(rows, r, "copysign", "f64", 'g', 2);
    r.bits = 32;
    binary(rows, r, "copysign", "f32", 'f', 2);
    static const char *const properties[] = {"finite",     "infinite", "number",
                                             "notanumber", "normal",   "subnormal"};
    for (int k = 0; k < 6; k++) {
        struct row p = {.bits = 32, .rule = property, .code = k, .kinds = "p:f"};
        row_add(rows, p, "testp.%s.f32 D, A", properties[k]);
        p.bits = 64;
        snprintf(p.kinds, sizeof p.kinds, "p:g");
        row_add(rows, p, "testp.%s.f64 D, A", properties[k]);
    }
}

static void extremes(struct rows *rows)
{
    char name[40];
    for (int max = 0; max < 2; max++) {
        struct row r = {.rule = lesser_or_greater, .code = max ? MAX : MIN, .bits = 32};
        for (int k = 0; k < 8; k++) {
            r.ftz = k & 1;
            r.nan = k & 2;
            r.xorsign = k & 4;
            snprintf(name, sizeof name, "%s%s%s%s", max ? "max" : "min", r.ftz ? ".ftz" : "",
                     r.nan ? ".NaN" : "", r.xorsign ? ".xorsign.abs" : "");
            r.bits = 32;
            binary(rows, r, name, "f32", 'f', 2);
            r.bits = 16;
            r.rule = lesser_or_greater;
            binary(rows, r, name, "f16", 'q', 2);
            r.rule = by_halves;
            binary(rows, r, name, "f16x2", 'x', 2);
            r.from_signed = true;
            if (!r.ftz) binary(rows, r, name, "bf16x2", 'y', 2);
            r.rule = lesser_or_greater;
            if (!r.ftz) binary(rows, r, name, "bf16", 'b', 2);
            r.from_signed = false;
        }
        struct row d = {.rule = lesser_or_greater, .code = max ? MAX : MIN, .bits = 64};
        binary(rows, d, max ? "max" : "min", "f64", 'g', 2);
    }
}

static void narrow(struct rows *rows)
{
    static const struct {
        const char *name;
        enum operation op;
        int sources;
    } table[] = {{"add", ADD, 2},    {"sub", SUB, 2},    {"mul", MUL, 2},   {"add.rn", ADD, 2},
                 {"sub.rn", SUB, 2}, {"mul.rn", MUL, 2}, {"fma.rn", FMA, 3}};
    char name[40];
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int f = 0; f < 6; f++) { // bit 0: ftz; the remaining bits: none, sat, relu
            struct row r = {
                .code = (int)table[k].op, .bits = 16, .ftz = f & 1, .sat = f >> 1 == 1, .relu = f >> 1 == 2};
            if (r.relu && table[k].op != FMA) continue;
            snprintf(name, sizeof name, "%s%s%s%s", table[k].name, r.ftz ? ".ftz" : "", r.sat ? ".sat" : "",
                     r.relu ? ".relu" : "");
            r.rule = arithmetic;
            binary(rows, r, name, "f16", 'q', table[k].sources);
            r.rule = by_halves;
            binary(rows, r, name, "f16x2", 'x', table[k].sources);
        }
    struct row b = {.code = FMA, .bits = 16, .from_signed = true, .rule = arithmetic};
    for (int relu = 0; relu < 2; relu++) {
        b.relu = relu;
        b.rule = arithmetic;
        binary(rows, b, relu ? "fma.rn.relu" : "fma.rn", "bf16", 'b', 3);
        b.rule = by_halves;
        binary(rows, b, relu ? "fma.rn.relu" : "fma.rn", "bf16x2", 'y', 3);
    }
    for (int op = ABS; op <= NEG; op++) {
        const char *n = op == ABS ? "abs" : "neg";
        struct row s = {.code = op, .bits = 16, .rule = sign_change};
        binary(rows, s, n, "f16", 'q', 1);
        s.rule = by_halves;
        binary(rows, s, n, "f16x2", 'x', 1);
        s.from_signed = true;
        binary(rows, s, n, "bf16x2", 'y', 1);
        s.rule = sign_change;
        binary(rows, s, n, "bf16", 'b', 1);
    }
}

void rows_real(struct rows *rows)
{
    f32_and_f64(rows);
    signs(rows);
    extremes(rows);
    narrow(rows);
}

// ---- approximations: within the ISA's bound of the exact value, exact at the special values tabulated by
// the ISA

static double exact_of(enum operation op, double a, double b)
{
    switch ((int)op) {
    case DIV: return a / b;
    case RCP: return 1 / a;
    case SQRT: return sqrt(a);
    case RSQRT: return 1 / sqrt(a);
    case SIN: return sin(a);
    case COS: return cos(a);
    case LG2: return log2(a);
    case EX2: return exp2(a);
    default: return tanh(a);
    }
}

static bool is_near(const struct row *r, const uint64_t *v, uint64_t got)
{
    const struct format *f = format_of(r);
    uint64_t x = r->ftz ? format_flush(f, v[0]) : v[0], y = r->ftz ? format_flush(f, v[1]) : v[1];
    if (f == &twice && r->ftz) x &= ~0xffffffffull; // rcp and rsqrt.approx.ftz.f64 ignore the low word
    double a = f == &twice ? f64_from_bits(x) : format_value(f, x),
           b = f == &twice ? f64_from_bits(y) : format_value(f, y);
    double g = f == &twice ? f64_from_bits(got) : format_value(f, got),
           want = exact_of((enum operation)r->code, a, b);
    if (isnan(want)) return isnan(g);
    if (r->code == DIV && !r->nan && fabs(b) > 0x1p126 && !isinf(b))
        return true; // div.approx: operands outside the specified range
    if ((r->code == SIN || r->code == COS) && fabs(a) > 2 * M_PI)
        return isfinite(g) && fabs(g) <= 1.001; // no bound given
    double largest =
        f == &twice
            ? 1.7976931348623157e308
            : format_value(f, ((uint64_t)(2 * f->bias) << f->fraction_bits) | bit_mask(f->fraction_bits));
    if (isinf(g) || isinf(want))
        return (g == want || fabs(want) > largest * (1 - 0x1p-9) || fabs(g) > largest * (1 - 0x1p-9)) &&
               signbit(g) == signbit(want);
    double smallest = f == &twice ? 0x1p-1022 : ldexp(1, 1 - f->bias);
    if (fabs(want) < smallest && (r->ftz || f != &single || r->code == EX2))
        return fabs(g) <= smallest;             // flushed, or lost
    double unit = r->integral ? 1 : fabs(want); // integral marks an absolute bound
    if (r->code == LG2 && a > 0.5 && a < 2) unit = 1;
    return fabs(g - want) <= r->tolerance * unit + (f == &single ? 0x1p-149 : 0);
}

void rows_approximate(struct rows *rows)
{
    static const struct {
        const char *name;
        enum operation op;
        double tolerance;
        bool absolute;
    } table[] = {{"rcp.approx", RCP, 0x1p-23, false},     {"sqrt.approx", SQRT, 0x1p-22, false},
                 {"rsqrt.approx", RSQRT, 0x1p-22, false}, {"sin.approx", SIN, 0x1p-20, true},
                 {"cos.approx", COS, 0x1p-20, true},      {"lg2.approx", LG2, 0x1p-22, false},
                 {"ex2.approx", EX2, 0x1p-22, false}};
    struct row r = {.near = is_near, .bits = 32};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int ftz = 0; ftz < 2; ftz++) {
            char name[40];
            snprintf(name, sizeof name, "%s%s", table[k].name, ftz ? ".ftz" : "");
            r.code = (int)table[k].op;
            r.ftz = ftz;
            r.tolerance = table[k].tolerance;
            r.integral = table[k].absolute;
            snprintf(r.kinds, sizeof r.kinds, "f:f");
            row_add(rows, r, "%s.f32 D, A", name);
        }
    r.integral = false;
    for (int ftz = 0; ftz < 2; ftz++)
        for (int full = 0; full < 2; full++) {
            r.code = DIV;
            r.ftz = ftz;
            r.nan = full;
            r.tolerance = 0x1p-22; // 2 ulp
            snprintf(r.kinds, sizeof r.kinds, "f:ff");
            row_add(rows, r, "div.%s%s.f32 D, A, B", full ? "full" : "approx", ftz ? ".ftz" : "");
        }
    r.nan = r.ftz = false;
    r.code = TANH;
    r.tolerance = 0x1p-10;
    snprintf(r.kinds, sizeof r.kinds, "f:f");
    row_add(rows, r, "tanh.approx.f32 D, A");
    struct row d = {
        .near = is_near, .bits = 64, .ftz = true, .code = RCP, .tolerance = 0x1p-20, .kinds = "g:g"};
    row_add(rows, d, "rcp.approx.ftz.f64 D, A");
    d.code = RSQRT;
    row_add(rows, d, "rsqrt.approx.ftz.f64 D, A");
    d.ftz = false;
    d.tolerance = 0x1p-20;
    row_add(rows, d, "rsqrt.approx.f64 D, A");
    struct row h = {.near = is_near, .bits = 16, .code = EX2, .tolerance = 0x1p-9, .kinds = "q:q"};
    row_add(rows, h, "ex2.approx.f16 D, A");
    h.code = TANH;
    h.integral = true;
    h.tolerance = 0x1p-10;
    row_add(rows, h, "tanh.approx.f16 D, A");
}
