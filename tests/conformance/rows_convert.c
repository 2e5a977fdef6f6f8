// cvt between every pair of types with every permitted modifier (PTX ISA 9.7.9.21).
#include "conformance/conformance.h"

#include "base/bits.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct type {
    const char *name;
    char letter; // register letter of the type
    unsigned bits;
    bool is_float, is_signed, is_brain;
};
static const struct type types[] = {
    {"u8", 'h', 8, 0, 0, 0},   {"s8", 'h', 8, 0, 1, 0},   {"u16", 'h', 16, 0, 0, 0},
    {"s16", 'h', 16, 0, 1, 0}, {"u32", 'r', 32, 0, 0, 0}, {"s32", 'r', 32, 0, 1, 0},
    {"u64", 'd', 64, 0, 0, 0}, {"s64", 'd', 64, 0, 1, 0}, {"f16", 'q', 16, 1, 0, 0},
    {"f32", 'f', 32, 1, 0, 0}, {"f64", 'g', 64, 1, 0, 0}};
enum { TYPE_COUNT_ = sizeof types / sizeof types[0] };

static const struct format *format_of(const struct type *t)
{
    return t->bits == 16 ? (t->is_brain ? &brain : &half) : t->bits == 32 ? &single : &twice;
}
static const struct type bf16 = {"bf16", 'b', 16, 1, 0, 1}, tf32 = {"tf32", 'r', 32, 1, 0, 0};

static double to_integral(double x, enum round round)
{
    if (round == TO_ZERO) return trunc(x);
    if (round == DOWN) return floor(x);
    if (round == UP) return ceil(x);
    return nearbyint(x);
}

static swide lowest(const struct type *t) { return t->is_signed ? -((swide)1 << (t->bits - 1)) : 0; }
static swide highest(const struct type *t) { return ((swide)1 << (t->bits - t->is_signed)) - 1; }

static const struct type *to_type(const struct row *r)
{
    return r->code & 0x100 ? &bf16 : &types[r->code & 15];
}
static const struct type *from_type(const struct row *r)
{
    return r->code & 0x200 ? &bf16 : &types[r->code >> 4 & 15];
}

// The register holds the result extended by the sign of the destination type.
static uint64_t in_register(const struct type *t, uint64_t v)
{
    unsigned width = t->letter == 'd' || t->letter == 'g'   ? 64
                     : t->letter == 'r' || t->letter == 'f' ? 32
                                                            : 16;
    v &= bit_mask(t->bits);
    if (t->is_signed && v >> (t->bits - 1)) v |= ~bit_mask(t->bits);
    return v & bit_mask(width);
}

static uint64_t to_integer(const struct row *r, const struct type *to, const struct type *from, uint64_t bits)
{
    const struct format *f = format_of(from);
    if (format_is_nan(f, bits)) // 0; from f64 or to 64 bits 1 << (bits - 1)
        return from->bits == 64 || to->bits == 64 ? in_register(to, 1ull << (to->bits - 1)) : 0;
    double x = to_integral(f == &twice ? f64_from_bits(bits) : format_value(f, bits), r->round);
    swide v = x < -0x1p65 ? lowest(to) : x > 0x1p65 ? highest(to) : (swide)x;
    if (v < lowest(to)) v = lowest(to);
    if (v > highest(to)) v = highest(to);
    return in_register(to, (uint64_t)v);
}

static uint64_t finish(const struct row *r, const struct format *f, uint64_t bits)
{
    uint64_t sign = 1ull << (f->bits - 1), one = (uint64_t)f->bias << f->fraction_bits;
    if (format_is_nan(f, bits)) return r->sat ? 0 : bits;
    if (r->ftz && f == &single) bits = format_flush(f, bits);
    if (r->sat) bits = bits & sign ? 0 : bits > one ? one : bits;
    if (r->relu && bits & sign) bits = 0;
    return bits;
}

// Converts an integer by way of the nearest double and the side on which the integer lies.
static uint64_t from_integer(const struct row *r, const struct type *to, swide v)
{
    volatile double x = (double)v; // nearest
    int above = (swide)x < v ? 1 : (swide)x > v ? -1 : 0;
    const struct format *f = format_of(to);
    if (f != &twice) return finish(r, f, format_round(f, x, above, r->round));
    double d = x; // f64: the nearest double is a neighbour of v
    if (r->round == TO_ZERO && above == (v < 0 ? 1 : -1)) d = nextafter(x, 0);
    if (r->round == DOWN && above < 0) d = nextafter(x, -INFINITY);
    if (r->round == UP && above > 0) d = nextafter(x, INFINITY);
    return finish(r, f, f64_bits(d));
}

// A NaN widened to f64 keeps sign and payload, and becomes quiet.
static uint64_t widened_nan(const struct format *a, uint64_t bits)
{
    uint64_t payload = (bits & bit_mask(a->fraction_bits)) << (52 - a->fraction_bits);
    return (bits >> (a->bits - 1) & 1) << 63 | 0x7ff8ull << 48 | payload;
}

static uint64_t float_to_float(const struct row *r, const struct type *to, const struct type *from,
                               uint64_t bits)
{
    const struct format *a = format_of(from), *f = format_of(to);
    if (to == from && !r->integral && !r->ftz && !r->sat) return bits; // a plain copy
    if (format_is_nan(a, bits)) {
        if (r->sat) return 0;
        if (f != &twice) return format_canonical_nan(f);
        return widened_nan(a, bits);
    }
    double x = a == &twice ? f64_from_bits(bits) : format_value(a, bits);
    if (r->integral) x = to_integral(x, r->round);
    if (f == &twice) return finish(r, f, f64_bits(x));
    return finish(r, f, format_round(f, x, 0, r->integral ? NEAREST : r->round));
}

static uint64_t convert(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    const struct type *to = to_type(r), *from = from_type(r);
    uint64_t a = v[0] & bit_mask(from->bits);
    if (from->is_float) {
        if (r->ftz && from->bits == 32) a = format_flush(&single, a);
        return to->is_float ? float_to_float(r, to, from, a) : to_integer(r, to, from, a);
    }
    swide x = from->is_signed && a >> (from->bits - 1) ? (swide)a - ((swide)1 << from->bits) : (swide)a;
    if (to->is_float) return from_integer(r, to, x);
    if (r->sat) x = x < lowest(to) ? lowest(to) : x > highest(to) ? highest(to) : x;
    return in_register(to, (uint64_t)x);
}

// {A, B}: A to the upper half.
static uint64_t convert_two(const struct row *r, const uint64_t *v, uint64_t *second)
{
    return convert(r, v, second) << 16 | convert(r, v + 1, second);
}

// tf32: an f32 with ten fraction bits, the rest zero.
static uint64_t to_tf32(const struct row *r, const uint64_t *v, uint64_t *second)
{
    (void)second;
    uint32_t a = (uint32_t)v[0], magnitude = a & 0x7fffffff, low = a & 0x1fff;
    if (magnitude > 0x7f800000) return 0x7fffffff;
    if (magnitude == 0x7f800000) return r->relu && a >> 31 ? 0 : a;
    bool up = r->round == NEAREST_AWAY ? low >= 0x1000
              : r->round == NEAREST    ? low > 0x1000 || (low == 0x1000 && a & 0x2000)
                                       : false;
    uint32_t d = a - low + (up ? 0x2000 : 0);
    return r->relu && d >> 31 ? 0 : d;
}

static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
static const enum round round_of[] = {NEAREST, TO_ZERO, DOWN, UP};

static void add(struct rows *rows, struct row r, const struct type *to, const struct type *from,
                const char *rounding)
{
    r.rule = convert;
    r.code = (to->is_brain ? 0x100 : (int)(to - types)) | (from->is_brain ? 0x200 : (int)(from - types) << 4);
    snprintf(r.kinds, sizeof r.kinds, "%c:%c", to->letter, from->letter);
    row_add(rows, r, "cvt%s%s%s%s.%s.%s D, A", rounding, r.ftz ? ".ftz" : "", r.sat ? ".sat" : "",
            r.relu ? ".relu" : "", to->name, from->name);
}

static void pair_of_types(struct rows *rows, const struct type *to, const struct type *from)
{
    bool narrows =
        to->is_float && (!from->is_float || from->bits > to->bits || to->is_brain != from->is_brain);
    bool to_int = from->is_float && !to->is_float, same = from->is_float && to == from;
    bool single_in_it = (to->is_float && to->bits == 32) || (from->is_float && from->bits == 32);
    for (int ftz = 0; ftz <= single_in_it; ftz++)
        for (int sat = 0; sat < 2; sat++) {
            struct row r = {.ftz = ftz, .sat = sat};
            char rounding[8];
            bool fits = !to->is_float && !from->is_float && lowest(to) <= lowest(from) &&
                        highest(to) >= highest(from);
            if (sat && fits) continue; // "illegal in cases where saturation is not possible"
            if (!to_int && !narrows) add(rows, r, to, from, "");
            for (int m = 0; m < 4 && (to_int || narrows || same); m++) {
                r.round = round_of[m];
                r.integral = to_int || same;
                snprintf(rounding, sizeof rounding, ".%s%s", roundings[m], r.integral ? "i" : "");
                add(rows, r, to, from, rounding);
            }
        }
}

void rows_convert(struct rows *rows)
{
    for (int to = 0; to < TYPE_COUNT_; to++)
        for (int from = 0; from < TYPE_COUNT_; from++) pair_of_types(rows, &types[to], &types[from]);
    static const char *const modes[] = {".rn", ".rz"};
    for (int k = 0; k < 4; k++) {
        struct row r = {.round = k & 1 ? TO_ZERO : NEAREST, .relu = k & 2};
        add(rows, r, &bf16, &types[9], modes[k & 1]);
        if (r.relu) add(rows, r, &types[8], &types[9], modes[k & 1]);
        r.rule = convert_two;
        r.code = 8 | 9 << 4;
        snprintf(r.kinds, sizeof r.kinds, "x:ff");
        row_add(rows, r, "cvt%s%s.f16x2.f32 D, A, B", modes[k & 1], r.relu ? ".relu" : "");
        r.code = 0x100 | 9 << 4;
        snprintf(r.kinds, sizeof r.kinds, "y:ff");
        row_add(rows, r, "cvt%s%s.bf16x2.f32 D, A, B", modes[k & 1], r.relu ? ".relu" : "");
        r.rule = to_tf32;
        snprintf(r.kinds, sizeof r.kinds, "r:f");
        row_add(rows, r, "cvt%s%s.tf32.f32 D, A", modes[k & 1], r.relu ? ".relu" : "");
    }
    row_add(rows, (struct row){.rule = to_tf32, .round = NEAREST_AWAY, .kinds = "r:f"},
            "cvt.rna.tf32.f32 D, A");
    add(rows, (struct row){0}, &types[9], &bf16, "");
    (void)tf32;
}
