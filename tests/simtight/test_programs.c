// Whole programs on every form of the core, and on SMs with every mechanism, beside the oracle (compare.h).
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

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
