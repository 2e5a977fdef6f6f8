// Compact affine execution counted by hand: instructions that work on base and stride, expansions to lanes,
// comparisons decided by two lanes. Unchanged results: tests/tech/test_kernels.c and tests/differential,
// where lanes of affine registers are spoilt.
#include "harness/scene.h"

#include <stdio.h>

#define PLAN                                                                                                 \
    {                                                                                                        \
        .settings = "icache.perfect=1", .block = {32}, .bytes = 1 << 16, .verify = true                      \
    }

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

// Lanes not needed for an affine result are counted as spared.
static void compare(const struct scene *with, const struct scene *without)
{
    CHECK_EQ(with->t, scene_lanes(with) + scene_counter(with, "cae.spared"), scene_lanes(without));
}

static void test_counted(struct test *t)
{
    static const struct scene_row rows[] = {{"cae", "", chain, 32, {7, 7 * 30, 7, 3, 3, 0}}};
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"affine", "spared", "writes", "expanded", "sm.issue.copies", "parted+diverged"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
}

// Rows of threads that are not whole warps: threadIdx.x is not affine, nor is any value derived from it.
static void test_shapes(struct test *t)
{
    static const struct {
        uint32_t x, y;
        uint64_t affine;
    } rows[] = {{16, 4, 2 * 2}, // R1 and R6
                {64, 2, 4 * 7}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct scene_plan plan = PLAN;
        plan.tech = "cae";
        plan.text = chain;
        plan.block[0] = rows[k].x;
        plan.block[1] = rows[k].y;
        if (scene_begin(&s, t, &plan)) scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "cae.affine"), rows[k].affine);
        scene_end(&s);
    }
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
    static const struct scene_row rows[] = {{"cae:spoil=1", "", text, 32, {4, 1, 3}}};
    static const struct scene_table table = {
        .plan = PLAN, .columns = {"affine", "parted", "expanded"}, .rows = rows, .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

// An address is taken as base and stride; stored data are expanded.
static void test_memory(struct test *t)
{
    static const char text[] =
        "S2R R0, SR_TID.X\nMOV R3, c[0x0][0x164]\nSHL R1, R0, 0x2\nIADD3 R2, R1, c[0x0][0x160], RZ\n"
        "LDG.E R4, [R2]\nSTG.E [R2], R4\nSTG.E [R2], R1\nEXIT\n";
    static const struct scene_row rows[] = {
        {"cae:spoil=1", "", text, 32, {4, 3, 1}},            // R1 is expanded
        {"cae:memory=off,spoil=1", "", text, 32, {4, 0, 3}}, // R2, R3 and R1 are
    };
    static const struct scene_table table = {.plan = PLAN,
                                             .columns = {"affine", "addresses", "expanded"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
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
        const struct scene_row launches[] = {
            {"cae:spoil=1", "", text, 32, {rows[k].is_affine, !rows[k].is_affine}},
            {"cae:branches=off", "", text, 32, {0, 1}},
        };
        const struct scene_table table = {.plan = PLAN,
                                          .columns = {"compared", "expanded"},
                                          .rows = launches,
                                          .count = TEST_COUNT(launches)};
        scene_check_table(t, &table);
        CHECK_MSG(t, !test_failed(t), "%s", text);
        if (test_failed(t)) return;
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted},
                                             {"shapes", test_shapes},
                                             {"parted", test_parted},
                                             {"memory", test_memory},
                                             {"compared", test_compared}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
