// Whole programs on the core, in each of its forms, beside the oracle (compare.h).
#include "base/file.h"
#include "base/str.h"
#include "simtight/compare.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const gpus[] = {"simtight", "simtight-rfc", "simtight-rfc512", "simtight-rfc256",
                                   "simtight-ads"};
enum { PLAIN = 0, RFC256 = 3, GPUS = sizeof gpus / sizeof gpus[0] };

static void run_program(struct test *t, const char *elf, uint64_t spills[GPUS])
{
    char path[256], *bytes;
    const char *why;
    size_t length;
    struct compared c;
    snprintf(path, sizeof path, "kernels/riscv/elf/%s", elf);
    if (!file_read(path, &bytes, &length, &why)) {
        test_fail(t, __FILE__, __LINE__, "%s: %s", path, why);
        return;
    }
    if (compared_init(&c, t, elf, bytes, length, 1)) {
        for (int k = 0; k < GPUS; k++) spills[k] += compared_run(&c, t, gpus[k], "");
        compared_fini(&c);
    }
    free(bytes);
}

// In the quick form a program that spills at 256 vectors, and one with barriers of small groups.
static void test_programs(struct test *t)
{
    static const char *const quick[] = {"Transpose.elf", "Scan.elf", NULL};
    static const char *const all[] = {
        "VecAdd.elf",     "Histogram.elf",       "Reduce.elf",         "Scan.elf",         "Transpose.elf",
        "MatMul.elf",     "MatVecMul.elf",       "BitonicSm.elf",      "BitonicLa.elf",    "SPMV.elf",
        "VecGCD.elf",     "MotionEst.elf",       "BlkStencil.elf",     "StrStencil.elf",   "MatMulFloat.elf",
        "rv32e/Scan.elf", "rv32e/MotionEst.elf", "BitonicLaFloat.elf", "rv32e/MatMul.elf", NULL};
    uint64_t spills[GPUS] = {0};
    for (const char *const *elf = test_is_quick() ? quick : all; *elf; elf++) run_program(t, *elf, spills);
    CHECK_EQ(t, spills[PLAIN], 0);
    CHECK(t, spills[RFC256] > 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
