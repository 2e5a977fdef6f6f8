// Results of several instructions together: carries, parts of registers, guards, memory, calls.
// (tests/conformance/ tests single instructions.) Each row runs on edge values and random values: in the
// oracle, which was written independently of the compiler, and in the engine after every way to compile.
// Fails when a result differs.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/rng.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <string.h>

// Inputs are %h1..%h3, %r1..%r3, %rd1..%rd3 (low bits of the same three numbers) and %p1, %p2; results go to
// %h9, %r8, %r9, %rd9, %p8, %p9.
static const char *const carry_rows[] = {
    "add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;",
    "sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, %r1;",
    "add.cc.u64 %rd9, %rd1, %rd2; addc.cc.u32 %r8, %r3, -1; addc.u32 %r9, 0, 0;",
    "sub.cc.s64 %rd9, %rd1, %rd2; subc.cc.s64 %rd9, %rd9, %rd3; subc.u32 %r9, 0, 0;",
    "sub.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;",
    "add.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, 0;",
    "mad.lo.cc.u32 %r8, %r1, %r2, %r3; madc.hi.u32 %r9, %r1, %r2, %r3;",
    "mad.hi.cc.s32 %r8, %r1, %r2, %r3; madc.lo.s32 %r9, %r1, %r2, %r3;",
    "mad.lo.cc.u64 %rd9, %rd1, %rd2, %rd3; madc.hi.cc.u64 %rd9, %rd9, %rd2, %rd3; addc.u32 %r9, 0, 0;",
    "mad.hi.cc.s64 %rd9, %rd1, %rd2, %rd3; madc.lo.s64 %rd9, %rd9, %rd2, %rd3;",
    "add.cc.u32 %r8, %r1, %r2; @%p1 sub.cc.u32 %r8, %r2, %r3; addc.u32 %r9, %r1, 0;",
    "add.cc.u32 %r8, %r1, %r2; @%p1 bra O; sub.cc.u32 %r8, %r2, %r3; O: addc.u32 %r9, %r1, 0;",
};

// Vectors, parts of registers, guards, and predicates that guard their own change.
static const char *const guard_rows[] = {
    "mov.b32 {%h8, %h9}, %r1; mov.b32 %r9, {%h9, %h8};",
    "mov.b64 {%r8, %r9}, %rd1; mov.b64 %rd9, {%r9, %r8};",
    "mov.b64 {%h7, %h8, %h9, _}, %rd1; mov.b64 %rd9, {%h9, %h8, %h7, %h1};",
    "mov.b32 {%b1, %b2, %b3, %b4}, %r1; mov.b32 %r9, {%b4, %b3, %b2, %b1};",
    "mov.b16 {%b1, %b2}, %h1; mov.b16 %h9, {%b2, %b1};",
    "@%p1 mov.b32 {%h8, %h9}, %r1; @!%p2 mov.b64 {%r8, %r9}, %rd1;",
    "mov.b128 %q1, {%rd1, %rd2}; @%p1 mov.b128 %q1, {%rd3, %rd1}; mov.b128 {_, %rd9}, %q1;",
    "@%p1 add.u32 %r9, %r1, 1; @!%p1 mov.u32 %r9, %r2; @!%p2 setp.eq.u32 %p9, %r9, %r2;",
    "@%p1 mov.pred %p2, %p1; selp.b32 %r9, %r1, %r2, %p2;",
    "@%p1 setp.gt.u32 %p1|%p2, %r1, %r3; selp.b32 %r9, %r1, %r2, %p1; selp.b32 %r8, %r1, %r2, %p2;",
    "@%p1 lop3.and.b32 %r9|%p1, %r1, %r2, %r3, 0x80, %p2; @%p1 mov.u64 %rd9, 5;",
    "@%p1 cvt.u64.u16 %rd9, %h1; @!%p1 cvt.sat.s8.s64 %r9, %rd2;",
    "@%p1 div.u32 %r9, %r1, 7; @!%p1 rem.s64 %rd9, %rd1, 1000;",
    "xor.pred %p9, %p1, %p2; and.pred %p8, %p1, !%p2;",
    "not.pred %p9, %p1; or.pred %p8, %p9, %p2;",
    "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 3; @%p1 add.u32 %r9, %r9, %r4; setp.lt.u32 %p3, %r4, 20; @%p3 bra "
    "L;",
    "and.b32 %r4, %r1, 3; T: .branchtargets A, B, A, C; brx.idx %r4, T; A: mov.u32 %r9, 5; bra.uni E; "
    "B: add.u32 %r9, %r9, %r2; C: mov.u64 %rd9, %rd3; E:",
    // undefined on one path
    "@%p1 bra S; mov.u64 %rd5, %rd1; S: and.b64 %rd6, %rd5, 255; @!%p1 mov.u64 %rd9, %rd6;",
    "mov.u32 %r4, 0; L: @%p1 bra S; add.u64 %rd5, %rd1, 3; S: and.b64 %rd6, %rd5, -8; add.u32 %r4, %r4, 1; "
    "setp.lt.u32 %p3, %r4, 3; @%p3 bra L; @!%p1 mov.u64 %rd9, %rd6;",
    "@%p1 bra S; M: add.u32 %r9, %r9, 1; S: shl.b32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 5000; @%p3 bra M;",
};

// Addresses are in the 256 bytes at %rd4; the inputs come first.
static const char *const memory_rows[] = {
    "ld.global.u8 %r9, [%rd4+1];",
    "ld.global.s8 %rd9, [%rd4+7];",
    "ld.global.u16 %rd9, [%rd4+2];",
    "ld.global.s32 %rd9, [%rd4+4];",
    "ld.global.v2.u8 {%r8, %r9}, [%rd4+2];",
    "ld.global.v4.s8 {%r7, %r8, %rd9, %h9}, [%rd4+4];",
    "ld.global.v4.u16 {%h7, %r8, %h9, %r9}, [%rd4+8];",
    "ld.global.v2.s16 {%rd9, %r9}, [%rd4+12];",
    "ld.global.v4.u32 {%r7, %r8, _, %r9}, [%rd4];",
    "ld.global.v2.u64 {%rd8, %rd9}, [%rd4+16];",
    "@%p1 ld.global.u32 %r9, [%rd4]; @!%p1 ld.global.s8 %rd9, [%rd4+3]; @%p2 ld.global.v2.u8 {%r8, %h9}, "
    "[%rd4];",
    "st.global.v4.u8 [%rd4+32], {%h1, %h2, %h3, %r1}; ld.global.u32 %r9, [%rd4+32];",
    "st.global.v2.u16 [%rd4+36], {%h1, %r2}; ld.global.u32 %r9, [%rd4+36];",
    "st.global.v4.u16 [%rd4+40], {%h1, %r2, %h3, 5}; ld.global.u64 %rd9, [%rd4+40];",
    "st.global.u8 [%rd4+48], %rd1; st.global.u16 [%rd4+50], %r2; ld.global.u32 %r9, [%rd4+48];",
    "@%p1 st.global.u32 [%rd4+52], %r1; @!%p2 st.global.v2.u64 [%rd4+64], {%rd1, %rd2}; "
    "ld.global.u32 %r9, [%rd4+52]; ld.global.u64 %rd9, [%rd4+72];",
    "ld.param.u8 %r9, [pa+3]; ld.param.s16 %rd9, [pb+6]; ld.param.v2.u32 {%r7, %r8}, [pc];",
    "ld.param.u64 %rd9, [pe+8];",
    "ld.param.s8 %r9, [pe+2]; ld.param.u16 %h9, [pe+6];",
    "mov.u64 %rd5, pe; add.u64 %rd5, %rd5, 8; ld.param.u32 %r9, [%rd5+4];",
    "atom.global.add.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "atom.global.inc.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "atom.global.dec.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "@%p1 atom.global.cas.b64 %rd9, [%rd4], %rd1, %rd2; ld.global.u32 %r8, [%rd4+4];",
    "atom.global.cas.b16 %h9, [%rd4+2], %h1, %h2; ld.global.u32 %r8, [%rd4];",
    "atom.global.max.s64 _, [%rd4], %rd2; ld.global.u64 %rd9, [%rd4];",
    "red.global.xor.b32 [%rd4], %r3; ld.global.u32 %r9, [%rd4];",
    "{ .local .align 8 .b8 own[32]; st.local.u64 [own+8], %rd1; mov.u64 %rd5, own; ld.local.u16 %r9, "
    "[%rd5+10]; "
    "cvta.local.u64 %rd6, %rd5; isspacep.local %p9, %rd6; isspacep.global %p8, %rd6; }",
    "{ .shared .align 8 .b8 tile[32]; mov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5; cvta.to.shared.u64 "
    "%rd7, %rd6; "
    "st.shared.u32 [tile+4], %r1; ld.shared.u32 %r9, [%rd7+4]; isspacep.shared %p9, %rd6; isspacep.local "
    "%p8, %rd6; }",
    "{ .param .align 8 .b8 x[16]; st.param.u64 [x], %rd1; st.param.b64 [x+8], %rd2; st.param.u8 [x+3], %r3; "
    "st.param.u16 [x+14], %h3; ld.param.u64 %rd9, [x]; ld.param.u32 %r9, [x+12]; ld.param.s8 %r8, [x+9]; }",
};

static const char frame[] =
    ".version 8.8\n.target sm_100\n.address_size 64\n"
    ".func (.reg .b32 r) scalars(.reg .b32 a, .reg .b64 b, .reg .b16 c)\n{\n.reg .b32 %%x<3>;\n"
    "cvt.u32.u64 %%x1, b; cvt.s32.s16 %%x2, c; mad.lo.u32 r, a, %%x1, %%x2;\nret;\n}\n"
    ".func (.param .align 8 .b8 y[16]) structures(.param .align 8 .b8 x[24])\n{\n.reg .b64 %%d<4>; .reg .b32 "
    "%%x<4>;\n"
    "ld.param.u64 %%d1, [x+8]; ld.param.u16 %%x1, [x+18]; ld.param.s8 %%x2, [x+22]; ld.param.v2.u32 {%%x3, "
    "%%x0}, [x];\n"
    "st.param.u64 [y], %%d1; st.param.u16 [y+8], %%x1; st.param.u16 [y+10], %%x3; st.param.u32 [y+12], "
    "%%x2;\n"
    "st.param.u8 [y+13], %%x0;\nret;\n}\n"
    ".func (.param .align 16 .b8 y[96]) large(.param .align 16 .b8 x[128])\n{\n.reg .b64 %%d<4>; .reg .b32 "
    "%%x<4>;\n"
    "ld.param.u64 %%d1, [x+120]; ld.param.u32 %%x1, [x+68]; st.param.u64 [y+88], %%d1; st.param.u32 [y+4], "
    "%%x1;\n"
    "ret;\n}\n"
    ".func (.param .b32 y) even(.param .b32 x);\n"
    ".func (.param .b32 y) recursive(.param .b32 x)\n{\n.reg .b32 %%x<5>; .reg .pred %%p; .local .b32 own;\n"
    "ld.param.b32 %%x1, [x]; st.local.u32 [own], %%x1; setp.eq.u32 %%p, %%x1, 0; st.param.b32 [y], 1; @%%p "
    "ret;\n"
    "sub.u32 %%x2, %%x1, 1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %%x2; call (b), recursive, "
    "(a);\n"
    "ld.param.b32 %%x3, [b]; } ld.local.u32 %%x4, [own]; mul.lo.u32 %%x4, %%x3, %%x4; st.param.b32 [y], "
    "%%x4;\nret;\n}\n"
    ".func (.param .b32 y) odd(.param .b32 x)\n{\n.reg .b32 %%x<5>; .reg .pred %%p;\n"
    "ld.param.b32 %%x1, [x]; setp.eq.u32 %%p, %%x1, 0; st.param.b32 [y], 0; @%%p ret; sub.u32 %%x2, %%x1, "
    "1;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%x2; call (b), even, (a); ld.param.b32 %%x3, [b]; }\n"
    "st.param.b32 [y], %%x3;\nret;\n}\n"
    ".func (.param .b32 y) even(.param .b32 x)\n{\n.reg .b32 %%x<5>; .reg .pred %%p;\n"
    "ld.param.b32 %%x1, [x]; setp.eq.u32 %%p, %%x1, 0; st.param.b32 [y], 1; @%%p ret; sub.u32 %%x2, %%x1, "
    "1;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%x2; call (b), odd, (a); ld.param.b32 %%x3, [b]; }\n"
    "st.param.b32 [y], %%x3;\nret;\n}\n"
    ".global .u64 table[2] = {odd, even};\n"
    ".visible .entry k(.param .u64 pd, .param .u64 pa, .param .u64 pb, .param .align 8 .b64 pc, "
    ".param .align 1 .b8 pe[20])\n{\n"
    ".reg .b8 %%b<9>; .reg .b16 %%h<12>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; .reg .b128 %%q<3>; .reg "
    ".pred %%p<12>;\n"
    "ld.param.u64 %%rd4, [pd]; mov.u32 %%r1, %%ctaid.x; mad.wide.u32 %%rd4, %%r1, 256, %%rd4;\n"
    "ld.global.u64 %%rd1, [%%rd4]; ld.global.u64 %%rd2, [%%rd4+8]; ld.global.u64 %%rd3, [%%rd4+16];\n"
    "cvt.u32.u64 %%r1, %%rd1; cvt.u32.u64 %%r2, %%rd2; cvt.u32.u64 %%r3, %%rd3;\n"
    "cvt.u16.u64 %%h1, %%rd1; cvt.u16.u64 %%h2, %%rd2; cvt.u16.u64 %%h3, %%rd3;\n"
    "setp.lt.s32 %%p1, %%r1, %%r2; setp.lt.u32 %%p2, %%r2, %%r3;\n"
    "mov.u16 %%h9, 11; mov.u32 %%r8, 12; mov.u32 %%r9, 13; mov.u64 %%rd9, 14; mov.pred %%p8, 0; mov.pred "
    "%%p9, 1;\n"
    "%s\n"
    "st.global.u16 [%%rd4+128], %%h9; st.global.u32 [%%rd4+132], %%r8; st.global.u32 [%%rd4+136], %%r9;\n"
    "st.global.u64 [%%rd4+144], %%rd9; selp.u32 %%r8, 1, 0, %%p8; selp.u32 %%r9, 1, 0, %%p9;\n"
    "st.global.v2.u32 [%%rd4+152], {%%r8, %%r9};\n"
    "ret;\n}\n";

// Every block is one thread with its own record: inputs at the start, results from byte 128 on.
enum { RECORD_BYTES = 256, INPUTS = 3 };

struct params { // of the frame's kernel
    uint64_t memory, a, b, c;
    uint8_t e[20];
};

// Numbers where integer and floating-point rules change, in every width at once where possible.
static uint64_t interesting(struct rng *r)
{
    static const uint64_t edges[] = {
        0,
        1,
        UINT64_MAX,
        0x8000000000000000,
        0x7fffffffffffffff,
        0x80000000,
        0x7fffffff,
        0x8000,
        0x7fff,
        0xffff,
        31,
        32,
        33,
        63,
        64,
        0x7f800000,
        0xff800000,
        0x7fc00001,
        0x7f800001,
        0x00800000,
        0x00000001,
        0x807fffff,
        0x3f800000,
        0xbf800000,
        0x4f000000,
        0xcf000000,
        0x5f000000,
        0x7f7fffff,
        0x3f000000,
        0x3fc00000,
        0x7c00,
        0xfc00,
        0x7e01,
        0x0400,
        0x83ff,
        0x3c00,
        0x3c003c00,
        0x7ff0000000000000,
        0xfff0000000000000,
        0x7ff8000000000001,
        0x7ff0000000000001,
        0x0010000000000000,
        0x000fffffffffffff,
        0x8000000000000001,
        0x3ff0000000000000,
        0xbff8000000000000,
        0x41dfffffffc00000,
        0xc1e0000000000000,
        0x43e0000000000000,
        0x7fefffffffffffff,
        0x7c007e00,
        0x80007fff,
    };
    uint64_t v = rng_next(r), kind = rng_next(r) % 8;
    if (kind < 4) return edges[v % (sizeof edges / sizeof *edges)];
    if (kind == 4) return (uint64_t)(int64_t)(int8_t)v;
    if (kind == 5) return v >> (v % 64);
    if (kind == 6)
        return (v & 0x807fffff807fffff) | (0x3f80000041000000 + (v % 64 << 23)); // floats of moderate size
    return v;
}

static uint8_t *make_records(unsigned count)
{
    uint8_t *records = heap_alloc((size_t)count * RECORD_BYTES);
    struct rng r;
    rng_init(&r, test_seed(7));
    for (unsigned n = 0; n < count; n++) {
        uint8_t *at = records + n * RECORD_BYTES;
        for (unsigned k = 0; k < RECORD_BYTES; k++) at[k] = (uint8_t)(k * 37 + 11);
        for (unsigned k = 0; k < INPUTS; k++) {
            uint64_t v = interesting(&r);
            memcpy(at + 8 * k, &v, 8);
        }
    }
    return records;
}

static bool run_oracle(struct test *t, const char *row, const char *ptx, struct params *p, uint8_t *records,
                       unsigned count)
{
    struct diag d;
    struct strbuf messages = {0};
    diag_init(&d);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), 0, &d);
    diag_format(&d, false, &messages);
    CHECK_MSG(t, m != NULL, "%s: %s", row, strbuf_text(&messages));
    bool ran = false;
    if (m) {
        struct oracle *o = oracle_create(m);
        oracle_map(o, p->memory, records, (uint64_t)count * RECORD_BYTES);
        struct oracle_launch launch = {
            .kernel = ptx_find_entry(m, "k", &d), .grid = {count, 1, 1}, .block = {1, 1, 1}, .params = p};
        ran = oracle_launch(o, &launch);
        CHECK_MSG(t, ran, "%s: the oracle: %s", row, oracle_error(o));
        oracle_destroy(o);
        ptx_module_free(m);
    }
    strbuf_fini(&messages);
    diag_fini(&d);
    return ran;
}

// A way to compile.
struct variant {
    const char *name, *profile, *optimise;
};

static bool run_compiled(struct test *t, const char *row, const char *ptx, const struct variant *v,
                         struct params *p, uint8_t *records, unsigned count)
{
    struct wf_context *c = wf_context_create();
    wf_set(c, "compile.profile", v->profile);
    wf_set(c, "compile.optimise", v->optimise);
    wf_set(c, "compile.check", "1");
    uint64_t bytes = (uint64_t)count * RECORD_BYTES;
    p->memory = wf_alloc(c, bytes);
    wf_write(c, p->memory, records, bytes);
    struct wf_module *m = wf_module_load(c, "row", ptx, strlen(ptx));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    struct wf_launch_config shape = {.grid = {count, 1, 1}, .block = {1, 1, 1}};
    void *args[] = {&p->memory, &p->a, &p->b, &p->c, p->e};
    bool ran =
        k && wf_launch(k, &shape, args, 5, NULL) == WF_OK && wf_read(c, p->memory, records, bytes) == WF_OK;
    CHECK_MSG(t, ran, "%s (%s): %s", row, v->name, wf_errors(c));
    wf_context_destroy(c);
    return ran;
}

static void compare(struct test *t, const char *row, const struct variant *v, const uint8_t *want,
                    const uint8_t *got, unsigned count)
{
    static const char *const names[] = {"%h9", "%r8", "%r9", "?", "%rd9", "%rd9", "%p8", "%p9"};
    for (unsigned n = 0; n < count; n++, want += RECORD_BYTES, got += RECORD_BYTES) {
        unsigned at = 0;
        while (at < RECORD_BYTES && want[at] == got[at]) at++;
        if (at == RECORD_BYTES) continue;
        uint64_t in[INPUTS], w, g;
        memcpy(in, want, sizeof in);
        memcpy(&w, want + (at & ~7u), 8);
        memcpy(&g, got + (at & ~7u), 8);
        CHECK_MSG(t, false,
                  "%s (%s) of %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ": byte %u (%s): %#" PRIx64
                  ", the oracle has %#" PRIx64,
                  row, v->name, in[0], in[1], in[2], at,
                  at >= 128 && at < 160 ? names[(at - 128) / 4] : "memory", g, w);
        return;
    }
}

static void check_row(struct test *t, const char *row, unsigned count)
{
    static const struct variant variants[] = {{"sass", "sass", "1"},
                                              {"not optimised", "sass", "0"},
                                              {"ptxplus", "ptxplus", "1"},
                                              {"pascal", "pascal", "1"}};
    struct strbuf ptx = {0};
    strbuf_printf(&ptx, frame, row);
    struct params p = {.a = 0x8182838485868788, .b = 0xf1e2d3c4b5a69788, .c = 0x0123456789abcdef};
    for (unsigned k = 0; k < sizeof p.e; k++) p.e[k] = (uint8_t)(200 - 7 * k);
    for (size_t n = 0; n < TEST_COUNT(variants); n++) {
        uint8_t *want = make_records(count), *got = make_records(count);
        if (run_compiled(t, row, strbuf_text(&ptx), &variants[n], &p, got, count) &&
            run_oracle(t, row, strbuf_text(&ptx), &p, want, count))
            compare(t, row, &variants[n], want, got, count);
        free(want);
        free(got);
    }
    strbuf_fini(&ptx);
}

#define CHECK_ROWS(t, rows)                                                                                  \
    for (size_t k = 0; k < TEST_COUNT(rows); k++) check_row((t), (rows)[k], test_is_long() ? 20000 : 400)

// Functions of every kind of parameter and result: inlined, called, recursive, through a pointer.
static const char *const call_rows[] = {
    "call (%r9), scalars, (%r1, %rd2, %h3);",
    "@%p1 call (%r9), scalars, (%r1, %rd2, %h3);",
    "{ .param .align 8 .b8 x[24]; .param .align 8 .b8 y[16]; st.param.u64 [x], %rd1; st.param.u64 [x+8], "
    "%rd2; "
    "st.param.u32 [x+16], %r3; st.param.u16 [x+20], %h1; st.param.u8 [x+22], %h2; call (y), structures, (x); "
    "ld.param.u64 %rd9, [y]; ld.param.u32 %r9, [y+8]; ld.param.s8 %r8, [y+13]; }",
    "{ .param .align 16 .b8 x[128]; .param .align 16 .b8 y[96]; st.param.u64 [x+120], %rd1; st.param.v2.u32 "
    "[x+64], "
    "{%r2, %r3}; call (y), large, (x); ld.param.u64 %rd9, [y+88]; ld.param.u32 %r9, [y+4]; }",
    "{ .param .b32 x; .param .b32 y; and.b32 %r4, %r1, 7; st.param.b32 [x], %r4; call (y), recursive, (x); "
    "ld.param.b32 %r9, [y]; }",
    "{ .param .b32 x; .param .b32 y; and.b32 %r4, %r1, 7; st.param.b32 [x], %r4; call (y), even, (x); "
    "ld.param.b32 %r9, [y]; }",
    "{ .param .b32 x; .param .b32 y; mov.u64 %rd5, even; @%p1 mov.u64 %rd5, recursive; and.b32 %r4, %r1, 7; "
    "st.param.b32 [x], %r4; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), %rd5, (x), P; "
    "ld.param.b32 %r9, [y]; }",
    "{ .param .b32 x; .param .b32 y; and.b32 %r4, %r1, 1; mul.wide.u32 %rd5, %r4, 8; mov.u64 %rd6, table; "
    "add.u64 %rd5, %rd5, %rd6; ld.global.u64 %rd5, [%rd5]; and.b32 %r4, %r2, 7; st.param.b32 [x], %r4; "
    "P: .callprototype (.param .b32 _) _ (.param .b32 _); call (y), %rd5, (x), P; ld.param.b32 %r9, [y]; }",
};

static void test_carries(struct test *t) { CHECK_ROWS(t, carry_rows); }
static void test_guards(struct test *t) { CHECK_ROWS(t, guard_rows); }
static void test_memory(struct test *t) { CHECK_ROWS(t, memory_rows); }
static void test_calls(struct test *t) { CHECK_ROWS(t, call_rows); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"carries", test_carries},
        {"guards", test_guards},
        {"memory", test_memory},
        {"calls", test_calls},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
