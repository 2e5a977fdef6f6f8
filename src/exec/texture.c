// Texture fetches (CUDA C++ programming guide, "Texture Memory" and "Texture Fetching").
//
// A normalised coordinate times the size of its axis, rounded to f32, counts texels. Mirror reflects the
// coordinate: x and -x fetch the same texel. For a texel past the edge, wrap takes the texel a whole number
// of periods away, border takes zero, mirror and clamp take the edge texel.
//
// Point: the texel at floor(x). Linear: x' = x - 0.5, i = floor(x'). The fraction of x', rounded to 8 bits,
// weighs texel i + 1 against texel i, in every dimension (9-bit fixed point, since 1.0 is representable).
// Weights are exact. Products are summed in f64, corner by corner, the first dimension fastest, without
// corners of weight zero; the sum is rounded to f32 at the end.
//
// Wrap and mirror need normalised coordinates and mean clamp otherwise. Integer coordinates take no filter.
// Absent channels are zero.
#include "exec/exec_impl.h"
#include "exec/general.h"
#include "exec/softfloat.h"
#include "isa/modes.h"

#include <math.h>
#include <string.h>

struct axis {         // one dimension of a fetch
    int64_t index[2]; // texel index, and index of the next texel; -1: border
    double weight;    // weight of the next texel
};

struct fetch { // of a lane; the members up to `scale` stay while the lanes name the same texture
    struct warp *w;
    uint64_t handle; // of `t`; 0: no texture yet
    const struct texture *t;
    uint32_t extent[3];
    unsigned bytes; // of a component
    double scale;   // divisor of integers read as fractions; 1 for other texels
    // After a failed fetch: device address of the component that could not be read, and the reason.
    uint64_t bad_address;
    enum launch_fault_kind bad_kind;
    uint64_t *first; // destination for the address of the first texel read, or NULL
};

// Fractions of components of 8 bits without a sign: n / 255, rounded to f32.
#define FRACTION(n)     ((float)((n) / 255.0))
#define FRACTIONS_4(n)  FRACTION(n), FRACTION((n) + 1), FRACTION((n) + 2), FRACTION((n) + 3)
#define FRACTIONS_16(n) FRACTIONS_4(n), FRACTIONS_4((n) + 4), FRACTIONS_4((n) + 8), FRACTIONS_4((n) + 12)
#define FRACTIONS_64(n)                                                                                      \
    FRACTIONS_16(n), FRACTIONS_16((n) + 16), FRACTIONS_16((n) + 32), FRACTIONS_16((n) + 48)
static const float fractions[256] = {FRACTIONS_64(0), FRACTIONS_64(64), FRACTIONS_64(128), FRACTIONS_64(192)};

static float floor_of(float x) // |x| < 2^31
{
    float whole = (float)(int32_t)x;
    return whole > x ? whole - 1 : whole;
}

// NaN fetches as 0; coordinates beyond any texture are clamped to +-2^30.
static float tame(float x)
{
    if (!(x == x)) return 0;
    return x < -0x1p30f ? -0x1p30f : x > 0x1p30f ? 0x1p30f : x;
}

// |x| modulo twice the extent, reflected at the extent: a coordinate in [0, extent].
static float mirrored(float x, uint32_t extent)
{
    double period = 2.0 * extent, m = fmod(fabs((double)x), period);
    return (float)(m > extent ? period - m : m);
}

// Index of the texel fetched in place of texel i; -1: border.
static int64_t into_range(int64_t i, int64_t extent, enum texture_address mode)
{
    if (i >= 0 && i < extent) return i;
    switch (mode) {
    case TEXTURE_CLAMP:
    case TEXTURE_MIRROR: return i < 0 ? 0 : extent - 1;
    case TEXTURE_WRAP: return ((i % extent) + extent) % extent;
    case TEXTURE_BORDER: break;
    }
    return -1;
}

static struct axis locate(const struct texture *t, unsigned k, uint32_t extent, float x)
{
    struct axis a = {.weight = 0};
    enum texture_address mode = t->address[k];
    if (!t->normalised_coordinates && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR)) mode = TEXTURE_CLAMP;
    x = tame(t->normalised_coordinates ? (float)((double)x * extent) : x);
    if (mode == TEXTURE_MIRROR) x = mirrored(x, extent);
    if (t->filter == TEXTURE_LINEAR) {
        double shifted = (double)x - 0.5, whole = (double)(int64_t)shifted;
        if (whole > shifted) whole--;
        a.weight = (double)(int32_t)((shifted - whole) * 256 + 0.5) / 256;
        a.index[0] = (int64_t)whole;
        a.index[1] = a.index[0] + 1;
    } else {
        a.index[0] = a.index[1] = (int64_t)floor_of(x);
    }
    for (unsigned n = 0; n < 2; n++) a.index[n] = into_range(a.index[n], extent, mode);
    return a;
}

static struct axis locate_texel(const struct texture *t, unsigned k, uint32_t extent, int32_t i)
{
    enum texture_address mode = t->address[k] == TEXTURE_BORDER ? TEXTURE_BORDER : TEXTURE_CLAMP;
    int64_t index = into_range(i, extent, mode);
    return (struct axis){.index = {index, index}};
}

// The bits of a component: a half as an f32, an integer extended to 32 bits.
static uint32_t component(const struct texture *t, const uint8_t *at)
{
    uint32_t word;
    uint16_t half;
    switch (t->type) {
    case TYPE_U8: return *at;
    case TYPE_S8: return (uint32_t)(int8_t)*at;
    case TYPE_U16: memcpy(&half, at, 2); return half;
    case TYPE_S16: memcpy(&half, at, 2); return (uint32_t)(int16_t)half;
    case TYPE_F16:
        memcpy(&half, at, 2);
        return (uint32_t)float_convert(&float_f32, &float_f16, half, ROUND_RN);
    }
    memcpy(&word, at, 4);
    return word;
}

static double full_scale(const struct texture *t)
{
    unsigned bits = 8 * isa_type_bytes(t->type);
    if (!t->normalised_read || bits == 32) return 1;
    bool is_signed = t->type == TYPE_S8 || t->type == TYPE_S16;
    return (double)((1u << (bits - is_signed)) - 1);
}

// A component as a number, not yet divided by `scale`; the smallest integer reads as -1, like its successor.
static double number_of(const struct texture *t, uint32_t v, double scale)
{
    if (scale == 1) return (double)f32_from_bits(v);
    double n = t->type == TYPE_S8 || t->type == TYPE_S16 ? (double)(int32_t)v : (double)v;
    return n < -scale ? -scale : n;
}

static bool texel(struct fetch *f, const int64_t index[3], uint32_t out[4])
{
    const struct texture *t = f->t;
    memset(out, 0, 4 * sizeof *out);
    if (index[0] < 0 || index[1] < 0 || index[2] < 0) return true;
    uint64_t row = (uint64_t)index[2] * f->extent[1] + (uint64_t)index[1];
    uint64_t address = t->data + row * t->pitch_bytes + (uint64_t)index[0] * t->channels * f->bytes;
    if (f->first && !*f->first) *f->first = address;
    uint8_t *host = exec_global_near(f->w->exec, address, t->channels * f->bytes);
    if (host && !(address & (f->bytes - 1))) {
        for (unsigned c = 0; c < t->channels; c++) out[c] = component(t, host + c * f->bytes);
        return true;
    }
    struct lane_access a;
    for (unsigned c = 0; c < t->channels; c++, address += f->bytes) {
        f->bad_address = address;
        if (!exec_resolve(f->w, 0, SPACE_GLOBAL, address, f->bytes, &a, &f->bad_kind)) return false;
        out[c] = component(t, a.host);
    }
    return true;
}

static bool point(struct fetch *f, const struct axis a[3], uint32_t out[4])
{
    if (!texel(f, (int64_t[3]){a[0].index[0], a[1].index[0], a[2].index[0]}, out)) return false;
    if (f->scale == 1) return true;
    bool has_table = f->t->type == TYPE_U8;
    for (unsigned k = 0; k < 4; k++)
        out[k] =
            f32_bits(has_table ? fractions[out[k]] : (float)(number_of(f->t, out[k], f->scale) / f->scale));
    return true;
}

static bool sample(struct fetch *f, const struct axis a[3], uint32_t out[4])
{
    double sum[4] = {0}, scale = f->scale;
    for (unsigned corner = 0; corner < 8; corner++) {
        int64_t index[3];
        double weight = 1;
        for (unsigned k = 0; k < 3; k++) {
            bool next = corner >> k & 1;
            index[k] = a[k].index[next];
            weight *= next ? a[k].weight : 1 - a[k].weight;
        }
        uint32_t c[4];
        if (weight == 0) continue;
        if (!texel(f, index, c)) return false;
        for (unsigned k = 0; k < 4; k++) sum[k] += weight * number_of(f->t, c[k], scale);
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = f32_bits(sum[k] == sum[k] ? (float)(sum[k] / scale) : f32_from_bits(0x7fffffff));
    return true;
}

static uint64_t handle_of(const struct bound *d, const struct warp *w, const uint8_t *regs, unsigned lane)
{
    return (uint64_t)exec_lane_word(d, w, regs, 0, 1, lane) << 32 | exec_lane_word(d, w, regs, 0, 0, lane);
}

static const struct texture *texture_of(const struct warp *w, uint64_t handle)
{
    const struct launch *l = w->exec->launch;
    const struct texture *t = handle && handle <= l->texture_count ? &l->textures[handle - 1] : NULL;
    return t && t->channels ? t : NULL;
}

static const struct bound *bad_handle(struct warp *w, const struct bound *d, unsigned lane, uint64_t handle)
{
    return exec_fault(w, d, FAULT_TEXTURE, lane, "0x%llx is not the handle of a texture (%u exist)",
                      (unsigned long long)handle, w->exec->launch->texture_count);
}

// Sets the texture of the lane's handle. False: no texture has the handle.
static bool name_texture(struct fetch *f, uint64_t handle)
{
    if (handle == f->handle && f->t) return true;
    f->handle = handle;
    f->t = texture_of(f->w, handle);
    if (!f->t) return false;
    f->extent[0] = f->t->width;
    f->extent[1] = f->t->height ? f->t->height : 1;
    f->extent[2] = f->t->depth ? f->t->depth : 1;
    f->bytes = isa_type_bytes(f->t->type);
    f->scale = full_scale(f->t);
    return true;
}

// -- one texel a lane, of one texture -----------------------------------------------------------------------

// Whether a fetch reads one texel a lane and no coordinate leaves the texture: texels past an edge are those at the
// edge.
static bool reads_within(const struct texture *t, unsigned dimensions, bool is_float)
{
    if (is_float && t->filter == TEXTURE_LINEAR) return false;
    for (unsigned k = 0; k < dimensions; k++) {
        enum texture_address mode = t->address[k];
        bool folds = is_float && t->normalised_coordinates && mode != TEXTURE_CLAMP;
        if (mode == TEXTURE_BORDER || folds) return false;
    }
    return true;
}

static bool have_one_handle(const struct bound *d, const struct warp *w, const uint8_t *regs, uint64_t active)
{
    uint64_t first = handle_of(d, w, regs, bit_lowest(active));
    for (uint64_t left = active & (active - 1); left; left &= left - 1)
        if (handle_of(d, w, regs, bit_lowest(left)) != first) return false;
    return true;
}

// Adds the axis's index, of a texel at the edge or inside, times `stride` to the lanes' offsets.
static void add_axis(const struct fetch *f, unsigned k, bool is_float, const uint32_t *x, uint64_t active,
                     uint64_t stride, uint64_t *offset)
{
    const int32_t last = (int32_t)f->extent[k] - 1;
    const bool is_share = f->t->normalised_coordinates;
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        int32_t i = (int32_t)x[l];
        if (is_float) {
            float at = f32_from_bits(x[l]);
            i = (int32_t)floor_of(tame(is_share ? (float)((double)at * f->extent[k]) : at));
        }
        offset[l] += (uint64_t)(i < 0 ? 0 : i > last ? last : i) * stride;
    }
}

static void read_texels(const struct fetch *f, const uint8_t *host, const uint64_t *offset, uint64_t active,
                        uint32_t out[4][LANES_MAX])
{
    const struct texture *t = f->t;
    const bool has_table = f->scale != 1 && t->type == TYPE_U8;
    for (unsigned c = t->channels; c < 4; c++)
        for (uint64_t left = active; left; left &= left - 1) out[c][bit_lowest(left)] = 0;
    for (unsigned c = 0; c < t->channels; c++, host += f->bytes) {
        for (uint64_t left = active; left; left &= left - 1) {
            unsigned l = bit_lowest(left);
            uint32_t v = component(t, host + offset[l]);
            if (has_table)
                v = f32_bits(fractions[v]);
            else if (f->scale != 1)
                v = f32_bits((float)(number_of(t, v, f->scale) / f->scale));
            out[c][l] = v;
        }
    }
}

// The whole texture's host bytes; NULL: a part is not in one live allocation, or texels are not aligned.
static const uint8_t *whole_texture(const struct fetch *f)
{
    const struct texture *t = f->t;
    uint64_t rows = (uint64_t)f->extent[1] * f->extent[2],
             bytes = (rows - 1) * t->pitch_bytes + (uint64_t)f->extent[0] * t->channels * f->bytes;
    if (!f->extent[0] || bytes > UINT32_MAX || (t->data | t->pitch_bytes) & (f->bytes - 1)) return NULL;
    return exec_global_near(f->w->exec, t->data, (unsigned)bytes);
}

// Fetches the lanes' texels to `out`. False: the lanes differ in their texture, a coordinate may leave the texture, or
// a texel may not be there: nothing has happened.
static bool fetch_together(struct fetch *f, const struct bound *d, uint8_t *regs, uint64_t active,
                           unsigned dimensions, uint32_t out[4][LANES_MAX])
{
    const struct warp *w = f->w;
    const bool is_float = bound_inst(d, w)->type2 == TYPE_F32;
    if (!active || bound_inst(d, w)->src[1].kind != OPERAND_REG || !have_one_handle(d, w, regs, active) ||
        !name_texture(f, handle_of(d, w, regs, bit_lowest(active))) ||
        !reads_within(f->t, dimensions, is_float))
        return false;
    const uint8_t *host = whole_texture(f);
    if (!host) return false;
    const struct texture *t = f->t;
    const uint64_t strides[3] = {(uint64_t)t->channels * f->bytes, t->pitch_bytes,
                                 (uint64_t)t->pitch_bytes * f->extent[1]};
    uint64_t offset[LANES_MAX] = {0};
    for (unsigned k = 0; k < dimensions; k++)
        add_axis(f, k, is_float, reg_lanes(regs, d->src[1] + k * w->exec->vector_bytes), active, strides[k],
                 offset);
    read_texels(f, host, offset, active, out);
    for (uint64_t left = w->exec->texels ? active : 0; left; left &= left - 1)
        w->exec->texels[bit_lowest(left)] = t->data + offset[bit_lowest(left)];
    return true;
}

// Fetches lane by lane. False: a fault, recorded.
static bool fetch_apart(struct fetch *f, const struct bound *d, uint8_t *regs, uint64_t active,
                        unsigned dimensions, uint32_t out[4][LANES_MAX])
{
    struct warp *w = f->w;
    const struct inst *i = bound_inst(d, w);
    struct axis axes[3] = {0}; // dimensions that the texture lacks: texel 0, weight 0
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        if (w->exec->texels) {
            f->first = &w->exec->texels[l];
            *f->first = 0;
        }
        if (!name_texture(f, handle_of(d, w, regs, l))) {
            bad_handle(w, d, l, f->handle);
            return false;
        }
        for (unsigned k = 0; k < dimensions; k++) {
            uint32_t x = exec_lane_word(d, w, regs, 1, k, l);
            axes[k] = i->type2 == TYPE_F32 ? locate(f->t, k, f->extent[k], f32_from_bits(x))
                                           : locate_texel(f->t, k, f->extent[k], (int32_t)x);
        }
        uint32_t value[4];
        bool linear = f->t->filter == TEXTURE_LINEAR && i->type2 == TYPE_F32;
        if (!(linear ? sample(f, axes, value) : point(f, axes, value))) {
            exec_fault_address(w, d, f->bad_kind, l, SPACE_GLOBAL, f->bad_address, f->bytes, false);
            return false;
        }
        for (unsigned n = 0; n < 4; n++) out[n][l] = value[n];
    }
    return true;
}

const struct bound *exec_tex(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    unsigned dimensions = i->mode == MODE_TEX_1D ? 1 : i->mode == MODE_TEX_2D ? 2 : 3;
    uint32_t out[4][LANES_MAX];
    struct fetch f = {.w = w};
    w->counts.texture_fetches++;
    if (!fetch_together(&f, d, regs, active, dimensions, out) &&
        !fetch_apart(&f, d, regs, active, dimensions, out))
        return NULL;
    for (unsigned n = 0; n < 4; n++)
        exec_write(reg_lanes(regs, d->dst + (i->dst[0].reg == REG_ZERO ? 0 : n) * w->exec->vector_bytes),
                   out[n], active, w);
    return d + 1;
}

const struct bound *exec_txq(const struct bound *d, struct warp *w, uint8_t *regs, uint64_t active)
{
    const struct inst *i = bound_inst(d, w);
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        uint64_t handle = handle_of(d, w, regs, l);
        const struct texture *t = texture_of(w, handle);
        if (!t) return bad_handle(w, d, l, handle);
        uint32_t x = i->mode == MODE_TXQ_WIDTH ? t->width : i->mode == MODE_TXQ_HEIGHT ? t->height : t->depth;
        reg_lanes(regs, d->dst)[l] = x;
    }
    return d + 1;
}
