// 32- and 64-bit integer arithmetic, moves, selection, predicates.
#include "exec/lane.h"
#include "isa/fields.h"
#include "isa/inst.h"

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static inline bool has(const struct lane_io *io, unsigned flag) { return (io->inst->flags & flag) != 0; }
static inline bool negated(const struct lane_io *io, unsigned k)
{
    return (io->inst->src[k].flags & OPERAND_NEG) != 0;
}
static inline bool bit(uint64_t mask, unsigned lane) { return mask >> lane & 1; }
static inline void put(uint64_t *mask, unsigned lane, bool value) { *mask |= (uint64_t)value << lane; }

bool lane_combine(enum isa_bool b, bool compared, bool with)
{
    switch (b) {
    case BOOL_AND: return compared && with;
    case BOOL_OR: return compared || with;
    case BOOL_XOR: return compared != with;
    case BOOL_POPC: break;
    }
    return compared;
}

void lane_mov(struct lane_io *io) { LANES(io) io->dst[0][l] = io->src[0][0][l]; }

static uint32_t float_sign(uint32_t x, unsigned flags)
{
    if (flags & OPERAND_ABS) x &= 0x7fffffffu;
    return flags & OPERAND_NEG ? x ^ 0x80000000u : x;
}

void lane_sel(struct lane_io *io)
{
    LANES(io)
    {
        unsigned k = bit(io->psrc[2], l) ? 0 : 1;
        io->dst[0][l] = float_sign(io->src[k][0][l], io->inst->src[k].flags);
    }
}

void lane_rro(struct lane_io *io)
{
    LANES(io) io->dst[0][l] = float_sign(io->src[0][0][l], io->inst->src[0].flags);
}

// PRMT (PTX ISA 9.7.9.7) in default mode, with four selector bits per byte. prmt_selector turns the other six
// modes, with a two-bit selector, into the default mode.
static uint32_t prmt_default(uint64_t bytes, uint32_t selector)
{
    uint32_t d = 0;
    for (unsigned n = 0; n < 4; n++) {
        unsigned pick = selector >> (4 * n) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << (8 * n);
    }
    return d;
}

static uint32_t prmt_selector(enum isa_mode mode, uint32_t selector)
{
    static const uint16_t table[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, // F4E; digits are for the result's bytes, from high to low
        {0x5670, 0x6701, 0x7012, 0x0123}, // B4E
        {0x0000, 0x1111, 0x2222, 0x3333}, // RC8
        {0x3210, 0x3211, 0x3222, 0x3333}, // ECL
        {0x0000, 0x1110, 0x2210, 0x3210}, // ECR
        {0x1010, 0x3232, 0x1010, 0x3232}, // RC16
    };
    return table[mode - MODE_PRMT_F4E][selector & 3];
}

void lane_prmt(struct lane_io *io)
{
    enum isa_mode mode = (enum isa_mode)io->inst->mode;
    LANES(io)
    {
        uint64_t bytes = (uint64_t)io->src[2][0][l] << 32 | io->src[0][0][l];
        uint32_t selector = io->src[1][0][l];
        io->dst[0][l] = prmt_default(bytes, mode == MODE_NONE ? selector : prmt_selector(mode, selector));
    }
}

// Summand x of a sum. Under flag NEG, -x is added as ~x + 1, so a - b carries when a - b does not borrow.
// Under NEG with flag X (carry in), ~x is added.
static uint64_t term32(uint32_t x, bool neg, bool x_flag)
{
    return neg ? (uint64_t)(uint32_t)~x + !x_flag : x;
}

static void sum32(struct lane_io *io, unsigned l, uint64_t sum)
{
    if (has(io, INST_X)) sum += bit(io->psrc[3], l);
    io->dst[0][l] = (uint32_t)sum;
    put(&io->pdst[1], l, sum >> 32 & 3);
}

void lane_iadd3(struct lane_io *io)
{
    bool x = has(io, INST_X);
    LANES(io)
    {
        uint64_t sum = 0;
        for (unsigned k = 0; k < 3; k++) sum += term32(io->src[k][0][l], negated(io, k), x);
        sum32(io, l, sum);
    }
}

static uint32_t modified(const struct lane_io *io, unsigned k, unsigned l)
{
    uint32_t x = io->src[k][0][l];
    if (!negated(io, k)) return x;
    return has(io, INST_X) ? ~x : 0u - x;
}

static uint64_t product(const struct lane_io *io, unsigned l)
{
    uint32_t a = modified(io, 0, l), b = modified(io, 1, l);
    if (io->inst->type == TYPE_S32) return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
    return (uint64_t)a * b;
}

void lane_imad(struct lane_io *io)
{
    LANES(io)
    {
        uint64_t p = product(io, l);
        uint32_t half = has(io, INST_HI) ? (uint32_t)(p >> 32) : (uint32_t)p;
        sum32(io, l, half + term32(io->src[2][0][l], negated(io, 2), has(io, INST_X)));
    }
}

// A 16-bit half of source k as a factor, extended by type.
static int64_t half_of(const struct lane_io *io, unsigned k, unsigned type, unsigned l)
{
    uint32_t x = io->src[k][0][l];
    if (io->inst->src[k].flags & OPERAND_H1_H1) x >>= 16;
    return type == TYPE_S16 ? (int16_t)x : (uint16_t)x;
}

void lane_xmad(struct lane_io *io)
{
    enum isa_mode mode = (enum isa_mode)io->inst->mode;
    LANES(io)
    {
        uint32_t b = io->src[1][0][l], c = io->src[2][0][l];
        uint32_t p = (uint32_t)(half_of(io, 0, io->inst->type, l) * half_of(io, 1, io->inst->type2, l));
        if (mode == MODE_XMAD_PSL || mode == MODE_XMAD_PSL_CBCC || mode == MODE_XMAD_PSL_CLO) p <<= 16;
        if (mode == MODE_XMAD_PSL_CBCC) c += b << 16;
        if (mode == MODE_XMAD_PSL_CLO) c &= 0xffff;
        if (mode == MODE_XMAD_CHI) c >>= 16;
        io->dst[0][l] = mode == MODE_XMAD_MRG ? ((p + c) & 0xffff) | b << 16 : p + c;
    }
}

void lane_iadd3rs(struct lane_io *io)
{
    bool is_signed = io->inst->type == TYPE_S32;
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        int64_t sum = is_signed ? (int64_t)(int32_t)a + (int32_t)b : (int64_t)a + b;
        io->dst[0][l] = (uint32_t)(sum >> 16) + io->src[2][0][l];
    }
}

void lane_imadw(struct lane_io *io)
{
    LANES(io)
    {
        uint64_t p = product(io, l), c = (uint64_t)io->src[2][1][l] << 32 | io->src[2][0][l], sum, carry;
        if (negated(io, 2)) c = ~c;
        carry = __builtin_add_overflow(p, c, &sum);
        uint64_t in = negated(io, 2) && !has(io, INST_X);
        if (has(io, INST_X)) in = bit(io->psrc[3], l);
        carry |= __builtin_add_overflow(sum, in, &sum);
        io->dst[0][l] = (uint32_t)sum;
        io->dst[1][l] = (uint32_t)(sum >> 32);
        put(&io->pdst[1], l, carry);
    }
}

void lane_lea(struct lane_io *io)
{
    unsigned shift = io->inst->shift;
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], term = a << shift;
        if (has(io, INST_HI)) {
            uint32_t c = has(io, INST_SX) ? (uint32_t)((int32_t)a >> 31) : io->src[2][0][l];
            term = (uint32_t)(((uint64_t)c << 32 | a) << shift >> 32);
        }
        bool x = has(io, INST_X);
        sum32(io, l, term32(term, negated(io, 0), x) + term32(io->src[1][0][l], negated(io, 1), x));
    }
}

static bool compare_less(enum isa_type type, uint32_t a, uint32_t b)
{
    return type == TYPE_S32 ? (int32_t)a < (int32_t)b : a < b;
}

// Compares words a and b. Under flag EX, a and b are high words of 64-bit numbers: if equal, `low`, the
// result of comparing the low words, decides.
static bool compare_int(const struct inst *i, uint32_t a, uint32_t b, bool low)
{
    bool less = compare_less((enum isa_type)i->type, a, b), equal = a == b, ex = (i->flags & INST_EX) != 0;
    switch ((enum isa_cmp)i->cmp) {
    case CMP_F: return false;
    case CMP_LT:
    case CMP_LTU: return less || (ex && equal && low);
    case CMP_EQ:
    case CMP_EQU: return equal && (!ex || low);
    case CMP_LE:
    case CMP_LEU: return less || (equal && (!ex || low));
    case CMP_GT:
    case CMP_GTU: return (!less && !equal) || (ex && equal && low);
    case CMP_NE:
    case CMP_NEU: return !equal || (ex && low);
    case CMP_GE:
    case CMP_GEU: return (!less && !equal) || (equal && (!ex || low));
    case CMP_NAN: return false;
    case CMP_NUM:
    case CMP_T: return true;
    }
    return false;
}

void lane_isetp(struct lane_io *io)
{
    enum isa_bool b = (enum isa_bool)io->inst->boolean;
    LANES(io)
    {
        bool r = compare_int(io->inst, io->src[0][0][l], io->src[1][0][l], bit(io->psrc[3], l));
        bool with = bit(io->psrc[2], l);
        put(&io->pdst[0], l, lane_combine(b, r, with));
        put(&io->pdst[1], l, lane_combine(b, !r, with));
    }
}

void lane_imnmx(struct lane_io *io)
{
    bool max = io->inst->mode == MODE_MAX;
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        io->dst[0][l] = compare_less((enum isa_type)io->inst->type, a, b) != max ? a : b;
    }
}

void lane_iabs(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l];
        io->dst[0][l] = (int32_t)a < 0 ? 0u - a : a;
    }
}

void lane_vabsdiff(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        io->dst[0][l] =
            (compare_less((enum isa_type)io->inst->type, a, b) ? b - a : a - b) + io->src[2][0][l];
    }
}

static int32_t part(uint32_t x, unsigned index, unsigned bits, bool is_signed)
{
    uint32_t v = x << (32 - bits * (index + 1));
    return is_signed ? (int32_t)v >> (32 - bits) : (int32_t)(v >> (32 - bits));
}

void lane_viadd2(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        io->dst[0][l] = (a & 0xffff0000) + (b & 0xffff0000) + ((a + b) & 0xffff);
    }
}

static uint32_t half_of_minimum_or_maximum(const struct inst *i, uint32_t a, uint32_t b)
{
    bool is_signed = i->type == TYPE_S16;
    int32_t x = is_signed ? (int16_t)a : (int32_t)(a & 0xffff),
            y = is_signed ? (int16_t)b : (int32_t)(b & 0xffff);
    int32_t d = (x < y) == (i->mode == MODE_MIN) ? x : y;
    return i->flags & INST_RELU && d < 0 ? 0 : (uint32_t)d & 0xffff;
}

void lane_vimnmx2(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        uint32_t high = half_of_minimum_or_maximum(io->inst, a >> 16, b >> 16);
        io->dst[0][l] = high << 16 | half_of_minimum_or_maximum(io->inst, a, b);
    }
}

void lane_idp(struct lane_io *io)
{
    bool sa = isa_type_is_signed((enum isa_type)io->inst->type);
    bool sb = isa_type_is_signed((enum isa_type)io->inst->type2);
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l], sum = io->src[2][0][l];
        if (io->inst->mode == MODE_IDP_4A) {
            for (unsigned k = 0; k < 4; k++) sum += (uint32_t)(part(a, k, 8, sa) * part(b, k, 8, sb));
        } else {
            unsigned first = io->inst->mode == MODE_IDP_2A_HI ? 2 : 0;
            for (unsigned k = 0; k < 2; k++)
                sum += (uint32_t)(part(a, k, 16, sa) * part(b, first + k, 8, sb));
        }
        io->dst[0][l] = sum;
    }
}

static uint64_t lut64(uint8_t lut, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = 0;
    for (unsigned n = 0; n < 8; n++)
        if (lut >> n & 1) d |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return d;
}

uint32_t lane_lut(uint8_t lut, uint32_t a, uint32_t b, uint32_t c) { return (uint32_t)lut64(lut, a, b, c); }

void lane_plop3(struct lane_io *io)
{
    io->pdst[0] = lut64(io->inst->lut, io->psrc[0], io->psrc[1], io->psrc[2]);
    io->pdst[1] = lut64(io->inst->lut2, io->psrc[0], io->psrc[1], io->psrc[2]);
}
