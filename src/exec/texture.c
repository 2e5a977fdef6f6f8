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
//
// A layer is a whole number, clamped. A cube's coordinates choose a face by the largest of them, and a texel of that
// face alone (cards filter across the edges of faces). The level of a fetch is given, or the logarithm of the longer
// gradient in texels; with the bias it is clamped. Levels filtered linearly weigh like texels, by a fraction of 8 bits.
#include "exec/texture.h"
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
    struct level {
        uint64_t data;
        uint32_t extent[3], pitch_bytes;
    } level;
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

static struct axis locate(const struct texture *t, unsigned k, uint32_t extent, float x, bool linear)
{
    struct axis a = {.weight = 0};
    enum texture_address mode = t->cube ? TEXTURE_CLAMP : t->address[k];
    bool is_share = t->normalised_coordinates || t->cube;
    if (!is_share && (mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR)) mode = TEXTURE_CLAMP;
    x = tame(is_share ? (float)((double)x * extent) : x);
    if (mode == TEXTURE_MIRROR) x = mirrored(x, extent);
    if (linear) {
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
    const struct level *v = &f->level;
    uint64_t row = (uint64_t)index[2] * v->extent[1] + (uint64_t)index[1];
    uint64_t address = v->data + row * v->pitch_bytes + (uint64_t)index[0] * t->channels * f->bytes;
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

// The numbers of the texel, or of the texels around the place weighed, not yet divided by the scale.
static bool numbers_at(struct fetch *f, const struct axis a[3], double sum[4])
{
    memset(sum, 0, 4 * sizeof *sum);
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
        for (unsigned k = 0; k < 4; k++) sum[k] += weight * number_of(f->t, c[k], f->scale);
    }
    return true;
}

static void to_floats(const struct fetch *f, const double sum[4], uint32_t out[4])
{
    for (unsigned k = 0; k < 4; k++)
        out[k] = f32_bits(sum[k] == sum[k] ? (float)(sum[k] / f->scale) : f32_from_bits(0x7fffffff));
}

const struct texture *exec_texture_of(const struct warp *w, uint64_t handle)
{
    const struct launch *l = w->exec->launch;
    const struct texture *t = handle && handle <= l->texture_count ? &l->textures[handle - 1] : NULL;
    return t && t->channels ? t : NULL;
}

const struct bound *exec_bad_texture(struct warp *w, const struct bound *d, unsigned lane, uint64_t handle)
{
    return exec_fault(w, d, FAULT_TEXTURE, lane, "0x%llx is not the handle of a texture (%u exist)",
                      (unsigned long long)handle, w->exec->launch->texture_count);
}

static void set_level(struct fetch *f, unsigned level)
{
    const struct texture *t = f->t;
    struct level *v = &f->level;
    *v = (struct level){
        t->data, {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1}, t->pitch_bytes};
    bool has_layers = t->layered || t->cube;
    for (unsigned k = 1; k <= level; k++) {
        v->data += (uint64_t)v->pitch_bytes * v->extent[1] * v->extent[2];
        v->extent[0] = texture_extent(t->width, k);
        if (t->height) v->extent[1] = texture_extent(t->height, k);
        if (t->depth && !has_layers) v->extent[2] = texture_extent(t->depth, k);
        v->pitch_bytes = v->extent[0] * t->channels * f->bytes;
    }
}

// Sets the texture of the lane's handle, at its first level. False: no texture has the handle.
static bool name_texture(struct fetch *f, uint64_t handle)
{
    if (handle == f->handle && f->t) return true;
    f->handle = handle;
    f->t = exec_texture_of(f->w, handle);
    if (!f->t) return false;
    f->bytes = isa_type_bytes(f->t->type);
    f->scale = full_scale(f->t);
    set_level(f, 0);
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
    uint64_t first = texture_handle(d, w, regs, bit_lowest(active));
    for (uint64_t left = active & (active - 1); left; left &= left - 1)
        if (texture_handle(d, w, regs, bit_lowest(left)) != first) return false;
    return true;
}

// Adds the axis's index, of a texel at the edge or inside, times `stride` to the lanes' offsets.
static void add_axis(const struct fetch *f, unsigned k, bool is_float, const uint32_t *x, uint64_t active,
                     uint64_t stride, uint64_t *offset)
{
    const int32_t last = (int32_t)f->level.extent[k] - 1;
    const bool is_share = f->t->normalised_coordinates;
    for (; active; active &= active - 1) {
        unsigned l = bit_lowest(active);
        int32_t i = (int32_t)x[l];
        if (is_float) {
            float at = f32_from_bits(x[l]);
            i = (int32_t)floor_of(tame(is_share ? (float)((double)at * f->level.extent[k]) : at));
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
    uint64_t rows = (uint64_t)f->level.extent[1] * f->level.extent[2],
             bytes = (rows - 1) * t->pitch_bytes + (uint64_t)f->level.extent[0] * t->channels * f->bytes;
    if (!f->level.extent[0] || bytes > UINT32_MAX || (t->data | t->pitch_bytes) & (f->bytes - 1)) return NULL;
    return exec_global_near(f->w->exec, t->data, (unsigned)bytes);
}

// Fetches the lanes' texels to `out`. False: the lanes differ in their texture, a coordinate may leave the texture, or
// a texel may not be there: nothing has happened.
static bool fetch_together(struct fetch *f, const struct bound *d, uint8_t *regs, uint64_t active,
                           unsigned dimensions, uint32_t out[4][LANES_MAX])
{
    const struct warp *w = f->w;
    const bool is_float = bound_inst(d, w)->type2 == TYPE_F32;
    if (!active || bound_inst(d, w)->op != OP_TEX || bound_inst(d, w)->src[1].kind != OPERAND_REG ||
        !have_one_handle(d, w, regs, active) ||
        !name_texture(f, texture_handle(d, w, regs, bit_lowest(active))) || f->t->layered || f->t->cube ||
        !reads_within(f->t, dimensions, is_float))
        return false;
    const uint8_t *host = whole_texture(f);
    if (!host) return false;
    const struct texture *t = f->t;
    const uint64_t strides[3] = {(uint64_t)t->channels * f->bytes, t->pitch_bytes,
                                 (uint64_t)t->pitch_bytes * f->level.extent[1]};
    uint64_t offset[LANES_MAX] = {0};
    for (unsigned k = 0; k < dimensions; k++)
        add_axis(f, k, is_float, reg_lanes(regs, d->src[1] + k * w->exec->vector_bytes), active, strides[k],
                 offset);
    read_texels(f, host, offset, active, out);
    for (uint64_t left = w->exec->texels ? active : 0; left; left &= left - 1)
        w->exec->texels[bit_lowest(left)] = t->data + offset[bit_lowest(left)];
    return true;
}

// -- lane by lane -------------------------------------------------------------------------------------------

struct place { // of a lane's fetch, as its registers have it
    const struct inst *inst;
    unsigned dimensions;
    uint32_t x[4];
    float gradient[2][3];
    float level; // asked for; 0 without a level
};

// The face that the direction points at, and the place on it, from 0 to 1.
static unsigned face_of(const uint32_t x[3], float place[2])
{
    float v[3], size[3];
    for (unsigned k = 0; k < 3; k++) {
        v[k] = tame(f32_from_bits(x[k]));
        size[k] = fabsf(v[k]);
    }
    unsigned axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    bool back = v[axis] < 0;
    float s = axis == 0 ? (back ? v[2] : -v[2]) : axis == 2 && back ? -v[0] : v[0];
    float t = axis == 1 ? (back ? -v[2] : v[2]) : -v[1];
    float m = size[axis] > 0 ? size[axis] : 1;
    place[0] = (s / m + 1) / 2;
    place[1] = (t / m + 1) / 2;
    return 2 * axis + back;
}

static struct axis layer_axis(const struct fetch *f, uint32_t layer, unsigned faces, unsigned face)
{
    int64_t most = f->level.extent[2] / faces, index = (int32_t)layer;
    if (index >= most) index = most - 1;
    if (index < 0) index = 0;
    index = index * faces + face;
    return (struct axis){.index = {index, index}};
}

// The place on the axes of the level; axes that the texture lacks: texel 0, weight 0.
static void place_axes(const struct fetch *f, const struct place *p, bool linear, struct axis axes[3])
{
    const struct texture *t = f->t;
    const uint32_t *extent = f->level.extent;
    memset(axes, 0, 3 * sizeof *axes);
    if (t->cube) {
        float on_face[2];
        unsigned face = face_of(p->x, on_face);
        for (unsigned k = 0; k < 2; k++) axes[k] = locate(t, k, extent[k], on_face[k], linear);
        axes[2] = layer_axis(f, t->layered ? p->x[3] : 0, 6, face);
        return;
    }
    unsigned count = p->dimensions, own = t->height ? 2 : 1;
    if (t->layered && count > own) {
        axes[2] = layer_axis(f, p->x[own], 1, 0);
        count = own;
    }
    for (unsigned k = 0; k < count; k++)
        axes[k] = p->inst->type2 == TYPE_F32 ? locate(t, k, extent[k], f32_from_bits(p->x[k]), linear)
                                             : locate_texel(t, k, extent[k], (int32_t)p->x[k]);
}

// The level that the gradients ask for: the logarithm of the longer, in texels of the first level.
static float gradient_level(const struct fetch *f, const struct place *p)
{
    double most = 0;
    for (unsigned n = 0; n < 2; n++) {
        double square = 0;
        for (unsigned k = 0; k < p->dimensions; k++) {
            bool is_share = f->t->normalised_coordinates || f->t->cube;
            double length = (double)p->gradient[n][k] * (is_share ? f->level.extent[k] : 1);
            if (length == length) square += length * length;
        }
        if (square > most) most = square;
    }
    return most > 0 ? (float)(log2(most) / 2) : -1000;
}

// The level with the bias, within the limits of the texture and its levels.
static double clamped_level(const struct texture *t, float level)
{
    double v = (double)tame(level) + (double)t->level_bias, last = t->levels > 1 ? t->levels - 1 : 0;
    if (v > (double)t->level_most) v = (double)t->level_most;
    if (v < (double)t->level_least) v = (double)t->level_least;
    return v < 0 ? 0 : v > last ? last : v;
}

// One component of the four texels around the place.
static bool gather(struct fetch *f, const struct place *p, uint32_t out[4])
{
    static const bool next[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}; // x, y
    struct axis a[3];
    place_axes(f, p, true, a);
    for (unsigned n = 0; n < 4; n++) {
        struct axis one[3] = {{.index = {a[0].index[next[n][0]]}}, {.index = {a[1].index[next[n][1]]}}, a[2]};
        uint32_t value[4];
        if (!point(f, one, value)) return false;
        out[n] = value[p->inst->shift];
    }
    return true;
}

static bool fetch_level(struct fetch *f, const struct place *p, bool linear, double sum[4])
{
    struct axis axes[3];
    place_axes(f, p, linear, axes);
    return numbers_at(f, axes, sum);
}

// The lane's four components. False: a texel could not be read.
static bool fetch_lane(struct fetch *f, const struct place *p, uint32_t out[4])
{
    const struct texture *t = f->t;
    bool linear = t->filter == TEXTURE_LINEAR && p->inst->type2 == TYPE_F32;
    if (p->inst->op == OP_TLD4) return gather(f, p, out);
    double level = p->inst->op == OP_TEX ? 0 : clamped_level(t, p->level);
    bool blends = t->level_filter == TEXTURE_LINEAR && t->levels > 1;
    double below = floor(blends ? level : level + 0.5), weight = floor((level - below) * 256 + 0.5) / 256;
    if (below > 0) set_level(f, (unsigned)below);
    bool ok;
    if (!linear && !(blends && weight > 0)) {
        struct axis axes[3];
        place_axes(f, p, false, axes);
        ok = point(f, axes, out);
    } else {
        double sum[4], more[4];
        ok = fetch_level(f, p, linear, sum);
        if (ok && blends && weight > 0) {
            set_level(f, (unsigned)below + 1);
            ok = fetch_level(f, p, linear, more);
            for (unsigned k = 0; ok && k < 4; k++) sum[k] = (1 - weight) * sum[k] + weight * more[k];
        }
        if (ok) to_floats(f, sum, out);
    }
    if (level > 0) set_level(f, 0);
    return ok;
}

static void read_place(const struct fetch *f, const struct bound *d, const uint8_t *regs, unsigned lane,
                       struct place *p)
{
    const struct warp *w = f->w;
    unsigned words = p->dimensions == 3 ? 4 : p->dimensions;
    for (unsigned k = 0; k < words; k++) p->x[k] = exec_lane_word(d, w, regs, 1, k, lane);
    p->level = 0;
    if (p->inst->op == OP_TEXLL) p->level = f32_from_bits(exec_lane_word(d, w, regs, 2, 0, lane));
    if (p->inst->op != OP_TXD) return;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned k = 0; k < p->dimensions; k++)
            p->gradient[n][k] = f32_from_bits(exec_lane_word(d, w, regs, 2 + n, k, lane));
    p->level = gradient_level(f, p);
}

// Fetches lane by lane. False: a fault, recorded.
static bool fetch_apart(struct fetch *f, const struct bound *d, uint8_t *regs, uint64_t active,
                        unsigned dimensions, uint32_t out[4][LANES_MAX])
{
    struct warp *w = f->w;
    struct place p = {.inst = bound_inst(d, w), .dimensions = dimensions};
    for (uint64_t left = active; left; left &= left - 1) {
        unsigned l = bit_lowest(left);
        if (w->exec->texels) {
            f->first = &w->exec->texels[l];
            *f->first = 0;
        }
        if (!name_texture(f, texture_handle(d, w, regs, l))) {
            exec_bad_texture(w, d, l, f->handle);
            return false;
        }
        read_place(f, d, regs, l, &p);
        uint32_t value[4];
        if (!fetch_lane(f, &p, value)) {
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
    unsigned dimensions = texture_dimensions(i);
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
        uint64_t handle = texture_handle(d, w, regs, l);
        const struct texture *t = exec_texture_of(w, handle);
        if (!t) return exec_bad_texture(w, d, l, handle);
        uint32_t depth = t->cube ? t->depth / 6 : t->depth; // cubes of an array
        reg_lanes(regs, d->dst)[l] = i->mode == MODE_TXQ_WIDTH    ? t->width
                                     : i->mode == MODE_TXQ_HEIGHT ? t->height
                                                                  : depth;
    }
    return d + 1;
}
