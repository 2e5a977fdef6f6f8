// Whole programs on every form of the core, and on SMs with every mechanism, beside the oracle (compare.h).
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/files.h"
#include "simtight/compare.h"
#include "tech/registry.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const gpus[] = {"simtight", "simtight-rfc", "simtight-rfc512", "simtight-rfc256",
                                   "simtight-ads"};
enum { PLAIN = 0, RFC256 = 3, GPUS = sizeof gpus / sizeof gpus[0] };

// Two SMs, and the n-th mechanism; every mechanism in the long form. With
// registers left over mechanisms have more to do.
static void run_on_sms(struct test *t, const struct compared *c, size_t n)
{
    size_t count = 0;
    while (tech_at_index(count)) count++;
    compared_run(c, t, "titanv", "");
    compared_run(c, t, "gtx1080ti", "sim.check=1");
    for (size_t k = 0; k < (test_is_long() ? count : 1); k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "tech=%s launch.registers=16 sim.check=1",
                 tech_at_index((n + k) % count)->name);
        compared_run(c, t, "gtx1080ti", settings);
    }
}

static void run_program(struct test *t, const char *elf, size_t n, uint64_t spills[GPUS])
{
    char path[256];
    size_t length;
    struct compared c;
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    char *bytes = test_read_file(t, path, &length);
    if (compared_init(&c, t, elf, bytes, length, 1)) {
        for (int k = 0; k < GPUS; k++) spills[k] += compared_run(&c, t, gpus[k], "");
        run_on_sms(t, &c, n);
        compared_fini(&c);
    }
    free(bytes);
}

// The quick form has a program that spills at 256 vectors, and a program with barriers of small groups.
static void test_programs(struct test *t)
{
    static const char *const quick[] = {"Transpose.elf", "Scan.elf", NULL};
    static const char *const all[] = {
        "VecAdd.elf",     "Histogram.elf",       "Reduce.elf",         "Scan.elf",         "Transpose.elf",
        "MatMul.elf",     "MatVecMul.elf",       "BitonicSm.elf",      "BitonicLa.elf",    "SPMV.elf",
        "VecGCD.elf",     "MotionEst.elf",       "BlkStencil.elf",     "StrStencil.elf",   "MatMulFloat.elf",
        "rv32e/Scan.elf", "rv32e/MotionEst.elf", "BitonicLaFloat.elf", "rv32e/MatMul.elf", NULL};
    uint64_t spills[GPUS] = {0};
    const char *const *elfs = test_is_quick() ? quick : all;
    for (size_t n = 0; elfs[n]; n++) run_program(t, elfs[n], n, spills);
    CHECK_EQ(t, spills[PLAIN], 0);
    CHECK(t, spills[RFC256] > 0);
}

// -- other shapes -------------------------------------------------------------------------------------------
struct summed {
    uint64_t threads, warps, mismatches, scalarised, spills;
};

static void sum_up(void *context, struct wf_kernel *k, const struct wf_launch_config *shape,
                   const struct wf_stats *stats)
{
    struct summed *sum = context;
    (void)k, (void)shape;
    sum->threads += stats->thread_instructions;
    sum->warps += stats->warp_instructions;
    if (stats->verify_mismatches != WF_UNKNOWN) sum->mismatches += stats->verify_mismatches;
    for (size_t n = 0; n < stats->counter_count; n++) {
        if (str_equal(stats->counters[n].name, "simtight.scalarised"))
            sum->scalarised += stats->counters[n].value;
        if (str_equal(stats->counters[n].name, "simtight.spills")) sum->spills += stats->counters[n].value;
    }
}

static void keep_text(void *context, const char *text, size_t length) { strbuf_write(context, text, length); }

struct machine {
    const char *gpu, *lanes, *warps, *vectors;
};

// Small inputs. With the race detector a launch has no time: an interpreter's run of the same shape.
static struct summed run_shaped(struct test *t, const char *elf, const struct machine *m, bool is_timed)
{
    static const uint8_t input = 1;
    struct summed sum = {0};
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    struct wf_program_config config = {&input, 1, sum_up, &sum};
    struct wf_program_stats stats;
    char path[256];
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    wf_set_print(c, keep_text, &text);
    wf_set_verify(c, is_timed);
    CHECK_MSG(t,
              wf_gpu(c, m->gpu) == WF_OK && wf_set(c, "simt.warps", m->warps) == WF_OK &&
                  wf_set(c, "simt.lanes", m->lanes) == WF_OK &&
                  wf_set(c, "simt.vectors", m->vectors) == WF_OK &&
                  wf_set(c, "check.races", is_timed ? "0" : "1") == WF_OK,
              "%s", wf_errors(c));
    struct wf_module *module = wf_module_load_file(c, path);
    CHECK_MSG(t, module && wf_program_run(module, &config, &stats) == WF_OK, "%s: %s", elf, wf_errors(c));
    CHECK_MSG(t, str_ends_with(strbuf_text(&text), ": self test passed\n"),
              "%s on %s, %s lanes, %s warps: %s", elf, m->gpu, m->lanes, m->warps, strbuf_text(&text));
    strbuf_fini(&text);
    wf_context_destroy(c);
    return sum;
}

// Machines with other lanes and warps. Left out are BitonicLa, made for 2,048 threads, and MatMul with fewer
// than 1,024.
static void test_shapes(struct test *t)
{
    static const struct machine machines[] = {{"simtight", "16", "64", "2048"},
                                              {"simtight-ads", "32", "32", "1023"},
                                              {"simtight-rfc", "16", "32", "128"},
                                              {"simtight-ads", "8", "64", "2047"}};
    static const char *const elfs[] = {"VecAdd.elf",    "Scan.elf",      "Transpose.elf",  "MatVecMul.elf",
                                       "BitonicSm.elf", "SPMV.elf",      "Histogram.elf",  "Reduce.elf",
                                       "VecGCD.elf",    "MotionEst.elf", "BlkStencil.elf", "StrStencil.elf"};
    for (size_t n = 0; n < TEST_COUNT(machines); n++) {
        const struct machine *m = &machines[n];
        struct summed all = {0};
        for (size_t k = 0; k < (test_is_quick() ? 3 : TEST_COUNT(elfs)); k++) {
            struct summed timed = run_shaped(t, elfs[k], m, true), plain = run_shaped(t, elfs[k], m, false);
            CHECK_EQ(t, timed.threads, plain.threads);
            CHECK_EQ(t, timed.warps, plain.warps);
            CHECK_EQ(t, timed.mismatches, 0);
            all.scalarised += timed.scalarised;
            all.spills += timed.spills;
        }
        CHECK_EQ(t, all.scalarised > 0, str_equal(m->gpu, "simtight-ads"));
        CHECK_EQ(t, all.spills > 0, str_equal(m->gpu, "simtight-rfc"));
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}, {"shapes", test_shapes}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
