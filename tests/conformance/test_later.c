// Forms of later architectures, instruction by instruction against values worked out by hand: mixed precision, pairs of
// f32, conversions that saturate at the greatest finite number, atomics on vectors and on pairs of bf16. Functional
// and timed.
#include "api/warpfold.h"
#include "base/bits.h"
#include "base/str.h"
#include "harness/test.h"

#include <string.h>

struct row {
    const char
        *text; // reads %r0 to %r3 (words), %h0, %h1 (low halves of %r0, %r1), %d0, %d1 (%r1:%r0, %r3:%r2);
               // writes %o0, %o1, or memory at %m, whose four words are the third set
    uint32_t in[4], memory[4], out[2], after[4];
};

#define ONE   0x3f800000
#define TWO   0x40000000
#define THREE 0x40400000
#define HALF2 0x3c003c00 // two halves of 1
#define NAN32 0x7fffffff

static const struct row rows[] = {
    {"add.f32.f16 %o0, %h0, %r1;", {0x3c00, TWO}, {0}, {THREE}, {0}},
    {"add.rn.sat.f32.bf16 %o0, %h0, %r1;", {0x3f80, TWO}, {0}, {ONE}, {0}},
    {"add.rz.f32.f16 %o0, %h0, %r1;", {0x3c00, 0x33ffffff}, {0}, {ONE}, {0}},
    {"sub.f32.f16 %o0, %h0, %r1;", {0x4200, TWO}, {0}, {ONE}, {0}},
    {"fma.rn.f32.f16 %o0, %h0, %h1, %r2;", {0x4000, 0x3c00, ONE}, {0}, {THREE}, {0}},
    {"fma.rn.f32.bf16 %o0, %h0, %h1, %r2;", {0x4000, 0x3f80, ONE}, {0}, {THREE}, {0}},
    {"add.rn.f32x2 %w, %d0, %d1; mov.b64 {%o0, %o1}, %w;", {ONE, TWO, TWO, ONE}, {0}, {THREE, THREE}, {0}},
    {"sub.rn.f32x2 %w, %d0, %d1; mov.b64 {%o0, %o1}, %w;", {THREE, TWO, TWO, ONE}, {0}, {ONE, ONE}, {0}},
    {"mul.rn.f32x2 %w, %d0, %d1; mov.b64 {%o0, %o1}, %w;", {ONE, THREE, TWO, ONE}, {0}, {TWO, THREE}, {0}},
    {"mul.rn.ftz.f32x2 %w, %d0, %d1; mov.b64 {%o0, %o1}, %w;", {0x00400000, 3, TWO, TWO}, {0}, {0, 0}, {0}},
    {"fma.rn.f32x2 %w, %d0, %d1, %d1; mov.b64 {%o0, %o1}, %w;", {ONE, TWO, ONE, ONE}, {0}, {TWO, THREE}, {0}},
    {"cvt.rn.satfinite.f16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {0x7f800000}, {0}, {0x7bff}, {0}},
    {"cvt.rn.satfinite.f16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {0xc7800000}, {0}, {0xfbff}, {0}},
    {"cvt.rn.satfinite.f16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {NAN32}, {0}, {0x7fff}, {0}},
    {"cvt.rn.relu.satfinite.f16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {0xff800000}, {0}, {0}, {0}},
    {"cvt.rz.satfinite.bf16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {0xff800000}, {0}, {0xff7f}, {0}},
    {"cvt.rn.satfinite.bf16.f32 %h2, %r0; cvt.u32.u16 %o0, %h2;", {0x7f7fffff}, {0}, {0x7f7f}, {0}},
    {"cvt.rn.satfinite.f16x2.f32 %o0, %r0, %r1;", {0x7f800000, ONE}, {0}, {0x7bff3c00}, {0}},
    {"cvt.rn.relu.satfinite.bf16x2.f32 %o0, %r0, %r1;", {0x7f800000, 0xbf800000}, {0}, {0x7f7f0000}, {0}},
    {"cvt.rna.satfinite.tf32.f32 %o0, %r0;", {0x7f800000}, {0}, {0x7f7fe000}, {0}},
    {"atom.global.add.v2.f32 {%o0, %o1}, [%m], {%r0, %r1};",
     {ONE, TWO},
     {TWO, ONE, 5, 6},
     {TWO, ONE},
     {THREE, THREE, 5, 6}},
    {"atom.global.add.v2.f32 {%o0, _}, [%m], {%r0, %r1};", {ONE, TWO}, {TWO, ONE}, {TWO}, {THREE, THREE}},
    {"red.global.add.v4.f32 [%m], {%r0, %r1, %r1, %r0};",
     {ONE, TWO},
     {ONE, ONE, 0, 0},
     {0},
     {TWO, THREE, TWO, ONE}},
    {"red.global.add.noftz.v8.f16 [%m], {%h0, %h0, %h0, %h0, %h0, %h0, %h0, %h0};",
     {0x3c00},
     {0, HALF2, 0, HALF2},
     {0},
     {HALF2, 0x40004000, HALF2, 0x40004000}},
    {"red.global.max.noftz.v2.f16x2 [%m], {%r0, %r1};",
     {0x40003c00, 0xbc00c000},
     {0x3c004000, 0xc000bc00},
     {0},
     {0x40004000, 0xbc00bc00}},
    {"atom.global.min.noftz.v2.bf16 {%h2, %h3}, [%m], {%h0, %h1}; cvt.u32.u16 %o0, %h2; cvt.u32.u16 %o1, "
     "%h3;",
     {0x3f80, 0x4040},
     {0x40003fff},
     {0x3fff, 0x4000},
     {0x40003f80}},
    {"atom.global.add.noftz.bf16x2 %o0, [%m], %r0;", {0x3f804000}, {0x3f803f80}, {0x3f803f80}, {0x40004040}},
    {"red.global.add.noftz.bf16x2 [%m], %r0;", {0x3f804000}, {0x3f803f80}, {0}, {0x40004040}},
    {"discard.global.L2 [%m], 128;", {0}, {1, 2, 3, 4}, {0}, {1, 2, 3, 4}},
};

static void write_module(struct strbuf *out)
{
    strbuf_puts(out, ".version 9.0\n.target sm_100\n.address_size 64\n");
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        strbuf_printf(
            out,
            ".visible .entry k%zu(.param .u64 in, .param .u64 memory, .param .u64 out)\n{\n"
            ".reg .b64 %%i, %%m, %%p, %%w, %%d<2>;\n.reg .b32 %%r<4>, %%o<2>;\n.reg .b16 %%h<4>, %%x;\n"
            "ld.param.u64 %%i, [in];\nld.param.u64 %%m, [memory];\nld.param.u64 %%p, [out];\n"
            "ld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%i];\nmov.b32 {%%h0, %%x}, %%r0;\n"
            "mov.b32 {%%h1, %%x}, %%r1;\nmov.b64 %%d0, {%%r0, %%r1};\nmov.b64 %%d1, {%%r2, %%r3};\n"
            "mov.b32 %%o0, 0;\nmov.b32 %%o1, 0;\n%s\nst.global.v2.b32 [%%p], {%%o0, %%o1};\nret;\n}\n",
            k, rows[k].text);
}

static void check_rows(struct test *t, const char *gpu)
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    if (gpu) wf_gpu(c, gpu);
    write_module(&text);
    struct wf_module *m = wf_module_load(c, "later.ptx", text.text, text.length);
    CHECK_MSG(t, m, "%s", wf_errors(c));
    uint64_t params[] = {wf_alloc(c, 16), wf_alloc(c, 256), wf_alloc(c, 8)};
    for (size_t k = 0; m && k < TEST_COUNT(rows); k++) {
        struct wf_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        uint32_t out[2] = {0}, after[4] = {0};
        char name[16];
        snprintf(name, sizeof name, "k%zu", k);
        wf_write(c, params[0], rows[k].in, 16);
        wf_write(c, params[1], rows[k].memory, 16);
        struct wf_kernel *kernel = wf_kernel_find(m, name);
        bool ran = kernel && wf_launch_packed(kernel, &one, params, sizeof params, NULL) == WF_OK;
        CHECK_MSG(t, ran, "%s: %s", rows[k].text, wf_errors(c));
        if (!ran) continue;
        wf_read(c, params[2], out, 8);
        wf_read(c, params[1], after, 16);
        for (unsigned n = 0; n < 2; n++)
            CHECK_MSG(t, out[n] == rows[k].out[n], "%s: result %u is %08x, not %08x", rows[k].text, n, out[n],
                      rows[k].out[n]);
        for (unsigned n = 0; n < 4; n++)
            CHECK_MSG(t, after[n] == rows[k].after[n], "%s: word %u becomes %08x, not %08x", rows[k].text, n,
                      after[n], rows[k].after[n]);
    }
    wf_context_destroy(c);
    strbuf_fini(&text);
}

static void test_functional(struct test *t) { check_rows(t, NULL); }
static void test_timed(struct test *t) { check_rows(t, "tiny"); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"functional", test_functional}, {"timed", test_timed}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
