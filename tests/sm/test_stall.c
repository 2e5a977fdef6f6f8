// Launches that never end are stopped and reported; no launch that would end is stopped.
#include "chip/bench.h"
#include "exec/spinners.h"

#include <stdio.h>
#include <string.h>

#define SOON "sim.stall=4000 sim.patience=100000 "

static void check_report(struct test *t, const struct spinner *p, const struct gpu_bench *b,
                         enum spinner_end o)
{
    const char *text = b->m.fault.text;
    if (o == SPINNER_ENDS || !text) return;
    CHECK_HAS(t, text, o == SPINNER_STALLS ? "will never end" : "(sim.patience=100000; 0 waits for ever)");
    CHECK_HAS(t, text, "SM 0, block (0,0,0), warp 0: waits for");
    if (!strstr(p->text, "BAR")) CHECK_HAS(t, text, "; goes round pc 0x");
    if (strstr(p->text, "wait:\nLDG.E R5, [R2]\n"))
        CHECK_HAS(t, text,
                  "; reads global 0x10000000 (4 bytes: 0x0), 0 bytes into buffer (256 bytes at 0x10000000)");
    // Two diverged parts alternate every 256 rounds.
    uint64_t soon = b->m.launch.simt == SIMT_SPLITS ? 600000 : o == SPINNER_WAITS ? 200000 : 60000;
    CHECK_MSG(t, b->result.cycles < soon, "%s: %llu", p->what, (unsigned long long)b->result.cycles);
}

static void run_one(struct test *t, const struct spinner *p, const char *settings, unsigned threads,
                    enum spinner_end o)
{
    char all[200];
    struct gpu_bench b;
    // `simt` is no setting of a GPU; circles under splits are long
    bool is_simt = strncmp(p->settings, "simt", 4) == 0;
    snprintf(all, sizeof all, SOON "%s %s", is_simt ? "sim.patience=0" : p->settings, settings);
    if (gpu_bench_init(&b, t, "tiny", all, p->text, p->threads)) {
        b.max_cycles = 1000000;
        b.threads = threads;
        b.m.launch.grid[0] = p->blocks;
        b.m.launch.simt = strstr(p->settings, "simt=splits") ? SIMT_SPLITS : SIMT_STACK;
        machine_buffer(&b.m, 256);
        bool ended = gpu_bench_run(&b);
        CHECK_MSG(t,
                  ended == (o == SPINNER_ENDS) &&
                      b.m.fault.kind == (o == SPINNER_ENDS ? FAULT_NONE : FAULT_STALL),
                  "%s (%s): %s", p->what, all, b.m.fault.text ? b.m.fault.text : "ended");
        check_report(t, p, &b, o);
    }
    gpu_bench_fini(&b);
}

static void run_all(struct test *t, enum spinner_end o)
{
    static const char *const settings[] = {"", "issue.scheduler=lrr",
                                           "issue.scheduler=two-level issue.dependences=encoded",
                                           "sim.check=1 lsu.queue=1"};
    const struct spinner *p;
    for (size_t k = 0; (p = spinner_at(o, k)) != NULL; k++)
        for (size_t n = 0; n < TEST_COUNT(settings); n++) run_one(t, p, settings[n], n == 1 ? 2 : 1, o);
}

static void test_stalled(struct test *t) { run_all(t, SPINNER_STALLS); }
static void test_waiting(struct test *t) { run_all(t, SPINNER_WAITS); }
static void test_ending(struct test *t) { run_all(t, SPINNER_ENDS); }

// With sim.patience=0 a waiting launch is not stopped.
static void test_patience(struct test *t)
{
    struct gpu_bench b;
    if (gpu_bench_init(&b, t, "tiny", SOON "sim.patience=0", spinner_at(SPINNER_WAITS, 0)->text, 64)) {
        b.max_cycles = 500000;
        machine_buffer(&b.m, 256);
        CHECK(t, !gpu_bench_run(&b) && b.m.fault.kind == FAULT_LIMIT);
    }
    gpu_bench_fini(&b);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"stalled", test_stalled},
        {"waiting", test_waiting},
        {"ending", test_ending},
        {"patience", test_patience},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
