// DAC-IDEAL: instructions of the affine stream and expansions of tuples, counted by hand.
#include "harness/scene.h"

// Only instructions outside the affine stream expand tuples: the stores. The leader reads tuples as they are.
static void test_expanded(struct test *t)
{
    static const char chain[] = ".shared 256\n"
                                "S2R R0, SR_TID.X\n"
                                "IADD3 R1, R0, 0x4, RZ\n" // led, of one tuple
                                "SHL R2, R0, 0x2\n"
                                "IADD3 R3, R2, R1, RZ\n" // led, of two tuples, which the store expands
                                "STS [R2], R3\n"
                                "STS [R2], R3\n" // the lanes of both registers have their values already
                                "EXIT\n";
    static const char predicates[] = ".shared 256\n"
                                     "S2R R0, SR_TID.X\n"
                                     "SHL R2, R0, 0x2\n"
                                     "MOV R5, 0x4\n"
                                     "ISETP.NE.AND P0, PT, R5, RZ, PT\n"
                                     "SEL R1, R0, R5, P0\n" // led
                                     "@P0 STS [R2], R1\n"
                                     "EXIT\n";
    static const struct scene_row rows[] = {
        {"dac", "", chain, 64, {4, 4, 2 * 2, 0}},
        {"dac", "", predicates, 64, {5, 5, 2 * 2, 2}},
    };
    static const struct scene_table table = {
        .plan = {.verify = true},
        .columns = {"led", "skipped", "expanded", "expanded_preds"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"expanded", test_expanded}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
