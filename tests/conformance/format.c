// Floating-point formats by definition: values computed from the bits, rounding by search for the
// neighbouring values.
#include "conformance/conformance.h"

#include "base/bits.h"

#include <math.h>

const struct format half = {16, 10, 15}, brain = {16, 7, 127}, single = {32, 23, 127}, twice = {64, 52, 1023};

static uint64_t exponent_of(const struct format *f, uint64_t bits)
{
    return bits >> f->fraction_bits & bit_mask(f->bits - 1 - f->fraction_bits);
}
static uint64_t infinity(const struct format *f)
{
    return bit_mask(f->bits - 1 - f->fraction_bits) << f->fraction_bits;
}

bool format_is_nan(const struct format *f, uint64_t bits)
{
    return (bits & bit_mask(f->bits - 1)) > infinity(f);
}

bool format_is_subnormal(const struct format *f, uint64_t bits)
{
    return exponent_of(f, bits) == 0 && (bits & bit_mask(f->fraction_bits)) != 0;
}

uint64_t format_flush(const struct format *f, uint64_t bits)
{
    return format_is_subnormal(f, bits) ? bits & 1ull << (f->bits - 1) : bits;
}

uint64_t format_canonical_nan(const struct format *f) { return bit_mask(f->bits - 1); }

double format_value(const struct format *f, uint64_t bits)
{
    int e = (int)exponent_of(f, bits);
    double m = (double)(bits & bit_mask(f->fraction_bits)), sign = bits >> (f->bits - 1) & 1 ? -1 : 1;
    if (format_is_nan(f, bits)) return NAN;
    if ((bits & bit_mask(f->bits - 1)) == infinity(f)) return sign * INFINITY;
    if (e) m += (double)(1ull << f->fraction_bits);
    return sign * ldexp(m, (e ? e : 1) - f->bias - (int)f->fraction_bits);
}

// Returns low with |x| in [value(low), value(low + 1)): bits of non-negative values have the order of the
// values.
static uint64_t largest_not_above(const struct format *f, double x)
{
    uint64_t low = 0, high = infinity(f);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (format_value(f, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t format_round(const struct format *f, double x, int above, enum round round)
{
    uint64_t sign = signbit(x) ? 1ull << (f->bits - 1) : 0;
    double a = fabs(x);
    int away = sign ? -above : above; // the exact magnitude compared with a
    if (isnan(x)) return format_canonical_nan(f);
    if (isinf(x)) return sign | infinity(f);
    uint64_t low = largest_not_above(f, a);
    double below = format_value(f, low);
    if (a == below && away < 0) { // a hair less than a value of the format
        if (!low) return sign;
        below = format_value(f, --low);
    }
    bool exact = a == below && away == 0;
    // The step after the largest finite value would be 2^(bias + 1), the reference for overflow.
    double next = low + 1 == infinity(f) ? ldexp(1, f->bias + 1) : format_value(f, low + 1);
    double middle = below + (next - below) / 2;
    int half_way = a > middle ? 1 : a < middle ? -1 : away;
    bool up = false;
    if (round == NEAREST) up = half_way > 0 || (half_way == 0 && (low & 1));
    if (round == NEAREST_AWAY) up = half_way >= 0;
    if (round == DOWN) up = sign != 0;
    if (round == UP) up = sign == 0;
    if (exact) up = false;
    return sign | (low + up);
}
