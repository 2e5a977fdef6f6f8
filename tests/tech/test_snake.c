// Snake counted by hand: links of a loop and between loads, chains of several links, the stride from warp to warp, a
// stride that changes, and the buffer full of lines not wanted yet. Unchanged results: tests/tech/test_kernels.c
// and tests/differential.
#include "harness/scene.h"

#define CACHED "l1.global=1 l1.allocate=miss icache.perfect=1"
#define PLAN                                                                                                 \
    {                                                                                                        \
        .settings = CACHED, .block = {32}, .bytes = 1 << 16                                                  \
    }

// A warp reads 16 lines in turn and waits for every reply. `next` advances the address in R2.
#define STREAM(next)                                                                                         \
    "S2R R0, SR_TID.X\nMOV R4, 0x4\nMOV R9, 0x10\nMOV R10, 0x80\nMOV R11, 0x8\n"                             \
    "IMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"                                                                  \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\n" next "IADD3 R9, R9, -0x1, RZ\n"                          \
    "ISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"
#define STEADY STREAM("IADD3 R2, R2, R10, RZ\n")

// The third address confirms the stride of the loop's only link. With depth 1 each of the 14 further loads asks for
// the next line; with depth 4 the first of the 14 asks for 4 lines, the others for the fourth alone.
static void test_loop(struct test *t)
{
    static const struct scene_row rows[] = {
        {"snake:throttle=off,depth=1", "", STEADY, 0, {16, 13, 0, 1, 14, 14, 0, 3}},
        {"snake:throttle=off,depth=1,lines=first", "", STEADY, 0, {16, 13, 0, 1, 14, 14, 0, 3}},
        {"snake:throttle=off", "", STEADY, 0, {16, 13, 0, 1, 56, 17, 39, 3}},
        {"snake:throttle=off,buffer=0", "", STEADY, 0, {16, 13, 0, 1, 56, 17, 39, 3}},
        {"snake:throttle=off,train=4", "", STEADY, 0, {16, 11, 0, 1, 48, 15, 33, 5}},
        {"snake:throttle=off,links=0", "", STEADY, 0, {16, 0, 0, 0, 0, 0, 0, 16}},
        {"snake:throttle=off,depth=0", "", STEADY, 0, {16, 13, 0, 1, 0, 0, 0, 16}},
        // stride 0x80 for 8 loads, then 0x100: a load strays, and two more confirm the new stride
        {"snake:throttle=off,depth=1",
         "",
         STREAM("ISETP.EQ.AND P1, PT, R9, R11, PT\n@P1 MOV R10, 0x100\nIADD3 R2, R2, R10, RZ\n"),
         0,
         {16, 11, 1, 2, 13, 13, 0, 5}},
    };
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"loads", "linked", "strayed", "learned", "walked", "asked", "near", "sm.l1.misses"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// Eight blocks of a warp, one after the other, with three loads at irregular distances. Two blocks teach the two
// links; from then on the first load asks for the lines of the other two, which no stride of one instruction
// foresees.
static void test_chain(struct test *t)
{
    static const char chain[] =
        "S2R R0, SR_CTAID.X\nMOV R4, 0x80\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"
        "LDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nLDG.E R5, [R2+0x1080]\nIADD3 R6, R5, R6, RZ\n"
        "LDG.E R5, [R2+0x3800]\nIADD3 R6, R5, R6, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"snake:throttle=off", "", chain, 0, {24, 12, 2, 18, 12, 12, 12}},
        {"snake:throttle=off,depth=1", "", chain, 0, {24, 12, 2, 12, 12, 12, 12}},
        {"snake:throttle=off,links=1", "", chain, 0, {24, 0, 0, 0, 0, 0, 24}},
    };
    static const struct scene_table table = {
        .plan = {.settings = CACHED " sm.blocks=1", .block = {32}, .blocks = 8, .bytes = 1 << 16},
        .columns = {"loads", "linked", "learned", "walked", "asked", "useful+late", "sm.l1.misses"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// Sixteen warps of a block read a line each: the third warp confirms the stride, and each warp from the third on
// asks for the line of the next.
static void test_between(struct test *t)
{
    static const char once[] =
        "S2R R0, SR_TID.X\nMOV R4, 0x4\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\nLDG.E R5, [R2]\n"
        "IADD3 R6, R5, R6, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"snake:throttle=off", "", once, 512, {16, 14, 0, 0}},
        {"snake:throttle=off,between=0", "", once, 512, {16, 0, 0, 0}},
    };
    static const struct scene_table table = {.plan = PLAN,
                                             .columns = {"loads", "between", "linked", "walked"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

// The chain runs 16 lines ahead of a warp that reads on: eight lines fill the buffer, and further lines are not
// requested before a load takes a line. Without the rule, lines are replaced before use.
static void test_room(struct test *t)
{
    static const struct {
        const char *tech;
        bool is_crowded;
    } rows[] = {{"snake:throttle=off,depth=16,buffer=8,period=1000000", true},
                {"snake:throttle=off,depth=16,buffer=8,room=off", false}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        struct scene_plan plan = PLAN;
        plan.tech = rows[k].tech;
        plan.text = STEADY;
        if (scene_begin(&s, t, &plan)) scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "snake.crowded") > 0, rows[k].is_crowded);
        CHECK(t, rows[k].is_crowded || scene_counter(&s, "snake.replaced") > 0);
        scene_end(&s);
    }
}

// With loads that bypass L1 the mechanism does nothing.
static void test_past_l1(struct test *t)
{
    static const struct scene_row rows[] = {{"snake", "l1.global=0", STEADY, 0, {0}}};
    static const struct scene_table table = {.plan = {.block = {32}, .bytes = 1 << 16},
                                             .columns = {"loads+asked"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"loop", test_loop},
                                             {"chain", test_chain},
                                             {"between", test_between},
                                             {"room", test_room},
                                             {"past_l1", test_past_l1}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
