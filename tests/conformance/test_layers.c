// Textures with layers, faces of cubes and mipmap levels, gathers, and surfaces, against a model in doubles that
// follows the CUDA programming guide and shares no code with the library. Random shapes, texels, filters, levels and
// coordinates. Fails when a component differs from the model by more than rounding.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FETCHES = 64, WORDS = 16, BYTES_MAX = 1 << 16, LEVELS_MAX = 5 };

enum geometry { D1, D2, D3, A1D, A2D, CUBE, ACUBE, GEOMETRIES };
enum access { PLAIN, BASE, LEVEL, GRADIENT, GATHER, ACCESSES };

struct picture {
    enum geometry geometry;
    uint32_t size[3], layers, levels; // of the first level; 1 along absent axes
    bool is_byte;                     // u8 read as fractions, else f32
    unsigned channels;
    bool normalised, linear, levels_linear;
    enum wf_address address;
    float bias, least, most;
    uint8_t bytes[BYTES_MAX];
};

struct request { // of a lane: what it reads of `in`
    float x[3];
    int32_t layer;
    float level, gradient[2][3];
    uint32_t component, unused[4];
};
_Static_assert(sizeof(struct request) == WORDS * 4, "words of a lane");

static unsigned axes_of(enum geometry g) { return g == D1 || g == A1D ? 1 : g == D3 ? 3 : 2; }
static bool is_layered(enum geometry g) { return g == A1D || g == A2D || g == ACUBE; }
static bool is_cube(enum geometry g) { return g == CUBE || g == ACUBE; }
static unsigned planes_of(const struct picture *p) { return p->layers * (is_cube(p->geometry) ? 6 : 1); }
static unsigned texel_bytes(const struct picture *p) { return p->channels * (p->is_byte ? 1 : 4); }

static uint32_t size_at(const struct picture *p, unsigned axis, unsigned level)
{
    uint32_t n = p->size[axis] >> level;
    return n ? n : 1;
}

static size_t bytes_before(const struct picture *p, unsigned level)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < level; k++)
        bytes +=
            (size_t)size_at(p, 0, k) * size_at(p, 1, k) * size_at(p, 2, k) * planes_of(p) * texel_bytes(p);
    return bytes;
}

// ---- the model

static double texel_at(const struct picture *p, unsigned level, const int *i, unsigned plane,
                       unsigned channel)
{
    if (channel >= p->channels) return 0;
    size_t row = ((size_t)plane * size_at(p, 2, level) + (size_t)i[2]) * size_at(p, 1, level) + (size_t)i[1];
    size_t at = bytes_before(p, level) + (row * size_at(p, 0, level) + (size_t)i[0]) * texel_bytes(p);
    if (p->is_byte) return p->bytes[at + channel] / 255.0;
    float v;
    memcpy(&v, p->bytes + at + 4 * channel, 4);
    return (double)v;
}

// The texel in place of texel i of n; -1: border.
static int inside(const struct picture *p, int i, int n)
{
    if (i >= 0 && i < n) return i;
    enum wf_address mode = is_cube(p->geometry) ? WF_ADDRESS_CLAMP : p->address;
    if (mode == WF_ADDRESS_BORDER) return -1;
    if (mode == WF_ADDRESS_WRAP && p->normalised) return ((i % n) + n) % n;
    return i < 0 ? 0 : n - 1;
}

static double corner(const struct picture *p, unsigned level, const int *at, unsigned plane, unsigned channel)
{
    int i[3] = {0};
    for (unsigned k = 0; k < axes_of(p->geometry); k++) {
        i[k] = inside(p, at[k], (int)size_at(p, k, level));
        if (i[k] < 0) return 0;
    }
    return texel_at(p, level, i, plane, channel);
}

// Places along the axes of a level: the lower texel, and the weight of the next in 256ths.
static void places(const struct picture *p, unsigned level, const float *x, bool linear, int *low,
                   double *part)
{
    for (unsigned k = 0; k < 3; k++) {
        low[k] = 0;
        part[k] = 0;
        if (k >= axes_of(p->geometry)) continue;
        double at = p->normalised ? (double)(float)((double)x[k] * size_at(p, k, level)) : (double)x[k];
        if (linear) at -= 0.5;
        low[k] = (int)floor(at);
        if (linear) part[k] = floor((at - low[k]) * 256 + 0.5) / 256;
    }
}

static double sample(const struct picture *p, unsigned level, const float *x, unsigned plane,
                     unsigned channel)
{
    int low[3];
    double part[3], sum = 0;
    places(p, level, x, p->linear, low, part);
    for (unsigned c = 0; c < 8; c++) {
        double weight = 1;
        int at[3];
        for (unsigned k = 0; k < 3; k++) {
            at[k] = low[k] + (int)(c >> k & 1);
            weight *= c >> k & 1 ? part[k] : 1 - part[k];
        }
        if (weight > 0) sum += weight * corner(p, level, at, plane, channel);
    }
    return sum;
}

// The face that a direction points at (guide, "Cubemap Textures"), and the place on it.
static unsigned face_of(const float *x, float *on_face)
{
    static const struct {
        int major, sign, s, s_sign, t, t_sign;
    } faces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                  {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};
    unsigned best = 0;
    for (unsigned f = 1; f < 6; f++)
        if ((float)faces[f].sign * x[faces[f].major] > (float)faces[best].sign * x[faces[best].major])
            best = f;
    float m = fabsf(x[faces[best].major]);
    on_face[0] = ((float)faces[best].s_sign * x[faces[best].s] / m + 1) / 2;
    on_face[1] = ((float)faces[best].t_sign * x[faces[best].t] / m + 1) / 2;
    return best;
}

static double level_of(const struct picture *p, enum access access, const struct request *q)
{
    double level = (double)q->level, longest = 0;
    if (access == GRADIENT) {
        for (unsigned n = 0; n < 2; n++) {
            double square = 0;
            for (unsigned k = 0; k < (is_cube(p->geometry) ? 2u : axes_of(p->geometry)); k++)
                square += pow((double)q->gradient[n][k] * (p->normalised ? p->size[k] : 1), 2);
            longest = fmax(longest, sqrt(square));
        }
        level = log2(longest);
    }
    level = fmin(fmax(level + (double)p->bias, (double)p->least), (double)p->most);
    return fmin(fmax(level, 0), p->levels - 1);
}

static void expected(const struct picture *p, enum access access, const struct request *q, double *want)
{
    float x[3] = {q->x[0], q->x[1], q->x[2]};
    int layer = q->layer < 0 ? 0 : q->layer >= (int)p->layers ? (int)p->layers - 1 : q->layer;
    unsigned plane = is_layered(p->geometry) ? (unsigned)layer : 0;
    if (is_cube(p->geometry)) plane = 6 * plane + face_of(q->x, x);
    if (access == GATHER) {
        static const int steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        int low[3];
        double part[3];
        places(p, 0, x, true, low, part);
        for (unsigned n = 0; n < 4; n++) {
            const int at[3] = {low[0] + steps[n][0], low[1] + steps[n][1], 0};
            want[n] = corner(p, 0, at, plane, q->component);
        }
        return;
    }
    double level = access == PLAIN || access == BASE ? 0 : level_of(p, access, q);
    bool blends = p->levels_linear && p->levels > 1;
    unsigned below = (unsigned)floor(blends ? level : level + 0.5);
    double part = blends ? floor((level - below) * 256 + 0.5) / 256 : 0;
    for (unsigned c = 0; c < 4; c++) {
        want[c] = sample(p, below, x, plane, c);
        if (part > 0) want[c] += part * (sample(p, below + 1, x, plane, c) - want[c]);
    }
}

// ---- the kernel

static void write_kernel(enum geometry g, enum access access, unsigned component, struct strbuf *out)
{
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    static const char *const coordinates[] = {"{%x}",
                                              "{%x, %y}",
                                              "{%x, %y, %z, %z}",
                                              "{%l, %x}",
                                              "{%l, %x, %y, %y}",
                                              "{%x, %y, %z, %z}",
                                              "{%l, %x, %y, %z}"};
    static const char *const gradients[] = {"", "{%g0}, {%h0}", "{%g0, %g1}, {%h0, %h1}",
                                            "{%g0, %g1, %g2, %g2}, {%h0, %h1, %h2, %h2}"};
    static const char *const levels[] = {"", ".base", ".level", ".grad", ""};
    unsigned slopes = is_cube(g) ? 3 : axes_of(g);
    strbuf_printf(
        out,
        ".version 7.8\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 texture)\n{\n"
        ".reg .b64 %%in, %%out, %%t;\n.reg .b32 %%i, %%l, %%x, %%y, %%z, %%v, %%g<3>, %%h<3>, %%a, %%b, "
        "%%c, %%d;\n"
        "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u64 %%t, [texture];\n"
        "mov.u32 %%i, %%tid.x;\nmad.wide.u32 %%in, %%i, %d, %%in;\nmad.wide.u32 %%out, %%i, 16, %%out;\n"
        "ld.global.v4.b32 {%%x, %%y, %%z, %%l}, [%%in];\nld.global.v4.b32 {%%v, %%g0, %%g1, %%g2}, "
        "[%%in + 16];\nld.global.v2.b32 {%%h0, %%h1}, [%%in + 32];\nld.global.b32 %%h2, [%%in + 40];\n",
        WORDS * 4);
    if (access == GATHER)
        strbuf_printf(out, "tld4.%c.%s", "rgba"[component], names[g]);
    else
        strbuf_printf(out, "tex%s.%s", levels[access], names[g]);
    strbuf_printf(out, ".v4.f32.f32 {%%a, %%b, %%c, %%d}, [%%t, %s]", coordinates[g]);
    if (access == LEVEL) strbuf_puts(out, ", %v");
    if (access == GRADIENT) strbuf_printf(out, ", %s", gradients[slopes]);
    strbuf_puts(out, ";\nst.global.v4.b32 [%out], {%a, %b, %c, %d};\nret;\n}\n");
}

// ---- a case

static float between(struct rng *r, float least, float most)
{
    return least + rng_f32(rng_next(r)) * (most - least);
}

static void make_picture(struct rng *r, struct picture *p, enum access access)
{
    p->geometry = (enum geometry)rng_below(r, GEOMETRIES);
    while (access == GATHER && (axes_of(p->geometry) != 2))
        p->geometry = (enum geometry)rng_below(r, GEOMETRIES);
    for (unsigned k = 0; k < 3; k++) p->size[k] = k < axes_of(p->geometry) ? 1 + rng_below(r, 11) : 1;
    if (is_cube(p->geometry)) p->size[1] = p->size[0];
    p->layers = is_layered(p->geometry) ? 1 + rng_below(r, 4) : 1;
    uint32_t most = 1, largest = p->size[0];
    for (unsigned k = 1; k < 3; k++) largest = p->size[k] > largest ? p->size[k] : largest;
    for (uint32_t n = largest; n >>= 1;) most++;
    p->levels = access == GATHER ? 1 : 1 + rng_below(r, most);
    p->is_byte = rng_below(r, 2);
    p->channels = 1u << rng_below(r, 3);
    p->normalised = is_cube(p->geometry) || p->levels > 1 || rng_below(r, 2);
    p->linear = rng_below(r, 2);
    p->levels_linear = rng_below(r, 2);
    p->address = rng_below(r, 3) == 0   ? WF_ADDRESS_WRAP
                 : rng_below(r, 2) == 0 ? WF_ADDRESS_CLAMP
                                        : WF_ADDRESS_BORDER;
    p->bias = rng_below(r, 3) ? 0 : between(r, -1.5f, 1.5f);
    p->least = rng_below(r, 3) ? 0 : between(r, 0, 1);
    p->most = rng_below(r, 3) ? 100 : p->least + between(r, 0, 3);
    size_t bytes = bytes_before(p, p->levels);
    for (size_t k = 0; k < bytes; k += 4) {
        float v = between(r, -10, 10);
        uint32_t word = p->is_byte ? (uint32_t)rng_next(r) : f32_bits(v);
        memcpy(p->bytes + k, &word, 4);
    }
}

static void make_requests(struct rng *r, const struct picture *p, struct request *q)
{
    for (unsigned f = 0; f < FETCHES; f++) {
        for (unsigned k = 0; k < 3; k++) {
            float range = is_cube(p->geometry) ? 1 : p->normalised ? 2 : 2 * (float)p->size[k];
            q[f].x[k] = between(r, is_cube(p->geometry) ? -range : -range / 2, range);
            for (unsigned n = 0; n < 2; n++) q[f].gradient[n][k] = between(r, -1, 1);
        }
        q[f].layer = (int32_t)rng_below(r, p->layers + 3) - 1;
        q[f].level = between(r, -1, (float)p->levels + 1);
        if (is_cube(p->geometry)) q[f].gradient[0][2] = q[f].gradient[1][2] = 0;
    }
}

// Half of the cases are timed, most of them with a mechanism.
static void time_some(struct wf_context *c, uint64_t seed)
{
    static const char *const mechanisms[] = {"base", "darsie",    "decoupled", "wir",
                                             "dac",  "scalarise", "uv+rfcache"};
    if (seed % 2) return;
    wf_gpu(c, "tiny");
    wf_tech(c, mechanisms[seed / 2 % TEST_COUNT(mechanisms)]);
}

static void check_case(struct test *t, uint64_t seed)
{
    static struct picture p;
    struct request in[FETCHES] = {0};
    float got[FETCHES][4];
    struct strbuf ptx = {0};
    struct rng r;
    rng_init(&r, seed);
    enum access access = (enum access)rng_below(&r, ACCESSES);
    unsigned component = rng_below(&r, 4);
    memset(&p, 0, sizeof p);
    make_picture(&r, &p, access);
    make_requests(&r, &p, in);
    for (unsigned f = 0; f < FETCHES; f++) in[f].component = component;
    write_kernel(p.geometry, access, component, &ptx);
    struct wf_context *c = wf_context_create();
    wf_set(c, "memory.size", "4M");
    time_some(c, seed);
    struct wf_texture_config config = {.texel = p.is_byte ? WF_TEXEL_U8 : WF_TEXEL_F32,
                                       .channels = p.channels,
                                       .width = p.size[0],
                                       .height = axes_of(p.geometry) > 1 ? p.size[1] : 0,
                                       .depth = p.geometry == D3 ? p.size[2]
                                                : is_layered(p.geometry) || is_cube(p.geometry)
                                                    ? planes_of(&p)
                                                    : 0,
                                       .normalised_coordinates = p.normalised,
                                       .normalised_read = p.is_byte,
                                       .filter = p.linear ? WF_FILTER_LINEAR : WF_FILTER_POINT,
                                       .address = {p.address, p.address, p.address},
                                       .layered = is_layered(p.geometry),
                                       .cube = is_cube(p.geometry),
                                       .levels = p.levels,
                                       .level_filter = p.levels_linear ? WF_FILTER_LINEAR : WF_FILTER_POINT,
                                       .level_bias = p.bias,
                                       .level_least = p.least,
                                       .level_most = p.most};
    uint64_t data = wf_alloc(c, bytes_before(&p, p.levels));
    wf_write(c, data, p.bytes, bytes_before(&p, p.levels));
    struct wf_module *m = wf_module_load(c, "layers.ptx", ptx.text, ptx.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t params[] = {wf_alloc(c, sizeof in), wf_alloc(c, sizeof got),
                         wf_texture_create(c, data, &config)};
    wf_write(c, params[0], in, sizeof in);
    struct wf_launch_config launch = {.grid = {1, 1, 1}, .block = {FETCHES, 1, 1}};
    bool ran = k && params[2] && wf_launch_packed(k, &launch, params, sizeof params, NULL) == WF_OK;
    CHECK_MSG(t, ran, "seed %llu: %s\n%s", (unsigned long long)seed, wf_errors(c), strbuf_text(&ptx));
    if (ran) wf_read(c, params[1], got, sizeof got);
    for (unsigned f = 0; ran && f < FETCHES; f++) {
        double want[4];
        expected(&p, access, &in[f], want);
        for (unsigned n = 0; n < 4; n++)
            CHECK_MSG(
                t, fabs((double)got[f][n] - want[n]) <= 2e-5,
                "seed %llu, geometry %d, access %d, %u levels%s%s: fetch %u at (%g, %g, %g), layer %d, level "
                "%g, component %u is %g, not %g",
                (unsigned long long)seed, p.geometry, access, p.levels, p.linear ? ", linear" : "",
                p.levels_linear ? ", levels linear" : "", f, (double)in[f].x[0], (double)in[f].x[1],
                (double)in[f].x[2], in[f].layer, level_of(&p, access, &in[f]), n, (double)got[f][n], want[n]);
    }
    wf_context_destroy(c);
    strbuf_fini(&ptx);
}

static void test_textures(struct test *t)
{
    for (uint64_t seed = 1; seed <= 600; seed++) check_case(t, seed);
}

// ---- surfaces

enum operation { LOADS, STORES, ADDS, OPERATIONS };
enum boundary { CLAMPS, ZEROS, TRAPS };

struct surface {
    enum geometry geometry;
    uint32_t size[3], planes; // size in texels
    unsigned bytes;           // of a texel and of an access
    enum operation operation;
    enum boundary boundary;
};

static const char *const element[] = {"b8", "b16", "b32", "b64", "v4.b32"};

static unsigned log2_of(unsigned bytes)
{
    unsigned n = 0;
    while (bytes >>= 1) n++;
    return n;
}

static void write_surface_kernel(const struct surface *s, struct strbuf *out)
{
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d"};
    static const char *const coordinates[] = {"{%x}", "{%x, %y}", "{%x, %y, %z, %z}", "{%l, %x}",
                                              "{%l, %x, %y, %y}"};
    static const char *const boundaries[] = {"clamp", "zero", "trap"};
    static const char *const values[] = {"%a", "%a", "%a", "%w", "{%a, %b, %c, %d}"};
    unsigned size = log2_of(s->bytes);
    strbuf_puts(out,
                ".version 7.8\n.target sm_80\n.address_size 64\n"
                ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 surface)\n{\n"
                ".reg .b64 %in, %out, %t, %w;\n.reg .b32 %i, %l, %x, %y, %z, %a, %b, %c, %d;\n"
                "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u64 %t, [surface];\n"
                "mov.u32 %i, %tid.x;\nmad.wide.u32 %in, %i, 32, %in;\nmad.wide.u32 %out, %i, 16, %out;\n"
                "ld.global.v4.b32 {%x, %y, %z, %l}, [%in];\nld.global.v4.b32 {%a, %b, %c, %d}, [%in + 16];\n"
                "mov.b64 %w, {%a, %b};\n");
    const char *g = names[s->geometry], *at = coordinates[s->geometry], *edge = boundaries[s->boundary];
    if (s->operation == LOADS) {
        strbuf_printf(out, "suld.b.%s.%s.%s %s, [%%t, %s];\n", g, element[size], edge, values[size], at);
        if (size == 3) strbuf_puts(out, "mov.b64 {%a, %b}, %w;\n");
        if (size < 3)
            strbuf_printf(out, "and.b32 %%a, %%a, %u;\n", size == 2 ? UINT32_MAX : (1u << (8 << size)) - 1);
        strbuf_puts(out, "st.global.v4.b32 [%out], {%a, %b, %c, %d};\n");
    } else if (s->operation == STORES) {
        strbuf_printf(out, "sust.b.%s.%s.%s [%%t, %s], %s;\n", g, element[size], edge, at, values[size]);
    } else {
        strbuf_printf(out, "sured.b.add.%s.u32.%s [%%t, %s], %%a;\n", g, edge, at);
    }
    strbuf_puts(out, "ret;\n}\n");
}

struct surface_request {    // of a lane
    int32_t x, y, z, layer; // x in bytes
    uint8_t value[16];
};

// The byte of the access in the surface; -1: outside.
static long place_of(const struct surface *s, const struct surface_request *q)
{
    int32_t at[4] = {q->x, q->y, q->z, q->layer};
    int64_t most[4] = {(int64_t)s->size[0] * s->bytes - s->bytes, s->size[1] - 1, s->size[2] - 1,
                       s->planes - 1};
    bool has[4] = {true, axes_of(s->geometry) > 1, s->geometry == D3, is_layered(s->geometry)};
    bool outside = false;
    for (unsigned k = 0; k < 4; k++) {
        int64_t v = has[k] ? at[k] : 0, nearest = v < 0 ? 0 : v > most[k] ? most[k] : v;
        outside = outside || nearest != v;
        at[k] = (int32_t)nearest;
    }
    if (outside && s->boundary != CLAMPS) return -1;
    return (((long)at[3] * s->size[2] + at[2]) * s->size[1] + at[1]) * s->size[0] * s->bytes + at[0];
}

static void make_surface(struct rng *r, struct surface *s)
{
    static const enum geometry geometries[] = {D1, D2, D3, A1D, A2D};
    s->operation = (enum operation)rng_below(r, OPERATIONS);
    s->boundary = s->operation == STORES ? ZEROS : (enum boundary)rng_below(r, 2);
    s->geometry = geometries[rng_below(r, s->operation == ADDS ? 3 : 5)];
    for (unsigned k = 0; k < 3; k++) s->size[k] = k < axes_of(s->geometry) ? 1 + rng_below(r, 9) : 1;
    s->planes = is_layered(s->geometry) ? 1 + rng_below(r, 4) : 1;
    s->bytes = s->operation == ADDS ? 4 : 1u << rng_below(r, 5);
}

// The lane's place: the lane's own texel of a store, if it is inside, else any around the surface.
static void make_surface_request(struct rng *r, const struct surface *s, unsigned lane,
                                 struct surface_request *q)
{
    uint32_t texel = lane;
    q->x = (int32_t)((int)rng_below(r, s->size[0] + 4) - 2) * (int32_t)s->bytes;
    q->y = (int32_t)rng_below(r, s->size[1] + 4) - 2;
    q->z = (int32_t)rng_below(r, s->size[2] + 4) - 2;
    q->layer = (int32_t)rng_below(r, s->planes + 4) - 2;
    if (s->operation == STORES && lane % 5) {
        q->x = (int32_t)(texel % s->size[0] * s->bytes);
        q->y = (int32_t)((texel /= s->size[0]) % s->size[1]);
        q->z = (int32_t)((texel /= s->size[1]) % s->size[2]);
        q->layer = (int32_t)(texel / s->size[2]);
        if (texel / s->size[2] >= s->planes) q->x = -(int32_t)s->bytes; // no texel is left for the lane
    } else if (s->operation == STORES) {
        q->x = -(int32_t)s->bytes;
    }
    for (unsigned k = 0; k < 16; k++) q->value[k] = (uint8_t)rng_next(r);
}

static void model_surface(const struct surface *s, const struct surface_request *in, uint8_t *bytes,
                          uint8_t (*out)[16])
{
    for (unsigned f = 0; f < FETCHES; f++) {
        long at = place_of(s, &in[f]);
        memcpy(out[f], in[f].value, 16);
        if (s->operation == LOADS && s->bytes < 4) memset(out[f], 0, 4);
        if (s->operation == LOADS && at < 0) memset(out[f], 0, s->bytes);
        if (at < 0) continue;
        uint32_t a, b;
        memcpy(&a, bytes + at, 4);
        memcpy(&b, in[f].value, 4);
        a += b;
        if (s->operation == LOADS) memcpy(out[f], bytes + at, s->bytes);
        if (s->operation == STORES) memcpy(bytes + at, in[f].value, s->bytes);
        if (s->operation == ADDS) memcpy(bytes + at, &a, 4);
    }
}

static uint64_t surface_object(struct wf_context *c, const struct surface *s, uint64_t data)
{
    static const enum wf_texel texels[] = {WF_TEXEL_U8, WF_TEXEL_U16, WF_TEXEL_U32, WF_TEXEL_U32,
                                           WF_TEXEL_U32};
    unsigned size = log2_of(s->bytes);
    struct wf_texture_config config = {.texel = texels[size],
                                       .channels = size < 3 ? 1 : 1u << (size - 2),
                                       .width = s->size[0],
                                       .height = axes_of(s->geometry) > 1 ? s->size[1] : 0,
                                       .depth = s->geometry == D3         ? s->size[2]
                                                : is_layered(s->geometry) ? s->planes
                                                                          : 0,
                                       .layered = is_layered(s->geometry)};
    return wf_texture_create(c, data, &config);
}

// Runs the kernel over the surface; false: an error, in wf_errors.
static bool run_surface(struct wf_context *c, const struct surface *s, const struct surface_request *in,
                        uint8_t *bytes, size_t size, uint8_t (*out)[16])
{
    struct strbuf ptx = {0};
    wf_set(c, "memory.size", "4M");
    write_surface_kernel(s, &ptx);
    struct wf_module *m = wf_module_load(c, "surface.ptx", ptx.text, ptx.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t data = wf_alloc(c, size);
    uint64_t params[] = {wf_alloc(c, FETCHES * sizeof *in), wf_alloc(c, FETCHES * 16),
                         surface_object(c, s, data)};
    struct wf_launch_config launch = {.grid = {1, 1, 1}, .block = {FETCHES, 1, 1}};
    wf_write(c, data, bytes, size);
    wf_write(c, params[0], in, FETCHES * sizeof *in);
    wf_write(c, params[1], out, FETCHES * 16);
    bool ran = k && params[2] && wf_launch_packed(k, &launch, params, sizeof params, NULL) == WF_OK;
    if (ran) wf_read(c, data, bytes, size);
    if (ran) wf_read(c, params[1], out, FETCHES * 16);
    strbuf_fini(&ptx);
    return ran;
}

static void check_surface(struct test *t, uint64_t seed)
{
    static uint8_t bytes[BYTES_MAX], want[BYTES_MAX];
    struct surface_request in[FETCHES];
    uint8_t out[FETCHES][16] = {{0}}, want_out[FETCHES][16] = {{0}};
    struct surface s;
    struct rng r;
    rng_init(&r, seed);
    make_surface(&r, &s);
    for (unsigned f = 0; f < FETCHES; f++) make_surface_request(&r, &s, f, &in[f]);
    size_t size = (size_t)s.size[0] * s.size[1] * s.size[2] * s.planes * s.bytes;
    for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)rng_next(&r);
    memcpy(want, bytes, BYTES_MAX);
    model_surface(&s, in, want, want_out);
    struct wf_context *c = wf_context_create();
    time_some(c, seed);
    bool ran = run_surface(c, &s, in, bytes, size, out);
    CHECK_MSG(t, ran, "seed %llu: %s", (unsigned long long)seed, wf_errors(c));
    if (ran)
        CHECK_MSG(t, memcmp(bytes, want, size) == 0,
                  "seed %llu: another content: geometry %d, %u x %u x %u, %u planes, %u bytes, operation %d, "
                  "boundary %d",
                  (unsigned long long)seed, s.geometry, s.size[0], s.size[1], s.size[2], s.planes, s.bytes,
                  s.operation, s.boundary);
    for (unsigned f = 0; ran && s.operation == LOADS && f < FETCHES; f++)
        CHECK_MSG(t, memcmp(out[f], want_out[f], 16) == 0, "seed %llu: lane %u loads something else",
                  (unsigned long long)seed, f);
    wf_context_destroy(c);
}

static void test_surfaces(struct test *t)
{
    for (uint64_t seed = 1; seed <= 400; seed++) check_surface(t, seed);
}

static void test_trap(struct test *t)
{
    static uint8_t bytes[64];
    struct surface_request in[FETCHES] = {{.x = 16}};
    uint8_t out[FETCHES][16] = {{0}};
    const struct surface s = {D2, {4, 4, 1}, 1, 4, LOADS, TRAPS};
    struct wf_context *c = wf_context_create();
    CHECK(t, !run_surface(c, &s, in, bytes, sizeof bytes, out));
    CHECK_MSG(t, strstr(wf_errors(c), "outside its surface"), "%s", wf_errors(c));
    wf_context_destroy(c);
    in[0].x = 12;
    c = wf_context_create();
    CHECK_MSG(t, run_surface(c, &s, in, bytes, sizeof bytes, out), "%s", wf_errors(c));
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"textures", test_textures}, {"surfaces", test_surfaces}, {"trap", test_trap}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
