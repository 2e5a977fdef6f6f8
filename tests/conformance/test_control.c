// Control flow: branches, jump tables, calls of every kind, functions of the host, and failing programs
// (PTX ISA 9.7.12, 7.1, 9.7.19). Fails when memory differs from the expected values in any configuration,
// or a report lacks a required word.
#include "api/warpfold.h"
#include "base/str.h"
#include "conformance/trial.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <stdio.h>
#include <string.h>

#define ENTRY                                                                                                \
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %a, %b, %d<8>;\n"           \
    ".reg .b32 %t, %r<16>;\n.reg .f64 %g<4>;\n.reg .f32 %f<4>;\n.reg .pred %p<8>;\n"                         \
    "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n"

enum { THREADS = 64 };

static void run(struct test *t, const char *name, const char *ptx, const void *out, size_t out_bytes)
{
    uint32_t in = 0;
    trial_run(t, &(struct trial){.name = name,
                                 .ptx = ptx,
                                 .block = THREADS,
                                 .in = &in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = out_bytes});
}

// ---- calls

static void test_recursion(struct test *t)
{
    uint32_t out[THREADS];
    for (uint32_t k = 0; k < THREADS; k++) {
        uint32_t a = 0, b = 1;
        for (uint32_t n = 0; n < k % 12; n++) {
            uint32_t c = a + b;
            a = b;
            b = c;
        }
        out[k] = a;
    }
    run(t, "recursion",
        ".func (.param .b32 result) fib(.param .b32 n)\n{\n.reg .b32 %r<8>;\n.reg .pred %p;\nld.param.b32 "
        "%r1, [n];\nsetp.lt.u32 %p, %r1, 2;\n@%p bra BASE;\n"
        "sub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\nst.param.b32 [a], %r2;\n.param .b32 v;\ncall (v), fib, "
        "(a);\nld.param.b32 %r3, [v];\n}\n"
        "sub.u32 %r2, %r1, 2;\n{\n.param .b32 a;\nst.param.b32 [a], %r2;\n.param .b32 v;\ncall (v), fib, "
        "(a);\nld.param.b32 %r4, [v];\n}\n"
        "add.u32 %r1, %r3, %r4;\nBASE:\nst.param.b32 [result], %r1;\nret;\n}\n" ENTRY
        "rem.u32 %r1, %t, 12;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 v;\ncall (v), fib, "
        "(a);\nld.param.b32 %r2, [v];\n}\n"
        "mad.wide.u32 %a, %t, 4, %out;\nst.global.u32 [%a], %r2;\nret;\n}\n",
        out, sizeof out);
}

// Structures by value, in and out, with members of several sizes; indexed inside the function.
static void test_structures(struct test *t)
{
    uint64_t out[THREADS][2];
    for (uint64_t k = 0; k < THREADS; k++) {
        out[k][0] = (k * 3 + 7) ^ 0x1122334455667788ull;
        out[k][1] = (k & 0xff) + (k & 3) * 100 + (k & 3);
    }
    run(t, "structures by value",
        ".func (.param .align 8 .b8 result[16]) mix(.param .align 8 .b8 s[40], .param .b32 i)\n{\n.reg .b64 "
        "%d<8>;\n.reg .b32 %r<8>;\n"
        "ld.param.b64 %d1, [s];\nld.param.b64 %d2, [s+8];\nxor.b64 %d3, %d1, %d2;\nst.param.b64 [result], "
        "%d3;\n"
        "ld.param.b32 %r1, [i];\nmov.b64 %d4, s;\nmad.wide.u32 %d4, %r1, 4, %d4;\nld.param.b32 %r2, "
        "[%d4+16];\nld.param.u8 %r3, [s+32];\nadd.u32 %r2, %r2, %r3;\n"
        "cvt.u64.u32 %d5, %r2;\nst.param.b64 [result+8], %d5;\nret;\n}\n" ENTRY
        "cvt.u64.u32 %d1, %t;\nmad.lo.u64 %d1, %d1, 3, 7;\nand.b32 %r1, %t, 3;\n{\n.param .align 8 .b8 "
        "s[40];\nst.param.b64 [s], %d1;\nst.param.b64 [s+8], 0x1122334455667788;\n"
        "st.param.b32 [s+16], 0;\nst.param.b32 [s+20], 101;\nst.param.v2.b32 [s+24], {202, "
        "303};\nst.param.b8 [s+32], %t;\n.param .b32 i;\nst.param.b32 [i], %r1;\n"
        ".param .align 8 .b8 v[16];\ncall (v), mix, (s, i);\nld.param.b64 %d2, [v];\nld.param.b64 %d3, "
        "[v+8];\n}\n"
        "mad.wide.u32 %a, %t, 16, %out;\nst.global.v2.u64 [%a], {%d2, %d3};\nret;\n}\n",
        out, sizeof out);
}

// A table of functions in global memory, called through a register that differs between lanes; an unused
// result; a function without results; registers as parameters.
static void test_indirect(struct test *t)
{
    uint32_t out[THREADS][2];
    for (uint32_t k = 0; k < THREADS; k++) {
        out[k][0] = k % 3 == 0 ? k + 100 : k % 3 == 1 ? k * 100 : k ^ 100;
        out[k][1] = 5;
    }
    run(t, "indirect calls",
        ".func (.param .b32 r) plus(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\nadd.u32 "
        "%r1, %r1, 100;\nst.param.b32 [r], %r1;\nret;\n}\n"
        ".func (.param .b32 r) times(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\nmul.lo.u32 "
        "%r1, %r1, 100;\nst.param.b32 [r], %r1;\nret;\n}\n"
        ".func (.param .b32 r) flip(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\nxor.b32 "
        "%r1, %r1, 100;\nst.param.b32 [r], %r1;\nret;\n}\n"
        ".func store(.param .b64 at)\n{\n.reg .b64 %d;\nld.param.b64 %d, [at];\nst.global.u32 [%d], "
        "5;\nret;\n}\n"
        ".global .align 8 .u64 table[3] = {plus, times, flip};\n" ENTRY
        "rem.u32 %r1, %t, 3;\nmov.u64 %a, table;\nmad.wide.u32 %a, %r1, 8, %a;\nld.global.u64 %d1, [%a];\nP: "
        ".callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "{\n.param .b32 x;\nst.param.b32 [x], %t;\n.param .b32 v;\ncall (v), %d1, (x), P;\nld.param.b32 %r2, "
        "[v];\n}\n"
        "mad.wide.u32 %b, %t, 8, %out;\nst.global.u32 [%b], %r2;\nadd.u64 %d2, %b, 4;\n{\n.param .b64 "
        "at;\nst.param.b64 [at], %d2;\ncall store, (at);\n}\nret;\n}\n",
        out, sizeof out);
}

static void test_register_parameters(struct test *t)
{
    uint32_t out[THREADS];
    for (uint32_t k = 0; k < THREADS; k++) out[k] = k * 7 + 3;
    run(t, "register parameters",
        ".func (.reg .b32 r) f(.reg .b32 x, .reg .b32 y)\n{\nmad.lo.u32 r, x, y, 3;\nret;\n}\n" ENTRY
        "call (%r2), f, (%t, 7);\nmad.wide.u32 %a, %t, 4, %out;\nst.global.u32 [%a], %r2;\nret;\n}\n",
        out, sizeof out);
}

// ---- branches

// Every lane leaves the loop in a different iteration, some by exit inside, through nested conditions and a
// jump table.
static void test_divergence(struct test *t)
{
    uint32_t out[THREADS];
    for (uint32_t k = 0; k < THREADS; k++) {
        uint32_t x = k, turns = 0;
        out[k] = 0;
        for (;;) {
            if (turns == 40) break;
            turns++;
            if (x % 4 == 0)
                x = x * 5 + 3;
            else if (x % 4 == 1)
                x += 7;
            else if (x % 4 == 2) {
                x ^= 21;
                if (x > 3000) break;
            } else {
                x = x / 3 + turns;
                if (x == 9) goto gone;
            }
        }
        out[k] = x * 64 + turns;
    gone:;
    }
    run(t, "divergence",
        ENTRY "mad.wide.u32 %a, %t, 4, %out;\nmov.u32 %r1, %t;\nmov.u32 %r2, 0;\n"
              "LOOP: setp.eq.u32 %p0, %r2, 40;\n@%p0 bra DONE;\nadd.u32 %r2, %r2, 1;\nand.b32 %r3, %r1, "
              "3;\nT: .branchtargets C0, C1, C2, C3;\nbrx.idx %r3, T;\n"
              "C0: mad.lo.u32 %r1, %r1, 5, 3;\nbra LOOP;\nC1: add.u32 %r1, %r1, 7;\nbra LOOP;\nC2: xor.b32 "
              "%r1, %r1, 21;\nsetp.gt.u32 %p1, %r1, 3000;\n@!%p1 bra LOOP;\nbra DONE;\n"
              "C3: div.u32 %r1, %r1, 3;\nadd.u32 %r1, %r1, %r2;\nsetp.eq.u32 %p2, %r1, 9;\n@%p2 "
              "exit;\nbra.uni LOOP;\n"
              "DONE: mad.lo.u32 %r1, %r1, 64, %r2;\nst.global.u32 [%a], %r1;\nret;\n}\n",
        out, sizeof out);
}

// Lanes of one warp wait for each other: a lock taken by a lane at a time. Only `simt=splits` promises
// progress.
static void test_lock(struct test *t)
{
    static const char ptx[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n" ENTRY
        "LOCK: atom.global.cas.b32 %r1, [%out], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra "
        "LOCK;\nmembar.gl;\nld.volatile.global.u32 %r2, [%out+4];\nadd.u32 %r2, %r2, %t;\n"
        "st.volatile.global.u32 [%out+4], %r2;\nmembar.gl;\natom.global.exch.b32 %r1, [%out], "
        "0;\nnanosleep.u32 20;\nret;\n}\n";
    static const char *const isas[] = {"general", "portable", "avx2", "avx512"};
    for (int k = 0; k < 4; k++) {
        struct wf_context *c = wf_context_create();
        wf_set(c, "memory.size", "4M");
        wf_set(c, "exec.max_warp_instructions", "10000000");
        if (wf_set(c, "exec.isa", isas[k]) == WF_OK) {
            struct wf_module *m = wf_module_load(c, "lock.ptx", ptx, sizeof ptx - 1);
            struct wf_kernel *kernel = m ? wf_kernel_find(m, "k") : NULL;
            uint64_t params[] = {wf_alloc(c, 4), wf_alloc(c, 8)};
            uint32_t got[2] = {9, 9};
            struct wf_launch_config shape = {.grid = {2, 1, 1}, .block = {THREADS, 1, 1}};
            bool ran = kernel && wf_launch_packed(kernel, &shape, params, sizeof params, NULL) == WF_OK;
            CHECK_MSG(t, ran, "%s", wf_errors(c));
            wf_read(c, params[1], got, sizeof got);
            CHECK_EQ(t, got[0], 0);
            CHECK_EQ(t, got[1], 2 * THREADS * (THREADS - 1) / 2);
        }
        wf_context_destroy(c);
    }
}

// ---- the host's part

static void append(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

static const char printing[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) vprintf(.param .b64 f, "
    ".param .b64 a);\n"
    ".global .align 1 .b8 format[40] = {37, 100, 32, 37, 48, 52, 120, 32, 37, 46, 50, 102, 32, 37, 115, 32, "
    "37, 108, 108, 117, 32, 37, 99, 37, 37, 10, 0};\n" // "%d %04x %.2f %s %llu %c%%\n"
    ".global .align 1 .b8 word[4] = {111, 107, 0};\n" ENTRY
    ".local .align 8 .b8 buffer[48];\nsetp.gt.u32 %p0, %t, 1;\n@%p0 exit;\nneg.s32 %r1, %t;\nst.local.u32 "
    "[buffer], %r1;\nst.local.u32 [buffer+4], 171;\ncvt.rn.f64.u32 %g1, %t;\nadd.f64 %g1, %g1, "
    "0d3FE0000000000000;\n"
    "st.local.f64 [buffer+8], %g1;\ncvta.global.u64 %a, word;\nst.local.u64 [buffer+16], %a;\nst.local.u64 "
    "[buffer+24], 0xffffffffffffffff;\nst.local.u32 [buffer+32], 65;\n"
    "cvta.global.u64 %a, format;\ncvta.local.u64 %b, buffer;\n{\n.param .b64 f;\nst.param.b64 [f], "
    "%a;\n.param .b64 x;\nst.param.b64 [x], %b;\n.param .b32 v;\ncall (v), vprintf, (f, x);\nld.param.b32 "
    "%r2, [v];\n}\nret;\n}\n";
static const char printed[] =
    "0 00ab 0.50 ok 18446744073709551615 A%\n-1 00ab 1.50 ok 18446744073709551615 A%\n";

static void test_printing(struct test *t)
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    wf_set_print(c, append, &text);
    struct wf_module *m = wf_module_load(c, "print.ptx", printing, sizeof printing - 1);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t params[] = {0, 0};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {4, 1, 1}};
    CHECK_MSG(t, k && wf_launch_packed(k, &shape, params, sizeof params, NULL) == WF_OK, "%s", wf_errors(c));
    CHECK_STR(t, strbuf_text(&text), printed);
    wf_context_destroy(c);
    strbuf_clear(&text);
    struct diag d;
    diag_init(&d);
    struct ptx_module *p = ptx_parse(printing, sizeof printing - 1, 0, &d);
    struct oracle *o = oracle_create(p);
    struct oracle_launch l = {.kernel = ptx_find_entry(p, "k", &d),
                              .grid = {1, 1, 1},
                              .block = {4, 1, 1},
                              .params = params,
                              .print = append,
                              .print_context = &text};
    CHECK_MSG(t, oracle_launch(o, &l), "%s", oracle_error(o));
    CHECK_STR(t, strbuf_text(&text), printed);
    oracle_destroy(o);
    ptx_module_free(p);
    diag_fini(&d);
    strbuf_fini(&text);
}

// Failing programs, and the words required in the report. `body` runs in thread 3 only.
static void test_failures(struct test *t)
{
    static const struct {
        const char *name, *body, *says;
    } failures[] = {
        {"trap", "trap;\n", "trap"},
        {"breakpoint", "brkpt;\n", "br"},
        {"null", "ld.global.u32 %r1, [0];\nst.global.u32 [%out], %r1;\n", "0x0"},
        {"past the end", "st.global.u32 [%out+260], %t;\n", "past the end"},
        {"misaligned", "ld.global.u32 %r1, [%out+2];\nst.global.u32 [%out], %r1;\n", "align"},
        {"shared memory", "mov.u32 %r1, 0x100000;\nst.shared.u32 [%r1], %t;\n", "shared"},
        {"local memory", "mov.u32 %r1, 0x7fffff0;\nld.local.u32 %r2, [%r1];\nst.global.u32 [%out], %r2;\n",
         "local"},
        {"jump table", "T: .branchtargets A, A;\nmov.u32 %r1, 7;\nbrx.idx %r1, T;\nA:\n", "7"},
        {"function", "mov.u64 %d1, 12345;\nP: .callprototype _ ();\ncall %d1, P;\n", "function"},
    };
    for (size_t k = 0; k < sizeof failures / sizeof failures[0]; k++) {
        struct strbuf s = {0};
        struct wf_stats stats = {0};
        struct wf_context *c = wf_context_create();
        strbuf_printf(&s,
                      ".version 7.8\n.target sm_80\n.address_size 64\n%ssetp.ne.u32 %%p0, %%t, 3;\n@%%p0 "
                      "exit;\n%sret;\n}\n",
                      ENTRY, failures[k].body);
        struct wf_module *m = wf_module_load(c, failures[k].name, s.text, s.length);
        struct wf_kernel *kernel = m ? wf_kernel_find(m, "k") : NULL;
        uint64_t params[] = {wf_alloc(c, 256), wf_alloc(c, 256)};
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        CHECK_MSG(t, kernel, "%s: %s", failures[k].name, wf_errors(c));
        if (kernel)
            CHECK_EQ(t, wf_launch_packed(kernel, &shape, params, sizeof params, &stats), WF_PROGRAM_FAILED);
        const char *report = stats.fault_text ? stats.fault_text : "";
        CHECK_MSG(t, strstr(report, failures[k].says), "%s: \"%s\" does not occur in\n%s", failures[k].name,
                  failures[k].says, report);
        CHECK_MSG(t, strstr(report, "3"), "%s: thread 3 is not named in\n%s", failures[k].name, report);
        wf_context_destroy(c);
        strbuf_fini(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"recursion", test_recursion},   {"structures", test_structures},
        {"indirect", test_indirect},     {"register parameters", test_register_parameters},
        {"divergence", test_divergence}, {"lock", test_lock},
        {"printing", test_printing},     {"failures", test_failures}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
