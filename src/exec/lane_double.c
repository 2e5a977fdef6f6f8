// Double precision on pairs of words. Sums and products rounded to nearest use the host's arithmetic; all
// other operations use softfloat. NaN results follow the rule in lane.h, independent of the host's operand
// order.
#include "exec/lane.h"
#include "exec/softfloat.h"
#include "isa/inst.h"

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static const uint64_t invalid = 0xfff8000000000000ull;

static inline enum isa_round rounding(const struct lane_io *io) { return (enum isa_round)io->inst->round; }
static bool is_nan(uint64_t x) { return float_is_nan(&float_f64, x); }

static uint64_t source(const struct lane_io *io, unsigned k, unsigned l)
{
    uint64_t x = (uint64_t)io->src[k][1][l] << 32 | io->src[k][0][l];
    unsigned flags = io->inst->src[k].flags;
    if (flags & OPERAND_ABS) x &= ~(1ull << 63);
    if (flags & OPERAND_NEG) x ^= 1ull << 63;
    return x;
}

static void result(struct lane_io *io, unsigned l, uint64_t x)
{
    io->dst[0][l] = (uint32_t)x;
    io->dst[1][l] = (uint32_t)(x >> 32);
}

// Result x of an operation on a, b and c; a NaN x becomes the NaN by the rule in lane.h.
static uint64_t with_nan(uint64_t x, uint64_t a, uint64_t b, uint64_t c)
{
    if (!is_nan(x)) return x;
    uint64_t nan = float_nan_f64(a, b, c);
    return nan ? nan : invalid;
}

void lane_dadd(struct lane_io *io)
{
    LANES(io)
    {
        uint64_t a = source(io, 0, l), b = source(io, 1, l), x;
        if (rounding(io) == ROUND_RN)
            x = f64_bits(f64_from_bits(a) + f64_from_bits(b));
        else
            x = float_add(&float_f64, a, b, rounding(io));
        result(io, l, with_nan(x, a, b, 0));
    }
}

void lane_dmul(struct lane_io *io)
{
    LANES(io)
    {
        uint64_t a = source(io, 0, l), b = source(io, 1, l), x;
        if (rounding(io) == ROUND_RN)
            x = f64_bits(f64_from_bits(a) * f64_from_bits(b));
        else
            x = float_mul(&float_f64, a, b, rounding(io));
        result(io, l, with_nan(x, a, b, 0));
    }
}

void lane_dfma(struct lane_io *io)
{
    LANES(io)
    {
        uint64_t a = source(io, 0, l), b = source(io, 1, l), c = source(io, 2, l);
        result(io, l, with_nan(float_fma(&float_f64, a, b, c, rounding(io)), a, b, c));
    }
}

void lane_dmnmx(struct lane_io *io)
{
    bool max = io->inst->mode == MODE_MAX;
    LANES(io)
    {
        uint64_t a = source(io, 0, l), b = source(io, 1, l);
        bool both = is_nan(a) && is_nan(b);
        result(io, l, both ? float_nan_f64(a, b, 0) : float_min_max(&float_f64, a, b, max, false));
    }
}

void lane_dsetp(struct lane_io *io)
{
    enum isa_bool b = (enum isa_bool)io->inst->boolean;
    LANES(io)
    {
        bool with = io->psrc[2] >> l & 1;
        bool r = float_compare(&float_f64, source(io, 0, l), source(io, 1, l), (enum isa_cmp)io->inst->cmp);
        io->pdst[0] |= (uint64_t)lane_combine(b, r, with) << l;
        io->pdst[1] |= (uint64_t)lane_combine(b, !r, with) << l;
    }
}
