#include "base/narrow.h"

#include <math.h>

static const struct {
    int fraction_bits, least_exponent; // least: of normal numbers
    uint16_t infinity;
} formats[] = {[NARROW_F16] = {10, -14, 0x7c00}, [NARROW_BF16] = {7, -126, 0x7f80}};

uint16_t narrow_from(enum narrow_format format, double value)
{
    const int bits = formats[format].fraction_bits, least = formats[format].least_exponent;
    const uint16_t sign = signbit(value) ? 0x8000 : 0, infinity = formats[format].infinity;
    if (isnan(value)) return 0x7fff;
    if (isinf(value)) return (uint16_t)(sign | infinity);
    int exponent = value == 0 || ilogb(value) < least ? least : ilogb(value);
    if (exponent > 1 - least) return (uint16_t)(sign | infinity);
    // Units of the last place, with the leading 1 of a normal number: a carry moves into the exponent.
    uint32_t units = (uint32_t)nearbyint(scalbn(fabs(value), bits - exponent)),
             all = ((uint32_t)(exponent - least) << bits) + units;
    return (uint16_t)(sign | (all > infinity ? infinity : all));
}

double narrow_to(enum narrow_format format, uint16_t bits)
{
    const int fraction_bits = formats[format].fraction_bits, least = formats[format].least_exponent;
    const uint16_t magnitude = bits & 0x7fff, infinity = formats[format].infinity;
    int exponent = magnitude >> fraction_bits;
    double fraction = magnitude & ((1 << fraction_bits) - 1), value;
    if (magnitude >= infinity)
        value = magnitude == infinity ? (double)INFINITY : (double)NAN;
    else if (exponent)
        value = scalbn(fraction + (1 << fraction_bits), exponent - 1 + least - fraction_bits);
    else
        value = scalbn(fraction, least - fraction_bits);
    return bits & 0x8000 ? -value : value;
}
