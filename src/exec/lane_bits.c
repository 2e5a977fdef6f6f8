// Bit operations: logic, shifts, fields, counting, and integer width conversion.
#include "exec/lane.h"
#include "isa/fields.h"
#include "isa/inst.h"

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static inline bool wraps(const struct lane_io *io) { return (io->inst->flags & INST_WRAP) != 0; }

void lane_lop3(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t d = lane_lut(io->inst->lut, io->src[0][0][l], io->src[1][0][l], io->src[2][0][l]);
        io->dst[0][l] = d;
        io->pdst[1] |= (uint64_t)(d != 0) << l;
    }
}

void lane_shl(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t b = io->src[1][0][l];
        io->dst[0][l] = b > 31 ? 0 : io->src[0][0][l] << b;
    }
}

void lane_shr(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        if (io->inst->type == TYPE_S32)
            io->dst[0][l] = (uint32_t)((int32_t)a >> (b > 31 ? 31 : b));
        else
            io->dst[0][l] = b > 31 ? 0 : a >> b;
    }
}

// {c:a} shifted by up to 64 bits.
static uint32_t funnel(const struct inst *i, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t most = i->type == TYPE_U32 ? 32 : 64, n = i->flags & INST_WRAP ? b & 31 : b < most ? b : most;
    uint64_t x = (uint64_t)c << 32 | a;
    if (i->mode == MODE_SHF_L) return n > 63 ? 0 : (uint32_t)(x << n >> 32);
    if (i->type == TYPE_S64) return (uint32_t)((int64_t)x >> (n > 63 ? 63 : n));
    return n > 63 ? 0 : (uint32_t)(x >> n);
}

void lane_shf(struct lane_io *io)
{
    LANES(io) io->dst[0][l] = funnel(io->inst, io->src[0][0][l], io->src[1][0][l], io->src[2][0][l]);
}

// PTX's bfe (PTX ISA 9.7.1.19). Signed type: bits past the word's end, and result bits past the field, are
// the field's sign. Unsigned type: such bits are 0.
static uint32_t bfe(bool is_signed, uint32_t a, uint32_t position, uint32_t length)
{
    if (length == 0) return 0;
    uint64_t sign_at = position + length - 1;
    bool sign = is_signed && (a >> (sign_at > 31 ? 31 : sign_at) & 1);
    uint64_t wide = sign ? ~0ull << 32 | a : a;
    uint64_t field = position > 63 ? (sign ? ~0ull : 0) : wide >> position;
    if (sign && position && position <= 63) field |= ~0ull << (64 - position);
    uint64_t mask = length > 63 ? ~0ull : (1ull << length) - 1;
    return (uint32_t)(sign ? field | ~mask : field & mask);
}

void lane_bfe(struct lane_io *io)
{
    bool is_signed = io->inst->type == TYPE_S32;
    LANES(io)
    io->dst[0][l] = bfe(is_signed, io->src[0][0][l], io->src[1][0][l] & 255, io->src[2][0][l] & 255);
}

void lane_bfi(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l], c = io->src[2][0][l];
        unsigned position = b & 255, length = b >> 8 & 255;
        uint32_t mask = position > 31 ? 0 : (uint32_t)(bit_mask(length) << position);
        io->dst[0][l] = position > 31 ? c : (c & ~mask) | (a << position & mask);
    }
}

// PTX's bmsk
void lane_bmsk(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l], start = a & 31, width = b & 31;
        if (!wraps(io) && a > 31) {
            io->dst[0][l] = 0;
        } else {
            uint32_t below_end = start + width > 31 || (!wraps(io) && b > 31) ? 0 : ~0u << (start + width);
            io->dst[0][l] = ~0u << start & ~(width || below_end == 0 ? below_end : ~0u);
        }
    }
}

// PTX's szext
void lane_sgxt(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l], bits = wraps(io) ? b & 31 : b;
        if (bits == 0)
            io->dst[0][l] = 0;
        else if (bits > 31)
            io->dst[0][l] = a;
        else if (io->inst->type == TYPE_S32)
            io->dst[0][l] = (uint32_t)((int32_t)(a << (32 - bits)) >> (32 - bits));
        else
            io->dst[0][l] = a & ~(~0u << bits);
    }
}

void lane_brev(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t x = io->src[0][0][l];
        x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
        x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
        x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
        io->dst[0][l] = __builtin_bswap32(x);
    }
}

void lane_popc(struct lane_io *io)
{
    LANES(io) io->dst[0][l] = (uint32_t)__builtin_popcount(io->src[0][0][l]);
}

void lane_flo(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l];
        if (io->inst->type == TYPE_S32 && (int32_t)a < 0) a = ~a;
        uint32_t position = a ? bit_highest(a) : ~0u;
        io->dst[0][l] = a && io->inst->mode == MODE_FLO_SH ? 31 - position : position;
    }
}

static int64_t extended(enum isa_type type, uint32_t x)
{
    unsigned bits = 8 * isa_type_bytes(type);
    uint32_t up = x << (32 - bits);
    return isa_type_is_signed(type) ? (int32_t)up >> (32 - bits) : (int64_t)(up >> (32 - bits));
}

void lane_i2i(struct lane_io *io)
{
    enum isa_type to = (enum isa_type)io->inst->type, from = (enum isa_type)io->inst->type2;
    unsigned bits = 8 * isa_type_bytes(to);
    bool to_signed = isa_type_is_signed(to);
    int64_t low = to_signed ? -((int64_t)1 << (bits - 1)) : 0,
            high = ((int64_t)1 << (bits - (unsigned)to_signed)) - 1;
    LANES(io)
    {
        int64_t v = extended(from, io->src[0][0][l]);
        if (io->inst->flags & INST_SAT) v = v < low ? low : v > high ? high : v;
        io->dst[0][l] = (uint32_t)extended(to, (uint32_t)v);
    }
}
