// G-Scalar: instructions executed on a single lane, counted by hand; energy alone changes.
#include "harness/scene.h"

// Energy alone changes: the launch has the time of the launch without mechanisms, on fewer lanes.
static void compare(const struct scene *with, const struct scene *without)
{
    CHECK_EQ(with->t, scene_lanes(with) + scene_counter(with, "gscalar.lanes"), scene_lanes(without));
    CHECK_EQ(with->t, with->bench.result.cycles, without->bench.result.cycles);
}

static void test_counted(struct test *t)
{
    static const char chain[] = "S2R R0, SR_TID.X\n"      // a value for every lane
                                "MOV R1, c[0x0][0x160]\n" // a single lane; a uniform value
                                "IADD3 R2, R1, 0x4, RZ\n" // of one uniform source
                                "IADD3 R3, R2, R1, RZ\n"  // of two uniform sources
                                "IADD3 R4, R0, R3, RZ\n"  // R3 is read as a word, R0 is not uniform
                                "EXIT\n";
    // 24 lanes add to a uniform register; the result is not uniform.
    static const char apart[] =
        "S2R R0, SR_TID.X\nMOV R1, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 BRA out\n"
        "IADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nout:\nEXIT\n";
    // Half warps with uniform values.
    static const char halves[] = "S2R R0, SR_TID.X\nSHR.U32 R1, R0, 0x4\nIADD3 R2, R1, 0x1, RZ\nEXIT\n";
    // A uniform value comes from memory for every lane; the address is uniform.
    static const char loads[] =
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\nIADD3 R5, R4, R4, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"gscalar", "", chain, 32, {3, 0, 3 * 31, 4, 3, 4, 3}},
        {"gscalar", "", apart, 32, {2, 1, 31 + 23, 1, 1, 1, 1}},
        {"gscalar:divergent=off", "", apart, 32, {1, 0, 31, 1, 1, 1, 1}},
        {"gscalar:parts=4", "", apart, 32, {3, 2, 28 + 21 + 21, 2 * 4, 3 * 4, 2, 3}},
        {"gscalar", "", halves, 32, {0, 0, 0, 0, 0, 0, 0}},
        {"gscalar:parts=2", "", halves, 32, {1, 0, 30, 1 * 2, 2 * 2, 1, 2}},
        {"gscalar", "", loads, 32, {4, 0, 4 * 31, 4, 4, 4, 4}},
        {"gscalar:loads=off", "", loads, 32, {3, 0, 3 * 31, 4, 4, 4, 4}},
    };
    static const struct scene_table table = {
        .plan = {.bytes = 4096, .verify = true},
        .columns = {"scalar", "divergent", "lanes", "words_read", "words_written", "-sm.operand.reads",
                    "-sm.operand.writes"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
