// G-Scalar: instructions executed on a single lane, counted by hand; energy alone changes.
#include "base/str.h"
#include "chip/bench.h"
#include "tech/registry.h"

struct scene {
    struct gpu_bench bench;
    struct tech_choice choice;
    struct mark_settings marks;
};

static bool scene_run(struct scene *s, struct test *t, const char *tech, const char *text, uint32_t threads)
{
    struct diag d;
    *s = (struct scene){0};
    diag_init(&d);
    tech_choice_init(&s->choice);
    CHECK_MSG(t, tech_choose(&s->choice, tech, &d), "%s", tech);
    diag_fini(&d);
    if (!gpu_bench_init(&s->bench, t, "tiny", "", text, threads)) return false;
    for (unsigned k = 0; k < s->choice.count; k++) {
        s->choice.uses[k].marks = &s->marks;
        s->choice.uses[k].verify = true;
    }
    s->bench.config.techs = s->choice.uses;
    s->bench.config.tech_count = s->choice.count;
    machine_buffer(&s->bench.m, 4096);
    gpu_cycles(&s->bench);
    CHECK_EQ(t, s->bench.result.mismatches, 0);
    return true;
}

static void scene_end(struct scene *s)
{
    gpu_bench_fini(&s->bench);
    tech_choice_fini(&s->choice);
}

static uint64_t count_of(const struct scene *s, const char *counter)
{
    const struct tech *t = s->choice.uses[0].tech;
    for (size_t n = 0; n < t->counter_count; n++)
        if (str_equal(t->counters[n].name, counter)) return s->bench.result.techs[0][n];
    return ~0ull;
}

static uint64_t lanes_of(const struct scene *s)
{
    uint64_t all = 0;
    for (unsigned k = 0; k < LANES_COUNT; k++) all += s->bench.result.gpu.lanes[k];
    return all;
}

struct expected {
    const char *tech, *text;
    uint32_t threads;
    uint64_t scalar, divergent, lanes, sources, results, parts; // registers; words in each
};

static void expect(struct test *t, const struct expected *e)
{
    struct scene with, without;
    bool ran = scene_run(&with, t, e->tech, e->text, e->threads) &&
               scene_run(&without, t, "base", e->text, e->threads);
    CHECK(t, ran);
    if (!ran) return;
    const struct gpu_counts *a = &without.bench.result.gpu, *b = &with.bench.result.gpu;
    CHECK_EQ(t, count_of(&with, "scalar"), e->scalar);
    CHECK_EQ(t, count_of(&with, "divergent"), e->divergent);
    CHECK_EQ(t, count_of(&with, "lanes"), e->lanes);
    CHECK_EQ(t, count_of(&with, "words_read"), e->sources * e->parts);
    CHECK_EQ(t, count_of(&with, "words_written"), e->results * e->parts);
    CHECK_EQ(t, lanes_of(&with) + e->lanes, lanes_of(&without));
    CHECK_EQ(t, b->operand_reads + e->sources, a->operand_reads);
    CHECK_EQ(t, b->operand_writes + e->results, a->operand_writes);
    CHECK_EQ(t, with.bench.result.cycles, without.bench.result.cycles);
    scene_end(&with);
    scene_end(&without);
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
    static const struct expected rows[] = {
        {"gscalar", chain, 32, 3, 0, 3 * 31, 4, 3, 1},
        {"gscalar", apart, 32, 2, 1, 31 + 23, 1, 1, 1},
        {"gscalar:divergent=off", apart, 32, 1, 0, 31, 1, 1, 1},
        {"gscalar:parts=4", apart, 32, 3, 2, 28 + 21 + 21, 2, 3, 4},
        {"gscalar", halves, 32, 0, 0, 0, 0, 0, 1},
        {"gscalar:parts=2", halves, 32, 1, 0, 30, 1, 2, 2},
        {"gscalar", loads, 32, 4, 0, 4 * 31, 4, 4, 1},
        {"gscalar:loads=off", loads, 32, 3, 0, 3 * 31, 4, 4, 1},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) expect(t, &rows[k]);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
