// exec/softfloat.c against MPFR: every format, rounding mode and function. MPFR computes the exact result
// with thousands of bits and rounds it to an integral multiple of the format's lowest bit; the test
// itself only lays out the bits. Ties away from zero exist only in MPFR's rounding to integers, so every
// mode uses integer rounding. Fails when a result differs in any bit.
#include "base/rng.h"
#include "exec/softfloat.h"
#include "harness/test.h"

#if defined(WITH_MPFR)
#include <mpfr.h>

#include <inttypes.h>

enum { EXACT_BITS = 4600 }; // an f64 product and an addend side by side: 2 * 2047 + 2 * 53 and some

static const struct {
    const struct float_format *format;
    const char *name;
} formats[] = {{&float_f16, "f16"}, {&float_bf16, "bf16"}, {&float_f32, "f32"}, {&float_f64, "f64"}};

static const char *const round_names[] = {"rn", "rz", "rm", "rp", "rna"};
enum { ROUNDS = ROUND_RNA + 1 };

static void round_to_integer(mpfr_t x, enum isa_round r)
{
    switch (r) {
    case ROUND_RN: mpfr_rint(x, x, MPFR_RNDN); return;
    case ROUND_RZ: mpfr_trunc(x, x); return;
    case ROUND_RM: mpfr_floor(x, x); return;
    case ROUND_RP: mpfr_ceil(x, x); return;
    case ROUND_RNA: mpfr_round(x, x); return;
    }
}

// Bits of a magnitude below 2^64.
static uint64_t magnitude_bits(mpfr_t x)
{
    mpfr_t m;
    mpfr_init2(m, EXACT_BITS);
    mpfr_abs(m, x, MPFR_RNDZ);
    uint64_t bits = mpfr_get_uj(m, MPFR_RNDZ);
    mpfr_clear(m);
    return bits;
}

static int format_bias(const struct float_format *f) { return (1 << (f->exponent_bits - 1)) - 1; }

// The value of bits other than NaN.
static void value_of(mpfr_t x, const struct float_format *f, uint64_t bits)
{
    uint64_t mantissa = bits & bit_mask(f->mantissa_bits),
             biased = bits >> f->mantissa_bits & bit_mask(f->exponent_bits);
    bool negative = bits >> (f->width - 1) & 1;
    if (biased == bit_mask(f->exponent_bits))
        mpfr_set_inf(x, 1);
    else if (!biased)
        mpfr_set_uj_2exp(x, mantissa, 1 - format_bias(f) - (int)f->mantissa_bits, MPFR_RNDZ);
    else
        mpfr_set_uj_2exp(x, mantissa | 1ull << f->mantissa_bits,
                         (int)biased - format_bias(f) - (int)f->mantissa_bits, MPFR_RNDZ);
    mpfr_setsign(x, x, negative, MPFR_RNDZ);
}

// x, rounded to the format.
static uint64_t rounded_bits(const struct float_format *f, mpfr_t x, enum isa_round r)
{
    uint64_t sign = mpfr_signbit(x) ? float_sign_bit(f) : 0;
    if (mpfr_nan_p(x)) return float_nan(f);
    if (mpfr_inf_p(x)) return sign | float_infinity(f);
    if (mpfr_zero_p(x)) return sign;
    int bits = (int)f->mantissa_bits, least = 1 - format_bias(f) - bits;
    long lowest = mpfr_get_exp(x) - 1 - bits; // mpfr: 0.1… * 2^exp
    if (lowest < least) lowest = least;
    mpfr_t q;
    mpfr_init2(q, EXACT_BITS);
    mpfr_mul_2si(q, x, -lowest, MPFR_RNDZ);
    round_to_integer(q, r);
    uint64_t mantissa = magnitude_bits(q);
    mpfr_clear(q);
    // Carries go from the mantissa into the exponent by themselves.
    uint64_t magnitude = mantissa + ((uint64_t)(lowest - least) << bits);
    if (magnitude < float_infinity(f)) return sign | magnitude;
    bool to_infinity = r == ROUND_RN || r == ROUND_RNA || r == (sign ? ROUND_RM : ROUND_RP);
    return sign | (float_infinity(f) - !to_infinity);
}

// Operands near special cases: any bits, few bits, the ends of every range, near each other.
static uint64_t draw_float(struct rng *g, const struct float_format *f)
{
    uint64_t bits = rng_next(g), sign = bits >> 63 ? float_sign_bit(f) : 0;
    uint64_t mantissa = rng_next(g) & bit_mask(f->mantissa_bits);
    switch (rng_below(g, 8)) {
    case 0: return sign | (float_infinity(f) & rng_next(g));                  // powers of two, infinity
    case 1: return sign | (mantissa >> rng_below(g, f->mantissa_bits + 1));   // subnormal, zero
    case 2: return sign | (float_infinity(f) - 1 - rng_below(g, 4));          // the largest
    case 3: return sign | ((1ull << f->mantissa_bits) + rng_below(g, 5) - 2); // the least normal
    case 4:                                                                   // near 1, with few bits
        return sign | ((uint64_t)(format_bias(f) - 2 + (int)rng_below(g, 5)) << f->mantissa_bits) |
               (mantissa & mantissa << rng_below(g, f->mantissa_bits + 1) & bit_mask(f->mantissa_bits));
    case 5: return rng_below(g, 16) ? sign | mantissa : float_nan(f) - rng_below(g, 2);
    default: return bits & bit_mask(f->width);
    }
}

static unsigned draws(void) { return test_is_long() ? 400000 : 6000; }

// a * b + c exactly, with the sign of a zero sum in rounding mode r.
static uint64_t fma_of(const struct float_format *f, const uint64_t x[3], enum isa_round r)
{
    mpfr_t v[3], sum;
    for (int k = 0; k < 3; k++) {
        mpfr_init2(v[k], 64);
        value_of(v[k], f, x[k]);
    }
    mpfr_init2(sum, EXACT_BITS);
    bool exact = mpfr_fma(sum, v[0], v[1], v[2], r == ROUND_RM ? MPFR_RNDD : MPFR_RNDN) == 0;
    uint64_t bits = exact ? rounded_bits(f, sum, r) : 0;
    for (int k = 0; k < 3; k++) mpfr_clear(v[k]);
    mpfr_clear(sum);
    return bits;
}

static bool any_nan(const struct float_format *f, const uint64_t x[3])
{
    return float_is_nan(f, x[0]) || float_is_nan(f, x[1]) || float_is_nan(f, x[2]);
}

static void check_bits(struct test *t, const char *what, unsigned format, unsigned r, const uint64_t x[3],
                       uint64_t got, uint64_t want)
{
    CHECK_MSG(t, got == want,
              "%s.%s.%s of 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%" PRIx64 " is 0x%" PRIx64 ", not 0x%" PRIx64,
              what, round_names[r], formats[format].name, x[0], x[1], x[2], got, want);
}

static void test_arithmetic(struct test *t)
{
    struct rng g = {test_seed(1)};
    for (unsigned n = 0; n < TEST_COUNT(formats); n++)
        for (unsigned k = 0; k < draws() && !test_failed(t); k++) {
            const struct float_format *f = formats[n].format;
            uint64_t x[3] = {draw_float(&g, f), draw_float(&g, f), draw_float(&g, f)};
            uint64_t one = (uint64_t)format_bias(f) << f->mantissa_bits, sign = float_sign_bit(f);
            // An addend that cancels the product exactly or nearly.
            if (k % 3 == 0 && !any_nan(f, x))
                x[2] = float_mul(f, x[0], x[1], ROUND_RZ) ^ sign ^ rng_below(&g, 3);
            bool nan = any_nan(f, x);
            for (unsigned r = 0; r < ROUNDS; r++) {
                const uint64_t sum[3] = {x[0], one, x[1]}, product[3] = {x[0], x[1], (x[0] ^ x[1]) & sign};
                check_bits(t, "fma", n, r, x, float_fma(f, x[0], x[1], x[2], r),
                           nan ? float_nan(f) : fma_of(f, x, r));
                check_bits(t, "add", n, r, sum, float_add(f, x[0], x[1], r),
                           any_nan(f, sum) ? float_nan(f) : fma_of(f, sum, r));
                check_bits(t, "mul", n, r, product, float_mul(f, x[0], x[1], r),
                           any_nan(f, product) ? float_nan(f) : fma_of(f, product, r));
            }
        }
}

// Conversions between every pair of formats, with every value of the 16-bit formats.
static void test_conversions(struct test *t)
{
    struct rng g = {test_seed(2)};
    mpfr_t v;
    mpfr_init2(v, EXACT_BITS);
    for (unsigned from = 0; from < TEST_COUNT(formats); from++) {
        const struct float_format *f = formats[from].format;
        unsigned count = f->width == 16 ? 1u << 16 : 4 * draws();
        for (unsigned k = 0; k < count && !test_failed(t); k++) {
            const uint64_t x[3] = {f->width == 16 ? k : draw_float(&g, f)};
            unsigned to = f->width == 16 && !test_is_long() ? k % TEST_COUNT(formats)
                                                            : (unsigned)rng_below(&g, TEST_COUNT(formats));
            bool nan = float_is_nan(f, x[0]);
            if (!nan) value_of(v, f, x[0]);
            for (unsigned r = 0; r < ROUNDS; r++)
                check_bits(t, formats[from].name, to, r, x, float_convert(formats[to].format, f, x[0], r),
                           nan ? float_nan(formats[to].format) : rounded_bits(formats[to].format, v, r));
        }
    }
    mpfr_clear(v);
}

static void test_integers(struct test *t)
{
    struct rng g = {test_seed(3)};
    mpfr_t v;
    mpfr_init2(v, EXACT_BITS);
    for (unsigned n = 0; n < TEST_COUNT(formats); n++)
        for (unsigned k = 0; k < draws() && !test_failed(t); k++) {
            const struct float_format *f = formats[n].format;
            const uint64_t magnitude = rng_next(&g) >> rng_below(&g, 64),
                           x[3] = {draw_float(&g, f), magnitude};
            for (unsigned r = 0; r < ROUNDS; r++) {
                bool negative = rng_below(&g, 2) && magnitude, got_negative;
                mpfr_set_uj(v, magnitude, MPFR_RNDZ);
                mpfr_setsign(v, v, negative, MPFR_RNDZ);
                check_bits(t, "from_int", n, r, x, float_from_int(f, negative, magnitude, r),
                           rounded_bits(f, v, r));
                if (float_is_nan(f, x[0])) {
                    check_bits(t, "integral", n, r, x, float_integral(f, x[0], r), float_nan(f));
                    continue;
                }
                value_of(v, f, x[0]);
                bool fits = mpfr_zero_p(v) || (!mpfr_inf_p(v) && mpfr_get_exp(v) <= 64);
                if (!mpfr_inf_p(v)) round_to_integer(v, r);
                mpfr_setsign(v, v, x[0] >> (f->width - 1) & 1, MPFR_RNDZ); // a zero keeps the sign
                check_bits(t, "integral", n, r, x, float_integral(f, x[0], r), rounded_bits(f, v, ROUND_RZ));
                if (mpfr_inf_p(v)) continue;
                uint64_t got;
                CHECK_EQ(t, float_to_int(f, x[0], r, &got_negative, &got), fits);
                if (fits) check_bits(t, "to_int", n, r, x, got, magnitude_bits(v));
                CHECK_EQ(t, got_negative, x[0] >> (f->width - 1) & 1);
            }
        }
    mpfr_clear(v);
}

// Whether comparison `cmp` holds for an order (less, equal, greater) or for unordered operands.
static bool compare_of(enum isa_cmp cmp, int order, bool unordered)
{
    switch (cmp) {
    case CMP_F: return false;
    case CMP_LT: return !unordered && order < 0;
    case CMP_EQ: return !unordered && order == 0;
    case CMP_LE: return !unordered && order <= 0;
    case CMP_GT: return !unordered && order > 0;
    case CMP_NE: return !unordered && order != 0;
    case CMP_GE: return !unordered && order >= 0;
    case CMP_NUM: return !unordered;
    case CMP_NAN: return unordered;
    case CMP_LTU: return unordered || order < 0;
    case CMP_EQU: return unordered || order == 0;
    case CMP_LEU: return unordered || order <= 0;
    case CMP_GTU: return unordered || order > 0;
    case CMP_NEU: return unordered || order != 0;
    case CMP_GEU: return unordered || order >= 0;
    case CMP_T: return true;
    }
    return false;
}

static void test_order(struct test *t)
{
    struct rng g = {test_seed(4)};
    mpfr_t a, b;
    mpfr_inits2(64, a, b, (mpfr_ptr)0);
    for (unsigned n = 0; n < TEST_COUNT(formats); n++)
        for (unsigned k = 0; k < draws() && !test_failed(t); k++) {
            const struct float_format *f = formats[n].format;
            uint64_t x[3] = {draw_float(&g, f), draw_float(&g, f)}, sign = float_sign_bit(f);
            if (k % 4 == 0) x[1] = x[0] ^ (rng_below(&g, 2) ? sign : 0);
            bool nan_a = float_is_nan(f, x[0]), nan_b = float_is_nan(f, x[1]), unordered = nan_a || nan_b;
            if (!nan_a) value_of(a, f, x[0]);
            if (!nan_b) value_of(b, f, x[1]);
            int order = unordered ? 0 : mpfr_cmp(a, b);
            for (int cmp = CMP_F; cmp <= CMP_T; cmp++)
                CHECK_EQ(t, float_compare(f, x[0], x[1], (enum isa_cmp)cmp),
                         compare_of((enum isa_cmp)cmp, order, unordered));
            int by_sign = order ? order : (int)(x[1] / sign & 1) - (int)(x[0] / sign & 1); // -0 below +0
            for (int max = 0; max < 2; max++) {
                uint64_t number = (by_sign < 0) != max ? x[0] : x[1];
                if (unordered) number = nan_a && nan_b ? float_nan(f) : nan_a ? x[1] : x[0];
                check_bits(t, max ? "max" : "min", n, 0, x, float_min_max(f, x[0], x[1], max, false), number);
                check_bits(t, "nan", n, 0, x, float_min_max(f, x[0], x[1], max, true),
                           unordered ? float_nan(f) : number);
            }
        }
    mpfr_clears(a, b, (mpfr_ptr)0);
    mpfr_free_cache();
}
#else
static void skip(struct test *t) { test_skip_tool(t, "libmpfr-dev"); }
#define test_arithmetic  skip
#define test_conversions skip
#define test_integers    skip
#define test_order       skip
#endif

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"arithmetic", test_arithmetic},
                                             {"conversions", test_conversions},
                                             {"integers", test_integers},
                                             {"order", test_order}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
