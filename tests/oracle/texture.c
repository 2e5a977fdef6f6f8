// Texture fetches and queries, from the PTX ISA (5.3, 9.7.10) and the CUDA C++ Programming Guide ("Texture
// Memory", "Texture Fetching").
//
//     coordinate ───▶ addressing mode ───▶ texels of an axis, weights ───▶ sum over the corners
//     fixed point     wrap, mirror, …      weights in 1/256                integers, rounded by number.h
//
// Choices where the texts are silent:
//   - a normalised coordinate times the size of its axis is rounded to f32, then brought into range; a
//     product beyond 2^30 texels counts as 2^30; a NaN is 0
//   - a weight is rounded to the nearest 1/256, half up; a texel of weight 0 is not read
//   - the second texel of a linear fetch may lie outside: wrap takes the opposite edge, mirror and clamp the
//     same edge; with border every texel outside is zero, and the fetch blends with zero
//   - sums are rounded to f64 at each corner, from +0 and the first axis fastest, and to f32 at the end
//   - wrap and mirror with texel coordinates mean clamp (as in the CUDA runtime); integer coordinates are
//     texels, read without a filter
//   - components missing in the texture are 0; the size along an absent axis is 0
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

#include <string.h>

enum { FRACTION_BITS = 64, WEIGHT_BITS = 8, WEIGHT_ONE = 1 << WEIGHT_BITS };
#define UNIT     ((swide)1 << FRACTION_BITS)
#define FARTHEST (UNIT << 30) // beyond every texture
#define OUTSIDE  (-1)

// A texel of one axis, and its weight in the result.
struct tap {
    int64_t texel; // OUTSIDE: zero
    unsigned weight;
};

struct axis {
    struct tap taps[2]; // without a filter the first alone
};

// Partial sum of one component: integers for 8- and 16-bit texels read as fractions, otherwise numbers.
struct component {
    swide integer;
    struct number real;
};

static swide fraction_of(swide x) { return x & (UNIT - 1); }
static swide floor_of(swide x) { return (x - fraction_of(x)) / UNIT; }

// A coordinate in texels, rounded down to a multiple of 2^-64.
static swide in_texels(uint32_t bits, bool normalised, int64_t n)
{
    const struct number_format *f32 = number_format(PTX_F32);
    struct number x = number_decode(f32, bits);
    if (normalised) {
        x = number_multiply(x, number_from_integer(n));
        x = number_decode(f32, number_encode(f32, x, PTX_ROUND_RN));
    }
    if (x.class == NUMBER_NAN) return 0;
    x.e += FRACTION_BITS;
    return number_to_integer(x, PTX_ROUND_RMI, -FARTHEST, FARTHEST);
}

// "The addressing mode", with the guide's formulas times the size: wrap frac(x), mirror frac(x) or 1 -
// frac(x) where floor(x) is odd. Border coordinates are unchanged.
static swide into_range(swide x, swide size, enum oracle_address mode)
{
    swide part = (x % size + size) % size, whole = (x - part) / size;
    switch (mode) {
    case ORACLE_WRAP: return part;
    case ORACLE_MIRROR: return whole & 1 ? size - part : part;
    case ORACLE_CLAMP: return x < 0 ? 0 : x >= size ? size - 1 : x;
    case ORACLE_BORDER: break;
    }
    return x;
}

// The texel read for texel i of an axis of n texels; -1 <= i <= n, but any i for border.
static int64_t neighbour(int64_t i, int64_t n, enum oracle_address mode)
{
    if (i >= 0 && i < n) return i;
    if (mode == ORACLE_BORDER) return OUTSIDE;
    bool low = i < 0, opposite = mode == ORACLE_WRAP;
    return low == opposite ? n - 1 : 0;
}

static enum oracle_address mode_of(const struct oracle_texture *x, unsigned k, bool fractions)
{
    enum oracle_address mode = x->address[k];
    return fractions || mode == ORACLE_BORDER ? mode : ORACLE_CLAMP;
}

static struct axis axis_of_integer(const struct oracle_texture *x, unsigned k, int64_t n, int32_t c)
{
    swide texel = into_range(c, n, mode_of(x, k, false));
    return (struct axis){{{neighbour((int64_t)texel, n, x->address[k]), WEIGHT_ONE}}};
}

static struct axis axis_of_real(const struct oracle_texture *x, unsigned k, int64_t n, uint32_t c)
{
    enum oracle_address mode = mode_of(x, k, x->normalised_coordinates);
    swide at = into_range(in_texels(c, x->normalised_coordinates, n), n * UNIT, mode);
    if (!x->linear) return (struct axis){{{neighbour((int64_t)floor_of(at), n, mode), WEIGHT_ONE}}};
    at -= UNIT / 2;
    int64_t i = (int64_t)floor_of(at);
    const swide half_step = UNIT / WEIGHT_ONE / 2;
    unsigned alpha = (unsigned)((fraction_of(at) + half_step) >> (FRACTION_BITS - WEIGHT_BITS));
    return (struct axis){{{neighbour(i, n, mode), WEIGHT_ONE - alpha}, {neighbour(i + 1, n, mode), alpha}}};
}

// ---- texels

static unsigned texel_bytes(enum oracle_texel t)
{
    return t <= ORACLE_TEXEL_S8 ? 1 : t <= ORACLE_TEXEL_S16 || t == ORACLE_TEXEL_F16 ? 2 : 4;
}
static bool is_real(enum oracle_texel t) { return t == ORACLE_TEXEL_F16 || t == ORACLE_TEXEL_F32; }
static bool is_signed(enum oracle_texel t)
{
    return t == ORACLE_TEXEL_S8 || t == ORACLE_TEXEL_S16 || t == ORACLE_TEXEL_S32;
}

// The integer read as 1.0.
static int64_t full_scale(enum oracle_texel t)
{
    unsigned bits = 8 * texel_bytes(t);
    return (int64_t)bit_mask(is_signed(t) ? bits - 1 : bits);
}

// Reads the bits of one component, integers extended to 64 bits. False after a fault.
static bool read_component(struct oracle_thread *t, const struct oracle_texture *x, const int64_t *texel,
                           unsigned channel, uint64_t *bits)
{
    unsigned bytes = texel_bytes(x->texel);
    uint64_t pitch = x->pitch_bytes ? x->pitch_bytes : (uint64_t)x->width * x->channels * bytes;
    uint64_t row = (uint64_t)texel[2] * x->height + (uint64_t)texel[1];
    uint64_t column = (uint64_t)texel[0] * x->channels + channel;
    const uint8_t *at =
        oracle_host(t, PTX_SPACE_GLOBAL, x->data + row * pitch + column * bytes, bytes, ACCESS_READ);
    *bits = 0;
    if (!at) return false;
    memcpy(bits, at, bytes);
    if (is_signed(x->texel)) *bits = (uint64_t)oracle_extend(*bits, 8 * bytes);
    return true;
}

// ---- results

static void add(struct component *c, const struct oracle_texture *x, uint64_t bits, unsigned weight)
{
    if (!is_real(x->texel)) {
        int64_t v = (int64_t)bits, full = full_scale(x->texel);
        c->integer += (swide)weight * (v < -full ? -full : v); // -128 is read as -1.0, as -127 is
        return;
    }
    const struct number_format *f64 = number_format(PTX_F64);
    struct number v = number_decode(number_format(x->texel == ORACLE_TEXEL_F16 ? PTX_F16 : PTX_F32), bits);
    v = number_multiply(v, number_from_integer(weight));
    v = number_add(c->real, v, PTX_ROUND_RN);
    c->real = number_decode(f64, number_encode(f64, v, PTX_ROUND_RN));
}

static uint32_t result_of(const struct component *c, const struct oracle_texture *x, unsigned weight_bits)
{
    struct number n = c->real;
    swide whole = (swide)full_scale(x->texel) << weight_bits;
    if (is_real(x->texel))
        n.e -= (int)weight_bits;
    else
        n = number_divide(number_from_integer(c->integer), number_from_integer(whole));
    return (uint32_t)number_encode(number_format(PTX_F32), n, PTX_ROUND_RN);
}

// A component without a filter: f32 and integers bit for bit.
static uint32_t unfiltered(const struct oracle_texture *x, uint64_t bits)
{
    struct component c = {0};
    if (x->texel == ORACLE_TEXEL_F16) {
        struct number n = number_decode(number_format(PTX_F16), bits);
        return (uint32_t)number_encode(number_format(PTX_F32), n, PTX_ROUND_RN);
    }
    if (!x->normalised_read) return (uint32_t)bits;
    add(&c, x, bits, 1);
    return result_of(&c, x, 0);
}

// The sum over the corners of the cell. False after a fault.
static bool filtered(struct oracle_thread *t, const struct oracle_texture *x, const struct axis *axes,
                     unsigned dimensions, unsigned channel, uint32_t *result)
{
    struct component sum = {0};
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        int64_t texel[3] = {0};
        unsigned weight = 1;
        bool outside = false;
        uint64_t bits = 0;
        for (unsigned k = 0; k < dimensions; k++) {
            struct tap tap = axes[k].taps[corner >> k & 1];
            texel[k] = tap.texel;
            weight *= tap.weight;
            outside = outside || tap.texel == OUTSIDE;
        }
        if (!weight) continue;
        if (!outside && !read_component(t, x, texel, channel, &bits)) return false;
        add(&sum, x, bits, weight);
    }
    *result = result_of(&sum, x, WEIGHT_BITS * dimensions);
    return true;
}

static bool nearest(struct oracle_thread *t, const struct oracle_texture *x, const struct axis *axes,
                    unsigned channel, uint32_t *result)
{
    const int64_t texel[3] = {axes[0].taps[0].texel, axes[1].taps[0].texel, axes[2].taps[0].texel};
    uint64_t bits;
    *result = 0;
    if (texel[0] == OUTSIDE || texel[1] == OUTSIDE || texel[2] == OUTSIDE) return true;
    if (!read_component(t, x, texel, channel, &bits)) return false;
    *result = unfiltered(x, bits);
    return true;
}

// ---- instructions

// A register holds the handle itself; the variable of a texture reference holds the handle in its bytes.
static const struct oracle_texture *texture_of(struct oracle_thread *t, const struct ptx_operand *op)
{
    struct oracle *o = t->block->o;
    uint64_t handle = 0;
    if (op->kind == PTX_OPERAND_SYMBOL)
        memcpy(&handle, oracle_variable(o, op->variable), sizeof handle);
    else
        handle = oracle_read(t, op, PTX_U64);
    if (handle && handle <= o->textures.count && o->textures.data[handle - 1].channels)
        return &o->textures.data[handle - 1];
    oracle_fault(t, "0x%llx is no texture", (unsigned long long)handle);
    return NULL;
}

static unsigned dimensions_of(const struct ptx_inst *i)
{
    return i->mode == PTX_MODE_TEX_1D ? 1 : i->mode == PTX_MODE_TEX_2D ? 2 : 3;
}

enum oracle_step oracle_tex(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct oracle_texture *x = texture_of(t, &i->operands[1]);
    const struct ptx_operand *coordinates = &i->operands[i->operand_count - 1];
    unsigned dimensions = dimensions_of(i);
    bool whole = i->types[1] == PTX_S32, linear = !whole && x && x->linear;
    struct axis axes[3] = {0};
    uint32_t result[4] = {0};
    if (!x) return STEP_FAULT;
    const uint32_t sizes[3] = {x->width, x->height, x->depth};
    for (unsigned k = 0; k < dimensions; k++) {
        uint32_t c = (uint32_t)oracle_read(t, &coordinates->elements[k], i->types[1]);
        int64_t n = sizes[k] ? sizes[k] : 1;
        axes[k] = whole ? axis_of_integer(x, k, n, (int32_t)c) : axis_of_real(x, k, n, c);
    }
    for (unsigned channel = 0; channel < x->channels; channel++)
        if (!(linear ? filtered(t, x, axes, dimensions, channel, &result[channel])
                     : nearest(t, x, axes, channel, &result[channel])))
            return STEP_FAULT;
    for (unsigned e = 0; e < 4; e++) oracle_write(t, &i->operands[0].elements[e], PTX_B32, result[e]);
    return STEP_NEXT;
}

enum oracle_step oracle_txq(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct oracle_texture *x = texture_of(t, &i->operands[1]);
    if (!x) return STEP_FAULT;
    uint32_t size = i->mode == PTX_MODE_TXQ_WIDTH    ? x->width
                    : i->mode == PTX_MODE_TXQ_HEIGHT ? x->height
                                                     : x->depth;
    oracle_write(t, &i->operands[0], PTX_B32, size);
    return STEP_NEXT;
}
