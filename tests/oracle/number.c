// Exact arithmetic on sign, significand, exponent; one rounding function for all formats.
#include "oracle/number.h"

#include "base/bits.h"

const struct number_format *number_format(enum ptx_type type)
{
    static const struct number_format f16 = {11, -14, 15, 16, 0, 0x7fff};
    static const struct number_format bf16 = {8, -126, 127, 16, 0, 0x7fff};
    static const struct number_format tf32 = {11, -126, 127, 32, 13, 0x7fffffff};
    static const struct number_format f32 = {24, -126, 127, 32, 0, 0x7fffffff};
    static const struct number_format f64 = {53, -1022, 1023, 64, 0, 0xfff8000000000000ull};
    if (type == PTX_F16 || type == PTX_F16X2) return &f16;
    if (type == PTX_BF16 || type == PTX_BF16X2) return &bf16;
    if (type == PTX_TF32) return &tf32;
    return type == PTX_F64 ? &f64 : &f32;
}

static unsigned significant_bits(wide m)
{
    uint64_t high = (uint64_t)(m >> 64), low = (uint64_t)m;
    return high ? 65 + bit_highest(high) : low ? 1 + bit_highest(low) : 0;
}

struct number number_decode(const struct number_format *f, uint64_t bits)
{
    bits >>= f->low_zeros;
    unsigned storage = f->storage_bits - f->low_zeros;
    int fraction_bits = f->precision - 1;
    uint64_t fraction = bits & bit_mask((unsigned)fraction_bits);
    int exponent = (int)(bits >> fraction_bits & bit_mask(storage - 1 - (unsigned)fraction_bits));
    int special = f->exponent_max - f->exponent_min + 2;
    struct number n = {.negative = bits >> (storage - 1) & 1, .m = fraction};
    if (exponent == special)
        n.class = fraction ? NUMBER_NAN : NUMBER_INFINITE;
    else if (exponent == 0 && !fraction)
        n.class = NUMBER_ZERO;
    else {
        n.class = NUMBER_FINITE;
        if (exponent) n.m |= (wide)1 << fraction_bits;
        n.e = (exponent ? exponent : 1) - 1 + f->exponent_min - fraction_bits;
    }
    return n;
}

// Whether the magnitude is rounded up to the next step. half: the cut-off part compared with half a step
// (-1, 0, 1).
static bool rounds_up(enum ptx_round round, bool negative, bool odd, bool exact, int half)
{
    switch (round) {
    case PTX_ROUND_RZ:
    case PTX_ROUND_RZI: return false;
    case PTX_ROUND_RM:
    case PTX_ROUND_RMI: return negative && !exact;
    case PTX_ROUND_RP:
    case PTX_ROUND_RPI: return !negative && !exact;
    case PTX_ROUND_RNA: return half >= 0;
    case PTX_ROUND_NONE:
    case PTX_ROUND_RN:
    case PTX_ROUND_RNI: break;
    }
    return half > 0 || (half == 0 && odd);
}

// m * 2^-shift rounded to an integer.
static wide shift_rounding(wide m, int shift, bool sticky, bool negative, enum ptx_round round)
{
    if (shift <= 0) return m << -shift; // callers keep enough bits: sticky cannot matter here
    wide q = shift > 127 ? 0 : m >> shift, rest = shift > 127 ? m : m & (((wide)1 << shift) - 1);
    wide middle = shift > 127 ? 0 : (wide)1 << (shift - 1);
    int half = shift > 127 || rest < middle ? -1 : rest > middle || sticky ? 1 : 0;
    return q + rounds_up(round, negative, q & 1, !rest && !sticky, half);
}

uint64_t number_encode(const struct number_format *f, struct number n, enum ptx_round round)
{
    int fraction_bits = f->precision - 1;
    unsigned storage = f->storage_bits - f->low_zeros;
    uint64_t sign = (uint64_t)n.negative << (storage - 1);
    uint64_t infinity = (uint64_t)(f->exponent_max - f->exponent_min + 2) << fraction_bits;
    uint64_t bits = 0;
    if (n.class == NUMBER_NAN) return f->nan;
    if (n.class == NUMBER_INFINITE) bits = infinity;
    if (n.class == NUMBER_FINITE) {
        int exponent = (int)significant_bits(n.m) - 1 + n.e;
        if (exponent < f->exponent_min) exponent = f->exponent_min;
        wide q = shift_rounding(n.m, exponent - fraction_bits - n.e, n.sticky, n.negative, round);
        if (q >> f->precision) { // carried into the next power of two
            q >>= 1;
            exponent++;
        }
        bool normal = (q >> fraction_bits) != 0;
        if (exponent > f->exponent_max) // too big: infinity, or the largest finite when rounding towards zero
            bits = rounds_up(round, n.negative, true, false, 1) ? infinity : infinity - 1;
        else
            bits = ((uint64_t)q & bit_mask((unsigned)fraction_bits)) |
                   (normal ? (uint64_t)(exponent - f->exponent_min + 1) << fraction_bits : 0);
    }
    return (sign | bits) << f->low_zeros;
}

struct number number_from_integer(swide v)
{
    struct number n = {.class = v ? NUMBER_FINITE : NUMBER_ZERO, .negative = v < 0};
    n.m = v < 0 ? -(wide)v : (wide)v;
    return n;
}

struct number number_integral(struct number n, enum ptx_round round)
{
    if (n.class != NUMBER_FINITE || n.e >= 0) return n;
    n.m = shift_rounding(n.m, -n.e, false, n.negative, round);
    n.e = 0;
    if (!n.m) n.class = NUMBER_ZERO;
    return n;
}

swide number_to_integer(struct number n, enum ptx_round round, swide low, swide high)
{
    n = number_integral(n, round);
    if (n.class == NUMBER_ZERO) return 0 < low ? low : 0;
    bool huge = n.class == NUMBER_INFINITE || (int)significant_bits(n.m) + n.e > 100;
    if (huge) return n.negative ? low : high;
    swide v = (swide)(n.m << n.e);
    if (n.negative) v = -v;
    return v < low ? low : v > high ? high : v;
}

struct number number_negate(struct number n)
{
    n.negative = !n.negative;
    return n;
}

// Shifts m by `places` (left when positive); sticky is set when a one bit falls off.
static wide move(wide m, int places, bool *sticky)
{
    if (places >= 0) return m << places;
    if (places < -127) {
        *sticky = *sticky || m;
        return 0;
    }
    if (m & (((wide)1 << -places) - 1)) *sticky = true;
    return m >> -places;
}

// The larger operand is shifted until its top bit is bit 125; the smaller operand follows. Bits shifted out
// of the smaller operand lie at least 20 places below the larger operand's top bit, so a sticky bit
// suffices for rounding.
struct number number_add(struct number a, struct number b, enum ptx_round round)
{
    struct number nan = {.class = NUMBER_NAN};
    if (a.class == NUMBER_NAN || b.class == NUMBER_NAN) return nan;
    if (a.class == NUMBER_INFINITE) return b.class == NUMBER_INFINITE && a.negative != b.negative ? nan : a;
    if (b.class == NUMBER_INFINITE) return b;
    if (a.class == NUMBER_ZERO && b.class == NUMBER_ZERO) {
        if (a.negative != b.negative) a.negative = round == PTX_ROUND_RM;
        return a;
    }
    if (a.class == NUMBER_ZERO) return b;
    if (b.class == NUMBER_ZERO) return a;
    int top_a = (int)significant_bits(a.m) + a.e, top_b = (int)significant_bits(b.m) + b.e;
    if (top_a < top_b) {
        struct number c = a;
        a = b;
        b = c;
    }
    int up = 126 - (int)significant_bits(a.m);
    struct number r = {.class = NUMBER_FINITE, .negative = a.negative, .e = a.e - up};
    wide ma = a.m << up, mb = move(b.m, b.e - r.e, &r.sticky);
    if (a.negative == b.negative)
        r.m = ma + mb;
    else if (ma >= mb + r.sticky)
        r.m = ma - mb - r.sticky; // a little less than ma - mb: ma - mb - 1 with the sticky bit set
    else {
        r.m = mb - ma;
        r.negative = b.negative;
    }
    if (!r.m && !r.sticky) return (struct number){.class = NUMBER_ZERO, .negative = round == PTX_ROUND_RM};
    return r;
}

struct number number_multiply(struct number a, struct number b)
{
    struct number r = {
        .class = NUMBER_FINITE, .negative = a.negative != b.negative, .m = a.m * b.m, .e = a.e + b.e};
    bool zero = a.class == NUMBER_ZERO || b.class == NUMBER_ZERO;
    bool infinite = a.class == NUMBER_INFINITE || b.class == NUMBER_INFINITE;
    if (a.class == NUMBER_NAN || b.class == NUMBER_NAN || (zero && infinite))
        r.class = NUMBER_NAN;
    else if (infinite)
        r.class = NUMBER_INFINITE;
    else if (zero)
        r.class = NUMBER_ZERO;
    return r;
}

struct number number_divide(struct number a, struct number b)
{
    struct number r = {.class = NUMBER_FINITE, .negative = a.negative != b.negative};
    if (a.class == NUMBER_NAN || b.class == NUMBER_NAN || (a.class == b.class && a.class != NUMBER_FINITE)) {
        r.class = NUMBER_NAN; // includes 0/0 and inf/inf
    } else if (a.class == NUMBER_INFINITE || b.class == NUMBER_ZERO) {
        r.class = NUMBER_INFINITE;
    } else if (a.class == NUMBER_ZERO || b.class == NUMBER_INFINITE) {
        r.class = NUMBER_ZERO;
    } else { // dividend with 126 bits over at most 53: a quotient of at least 73
        int up = 126 - (int)significant_bits(a.m);
        wide m = a.m << up;
        r.m = m / b.m;
        r.sticky = m % b.m != 0;
        r.e = a.e - up - b.e;
    }
    return r;
}

struct number number_sqrt(struct number a)
{
    if (a.class == NUMBER_ZERO || a.class == NUMBER_NAN) return a;
    if (a.negative) return (struct number){.class = NUMBER_NAN};
    if (a.class == NUMBER_INFINITE) return a;
    int up = 126 - (int)significant_bits(a.m);
    if ((a.e - up) & 1) up--;
    wide rest = a.m << up, root = 0;
    for (int bit = 62; bit >= 0; bit--) { // digit by digit: root^2 + rest stays the radicand
        wide more = ((root << 1) + ((wide)1 << bit)) << bit;
        if (more > rest) continue;
        rest -= more;
        root += (wide)1 << bit;
    }
    return (struct number){.class = NUMBER_FINITE, .m = root, .e = (a.e - up) / 2, .sticky = rest != 0};
}

bool number_is_subnormal(const struct number_format *f, uint64_t bits)
{
    int fraction_bits = f->precision - 1 + (int)f->low_zeros;
    uint64_t magnitude = bits & bit_mask(f->storage_bits - 1);
    return magnitude && !(magnitude >> fraction_bits);
}

uint64_t number_flush(const struct number_format *f, uint64_t bits)
{
    return number_is_subnormal(f, bits) ? bits & (1ull << (f->storage_bits - 1)) : bits;
}
