// Half precision: two values of F16 or BF16 in a word, each computed by softfloat (HMUFU: through f32).
#include "exec/lane.h"
#include "exec/softfloat.h"
#include "isa/inst.h"

#define LANES(io)  for (unsigned l = 0; l < (io)->lanes; l++)
#define HALVES(io) for (unsigned half = 0; half < 2; half++)

static inline bool has(const struct lane_io *io, unsigned flag) { return (io->inst->flags & flag) != 0; }

static const struct float_format *format(const struct lane_io *io)
{
    return io->inst->type == TYPE_BF16 ? &float_bf16 : &float_f16;
}

static uint64_t source(const struct lane_io *io, unsigned k, unsigned l, unsigned half)
{
    unsigned flags = io->inst->src[k].flags;
    if (flags & OPERAND_H0_H0) half = 0;
    if (flags & OPERAND_H1_H1) half = 1;
    uint64_t x = io->src[k][0][l] >> (16 * half) & 0xffff;
    if (flags & OPERAND_ABS) x &= 0x7fff;
    if (flags & OPERAND_NEG) x ^= 0x8000;
    return has(io, INST_FTZ) ? float_flush(format(io), x) : x;
}

static void result(struct lane_io *io, unsigned l, unsigned half, uint64_t x)
{
    const struct float_format *f = format(io);
    uint64_t one = io->inst->type == TYPE_BF16 ? 0x3f80 : 0x3c00;
    if (has(io, INST_FTZ)) x = float_flush(f, x);
    if (has(io, INST_SAT)) {
        if (float_is_nan(f, x) || x & 0x8000)
            x = 0;
        else if (x > one)
            x = one;
    }
    if (has(io, INST_RELU) && !float_is_nan(f, x) && x & 0x8000) x = 0;
    if (half == 0)
        io->dst[0][l] = (uint32_t)x;
    else
        io->dst[0][l] |= (uint32_t)x << 16;
}

void lane_hadd2(struct lane_io *io)
{
    LANES(io)
    HALVES(io)
    result(io, l, half, float_add(format(io), source(io, 0, l, half), source(io, 1, l, half), ROUND_RN));
}

void lane_hmul2(struct lane_io *io)
{
    LANES(io)
    HALVES(io)
    result(io, l, half, float_mul(format(io), source(io, 0, l, half), source(io, 1, l, half), ROUND_RN));
}

void lane_hfma2(struct lane_io *io)
{
    LANES(io)
    HALVES(io)
    {
        uint64_t a = source(io, 0, l, half), b = source(io, 1, l, half), c = source(io, 2, l, half);
        result(io, l, half, float_fma(format(io), a, b, c, ROUND_RN));
    }
}

void lane_hmnmx2(struct lane_io *io)
{
    LANES(io)
    HALVES(io)
    {
        uint64_t a = source(io, 0, l, half), b = source(io, 1, l, half), sign = (a ^ b) & 0x8000;
        if (has(io, INST_XORSIGN)) {
            a &= 0x7fff;
            b &= 0x7fff;
        }
        uint64_t d = float_min_max(format(io), a, b, io->inst->mode == MODE_MAX, has(io, INST_NAN));
        if (has(io, INST_XORSIGN) && !float_is_nan(format(io), d)) d |= sign;
        result(io, l, half, d);
    }
}

static bool compared(const struct lane_io *io, unsigned l, unsigned half)
{
    return float_compare(format(io), source(io, 0, l, half), source(io, 1, l, half),
                         (enum isa_cmp)io->inst->cmp);
}

void lane_hsetp2(struct lane_io *io)
{
    enum isa_bool b = (enum isa_bool)io->inst->boolean;
    LANES(io)
    {
        bool with = io->psrc[2] >> l & 1, low = compared(io, l, 0);
        bool q = has(io, INST_SCALAR) ? !low : compared(io, l, 1);
        io->pdst[0] |= (uint64_t)lane_combine(b, low, with) << l;
        io->pdst[1] |= (uint64_t)lane_combine(b, q, with) << l;
    }
}

void lane_hset2(struct lane_io *io)
{
    uint32_t yes = !has(io, INST_BF) ? 0xffff : io->inst->type == TYPE_BF16 ? 0x3f80 : 0x3c00;
    LANES(io)
    {
        bool with = io->psrc[2] >> l & 1;
        io->dst[0][l] = 0;
        HALVES(io)
        if (lane_combine((enum isa_bool)io->inst->boolean, compared(io, l, half), with))
            io->dst[0][l] |= yes << (16 * half);
    }
}

void lane_hmufu(struct lane_io *io)
{
    LANES(io)
    HALVES(io)
    {
        uint64_t x = float_convert(&float_f32, format(io), source(io, 0, l, half), ROUND_RN);
        uint32_t y = lane_mufu32((enum isa_mode)io->inst->mode, (uint32_t)x);
        result(io, l, half, float_convert(format(io), &float_f32, y, ROUND_RN));
    }
}
