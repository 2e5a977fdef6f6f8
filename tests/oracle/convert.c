// cvt (PTX ISA 9.7.9.21): any of the scalar types to any other, and the packing forms.
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

static swide lowest(enum ptx_type type)
{
    return ptx_type_is_signed(type) ? -((swide)1 << (ptx_type_bits(type) - 1)) : 0;
}
static swide highest(enum ptx_type type)
{
    return ((swide)1 << (ptx_type_bits(type) - (ptx_type_is_signed(type) ? 1 : 0))) - 1;
}

static bool integral(enum ptx_round round) { return round >= PTX_ROUND_RNI; }

static uint64_t float_to_integer(const struct ptx_inst *i, enum ptx_type to, enum ptx_type from,
                                 struct number n)
{
    if (n.class == NUMBER_NAN) { // "Zero, if source type is not .f64 and destination type is not .s64, .u64",
                                 // else 1 << (bits - 1)
        bool wide_form = from == PTX_F64 || ptx_type_bits(to) == 64;
        return wide_form ? 1ull << (ptx_type_bits(to) - 1) : 0;
    }
    return (uint64_t)number_to_integer(n, integral(i->round) ? i->round : PTX_ROUND_RZI, lowest(to),
                                       highest(to));
}

static uint64_t to_float(const struct ptx_inst *i, enum ptx_type to, struct number n)
{
    const struct number_format *f = number_format(to);
    uint64_t sign = 1ull << (f->storage_bits - 1);
    if (n.class == NUMBER_NAN && i->sat) return 0;
    uint64_t bits =
        number_encode(f, n, i->round == PTX_ROUND_NONE || integral(i->round) ? PTX_ROUND_RN : i->round);
    if (i->ftz && to == PTX_F32) bits = number_flush(f, bits);
    if (i->sat) {
        uint64_t one = number_encode(f, number_from_integer(1), PTX_ROUND_RN);
        bits = bits & sign ? 0 : bits > one ? one : bits;
    }
    if (i->relu && bits & sign && n.class != NUMBER_NAN) bits = 0;
    return bits;
}

// A NaN widened to f64 keeps sign and payload, and becomes quiet.
static uint64_t widened_nan(const struct number_format *f, uint64_t a)
{
    int fraction_bits = f->precision - 1;
    uint64_t payload = (a & bit_mask((unsigned)fraction_bits)) << (52 - fraction_bits);
    return (a >> (f->storage_bits - 1) & 1) << 63 | 0x7ff8ull << 48 | payload;
}

static uint64_t convert(const struct ptx_inst *i, enum ptx_type to, enum ptx_type from, uint64_t a)
{
    if (!ptx_type_is_float(from)) {
        unsigned bits = ptx_type_bits(from);
        swide v = ptx_type_is_signed(from) ? (swide)oracle_extend(a, bits) : (swide)a;
        if (ptx_type_is_float(to)) return to_float(i, to, number_from_integer(v));
        if (i->sat) v = v < lowest(to) ? lowest(to) : v > highest(to) ? highest(to) : v;
        return (uint64_t)v;
    }
    const struct number_format *f = number_format(from);
    if (i->ftz && from == PTX_F32) a = number_flush(f, a);
    struct number n = number_decode(f, a);
    if (!ptx_type_is_float(to)) return float_to_integer(i, to, from, n);
    if (to == from && !integral(i->round) && !i->ftz && !i->sat) return a;
    if (integral(i->round)) n = number_integral(n, i->round);
    if (n.class == NUMBER_NAN && to == PTX_F64 && !i->sat) return widened_nan(f, a);
    return to_float(i, to, n);
}

void oracle_convert(struct oracle_thread *t, const struct ptx_inst *i)
{
    enum ptx_type to = i->types[0], from = i->types[1];
    uint64_t d;
    if (to == PTX_F16X2 || to == PTX_BF16X2) { // d = {high: a, low: b}
        enum ptx_type half = to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        d = convert(i, half, from, oracle_read(t, &i->operands[1], from)) << 16;
        d |= convert(i, half, from, oracle_read(t, &i->operands[2], from));
        to = PTX_B32;
    } else {
        d = convert(i, to, from, oracle_read(t, &i->operands[1], from));
    }
    oracle_write(t, &i->operands[0], to, d);
}
