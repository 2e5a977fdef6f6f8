// RISC-V arithmetic in so far as it differs from the other rows. RISC-V ISA manual 20191213, chapters 2
// (integers), 7 (M) and 11 (F). Exception: minimum and maximum are a comparison and a selection, as in the
// programs' target machine (docs/explanation/riscv.md).
#include "exec/lane.h"
#include "isa/fields.h"
#include "isa/inst.h"

#include <math.h>
#include <string.h>

#define LANES(io) for (unsigned l = 0; l < (io)->lanes; l++)

static inline bool is_signed(const struct lane_io *io) { return io->inst->type == TYPE_S32; }

static bool compare(enum isa_cmp cmp, bool less, bool equal)
{
    switch ((int)cmp) {
    case CMP_LT: return less;
    case CMP_EQ: return equal;
    case CMP_LE: return less || equal;
    case CMP_GT: return !less && !equal;
    case CMP_NE: return !equal;
    case CMP_GE: return !less;
    }
    return cmp == CMP_T;
}

void lane_rset(struct lane_io *io)
{
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l];
        bool less = is_signed(io) ? (int32_t)a < (int32_t)b : a < b;
        io->dst[0][l] = compare((enum isa_cmp)io->inst->cmp, less, a == b);
    }
}

void lane_rshift(struct lane_io *io)
{
    bool left = io->inst->mode == MODE_SHF_L;
    LANES(io)
    {
        uint32_t a = io->src[0][0][l], n = io->src[1][0][l] & 31;
        io->dst[0][l] = left ? a << n : is_signed(io) ? (uint32_t)((int32_t)a >> n) : a >> n;
    }
}

void lane_rmulhsu(struct lane_io *io)
{
    LANES(io)
    io->dst[0][l] =
        (uint32_t)((uint64_t)((int64_t)(int32_t)io->src[0][0][l] * (int64_t)io->src[1][0][l]) >> 32);
}

// Loops over executing lanes only: the host's division of one lane is slow.
static void divide(struct lane_io *io, bool remainder)
{
    for (uint64_t left = io->active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint32_t a = io->src[0][0][l], b = io->src[1][0][l], q = UINT32_MAX, r = a;
        if (b == UINT32_MAX && is_signed(io)) { // b = -1: q = -a, which is INT_MIN for INT_MIN
            q = 0 - a;
            r = 0;
        } else if (b && is_signed(io)) {
            q = (uint32_t)((int32_t)a / (int32_t)b);
            r = (uint32_t)((int32_t)a % (int32_t)b);
        } else if (b) {
            q = a / b;
            r = a % b;
        }
        io->dst[0][l] = remainder ? r : q;
    }
}

void lane_rdiv(struct lane_io *io) { divide(io, false); }
void lane_rrem(struct lane_io *io) { divide(io, true); }

// -- floats: host arithmetic, IEEE 754 with ties to even (api/host_modes.h) ---------------------------------
static float source(const struct lane_io *io, unsigned k, unsigned lane)
{
    uint32_t bits = io->src[k][0][lane];
    if (io->inst->src[k].flags & OPERAND_NEG) bits ^= 0x80000000u;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static void result(struct lane_io *io, unsigned lane, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    io->dst[0][lane] = isnan(x) ? 0x7fc00000u : bits;
}

void lane_rfadd(struct lane_io *io) { LANES(io) result(io, l, source(io, 0, l) + source(io, 1, l)); }
void lane_rfmul(struct lane_io *io) { LANES(io) result(io, l, source(io, 0, l) * source(io, 1, l)); }
void lane_rfdiv(struct lane_io *io) { LANES(io) result(io, l, source(io, 0, l) / source(io, 1, l)); }
void lane_rfsqrt(struct lane_io *io) { LANES(io) result(io, l, sqrtf(source(io, 0, l))); }

void lane_rfmnmx(struct lane_io *io)
{
    bool is_max = io->inst->mode == MODE_MAX;
    LANES(io)
    {
        float a = source(io, 0, l), b = source(io, 1, l);
        io->dst[0][l] = io->src[is_max ? a > b ? 0 : 1 : a < b ? 0 : 1][0][l];
    }
}

void lane_rfset(struct lane_io *io)
{
    LANES(io)
    {
        float a = source(io, 0, l), b = source(io, 1, l);
        io->dst[0][l] = !isnan(a) && !isnan(b) && compare((enum isa_cmp)io->inst->cmp, a < b, a == b);
    }
}

void lane_rf2i(struct lane_io *io)
{
    LANES(io)
    {
        float x = source(io, 0, l);
        if (is_signed(io))
            io->dst[0][l] = !(x < 0x1p31f) ? INT32_MAX : x < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)x;
        else
            io->dst[0][l] = !(x < 0x1p32f) ? UINT32_MAX : x <= -1.0f ? 0 : (uint32_t)(int64_t)x;
    }
}
