// Texture fetches against the formulas of the CUDA programming guide's appendix: every texel type, number of
// dimensions, filter, address mode and kind of coordinate; on the engine, and bit for bit the same on the
// oracle.
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

enum { FETCHES = 192, W = 7, H = 5, D = 3, TEXELS_MAX = W * H * D * 4 };

struct shape {
    unsigned dimensions;
    enum wf_texel texel;
    unsigned channels;
    bool normalised, normalised_read, linear, integer_coordinates;
    enum wf_address address;
};

static const unsigned texel_bytes[] = {1, 1, 2, 2, 4, 4, 2, 4};

static float half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e ? ldexpf((float)(1024 + m), e - 25) : ldexpf((float)m, -24);
    return h >> 15 ? -v : v;
}

// Component `index` of the texture's bytes: its value as a float when it is read as one, else its integer.
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
    case WF_TEXEL_F32: return f32_from_bits(v);
    }
    return 0;
}

static bool is_float(const struct shape *s)
{
    return s->texel == WF_TEXEL_F16 || s->texel == WF_TEXEL_F32 || s->normalised_read;
}

static int inside(int i, int n, enum wf_address mode, bool normalised) // -1: border
{
    if (!normalised && mode != WF_ADDRESS_BORDER) mode = WF_ADDRESS_CLAMP;
    if (i >= 0 && i < n) return i;
    if (mode == WF_ADDRESS_BORDER) return -1;
    if (mode == WF_ADDRESS_CLAMP) return i < 0 ? 0 : n - 1;
    if (mode == WF_ADDRESS_WRAP) return ((i % n) + n) % n;
    int m = ((i % (2 * n)) + 2 * n) % (2 * n); // mirror: there and back
    return m < n ? m : 2 * n - 1 - m;
}

static double texel(const struct shape *s, const uint8_t *bytes, const int *i, unsigned channel)
{
    int at[3] = {0};
    const int extents[3] = {W, H, D};
    if (channel >= s->channels) return 0;
    for (unsigned k = 0; k < s->dimensions; k++) {
        at[k] = inside(i[k], extents[k], s->address, s->normalised && !s->integer_coordinates);
        if (at[k] < 0) return 0;
    }
    return component(s, bytes, (unsigned)((at[2] * H + at[1]) * W + at[0]) * s->channels + channel);
}

static double expected(const struct shape *s, const uint8_t *bytes, const float *x, const int32_t *whole,
                       unsigned channel)
{
    int low[3] = {0};
    double part[3] = {0}, sum = 0;
    const int extents[3] = {W, H, D};
    for (unsigned k = 0; k < s->dimensions; k++) {
        if (s->integer_coordinates) {
            low[k] = whole[k];
            continue;
        }
        float at = s->normalised ? x[k] * (float)extents[k] : x[k];
        if (s->linear) at -= 0.5f;
        low[k] = (int)floorf(at);
        part[k] = s->linear ? (double)at - low[k] : 0;
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

static void write_kernel(const struct shape *s, struct strbuf *out)
{
    static const char *const coordinates[] = {"", "{%x}", "{%x, %y}", "{%x, %y, %z, %z}"};
    const char *type = is_float(s) ? "f32"
                       : s->texel == WF_TEXEL_S8 || s->texel == WF_TEXEL_S16 || s->texel == WF_TEXEL_S32
                           ? "s32"
                           : "u32";
    strbuf_printf(out,
                  ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param "
                  ".u64 out, .param .u64 texture)\n{\n"
                  ".reg .b64 %%in, %%out, %%t;\n.reg .b32 %%i, %%x, %%y, %%z, %%a, %%b, %%c, "
                  "%%d;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nld.param.u64 %%t, [texture];\n"
                  "mov.u32 %%i, %%tid.x;\nmad.wide.u32 %%in, %%i, 16, %%in;\nmad.wide.u32 %%out, %%i, 16, "
                  "%%out;\nld.global.v4.u32 {%%x, %%y, %%z, %%a}, [%%in];\n"
                  "tex.%ud.v4.%s.%s {%%a, %%b, %%c, %%d}, [%%t, %s];\nst.global.v4.u32 [%%out], {%%a, %%b, "
                  "%%c, %%d};\nret;\n}\n",
                  s->dimensions, type, s->integer_coordinates ? "s32" : "f32", coordinates[s->dimensions]);
}

static void make_coordinates(const struct shape *s, uint32_t (*in)[4])
{
    struct rng r;
    rng_init(&r, 77);
    for (unsigned f = 0; f < FETCHES; f++)
        for (unsigned k = 0; k < 4; k++) {
            float range = s->normalised ? 3 : 15;
            float x = (rng_f32(rng_next(&r)) - 0.4f) * range;
            if (rng_below(&r, 4) == 0) x = floorf(x * 2) / 2; // texel edges and centres
            in[f][k] = s->integer_coordinates ? (uint32_t)(int32_t)x : f32_bits(x);
        }
}

static void check_fetches(struct test *t, const struct shape *s, const char *name, const uint8_t *bytes,
                          uint32_t (*in)[4], uint32_t (*got)[4])
{
    double range = 0;
    for (unsigned k = 0; k < TEXELS_MAX / 4 * s->channels; k++)
        range = fmax(range, fabs(component(s, bytes, k)));
    for (unsigned f = 0; f < FETCHES; f++)
        for (unsigned c = 0; c < 4; c++) {
            float x[3];
            int32_t whole[3];
            for (unsigned k = 0; k < 3; k++) x[k] = f32_from_bits(in[f][k]), whole[k] = (int32_t)in[f][k];
            double want = expected(s, bytes, x, whole, c);
            double have = is_float(s) ? f32_from_bits(got[f][c])
                          : s->texel == WF_TEXEL_U32 || s->texel == WF_TEXEL_U16 || s->texel == WF_TEXEL_U8
                              ? got[f][c]
                              : (double)(int32_t)got[f][c];
            double allowed =
                s->linear ? range * s->dimensions / 256 : range * 1e-7; // eight bits of weight a dimension
            CHECK_MSG(t, fabs(have - want) <= allowed, "%s: fetch %u, channel %u is %g, not %g", name, f, c,
                      have, want);
        }
}

static void run_oracle(struct test *t, const struct shape *s, const char *name, const struct strbuf *ptx,
                       uint8_t *bytes, size_t size, uint32_t (*in)[4], uint32_t (*got)[4])
{
    struct diag d;
    uint64_t params[] = {0x1000000, 0x2000000, 1};
    struct oracle_texture x = {.data = 0x3000000,
                               .texel = (enum oracle_texel)s->texel,
                               .channels = s->channels,
                               .width = W,
                               .height = s->dimensions > 1 ? H : 0,
                               .depth = s->dimensions > 2 ? D : 0,
                               .normalised_coordinates = s->normalised,
                               .normalised_read = s->normalised_read,
                               .linear = s->linear};
    for (int k = 0; k < 3; k++) x.address[k] = (enum oracle_address)s->address;
    diag_init(&d);
    struct ptx_module *m = ptx_parse(ptx->text, ptx->length, 0, &d);
    struct oracle *o = oracle_create(m);
    struct oracle_launch l = {
        .kernel = ptx_find_entry(m, "k", &d), .grid = {1, 1, 1}, .block = {FETCHES, 1, 1}, .params = params};
    oracle_map(o, 0x1000000, in, FETCHES * 16);
    oracle_map(o, 0x2000000, got, FETCHES * 16);
    oracle_map(o, 0x3000000, bytes, size);
    oracle_texture(o, 1, &x);
    CHECK_MSG(t, oracle_launch(o, &l), "%s, oracle: %s", name, oracle_error(o));
    oracle_destroy(o);
    ptx_module_free(m);
    diag_fini(&d);
}

static void run_shape(struct test *t, const struct shape *s)
{
    static uint32_t in[FETCHES][4], got[FETCHES][4], oracle[FETCHES][4];
    uint8_t bytes[TEXELS_MAX * 4];
    struct strbuf ptx = {0};
    struct rng r;
    char name[100];
    size_t size = (size_t)W * H * D * s->channels * texel_bytes[s->texel];
    rng_init(&r, 3);
    for (size_t k = 0; k < sizeof bytes; k += 4) {
        uint32_t v = (uint32_t)rng_next(&r);
        if (s->texel == WF_TEXEL_F32) v = f32_bits((rng_f32(rng_next(&r)) - 0.5f) * 10);
        if (s->texel == WF_TEXEL_F16) v = (v & 0x83ff83ff) | 0x3c003c00; // around 1
        memcpy(bytes + k, &v, 4);
    }
    snprintf(name, sizeof name, "%ud, texel %d x %u, %s%s%s, address %d", s->dimensions, s->texel,
             s->channels, s->linear ? "linear" : "point", s->normalised ? ", normalised" : "",
             s->normalised_read ? ", read as fractions" : "", s->address);
    write_kernel(s, &ptx);
    make_coordinates(s, in);
    struct wf_context *c = wf_context_create();
    wf_set(c, "memory.size", "4M");
    struct wf_module *m = wf_module_load(c, "texture.ptx", ptx.text, ptx.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t data = wf_alloc(c, size), params[3] = {wf_alloc(c, sizeof in), wf_alloc(c, sizeof got), 0};
    struct wf_texture_config config = {.texel = s->texel,
                                       .channels = s->channels,
                                       .width = W,
                                       .height = s->dimensions > 1 ? H : 0,
                                       .depth = s->dimensions > 2 ? D : 0,
                                       .normalised_coordinates = s->normalised,
                                       .normalised_read = s->normalised_read,
                                       .filter = s->linear ? WF_FILTER_LINEAR : WF_FILTER_POINT,
                                       .address = {s->address, s->address, s->address}};
    wf_write(c, data, bytes, size);
    wf_write(c, params[0], in, sizeof in);
    params[2] = wf_texture_create(c, data, &config);
    struct wf_launch_config launch = {.grid = {1, 1, 1}, .block = {FETCHES, 1, 1}};
    bool ran = k && params[2] && wf_launch_packed(k, &launch, params, sizeof params, NULL) == WF_OK;
    CHECK_MSG(t, ran, "%s: %s", name, wf_errors(c));
    if (ran) {
        wf_read(c, params[1], got, sizeof got);
        check_fetches(t, s, name, bytes, in, got);
        run_oracle(t, s, name, &ptx, bytes, size, in, oracle);
        CHECK_MSG(t, memcmp(got, oracle, sizeof got) == 0, "%s: the oracle has other bits", name);
    }
    wf_context_destroy(c);
    strbuf_fini(&ptx);
}

static void each_shape(struct test *t, unsigned dimensions)
{
    for (int texel = WF_TEXEL_U8; texel <= WF_TEXEL_F32; texel++)
        for (int address = WF_ADDRESS_WRAP; address <= WF_ADDRESS_BORDER; address++)
            for (int k = 0; k < 16; k++) {
                struct shape s = {.dimensions = dimensions,
                                  .texel = (enum wf_texel)texel,
                                  .channels = 1u << (texel + k) % 3,
                                  .address = (enum wf_address)address,
                                  .normalised = k & 1,
                                  .linear = k & 2,
                                  .normalised_read = k & 4,
                                  .integer_coordinates = k & 8};
                if (s.normalised_read && texel > WF_TEXEL_S16) continue;
                if (s.linear && !is_float(&s)) continue;
                if (s.integer_coordinates && (s.normalised || s.linear)) continue;
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
