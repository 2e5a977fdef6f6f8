// Elements of products in whole numbers: floats by groups, f64 by fused operations, integers and single bits exactly.
#include "exec/tensor/group.h"
#include "base/bits.h"
#include "exec/softfloat.h"

#include <math.h>

// Floors before Hopper are inferred where docs/explanation/tensor.md says so.
#define HALF(length, align, f32, f16)                                                                        \
    {                                                                                                        \
        length, align, 23, f32, f16                                                                          \
    }
const struct tensor_card tensor_cards[TENSOR_GENERATIONS] = {
    [TENSOR_VOLTA] = {.name = "volta", .half = HALF(4, 23, -131, -19)},
    [TENSOR_TURING] = {.name = "turing", .half = HALF(8, 24, -132, -20)},
    [TENSOR_AMPERE] = {.name = "ampere", .half = HALF(8, 24, -132, -20), .tf32 = HALF(4, 24, -132, -20)},
    [TENSOR_ADA] = {.name = "ada",
                    .half = HALF(8, 24, -132, -20),
                    .tf32 = HALF(4, 24, -132, -20),
                    .eight = {16, 13, 13, -132, -20}},
    [TENSOR_HOPPER] = {.name = "hopper",
                       .half = HALF(16, 25, -133, -21),
                       .tf32 = HALF(8, 25, -133, -21),
                       .eight = HALF(16, 25, -133, -21),
                       .eight_by_half = true},
    [TENSOR_BLACKWELL] = {.name = "blackwell",
                          .half = HALF(16, 25, -133, -21),
                          .tf32 = HALF(8, 25, -133, -21),
                          .eight = HALF(16, 25, -133, -21),
                          .eight_by_half = true},
    [TENSOR_RTX_BLACKWELL] = {.name = "rtx-blackwell",
                              .half = HALF(16, 25, -133, -21),
                              .tf32 = HALF(8, 25, -133, -21),
                              .eight = HALF(32, 25, -133, -21)},
};
#undef HALF
const struct tensor_rule tensor_warpgroup_eight = {32, 13, 13, -133, -21};

const struct tensor_card *tensor_card_of_target(unsigned target)
{
    static const unsigned first[] = {
        [TENSOR_TURING] = 75, [TENSOR_AMPERE] = 80,     [TENSOR_ADA] = 89,
        [TENSOR_HOPPER] = 90, [TENSOR_BLACKWELL] = 100, [TENSOR_RTX_BLACKWELL] = 120};
    unsigned generation = TENSOR_VOLTA;
    if (!target) return &tensor_cards[TENSOR_HOPPER];
    while (generation < TENSOR_RTX_BLACKWELL && target >= first[generation + 1]) generation++;
    return &tensor_cards[generation];
}

const struct tensor_rule *tensor_rule_of(const struct tensor_card *card, unsigned type)
{
    if (type == TYPE_TF32) return &card->tf32;
    return type == TYPE_F16 || type == TYPE_BF16 ? &card->half : &card->eight;
}

// -- floats -------------------------------------------------------------------------------------------------

static struct tensor_value multiply(struct tensor_value x, struct tensor_value y)
{
    struct tensor_value p = {.negative = x.negative ^ y.negative, .exponent = x.exponent + y.exponent};
    bool zero = (x.kind == TENSOR_FINITE && !x.significand) || (y.kind == TENSOR_FINITE && !y.significand);
    p.kind = x.kind > y.kind ? x.kind : y.kind;
    if (p.kind == TENSOR_INFINITE && zero) p.kind = TENSOR_NAN;
    p.significand = x.significand * y.significand; // at most 22 bits: factors have 11
    return p;
}

// The sum of terms of which one is not finite: infinities of one sign, else NaN.
static uint32_t sum_of_special(const struct tensor_format *d, const struct tensor_value *terms,
                               unsigned count)
{
    bool seen[2] = {false, false};
    uint32_t infinity = (uint32_t)bit_mask(d->exponent_bits) << d->fraction_bits,
             nan = (uint32_t)bit_mask(d->bits - 1u);
    for (unsigned k = 0; k < count; k++) {
        if (terms[k].kind == TENSOR_NAN) return nan;
        if (terms[k].kind == TENSOR_INFINITE) seen[terms[k].negative] = true;
    }
    return seen[0] && seen[1] ? nan : infinity | (uint32_t)seen[1] << (d->bits - 1);
}

// A term as a multiple of 2^(emax - align), cut toward zero. below: emax - align less the weight of the significand.
static int64_t cut_term(const struct tensor_value *t, int32_t below)
{
    uint64_t magnitude = below <= 0   ? (uint64_t)t->significand << -below
                         : below < 64 ? (uint64_t)t->significand >> below
                                      : 0;
    return t->negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

uint32_t tensor_group(const struct tensor_rule *r, const struct tensor_format *d,
                      const struct tensor_value *products, unsigned count, unsigned fraction, uint32_t c)
{
    struct tensor_value terms[TENSOR_FLOAT_DEPTH + 1];
    int32_t emax = d->bits == 16 ? r->floor_f16 : r->floor_f32;
    bool is_special = false;
    for (unsigned k = 0; k <= count; k++) {
        terms[k] = k < count ? products[k] : tensor_decode(d, c);
        is_special |= terms[k].kind != TENSOR_FINITE;
        if (terms[k].significand && terms[k].exponent > emax) emax = terms[k].exponent;
    }
    if (is_special) return sum_of_special(d, terms, count + 1);
    int32_t scale = emax - r->align;
    int64_t total = 0;
    for (unsigned k = 0; k <= count; k++) {
        int32_t weight = terms[k].exponent - (int32_t)(k < count ? fraction : d->fraction_bits);
        total += cut_term(&terms[k], scale - weight);
    }
    uint64_t magnitude = total < 0 ? 0 - (uint64_t)total : (uint64_t)total;
    if (d->bits == 32 && r->cut < d->fraction_bits && magnitude >> r->cut) {
        unsigned low = bit_highest(magnitude) - r->cut;
        magnitude = magnitude >> low << low;
    }
    return tensor_pack(d, total < 0, magnitude, scale);
}

static uint32_t float_element(const struct tensor_card *card, const struct tensor_form *f, const uint64_t *a,
                              const uint64_t *b, unsigned count, uint32_t c)
{
    const struct tensor_format *fa = tensor_format_of(f->a), *fb = tensor_format_of(f->b),
                               *d = tensor_format_of(f->d);
    const struct tensor_rule *r = tensor_rule_of(card, f->a);
    bool is_emulated = tensor_is_emulated(card, f->a);
    struct tensor_value products[TENSOR_FLOAT_DEPTH];
    for (unsigned k = 0; k < count; k++)
        products[is_emulated ? tensor_emulated_place(k, count) : k] =
            multiply(tensor_decode(fa, (uint32_t)a[k]), tensor_decode(fb, (uint32_t)b[k]));
    unsigned length = is_emulated ? count / 2 : r->length;
    // m8n8k4 takes an f16 c for an f32 d: exact as f32.
    uint32_t sum = is_emulated    ? 0
                   : f->c == f->d ? c
                                  : (uint32_t)float_convert(&float_f32, &float_f16, c, ROUND_RN);
    for (unsigned k = 0; k < count; k += length) {
        unsigned left = count - k < length ? count - k : length;
        sum =
            tensor_group(r, d, products + k, left, tensor_fraction_bits(fa) + tensor_fraction_bits(fb), sum);
    }
    return is_emulated ? tensor_add(f->d, sum, c) : sum;
}

// a * b + c. Of NaN operands b counts first, then c, then a; made quiet.
static uint64_t fused(uint64_t a, uint64_t b, uint64_t c, enum isa_round round)
{
    const uint64_t quiet = 1ull << 51, indefinite = 0xfff8000000000000ull;
    const uint64_t order[] = {b, c, a};
    double sum = fma(f64_from_bits(a), f64_from_bits(b), f64_from_bits(c));
    if (round == ROUND_RN && !isnan(sum)) return f64_bits(sum);
    for (unsigned k = 0; k < 3; k++)
        if (float_is_nan(&float_f64, order[k])) return order[k] | quiet;
    uint64_t d = float_fma(&float_f64, a, b, c, round);
    return float_is_nan(&float_f64, d) ? indefinite : d;
}

// -- whole numbers ------------------------------------------------------------------------------------------

static int64_t whole(unsigned type, uint64_t bits)
{
    switch (type) {
    case TYPE_S8: return (int8_t)bits;
    case TYPE_S4: return (int64_t)((bits & 15) ^ 8) - 8;
    case TYPE_U4: return (int64_t)(bits & 15);
    default: return (uint8_t)bits;
    }
}

static uint32_t whole_element(const struct tensor_form *f, const uint64_t *a, const uint64_t *b,
                              unsigned count, uint32_t c)
{
    int64_t sum = (int32_t)c;
    for (unsigned k = 0; k < count; k++)
        if (f->a == TYPE_B1)
            sum += bit_count((uint32_t)(f->ands ? a[k] & b[k] : a[k] ^ b[k]));
        else
            sum += whole(f->a, a[k]) * whole(f->b, b[k]);
    if (f->saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

uint64_t tensor_element(const struct tensor_card *card, const struct tensor_form *f, const uint64_t *a,
                        const uint64_t *b, unsigned count, uint64_t c)
{
    if (f->d == TYPE_S32) return whole_element(f, a, b, count, (uint32_t)c);
    if (f->d != TYPE_F64) return float_element(card, f, a, b, count, (uint32_t)c);
    for (unsigned k = 0; k < count; k++) c = fused(a[k], b[k], c, (enum isa_round)f->round);
    return c;
}
