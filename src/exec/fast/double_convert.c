// Fast forms: conversions between doubles, f32 and integers, rounding to integral doubles, and the
// special-function unit's high words. Integers and integral doubles are converted by adding a power of two
// with a last bit worth one. The low bits of the sum are then the integer. Left to the general handlers:
// 16-bit floats, saturation to [0, 1], and results of 8 and 16 bits. So is directed rounding of f64 to f32
// and of 64-bit integers to f64.
#include "exec/fast/double.h"
#include "isa/fields.h"
#include "isa/modes.h"

// Half-width vectors of 32-bit elements: as many elements as doubles in a whole vector.
typedef float __attribute__((vector_size(FAST_BITS / 16))) half_f;
typedef uint32_t __attribute__((vector_size(FAST_BITS / 16))) half_u;

enum { FLAG_NEG = 1, FLAG_ABS = 2, FLAG_FTZ = 4 };

static inline vu flushed(vu x) { return choose(equal(x & 0x7f800000u, splat(0)), x & 0x80000000u, x); }

// Applies the instruction's absolute value and negation to x, the word of a float or the high word of a
// double.
static inline vu prepared(const struct bound *d, vu x)
{
    if (d->spare_byte & FLAG_ABS) x &= 0x7fffffffu;
    if (d->spare_byte & FLAG_NEG) x ^= 0x80000000u;
    return x;
}

// Sets the result words `low` and `high` of a FORM_WIDE from the doubles of even and odd lanes.
#define PUT(even, odd) low = low_of(even, odd), high = high_of(even, odd)
#define DOUBLE_SOURCE                                                                                        \
    const vu low_word = simd_load(pa, k), high_word = prepared(d, simd_load(pa + REGISTER_BYTES, k));        \
    const vd even = even_of(low_word, high_word), odd = odd_of(low_word, high_word)

// -- f32 ----------------------------------------------------------------------------------------------------
static inline vd widened(vu64 words) // f32 bits in the low halves
{
    return __builtin_convertvector((half_f) __builtin_convertvector(words, half_u), vd);
}
static inline vu64 narrowed(vd x)
{
    return __builtin_convertvector((half_u) __builtin_convertvector(x, half_f), vu64);
}
static inline vu single_source(const struct bound *d, vu x)
{
    x = prepared(d, x);
    return d->spare_byte & FLAG_FTZ ? flushed(x) : x;
}
static inline vu single_result(const struct bound *d, vd even, vd odd)
{
    vu x = canonical((vf)((vu)narrowed(even) | (vu)(narrowed(odd) << 32)));
    return d->spare_byte & FLAG_FTZ ? flushed(x) : x;
}
FORM_WIDE(double_of_single, REG_A, const vu a = single_source(d, simd_load(pa, k));
          const vd even = widened((vu64)a & LOW_WORDS); const vd odd = widened((vu64)a >> 32), PUT(even, odd))
FORM(single_of_double, REG_A, DOUBLE_SOURCE, single_result(d, even, odd))

// -- integers to doubles ------------------------------------------------------------------------------------
#define UNIT_ONE    0x4330000000000000ull // 2^52: the last bit is worth one
#define UNIT_HIGH   0x4530000000000000ull // 2^84: the last bit is worth 2^32
#define TO_UNSIGNED 0x80000000u           // x + 2^31 as an unsigned word

static inline vd of_word(vu64 word, double offset) // 2^52 + word - offset
{
    return (vd)(word | UNIT_ONE) - offset;
}
static inline vd of_words(vu64 low, vu64 high, double offset) // one rounding, of the sum
{
    return ((vd)(high | UNIT_HIGH) - offset) + (vd)(low | UNIT_ONE);
}
#define FROM_WORD(name, WORD, OFFSET)                                                                        \
    FORM_WIDE(name, REG_A; const int n = (int)d->scalar, const vu x = WORD;                                  \
              const vd even = of_word((vu64)x & LOW_WORDS, OFFSET);                                          \
              const vd odd = of_word((vu64)x >> 32, OFFSET), PUT(even, odd))
#define FROM_WORDS(name, HIGH, OFFSET)                                                                       \
    FORM_WIDE(name, REG_A, const vu x = simd_load(pa, k);                                                    \
              const vu y = simd_load(pa + REGISTER_BYTES, k) ^ (HIGH);                                       \
              const vd even = of_words((vu64)x & LOW_WORDS, (vu64)y & LOW_WORDS, OFFSET);                    \
              const vd odd = of_words((vu64)x >> 32, (vu64)y >> 32, OFFSET), PUT(even, odd))
// Integers of 8 or 16 bits are first extended to 32, by shifts of d->scalar bits left and back right.
FROM_WORD(double_of_unsigned, simd_load(pa, k) << n >> n, 0x1p52)
FROM_WORD(double_of_signed, (vu)((vi)(simd_load(pa, k) << n) >> n) ^ TO_UNSIGNED, 0x1p52 + 0x1p31)
FROM_WORDS(double_of_u64, 0, 0x1p84 + 0x1p52)
FROM_WORDS(double_of_s64, TO_UNSIGNED, 0x1p84 + 0x1p63 + 0x1p52)

// -- integral doubles ---------------------------------------------------------------------------------------
// Rounding direction of a magnitude that is not an integer, by the number's sign.
struct ways {
    vi64 down, down_negative, up, up_negative;
};

static inline struct ways ways_of(enum isa_round r)
{
    const vi64 yes = (vi64)splat_bits(~0ull), no = {0};
    struct ways w = {no, no, no, no};
    if (r == ROUND_RZ || r == ROUND_RM) w.down = yes;
    if (r == ROUND_RZ || r == ROUND_RP) w.down_negative = yes;
    if (r == ROUND_RP) w.up = yes;
    if (r == ROUND_RM) w.up_negative = yes;
    return w;
}

static inline vd integral(vd x, const struct ways *w)
{
    const vi64 one = (vi64)splat_double(1), negative = (vi64)x < 0;
    const vd size = magnitude(x), nearest = (size + 0x1p52) - 0x1p52;
    const vi64 over = nearest > size, under = nearest < size, fraction = size < splat_double(0x1p52);
    const vi64 down = over & ((w->down & ~negative) | (w->down_negative & negative));
    const vi64 up = under & ((w->up & ~negative) | (w->up_negative & negative));
    const vd whole = (nearest - (vd)(down & one)) + (vd)(up & one);
    return choose_double(fraction, (vd)((vu64)whole | (vu64)sign(x)), x);
}

#define WAYS const struct ways ways = ways_of((enum isa_round)d->boolean)

static inline vd quieted(vd x, vd original)
{
    vi64 is_nan = original != original;
    return choose_double(is_nan, (vd)((vu64)original | 1ull << 51), x);
}
FORM_WIDE(double_integral, REG_A; WAYS, DOUBLE_SOURCE; const vd e = quieted(integral(even, &ways), even);
          const vd o = quieted(integral(odd, &ways), odd), PUT(e, o))

// -- doubles to integers ------------------------------------------------------------------------------------
// Low word, modulo 2^32, of an integral number below 2^51 in magnitude.
static inline vu64 low_word_of(vd x) { return (vu64)(x + 0x1.8p52) & LOW_WORDS; }

// Limits x to [least, most]; NaN becomes `nan`.
static inline vd clamped(vd x, double least, double most, double nan)
{
    vi64 over = x > splat_double(most), under = x < splat_double(least), is_nan = x != x;
    x = choose_double(over, splat_double(most), x);
    x = choose_double(under, splat_double(least), x);
    return choose_double(is_nan, splat_double(nan), x);
}
static inline vu64 word_of(vd x, bool is_signed)
{
    if (is_signed) return low_word_of(clamped(x, -0x1p31, 0x1p31 - 1, -0x1p31));
    return low_word_of(clamped(x, 0, 0x1p32 - 1, 0x1p31));
}

static inline vu64 words_of(vd x, bool is_signed, const struct ways *down)
{
    const double least = is_signed ? -0x1p63 : 0, most = is_signed ? 0x1p63 : 0x1p64;
    const vi64 over = x >= splat_double(most), under = x < splat_double(least), is_nan = x != x;
    const vd high = integral(x * 0x1p-32, down), low = x - high * 0x1p32;
    vd r = (vd)(low_word_of(high) << 32 | ((vu64)(low + 0x1p52) & LOW_WORDS));
    r = choose_double(over, (vd)splat_bits(is_signed ? ~DOUBLE_BIT : ~0ull), r);
    r = choose_double(under, (vd)splat_bits(is_signed ? DOUBLE_BIT : 0), r);
    return (vu64)choose_double(is_nan, (vd)splat_bits(DOUBLE_BIT), r);
}

#define TO_WORD(name, IS_SIGNED)                                                                             \
    FORM(name, REG_A;                                                                                        \
         WAYS, DOUBLE_SOURCE,                                                                                \
         (vu)(word_of(integral(even, &ways), IS_SIGNED) | word_of(integral(odd, &ways), IS_SIGNED) << 32))
#define TO_WORDS(name, IS_SIGNED)                                                                            \
    FORM_WIDE(name, REG_A; WAYS; const struct ways below = ways_of(ROUND_RM), DOUBLE_SOURCE;                 \
              const vd e = (vd)words_of(integral(even, &ways), IS_SIGNED, &below);                           \
              const vd o = (vd)words_of(integral(odd, &ways), IS_SIGNED, &below), PUT(e, o))
TO_WORD(s32_of_double, true)
TO_WORD(u32_of_double, false)
TO_WORDS(s64_of_double, true)
TO_WORDS(u64_of_double, false)

// -- high words ---------------------------------------------------------------------------------------------
// Reciprocals of doubles with a low word of zero; subnormals are flushed.
static inline vu flushed_high(vu x) { return choose(equal(x & 0x7ff00000u, splat(0)), x & 0x80000000u, x); }
static inline vd root(vd x)
{
    vd r;
    for (unsigned n = 0; n < VECTOR_LANES / 2; n++) r[n] = __builtin_sqrt(x[n]);
    return r;
}
static inline vu high_result(vd even, vd odd)
{
    vu is_nan = lane_words(even != even, odd != odd);
    return (flushed_high(high_of(even, odd)) & ~is_nan) | (is_nan & 0x7fffffffu);
}
#define HIGH_SOURCE                                                                                          \
    const vu x = flushed_high(prepared(d, simd_load(pa, k)));                                                \
    const vd even = even_of(splat(0), x), odd = odd_of(splat(0), x)
FORM(high_reciprocal, REG_A, HIGH_SOURCE, high_result(1.0 / even, 1.0 / odd))
FORM(high_root, REG_A, HIGH_SOURCE, high_result(1.0 / root(even), 1.0 / root(odd)))

// -- binding ------------------------------------------------------------------------------------------------
static const struct handlers *bind_from_integer(const struct inst *i, struct bound *d)
{
    unsigned bytes = isa_type_bytes((enum isa_type)i->type2);
    bool is_signed = isa_type_is_signed((enum isa_type)i->type2);
    if (i->type != TYPE_F64) return NULL;
    if (bytes == 8 && i->round == ROUND_RN) return is_signed ? &double_of_s64 : &double_of_u64;
    if (bytes != 1 && bytes != 2 && bytes != 4) return NULL;
    d->scalar = 32 - 8 * bytes;
    return is_signed ? &double_of_signed : &double_of_unsigned; // exact
}

static const struct handlers *bind_to_integer(const struct inst *i, struct bound *d)
{
    if (i->round > ROUND_RP || i->type2 != TYPE_F64) return NULL;
    d->boolean = i->round;
    switch ((int)i->type) {
    case TYPE_S32: return &s32_of_double;
    case TYPE_U32: return &u32_of_double;
    case TYPE_S64: return &s64_of_double;
    case TYPE_U64: return &u64_of_double;
    }
    return NULL;
}

static const struct handlers *bind_between_floats(const struct inst *i)
{
    if (i->type == TYPE_F64 && i->type2 == TYPE_F32) return &double_of_single;
    return i->type == TYPE_F32 && i->type2 == TYPE_F64 && i->round == ROUND_RN ? &single_of_double : NULL;
}

extern fast_family FAST(fast_double_convert);
const struct handlers *FAST(fast_double_convert)(const struct exec *e, const struct inst *i, struct bound *d)
{
    unsigned flags = i->src[0].flags;
    (void)e;
    if (!is_register(&i->src[0]) || i->flags & (INST_SAT | INST_RELU)) return NULL;
    d->spare_byte = (uint8_t)((flags & OPERAND_NEG ? FLAG_NEG : 0) | (flags & OPERAND_ABS ? FLAG_ABS : 0) |
                              (i->flags & INST_FTZ ? FLAG_FTZ : 0));
    switch ((int)i->op) {
    case OP_I2F: return bind_from_integer(i, d);
    case OP_F2I: return bind_to_integer(i, d);
    case OP_F2F: return bind_between_floats(i);
    case OP_FRND:
        d->boolean = i->round;
        return i->type == TYPE_F64 && i->round <= ROUND_RP ? &double_integral : NULL;
    case OP_MUFU:
        return i->mode == MODE_MUFU_RCP64H   ? &high_reciprocal
               : i->mode == MODE_MUFU_RSQ64H ? &high_root
                                             : NULL;
    }
    return NULL;
}
