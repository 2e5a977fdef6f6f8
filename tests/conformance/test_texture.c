// Texture fetches against the formulas of the CUDA programming guide, and bit for bit against the oracle.
// Covered: every texel type, number of dimensions, filter, addressing mode and kind of coordinate.
// Coordinates lie at texel edges and centres, at ties of the weights and far outside. Also txq and
// texture references. Fails when a component lies outside the formula's tolerance or differs from the
// oracle's bits.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FETCHES = 256, AXIS_MAX = 8, TEXTURE_BYTES = 8 * 5 * 4 * 16 + 64 * 20, ROWS = FETCHES + 1 };

struct shape {
    unsigned dimensions;
    uint32_t size[3]; // 1 along absent axes
    uint32_t pitch_bytes;
    enum wf_texel texel;
    unsigned channels;
    bool normalised, normalised_read, linear, integer_coordinates;
    bool reference; // the kernel names a .texref
    bool special;   // among f32 and f16 texels are NaN, infinities, -0 and subnormal numbers
    enum wf_address address[3];
    uint64_t seed;
};

static const unsigned texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

static float half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e ? ldexpf((float)(1024 + m), e - 25) : ldexpf((float)m, -24);
    return h >> 15 ? -v : v;
}

// Component `index` of the texture's bytes: as a float if read as a float, else the integer.
static double component(const struct shape *s, const uint8_t *bytes, unsigned index)
{
    const uint8_t *at = bytes + index * texel_bytes[s->texel];
    uint32_t v = 0;
    memcpy(&v, at, texel_bytes[s->texel]);
    switch (s->texel) {
    case WF_TEXEL_U8: return s->normalised_read ? v / 255.0 : v;
    case WF_TEXEL_S8: return s->normalised_read ? fmax((int8_t)v / 127.0, -1) : (int8_t)v;
    case WF_TEXEL_U16: return s->normalised_read ? v / 65535.0 : v;
    case WF_TEXEL_S16: return s->normalised_read ? fmax((int16_t)v / 32767.0, -1) : (int16_t)v;
    case WF_TEXEL_U32: return v;
    case WF_TEXEL_S32: return (int32_t)v;
    case WF_TEXEL_F16: return half_value((uint16_t)v);
    case WF_TEXEL_F32: return (double)f32_from_bits(v);
    }
    return 0;
}

static bool is_float(const struct shape *s)
{
    return s->texel == WF_TEXEL_F16 || s->texel == WF_TEXEL_F32 || s->normalised_read;
}

// The texel in place of texel i of n; -1: border.
static int inside(int i, int n, enum wf_address mode, bool normalised)
{
    if (!normalised && mode != WF_ADDRESS_BORDER) mode = WF_ADDRESS_CLAMP;
    if (i >= 0 && i < n) return i;
    if (mode == WF_ADDRESS_BORDER) return -1;
    if (mode == WF_ADDRESS_CLAMP) return i < 0 ? 0 : n - 1;
    if (mode == WF_ADDRESS_WRAP) return ((i % n) + n) % n;
    int m = ((i % (2 * n)) + 2 * n) % (2 * n); // mirror: forwards, then backwards
    return m < n ? m : 2 * n - 1 - m;
}

static double texel(const struct shape *s, const uint8_t *bytes, const int *i, unsigned channel)
{
    int at[3] = {0};
    if (channel >= s->channels) return 0;
    for (unsigned k = 0; k < s->dimensions; k++) {
        at[k] = inside(i[k], (int)s->size[k], s->address[k], s->normalised && !s->integer_coordinates);
        if (at[k] < 0) return 0;
    }
    const uint8_t *row = bytes + (size_t)(at[2] * (int)s->size[1] + at[1]) * s->pitch_bytes;
    return component(s, row, (unsigned)at[0] * s->channels + channel);
}

// Position of a coordinate in texels; for wrap off by whole periods, removed by inside().
static double position(const struct shape *s, unsigned k, float coordinate)
{
    double n = s->size[k], x = isnan(coordinate) ? 0 : (double)coordinate * (s->normalised ? n : 1);
    x = fmax(fmin((double)(float)x, 0x1p30), -0x1p30);
    if (!s->normalised || s->address[k] != WF_ADDRESS_MIRROR) return x;
    double period = floor(x / n), part = x - n * period;
    return fmod(period, 2) != 0 ? n - part : part;
}

static double expected(const struct shape *s, const uint8_t *bytes, const uint32_t *in, unsigned channel)
{
    int low[3] = {0};
    double part[3] = {0}, sum = 0;
    for (unsigned k = 0; k < s->dimensions; k++) {
        if (s->integer_coordinates) {
            low[k] = (int32_t)in[k] < -99 ? -99 : (int32_t)in[k] > 99 ? 99 : (int32_t)in[k];
            continue;
        }
        double at = position(s, k, f32_from_bits(in[k])) - (s->linear ? 0.5 : 0);
        low[k] = (int)floor(at);
        part[k] = s->linear ? at - low[k] : 0;
    }
    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        int i[3];
        for (unsigned k = 0; k < 3; k++) {
            i[k] = low[k] + (int)(corner >> k & 1);
            weight *= corner >> k & 1 ? part[k] : 1 - part[k];
        }
        if (weight != 0) sum += weight * texel(s, bytes, i, channel);
    }
    return sum;
}

static const char *result_type(const struct shape *s)
{
    if (is_float(s)) return "f32";
    return s->texel == WF_TEXEL_S8 || s->texel == WF_TEXEL_S16 || s->texel == WF_TEXEL_S32 ? "s32" : "u32";
}

// A thread fetches at 16 bytes of `in` and writes 16 bytes of `out`; the sizes stand behind.
static void write_kernel(const struct shape *s, struct strbuf *out)
{
    static const char *const coordinates[] = {"", "{%x}", "{%x, %y}", "{%x, %y, %z, %z}"};
    const char *texture = s->reference ? "picture" : "%t";
    strbuf_printf(out,
                  ".version 7.8\n.target sm_80\n.address_size 64\n.global .texref picture;\n"
                  ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 texture)\n{\n"
                  ".reg .b64 %%in, %%out, %%t;\n.reg .b32 %%i, %%x, %%y, %%z, %%a, %%b, %%c, %%d;\n"
                  "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u64 %%t, [texture];\n"
                  "txq.width.b32 %%a, [%s];\ntxq.height.b32 %%b, [%s];\ntxq.depth.b32 %%c, [%s];\n"
                  "mov.b32 %%d, 0;\nst.global.v4.u32 [%%out + %d], {%%a, %%b, %%c, %%d};\n",
                  texture, texture, texture, FETCHES * 16);
    strbuf_printf(out,
                  "mov.u32 %%i, %%tid.x;\nmad.wide.u32 %%in, %%i, 16, %%in;\nmad.wide.u32 %%out, %%i, 16, "
                  "%%out;\nld.global.v4.u32 {%%x, %%y, %%z, %%a}, [%%in];\n"
                  "tex.%ud.v4.%s.%s {%%a, %%b, %%c, %%d}, [%s, %s];\nst.global.v4.u32 [%%out], {%%a, %%b, "
                  "%%c, %%d};\nret;\n}\n",
                  s->dimensions, result_type(s), s->integer_coordinates ? "s32" : "f32", texture,
                  coordinates[s->dimensions]);
}

// ---- coordinates and texels

static uint32_t integer_coordinate(struct rng *r)
{
    static const uint32_t far[] = {0x80000000, 0x7fffffff, 0xffffff00, 1000};
    if (rng_below(r, 16) == 0) return far[rng_below(r, 4)];
    return rng_below(r, 26) - 9;
}

static float far_coordinate(struct rng *r)
{
    static const uint32_t far[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0xa2000000, 0x7f800000,
                                   0xff800000, 0x7fc00001, 0x4b000001, 0x4b800001, 0xcb7fffff, 0x4e800000,
                                   0xce800001, 0x7149f2ca, 0xf149f2ca, 0xcf000000};
    return f32_from_bits(far[rng_below(r, TEST_COUNT(far))]);
}

// A coordinate in texels: anywhere, at edges and centres, at ties between two weights of 1/256, or a step
// of f32 beside these positions.
static float real_coordinate(const struct shape *s, unsigned k, struct rng *r)
{
    int n = (int)s->size[k], whole = (int)rng_below(r, (uint32_t)(6 * n + 6)) - 3 * n - 3;
    float x = (rng_f32(rng_next(r)) - 0.5f) * (float)(4 * n + 4);
    unsigned kind = rng_below(r, 8);
    if (kind == 0) return far_coordinate(r);
    if (kind <= 2) x = (float)whole;
    if (kind == 3) x = (float)whole + 0.5f;
    if (kind == 4) x = (float)whole + ((float)rng_below(r, 512) + 0.5f) / 256;
    if (s->normalised) x /= (float)n;
    if (kind <= 4 && rng_below(r, 3) == 0) x = nextafterf(x, rng_below(r, 2) ? INFINITY : -INFINITY);
    return x;
}

static void make_coordinates(const struct shape *s, uint32_t (*in)[4])
{
    struct rng r;
    rng_init(&r, s->seed);
    for (unsigned f = 0; f < FETCHES; f++)
        for (unsigned k = 0; k < 4; k++)
            in[f][k] = s->integer_coordinates ? integer_coordinate(&r)
                                              : f32_bits(real_coordinate(s, k < 3 ? k : 0, &r));
}

static void make_texels(const struct shape *s, uint8_t *bytes)
{
    static const uint32_t f32[] = {0x7fc12345, 0xff800000, 0x7f800000, 0x80000000,
                                   0x00000001, 0x7f7fffff, 0xff7fffff};
    static const uint16_t f16[] = {0x7e01, 0xfc00, 0x7c00, 0x8000, 0x0001, 0x7bff, 0xfbff};
    struct rng r;
    rng_init(&r, s->seed + 1);
    for (size_t k = 0; k < TEXTURE_BYTES; k += 4) {
        uint32_t v = (uint32_t)rng_next(&r);
        unsigned which = rng_below(&r, 14);
        if (s->texel == WF_TEXEL_F32) v = f32_bits((rng_f32(rng_next(&r)) - 0.5f) * 10);
        if (s->texel == WF_TEXEL_F16) v = (v & 0x83ff83ff) | 0x3c003c00; // around 1
        if (s->special && which < 7) v = s->texel == WF_TEXEL_F32 ? f32[which] : v << 16 | f16[which];
        if (!which && !is_float(s)) v = 0x80808080;
        if (which == 1 && s->normalised_read) v = s->texel <= WF_TEXEL_S8 ? 0x80818000 : 0x80008001;
        memcpy(bytes + k, &v, 4);
    }
}

// ---- a shape

static void check_formula(struct test *t, const struct shape *s, const char *name, const uint8_t *bytes,
                          uint32_t (*in)[4], uint32_t (*got)[4])
{
    double range = 0;
    bool is_signed = strcmp(result_type(s), "s32") == 0;
    for (unsigned k = 0; k < TEXTURE_BYTES / texel_bytes[s->texel]; k++)
        range = fmax(range, fabs(component(s, bytes, k)));
    // A weight is rounded to eight bits a dimension.
    double allowed = s->linear && !s->integer_coordinates ? range * s->dimensions / 256 : range * 1e-7;
    for (unsigned f = 0; f < FETCHES; f++)
        for (unsigned c = 0; c < 4; c++) {
            double want = expected(s, bytes, in[f], c);
            double have = is_float(s) ? f32_from_bits(got[f][c])
                          : is_signed ? (double)(int32_t)got[f][c]
                                      : got[f][c];
            CHECK_MSG(t, fabs(have - want) <= allowed, "%s: fetch %u, channel %u is %g, not %g", name, f, c,
                      have, want);
        }
}

static void check_bits(struct test *t, const char *name, uint32_t (*in)[4], uint32_t (*got)[4],
                       uint32_t (*want)[4])
{
    for (unsigned f = 0; f < ROWS; f++)
        CHECK_MSG(t, memcmp(got[f], want[f], sizeof got[f]) == 0,
                  "%s: row %u at (0x%08x, 0x%08x, 0x%08x) is %08x %08x %08x %08x, on the oracle %08x %08x "
                  "%08x %08x",
                  name, f, in[f][0], in[f][1], in[f][2], got[f][0], got[f][1], got[f][2], got[f][3],
                  want[f][0], want[f][1], want[f][2], want[f][3]);
}

static void run_oracle(struct test *t, const struct shape *s, const char *name, const struct strbuf *ptx,
                       uint8_t *bytes, uint32_t (*in)[4], uint32_t (*got)[4])
{
    struct diag d;
    uint64_t params[] = {0x1000000, 0x2000000, s->reference ? 0 : 2}, handle = 2;
    struct oracle_texture x = {.data = 0x3000000,
                               .texel = (enum oracle_texel)s->texel,
                               .channels = s->channels,
                               .width = s->size[0],
                               .height = s->dimensions > 1 ? s->size[1] : 0,
                               .depth = s->dimensions > 2 ? s->size[2] : 0,
                               .pitch_bytes = s->pitch_bytes,
                               .normalised_coordinates = s->normalised,
                               .normalised_read = s->normalised_read,
                               .linear = s->linear};
    for (int k = 0; k < 3; k++) x.address[k] = (enum oracle_address)s->address[k];
    diag_init(&d);
    struct ptx_module *m = ptx_parse(ptx->text, ptx->length, 0, &d);
    struct oracle *o = oracle_create(m);
    struct oracle_launch l = {
        .kernel = ptx_find_entry(m, "k", &d), .grid = {1, 1, 1}, .block = {FETCHES, 1, 1}, .params = params};
    oracle_map(o, 0x1000000, in, FETCHES * 16);
    oracle_map(o, 0x2000000, got, ROWS * 16);
    oracle_map(o, 0x3000000, bytes, TEXTURE_BYTES);
    oracle_texture(o, 2, &x);
    if (s->reference) memcpy(oracle_variable(o, m->variables[0]), &handle, sizeof handle);
    CHECK_MSG(t, oracle_launch(o, &l), "%s, oracle: %s", name, oracle_error(o));
    oracle_destroy(o);
    ptx_module_free(m);
    diag_fini(&d);
}

static uint64_t make_texture(struct wf_context *c, const struct shape *s, const uint8_t *bytes)
{
    uint64_t data = wf_alloc(c, TEXTURE_BYTES);
    struct wf_texture_config config = {.texel = s->texel,
                                       .channels = s->channels,
                                       .width = s->size[0],
                                       .height = s->dimensions > 1 ? s->size[1] : 0,
                                       .depth = s->dimensions > 2 ? s->size[2] : 0,
                                       .pitch_bytes = s->pitch_bytes,
                                       .normalised_coordinates = s->normalised,
                                       .normalised_read = s->normalised_read,
                                       .filter = s->linear ? WF_FILTER_LINEAR : WF_FILTER_POINT,
                                       .address = {s->address[0], s->address[1], s->address[2]}};
    wf_write(c, data, bytes, TEXTURE_BYTES);
    return wf_texture_create(c, data, &config);
}

static bool run_engine(struct wf_context *c, const struct shape *s, const struct strbuf *ptx,
                       const uint8_t *bytes, uint32_t (*in)[4], uint32_t (*got)[4])
{
    wf_set(c, "memory.size", "4M");
    struct wf_module *m = wf_module_load(c, "texture.ptx", ptx->text, ptx->length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t params[3] = {wf_alloc(c, ROWS * 16), wf_alloc(c, ROWS * 16), 0};
    uint64_t handle = make_texture(c, s, bytes);
    if (!k || !handle) return false;
    if (s->reference)
        wf_bind_texture(m, "picture", handle);
    else
        params[2] = handle;
    wf_write(c, params[0], in, ROWS * 16);
    struct wf_launch_config launch = {.grid = {1, 1, 1}, .block = {FETCHES, 1, 1}};
    if (wf_launch_packed(k, &launch, params, sizeof params, NULL) != WF_OK) return false;
    wf_read(c, params[1], got, ROWS * 16);
    return true;
}

static void run_shape(struct test *t, const struct shape *s)
{
    uint32_t in[ROWS][4] = {0}, got[ROWS][4], oracle[ROWS][4];
    uint8_t bytes[TEXTURE_BYTES];
    struct strbuf ptx = {0};
    char name[200];
    snprintf(name, sizeof name, "%ux%ux%u texels %d x %u, %s, %s%s%s, addresses %d %d %d%s%s", s->size[0],
             s->size[1], s->size[2], s->texel, s->channels, s->linear ? "linear" : "point",
             s->integer_coordinates ? "integers" : "floats", s->normalised ? ", normalised" : "",
             s->normalised_read ? ", read as fractions" : "", s->address[0], s->address[1], s->address[2],
             s->reference ? ", a reference" : "", s->special ? ", special numbers" : "");
    write_kernel(s, &ptx);
    make_coordinates(s, in);
    make_texels(s, bytes);
    struct wf_context *c = wf_context_create();
    bool ran = run_engine(c, s, &ptx, bytes, in, got);
    CHECK_MSG(t, ran, "%s: %s", name, wf_errors(c));
    if (ran) {
        if (!s->special) check_formula(t, s, name, bytes, in, got);
        run_oracle(t, s, name, &ptx, bytes, in, oracle);
        check_bits(t, name, in, got, oracle);
    }
    wf_context_destroy(c);
    strbuf_fini(&ptx);
}

// ---- every shape

static void vary(struct shape *s, struct rng *r)
{
    static const uint32_t sizes[][3] = {{7, 5, 3}, {8, 4, 2}, {1, 1, 1}, {3, 2, 4}, {6, 1, 3}};
    const uint32_t *size = sizes[rng_below(r, TEST_COUNT(sizes))];
    bool mixed = rng_below(r, 2);
    s->seed = rng_next(r);
    s->channels = 1u << rng_below(r, 3);
    for (unsigned k = 0; k < 3; k++) {
        s->size[k] = k < s->dimensions ? size[k] : 1;
        if (k && mixed) s->address[k] = (enum wf_address)rng_below(r, 4);
    }
    unsigned texel = s->channels * texel_bytes[s->texel];
    s->pitch_bytes = s->size[0] * texel + rng_below(r, 3) * texel;
    s->reference = rng_below(r, 4) == 0;
    s->special = is_float(s) && s->texel >= WF_TEXEL_F16 && rng_below(r, 3) == 0;
}

static void each_shape(struct test *t, unsigned dimensions)
{
    struct rng r;
    rng_init(&r, dimensions);
    for (unsigned k = 0; k < 8 * 4 * 16 * 2; k++) {
        struct shape s = {.dimensions = dimensions,
                          .texel = (enum wf_texel)(k / 128),
                          .address = {k / 32 % 4, k / 32 % 4, k / 32 % 4},
                          .normalised = k & 1,
                          .linear = k & 2,
                          .normalised_read = k & 4,
                          .integer_coordinates = k & 8};
        if (s.normalised_read && s.texel > WF_TEXEL_S16) continue;
        if (s.linear && !is_float(&s)) continue;
        vary(&s, &r);
        run_shape(t, &s);
    }
}

static void test_1d(struct test *t) { each_shape(t, 1); }
static void test_2d(struct test *t) { each_shape(t, 2); }
static void test_3d(struct test *t) { each_shape(t, 3); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"1d", test_1d}, {"2d", test_2d}, {"3d", test_3d}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
