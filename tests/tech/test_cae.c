// Compact affine execution counted by hand: instructions that work on base and stride, expansions to lanes,
// comparisons decided by two lanes. Unchanged results: tests/tech/test_kernels.c and tests/differential,
// where lanes of affine registers are spoilt.
#include "base/str.h"
#include "chip/bench.h"
#include "tech/cae/cae.h"
#include "tech/registry.h"

#include <stdio.h>
#include <string.h>

enum counter {
#define COUNTER(name, unit, meaning) COUNT_##name,
#include "tech/cae/counters.def"
#undef COUNTER
    COUNT_TOTAL
};

struct counted {
    uint64_t cae[COUNT_TOTAL], mismatches, copies, lanes, cycles;
};

static struct counted run(struct test *t, const char *tech, const char *text, const uint32_t block[3])
{
    struct tech_choice choice;
    struct gpu_bench b;
    struct diag d;
    struct counted n = {.cycles = 0};
    diag_init(&d);
    tech_choice_init(&choice);
    CHECK_MSG(t, tech_choose(&choice, tech, &d), "%s", tech);
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1", text, block[0] * block[1] * block[2])) {
        memcpy(b.m.launch.block, block, sizeof b.m.launch.block);
        for (unsigned k = 0; k < choice.count; k++) choice.uses[k].verify = true;
        b.config.techs = choice.uses;
        b.config.tech_count = choice.count;
        machine_buffer(&b.m, 1 << 16);
        gpu_cycles(&b);
        if (choice.count) memcpy(n.cae, b.result.techs[0], sizeof n.cae);
        n.mismatches = b.result.mismatches;
        n.copies = b.result.gpu.issue_copies;
        n.cycles = b.result.cycles;
        for (unsigned k = 0; k < LANES_COUNT; k++) n.lanes += b.result.gpu.lanes[k];
    }
    gpu_bench_fini(&b);
    tech_choice_fini(&choice);
    diag_fini(&d);
    return n;
}

static const uint32_t one_warp[3] = {32, 1, 1};

// Registers as base and stride, in the order of the code, a row per register; the last two are not affine.
static const char chain[] = "S2R R0, SR_TID.X\n"
                            "MOV R1, c[0x0][0x160]\n"
                            "IADD3 R2, R0, R1, RZ\n"
                            "SHL R3, R2, 0x2\n"
                            "IMAD R4, R3, R1, R0\n"
                            "IADD3 R5, -R4, 0x7, RZ\n"
                            "FADD R6, R1, R1\n"     // uniform sources
                            "IMAD R7, R2, R3, RZ\n" // a product of two affine values: R2 and R3 are expanded
                            "LOP3.LUT R8, R0, 0x3, RZ, 0xc0\n" // R0 is expanded
                            "EXIT\n";

static void test_counted(struct test *t)
{
    struct counted n = run(t, "cae", chain, one_warp), base = run(t, "base", chain, one_warp);
    CHECK_EQ(t, n.cae[COUNT_affine], 7);
    CHECK_EQ(t, n.cae[COUNT_spared], 7 * 30);
    CHECK_EQ(t, n.cae[COUNT_writes], 7);
    CHECK_EQ(t, n.cae[COUNT_expanded], 3);
    CHECK_EQ(t, n.copies, 3);
    CHECK_EQ(t, n.cae[COUNT_parted] + n.cae[COUNT_diverged] + n.mismatches, 0);
    CHECK_EQ(t, n.lanes + n.cae[COUNT_spared], base.lanes);
    // Rows that are not whole warps: threadIdx.x is not affine, nor is any value derived from it.
    static const uint32_t rows[3] = {16, 4, 1}, columns[3] = {64, 2, 1};
    CHECK_EQ(t, run(t, "cae", chain, rows).cae[COUNT_affine], 2 * 2); // R1 and R6
    CHECK_EQ(t, run(t, "cae", chain, columns).cae[COUNT_affine], 4 * 7);
}

// Partial writes: R1 is expanded before the write, and stays expanded.
// Values computed from R1 are not affine either.
static void test_parted(struct test *t)
{
    static const char text[] = "S2R R0, SR_TID.X\nMOV R1, 0x5\nMOV R2, 0x9\nSHL R3, R0, 0x1\n"
                               "ISETP.LT.U32.AND P0, PT, R0, 0x8, PT\n" // ends do not agree: R0 is expanded
                               "@P0 MOV R1, 0x6\n"
                               "IADD3 R4, R1, R2, RZ\n"     // R2 is expanded
                               "@P0 IADD3 R5, R3, R3, RZ\n" // R3 is expanded, and R5 is not kept compact
                               "EXIT\n";
    struct counted n = run(t, "cae:spoil=1", text, one_warp);
    CHECK_EQ(t, n.cae[COUNT_affine], 4);
    CHECK_EQ(t, n.cae[COUNT_parted], 1);
    CHECK_EQ(t, n.cae[COUNT_expanded], 3);
    CHECK_EQ(t, n.mismatches, 0);
}

// An address is taken as base and stride; stored data are expanded.
static void test_memory(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_TID.X\nMOV R3, c[0x0][0x164]\nSHL R1, R0, 0x2\nIADD3 R2, R1, c[0x0][0x160], RZ\n"
        "LDG.E R4, [R2]\nSTG.E [R2], R4\nSTG.E [R2], R1\nEXIT\n";
    struct counted n = run(t, "cae:spoil=1", text, one_warp),
                   off = run(t, "cae:memory=off,spoil=1", text, one_warp);
    CHECK_EQ(t, n.cae[COUNT_affine], 4);
    CHECK_EQ(t, n.cae[COUNT_addresses], 3);
    CHECK_EQ(t, n.cae[COUNT_expanded], 1); // R1
    CHECK_EQ(t, off.cae[COUNT_addresses], 0);
    CHECK_EQ(t, off.cae[COUNT_expanded], 3); // R2, R3 and R1
    CHECK_EQ(t, n.mismatches + off.mismatches, 0);
}

// A comparison of lanes 0 to 31 from `base` on, `stride` apart, with
// `value`: whether the two end lanes decide it.
static void test_compared(struct test *t)
{
    static const struct {
        const char *compare;
        uint32_t base, stride, value;
        bool is_affine;
    } rows[] = {
        {"LT", 0, 1, 32, true},
        {"LT", 0, 1, 31, false},
        {"LT", 0, 1, 0, true},
        {"GE.U32", 5, 0, 5, true},
        {"LE", 0, 1, 31, true},
        {"LE", 0, 1, 30, false},
        {"GT", 0, 1, 0xffffffff, true},
        {"GT.U32", 0, 1, 0xffffffff, true},
        {"EQ", 0, 2, 7, false},
        {"EQ", 0, 2, 63, true},
        {"NE", 0, 2, 62, false},
        {"NE", 0, 2, 0xffffffff, true},
        {"EQ", 4, 0, 4, true},
        // Where lanes wrap around, the end lanes decide nothing: from the
        // greatest to the least value, or past 2^32.
        {"LT", 0x7ffffff0, 1, 0, false},
        {"LT.U32", 0xfffffff0, 1, 8, false},
        {"LT.U32", 0x7ffffff0, 1, 8, true},
        {"LT", 0xfffffff0, 1, 100, true},
        {"LT", 10, 0xffffffff, 100, true},
        {"LT", 10, 0xffffffff, 0, false}, // stride -1
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "S2R R0, SR_LANEID\nMOV R1, 0x%x\nIMAD R2, R0, 0x%x, R1\nISETP.%s.AND P0, PT, R2, 0x%x, "
                 "PT\nEXIT\n",
                 rows[k].base, rows[k].stride, rows[k].compare, rows[k].value);
        struct counted n = run(t, "cae:spoil=1", text, one_warp);
        CHECK_MSG(t, n.cae[COUNT_compared] == rows[k].is_affine && !n.mismatches, "%s", text);
        CHECK_EQ(t, n.cae[COUNT_expanded], rows[k].is_affine ? 0 : 1);
        n = run(t, "cae:branches=off", text, one_warp);
        CHECK_EQ(t, n.cae[COUNT_compared], 0);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted},
                                             {"parted", test_parted},
                                             {"memory", test_memory},
                                             {"compared", test_compared}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
