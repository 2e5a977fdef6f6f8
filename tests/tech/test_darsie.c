// DARSIE step by step: the events of the paper's Figure 5 in order, Figures 3 and 6 through the whole
// pipeline, and cases left open by the text.
#include "harness/scene.h"
#include "tech/darsie/darsie.h"

#include <string.h>

// Sets up a block of x times y threads; steps are kept.
static bool begin(struct scene *s, struct test *t, const char *tech, const char *settings, const char *text,
                  uint32_t x, uint32_t y)
{
    const struct scene_plan plan = {
        .settings = settings, .tech = tech, .text = text, .block = {x, y}, .bytes = 1024, .verify = true};
    bool good = scene_begin(s, t, &plan);
    scene_listen(s);
    return good;
}

// Index of the first matching step at or behind `from`; count of steps: not found.
static size_t find(const struct scene *s, size_t from, const char *what, unsigned warp, uint32_t pc)
{
    for (size_t k = from; k < s->steps.count; k++) {
        const struct tech_step *step = &s->steps.data[k];
        if (strcmp(step->what, what) == 0 && step->warp == warp && step->pc == pc) return k;
    }
    return s->steps.count;
}

// -- Figure 5 -----------------------------------------------------------------------------------------------

// Three warps; the third is late, because only the third loads from global memory first.
static const char figure5[] = ".shared 8192\n"
                              "S2R R5, SR_TID.Y\n"
                              "S2R R0, SR_TID.X\n"
                              "ISETP.EQ.AND P1, PT, R5, 0x2, PT\n"
                              "MOV R7, RZ\n"
                              "MOV R8, c[0x0][0x160]\n"
                              "MOV R9, c[0x0][0x164]\n"
                              "@P1 LDG.E R7, [R8]\n" // nought
                              "IADD3 R5, R7, R5, RZ\n"
                              "IMAD R4, R0, 0x4, RZ\n"
                              "LDS R1, [R4]\n"          // PC0
                              "IADD3 R2, R1, R5, RZ\n"  // PC1: threadIdx.y
                              "IADD3 R1, R1, 0x4, RZ\n" // PC2
                              "ISETP.NE.AND P0, PT, R1, 0x4, PT\n"
                              "@P0 BRA out, join out\n" // PC3
                              "out:\n"
                              "IADD3 R2, R2, R1, RZ\n"
                              "S2R R3, SR_TID.Y\n"
                              "IMAD R3, R3, 0x20, R0\n"
                              "IMAD R3, R3, 0x4, RZ\n"
                              "IADD3 R3, R3, c[0x0][0x160], RZ\n"
                              "MOV R4, R3\n"
                              "MOV R5, c[0x0][0x164]\n"
                              "STG.E [R4], R2\n"
                              "EXIT\n";
enum { PC0 = 9, PC2 = 11, OUT = 14 };

static void test_figure5(struct test *t)
{
    struct scene s;
    if (!begin(&s, t, "darsie", "icache.perfect=1 fetch.per_scheduler=1 sim.check=1", figure5, 32, 3)) return;
    scene_run(&s);
    CHECK_EQ(t, s.bench.result.mismatches, 0);
    for (uint32_t thread = 0; thread < 96; thread++)
        CHECK_EQ(t, machine_words(&s.bench.m, s.buffer)[thread],
                 thread / 32 + 4); // R1 and R2 began with nought
    const struct tech_step *steps = s.steps.data;
    unsigned first = find(&s, 0, "lead", 0, PC0) < s.steps.count ? 0 : 1, second = 1 - first;
    size_t rename1 = find(&s, 0, "lead", first, PC0), rename2 = find(&s, 0, "follow", second, PC0),
           rename3 = find(&s, 0, "lead", first, PC2), rename4 = find(&s, 0, "follow", 2, PC0),
           early = find(&s, 0, "follow", second, PC2), late = find(&s, 0, "follow", 2, PC2),
           last = early > late ? early : late;
    CHECK(t, rename1 < rename2 && rename2 < rename4);
    CHECK(t, rename1 < rename3 && rename3 < rename4); // two versions of R1 at once
    CHECK(t, rename4 < late && late < s.steps.count);
    if (last < s.steps.count && rename4 < s.steps.count) {
        uint32_t v1 = steps[rename1].value, v2 = steps[rename3].value;
        CHECK(t, v1 != v2);
        CHECK_EQ(t, steps[rename2].value, v1);
        CHECK_EQ(t, steps[rename4].value, v1); // the old version, though the new version exists
        CHECK_EQ(t, steps[early].value, v2);
        CHECK_EQ(t, steps[late].value, v2);
        size_t freed = rename4;
        while (freed < s.steps.count &&
               !(strcmp(steps[freed].what, "release") == 0 && steps[freed].value == v1))
            freed++;
        CHECK(t, freed > last && freed < s.steps.count); // not before the last reader
    }
    size_t meet = find(&s, 0, "meet", 0, OUT);
    CHECK(t, meet < s.steps.count);
    for (unsigned warp = 0; warp < 3; warp++) {
        CHECK(t, find(&s, 0, "arrive", warp, OUT) < meet);
        for (size_t k = find(&s, 0, "arrive", warp, OUT) + 1; k < meet; k++)
            CHECK_MSG(t, steps[k].warp != warp || strcmp(steps[k].what, "release") == 0,
                      "warp %u did not wait: %s", warp, steps[k].what);
        CHECK(t, find(&s, 0, "leave", warp, OUT) == s.steps.count); // no warp branches apart
    }
    scene_end(&s);
}

// -- Figure 3 -----------------------------------------------------------------------------------------------

static const char figure3[] = ".shared 64\n"
                              "S2R R0, SR_TID.X\n"
                              "IMAD R1, R0, 0x4, RZ\n"
                              "IADD3 R2, R1, 0xa, RZ\n"
                              "S2R R3, SR_TID.Y\n"
                              "IMAD R3, R3, c[0x0][0x0], R0\n"
                              "IMAD R3, R3, 0x4, RZ\n"
                              "IADD3 R4, R3, c[0x0][0x160], RZ\n"
                              "MOV R5, c[0x0][0x164]\n"
                              "STG.E [R4], R2\n"
                              "EXIT\n";

static void test_figure3(struct test *t)
{
    static const struct {
        uint32_t x, y,
            skipped; // skipped by the other warp: TID.X, the product, the address; and uniform values
        uint32_t values[8];
    } blocks[] = {{8, 1, 1, {10, 14, 18, 22, 26, 30, 34, 38}}, {4, 2, 4, {10, 14, 18, 22, 10, 14, 18, 22}}};
    for (size_t k = 0; k < TEST_COUNT(blocks); k++) {
        struct scene s;
        if (!begin(&s, t, "darsie", "sim.check=1", figure3, blocks[k].x, blocks[k].y)) return;
        s.bench.m.launch.warp_size = 4;
        scene_run(&s);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        unsigned follows = 0;
        for (size_t n = 0; n < s.steps.count; n++) follows += strcmp(s.steps.data[n].what, "follow") == 0;
        CHECK_EQ(t, follows, blocks[k].skipped);
        for (unsigned n = 0; n < 8; n++)
            CHECK_EQ(t, machine_words(&s.bench.m, s.buffer)[n], blocks[k].values[n]);
        scene_end(&s);
    }
}

// -- Figure 6 -----------------------------------------------------------------------------------------------

// The matrix multiplication's loop: a load from global memory, then three steps. A step loads B at $ofs3 or
// $ofs4, computes the next $ofs4, and multiplies and adds with A from shared memory at $ofs2. Two rounds.
static const char figure6[] = ".shared 4096\n"
                              "S2R R0, SR_TID.X\n"
                              "S2R R1, SR_TID.Y\n"
                              "SHL R2, R0, 0x2\n" // $ofs3
                              "SHL R3, R1, 0x6\n" // $ofs2
                              "IMAD R4, R1, c[0x0][0x0], R0\n"
                              "IMAD R4, R4, 0x4, RZ\n"
                              "IADD3 R4, R4, c[0x0][0x160], RZ\n"
                              "MOV R5, c[0x0][0x164]\n"
                              "STS [R2+0x400], R0\n" // B[k][x] = x + k
                              "IADD3 R6, R0, 0x1, RZ\n"
                              "STS [R2+0x600], R6\n"
                              "IADD3 R6, R0, 0x2, RZ\n"
                              "STS [R2+0x800], R6\n"
                              "IADD3 R6, R1, 0x1, RZ\n" // A[y][k] = y + 1 + k
                              "STS [R3], R6\n"
                              "IADD3 R6, R1, 0x2, RZ\n"
                              "STS [R3+0x4], R6\n"
                              "IADD3 R6, R1, 0x3, RZ\n"
                              "STS [R3+0x8], R6\n"
                              "MOV R7, RZ\n" // $r10
                              "MOV R8, RZ\n"
                              "BAR.SYNC 0x0\n"
                              "loop:\n"
                              "LDG.E R9, [R4]\n"              // V: nought
                              "MOV R10, s[R2+0x400]\n"        // CR
                              "IADD3 R11, R2, 0x200, RZ\n"    // CR
                              "IMAD R7, s[R3], R10, R7\n"     // V
                              "MOV R10, s[R11+0x400]\n"       // CR
                              "IADD3 R11, R2, 0x400, RZ\n"    // CR
                              "IMAD R7, s[R3+0x4], R10, R7\n" // V
                              "MOV R10, s[R11+0x400]\n"       // CR
                              "IADD3 R11, R2, 0x600, RZ\n"    // CR
                              "IMAD R7, s[R3+0x8], R10, R7\n" // V
                              "IADD3 R7, R7, R9, RZ\n"        // V
                              "IADD3 R8, R8, 0x1, RZ\n"       // DR
                              "ISETP.LT.AND P0, PT, R8, 0x2, PT\n"
                              "@P0 BRA loop, join done\n"
                              "done:\n"
                              "STG.E [R4], R7\n"
                              "EXIT\n";
enum { LOOP = 22, LOOP_END = 36, ROUNDS = 2 };

static void test_figure6(struct test *t)
{
    static const struct {
        uint32_t x, y;
        const char *skipped; // of the loop, a letter per instruction
    } blocks[] = {{32, 3, ".xx.xx.xx..x.."}, {96, 1, "...........x.."}};
    for (size_t k = 0; k < TEST_COUNT(blocks); k++) {
        struct scene s;
        if (!begin(&s, t, "darsie", "sim.check=1", figure6, blocks[k].x, blocks[k].y)) return;
        scene_run(&s);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        unsigned follows[LOOP_END - LOOP] = {0}, leads[LOOP_END - LOOP] = {0};
        for (size_t n = 0; n < s.steps.count; n++) {
            const struct tech_step *step = &s.steps.data[n];
            if (step->pc < LOOP || step->pc >= LOOP_END) continue;
            follows[step->pc - LOOP] += strcmp(step->what, "follow") == 0;
            leads[step->pc - LOOP] += strcmp(step->what, "lead") == 0;
        }
        for (unsigned n = 0; n < LOOP_END - LOOP; n++) {
            bool skipped = blocks[k].skipped[n] == 'x'; // in every round, by all warps but the leader
            CHECK_MSG(t, leads[n] == skipped * ROUNDS && follows[n] == skipped * ROUNDS * 2u,
                      "%u x %u: instruction %u of the loop is led %u times and skipped %u times", blocks[k].x,
                      blocks[k].y, n, leads[n], follows[n]);
        }
        for (uint32_t n = 0; n < 96; n++) {
            uint32_t x = n % blocks[k].x, y = n / blocks[k].x, sum = 0;
            for (uint32_t step = 0; step < 3; step++) sum += (y + 1 + step) * (x + step);
            CHECK_EQ(t, machine_words(&s.bench.m, s.buffer)[n], ROUNDS * sum);
        }
        scene_end(&s);
    }
}

// -- an atomic that acquires --------------------------------------------------------------------------------

// The acquire takes effect at the reply of the atomic. A redundant load behind the atomic is not shared
// until the block has met at a barrier.
static const char acquiring[] = "MOV R2, c[0x0][0x160]\n"
                                "MOV R3, c[0x0][0x164]\n"
                                "S2R R7, SR_TID.Y\n"
                                "ATOMG.E.ADD.U32.ACQUIRE.GPU R4, [R2], RZ\n"
                                "IADD3 R7, R7, R7, RZ\n" // delay: every atomic issues before the load
                                "IADD3 R7, R7, R7, RZ\n"
                                "IADD3 R7, R7, R7, RZ\n"
                                "IADD3 R7, R7, R7, RZ\n"
                                "LDG.E R5, [R2+0x4]\n"   // BEFORE
                                "IADD3 R5, R5, R7, RZ\n" // a barrier ends the sharing of loads
                                "BAR.SYNC 0x0\n"
                                "LDG.E R6, [R2+0x4]\n" // BEHIND
                                "IADD3 R6, R5, R6, RZ\n"
                                "IADD3 R6, R6, R4, RZ\n"
                                "STG.E [R2+0x8], R6\n"
                                "EXIT\n";
enum { BEFORE = 8, BEHIND = 11 };

static unsigned count(const struct scene *s, const char *what, uint32_t pc)
{
    unsigned n = 0;
    for (size_t k = 0; k < s->steps.count; k++)
        n += strcmp(s->steps.data[k].what, what) == 0 && s->steps.data[k].pc == pc;
    return n;
}

static void test_acquiring(struct test *t)
{
    static const struct {
        const char *tech;
        unsigned before, behind; // the barrier: warps that follow
    } rows[] = {{"darsie", 0, 2}, {"darsie:broken=4096", 2, 2}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        if (!begin(&s, t, rows[k].tech, "sim.check=1", acquiring, 32, 3)) return;
        scene_run(&s);
        CHECK_EQ(t, count(&s, "follow", BEFORE), rows[k].before);
        CHECK_EQ(t, count(&s, "follow", BEHIND), rows[k].behind);
        scene_end(&s);
    }
}

// -- warps that start late ----------------------------------------------------------------------------------

// Four slots, blocks of three warps. The second block begins with a warp that goes round 440 times alone.
// The first block's warps go round 40 times and end; then the other two warps of the second block come.
static const char late[] = "S2R R0, SR_TID.X\nS2R R3, SR_CTAID.X\nMOV R1, 0x190\nIMAD R1, R1, R3, RZ\n"
                           "IADD3 R1, R1, 0x28, RZ\nMOV R2, RZ\n"
                           "loop:\nIADD3 R2, R2, R0, RZ\nIADD3 R1, R1, -0x1, RZ\n"
                           "ISETP.NE.AND P0, PT, R1, RZ, PT\n@P0 BRA loop\n"
                           "BAR.SYNC 0x0\nIADD3 R4, R3, 0x9, RZ\nIADD3 R2, R2, R4, RZ\n"
                           "MOV R5, 0x60\nIMAD R5, R5, R3, R0\nMOV R8, 0x4\n"
                           "IMAD.WIDE R6, R5, R8, c[0x0][0x160]\nSTG.E [R6], R2\nEXIT\n";

enum { LATE_BLOCK = 1 }; // its context, too

static unsigned count_shared(const struct scene *s, size_t from, size_t to, unsigned warp)
{
    unsigned count = 0;
    for (size_t k = from; k < to; k++) {
        const struct tech_step *step = &s->steps.data[k];
        bool shares = strcmp(step->what, "lead") == 0 || strcmp(step->what, "follow") == 0;
        count += shares && step->block == LATE_BLOCK && step->warp == warp;
    }
    return count;
}

// Late warps neither lead nor follow before the block's barrier; behind the barrier they do. On the path
// from their start, late warps would meet the first warp in a loop after fewer rounds, and take its counter.
static void test_late(struct test *t)
{
    static const struct {
        const char *tech;
        bool is_sound;
    } rows[] = {{"darsie:watchdog=0+warpman:variant=spatial", true},
                {"darsie:watchdog=0,branch-sync=parting+warpman:variant=spatial", true},
                {"darsie:watchdog=0,pool=reserve,branch-sync=first+warpman:variant=spatial", true},
                {"darsie:broken=32768+warpman:variant=spatial", false}}; // RULE_LATE
    for (size_t row = 0; row < TEST_COUNT(rows); row++) {
        struct scene s;
        if (!begin(&s, t, rows[row].tech, "gpu.sm_count=1 sm.warps=4 sim.check=1", late, 96, 1)) return;
        s.bench.m.launch.grid[0] = 2;
        scene_run(&s);
        CHECK_EQ(t, scene_counter(&s, "darsie.late"), 2);
        CHECK_EQ(t, s.bench.result.mismatches == 0, rows[row].is_sound);
        if (rows[row].is_sound) {
            for (uint32_t n = 0; n < 2 * 96; n++)
                CHECK_EQ(t, machine_words(&s.bench.m, s.buffer)[n],
                         (40 + 400 * (n / 96)) * (n % 96) + n / 96 + 9);
            size_t met = 0;
            while (met < s.steps.count &&
                   (strcmp(s.steps.data[met].what, "rejoin") != 0 || s.steps.data[met].block != LATE_BLOCK))
                met++;
            CHECK(t, met < s.steps.count);
            for (unsigned warp = 1; warp < 3; warp++) {
                CHECK_EQ(t, count_shared(&s, 0, met, warp), 0);
                CHECK(t, count_shared(&s, met, s.steps.count, warp) > 0);
            }
            CHECK(t, count_shared(&s, 0, met, 0) > 400);
        }
        scene_end(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"figure5", test_figure5},
                                             {"figure3", test_figure3},
                                             {"figure6", test_figure6},
                                             {"acquiring", test_acquiring},
                                             {"late", test_late}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
