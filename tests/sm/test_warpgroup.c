// Products of warpgroups in time, beside silicon/h100/card.csv: interval between products of a chain, with one to four warpgroups, and the
// time of groups from the first issue to behind the wait.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"

#include <math.h>

enum { FEW = 32, MANY = 96, TOLERANCE = 10 /* percent */ };

struct case_ { // cycles measured
    unsigned columns, warpgroups;
    bool by_register;
    double interval;
};

static void write_products(struct strbuf *b, unsigned columns, bool by_register, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        strbuf_printf(b, "wgmma.mma_async.sync.aligned.m64n%uk16.f32.f16.f16 ", columns);
        for (unsigned n = 0; n < columns / 2; n++) strbuf_printf(b, "%s%%d%u", n ? "," : "{", n);
        strbuf_puts(b, by_register ? "}, {%r2,%r2,%r2,%r2}, %rd2, 1, 1, 1, 0;\n"
                                   : "}, %rd2, %rd2, 1, 1, 1, 0, 0;\n");
    }
    strbuf_puts(b, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
}

// `count` products of a warpgroup in a group; each thread's cycles from before the first to behind the wait. A product before has put the
// sums into their registers.
static void write_kernel(struct strbuf *b, unsigned columns, bool by_register, unsigned count)
{
    strbuf_puts(
        b, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
           ".reg .b32 %r<8>, %d<128>;\n.reg .b64 %rd<9>;\n.shared .align 1024 .b8 s[40960];\n"
           "ld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmov.u64 %rd2, 0x4000004000010000;\nmov.u32 %r1, "
           "s;\n"
           "cvt.u64.u32 %rd3, %r1;\nshr.u64 %rd3, %rd3, 4;\nor.b64 %rd2, %rd2, %rd3;\nmov.u32 %r2, 0;\n");
    for (unsigned n = 0; n < columns / 2; n++) strbuf_printf(b, "mov.u32 %%d%u, 0;\n", n);
    strbuf_puts(b, "wgmma.fence.sync.aligned;\n");
    write_products(b, columns, by_register, 1);
    strbuf_puts(b, "bar.sync 0;\nwgmma.fence.sync.aligned;\nmov.u64 %rd4, %clock64;\n");
    write_products(b, columns, by_register, count);
    strbuf_puts(b, "mov.u64 %rd5, %clock64;\nsub.u64 %rd6, %rd5, %rd4;\nmul.wide.u32 %rd7, %r0, 8;\n"
                   "add.u64 %rd7, %rd1, %rd7;\nst.global.u64 [%rd7], %rd6;\n");
    for (unsigned n = 0; n < columns / 2; n++) strbuf_printf(b, "st.global.u32 [%%rd1+8192], %%d%u;\n", n);
    strbuf_puts(b, "ret;\n}\n");
}

// Cycles of the slowest warp; 0 after a failure.
static double cycles_of(struct test *t, unsigned columns, bool by_register, unsigned warpgroups,
                        unsigned count)
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    write_kernel(&text, columns, by_register, count);
    wf_gpu(c, "h100");
    struct wf_module *m = wf_module_load(c, "k.ptx", text.text, text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t out = wf_alloc(c, 16384), cycles[512] = {0};
    void *args[] = {&out};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {128 * warpgroups, 1, 1}};
    bool good = k && wf_launch(k, &shape, args, 1, NULL) == WF_OK;
    CHECK_MSG(t, good, "%s", wf_errors(c));
    if (good) wf_read(c, out, cycles, sizeof cycles);
    double most = 0;
    for (unsigned n = 0; n < 128 * warpgroups; n++)
        if ((double)cycles[n] > most) most = (double)cycles[n];
    wf_context_destroy(c);
    strbuf_fini(&text);
    return most;
}

static void check_near(struct test *t, double got, double measured, const char *what, unsigned columns)
{
    CHECK_MSG(t, fabs(got - measured) * 100 <= TOLERANCE * measured,
              "m64n%uk16, %s: %.1f cycles, measured %.1f", columns, what, got, measured);
}

static void test_intervals(struct test *t)
{
    static const struct case_ cases[] = {{8, 1, false, 18},  {8, 1, true, 13},     {16, 1, false, 20},
                                         {16, 2, true, 13},  {32, 1, false, 24},   {32, 1, true, 16},
                                         {64, 1, false, 32}, {64, 2, false, 32},   {128, 1, false, 64},
                                         {128, 1, true, 64}, {256, 1, false, 128}, {8, 4, false, 18}};
    for (size_t n = 0; n < TEST_COUNT(cases); n++) {
        const struct case_ *x = &cases[n];
        double few = cycles_of(t, x->columns, x->by_register, x->warpgroups, FEW),
               many = cycles_of(t, x->columns, x->by_register, x->warpgroups, MANY);
        check_near(t, (many - few) / (MANY - FEW) / x->warpgroups, x->interval, "interval", x->columns);
    }
}

static void test_groups(struct test *t)
{
    static const struct {
        unsigned columns, count;
        bool by_register;
        double cycles;
    } cases[] = {{8, 1, false, 61},    {8, 2, false, 79},    {8, 4, false, 115},  {8, 8, false, 187},
                 {8, 16, false, 331},  {16, 1, false, 65},   {32, 1, false, 71},  {64, 1, false, 87},
                 {128, 1, false, 119}, {256, 1, false, 185}, {16, 1, true, 52},   {16, 4, true, 92},
                 {32, 1, true, 60},    {64, 1, true, 88},    {128, 1, true, 120}, {256, 1, true, 184},
                 {16, 16, false, 365}, {32, 8, false, 239}};
    for (size_t n = 0; n < TEST_COUNT(cases); n++)
        check_near(t, cycles_of(t, cases[n].columns, cases[n].by_register, 1, cases[n].count),
                   cases[n].cycles, cases[n].by_register ? "group, a in registers" : "group",
                   cases[n].columns);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"intervals", test_intervals}, {"groups", test_groups}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
