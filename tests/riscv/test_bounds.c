// Bounds of the threads' stacks and of the groups' parts of the scratchpad. An access outside is a fault on
// every machine and in every build of the interpreter; check.bounds makes it a warning, or ignores it. Fails
// where an access outside passes, or a legal access is reported.
#include "api/warpfold.h"
#include "riscv/bench.h"

#include <stdio.h>
#include <string.h>

#define SCRATCH      0xbfff0000u
#define SCRATCH_END  0xc0000000u
#define STACK        0xfff80000u
#define HOST_GROUP   0x827
#define GROUP_WARPS  2u // 32 groups, 2,048 bytes each
#define GROUP_BYTES  2048u
#define GROUP_NUMBER 11 // log2 of the bytes

struct outcome {
    enum wf_status status;
    uint64_t warnings;
    char warning[512];
    struct strbuf errors;
};

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *s)
{
    struct outcome *o = context;
    (void)k, (void)shape;
    for (size_t n = 0; n < s->warning_count; n++) {
        o->warnings += s->warnings[n].count;
        snprintf(o->warning, sizeof o->warning, "%s", s->warnings[n].text);
    }
}

// A machine and a setting; gpu NULL: functional.
static const struct machine {
    const char *gpu, *key, *value;
} machines[] = {{NULL, "exec.isa", "auto"},           {NULL, "exec.isa", "portable"},
                {NULL, "exec.isa", "general"},        {"simtight", "exec.isa", "auto"},
                {"simtight-ads", "exec.isa", "auto"}, {"gtx1080ti", "exec.isa", "auto"}};

static void run(struct test *t, const struct maker *m, const struct machine *on, const char *check,
                struct outcome *o)
{
    struct wf_context *c = wf_context_create();
    struct wf_program_config config = {.launched = launched, .launched_context = o};
    struct wf_program_stats stats;
    *o = (struct outcome){0};
    CHECK(t, wf_gpu(c, on->gpu) == WF_OK && wf_set(c, on->key, on->value) == WF_OK &&
                 wf_set(c, "check.bounds", check) == WF_OK);
    struct wf_module *module = bench_module(t, c, m);
    if (module) o->status = wf_program_run(module, &config, &stats);
    strbuf_puts(&o->errors, wf_errors(c));
    wf_context_destroy(c);
}

// Expects a fault with both texts under check.bounds=stop, a warning under warn, no message
// under ignore. first NULL: legal.
static void expect(struct test *t, struct maker *m, const char *first, const char *second)
{
    for (size_t k = 0; k < TEST_COUNT(machines); k++) {
        struct outcome o;
        run(t, m, &machines[k], "stop", &o);
        CHECK_EQ(t, o.status, first ? WF_PROGRAM_FAILED : WF_OK);
        if (first) {
            CHECK_HAS(t, strbuf_text(&o.errors), first);
            CHECK_HAS(t, strbuf_text(&o.errors), second);
        } else {
            CHECK_STR(t, strbuf_text(&o.errors), "");
        }
        strbuf_fini(&o.errors);
        run(t, m, &machines[k], "warn", &o);
        CHECK_EQ(t, o.status, WF_OK);
        CHECK_EQ(t, o.warnings != 0, first != NULL);
        if (first) CHECK_HAS(t, o.warning, second);
        strbuf_fini(&o.errors);
        run(t, m, &machines[k], "ignore", &o);
        CHECK_EQ(t, o.status, WF_OK);
        CHECK_EQ(t, o.warnings, 0);
        strbuf_fini(&o.errors);
    }
    maker_fini(m);
}

// A0 = number of the thread, A1 = 4 times it, A2 = base of the group's part of the scratchpad.
static void begin(struct maker *m)
{
    maker_put(m, addi(A0, X0, GROUP_WARPS));
    maker_put(m, csrrw(X0, HOST_GROUP, A0));
    bench_host(m, false, 0);
    bench_begin(m);
    maker_put(m, srli(A2, A0, 6)); // 64 threads a group
    maker_put(m, slli(A2, A2, GROUP_NUMBER));
    maker_li(m, A3, SCRATCH);
    maker_put(m, add(A2, A2, A3));
}

// -- stacks -------------------------------------------------------------------------------------------------

// Recursion of `depth` calls with frames of 2,032 bytes: a stack holds 258 frames below the first 8 bytes.
static void make_recursion(struct maker *m, unsigned depth)
{
    enum { FRAME = 2032 };
    begin(m);
    maker_put(m, addi(SP, X0, -8));
    maker_li(m, A4, depth);
    uint32_t call = maker_here(m);
    maker_put(m, jal(RA, 0));
    bench_end(m);
    maker_function(m, "recurse");
    maker_land(m, call);
    uint32_t top = maker_here(m);
    maker_put(m, addi(SP, SP, -FRAME));
    maker_put(m, sw(RA, SP, 0));
    maker_put(m, addi(A4, A4, -1));
    uint32_t last = maker_here(m);
    maker_put(m, beq(A4, X0, 0));
    maker_put(m, jal(RA, (int32_t)(top - maker_here(m))));
    maker_land(m, last);
    maker_put(m, lw(RA, SP, 0));
    maker_put(m, addi(SP, SP, FRAME));
    maker_put(m, RET);
}

static void test_recursion(struct test *t)
{
    struct maker m = {0};
    make_recursion(&m, 258);
    expect(t, &m, NULL, NULL);
    m = (struct maker){0};
    make_recursion(&m, 259);
    expect(t, &m, "kernel kernel: stack overflow: write of 4 bytes\n    at pc 0x800045c (sw ra, 0(sp))",
           "0xfff7f828 is 2008 bytes below the thread's stack (0xfff80000 to 0xffffffff)");
}

// Loads and stores of every width below the window.
static void test_below_the_stack(struct test *t)
{
    static const struct {
        uint32_t word; // of an access by A4
        int32_t offset;
        const char *what, *where;
    } cases[] = {
        {0x00072783, -4, "stack overflow: read of 4 bytes",
         "0xfff7fffc is 4 bytes below the thread's stack (0xfff80000 to 0xffffffff)"}, // lw a5, 0(a4)
        {0x00f70023, -1, "stack overflow: write of 1 byte", "0xfff7ffff is 1 byte below the thread's"}, // sb
        {0x00075783, -65536, "stack overflow: read of 2 bytes", "0xfff70000 is 65536 bytes below"},     // lhu
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct maker m = {0};
        begin(&m);
        maker_li(&m, A4, STACK + (uint32_t)cases[k].offset);
        maker_put(&m, cases[k].word);
        bench_end(&m);
        expect(t, &m, cases[k].what, cases[k].where);
    }
}

// The report names the warp and the lane at fault: thread 77 alone goes below the window.
static void test_who(struct test *t)
{
    struct maker m = {0};
    begin(&m);
    maker_li(&m, A4, STACK);
    maker_put(&m, addi(A5, X0, 77));
    maker_put(&m, PUSH);
    maker_put(&m, bne(A0, A5, 8));
    maker_put(&m, addi(A4, A4, -16));
    maker_put(&m, POP);
    maker_put(&m, sw(A0, A4, 0));
    bench_end(&m);
    expect(t, &m, "thread (77,0,0) of block (0,0,0), warp 2, lane 13", "0xfff7fff0 is 16 bytes below");
}

// -- the scratchpad -----------------------------------------------------------------------------------------

// An access at an offset from the group's part: a row of words, or the same word for every thread.
static void make_access(struct maker *m, uint32_t word, int32_t offset, bool is_row)
{
    begin(m);
    maker_li(m, A3, (uint32_t)offset);
    maker_put(m, add(A4, A2, A3));
    if (is_row) {
        maker_put(m, andi(A3, A1, 4 * 32 * GROUP_WARPS - 1));
        maker_put(m, add(A4, A4, A3));
    }
    maker_put(m, word);
    bench_end(m);
}

static void test_parts(struct test *t)
{
    enum { ROW_BYTES = 4 * 32 * GROUP_WARPS };
    static const char own[] = "of the scratchpad of the warp's group (0xbfff0000 to 0xbfff07ff)";
    static const uint32_t store = 0x00a72023, load = 0x00072783, atomic = 0x00a7202f; // by A4
    struct maker m = {0};
    make_access(&m, store, GROUP_BYTES - ROW_BYTES, true); // the last words
    expect(t, &m, NULL, NULL);
    m = (struct maker){0};
    make_access(&m, atomic, GROUP_BYTES - 4, false);
    expect(t, &m, NULL, NULL);
    m = (struct maker){0};
    make_access(&m, store, GROUP_BYTES - ROW_BYTES + 4, true);
    expect(t, &m, "out-of-bounds scratchpad write of 4 bytes", own);
    m = (struct maker){0};
    make_access(&m, load, GROUP_BYTES, false);
    expect(t, &m, "out-of-bounds scratchpad read of 4 bytes", "0xbfff0800 is just past the end of the scr");
    // Groups with odd numbers, 64 bytes before the group's part: another group's part.
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        m = (struct maker){0};
        begin(&m);
        maker_put(&m, andi(A3, A0, 64));
        maker_put(&m, sub(A4, A2, A3));
        maker_put(&m, is_atomic ? atomic : load);
        bench_end(&m);
        expect(t, &m,
               is_atomic ? "out-of-bounds scratchpad write of 4 bytes" : "out-of-bounds scratchpad read of 4",
               "0xbfff07c0 is 64 bytes before the scratchpad of the warp's group (0xbfff0800 to 0xbfff0fff)");
    }
}

// A single group has the whole scratchpad; behind lie the threads' stacks.
static void test_whole(struct test *t)
{
    static const struct {
        uint32_t address;
        const char *what, *where;
    } cases[] = {{SCRATCH_END - 4, NULL, NULL},
                 {SCRATCH_END, "out-of-bounds scratchpad write of 4 bytes",
                  "0xc0000000 is just past the end of the scratchpad (0xbfff0000 to 0xbfffffff)"},
                 {SCRATCH_END + 65536, "out-of-bounds scratchpad write of 4 bytes",
                  "0xc0010000 is 65536 bytes past the end of the scratchpad (0xbfff0000 to 0xbfffffff)"}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct maker m = {0};
        bench_host(&m, false, 0);
        bench_begin(&m);
        maker_li(&m, A4, cases[k].address);
        maker_put(&m, sw(A0, A4, 0));
        bench_end(&m);
        expect(t, &m, cases[k].what, cases[k].where);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"recursion", test_recursion},
        {"below_the_stack", test_below_the_stack},
        {"who", test_who},
        {"parts", test_parts},
        {"whole", test_whole},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
