// R2D2 in a machine, counted by hand: coefficients once a kernel, thread parts once a kernel for each warp of a block,
// block parts once a block, operands as sums. Programs in which a value is no linear combination, or is one for some
// reader and not for another. Unchanged results in any other program: tests/tech/test_kernels.c, tests/differential.
#include "harness/scene.h"

#include <string.h>

enum { BYTES = 1 << 15 };

struct trial {
    const char *tech, *text;
    uint32_t block[3], blocks;
};

struct outcome {
    uint64_t removed, coefficients, threads, blocks, operands, sums, mismatches;
    uint32_t words[BYTES / 4];
};

static void play(struct test *t, const struct trial *x, const char *tech, struct outcome *o)
{
    struct scene s;
    const struct scene_plan plan = {.settings = "icache.perfect=1 sim.check=1",
                                    .tech = tech,
                                    .text = x->text,
                                    .block = {x->block[0], x->block[1], x->block[2]},
                                    .blocks = x->blocks,
                                    .bytes = BYTES,
                                    .verify = true};
    memset(o, 0, sizeof *o);
    if (scene_begin(&s, t, &plan)) {
        scene_transform(&s);
        scene_run(&s);
        memcpy(o->words, machine_words(&s.bench.m, s.buffer), sizeof o->words);
        o->removed = scene_counter_if_used(&s, "r2d2.removed");
        o->coefficients = scene_counter_if_used(&s, "r2d2.coefficients");
        o->threads = scene_counter_if_used(&s, "r2d2.threads");
        o->blocks = scene_counter_if_used(&s, "r2d2.blocks");
        o->operands = scene_counter_if_used(&s, "r2d2.operands");
        o->sums = scene_counter_if_used(&s, "r2d2.sums");
        o->mismatches = scene_counter(&s, "mismatches");
    }
    scene_end(&s);
}

// Counts of a launch with the same memory at its end as without the mechanism.
static void expect(struct test *t, const struct trial *x, const struct outcome *n)
{
    static struct outcome with, without;
    play(t, x, x->tech ? x->tech : "r2d2", &with);
    play(t, x, "base", &without);
    CHECK(t, memcmp(with.words, without.words, sizeof with.words) == 0);
    CHECK_EQ(t, with.mismatches, 0);
    CHECK_EQ(t, with.removed, n->removed);
    CHECK_EQ(t, with.coefficients, n->coefficients);
    CHECK_EQ(t, with.threads, n->threads);
    CHECK_EQ(t, with.blocks, n->blocks);
    CHECK_EQ(t, with.operands, n->operands);
    CHECK_EQ(t, with.sums, n->sums);
}

#define STORE    "LDG.E R8, [R2]\nIADD3 R8, R8, 0x1, RZ\nSTG.E [R2], R8\nEXIT\n"
#define WIDE     "MOV R9, 0x4\nIMAD.WIDE R2, R0, R9, c[0x0][0x160]\n"
#define BY_BLOCK "S2R R1, SR_CTAID.X\nLEA R0, R1, R0, 0x7\n"

// Each warp loses the index and its product. The address is read twice, two words each.
static void test_once_a_kernel(struct test *t)
{
    struct trial x = {.text = "S2R R0, SR_TID.X\n" WIDE STORE, .block = {128, 1, 1}};
    expect(t, &x, &(struct outcome){12, 3, 4, 0, 16, 16, 0, {0}});
    x.block[0] = 40; // the last warp has eight threads
    expect(t, &x, &(struct outcome){6, 3, 2, 0, 8, 8, 0, {0}});
    x.block[0] = 1; // the index is 0: a coefficient alone
    expect(t, &x, &(struct outcome){3, 3, 0, 0, 4, 0, 0, {0}});
}

static void test_once_a_block(struct test *t)
{
    struct trial x = {.text = "S2R R0, SR_TID.X\n" BY_BLOCK WIDE STORE, .block = {128, 1, 1}, .blocks = 8};
    expect(t, &x, &(struct outcome){32 * 5, 5, 4, 8, 128, 128, 0, {0}});
    // Two thread indices: an instruction for each, for each warp.
    x.text = "S2R R0, SR_TID.X\nS2R R4, SR_TID.Y\nLEA R0, R4, R0, 0x4\n" BY_BLOCK WIDE STORE;
    x.block[0] = 16, x.block[1] = 8;
    expect(t, &x, &(struct outcome){32 * 7, 7, 4 * 2, 8, 128, 128, 0, {0}});
}

// The way of Maxwell and Pascal: the words of a sum by a carry, and the upper word of a product by a shift.
static void test_words(struct test *t)
{
    struct trial x = {
        .text = "S2R R0, SR_TID.X\n" BY_BLOCK "SHL R2, R0, 0x2\nSHR R3, R0, 0x1e\n"
                "IADD3 R2, P0, R2, c[0x0][0x160], RZ\nIADD3.X R3, R3, c[0x0][0x164], RZ, P0\n" STORE,
        .block = {128, 1, 1},
        .blocks = 8};
    expect(t, &x, &(struct outcome){32 * 7, 7, 4, 8, 128, 128, 0, {0}});
    // A difference: no borrow.
    x.text = "S2R R0, SR_TID.X\nMOV R6, c[0x0][0x160]\nMOV R7, c[0x0][0x164]\nIADD3 R6, P1, R6, 0x4000, RZ\n"
             "IADD3.X R7, R7, RZ, RZ, P1\nSHL R2, R0, 0x2\nIADD3 R2, P0, R6, -R2, RZ\n"
             "IADD3.X R3, R7, -RZ, RZ, P0\n" STORE;
    x.blocks = 1;
    expect(t, &x, &(struct outcome){4 * 8, 8, 4, 0, 16, 16, 0, {0}});
    // A negative word is the lower word of no number known: its carry stays with the warps, and so does what reads that.
    x.text = "S2R R0, SR_TID.X\nIADD3 R4, -R0, RZ, RZ\nIADD3 R5, P0, R4, 0x4, RZ\n"
             "IADD3.X R8, RZ, c[0x0][0x164], RZ, P0\n" WIDE "STG.E [R2], R8\nEXIT\n";
    expect(t, &x, &(struct outcome){4 * 4, 4, 8, 0, 4 * 3, 4 * 2, 0, {0}});
    // Halves of words that fit into one.
    x.text = "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nXMAD.U16.U16 R4, R1, c[0x0][0x0], R0\n"
             "XMAD.MRG.U16.U16 R5, R1, c[0x0][0x0].H1, RZ\nXMAD.PSL.CBCC.U16.U16 R0, R1.H1, R5.H1, R4\n" WIDE
                 STORE;
    x.blocks = 8;
    expect(t, &x, &(struct outcome){32 * 7, 7, 4, 8, 128, 128, 0, {0}});
}

// What brings a value to a loop, to a join or under a guard stays with the warps. Its sources do not.
static void test_merges(struct test *t)
{
    struct trial x = {.text =
                          "S2R R0, SR_TID.X\nSHL R4, R0, 0x1\nIADD3 R5, R4, 0x3, RZ\nMOV R6, 0x0\nloop:\n"
                          "IADD3 R5, R5, R4, RZ\nIADD3 R6, R6, 0x1, RZ\n"
                          "ISETP.LT.AND P0, PT, R6, 0x3, PT\n@P0 BRA loop\n" WIDE "STG.E [R2], R5\nEXIT\n",
                      .block = {64, 1, 1}};
    // In the loop R4 is read three times.
    expect(t, &x, &(struct outcome){2 * 4, 4, 2 * 2, 0, 2 * (1 + 3 + 2), 2 * 2, 0, {0}});
    x.text = "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x10, PT\nSHL R5, R0, 0x1\n@P0 IADD3 R5, R0, 0x7, "
             "RZ\n" WIDE "STG.E [R2], R5\nEXIT\n";
    // read: the index by the comparison, the shift and the guarded sum
    expect(t, &x, &(struct outcome){2 * 3, 3, 2 * 2, 0, 2 * (3 + 2), 2 * 2, 0, {0}});
}

// R5 is linear in the lanes of one side of a branch, and has a loaded value in the lanes of the other.
static void test_sides(struct test *t)
{
#define SIDES(guard)                                                                                         \
    "S2R R0, SR_TID.X\n" WIDE "ISETP.LT.AND P0, PT, R0, 0x10, PT\nLDG.E R5, [R2+0x100]\n"                    \
    "@" guard " BRA one, join both\nIADD3 R7, R5, 0x1, RZ\nBRA both\n"                                       \
    "one:\nSHL R5, R0, 0x3\nLOP3.LUT R7, R5, 0x10, RZ, 0xc0\nboth:\nSTG.E [R2], R7\nEXIT\n"
    struct trial x = {.text = SIDES("P0"), .block = {32, 1, 1}};
    expect(t, &x, &(struct outcome){4, 4, 3, 0, 1 + 2 + 1 + 2, 4, 0, {0}});
    x.text = SIDES("!P0");
    expect(t, &x, &(struct outcome){4, 4, 3, 0, 1 + 2 + 1 + 2, 4, 0, {0}});
}

// 2^31 + 4·i in a signed word wraps, and its extension is no sum of extensions; 3·2^29 + 4·i does not wrap.
static void test_wraps(struct test *t)
{
#define EXTENDED(base)                                                                                       \
    "S2R R0, SR_TID.X\nIADD3 R1, R0, " base ", RZ\nSHR R4, R1, 0x4\n" WIDE "STG.E [R2], R4\nEXIT\n"
    struct trial x = {.text = EXTENDED("0x60000000"), .block = {32, 1, 1}};
    static struct outcome unsound, base;
    // the address is removed; the shift does not fit into a thread part, and reads R1
    expect(t, &x, &(struct outcome){4, 4, 2, 0, 1 + 2, 3, 0, {0}});
    x.text = "S2R R0, SR_TID.X\nIADD3 R1, R0, 0x7ffffff0, RZ\nMOV R6, 0x4\nIMAD.WIDE R4, R1, R6, RZ\n" WIDE
             "STG.E [R2], R5\nEXIT\n";
    expect(t, &x, &(struct outcome){5, 5, 2, 0, 2 + 2, 3, 0, {0}});
    play(t, &x, "r2d2:wrap=unsound", &unsound);
    play(t, &x, "base", &base);
    CHECK(t, unsound.mismatches > 0);
    CHECK(t, memcmp(unsound.words, base.words, sizeof base.words) != 0);
    x.text = "S2R R0, SR_TID.X\nIADD3 R1, R0, 0x7fffff00, RZ\nMOV R6, 0x4\nIMAD.WIDE R4, R1, R6, RZ\n" WIDE
             "STG.E [R2], R5\nEXIT\n";
    expect(t, &x, &(struct outcome){6, 6, 1, 0, 1 + 2, 3, 0, {0}});
}

// Without room for a part, its instructions stay.
static void test_room(struct test *t)
{
    struct trial x = {.text =
                          "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nSHL R4, R0, 0x3\nLEA R0, R1, R0, 0x7\n" WIDE
                          "STG.E [R2], R4\nEXIT\n",
                      .block = {128, 1, 1},
                      .blocks = 4};
    expect(t, &x, &(struct outcome){16 * 6, 6, 8, 4, 16 * 3, 16 * 2, 0, {0}});
    x.tech = "r2d2:vectors=4"; // one thread part: of the address, with two readers. The shift reads the index
    expect(t, &x, &(struct outcome){16 * 4, 5, 4, 4, 16 * 2, 16 * 2, 0, {0}});
    x.tech = "r2d2:vectors=3";
    expect(t, &x, &(struct outcome){16 * 2, 2, 0, 4, 16 * 2, 0, 0, {0}});
    x.tech = "r2d2:registers=1";
    expect(t, &x, &(struct outcome){16 * 4, 5, 4, 4, 16 * 2, 16 * 2, 0, {0}});
}

// A flipped bit of a thread part, a block part or a coefficient is a wrong value for the reader.
static void test_corrupted(struct test *t)
{
    static const struct trial trials[] = {
        {"r2d2:corrupt=1", "S2R R0, SR_TID.X\n" WIDE STORE, {64, 1, 1}, 1},
        {"r2d2:corrupt=4", "S2R R0, SR_TID.X\n" WIDE STORE, {64, 1, 1}, 1},
        {"r2d2:corrupt=1", "S2R R0, SR_CTAID.X\n" WIDE STORE, {64, 1, 1}, 2},
        {"r2d2:corrupt=1", "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\n" STORE, {64, 1, 1}, 1},
    };
    static struct outcome o;
    for (size_t k = 0; k < TEST_COUNT(trials); k++) {
        play(t, &trials[k], trials[k].tech, &o);
        CHECK(t, o.mismatches > 0);
        play(t, &trials[k], "r2d2:corrupt=1000", &o);
        CHECK_EQ(t, o.mismatches, 0);
    }
}

// Some blocks end, by the clock, between the two products of their bases, and other blocks take their places on the SM.
static void test_left(struct test *t)
{
    struct scene s;
    const struct scene_plan plan = {
        .settings = "icache.perfect=1 sim.check=1 latency.int_mad=90",
        .tech = "r2d2",
        .text =
            "S2R R9, SR_CLOCKLO\nLOP3.LUT R9, R9, 0x6, RZ, 0xc0\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 EXIT\n"
            "S2R R0, SR_TID.X\n" BY_BLOCK "S2R R4, SR_CTAID.Y\nLEA R0, R4, R0, 0xa\n" WIDE STORE,
        .block = {32, 1, 1},
        .bytes = BYTES,
        .verify = true};
    if (scene_begin(&s, t, &plan)) {
        s.bench.m.launch.grid[0] = s.bench.m.launch.grid[1] = 8;
        scene_transform(&s);
        scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "mismatches"), 0);
        CHECK_EQ(t, scene_counter(&s, "r2d2.sums") % 4, 0);
        CHECK(t, scene_counter(&s, "r2d2.sums") > 0 && scene_counter(&s, "r2d2.sums") < 64 * 4);
    }
    scene_end(&s);
}

// The warps wait for the linear instructions, and the sum takes its cycles.
static void test_time(struct test *t)
{
    static const char text[] = "S2R R0, SR_TID.X\n" WIDE STORE;
    uint64_t cycles[3];
    static const char *const techs[] = {"r2d2:cycles=0", "r2d2:cycles=1", "r2d2:cycles=40"};
    for (unsigned k = 0; k < 3; k++) {
        struct scene s;
        const struct scene_plan plan = {.settings = "icache.perfect=1 memory.perfect=1",
                                        .tech = techs[k],
                                        .text = text,
                                        .block = {32, 1, 1},
                                        .bytes = BYTES};
        if (!scene_begin(&s, t, &plan)) return;
        scene_transform(&s);
        cycles[k] = scene_run(&s);
        CHECK(t, scene_counter(&s, "r2d2.prologue_cycles") > 0);
        scene_end(&s);
    }
    // the load and the store
    CHECK_EQ(t, cycles[1], cycles[0] + 2);
    CHECK_EQ(t, cycles[2], cycles[0] + 2 * 40);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"once a kernel", test_once_a_kernel},
        {"once a block", test_once_a_block},
        {"words", test_words},
        {"merges", test_merges},
        {"sides", test_sides},
        {"wraps", test_wraps},
        {"room", test_room},
        {"corrupted", test_corrupted},
        {"left", test_left},
        {"time", test_time},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
