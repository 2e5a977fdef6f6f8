// WIR counted by hand: warps that repeat an instruction, equal values of different instructions, registers written in
// some lanes, loads before and behind a store, a buffer of one entry, a pool without a free register. Unchanged results:
// tests/tech/test_kernels.c and tests/differential; racing warps: test_litmus.c.
#include "harness/scene.h"

#define PLAN                                                                                                 \
    {                                                                                                        \
        .settings = "icache.perfect=1", .block = {32}, .bytes = 4096, .verify = true                         \
    }

// Four warps execute three instructions each; three warps reuse all of the first one's.
static void test_repeated(struct test *t)
{
    static const char repeat[] = "MOV R1, c[0x0][0x160]\nIADD3 R2, R1, 0x4, RZ\nIADD3 R3, R2, R1, RZ\nEXIT\n";
    // R2 and R4 are 7; R4 gets the register of R2, which is read back. So R6 is the same sum as R5.
    static const char equal[] = "MOV R1, 0x6\nIADD3 R2, R1, 0x1, RZ\nMOV R3, 0x5\nIADD3 R4, R3, 0x2, RZ\n"
                                "IADD3 R5, R2, 0x3, RZ\nIADD3 R6, R4, 0x3, RZ\nEXIT\n";
    static const char apart[] = "MOV R1, 0x6\nIADD3 R2, R1, 0x1, RZ\nIADD3 R3, R1, 0x2, RZ\n"
                                "IADD3 R4, R1, 0x1, RZ\nEXIT\n";
    // 0x9 is not a source of the sum: another immediate is another operation.
    static const char other[] = "MOV R1, 0x6\nIADD3 R2, R1, 0x1, RZ\nIADD3 R3, R1, -R1, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"wir", "", repeat, 128, {9, 12, 3, 3, 0, 0, 3, 3}},
        {"wir", "", equal, 32, {1, 6, 5, 5, 1, 1, 4, 4}},
        {"wir:signatures=1", "", equal, 32, {0, 6, 6, 6, 1, 1, 5, 5}},
        {"wir", "", apart, 32, {1, 4, 3, 3, 0, 0, 3, 2}},
        {"wir:entries=1", "", apart, 32, {0, 4, 4, 4, 1, 1, 3, 4}},
        {"wir", "", other, 32, {0, 3, 3, 3, 0, 0, 3, 3}},
    };
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"reused", "lookups", "filled", "results", "found", "merged", "sm.operand.writes",
                    "sm.operand.reads"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// Two warps run side by side. The second finds the entry of each sum before the sum is there.
static void test_pending(struct test *t)
{
    static const char sums[] = "MOV R1, 0x6\nIADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"wir", "", sums, 64, {3, 3, 3, 0}},
        {"wir:pending=execute", "", sums, 64, {0, 3, 3, 3}},
    };
    static const struct scene_table table = {.plan = PLAN,
                                             .columns = {"reused", "pending", "filled", "merged"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

// A register written in eight lanes is the warp's alone, and a sum of it is not reused. The value of the other
// lanes moves first if the register is shared.
static void test_lanes(struct test *t)
{
    static const char some[] =
        "S2R R0, SR_LANEID\nMOV R1, 0x5\nMOV R2, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n"
        "@P0 IADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nIADD3 R4, R2, 0x1, RZ\n"
        // written in all lanes, the register is shared again
        "MOV R2, 0x5\nIADD3 R5, R2, 0x1, RZ\nIADD3 R6, R1, 0x1, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"wir", "", some, 32, {3, 1, 1, 1, 2}},
    };
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"reused", "diverged", "pinned", "copies", "not_shared"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

#define ADDRESS "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n"

// A warp reads the same word again and again, by another address register each time; the second warp does as the first,
// some cycles later. Rows tell what stands between the first load and the second.
static void test_loads(struct test *t)
{
#define TWO(load, between)                                                                                   \
    ADDRESS "MOV R8, 0x0\nS2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x20, PT\n"                             \
            "@P0 BRA first\nLDG.E R6, [R2+0x200]\nIADD3 R7, R6, RZ, RZ\n"                                    \
            "LDG.E R6, [R2+0x300]\nIADD3 R7, R6, RZ, RZ\n" between "first:\n" load                           \
            "IADD3 R5, R4, 0x1, RZ\nEXIT\n"
    static const char plain[] = TWO("LDG.E R4, [R2]\n", ""),
                      stored[] = TWO("LDG.E R4, [R2]\n", "STG.E [R2+0x100], R8\n"),
                      fenced[] = TWO("LDG.E R4, [R2]\n", "MEMBAR.SC.GPU\n"),
                      ordered[] = TWO("LDG.E R4, [R2]\n", "LDG.E.STRONG.GPU R6, [R2+0x100]\n"),
                      again[] = ADDRESS "LDG.E R4, [R2]\nIADD3 R5, R4, 0x1, RZ\nLDG.E R6, [R2]\n"
                                        "IADD3 R7, R6, 0x1, RZ\nEXIT\n",
                      stale[] = ADDRESS "MOV R8, 0x7\nLDG.E R4, [R2]\nIADD3 R5, R4, 0x1, RZ\n"
                                        "STG.E [R2], R8\nLDG.E R6, [R2]\nIADD3 R7, R6, 0x1, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        // loads reused, entries ended at a lookup, what ends entries
        {"wir", "", plain, 64, {1, 0, 0}},
        {"wir:loads=off", "", plain, 64, {0, 0, 0}},
        {"wir", "", stored, 64, {0, 1, 1}},
        {"wir", "", fenced, 64, {0, 1, 1}},
        {"wir:loads=unsound", "", fenced, 64, {1, 0, 0}},
        {"wir", "", ordered, 64, {0, 1, 1}},
        {"wir:loads=unsound", "", ordered, 64, {1, 0, 0}},
        // a warp does not take its own load again
        {"wir", "", again, 32, {0, 1, 0}},
        {"wir:loads=unsound", "", again, 32, {1, 0, 0}},
        {"wir:loads=unsound", "", stale, 32, {0, 1, 1}},
    };
    static const struct scene_table table = {
        .plan = PLAN, .columns = {"loads", "ended", "epochs"}, .rows = rows, .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

// A flipped bit in the register of a reused result is a wrong value for the reader. So is a result of eight lanes, taken
// for one of all lanes.
static void test_corrupted(struct test *t)
{
    static const char some[] = "S2R R0, SR_LANEID\nMOV R1, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n"
                               "@P0 IADD3 R2, R1, 0x1, RZ\nIADD3 R3, R1, 0x1, RZ\nEXIT\n";
    static const char sums[] = "MOV R1, 0x6\nIADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"wir", "", sums, 64, {0}},
        {"wir:corrupt=1", "", sums, 64, {1}},
        {"wir:corrupt=3", "", sums, 64, {1}},
        {"wir:corrupt=4", "", sums, 64, {0}}, // three instructions are reused
        {"wir", "", some, 32, {0}},
        {"wir:pins=unsound", "", some, 32, {1}},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct scene_plan plan = PLAN;
        plan.tech = rows[k].tech, plan.text = rows[k].text, plan.block[0] = rows[k].threads;
        if (scene_begin(&s, t, &plan)) scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "mismatches") > 0, rows[k].counts[0]);
        scene_end(&s);
    }
}

// Three warps of 2 registers each have 6 registers on the SM: entries give theirs up, and results go on being written.
static void test_full(struct test *t)
{
    static const char many[] = "S2R R0, SR_TID.X\nMOV R9, 0x20\nloop:\nIADD3 R0, R0, 0x1, RZ\n"
                               "IADD3 R1, R0, R9, RZ\nIADD3 R9, R9, -0x1, RZ\n"
                               "ISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n";
    static const struct scene_row rows[] = {
        {"wir", "", many, 96, {1}},
        {"wir:entries=2", "", many, 96, {0}},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct scene_plan plan = PLAN;
        plan.tech = rows[k].tech, plan.text = rows[k].text, plan.block[0] = rows[k].threads;
        if (scene_begin(&s, t, &plan)) scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "wir.given_up") > 0, rows[k].counts[0]);
        CHECK_EQ(t, scene_counter(&s, "mismatches"), 0);
        scene_end(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"repeated", test_repeated},   {"pending", test_pending},
                                             {"lanes", test_lanes},         {"loads", test_loads},
                                             {"corrupted", test_corrupted}, {"full", test_full}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
