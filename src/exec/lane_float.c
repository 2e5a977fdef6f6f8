// Single precision. FADD and FMUL to nearest are the host's arithmetic; directed rounding, FFMA, minimum,
// maximum and comparison use softfloat.
#include "exec/lane.h"
#include "exec/mufu.h"
#include "exec/softfloat.h"
#include "isa/inst.h"

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static inline bool has(const struct lane_io *io, unsigned flag) { return (io->inst->flags & flag) != 0; }
static inline enum isa_round rounding(const struct lane_io *io) { return (enum isa_round)io->inst->round; }

static uint32_t flush(uint32_t x) { return x & 0x7f800000u ? x : x & 0x80000000u; }

static uint32_t signed_source(const struct lane_io *io, unsigned k, unsigned l)
{
    uint32_t x = io->src[k][0][l];
    unsigned flags = io->inst->src[k].flags;
    if (flags & OPERAND_ABS) x &= 0x7fffffffu;
    if (flags & OPERAND_NEG) x ^= 0x80000000u;
    return x;
}

static uint32_t source(const struct lane_io *io, unsigned k, unsigned l)
{
    uint32_t x = signed_source(io, k, l);
    return has(io, INST_FTZ) ? flush(x) : x;
}

static bool is_nan(uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; }

static void result(struct lane_io *io, unsigned l, uint32_t x)
{
    if (is_nan(x)) x = 0x7fffffffu;
    if (has(io, INST_FTZ)) x = flush(x);
    if (has(io, INST_SAT)) {
        if (is_nan(x) || x >> 31)
            x = 0;
        else if (x > 0x3f800000u)
            x = 0x3f800000u;
    }
    io->dst[0][l] = x;
}

void lane_fadd(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = source(io, 0, l), b = source(io, 1, l);
        if (rounding(io) == ROUND_RN)
            result(io, l, f32_bits(f32_from_bits(a) + f32_from_bits(b)));
        else
            result(io, l, (uint32_t)float_add(&float_f32, a, b, rounding(io)));
    }
}

void lane_fmul(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = source(io, 0, l), b = source(io, 1, l);
        if (rounding(io) == ROUND_RN)
            result(io, l, f32_bits(f32_from_bits(a) * f32_from_bits(b)));
        else
            result(io, l, (uint32_t)float_mul(&float_f32, a, b, rounding(io)));
    }
}

void lane_ffma(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = source(io, 0, l), b = source(io, 1, l), c = source(io, 2, l);
        result(io, l, (uint32_t)float_fma(&float_f32, a, b, c, rounding(io)));
    }
}

// FMNMX, minimum or maximum. With .xorsign: the smaller (larger) magnitude, with the sign of a * b.
void lane_fmnmx(struct lane_io *io)
{
    bool max = io->inst->mode == MODE_MAX;
    LANES(io)
    {
        uint32_t a = source(io, 0, l), b = source(io, 1, l), sign = (a ^ b) & 0x80000000u;
        if (has(io, INST_XORSIGN)) {
            a &= 0x7fffffffu;
            b &= 0x7fffffffu;
        }
        uint32_t d = (uint32_t)float_min_max(&float_f32, a, b, max, has(io, INST_NAN));
        if (has(io, INST_XORSIGN) && !is_nan(d)) d |= sign;
        result(io, l, d);
    }
}

static bool compared(const struct lane_io *io, unsigned l)
{
    return float_compare(&float_f32, source(io, 0, l), source(io, 1, l), (enum isa_cmp)io->inst->cmp);
}

void lane_fsetp(struct lane_io *io)
{
    enum isa_bool b = (enum isa_bool)io->inst->boolean;
    LANES(io)
    {
        bool r = compared(io, l), with = io->psrc[2] >> l & 1;
        io->pdst[0] |= (uint64_t)lane_combine(b, r, with) << l;
        io->pdst[1] |= (uint64_t)lane_combine(b, !r, with) << l;
    }
}

void lane_fset(struct lane_io *io)
{
    LANES(io)
    {
        bool r = lane_combine((enum isa_bool)io->inst->boolean, compared(io, l), io->psrc[2] >> l & 1);
        io->dst[0][l] = !r ? 0 : has(io, INST_BF) ? 0x3f800000u : ~0u;
    }
}

// FCHK: true when the short sequence for a / b may be inexact, by the exponents; bounds are in the row of
// isa.def.
static bool division_needs_care(uint32_t a, uint32_t b)
{
    int ea = (int)(a >> 23 & 255), eb = (int)(b >> 23 & 255);
    return !(eb >= 1 && eb <= 252 && ea >= 25 && ea <= 254 && ea - eb >= -125 && ea - eb <= 126);
}

void lane_fchk(struct lane_io *io)
{
    LANES(io)
    io->pdst[0] |= (uint64_t)division_needs_care(source(io, 0, l), source(io, 1, l)) << l;
}

uint32_t lane_mufu32(enum isa_mode mode, uint32_t bits)
{
    float x = f32_from_bits(bits), y = x;
    if (mode == MODE_MUFU_RCP)
        y = mufu_rcp(x);
    else if (mode == MODE_MUFU_RSQ)
        y = mufu_rsq(x);
    else if (mode == MODE_MUFU_SQRT)
        y = mufu_sqrt(x);
    else if (mode == MODE_MUFU_LG2)
        y = mufu_lg2(x);
    else if (mode == MODE_MUFU_EX2)
        y = mufu_ex2(x);
    else if (mode == MODE_MUFU_SIN)
        y = mufu_sin(x);
    else if (mode == MODE_MUFU_COS)
        y = mufu_cos(x);
    else if (mode == MODE_MUFU_TANH)
        y = mufu_tanh(x);
    uint32_t d = f32_bits(y);
    return is_nan(d) ? 0x7fffffffu : d;
}

void lane_mufu(struct lane_io *io)
{
    enum isa_mode mode = (enum isa_mode)io->inst->mode;
    LANES(io)
    {
        bool high_word = mode == MODE_MUFU_RCP64H || mode == MODE_MUFU_RSQ64H;
        // RCP64H and RSQ64H: the source is a double's high word, so .ftz of f32 does not apply.
        uint32_t x = high_word ? signed_source(io, 0, l) : source(io, 0, l);
        if (mode == MODE_MUFU_RCP64H)
            io->dst[0][l] = mufu_rcp64h(x);
        else if (mode == MODE_MUFU_RSQ64H)
            io->dst[0][l] = mufu_rsq64h(x);
        else
            result(io, l, lane_mufu32(mode, x));
    }
}
