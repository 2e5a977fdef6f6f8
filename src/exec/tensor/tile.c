// The fast path, for the instruction set TILE_NAME with vectors of TILE_BYTES bytes (rules.mk).
#include "exec/tensor/tile.h"

#include <string.h>

enum { LANES = TILE_BYTES / 4 };

typedef float floats __attribute__((vector_size(TILE_BYTES)));
typedef int32_t ints __attribute__((vector_size(TILE_BYTES)));
typedef uint32_t words __attribute__((vector_size(TILE_BYTES)));
typedef double doubles __attribute__((vector_size(2 * TILE_BYTES)));
typedef int64_t longs __attribute__((vector_size(2 * TILE_BYTES)));
typedef uint64_t bits64 __attribute__((vector_size(2 * TILE_BYTES)));

#define INLINE         static inline __attribute__((always_inline))
#define CONVERT(v, to) __builtin_convertvector(v, to)

INLINE ints splat(int32_t x) { return x - (ints){0}; }
INLINE ints choose(ints mask, ints yes, ints no) { return (yes & mask) | (no & ~mask); }
INLINE ints greater(ints x, ints y) { return choose(x > y, x, y); }

INLINE words load_words(const uint32_t *from)
{
    words v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE ints load_ints(const int32_t *from)
{
    ints v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE floats load_floats(const float *from)
{
    floats v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE bool any_of(ints v)
{
    uint64_t part[TILE_BYTES / 8], any = 0;
    memcpy(part, &v, sizeof part);
    for (unsigned k = 0; k < TILE_BYTES / 8; k++) any |= part[k];
    return any != 0;
}

// 2^e in single precision; 0 below the normal range.
INLINE floats power(ints e) { return (floats)(greater(e + 127, (ints){0}) << 23); }

// 2^e in double precision.
INLINE doubles power_wide(ints e) { return (doubles)((CONVERT(e, longs) + 1023) << 52); }

// -- formats ------------------------------------------------------------------------------------------------

struct decoded {
    ints significand, exponent; // with the sign of the value
    ints special;               // lanes that are infinite or NaN
};

INLINE struct decoded decode_words(const struct tensor_format *f, words x)
{
    const uint32_t top = (1u << f->exponent_bits) - 1, mask = (1u << f->fraction_bits) - 1;
    const uint32_t special = top << f->fraction_bits | (f->is_e4m3 ? mask : 0);
    const unsigned to_sign = 32u - f->bits;
    const int32_t bias = (1 << (f->exponent_bits - 1)) - 1;
    words magnitude = x << to_sign << 1 >> 1 >> to_sign >> f->dropped << f->dropped;
    words field = magnitude >> f->fraction_bits;
    ints normal = (ints)(field != 0), negative = (ints)(x << to_sign) < 0;
    ints s = (ints)(((magnitude & mask) | ((words)normal & (mask + 1))) >> f->dropped);
    struct decoded d = {.special = (ints)magnitude >= splat((int32_t)special)};
    d.significand = (s ^ negative) - negative;
    d.exponent = choose(s == 0, splat(TENSOR_NOTHING), (ints)field + 1 + normal - bias);
    return d;
}

static void decode(const struct tensor_format *f, const uint32_t *bits, unsigned count, bool as_numbers,
                   struct tensor_factors *to)
{
    enum { MODERATE = 50 }; // F + 2 * MODERATE stays below 128
    const int32_t fraction = (int32_t)tensor_fraction_bits(f);
    ints special = {0}, far = {0};
    for (unsigned k = 0; k < count; k += LANES) {
        struct decoded d = decode_words(f, load_words(bits + k));
        floats value = CONVERT(d.significand, floats);
        special |= d.special;
        far |= (d.significand != 0) & ((d.exponent > splat(MODERATE)) | (d.exponent < splat(-MODERATE)));
        memcpy(to->value + k, &value, sizeof value);
        memcpy(to->exponent + k, &d.exponent, sizeof d.exponent);
    }
    to->is_special = any_of(special);
    to->is_moderate = as_numbers && !any_of(far);
    for (unsigned k = 0; k < count && to->is_moderate; k += LANES) {
        floats value = load_floats(to->value + k) * power(load_ints(to->exponent + k) - fraction);
        memcpy(to->value + k, &value, sizeof value);
    }
}

static void decode_whole(unsigned type, const uint32_t *bits, unsigned count, struct tensor_factors *to)
{
    const int32_t sign = type == TYPE_S8 ? 128 : type == TYPE_S4 ? 8 : 0;
    for (unsigned k = 0; k < count; k += LANES) {
        floats value = CONVERT(((ints)load_words(bits + k) ^ splat(sign)) - sign, floats);
        memcpy(to->value + k, &value, sizeof value);
    }
}

static const struct tensor_format f32 = {32, 8, 23, 0, false}, f16 = {16, 5, 10, 0, false};

INLINE words pack_f32(doubles value) { return (words)CONVERT(value, floats); }

// To nearest even: adding a large power of two rounds at the last place of the result.
INLINE words pack_f16(doubles value)
{
    longs e = (longs)((bits64)value >> 52 & 0x7ff) - 1023, low = e < -14;
    e = (low & -14) | (e & ~low);
    doubles magic = (doubles)((e - 10 + 52 + 1023) << 52 | 1ll << 51);
    words bits = (words)CONVERT((value + magic) - magic, floats), magnitude = bits & 0x7fffffff;
    floats absolute = (floats)magnitude;
    ints is_normal = absolute >= 0x1p-14f, is_infinite = absolute >= 65536.0f;
    ints normal = (ints)(magnitude >> 13) - (112 << 10), small = CONVERT(absolute * 0x1p24f, ints);
    ints all = choose(is_infinite, splat(0x7c00), choose(is_normal, normal, small));
    return (words)all | (bits >> 16 & 0x8000 & (words)(all != 0));
}

// -- products -----------------------------------------------------------------------------------------------

struct row { // a row of a, and the columns of b from `column` on
    const struct tensor_tile *t;
    unsigned row, column;
    int32_t align, floor, fraction;
    int64_t kept; // bits of a double that remain in an f32 result
};

// Variants that the compiler keeps apart.
struct variant {
    bool is_narrow, is_moderate, is_sparse;
};

INLINE unsigned place_of_b(const struct row *x, struct variant v, unsigned k)
{
    unsigned row = v.is_sparse ? x->t->columns[x->row * x->t->depth + k] : k;
    return row * TENSOR_COLUMNS + x->column;
}

INLINE ints add_terms(const struct row *x, struct variant v, unsigned first, unsigned count, ints emax,
                      const ints e[], ints sum[2])
{
    const float *a = x->t->a.value + x->row * x->t->depth + first;
    // Moderate values are far from 2^127; emax is small only if no product counts.
    ints scale = x->align - emax;
    floats all = power(v.is_moderate ? choose(scale > 127, splat(127), scale) : scale);
    for (unsigned n = 0; n < count; n++) {
        floats product = load_floats(x->t->b.value + place_of_b(x, v, first + n)) * a[n];
        product *= v.is_moderate ? all : power(e[n] + scale - x->fraction);
        sum[n % 2] += CONVERT(product, ints);
    }
    return scale;
}

// One group: c in bits, returns d in bits. *bad: lanes left to the whole-number path.
INLINE words group(const struct row *x, struct variant v, unsigned first, unsigned count, words c, ints *bad)
{
    ints e[TENSOR_FLOAT_DEPTH];
    const int32_t *a = x->t->a.exponent + x->row * x->t->depth + first;
    struct decoded add = decode_words(v.is_narrow ? &f16 : &f32, c);
    ints emax = greater(add.exponent, splat(x->floor));
    for (unsigned n = 0; n < count; n++) {
        e[n] = load_ints(x->t->b.exponent + place_of_b(x, v, first + n)) + a[n];
        emax = greater(emax, e[n]);
    }
    ints sum[2] = {CONVERT(CONVERT(add.significand, floats) *
                               power(add.exponent + x->align - (v.is_narrow ? 10 : 23) - emax),
                           ints),
                   {0}};
    ints scale = add_terms(x, v, first, count, emax, e, sum);
    doubles total = CONVERT(sum[0], doubles) + CONVERT(sum[1], doubles);
    *bad |= add.special;
    // Below 2^-149 a result has places that f32 lacks.
    if (!v.is_narrow) *bad |= (scale > 149) & (ints)((words)sum[0] + (words)sum[1] != 0);
    if (!v.is_narrow) total = (doubles)((longs)total & x->kept);
    total *= power_wide(-scale);
    return v.is_narrow ? pack_f16(total) : pack_f32(total);
}

// c + d to nearest even. f16: exact in double precision before the rounding.
INLINE words add_last(bool is_narrow, words sum, words c, ints *bad)
{
    const struct tensor_format *f = is_narrow ? &f16 : &f32;
    struct decoded x = decode_words(f, c), y = decode_words(f, sum);
    *bad |= x.special | y.special;
    if (!is_narrow) return (words)((floats)sum + (floats)c);
    doubles xs = CONVERT(x.significand, doubles) * power_wide(greater(x.exponent - 10, splat(-24)));
    doubles ys = CONVERT(y.significand, doubles) * power_wide(greater(y.exponent - 10, splat(-24)));
    return pack_f16(xs + ys);
}

INLINE unsigned multiply_row(const struct row *x, struct variant v, unsigned length, bool is_emulated,
                             uint32_t *d)
{
    words c = load_words(x->t->c[x->row] + x->column), sum = is_emulated ? (words){0} : c;
    ints bad = {0};
    unsigned mask = 0, depth = x->t->depth;
    for (unsigned k = 0; k < depth; k += length)
        sum = group(x, v, k, depth - k < length ? depth - k : length, sum, &bad);
    if (is_emulated) sum = add_last(v.is_narrow, sum, c, &bad);
    memcpy(d + x->column, &sum, sizeof sum);
    for (unsigned n = 0; any_of(bad) && n < LANES; n++) mask |= (unsigned)(bad[n] != 0) << n;
    return mask << x->column;
}

INLINE struct tensor_left multiply_rows(struct tensor_tile *t, struct row x, struct variant v,
                                        unsigned length, bool is_emulated)
{
    struct tensor_left left = {.any = false};
    for (x.row = 0; x.row < t->rows; x.row++) {
        unsigned bad = 0;
        for (x.column = 0; x.column < TENSOR_COLUMNS; x.column += LANES)
            bad |= multiply_row(&x, v, length, is_emulated, t->d[x.row]);
        left.columns[x.row] = (uint8_t)bad;
        left.any |= bad != 0;
    }
    return left;
}

static struct tensor_left multiply(struct tensor_tile *t, const struct tensor_rule *r, unsigned d_type,
                                   unsigned length, unsigned fraction, bool is_emulated)
{
    bool is_narrow = d_type == TYPE_F16, is_moderate = t->a.is_moderate && t->b.is_moderate;
    struct row x = {.t = t,
                    .align = r->align,
                    .floor = is_narrow ? r->floor_f16 : r->floor_f32,
                    .fraction = (int32_t)fraction,
                    .kept = -((int64_t)1 << (52 - r->cut))};
    switch (is_narrow + 2 * is_moderate + 4 * (t->columns != NULL)) {
    case 2: return multiply_rows(t, x, (struct variant){false, true, false}, length, is_emulated);
    case 3: return multiply_rows(t, x, (struct variant){true, true, false}, length, is_emulated);
    case 6: return multiply_rows(t, x, (struct variant){false, true, true}, length, is_emulated);
    case 7: return multiply_rows(t, x, (struct variant){true, true, true}, length, is_emulated);
    // Values out of the moderate range have wide exponents, so results are f32.
    default:
        return multiply_rows(t, x, (struct variant){false, false, t->columns != NULL}, length, is_emulated);
    }
}

static void multiply_whole(struct tensor_tile *t, bool saturates)
{
    struct row x = {.t = t};
    struct variant v = {.is_sparse = t->columns != NULL};
    for (x.row = 0; x.row < t->rows; x.row++)
        for (x.column = 0; x.column < TENSOR_COLUMNS; x.column += LANES) {
            floats sum = {0};
            for (unsigned k = 0; k < t->depth; k++)
                sum += load_floats(t->b.value + place_of_b(&x, v, k)) * t->a.value[x.row * t->depth + k];
            words c = load_words(t->c[x.row] + x.column), d = c + (words)CONVERT(sum, ints);
            // Signs of both addends differ from the sign of the result: past the range.
            ints past = (ints)((c ^ d) & ((words)CONVERT(sum, ints) ^ d)) < 0;
            ints limit = ((ints)c < 0) ^ splat(INT32_MAX);
            if (saturates) d = (words)choose(past, limit, (ints)d);
            memcpy(t->d[x.row] + x.column, &d, sizeof d);
        }
}

const struct tensor_tiles TILE_NAME = {decode, decode_whole, multiply, multiply_whole};
