// Fast forms: double precision, add, multiply, fused multiply-add, min, max, comparison.
//
// NaN is rare and has a rule of its own for its bits (lane.h). The forms therefore only test results for NaN;
// on a NaN the form's outlined handler computes the instruction again and applies the rule.
//
// Directed rounding (division's reciprocals round up) leaves the host's rounding mode alone. The nearest
// result moves by one unit in the last place, according to the sign of its exact error. Boldo and Muller's
// ErrFmaNearest (2011) gives the error if nothing overflows or underflows; other operands are left to the
// general handler.
#include "exec/fast/double.h"
#include "isa/fields.h"
#include "isa/modes.h"

#include <math.h>

static inline vd fused_double(vd a, vd b, vd c)
{
#if FAST_BITS == 512
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif FAST_BITS == 256
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    vd r;
    for (unsigned n = 0; n < VECTOR_LANES / 2; n++) r[n] = fma(a[n], b[n], c[n]);
    return r;
#endif
}

// min and max order -0 below +0 and prefer a number to NaN; the result is NaN only if both operands are NaN.
static inline vd number_of(vd r, vd a, vd b)
{
    r = choose_double(a != a, b, r);
    return choose_double(b != b, a, r);
}
static inline vd smaller(vd a, vd b) // -0 if either zero is negative
{
    vd one = choose_double(a < b, a, b), other = choose_double(b < a, b, a);
    return number_of((vd)((vu64)one | (vu64)other), a, b);
}
static inline vd larger(vd a, vd b)
{
    vd one = choose_double(a > b, a, b), other = choose_double(b > a, b, a);
    return number_of((vd)((vu64)one & (vu64)other), a, b);
}

#define ADD(a, b, c)      ((a) + (b))
#define MULTIPLY(a, b, c) ((a) * (b))
#define FUSE(a, b, c)     fused_double(a, b, c)
#define MINIMUM(a, b, c)  smaller(a, b)
#define MAXIMUM(a, b, c)  larger(a, b)

// Result r, where a NaN becomes the NaN by the rule: the largest payload among the operands, quiet, with the
// sign bit set; an invalid operation gives the smallest quiet payload.
static inline vd with_nan(vd r, vd a, vd b, vd c)
{
    const vi64 quiet = (vi64)splat_bits(0x7ff8ull << 48);
    const vd operands[] = {a, b, c};
    vi64 largest = quiet;
    for (unsigned k = 0; k < 3; k++) {
        vi64 x = ((vi64)magnitude(operands[k]) | quiet) & (operands[k] != operands[k]);
        largest = (vi64)choose_double(x > largest, (vd)x, (vd)largest);
    }
    return choose_double(r != r, (vd)((vu64)largest | DOUBLE_BIT), r);
}

// -- operands -----------------------------------------------------------------------------------------------
// Modifiers of source k (spare_byte); all affect the high word.
enum { HOW_NEG = 0, HOW_ABS = 3 };

static inline vu kept(const struct bound *d, unsigned k)
{
    return splat(d->spare_byte >> (HOW_ABS + k) & 1 ? 0x7fffffffu : ~0u);
}
static inline vu turned(const struct bound *d, unsigned k)
{
    return splat(d->spare_byte >> (HOW_NEG + k) & 1 ? 0x80000000u : 0);
}

// Declare vector k of source operand x (number n) as its even lanes xe and odd lanes xo. PLAIN: no modifiers;
// CHANGED: modifiers applied; SPLAT: a constant operand; NOTHING: no operand.
#define SIGNS(n) const vu kept##n = kept(d, n), turned##n = turned(d, n)
#define TAKE(x, p, HIGH)                                                                                     \
    const vu x##_low = simd_load(p, k), x##_high = HIGH;                                                     \
    const vd x##e = even_of(x##_low, x##_high), x##o = odd_of(x##_low, x##_high)
#define PLAIN(x, p, n)   TAKE(x, p, simd_load(p + REGISTER_BYTES, k))
#define CHANGED(x, p, n) TAKE(x, p, (simd_load(p + REGISTER_BYTES, k) & kept##n) ^ turned##n)
#define SPLAT(x)         const vd x##e = constant, x##o = constant
#define NOTHING(x)                                                                                           \
    const vd x##e = {0}, x##o = {0};                                                                         \
    (void)x##e, (void)x##o
#define WIDE_CONSTANT const vd constant = (vd)splat_bits(d->wide)

// Suffixes for the kinds of operands a, b, c (r: register, s: constant). PLAIN_ and CHANGED_ expand once per
// handler, TAKES_ once per vector.
// clang-format off
#define PLAIN_rr       REG_A; REG_B
#define PLAIN_rs       REG_A; WIDE_CONSTANT
#define PLAIN_rrr      REG_A; REG_B; REG_C
#define PLAIN_rsr      REG_A; WIDE_CONSTANT; REG_C
#define PLAIN_rrs      REG_A; REG_B; WIDE_CONSTANT
#define CHANGED_rr     PLAIN_rr; SIGNS(0); SIGNS(1)
#define CHANGED_rs     PLAIN_rs; SIGNS(0)
#define CHANGED_rrr    PLAIN_rrr; SIGNS(0); SIGNS(1); SIGNS(2)
#define CHANGED_rsr    PLAIN_rsr; SIGNS(0); SIGNS(2)
#define CHANGED_rrs    PLAIN_rrs; SIGNS(0); SIGNS(1)
#define TAKES_rr(HOW)  HOW(a, pa, 0); HOW(b, pb, 1); NOTHING(c)
#define TAKES_rs(HOW)  HOW(a, pa, 0); SPLAT(b); NOTHING(c)
#define TAKES_rrr(HOW) HOW(a, pa, 0); HOW(b, pb, 1); HOW(c, pc, 2)
#define TAKES_rsr(HOW) HOW(a, pa, 0); SPLAT(b); HOW(c, pc, 2)
#define TAKES_rrs(HOW) HOW(a, pa, 0); HOW(b, pb, 1); SPLAT(c)
// clang-format on

// -- arithmetic ---------------------------------------------------------------------------------------------
// All results are computed before the first write, so the handler for NaN finds unmodified sources.
#define COMPUTE(OP, KINDS, HOW, STRANGE)                                                                     \
    HOW##_##KINDS;                                                                                           \
    vd r[2 * VECTORS];                                                                                       \
    vu strange = {0};                                                                                        \
    EACH_VECTOR(k)                                                                                           \
    {                                                                                                        \
        TAKES_##KINDS(HOW);                                                                                  \
        const vd even = OP(ae, be, ce), odd = OP(ao, bo, co);                                                \
        strange |= STRANGE;                                                                                  \
        r[2 * k] = even;                                                                                     \
        r[2 * k + 1] = odd;                                                                                  \
    }                                                                                                        \
    uint8_t *to = regs + d->dst

#define HANDLERS(name, OP, KINDS, HOW, NAN_HANDLER)                                                          \
    HANDLER(name##_full)                                                                                     \
    {                                                                                                        \
        COMPUTE(OP, KINDS, HOW, (vu)((even != even) | (odd != odd)));                                        \
        if (__builtin_expect(!is_zero(strange), 0)) TAIL(NAN_HANDLER(d, w, regs, active));                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            simd_store(to, k, low_of(r[2 * k], r[2 * k + 1]));                                               \
            simd_store(to + REGISTER_BYTES, k, high_of(r[2 * k], r[2 * k + 1]));                             \
        }                                                                                                    \
        NEXT(d + 1, active);                                                                                 \
    }                                                                                                        \
    HANDLER(name##_masked)                                                                                   \
    {                                                                                                        \
        COMPUTE(OP, KINDS, HOW, lane_words(even != even, odd != odd) & mask_words(mask_part(active, k)));    \
        if (__builtin_expect(!is_zero(strange), 0)) TAIL(NAN_HANDLER(d, w, regs, active));                   \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            const vm m = mask_part(active, k);                                                               \
            simd_store_masked(to, k, m, low_of(r[2 * k], r[2 * k + 1]));                                     \
            simd_store_masked(to + REGISTER_BYTES, k, m, high_of(r[2 * k], r[2 * k + 1]));                   \
        }                                                                                                    \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers name = {name##_full, name##_masked};

// Form name_KINDS: operands without modifiers. Form name_any_KINDS: operands with negation or absolute value.
#define DOUBLE_FORM(name, OP, KINDS)                                                                         \
    HANDLER_OUTLINED(name##_nan_##KINDS)                                                                     \
    {                                                                                                        \
        uint8_t *to = regs + d->dst;                                                                         \
        CHANGED_##KINDS;                                                                                     \
        for (unsigned k = 0; k < VECTORS; k++) {                                                             \
            TAKES_##KINDS(CHANGED);                                                                          \
            const vd even = with_nan(OP(ae, be, ce), ae, be, ce),                                            \
                     odd = with_nan(OP(ao, bo, co), ao, bo, co);                                             \
            const vm m = mask_part(active, k);                                                               \
            simd_store_masked(to, k, m, low_of(even, odd));                                                  \
            simd_store_masked(to + REGISTER_BYTES, k, m, high_of(even, odd));                                \
        }                                                                                                    \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    HANDLERS(name##_##KINDS, OP, KINDS, PLAIN, name##_nan_##KINDS)                                           \
    HANDLERS(name##_any_##KINDS, OP, KINDS, CHANGED, name##_nan_##KINDS)

DOUBLE_FORM(dadd, ADD, rr)
DOUBLE_FORM(dadd, ADD, rs)
DOUBLE_FORM(dmul, MULTIPLY, rr)
DOUBLE_FORM(dmul, MULTIPLY, rs)
DOUBLE_FORM(dfma, FUSE, rrr)
DOUBLE_FORM(dfma, FUSE, rsr)
DOUBLE_FORM(dfma, FUSE, rrs)
DOUBLE_FORM(dmin, MINIMUM, rr)
DOUBLE_FORM(dmin, MINIMUM, rs)
DOUBLE_FORM(dmax, MAXIMUM, rr)
DOUBLE_FORM(dmax, MAXIMUM, rs)

// -- directed rounding --------------------------------------------------------------------------------------
// Sums and products are fused operations too: a * 1 + b, and a * b + 0 with the product's sign.
struct exact { // a product, its error, and an addend
    vd product, error, addend;
};

static inline vd two_sum(vd a, vd b, vd *error)
{
    vd sum = a + b, back = sum - a;
    *error = (a - (sum - back)) + (b - back);
    return sum;
}

// A number with the sign of (x.product + x.error + x.addend) - r, where r is the sum rounded to nearest.
static inline vd rest_of(struct exact x, vd r)
{
    vd small, smaller_still;
    vd middle = two_sum(x.addend, x.error, &smaller_still), large = two_sum(x.product, middle, &small);
    return ((large - r) + small) + smaller_still;
}

static inline vd moved(vd r, vd rest, enum isa_round round)
{
    vi64 up = rest > 0, down = rest<0, positive = r> 0, negative = r < 0;
    if (round != ROUND_RP) up &= round == ROUND_RZ ? negative : (vi64){0};
    if (round != ROUND_RM) down &= round == ROUND_RZ ? positive : (vi64){0};
    vi64 away = (up & positive) | (down & negative); // away from zero: the magnitude grows by one unit
    return (vd)((vi64)r - away + ((up | down) & ~away));
}

// True for zero, and for magnitudes from 2^-900 to 2^1000.
static inline vi64 is_moderate(vd x)
{
    vd size = magnitude(x);
    vi64 is_large = size >= splat_double(0x1p-900), is_small = size <= splat_double(0x1p1000);
    return (is_large & is_small) | (vi64)(x == 0);
}

static inline vd directed(vd a, vd b, vd c, enum isa_round round, vi64 *plain)
{
    vd product = a * b, r = fused_double(a, b, c);
    const struct exact x = {product, fused_double(a, b, -product), c};
    // nought: the product is zero; is_product: a factor is zero, so the zero product is exact and no
    // underflow.
    vi64 nought = product == 0, is_product = (a == 0) | (b == 0);
    // Required under RM only: there an exact sum of zero is -0, left to the general handler.
    vi64 sure = r != 0;
    *plain = is_moderate(product) & is_moderate(c) & (~nought | is_product);
    if (round == ROUND_RM) *plain &= sure;
    return moved(r, rest_of(x, r), round);
}

// x[0] and x[1]: even and odd lanes of source n in vector k, modifiers applied. Source number d->scalar is
// the constant d->wide. Sources stay in the instruction's order, as the general handler expects.
static inline void take_source(const struct bound *d, const uint8_t *regs, unsigned n, unsigned k, vd x[2])
{
    const bool is_constant = d->scalar == n;
    vu low = is_constant ? splat((uint32_t)d->wide) : simd_load(regs + d->src[n], k);
    vu high =
        is_constant ? splat((uint32_t)(d->wide >> 32)) : simd_load(regs + d->src[n] + REGISTER_BYTES, k);
    high = (high & kept(d, n)) ^ turned(d, n);
    x[0] = even_of(low, high);
    x[1] = odd_of(low, high);
}

static inline void take_operands(const struct bound *d, const uint8_t *regs, enum isa_op op, unsigned k,
                                 vd a[2], vd b[2], vd c[2])
{
    take_source(d, regs, 0, k, a);
    take_source(d, regs, 1, k, b);
    if (op == OP_DFMA) {
        take_source(d, regs, 2, k, c);
        return;
    }
    for (unsigned half = 0; half < 2; half++) {
        c[half] = op == OP_DADD ? b[half] : sign((vd)((vu64)a[half] ^ (vu64)b[half]));
        if (op == OP_DADD) b[half] = splat_double(1);
    }
}

static inline bool compute_directed(const struct bound *d, const struct warp *w, const uint8_t *regs,
                                    uint64_t active, vd r[2 * VECTORS])
{
    const enum isa_op op = (enum isa_op)bound_inst(d, w)->op;
    vu strange = {0};
    for (unsigned k = 0; k < VECTORS; k++) {
        vd a[2], b[2], c[2];
        vi64 plain[2];
        take_operands(d, regs, op, k, a, b, c);
        for (unsigned half = 0; half < 2; half++)
            r[2 * k + half] = directed(a[half], b[half], c[half], (enum isa_round)d->boolean, &plain[half]);
        strange |= ~lane_words(plain[0], plain[1]) & mask_words(mask_part(active, k));
    }
    return is_zero(strange);
}

static __attribute__((noinline)) bool write_directed(const struct bound *d, const struct warp *w,
                                                     uint8_t *regs, uint64_t active)
{
    vd r[2 * VECTORS];
    if (!compute_directed(d, w, regs, active, r)) return false;
    for (unsigned k = 0; k < VECTORS; k++) {
        const vm m = mask_part(active, k);
        simd_store_masked(regs + d->dst, k, m, low_of(r[2 * k], r[2 * k + 1]));
        simd_store_masked(regs + d->dst + REGISTER_BYTES, k, m, high_of(r[2 * k], r[2 * k + 1]));
    }
    return true;
}

HANDLER(directed_masked)
{
    if (!write_directed(d, w, regs, active)) TAIL(exec_general_alu(d, w, regs, active));
    NEXT(d + 1, w->active);
}
static const struct handlers directed_form = {directed_masked, directed_masked};

// -- comparisons --------------------------------------------------------------------------------------------
// Every comparison is a union of four outcomes (scalar).
enum { WHEN_LESS = 1, WHEN_EQUAL = 2, WHEN_GREATER = 4, WHEN_UNORDERED = 8 };

static inline lanes_t compared(uint32_t when, lanes_t less, lanes_t equal, lanes_t greater)
{
    lanes_t r = 0;
    if (when & WHEN_LESS) r |= less;
    if (when & WHEN_EQUAL) r |= equal;
    if (when & WHEN_GREATER) r |= greater;
    if (when & WHEN_UNORDERED) r |= (lanes_t) ~(less | equal | greater);
    return r;
}

#define DSETP(KINDS)                                                                                         \
    HANDLER(dsetp_##KINDS##_masked)                                                                          \
    {                                                                                                        \
        lanes_t less = 0, equal = 0, greater = 0, c = pred_lanes(w, d->src[2]);                              \
        CHANGED_##KINDS;                                                                                     \
        EACH_VECTOR(k)                                                                                       \
        {                                                                                                    \
            TAKES_##KINDS(CHANGED);                                                                          \
            less |= mask_place(lane_mask(ae < be, ao < bo), k);                                              \
            equal |= mask_place(lane_mask(ae == be, ao == bo), k);                                           \
            greater |= mask_place(lane_mask(ae > be, ao > bo), k);                                           \
        }                                                                                                    \
        lanes_t r = compared(d->scalar, less, equal, greater);                                               \
        w->pred[d->dst] = (w->pred[d->dst] & ~active) | (combined(d, r, c) & active);                        \
        w->pred[d->q] = (w->pred[d->q] & ~active) | (combined(d, (lanes_t)~r, c) & active);                  \
        NEXT(d + 1, w->active);                                                                              \
    }                                                                                                        \
    static const struct handlers dsetp_##KINDS = {dsetp_##KINDS##_masked, dsetp_##KINDS##_masked};
DSETP(rr)
DSETP(rs)

// -- binding ------------------------------------------------------------------------------------------------
static uint64_t with_sign(uint64_t x, unsigned flags)
{
    if (flags & OPERAND_ABS) x &= ~DOUBLE_BIT;
    return flags & OPERAND_NEG ? x ^ DOUBLE_BIT : x;
}

// Stores the modifiers of register sources and the value of a constant source in d. Returns the number of the
// constant source; `count`: no constant; above `count`: a source is neither register nor constant.
static unsigned take_sources(const struct exec *e, const struct inst *i, struct bound *d, unsigned count)
{
    unsigned constant = count, how = 0;
    for (unsigned k = 0; k < count; k++) {
        unsigned flags = i->src[k].flags;
        if (is_constant(&i->src[k])) {
            constant = k;
            d->wide = with_sign(e->general[d->index].value[k], flags);
            continue;
        }
        if (!is_register(&i->src[k])) return count + 1;
        if (flags & OPERAND_NEG) how |= 1u << (HOW_NEG + k);
        if (flags & OPERAND_ABS) how |= 1u << (HOW_ABS + k);
    }
    d->spare_byte = (uint8_t)how;
    return constant;
}

// Exchanges a constant first source and the second, with their modifiers. Returns the new number of the
// constant.
static unsigned exchange(struct bound *d)
{
    swap_sources(d, 0, 1);
    unsigned how = d->spare_byte, second = 1u << (HOW_NEG + 1) | 1u << (HOW_ABS + 1);
    d->spare_byte = (uint8_t)((how & ~second) | (how & second) >> 1);
    return 1;
}

static const struct handlers *bind_directed(const struct inst *i, struct bound *d, unsigned constant)
{
    if (i->round > ROUND_RP) return NULL;
    d->boolean = i->round;
    d->scalar = constant;
    return &directed_form;
}

static const struct handlers *bind_arithmetic(const struct exec *e, const struct inst *i, struct bound *d)
{
    enum { SUM, PRODUCT, LEAST, MOST };
    static const struct handlers *const two[][2][2] = {
        [SUM] = {{&dadd_rr, &dadd_rs}, {&dadd_any_rr, &dadd_any_rs}},
        [PRODUCT] = {{&dmul_rr, &dmul_rs}, {&dmul_any_rr, &dmul_any_rs}},
        [LEAST] = {{&dmin_rr, &dmin_rs}, {&dmin_any_rr, &dmin_any_rs}},
        [MOST] = {{&dmax_rr, &dmax_rs}, {&dmax_any_rr, &dmax_any_rs}}};
    static const struct handlers *const three[2][3] = {{&dfma_rsr, &dfma_rrs, &dfma_rrr},
                                                       {&dfma_any_rsr, &dfma_any_rrs, &dfma_any_rrr}};
    unsigned count = i->op == OP_DFMA ? 3 : 2, constant = take_sources(e, i, d, count);
    if (constant > count) return NULL;
    if (i->op != OP_DMNMX && i->round != ROUND_RN) return bind_directed(i, d, constant);
    if (constant == 0) constant = exchange(d);
    bool any = d->spare_byte != 0;
    if (count == 3) return three[any][constant - 1];
    unsigned which = i->op == OP_DADD ? SUM : i->op == OP_DMUL ? PRODUCT : i->mode == MODE_MAX ? MOST : LEAST;
    return two[which][any][constant == 1];
}

static const struct handlers *bind_comparison(const struct exec *e, const struct inst *i, struct bound *d)
{
    static const uint8_t when[16] = {[CMP_LT] = WHEN_LESS,
                                     [CMP_EQ] = WHEN_EQUAL,
                                     [CMP_LE] = WHEN_LESS | WHEN_EQUAL,
                                     [CMP_GT] = WHEN_GREATER,
                                     [CMP_NE] = WHEN_LESS | WHEN_GREATER,
                                     [CMP_GE] = WHEN_GREATER | WHEN_EQUAL,
                                     [CMP_NUM] = WHEN_LESS | WHEN_EQUAL | WHEN_GREATER,
                                     [CMP_NAN] = WHEN_UNORDERED,
                                     [CMP_LTU] = WHEN_UNORDERED | WHEN_LESS,
                                     [CMP_EQU] = WHEN_UNORDERED | WHEN_EQUAL,
                                     [CMP_LEU] = WHEN_UNORDERED | WHEN_LESS | WHEN_EQUAL,
                                     [CMP_GTU] = WHEN_UNORDERED | WHEN_GREATER,
                                     [CMP_NEU] = WHEN_UNORDERED | WHEN_LESS | WHEN_GREATER,
                                     [CMP_GEU] = WHEN_UNORDERED | WHEN_GREATER | WHEN_EQUAL,
                                     [CMP_T] = WHEN_UNORDERED | WHEN_LESS | WHEN_EQUAL | WHEN_GREATER};
    unsigned constant = take_sources(e, i, d, 2);
    if (constant > 2 || i->boolean > BOOL_XOR) return NULL;
    d->boolean = i->boolean;
    d->scalar = when[i->cmp];
    if (constant == 0) {
        constant = exchange(d);
        d->scalar = (d->scalar & (WHEN_EQUAL | WHEN_UNORDERED)) |
                    (d->scalar & WHEN_LESS ? WHEN_GREATER : 0u) | (d->scalar & WHEN_GREATER ? WHEN_LESS : 0u);
    }
    return constant == 1 ? &dsetp_rs : &dsetp_rr;
}

extern fast_family FAST(fast_double);
const struct handlers *FAST(fast_double)(const struct exec *e, const struct inst *i, struct bound *d)
{
    switch ((int)i->op) {
    case OP_DADD:
    case OP_DMUL:
    case OP_DFMA:
    case OP_DMNMX: return bind_arithmetic(e, i, d);
    case OP_DSETP: return bind_comparison(e, i, d);
    }
    return NULL;
}
