// Programs on SMs: requirements on a GPU, statistics for the host part, failing kernels, placement of stacks,
// and addresses in timelines. Results and mechanisms are compared in simtight/test_programs and test_random.
#include "api/impl.h"
#include "harness/counter.h"
#include "report/timeline.h"
#include "riscv/bench.h"

#include <stdio.h>
#include <string.h>

enum { GROUP_END = 0x830 };
#define SCRATCH 0xbfff0000u

struct outcome {
    enum wf_status status;
    struct strbuf text, errors;
    uint64_t cycles, counter;
    struct test *t;
    const char *counted; // the counter's name; NULL: none
};

static void print(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

static void launched(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                     const struct wf_stats *s)
{
    struct outcome *o = context;
    (void)k, (void)shape;
    o->cycles = s->cycles;
    if (o->counted) o->counter = counter(o->t, s, o->counted);
}

static void run_in(struct test *t, struct wf_context *c, const struct maker *m, struct outcome *o)
{
    struct wf_program_config config = {.launched = launched, .launched_context = o};
    struct wf_program_stats stats;
    struct wf_module *module = bench_module(t, c, m);
    wf_set_print(c, print, &o->text);
    if (module) o->status = wf_program_run(module, &config, &stats);
    strbuf_puts(&o->errors, wf_errors(c));
    wf_clear_errors(c);
}

static struct wf_context *context_on(struct test *t, const char *gpu, const char *tech)
{
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_gpu(c, gpu) == WF_OK && wf_tech(c, tech) == WF_OK && wf_set(c, "sim.check", "1") == WF_OK);
    return c;
}

static void outcome_fini(struct outcome *o)
{
    strbuf_fini(&o->text);
    strbuf_fini(&o->errors);
}

// The program has ended and is freed.
static void expect(struct test *t, const char *gpu, const char *tech, uint64_t max_cycles, struct maker *m,
                   enum wf_status status, const char *text, const char *error)
{
    struct outcome o = {0};
    struct wf_context *c = context_on(t, gpu, tech);
    wf_set_max_cycles(c, max_cycles);
    run_in(t, c, m, &o);
    CHECK_EQ(t, o.status, status);
    CHECK_STR(t, strbuf_text(&o.text), text);
    CHECK_HAS(t, strbuf_text(&o.errors), error);
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(m);
}

// -- requirements on a GPU ----------------------------------------------------------------------------------

static void make_nothing(struct maker *m)
{
    bench_host(m, false, 0);
    bench_begin(m);
    bench_end(m);
}

static void test_room(struct test *t)
{
    static const struct {
        const char *gpu, *tech, *key, *value, *error;
    } cases[] = {
        {"gtx1080ti", "base", "sm.warps", "64", ""},
        {"gtx1080ti", "base", "sm.warps", "60", "for want of warps (sm.warps)"},
        {"gtx1080ti", "base", "sm.registers", "65280", "for want of registers (sm.registers)"},
        {"gtx1080ti", "base", "sm.shared_bytes", "65535", "for want of shared memory (sm.shared_bytes)"},
        {"gtx1080ti", "base", "launch.registers", "33", "for want of registers (sm.registers)"},
        {"titanv", "base", "gpu.sm_count", "1", ""},
        {"tiny", "base", "gpu.sm_count", "1",
         "kernels of the program do not fit on GPU tiny: all threads of a kernel are"},
        {"simtight", "darsie", "simt.mul", "3", "mechanism darsie needs SMs; GPU simtight has no SMs"},
        {"simtight", "base", "simt.mul", "3", ""},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct maker m = {0};
        struct outcome o = {0};
        struct wf_context *c = context_on(t, cases[k].gpu, cases[k].tech);
        CHECK_EQ(t, wf_set(c, cases[k].key, cases[k].value), WF_OK);
        make_nothing(&m);
        run_in(t, c, &m, &o);
        bool good = !*cases[k].error;
        CHECK_EQ(t, o.status, good ? WF_OK : WF_BAD_USAGE);
        CHECK_STR(t, strbuf_text(&o.text), good ? "0" : "");
        if (good)
            CHECK_STR(t, strbuf_text(&o.errors), "");
        else
            CHECK_HAS(t, strbuf_text(&o.errors), cases[k].error);
        wf_context_destroy(c);
        outcome_fini(&o);
        maker_fini(&m);
    }
}

// A program's run checks settings whose order is free, as a launch does.
static void test_settings(struct test *t)
{
    struct maker m = {0};
    struct outcome o = {0};
    struct wf_context *c = context_on(t, "gtx1080ti", "base");
    CHECK_EQ(t, wf_set(c, "class.x.sm.warps", "64"), WF_OK);
    make_nothing(&m);
    run_in(t, c, &m, &o);
    CHECK_EQ(t, o.status, WF_BAD_USAGE);
    CHECK_STR(t, strbuf_text(&o.errors), "error: class x has no count; say class.x.count = N\n");
    CHECK_STR(t, strbuf_text(&o.text), "");
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(&m);
}

// -- issue slots ---------------------------------------------------------------------------------------------

// Issued instructions in the account of a kernel with two loads of arguments; *text: the first load's row.
static uint64_t issued(struct test *t, const char *closure, struct strbuf *text)
{
    enum { SET_CLOSURE = 0x826, CLOSURE = 0x831 };
    struct maker m = {0};
    struct outcome o = {0};
    struct wf_program_config config = {.launched = launched, .launched_context = &o};
    struct wf_program_stats stats;
    struct wf_slot slot;
    size_t rows = 0, which = 0;
    uint64_t sum = 0;
    maker_li(&m, T1, MAKER_DATA);
    maker_put(&m, csrrw(X0, SET_CLOSURE, T1));
    bench_host(&m, false, 0);
    bench_begin(&m);
    maker_put(&m, csrrw(A5, CLOSURE, X0));
    maker_put(&m, lw(A3, A5, 0));
    maker_put(&m, lw(A4, A5, 4));
    maker_put(&m, rv_r(0x33, 7, 0, A4, A0, A4)); // a mask: another argument is another form of the program
    bench_end(&m);
    maker_word(&m, 5);
    maker_word(&m, 7);
    struct wf_context *c = context_on(t, "gtx1080ti", "base");
    CHECK_EQ(t, wf_set(c, "riscv.closure", closure), WF_OK);
    struct wf_module *module = bench_module(t, c, &m);
    for (unsigned n = 0; n < 2; n++) CHECK_EQ(t, wf_program_run(module, &config, &stats), WF_OK);
    struct wf_kernel *k = wf_kernel_find(module, "kernel");
    const struct wf_account *account = k ? wf_kernel_account(k, &rows) : NULL;
    CHECK_MSG(t, account && rows > 4, "riscv.closure=%s: no account", closure);
    while (wf_slot_at(which, &slot) && strcmp(slot.name, "issued") != 0) which++;
    for (size_t i = 0, executed = 0; i < rows; i++) {
        uint64_t slots = account[i].slots[which];
        sum += slots;
        if (slots && ++executed == 4) strbuf_puts(text, account[i].instruction);
    }
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(&m);
    return sum;
}

// Constants take the place of loads, one instruction for one instruction.
static void test_account(struct test *t)
{
    struct strbuf loads = {0}, constants = {0};
    uint64_t count = issued(t, "loads", &loads);
    CHECK(t, count > 0);
    CHECK_EQ(t, issued(t, "constants", &constants), count);
    CHECK_STR(t, strbuf_text(&loads), "lw a3, 0(a5)");
    CHECK(t, constants.length && strcmp(strbuf_text(&loads), strbuf_text(&constants)) != 0);
    strbuf_fini(&loads);
    strbuf_fini(&constants);
}

// -- statistics for the host part ---------------------------------------------------------------------------

static void test_cycles(struct test *t)
{
    struct maker m = {0};
    struct outcome o = {0};
    char want[32];
    bench_host(&m, true, 0);
    bench_begin(&m);
    bench_end(&m);
    struct wf_context *c = context_on(t, "gtx1080ti", "base");
    run_in(t, c, &m, &o);
    CHECK(t, o.cycles > 100 && o.cycles < 100000);
    snprintf(want, sizeof want, "00x%08x\n", (unsigned)o.cycles);
    CHECK_STR(t, strbuf_text(&o.text), want);
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(&m);
}

// -- placement of stacks ------------------------------------------------------------------------------------

// Equal stack offsets of all lanes share a line; consecutive words of one lane do not.
static void test_stacks(struct test *t)
{
    for (unsigned words = 1; words <= 3; words++) {
        struct maker m = {0};
        struct outcome o = {.t = t, .counted = "sm.lsu.transactions"};
        bench_host(&m, false, 0);
        bench_begin(&m);
        for (unsigned k = 1; k <= words; k++) maker_put(&m, sw(A0, X0, -4 * (int32_t)k));
        bench_end(&m);
        struct wf_context *c = context_on(t, "gtx1080ti", "base");
        run_in(t, c, &m, &o);
        CHECK_EQ(t, o.counter, 64 * words);
        wf_context_destroy(c);
        outcome_fini(&o);
        maker_fini(&m);
    }
}

// -- failing kernels ----------------------------------------------------------------------------------------

static const char *const gpus[] = {"gtx1080ti", "titanv"};

static void test_faults(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(gpus); k++) {
        struct maker m = {0};
        struct wf_context *c = context_on(t, gpus[k], "base");
        struct outcome o = {0}, again = {0};
        bench_host(&m, false, 0);
        bench_begin(&m);
        uint32_t at = maker_here(&m);
        char pc[32];
        maker_put(&m, lw(A2, A1, 0));
        bench_end(&m);
        run_in(t, c, &m, &o);
        CHECK_EQ(t, o.status, WF_PROGRAM_FAILED);
        CHECK_HAS(t, strbuf_text(&o.errors), "error: kernel kernel: out-of-bounds global read of 4 bytes");
        snprintf(pc, sizeof pc, "pc 0x%x", at);
        CHECK_HAS(t, strbuf_text(&o.errors), pc);
        maker_fini(&m);
        // the context is usable again after wf_reset
        m = (struct maker){0};
        make_nothing(&m);
        run_in(t, c, &m, &again);
        CHECK_EQ(t, again.status, WF_PROGRAM_FAILED);
        CHECK_HAS(t, strbuf_text(&again.errors),
                  "test.elf: error: is not run: an earlier launch (kernel kernel)");
        CHECK_STR(t, strbuf_text(&again.text), "");
        strbuf_clear(&again.errors);
        wf_reset(c);
        run_in(t, c, &m, &again);
        CHECK_EQ(t, again.status, WF_OK);
        CHECK_STR(t, strbuf_text(&again.errors), "");
        wf_context_destroy(c);
        outcome_fini(&o);
        outcome_fini(&again);
        maker_fini(&m);
    }
}

static void test_failing(struct test *t)
{
    struct maker m = {0};
    bench_host(&m, false, 0);
    maker_put(&m, csrwi(GROUP_END, 1));
    expect(t, "titanv", "base", 0, &m, WF_PROGRAM_FAILED, "1",
           "1 of 1 kernels failed: a warp ended with the command");
}

static void make_endless(struct maker *m)
{
    bench_host(m, false, 0);
    bench_begin(m);
    maker_put(m, addi(A0, X0, 0));
    maker_put(m, jal(X0, -4));
}

static void test_endless(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(gpus); k++) {
        struct maker m = {0};
        make_endless(&m);
        expect(t, gpus[k], "base", 0, &m, WF_PROGRAM_FAILED, "", "kernel kernel will never end: since cycle");
        m = (struct maker){0};
        make_endless(&m);
        expect(t, gpus[k], "darsie", 3000, &m, WF_PROGRAM_FAILED, "",
               "the limit of 3000 cycles (--max-cycles)");
    }
}

// Every warp spins with atomics on a word of the scratchpad. The last warp first counts down
// and then adds `sets` to the word.
static void make_spinning(struct maker *m, bool sets)
{
    bench_host(m, false, 0);
    bench_begin(m);
    maker_li(m, A2, SCRATCH);
    maker_put(m, srli(A3, A0, 5));
    maker_put(m, addi(A4, X0, 63));
    maker_put(m, addi(A5, X0, sets));
    uint32_t others = maker_here(m);
    maker_put(m, bne(A3, A4, 0));
    maker_put(m, addi(T1, X0, 100));
    maker_put(m, addi(T1, T1, -1));
    maker_put(m, bne(T1, X0, -4));
    maker_put(m, amoadd(X0, A5, A2));
    maker_land(m, others);
    maker_put(m, amoadd(A6, X0, A2));
    maker_put(m, beq(A6, X0, -4));
    bench_end(m);
}

static void test_spinning(struct test *t)
{
    static const char *const schedulers[] = {"gto", "lrr", "two-level"};
    for (size_t k = 0; k < TEST_COUNT(schedulers); k++) {
        struct maker m = {0};
        struct outcome o = {0};
        struct wf_context *c = context_on(t, "gtx1080ti", k ? "uv" : "base");
        CHECK_EQ(t, wf_set(c, "issue.scheduler", schedulers[k]), WF_OK);
        wf_set_max_cycles(c, 1000000);
        make_spinning(&m, true);
        run_in(t, c, &m, &o);
        CHECK_EQ(t, o.status, WF_OK);
        CHECK_STR(t, strbuf_text(&o.text), "0");
        CHECK_STR(t, strbuf_text(&o.errors), "");
        wf_context_destroy(c);
        outcome_fini(&o);
        maker_fini(&m);
    }
    struct maker never = {0};
    make_spinning(&never, false);
    expect(t, "gtx1080ti", "base", 0, &never, WF_PROGRAM_FAILED, "",
           "kernel kernel will never end: since cycle");
}

// Odd warps end; even warps wait at a barrier.
static void test_deadlock(struct test *t)
{
    struct maker m = {0};
    bench_host(&m, false, 0);
    bench_begin(&m);
    maker_put(&m, srli(A2, A0, 5));
    maker_put(&m, andi(A2, A2, 1));
    uint32_t odd = maker_here(&m);
    maker_put(&m, bne(A2, X0, 0));
    maker_put(&m, csrwi(GROUP_END, 0));
    maker_land(&m, odd);
    bench_end(&m);
    expect(t, "titanv", "base", 0, &m, WF_PROGRAM_FAILED, "", "deadlock");
}

static bool soon(void *context) { return ++*(unsigned *)context > 3; }

static void test_interrupt(struct test *t)
{
    struct maker m = {0};
    struct outcome o = {0};
    unsigned asked = 0;
    struct wf_context *c = context_on(t, "gtx1080ti", "base");
    CHECK_EQ(t, wf_set(c, "sim.stall", "0"), WF_OK);
    wf_set_interrupt(c, soon, &asked);
    make_endless(&m);
    run_in(t, c, &m, &o);
    CHECK_EQ(t, o.status, WF_INTERRUPTED);
    CHECK_HAS(t, strbuf_text(&o.errors), "kernel kernel: interrupted after");
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(&m);
}

static bool once(void *context) { return !(*(unsigned *)context)++; }

// An interrupt of the host part, with no launch under way, ends the run and no later run of the context.
static void test_interrupt_of_host(struct test *t)
{
    struct maker endless = {0}, m = {0};
    struct outcome o = {0}, next = {0};
    unsigned asked = 0;
    struct wf_context *c = context_on(t, "gtx1080ti", "base");
    wf_set_interrupt(c, once, &asked);
    maker_put(&endless, jal(X0, 0));
    run_in(t, c, &endless, &o);
    CHECK_EQ(t, o.status, WF_INTERRUPTED);
    bench_host(&m, false, 0);
    bench_begin(&m);
    bench_end(&m);
    run_in(t, c, &m, &next);
    CHECK_EQ(t, next.status, WF_OK);
    CHECK_STR(t, strbuf_text(&next.errors), "");
    wf_context_destroy(c);
    outcome_fini(&o);
    outcome_fini(&next);
    maker_fini(&endless);
    maker_fini(&m);
}

// -- timelines ----------------------------------------------------------------------------------------------

// Timeline of a kernel on a GPU, in either format.
static void check_timeline(struct test *t, const char *gpu, bool is_konata)
{
    struct maker m = {0};
    struct outcome o = {0};
    struct strbuf out = {0};
    char pc[32];
    struct wf_context *c = context_on(t, gpu, "base");
    wf_watch(c, true);
    bench_host(&m, false, 0);
    uint32_t first = maker_here(&m);
    bench_begin(&m);
    bench_end(&m);
    run_in(t, c, &m, &o);
    report_timeline(wf_watched(c), is_konata, &out);
    snprintf(pc, sizeof pc, is_konata ? " 0x%04x: " : "\"pc\":\"0x%04x\"", first);
    CHECK_HAS(t, strbuf_text(&out), pc);
    snprintf(pc, sizeof pc, is_konata ? " 0x%04x: " : "\"pc\":\"0x%04x\"", (first - MAKER_CODE) * 2);
    CHECK(t, !strstr(strbuf_text(&out), pc)); // addresses are not scaled to instructions of eight bytes
    CHECK_HAS(t, strbuf_text(&out), "csrrs a0, 0xf14, zero");
    CHECK_HAS(t, strbuf_text(&out), "slli a1, a0, 2");
    CHECK_HAS(t, strbuf_text(&out), "csrrwi zero, 0x830, 3");
    strbuf_fini(&out);
    wf_context_destroy(c);
    outcome_fini(&o);
    maker_fini(&m);
}

static void test_timeline(struct test *t)
{
    for (int is_konata = 0; is_konata < 2; is_konata++) {
        check_timeline(t, "gtx1080ti", is_konata);
        check_timeline(t, "simtight-ads", is_konata);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"room", test_room},
        {"cycles", test_cycles},
        {"stacks", test_stacks},
        {"faults", test_faults},
        {"failing", test_failing},
        {"endless", test_endless},
        {"spinning", test_spinning},
        {"deadlock", test_deadlock},
        {"interrupt", test_interrupt},
        {"interrupt_of_host", test_interrupt_of_host},
        {"interrupt of host", test_interrupt_of_host},
        {"timeline", test_timeline},
        {"settings", test_settings},
        {"account", test_account},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
