// Tensor copies (cp.async.bulk.tensor and its relatives): random maps and boxes against a model of the test's own, element by
// element: rank, strides, element strides, swizzles, coordinates outside, fills, reductions; functional early and late, and
// timed. The maps are packed here, by the layout that maps of a real driver have (src/isa/tensor_map.h), not by the library.
#include "harness/test.h"

#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TENSOR_BYTES = 65536,
    SHARED = 16384,
    OUT = 2 * SHARED,
    MAP_AT = TENSOR_BYTES,
    ALL = TENSOR_BYTES + 256 + OUT
};

struct shape { // of a random case
    unsigned type, element, rank, swizzle, nan;
    uint64_t sizes[5], strides[5];
    uint32_t box[5], steps[5], counts[5], bytes;
};

static uint32_t below(struct rng *r, uint32_t n) { return rng_below(r, n); }

static const struct {
    uint8_t code, bytes;
    const char *reduction; // one of the type
} types[] = {{0, 1, NULL},  {1, 2, NULL},  {2, 4, "add"}, {3, 4, "min"},
             {4, 8, "xor"}, {5, 8, "max"}, {6, 2, NULL},  {10, 2, NULL}};

// -- cases --------------------------------------------------------------------------------------------------

static bool draw_shape(struct rng *r, struct shape *s)
{
    memset(s, 0, sizeof *s);
    s->type = below(r, sizeof types / sizeof types[0]);
    s->element = types[s->type].bytes;
    s->rank = 1 + below(r, 5);
    s->swizzle = below(r, 4);
    s->nan = s->type >= 6 && below(r, 2);
    uint32_t row = 16 * (1 + below(r, s->swizzle ? 1u << s->swizzle : 8)); // bytes; swizzles: 2, 4 or 8 cells
    if (s->swizzle && row > 16u << s->swizzle) row = 16u << s->swizzle;
    s->box[0] = row / s->element;
    if (s->box[0] > 256) return false;
    s->sizes[0] = 1 + below(r, 3 * s->box[0]);
    s->strides[0] = s->element;
    uint64_t extent = (s->sizes[0] * s->element + 15) / 16 * 16;
    s->steps[0] = 1 + below(r, 2);
    s->counts[0] = s->box[0];
    s->bytes = row;
    for (unsigned k = 1; k < s->rank; k++) {
        s->box[k] = 1 + below(r, k == 1 ? 20 : 4);
        s->steps[k] = below(r, 3) ? 1 : 1 + below(r, 4);
        s->counts[k] = (s->box[k] + s->steps[k] - 1) / s->steps[k];
        s->sizes[k] = 1 + below(r, k == 1 ? 40 : 4);
        s->strides[k] = extent + 16 * below(r, 3);
        extent = s->strides[k] * s->sizes[k];
        s->bytes *= s->counts[k];
    }
    return extent <= TENSOR_BYTES && s->bytes <= SHARED - 1024;
}

static void pack(const struct shape *s, uint64_t address, uint32_t w[32])
{
    static const uint32_t swizzles[] = {0x10, 0x100, 0x200, 0x400};
    uint64_t elements = 1, bytes = s->element;
    memset(w, 0, 128);
    w[0] = (uint32_t)address, w[1] = (uint32_t)(address >> 32);
    for (unsigned k = 0; k < s->rank; k++) {
        if (k) w[2 + k] = (uint32_t)(s->strides[k] / 16);
        if (k) w[14] |= (s->box[k] - 1) << 8 * (k - 1);
        w[8 + k] = (uint32_t)s->sizes[k] - 1;
        w[13] |= (s->steps[k] - 1) << 3 * k;
        elements *= s->sizes[k];
        bytes *= s->box[k] / s->steps[k];
    }
    w[13] |= (s->box[0] - 1) << 24;
    w[16] = (uint32_t)bytes;
    w[18] = swizzles[s->swizzle];
    w[2] = (s->rank - 1) << 4 | (uint32_t)types[s->type].code << 7 | s->swizzle << 13 | s->nan << 15 |
           (uint32_t)(elements > 65535) << 21;
}

// Byte of shared memory for a byte of the box, at an address of the block's shared memory.
static uint32_t swizzled(const struct shape *s, uint32_t address)
{
    uint32_t row = address / 128, cell = address / 16 % 8, in_cell = address % 16;
    uint32_t change = s->swizzle == 3 ? row % 8 : s->swizzle == 2 ? row % 4 : s->swizzle == 1 ? row % 2 : 0;
    return row * 128 + (cell ^ change) * 16 + in_cell;
}

struct walk {          // an element of a box
    uint32_t in_box;   // byte
    int64_t in_tensor; // byte; -1: outside
};

static struct walk element_of(const struct shape *s, const int32_t *at, uint32_t n)
{
    struct walk x = {n * s->element, 0};
    for (unsigned k = 0; k < s->rank; k++) {
        int64_t c = at[k] + (int64_t)(n % s->counts[k]) * (k ? s->steps[k] : 1);
        if (c < 0 || c >= (int64_t)s->sizes[k])
            x.in_tensor = -1;
        else if (x.in_tensor >= 0)
            x.in_tensor += c * (int64_t)s->strides[k];
        n /= s->counts[k];
    }
    return x;
}

static uint64_t reduced(const struct shape *s, uint64_t old, uint64_t with)
{
    switch (s->type) {
    case 2: return (uint32_t)(old + with);
    case 3: return (int32_t)old < (int32_t)with ? old : with;
    case 4: return old ^ with;
    default: return (int64_t)old > (int64_t)with ? old : with;
    }
}

// -- runs ---------------------------------------------------------------------------------------------------

struct job {
    struct shape s;
    int32_t load[5], store[5];
    uint32_t at; // in shared memory
    bool reduces;
    uint8_t before[ALL], after[ALL];
};

// A box is loaded over shared memory of 0xa5, all of it copied out, and stored or reduced at other coordinates.
static void model(struct job *j)
{
    const struct shape *s = &j->s;
    static uint8_t shared[SHARED * 2];
    memset(shared, 0xa5, sizeof shared);
    memcpy(j->after, j->before, ALL);
    for (uint32_t n = 0; n * s->element < s->bytes; n++) {
        struct walk x = element_of(s, j->load, n);
        for (unsigned b = 0; b < s->element; b++) {
            uint8_t fill = s->nan ? (b ? 0x7f : 0xff) : 0;
            shared[swizzled(s, j->at + x.in_box + b)] = x.in_tensor < 0 ? fill : j->before[x.in_tensor + b];
        }
    }
    memcpy(j->after + MAP_AT + 256, shared, SHARED);
    for (uint32_t n = 0; n * s->element < s->bytes; n++) {
        struct walk x = element_of(s, j->store, n);
        uint64_t old = 0, with = 0;
        if (x.in_tensor < 0) continue;
        for (unsigned b = 0; b < s->element; b++)
            ((uint8_t *)&with)[b] = shared[swizzled(s, j->at + x.in_box + b)];
        memcpy(&old, j->after + x.in_tensor, s->element);
        if (j->reduces) with = reduced(s, old, with);
        memcpy(j->after + x.in_tensor, &with, s->element);
    }
}

static void coordinates(struct strbuf *b, const struct shape *s, const int32_t *at)
{
    for (unsigned k = 0; k < s->rank; k++) strbuf_printf(b, "%s%d", k ? ", " : "", at[k]);
}

static void write_kernel(const struct job *j, struct strbuf *b)
{
    const struct shape *s = &j->s;
    strbuf_printf(
        b,
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
        ".reg .pred %%p<4>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.shared .align 1024 .b8 s[%u];\n"
        ".shared .align 8 .b64 bar;\nld.param.u64 %%rd1, [data];\nadd.u64 %%rd2, %%rd1, %u;\n"
        "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, s;\nmov.u32 %%r2, bar;\nsetp.eq.u32 %%p1, %%r0, 0;\n"
        "@%%p1 mbarrier.init.shared.b64 [%%r2], 1;\nmad.lo.u32 %%r3, %%r0, 4, %%r1;\nmov.u32 %%r4, 0;\n"
        "F: st.shared.u32 [%%r3], 0xa5a5a5a5;\nadd.u32 %%r3, %%r3, 256;\nadd.u32 %%r4, %%r4, 256;\n"
        "setp.lt.u32 %%p2, %%r4, %u;\n@%%p2 bra F;\nfence.proxy.async;\nbar.sync 0;\n",
        SHARED, MAP_AT, SHARED);
    strbuf_printf(
        b,
        "@%%p1 prefetch.tensormap [%%rd2];\n@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
        "@%%p1 cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%%r1+%u], "
        "[%%rd2, {",
        s->bytes, s->rank, j->at);
    coordinates(b, s, j->load);
    strbuf_printf(b,
                  "}], [%%r2];\nW: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r2], 0;\n@!%%p2 bra W;\n"
                  "@%%p1 cp.async.bulk.global.shared::cta.bulk_group [%%rd2+256], [%%r1], %u;\n@%%p1 "
                  "cp.%sasync.bulk.tensor."
                  "%ud.global.shared::cta%s%s.bulk_group [%%rd2, {",
                  SHARED, j->reduces ? "reduce." : "", s->rank, j->reduces ? "." : "",
                  j->reduces ? types[s->type].reduction : "");
    coordinates(b, s, j->store);
    strbuf_puts(b, "}], ");
    strbuf_printf(
        b, "[%%r1+%u];\n@%%p1 cp.async.bulk.commit_group;\n@%%p1 cp.async.bulk.wait_group 0;\nret;\n}\n",
        j->at);
}

static const struct {
    const char *gpu, *keys[2][2];
} ways[] = {{.keys = {{"exec.async", "early"}}},
            {.keys = {{"exec.async", "late"}, {"check.races", "1"}}},
            {.gpu = "h100"},
            {.gpu = "h100", .keys = {{"bulk.commands", "1"}, {"sim.check", "1"}}}};

static bool run(struct test *t, struct job *j, uint64_t seed, unsigned way)
{
    static uint8_t got[ALL];
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    write_kernel(j, &text);
    if (ways[way].gpu) wf_gpu(c, ways[way].gpu);
    for (unsigned k = 0; k < 2 && ways[way].keys[k][0]; k++)
        wf_set(c, ways[way].keys[k][0], ways[way].keys[k][1]);
    struct wf_module *m = wf_module_load(c, "k.ptx", text.text, text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t data = wf_alloc(c, ALL);
    void *args[] = {&data};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    uint32_t map[32];
    pack(&j->s, data, map);
    memcpy(j->before + MAP_AT, map, sizeof map);
    memcpy(j->after + MAP_AT, map, sizeof map);
    struct wf_stats stats = {.races = 0};
    if (k) wf_write(c, data, j->before, ALL);
    enum wf_status status = k ? wf_launch(k, &shape, args, 1, &stats) : WF_BAD_INPUT;
    if (status == WF_OK) wf_read(c, data, got, ALL);
    uint32_t n = 0;
    while (n < ALL && got[n] == j->after[n]) n++;
    bool good = status == WF_OK && n == ALL && (stats.races == WF_UNKNOWN || !stats.races);
    CHECK_MSG(t, good, "case %llu way %u: byte %u is %02x, expected %02x; %s%s\n%s", (unsigned long long)seed,
              way, n, n < ALL ? got[n] : 0, n < ALL ? j->after[n] : 0, wf_errors(c),
              stats.race_text ? stats.race_text : "", text.text);
    wf_context_destroy(c);
    strbuf_fini(&text);
    return good;
}

static bool check_case(struct test *t, uint64_t seed)
{
    static struct job j;
    struct rng r;
    rng_init(&r, seed);
    while (!draw_shape(&r, &j.s)) continue;
    for (unsigned k = 0; k < j.s.rank; k++) {
        int32_t extent = (int32_t)(j.s.sizes[k] + j.s.box[k]);
        j.load[k] = (int32_t)below(&r, (uint32_t)extent + 2) - (int32_t)j.s.box[k];
        j.store[k] = (int32_t)below(&r, (uint32_t)extent + 2) - (int32_t)j.s.box[k];
    }
    j.at = 128 * below(&r, (SHARED - j.s.bytes) / 128 + 1);
    if (j.s.swizzle) j.at = j.at / 1024 * 1024; // so that swizzled rows stay within shared memory
    j.reduces = types[j.s.type].reduction && below(&r, 2);
    for (uint32_t n = 0; n < ALL; n++) j.before[n] = n < TENSOR_BYTES ? (uint8_t)rng_next(&r) : 0;
    model(&j);
    for (unsigned way = 0; way < sizeof ways / sizeof ways[0]; way++)
        if (!run(t, &j, seed, way)) return false;
    return true;
}

static void test_random(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 20000 : 80;
    for (uint64_t seed = first; seed < first + count; seed++) check_case(t, seed);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"random", test_random}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
