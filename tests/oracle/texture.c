// Texture fetches, as the CUDA programming guide's appendix defines them.
//
// Point: the texel at floor(x). Linear: with x' = x - 0.5, i = floor(x') and the fraction a of x' kept with 8
// bits, (1 - a) T[i] + a T[i + 1] in every dimension. Out-of-range indices go by the address mode; a border
// texel is 0.
#include "oracle/number.h"
#include "oracle/oracle_impl.h"

#include <math.h>
#include <string.h>

struct axis { // one dimension of a fetch: one or two texels and the weight of the second
    int64_t index[2];
    float weight;
};

static int64_t into_range(int64_t i, int64_t n, enum oracle_address mode) // -1: border
{
    if (i >= 0 && i < n) return i;
    if (mode == ORACLE_BORDER) return -1;
    if (mode == ORACLE_CLAMP) return i < 0 ? 0 : n - 1;
    int64_t period = mode == ORACLE_WRAP ? n : 2 * n, m = ((i % period) + period) % period;
    return m < n ? m : period - 1 - m;
}

static struct axis locate(const struct oracle_texture *t, float x, uint32_t extent, unsigned k)
{
    struct axis a = {.weight = 0};
    enum oracle_address mode = t->address[k];
    if (!t->normalised_coordinates && (mode == ORACLE_WRAP || mode == ORACLE_MIRROR)) mode = ORACLE_CLAMP;
    if (t->normalised_coordinates) x *= (float)extent;
    if (t->linear) {
        float shifted = x - 0.5f, whole = floorf(shifted);
        a.weight = floorf((shifted - whole) * 256 + 0.5f) / 256;
        a.index[0] = (int64_t)whole;
        a.index[1] = a.index[0] + 1;
    } else {
        a.index[0] = a.index[1] = (int64_t)floorf(x);
    }
    for (int j = 0; j < 2; j++) a.index[j] = into_range(a.index[j], extent, mode);
    return a;
}

static const unsigned texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

// A component as the 32 bits a fetch returns.
static uint32_t component(const struct oracle_texture *t, const uint8_t *at)
{
    uint32_t v = 0;
    unsigned bytes = texel_bytes[t->texel];
    bool is_signed = t->texel == ORACLE_TEXEL_S8 || t->texel == ORACLE_TEXEL_S16;
    memcpy(&v, at, bytes);
    if (t->texel == ORACLE_TEXEL_F16)
        return (uint32_t)number_encode(number_format(PTX_F32), number_decode(number_format(PTX_F16), v),
                                       PTX_ROUND_RN);
    if (is_signed) v = (uint32_t)oracle_extend(v, 8 * bytes);
    if (!t->normalised_read || bytes == 4) return v;
    float high = (float)((1u << (8 * bytes - is_signed)) - 1);
    float f = is_signed ? (float)(int32_t)v / high : (float)v / high;
    return f32_bits(f < -1 ? -1 : f);
}

static bool texel(struct oracle_thread *th, const struct oracle_texture *t, const int64_t *index,
                  uint32_t *out)
{
    memset(out, 0, 4 * sizeof *out);
    if (index[0] < 0 || index[1] < 0 || index[2] < 0) return true;
    unsigned bytes = texel_bytes[t->texel];
    uint64_t pitch = t->pitch_bytes ? t->pitch_bytes : (uint64_t)t->width * t->channels * bytes;
    uint64_t row = (uint64_t)index[2] * (t->height ? t->height : 1) + (uint64_t)index[1];
    uint64_t address = t->data + row * pitch + (uint64_t)index[0] * t->channels * bytes;
    for (unsigned c = 0; c < t->channels; c++) {
        const uint8_t *at = oracle_host(th, PTX_SPACE_GLOBAL, address + c * bytes, bytes, ACCESS_READ);
        if (!at) return false;
        out[c] = component(t, at);
    }
    return true;
}

static bool fetch(struct oracle_thread *th, const struct oracle_texture *t, const struct axis *a,
                  uint32_t *out)
{
    float sum[4] = {0};
    if (!t->linear) return texel(th, t, (int64_t[3]){a[0].index[0], a[1].index[0], a[2].index[0]}, out);
    for (unsigned corner = 0; corner < 8; corner++) {
        int64_t index[3];
        float weight = 1;
        for (unsigned k = 0; k < 3; k++) {
            unsigned second = corner >> k & 1;
            index[k] = a[k].index[second];
            weight *= second ? a[k].weight : 1 - a[k].weight;
        }
        if (weight == 0) continue;
        uint32_t c[4];
        if (!texel(th, t, index, c)) return false;
        for (unsigned k = 0; k < 4; k++) sum[k] += weight * f32_from_bits(c[k]);
    }
    for (unsigned k = 0; k < 4; k++) out[k] = f32_bits(sum[k]);
    return true;
}

static const struct oracle_texture *find(struct oracle_thread *t, const struct ptx_operand *op)
{
    struct oracle *o = t->block->o;
    uint64_t handle = op->kind == PTX_OPERAND_REG ? top(t)->regs[op->reg] : 0;
    if (op->kind == PTX_OPERAND_SYMBOL ||
        op->kind == PTX_OPERAND_MEMORY) // .texref: its variable holds the handle
        for (size_t k = 0; k < o->regions.count; k++)
            if (o->regions.data[k].variable == op->variable) memcpy(&handle, o->regions.data[k].bytes, 8);
    return handle && handle <= o->textures.count ? &o->textures.data[handle - 1] : NULL;
}

enum oracle_step oracle_tex(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct oracle_texture *x = find(t, &i->operands[1]);
    if (!x) return oracle_fault(t, "no such texture");
    const struct ptx_operand *at = &i->operands[i->operand_count - 1], *d = &i->operands[0];
    unsigned dimensions = i->mode == PTX_MODE_TEX_1D ? 1 : i->mode == PTX_MODE_TEX_2D ? 2 : 3;
    uint32_t extent[3] = {x->width, x->height ? x->height : 1, x->depth ? x->depth : 1}, out[4];
    struct axis a[3] = {0};
    for (unsigned k = 0; k < dimensions; k++) {
        const struct ptx_operand *c = at->kind == PTX_OPERAND_VECTOR ? &at->elements[k] : at;
        uint32_t bits = (uint32_t)oracle_read(t, c, PTX_B32);
        if (i->types[1] == PTX_F32) {
            a[k] = locate(x, f32_from_bits(bits), extent[k], k);
        } else { // integer coordinates are texels
            enum oracle_address mode = x->address[k] == ORACLE_BORDER ? ORACLE_BORDER : ORACLE_CLAMP;
            a[k].index[0] = a[k].index[1] = into_range((int32_t)bits, extent[k], mode);
        }
    }
    if (!fetch(t, x, a, out)) return STEP_FAULT;
    for (unsigned k = 0; k < 4; k++)
        oracle_write(t, d->kind == PTX_OPERAND_VECTOR ? &d->elements[k] : d, PTX_B32, out[k]);
    return STEP_NEXT;
}

enum oracle_step oracle_txq(struct oracle_thread *t, const struct ptx_inst *i)
{
    const struct oracle_texture *x = find(t, &i->operands[1]);
    if (!x) return oracle_fault(t, "no such texture");
    uint32_t d = i->mode == PTX_MODE_TXQ_WIDTH    ? x->width
                 : i->mode == PTX_MODE_TXQ_HEIGHT ? x->height
                                                  : x->depth;
    oracle_write(t, &i->operands[0], PTX_B32, d);
    return STEP_NEXT;
}
