// The interpreter declared in eval.h. Floating point is the host's, under fesetround; volatile variables
// prevent evaluation at compile time.
#include "compile/ir/eval.h"
#include "isa/bank.h"
#include "isa/inst.h"
#include "isa/modes.h"
#include "isa/space.h"

#include "base/bits.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct machine {
    struct eval *e;
    struct ir_function *f;
    uint64_t *values;
};

static uint64_t truncated(uint64_t v, enum ir_class class) { return class == IR_CLASS_32 ? (uint32_t)v : v; }
static bool wide(uint8_t type) { return ir_class_of_type((enum isa_type)type) == IR_CLASS_64; }
static bool is_signed(uint8_t type) { return isa_type_is_signed((enum isa_type)type); }

static int64_t as_signed(uint64_t v, unsigned bytes)
{
    switch (bytes) {
    case 1: return (int8_t)v;
    case 2: return (int16_t)v;
    case 4: return (int32_t)v;
    }
    return (int64_t)v;
}

// the low bits of v as an integer of `type`, extended to 64 bits
static uint64_t of_type(uint64_t v, uint8_t type)
{
    unsigned bytes = isa_type_bytes((enum isa_type)type);
    if (is_signed(type)) return (uint64_t)as_signed(v, bytes);
    return bytes >= 8 ? v : v & ((1ull << 8 * bytes) - 1);
}

// -- floats -------------------------------------------------------------------------------------------------

static void set_round(uint8_t round)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    fesetround(modes[round]);
}

static float f32_of(uint64_t v) { return f32_from_bits((uint32_t)v); }

static float flushed(float x, uint16_t flags)
{
    return flags & INST_FTZ && fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static uint64_t f32_result(float x, uint16_t flags)
{
    if (isnan(x)) x = f32_from_bits(0x7fffffff);
    if (flags & INST_SAT) x = isnan(x) || !(x > 0) ? 0.0f : x > 1 ? 1.0f : x;
    return f32_bits(flushed(x, flags));
}

static uint64_t f64_result(double x) { return isnan(x) ? 0x7ff8000000000000ull : f64_bits(x); }

static uint64_t float_op(const struct ir_inst *i, const uint64_t *u)
{
    set_round(i->round);
    uint64_t r;
    if (i->type == TYPE_F32) {
        volatile float x = flushed(f32_of(u[0]), i->flags), y = 0, z = 0, v = 0;
        if (i->use_count > 1) y = flushed(f32_of(u[1]), i->flags);
        if (i->use_count > 2) z = flushed(f32_of(u[2]), i->flags);
        switch ((int)i->op) {
        case IR_FADD: v = x + y; break;
        case IR_FMUL: v = x * y; break;
        case IR_FFMA: v = fmaf(x, y, z); break;
        case IR_DIV: v = x / y; break;
        case IR_RCP: v = 1.0f / x; break;
        case IR_SQRT: v = sqrtf(x); break;
        case IR_FMIN: v = isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y; break;
        case IR_FMAX: v = isnan(x) ? y : isnan(y) ? x : x > y || (x == y && !signbit(x)) ? x : y; break;
        }
        r = f32_result(v, i->flags);
    } else {
        volatile double x = f64_from_bits(u[0]), y = 0, z = 0, v = 0;
        if (i->use_count > 1) y = f64_from_bits(u[1]);
        if (i->use_count > 2) z = f64_from_bits(u[2]);
        switch ((int)i->op) {
        case IR_FADD: v = x + y; break;
        case IR_FMUL: v = x * y; break;
        case IR_FFMA: v = fma(x, y, z); break;
        case IR_DIV: v = x / y; break;
        case IR_RCP: v = 1.0 / x; break;
        case IR_SQRT: v = sqrt(x); break;
        case IR_FMIN: v = isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y; break;
        case IR_FMAX: v = isnan(x) ? y : isnan(y) ? x : x > y || (x == y && !signbit(x)) ? x : y; break;
        }
        r = f64_result(v);
    }
    fesetround(FE_TONEAREST);
    return r;
}

static uint32_t nudge(struct eval *e, uint32_t bits) // finite numbers except powers of two
{
    uint32_t exponent = bits >> 23 & 0xff;
    if (!e->perturb || exponent == 0 || exponent == 255 || !(bits & 0x7fffff)) return bits;
    return bits + rng_below(e->perturb, 3) - 1;
}

static uint64_t mufu(struct eval *e, const struct ir_inst *i, uint64_t u)
{
    double x = flushed(f32_of(u), i->flags), v = 0;
    switch ((int)i->mode) {
    case MODE_MUFU_RCP: v = 1 / x; break;
    case MODE_MUFU_RSQ: v = 1 / sqrt(x); break;
    case MODE_MUFU_SQRT: v = sqrt(x); break;
    case MODE_MUFU_EX2: v = exp2(x); break;
    case MODE_MUFU_LG2: v = log2(x); break;
    case MODE_MUFU_SIN: v = sin(x); break;
    case MODE_MUFU_COS: v = cos(x); break;
    case MODE_MUFU_TANH: v = tanh(x); break;
    case MODE_MUFU_RCP64H:
    case MODE_MUFU_RSQ64H: {
        double wide_x = f64_from_bits(u << 32);
        uint32_t high =
            (uint32_t)(f64_bits(i->mode == MODE_MUFU_RCP64H ? 1 / wide_x : 1 / sqrt(wide_x)) >> 32);
        uint32_t exponent = high >> 20 & 0x7ff;
        if (e->perturb && exponent && exponent != 0x7ff) high += rng_below(e->perturb, 3) - 1;
        return high;
    }
    }
    uint32_t bits = (uint32_t)f32_result((float)v, 0);
    if (i->mode != MODE_MUFU_RCP && i->mode != MODE_MUFU_RSQ) bits = nudge(e, bits);
    return f32_result(f32_from_bits(bits), i->flags);
}

static uint64_t to_integer(double x, uint8_t type, uint8_t round)
{
    unsigned bits = 8 * isa_type_bytes((enum isa_type)type);
    if (isnan(x)) return bits == 64 ? 1ull << 63 : 0;
    set_round(round);
    volatile double v = x;
    v = nearbyint(v);
    fesetround(FE_TONEAREST);
    double top = ldexp(1, (int)bits - is_signed(type)), bottom = is_signed(type) ? -top : 0;
    if (v >= top)
        return bits == 64 ? (is_signed(type) ? INT64_MAX : UINT64_MAX)
                          : (1ull << (bits - is_signed(type))) - 1;
    if (v < bottom) return is_signed(type) ? 1ull << (bits - 1) : 0;
    return is_signed(type) ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static uint64_t convert(const struct ir_inst *i, uint64_t u)
{
    bool from_real = isa_type_is_float((enum isa_type)i->type2),
         to_real = isa_type_is_float((enum isa_type)i->type);
    uint64_t r = 0;
    if (from_real) {
        double x = i->type2 == TYPE_F32 ? (double)flushed(f32_of(u), i->flags) : f64_from_bits(u);
        if (!to_real) return to_integer(x, i->type, i->round);
        set_round(i->round);
        volatile double v = x;
        if (i->type == i->type2 && i->flags & INST_WRAP) v = nearbyint(v);
        volatile float s = (float)v;
        r = i->type == TYPE_F32 ? f32_result(s, i->flags) : f64_result(v);
    } else {
        uint64_t x = of_type(u, i->type2);
        set_round(i->round);
        volatile int64_t sx = (int64_t)x;
        volatile uint64_t ux = x;
        if (i->type == TYPE_F32) {
            volatile float s = is_signed(i->type2) ? (float)sx : (float)ux;
            r = f32_result(s, i->flags);
        } else {
            volatile double d = is_signed(i->type2) ? (double)sx : (double)ux;
            r = f64_result(d);
        }
    }
    fesetround(FE_TONEAREST);
    return r;
}

static bool compare_reals(uint8_t cmp, double x, double y)
{
    bool unordered = isnan(x) || isnan(y);
    switch ((enum isa_cmp)cmp) {
    case CMP_F: return false;
    case CMP_LT: return x < y;
    case CMP_EQ: return x == y;
    case CMP_LE: return x <= y;
    case CMP_GT: return x > y;
    case CMP_NE: return !unordered && x != y;
    case CMP_GE: return x >= y;
    case CMP_NUM: return !unordered;
    case CMP_NAN: return unordered;
    case CMP_LTU: return !(x >= y);
    case CMP_EQU: return unordered || x == y;
    case CMP_LEU: return !(x > y);
    case CMP_GTU: return !(x <= y);
    case CMP_NEU: return x != y;
    case CMP_GEU: return !(x < y);
    case CMP_T: return true;
    }
    return false;
}

static bool compare(const struct ir_inst *i, const uint64_t *u)
{
    if (i->type == TYPE_F32)
        return compare_reals(i->cmp, flushed(f32_of(u[0]), i->flags), flushed(f32_of(u[1]), i->flags));
    if (i->type == TYPE_F64) return compare_reals(i->cmp, f64_from_bits(u[0]), f64_from_bits(u[1]));
    uint64_t x = of_type(u[0], i->type), y = of_type(u[1], i->type);
    bool less = is_signed(i->type) ? (int64_t)x < (int64_t)y : x < y;
    switch ((int)i->cmp) {
    case CMP_LT:
    case CMP_LTU: return less;
    case CMP_EQ:
    case CMP_EQU: return x == y;
    case CMP_LE:
    case CMP_LEU: return less || x == y;
    case CMP_GT:
    case CMP_GTU: return !less && x != y;
    case CMP_NE:
    case CMP_NEU: return x != y;
    case CMP_GE:
    case CMP_GEU: return !less;
    }
    return i->cmp == CMP_T;
}

// -- integers -----------------------------------------------------------------------------------------------

static uint64_t divide(const struct ir_inst *i, uint64_t x, uint64_t y)
{
    bool quotient = i->op == IR_DIV;
    x = of_type(x, i->type), y = of_type(y, i->type);
    if (y == 0) return quotient ? ~0ull : x;
    if (is_signed(i->type)) {
        if ((int64_t)y == -1) return quotient ? 0 - x : 0;
        return (uint64_t)(quotient ? (int64_t)x / (int64_t)y : (int64_t)x % (int64_t)y);
    }
    return quotient ? x / y : x % y;
}

static uint64_t high_product(const struct ir_inst *i, uint64_t x, uint64_t y)
{
    x = of_type(x, i->type), y = of_type(y, i->type);
    if (!wide(i->type)) return (is_signed(i->type) ? (uint64_t)((int64_t)x * (int64_t)y) : x * y) >> 32;
    if (is_signed(i->type)) return (uint64_t)((__int128)(int64_t)x * (int64_t)y >> 64);
    return (uint64_t)((unsigned __int128)x * y >> 64);
}

static uint64_t funnel(const struct ir_inst *i, uint32_t low, uint32_t high, uint32_t amount)
{
    uint64_t both = (uint64_t)high << 32 | low;
    bool by64 = i->type == TYPE_U64 || i->type == TYPE_S64;
    uint32_t n = i->flags & INST_WRAP ? amount & 31 : amount < (by64 ? 64u : 32u) ? amount : by64 ? 64 : 32;
    if (i->mode == MODE_SHF_L) return n == 64 ? 0 : (uint32_t)(both << n >> 32);
    if (i->type == TYPE_S64) return (uint32_t)((int64_t)both >> (n > 63 ? 63 : n));
    return n == 64 ? 0 : (uint32_t)(both >> n);
}

static uint64_t extract(const struct ir_inst *i, uint64_t a, uint32_t position, uint32_t length)
{
    uint32_t top = wide(i->type) ? 63 : 31, p = position & 255, n = length & 255;
    uint64_t fill = 0, r = 0;
    if (is_signed(i->type) && n) fill = a >> (p + n - 1 < top ? p + n - 1 : top) & 1;
    for (uint32_t k = 0; k <= top; k++) r |= (k < n && p + k <= top ? a >> (p + k) & 1 : fill) << k;
    return r;
}

static uint64_t insert(const struct ir_inst *i, uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
    uint32_t top = wide(i->type) ? 63 : 31, p = position & 255, n = length & 255;
    for (uint32_t k = 0; k < n && p + k <= top; k++) b = (b & ~(1ull << (p + k))) | (a >> k & 1) << (p + k);
    return b;
}

static uint64_t permute(const struct ir_inst *i, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t bytes = (uint64_t)b << 32 | a, r = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned n = c & 3, pick = 0;
        switch ((int)i->mode) {
        case MODE_NONE: pick = c >> 4 * k & 7; break;
        case MODE_PRMT_F4E: pick = n + k; break;
        case MODE_PRMT_B4E: pick = (n + 8 - k) & 7; break;
        case MODE_PRMT_RC8: pick = n; break;
        case MODE_PRMT_ECL: pick = k > n ? k : n; break;
        case MODE_PRMT_ECR: pick = k < n ? k : n; break;
        case MODE_PRMT_RC16: pick = 2 * (n & 1) + (k & 1); break;
        }
        uint64_t byte = bytes >> 8 * pick & 255;
        if (i->mode == MODE_NONE && c >> 4 * k & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * k;
    }
    return r;
}

static uint64_t saturate(const struct ir_inst *i, uint64_t u)
{
    unsigned bits = 8 * isa_type_bytes((enum isa_type)i->type);
    __int128 x =
        is_signed(i->type2) ? (__int128)(int64_t)of_type(u, i->type2) : (__int128)of_type(u, i->type2);
    __int128 top = ((__int128)1 << (bits - is_signed(i->type))) - 1,
             bottom = is_signed(i->type) ? -top - 1 : 0;
    return (uint64_t)(x > top ? top : x < bottom ? bottom : x);
}

static uint64_t leading(const struct ir_inst *i, uint64_t x)
{
    x = of_type(x, i->type);
    if (is_signed(i->type) && (int64_t)x < 0) x = ~x;
    if (!wide(i->type)) x = (uint32_t)x;
    if (!x) return 0xffffffff;
    return i->mode == MODE_FLO_SH ? (wide(i->type) ? 63u : 31u) - bit_highest(x) : bit_highest(x);
}

static uint64_t dot(const struct ir_inst *i, uint32_t a, uint32_t b, uint32_t c)
{
    bool bytes = i->mode == MODE_IDP_4A;
    int64_t sum = 0;
    for (unsigned k = 0; k < (bytes ? 4u : 2u); k++) {
        unsigned at = bytes ? k : i->mode == MODE_IDP_2A_HI ? 2 + k : k;
        int64_t y = is_signed(i->type2) ? (int8_t)(b >> 8 * at) : (int64_t)(b >> 8 * at & 255);
        int64_t x;
        if (bytes)
            x = is_signed(i->type) ? (int8_t)(a >> 8 * k) : (int64_t)(a >> 8 * k & 255);
        else
            x = is_signed(i->type) ? (int16_t)(a >> 16 * k) : (int64_t)(a >> 16 * k & 65535);
        sum += x * y;
    }
    return (uint32_t)((uint64_t)sum + c);
}

static uint64_t clamped_extend(const struct ir_inst *i, uint32_t a, uint32_t b)
{
    uint32_t n = i->flags & INST_WRAP ? b & 31 : b > 32 ? 32 : b;
    if (n == 32) return a;
    if (n == 0) return 0;
    uint32_t low = a & ((1u << n) - 1);
    return is_signed(i->type) && low >> (n - 1) ? low | ~0u << n : low;
}

static uint64_t bit_field_mask(const struct ir_inst *i, uint32_t a, uint32_t b)
{
    uint32_t p = i->flags & INST_WRAP ? a & 31
                 : a > 32             ? 32
                                      : a,
             n = i->flags & INST_WRAP ? b & 31
                 : b > 32             ? 32
                                      : b;
    return (uint32_t)(((1ull << n) - 1) << p);
}

static uint64_t lop3(uint8_t lut, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < 32; k++)
        r |= (uint64_t)(lut >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
    return r;
}

static uint64_t reversed(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned k = 0; k < bits; k++) r |= (x >> k & 1) << (bits - 1 - k);
    return r;
}

// Carry chains: results in r[0] and r[1].
static void carry_op(const struct ir_inst *i, const uint64_t *u, uint64_t *r)
{
    uint64_t a = (uint32_t)u[0], b = i->use_count > 1 ? (uint32_t)u[1] : 0, sum = 0;
    uint64_t product = 0;
    if (i->op == IR_MADCC || i->op == IR_MADX) {
        uint64_t full = is_signed(i->type) ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : a * b;
        product = i->flags & INST_HI ? full >> 32 : (uint32_t)full;
    }
    switch ((int)i->op) {
    case IR_ADDCC: sum = a + b; break;
    case IR_ADDX: sum = a + b + u[2]; break;
    case IR_SUBCC: sum = a + (uint32_t)~b + 1; break;
    case IR_SUBX: sum = a + (uint32_t)~b + u[2]; break;
    case IR_MADCC: sum = product + (uint32_t)u[2]; break;
    case IR_MADX: sum = product + (uint32_t)u[2] + u[3]; break;
    }
    r[0] = (uint32_t)sum;
    r[1] = sum >> 32;
}

static uint64_t pure_op(struct eval *e, const struct ir_inst *i, const uint64_t *u)
{
    uint64_t a = i->use_count > 0 ? u[0] : 0, b = i->use_count > 1 ? u[1] : 0,
             c = i->use_count > 2 ? u[2] : 0;
    uint32_t width = wide(i->type) ? 64 : 32, n;
    switch ((int)i->op) {
    case IR_COPY: return a;
    case IR_UNDEF: return 0;
    case IR_BANK: {
        uint64_t v = 0;
        memcpy(&v, e->bank + i->offset % (EVAL_BYTES - 8), i->defs[0]->class == IR_CLASS_64 ? 8 : 4);
        return v;
    }
    case IR_SYMBOL: return EVAL_GLOBAL + 256 * ((uint64_t)i->offset & 7);
    case IR_FRAME: return (uint32_t)i->offset;
    case IR_SREG: return e->sregs[i->offset];
    case IR_PACK: return b << 32 | (uint32_t)a;
    case IR_LO: return (uint32_t)a;
    case IR_HI: return a >> 32;
    case IR_ZEXT:
    case IR_SEXT: return of_type(a, i->type2);
    case IR_ADD: return a + b;
    case IR_SUB: return a - b;
    case IR_MUL: return a * b;
    case IR_MULHI: return high_product(i, a, b);
    case IR_MULWIDE: return of_type(a, i->type) * of_type(b, i->type);
    case IR_MAD: return a * b + c;
    case IR_MADWIDE: return of_type(a, i->type) * of_type(b, i->type) + c;
    case IR_DIV: return isa_type_is_float((enum isa_type)i->type) ? float_op(i, u) : divide(i, a, b);
    case IR_REM: return divide(i, a, b);
    case IR_NEG: return 0 - a;
    case IR_ABS: return as_signed(a, width / 8) < 0 ? 0 - a : a;
    case IR_MIN:
    case IR_MAX: {
        bool less = is_signed(i->type) ? as_signed(a, width / 8) < as_signed(b, width / 8) : a < b;
        return less == (i->op == IR_MIN) ? a : b;
    }
    case IR_AND: return a & b;
    case IR_OR: return a | b;
    case IR_XOR: return a ^ b;
    case IR_NOT: return ~a;
    case IR_LOP3: return lop3(i->lut, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case IR_SHL: return (uint32_t)b >= width ? 0 : a << b;
    case IR_SHR:
        n = (uint32_t)b >= width ? width : (uint32_t)b;
        if (is_signed(i->type)) return (uint64_t)(as_signed(a, width / 8) >> (n == width ? width - 1 : n));
        return n == width ? 0 : a >> n;
    case IR_FUNNEL: return funnel(i, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case IR_BFE: return extract(i, a, (uint32_t)b, (uint32_t)c);
    case IR_BFI: return insert(i, a, b, (uint32_t)c, (uint32_t)u[3]);
    case IR_PRMT: return permute(i, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case IR_BREV: return reversed(a, width);
    case IR_POPC: return bit_count(a);
    case IR_FLO: return leading(i, a);
    case IR_SAD: {
        int64_t x = (int64_t)of_type(a, i->type), y = (int64_t)of_type(b, i->type);
        return (uint64_t)(x < y ? y - x : x - y) + c;
    }
    case IR_DOT: return dot(i, (uint32_t)a, (uint32_t)b, (uint32_t)c);
    case IR_SZEXT: return clamped_extend(i, (uint32_t)a, (uint32_t)b);
    case IR_BMSK: return bit_field_mask(i, (uint32_t)a, (uint32_t)b);
    case IR_SATI: return saturate(i, a);
    case IR_FADD:
    case IR_FMUL:
    case IR_FFMA:
    case IR_FMIN:
    case IR_FMAX:
    case IR_SQRT:
    case IR_RCP: return float_op(i, u);
    case IR_FNEG: return a ^ 1ull << (width - 1);
    case IR_FABS: return a & ~(1ull << (width - 1));
    case IR_MUFU: return mufu(e, i, a);
    case IR_FCHK: {
        int x = (int)(a >> 23 & 255), y = (int)(b >> 23 & 255);
        return !(1 <= y && y <= 252 && 25 <= x && x <= 254 && -125 <= x - y && x - y <= 126);
    }
    case IR_CVT: return convert(i, a);
    case IR_SETP: return compare(i, u);
    case IR_SELECT: return c ? a : b;
    case IR_PAND: return a & b;
    case IR_POR: return a | b;
    case IR_PXOR: return a ^ b;
    case IR_PNOT: return !a;
    }
    e->error = ir_table[i->op].name;
    return 0;
}

// -- memory and control -------------------------------------------------------------------------------------

static uint8_t *locate(struct machine *m, const struct ir_inst *i, uint64_t address, unsigned bytes)
{
    unsigned space = i->space;
    if (space == SPACE_GENERIC)
        space = address >= ISA_LOCAL_WINDOW && address <= UINT32_MAX    ? SPACE_LOCAL
                : address >= ISA_SHARED_WINDOW && address <= UINT32_MAX ? SPACE_SHARED
                                                                        : SPACE_GLOBAL;
    if (space == SPACE_GLOBAL)
        address -= EVAL_GLOBAL;
    else
        address = (uint32_t)address & 0xffffff;
    if (address > EVAL_BYTES - bytes || address % bytes) {
        m->e->error = "address";
        return NULL;
    }
    return m->e->memory[space] + address;
}

static uint64_t address_of(const struct machine *m, const struct ir_inst *i, uint32_t use, int64_t offset)
{
    const struct ir_value *base = i->uses[use].value;
    return truncated(m->values[base->id] + (uint64_t)offset, base->class);
}

static uint64_t load_element(const uint8_t *at, uint8_t type, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    return is_signed(type) ? (uint32_t)as_signed(v, bytes) | (bytes == 8 ? v : 0) : v;
}

static void memory_op(struct machine *m, const struct ir_inst *i)
{
    unsigned bytes = isa_type_bytes((enum isa_type)i->type),
             count = i->op == IR_LOAD ? i->def_count : i->use_count - 1;
    unsigned span = 1;
    while (span < count) span *= 2;
    uint8_t *at = locate(m, i, address_of(m, i, 0, i->offset),
                         i->op == IR_ATOM || i->op == IR_RED ? bytes : bytes * span);
    if (!at) return;
    bool observed = i->sem != SEM_WEAK || i->op == IR_ATOM || i->op == IR_RED;
    if (observed)
        m->e->trace =
            hash_u64(m->e->trace ^ (uint64_t)(at - &m->e->memory[0][0]) ^ (uint64_t)(i->op == IR_LOAD) << 40);
    if (i->op == IR_LOAD) {
        for (unsigned k = 0; k < count; k++)
            m->values[i->defs[k]->id] =
                truncated(load_element(at + k * bytes, i->type, bytes), i->defs[k]->class);
        return;
    }
    uint64_t old = load_element(at, i->type, bytes), v = m->values[i->uses[1].value->id];
    if (i->op == IR_STORE) {
        for (unsigned k = 0; k < count; k++)
            memcpy(at + k * bytes, &m->values[i->uses[1 + k].value->id], bytes);
    } else {
        if (i->mode == MODE_ATOM_ADD) v += old;
        memcpy(at, &v, bytes);
        if (i->op == IR_ATOM) m->values[i->defs[0]->id] = truncated(old, i->defs[0]->class);
    }
    if (observed) m->e->trace = hash_u64(m->e->trace ^ (bytes < 8 ? v & ((1ull << 8 * bytes) - 1) : v));
}

static void keep_old(struct machine *m, const struct ir_inst *i)
{
    for (uint32_t k = 0; k < i->def_count; k++)
        m->values[i->defs[k]->id] =
            i->old && i->old[k].value ? m->values[i->old[k].value->id] : 0xdeadbeefdeadbeefull;
    for (uint32_t k = 0; k < i->def_count; k++)
        m->values[i->defs[k]->id] = truncated(m->values[i->defs[k]->id], i->defs[k]->class);
}

static void run_inst(struct machine *m, const struct ir_inst *i)
{
    uint64_t u[8] = {0}, r[2] = {0};
    if (i->guard.value && (m->values[i->guard.value->id] != 0) == i->guard_not) {
        keep_old(m, i);
        return;
    }
    for (uint32_t k = 0; k < i->use_count && k < 8; k++) u[k] = m->values[i->uses[k].value->id];
    uint32_t flags = ir_table[i->op].flags;
    if (i->op == IR_LOAD || i->op == IR_STORE || i->op == IR_ATOM || i->op == IR_RED) {
        memory_op(m, i);
    } else if (flags & IR_EFFECT) {
        m->e->trace = hash_u64(m->e->trace ^ (uint64_t)i->op << 32 ^ u[0]);
        for (uint32_t k = 0; k < i->def_count; k++) m->values[i->defs[k]->id] = u[0] + k;
    } else if (i->op >= IR_ADDCC && i->op <= IR_MADX) {
        carry_op(i, u, r);
        for (uint32_t k = 0; k < i->def_count; k++) m->values[i->defs[k]->id] = r[k];
    } else {
        m->values[i->defs[0]->id] = truncated(pure_op(m->e, i, u), i->defs[0]->class);
    }
}

static struct ir_block *run_block(struct machine *m, struct ir_block *b, uint32_t pred)
{
    uint64_t fresh[256];
    uint32_t count = 0;
    struct ir_inst *i = b->first;
    for (; i->op == IR_PHI && count < 256; i = i->next) fresh[count++] = m->values[i->uses[pred].value->id];
    count = 0;
    for (i = b->first; i->op == IR_PHI; i = i->next) m->values[i->defs[0]->id] = fresh[count++];
    for (; i != b->last; i = i->next) {
        run_inst(m, i);
        if (m->e->error) return NULL;
    }
    uint32_t taken = 0;
    if (i->op == IR_RETURN) {
        m->e->result_count = i->use_count;
        for (uint32_t k = 0; k < i->use_count; k++) m->e->results[k] = m->values[i->uses[k].value->id];
    }
    if (!b->succ_count) return NULL;
    if (i->op == IR_BRANCH) taken = m->values[i->uses[0].value->id] ? 0 : 1;
    if (i->op == IR_SWITCH) taken = (uint32_t)m->values[i->uses[0].value->id];
    if (taken >= b->succ_count) {
        m->e->error = "switch";
        return NULL;
    }
    b->note = taken;
    return b->succs[taken];
}

bool eval_run(struct eval *e, struct ir_function *f, const uint64_t *params)
{
    struct machine m = {.e = e, .f = f};
    m.values = heap_alloc(f->value_count * sizeof *m.values);
    e->error = NULL;
    e->trace = 0;
    e->result_count = 0;
    for (size_t k = 0; k < f->constant_values.count; k++)
        m.values[f->constant_values.data[k]->id] = f->constant_values.data[k]->bits;
    for (uint32_t k = 0; k < f->param_count; k++)
        m.values[f->params[k]->id] = truncated(params[k], f->params[k]->class);
    struct ir_block *b = f->first_block;
    uint32_t pred = 0;
    unsigned steps = e->steps_max ? e->steps_max : 100000;
    while (b && !e->error) {
        struct ir_block *next = run_block(&m, b, pred);
        if (next) pred = ir_pred_index(b, (uint32_t)b->note);
        b = next;
        if (!steps--) e->error = "steps";
    }
    free(m.values);
    return !e->error;
}
