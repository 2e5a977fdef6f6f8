// Conversions (PTX ISA 9.7.9.21, cvt), also between formats of different widths: a source or destination is
// one word or two words. A single 16-bit float as result is in the low half of a word with a high half of
// zero.
#include "exec/lane.h"
#include "exec/softfloat.h"
#include "isa/inst.h"

#include <math.h>

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static const uint64_t quiet = 1ull << 51;

static inline bool has(const struct lane_io *io, unsigned flag) { return (io->inst->flags & flag) != 0; }
static inline enum isa_round rounding(const struct lane_io *io) { return (enum isa_round)io->inst->round; }

static const struct float_format *format_of(unsigned type)
{
    return type == TYPE_F64    ? &float_f64
           : type == TYPE_F16  ? &float_f16
           : type == TYPE_BF16 ? &float_bf16
                               : &float_f32;
}

static uint64_t words(const struct lane_io *io, unsigned k, unsigned l, bool wide)
{
    return (wide ? (uint64_t)io->src[k][1][l] << 32 : 0) | io->src[k][0][l];
}

// A float source after its modifiers. .ftz applies to f32 only.
static uint64_t source(const struct lane_io *io, const struct float_format *f, unsigned k, unsigned l)
{
    unsigned flags = io->inst->src[k].flags;
    uint64_t x = words(io, k, l, f == &float_f64);
    if (f->width == 16) x = (flags & OPERAND_H1_H1 ? x >> 16 : x) & 0xffff;
    if (flags & OPERAND_ABS) x &= ~float_sign_bit(f);
    if (flags & OPERAND_NEG) x ^= float_sign_bit(f);
    return f == &float_f32 && has(io, INST_FTZ) ? float_flush(f, x) : x;
}

static void result(struct lane_io *io, unsigned l, bool wide, uint64_t x)
{
    io->dst[0][l] = (uint32_t)x;
    if (wide) io->dst[1][l] = (uint32_t)(x >> 32);
}

// Result x of format f after .ftz, .sat and .relu; .ftz applies to f32 only.
static uint64_t finished(const struct lane_io *io, const struct float_format *f, uint64_t x)
{
    uint64_t one = bit_mask(f->exponent_bits - 1) << f->mantissa_bits, sign = float_sign_bit(f);
    if (f == &float_f32 && has(io, INST_FTZ)) x = float_flush(f, x);
    if (has(io, INST_SAT)) {
        if (float_is_nan(f, x) || x & sign)
            x = 0;
        else if (x > one)
            x = one;
    }
    if (has(io, INST_RELU) && !float_is_nan(f, x) && x & sign) x = 0;
    return x;
}

// TF32: an f32 with ten mantissa bits. Conversion to a 19-bit format and back by a shift leaves the bits in
// place.
static uint64_t to_tf32(uint64_t x, enum isa_round r)
{
    static const struct float_format tf32 = {10, 8, 19};
    if (float_is_nan(&float_f32, x)) return float_nan(&float_f32);
    return float_convert(&tf32, &float_f32, x, r) << 13;
}

static uint64_t convert_float(const struct inst *i, const struct float_format *to,
                              const struct float_format *from, uint64_t x)
{
    if (i->type == TYPE_TF32) return to_tf32(x, (enum isa_round)i->round);
    if (to == &float_f64 && float_is_nan(from, x)) {
        if (from == &float_f64) return x | quiet;
        uint64_t payload = (x & bit_mask(from->mantissa_bits)) << (52 - from->mantissa_bits);
        return (x & float_sign_bit(from) ? 1ull << 63 : 0) | float_infinity(&float_f64) | quiet | payload;
    }
    return float_convert(to, from, x, (enum isa_round)i->round);
}

void lane_f2f(struct lane_io *io)
{
    const struct float_format *to = format_of(io->inst->type), *from = format_of(io->inst->type2);
    LANES(io)
    {
        uint64_t x = convert_float(io->inst, to, from, source(io, from, 0, l));
        result(io, l, to == &float_f64, finished(io, to, x));
    }
}

// -- 8-bit floats -------------------------------------------------------------------------------------------

// A number of at most 11 exponent bits as E4M3 or E5M2, to nearest even; past the range the greatest number, NaN 0x7f.
static uint32_t to_eight(unsigned type, float value, bool relu)
{
    const int fraction = type == TYPE_E4M3 ? 3 : 2, bias = type == TYPE_E4M3 ? 7 : 15;
    const uint32_t greatest = type == TYPE_E4M3 ? 0x7e : 0x7b, sign = signbit(value) ? 0x80 : 0;
    if (isnan(value)) return 0x7f;
    if (relu && sign) return 0;
    double x = fabs((double)value);
    if (x >= 65536) return sign | greatest;
    int exponent = x > 0 ? ilogb(x) : 1 - bias;
    if (exponent < 1 - bias) exponent = 1 - bias;
    // The hidden bit of a normal number adds 1 to the field.
    uint32_t places = (uint32_t)nearbyint(ldexp(x, fraction - exponent));
    uint32_t bits = ((uint32_t)(exponent + bias - 1) << fraction) + places;
    return sign | (bits > greatest ? greatest : bits);
}

// The same value as F16. E5M2 is the upper byte of an F16.
static uint32_t from_eight(unsigned type, uint32_t byte, bool relu)
{
    uint32_t sign = byte >> 7 << 15, magnitude = byte & 0x7f, half = magnitude << 8;
    if (type == TYPE_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) return 0x7fff;
    if (relu && sign) return 0;
    if (type == TYPE_E5M2) return sign | half;
    // Three bits of fraction in F16's place: the exponent's bias differs by 8.
    if (magnitude >> 3) return sign | ((magnitude << 7) + (8 << 10));
    return sign |
           (uint32_t)float_convert(&float_f16, &float_f32, f32_bits((float)magnitude * 0x1p-9f), ROUND_RN);
}

static void pack_eights(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t byte[2];
        for (unsigned k = 0; k < 2; k++)
            byte[k] = to_eight(io->inst->type, f32_from_bits((uint32_t)source(io, &float_f32, k, l)),
                               has(io, INST_RELU));
        io->dst[0][l] = byte[0] << 8 | byte[1];
    }
}

void lane_f2fp_unpack(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], high = from_eight(io->inst->type2, a >> 8 & 0xff, has(io, INST_RELU));
        io->dst[0][l] = high << 16 | from_eight(io->inst->type2, a & 0xff, has(io, INST_RELU));
    }
}

void lane_f2fp(struct lane_io *io)
{
    if (io->inst->type == TYPE_E4M3 || io->inst->type == TYPE_E5M2) {
        pack_eights(io);
        return;
    }
    const struct float_format *to = format_of(io->inst->type);
    LANES(io)
    {
        uint64_t half[2];
        for (unsigned k = 0; k < 2; k++) {
            uint64_t x = source(io, &float_f32, k, l);
            half[k] = finished(io, to, float_convert(to, &float_f32, x, rounding(io)));
        }
        io->dst[0][l] = (uint32_t)(half[0] << 16 | half[1]);
    }
}

// NaN converts to 0 as in PTX; from f64, or to a 64-bit integer, to 1 << (width - 1). Out-of-range values
// saturate.
static uint64_t float_as_int(const struct lane_io *io, const struct float_format *from, uint64_t x)
{
    enum isa_type type = (enum isa_type)io->inst->type;
    unsigned bits = 8 * isa_type_bytes(type);
    bool is_signed = isa_type_is_signed(type), negative = (x & float_sign_bit(from)) != 0;
    uint64_t highest = bit_mask(bits - is_signed), magnitude;
    if (float_is_nan(from, x)) return from == &float_f64 || bits == 64 ? 1ull << (bits - 1) : 0;
    bool fits = (x & bit_mask(from->width - 1)) != float_infinity(from) &&
                float_to_int(from, x, rounding(io), &negative, &magnitude);
    if (!fits) magnitude = UINT64_MAX;
    if (!negative) return magnitude > highest ? highest : magnitude;
    if (!is_signed) return 0;
    return magnitude > highest ? ~highest : 0 - magnitude;
}

static uint64_t extended(enum isa_type type, uint64_t x)
{
    unsigned up = 64 - 8 * isa_type_bytes(type);
    return isa_type_is_signed(type) ? (uint64_t)((int64_t)(x << up) >> up) : x << up >> up;
}

void lane_f2i(struct lane_io *io)
{
    enum isa_type type = (enum isa_type)io->inst->type;
    const struct float_format *from = format_of(io->inst->type2);
    LANES(io)
    {
        uint64_t x = float_as_int(io, from, source(io, from, 0, l));
        result(io, l, isa_type_bytes(type) == 8, extended(type, x));
    }
}

void lane_i2f(struct lane_io *io)
{
    enum isa_type from = (enum isa_type)io->inst->type2;
    const struct float_format *to = format_of(io->inst->type);
    LANES(io)
    {
        uint64_t x = extended(from, words(io, 0, l, isa_type_bytes(from) == 8));
        bool negative = isa_type_is_signed(from) && x >> 63;
        x = float_from_int(to, negative, negative ? 0 - x : x, rounding(io));
        result(io, l, to == &float_f64, finished(io, to, x));
    }
}

void lane_frnd(struct lane_io *io)
{
    const struct float_format *f = format_of(io->inst->type);
    LANES(io)
    {
        uint64_t x = source(io, f, 0, l);
        uint64_t y = f == &float_f64 && float_is_nan(f, x) ? x | quiet : float_integral(f, x, rounding(io));
        result(io, l, f == &float_f64, finished(io, f, y));
    }
}
