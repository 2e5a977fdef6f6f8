// Scalarisation: the kind of every register, counted by hand; its latency; spilling, with its traffic and
// its end; nothing changes but time and energy.
#include "base/str.h"
#include "chip/bench.h"
#include "tech/registry.h"

struct scene {
    struct gpu_bench bench;
    struct tech_choice choice;
    struct mark_settings marks;
    uint64_t buffer, cycles;
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
    s->buffer = machine_buffer(&s->bench.m, 4096);
    s->cycles = gpu_cycles(&s->bench);
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

static uint64_t cycles_of(struct test *t, const char *tech, const char *text)
{
    struct scene s;
    uint64_t cycles = scene_run(&s, t, tech, text, 32) ? s.cycles : 0;
    scene_end(&s);
    return cycles;
}

// -- kinds of registers -------------------------------------------------------------------------------------

struct kinds {
    uint64_t uniform, affine, vectors;
};
struct expected {
    const char *tech, *text;
    uint32_t threads;
    struct kinds writes, reads;
    uint64_t partial, most;
};

static void expect(struct test *t, const struct expected *e)
{
    struct scene with, without;
    bool ran = scene_run(&with, t, e->tech, e->text, e->threads) &&
               scene_run(&without, t, "base", e->text, e->threads);
    CHECK(t, ran);
    if (!ran) return;
    const struct gpu_counts *a = &without.bench.result.gpu, *b = &with.bench.result.gpu;
    uint64_t scalar_reads = e->reads.uniform + e->reads.affine,
             scalar_writes = e->writes.uniform + e->writes.affine;
    CHECK_EQ(t, count_of(&with, "uniform_writes"), e->writes.uniform);
    CHECK_EQ(t, count_of(&with, "affine_writes"), e->writes.affine);
    CHECK_EQ(t, count_of(&with, "vector_writes"), e->writes.vectors);
    CHECK_EQ(t, count_of(&with, "uniform_reads"), e->reads.uniform);
    CHECK_EQ(t, count_of(&with, "affine_reads"), e->reads.affine);
    CHECK_EQ(t, count_of(&with, "vector_reads"), e->reads.vectors);
    CHECK_EQ(t, count_of(&with, "partial_writes"), e->partial);
    CHECK_EQ(t, count_of(&with, "most_vectors"), e->most);
    CHECK_EQ(t, b->operand_reads + scalar_reads, a->operand_reads);
    CHECK_EQ(t, b->operand_writes + scalar_writes, a->operand_writes);
    CHECK_EQ(t, b->operand_word_reads, scalar_reads);
    CHECK_EQ(t, b->operand_word_writes, scalar_writes);
    CHECK_EQ(t, b->operand_compared, scalar_writes + e->writes.vectors);
    scene_end(&with);
    scene_end(&without);
}

static void test_counted(struct test *t)
{
    static const char chain[] = "S2R R0, SR_TID.X\n"      // 0, 1, 2 …
                                "MOV R1, c[0x0][0x160]\n" // uniform
                                "IADD3 R2, R0, R0, RZ\n"  // 0, 2, 4 …
                                "IADD3 R3, R2, R2, RZ\n"  // 0, 4, 8 …
                                "IADD3 R4, R3, R2, RZ\n"  // 0, 6, 12 …: stride not representable
                                "IADD3 R5, R0, 0x1, RZ\n" // 1, 2, 3 …: base not representable
                                "IADD3 R6, R5, R1, RZ\n"  // reads both
                                "EXIT\n";
    // 24 lanes overwrite a uniform register, with the value it holds and with another value.
    static const char apart[] =
        "S2R R0, SR_TID.X\nMOV R1, 0x5\nMOV R2, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 BRA out\n"
        "MOV R1, 0x5\nMOV R2, 0x6\nout:\nEXIT\n";
    // Exited lanes do not count: the remaining lanes are the whole warp.
    static const char ended[] =
        "S2R R0, SR_TID.X\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 EXIT\nMOV R1, 0x5\nEXIT\n";
    // Loaded values, classified by value.
    static const char loads[] =
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\nIADD3 R5, R4, R4, RZ\nEXIT\n";
    // 20 threads of a warp: the other lanes do not exist.
    static const struct expected rows[] = {
        {"scalarise", chain, 32, {1, 3, 3}, {1, 7, 1}, 0, 3},
        {"scalarise:detect=any-base", chain, 32, {1, 5, 1}, {1, 8, 0}, 0, 1},
        {"scalarise:detect=off-affine", chain, 32, {1, 0, 6}, {1, 0, 8}, 0, 6},
        {"scalarise:strides=3", chain, 32, {1, 2, 4}, {1, 6, 2}, 0, 4},
        {"scalarise", chain, 20, {1, 3, 3}, {1, 7, 1}, 0, 3},
        {"scalarise", chain, 64, {2, 6, 6}, {2, 14, 2}, 0, 6},
        {"scalarise", apart, 32, {2, 1, 2}, {0, 1, 0}, 2, 2},
        {"scalarise:partial=keep", apart, 32, {3, 1, 1}, {0, 1, 0}, 2, 1},
        {"scalarise", ended, 32, {1, 1, 0}, {0, 1, 0}, 0, 0},
        {"scalarise", loads, 32, {4, 0, 0}, {4, 0, 0}, 0, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) expect(t, &rows[k]);
}

// -- time ---------------------------------------------------------------------------------------------------

// Four instructions in a dependent chain; the first reads no register.
static void test_cycles(struct test *t)
{
    static const char chain[] =
        "MOV R1, 0x5\nIADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nIADD3 R4, R3, 0x1, RZ\nEXIT\n";
    uint64_t base = cycles_of(t, "base", chain);
    CHECK_EQ(t, cycles_of(t, "scalarise:read-cycles=0,write-cycles=0", chain), base);
    CHECK_EQ(t, cycles_of(t, "scalarise:read-cycles=3,write-cycles=0", chain), base + 3 * 3);
    CHECK_EQ(t, cycles_of(t, "scalarise:read-cycles=0,write-cycles=5", chain), base + 4 * 5);
    CHECK_EQ(t, cycles_of(t, "scalarise", chain), base + 3 * 2 + 4 * 2);
}

// -- spilling -----------------------------------------------------------------------------------------------

// Registers of a warp that hold vectors at the same time, and are summed after the last write.
static void many_vectors(struct strbuf *text, unsigned count)
{
    strbuf_puts(text, "S2R R0, SR_TID.X\nIMAD R0, R0, 0x7, RZ\nMOV R1, RZ\n");
    for (unsigned n = 0; n < count; n++) strbuf_printf(text, "IADD3 R%u, R0, 0x%x, RZ\n", n + 8, n + 1);
    for (unsigned n = 0; n < count; n++) strbuf_printf(text, "IADD3 R1, R1, R%u, RZ\n", n + 8);
    strbuf_puts(text, "S2R R0, SR_TID.X\nSHL R0, R0, 0x2\nMOV R3, c[0x0][0x164]\n"
                      "IADD3 R2, R0, c[0x0][0x160], RZ\nSTG.E [R2], R1\nEXIT\n");
}

// Results of every thread, for every size of the file and every policy. A spill takes a cycle, a spilled
// vector returns when read, and the number of vectors never exceeds the room.
static void test_spilling(struct test *t)
{
    static const struct {
        const char *tech;
        unsigned vectors;
        bool spills;
    } rows[] = {{"scalarise:vectors=1024", 1024, false},
                {"scalarise:vectors=100", 100, true},
                {"scalarise:vectors=64,spill=rr", 64, true},
                {"scalarise:vectors=32,spill=first", 32, true},
                {"scalarise:vectors=32,detect=off-affine", 32, true}};
    enum { VECTORS = 40, THREADS = 128 };
    struct strbuf text = {0};
    many_vectors(&text, VECTORS);
    uint64_t whole = 0;
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        if (!scene_run(&s, t, rows[k].tech, strbuf_text(&text), THREADS)) break;
        const uint32_t *words = machine_words(&s.bench.m, s.buffer);
        for (uint32_t n = 0; n < THREADS; n++)
            CHECK_EQ(t, words[n], VECTORS * 7 * n + VECTORS * (VECTORS + 1) / 2);
        uint64_t spills = count_of(&s, "spills"), back = count_of(&s, "unspills") + count_of(&s, "late");
        CHECK_EQ(t, spills > 0, rows[k].spills);
        CHECK(t, back <= spills);
        CHECK(t, !rows[k].spills || back > THREADS / 32 * VECTORS / 4);
        CHECK_EQ(t, count_of(&s, "spill_cycles") + count_of(&s, "forced"), spills);
        CHECK_EQ(t, s.bench.result.gpu.l1_early_requests, count_of(&s, "unspill_waits"));
        CHECK(t, count_of(&s, "most_vectors") <= rows[k].vectors);
        if (!k) whole = s.cycles;
        CHECK(t, s.cycles >= whole + count_of(&s, "spill_cycles"));
        scene_end(&s);
    }
    strbuf_fini(&text);
}

// -- the scalar pipe ----------------------------------------------------------------------------------------

struct piped {
    const char *tech, *text;
    uint64_t scalarised, scalarisable, aborts;
};

static void expect_piped(struct test *t, const struct piped *e)
{
    struct scene with, without;
    bool ran = scene_run(&with, t, e->tech, e->text, 32) && scene_run(&without, t, "base", e->text, 32);
    CHECK(t, ran);
    if (!ran) return;
    const struct gpu_counts *a = &without.bench.result.gpu, *b = &with.bench.result.gpu;
    uint64_t lanes[2] = {0};
    for (unsigned k = 0; k < LANES_COUNT; k++) {
        lanes[0] += a->lanes[k];
        lanes[1] += b->lanes[k];
    }
    CHECK_EQ(t, count_of(&with, "scalarised"), e->scalarised);
    CHECK_EQ(t, count_of(&with, "scalarisable"), e->scalarisable);
    CHECK_EQ(t, count_of(&with, "aborts"), e->aborts);
    CHECK_EQ(t, b->issue_port, e->scalarised);
    CHECK_EQ(t, b->issue_issued, a->issue_issued);
    CHECK_EQ(t, b->slots[SLOT_ISSUED] + e->scalarised, a->slots[SLOT_ISSUED]);
    CHECK_EQ(t, lanes[1] + 31 * e->scalarised, lanes[0]);
    scene_end(&with);
    scene_end(&without);
}

// The first round of a loop fills the table. A taken branch stays in the vector pipes, so the second round's
// first instruction is theirs. Later instructions go to the scalar pipe, until the branch leads to EXIT.
static void test_pipe(struct test *t)
{
    static const char counting[] =
        "MOV R1, RZ\nloop:\nIADD3 R1, R1, 0x1, RZ\nISETP.LT.AND P0, PT, R1, 0x8, PT\n"
        "@P0 BRA loop\nEXIT\n";
    // Lanes 0 to 31 and 32, 1, -30: the vector pipes count every sum as scalarisable. The scalar pipe takes
    // only the first kind, and returns the instruction.
    static const char sums[] =
        "S2R R0, SR_TID.X\nMOV R1, RZ\nMOV R2, 0x20\nloop:\nIADD3 R1, R1, 0x1, RZ\n"
        "IADD3 R3, R0, R2, RZ\nIADD3 R2, R2, 0xffffffe1, RZ\nISETP.LT.AND P0, PT, R1, 0x3, PT\n"
        "@P0 BRA loop\nEXIT\n";
    // Lanes diverge at the branch: instructions of part of the lanes stay in the vector pipes.
    static const char apart[] =
        "S2R R0, SR_TID.X\nMOV R1, RZ\nISETP.LT.AND P0, PT, R0, 0x8, PT\n@P0 BRA out\nloop:\n"
        "IADD3 R1, R1, 0x1, RZ\nISETP.LT.AND P1, PT, R1, 0x8, PT\n@P1 BRA loop\nout:\nEXIT\n";
    static const struct piped rows[] = {
        {"scalarise", counting, 0, 0, 0},
        {"scalarise:scalar=on", counting, 2 + 6 * 3, 1 + 3 + 1, 0},
        // A single prediction bit: instructions go to the scalar pipe at once, and EXIT is returned.
        {"scalarise:scalar=on,predictions=1", counting, 8 * 3, 1, 1},
        {"scalarise:scalar=on", sums, 3 + 1 + 3, 2 + 5 + 2 + 1, 2},
        {"scalarise:scalar=on,detect=any-base", sums, 4 + 5, 2 + 5 + 1, 0},
        {"scalarise:scalar=on", apart, 0, 1, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) expect_piped(t, &rows[k]);
}

// With many warps, a lower limit of warps in the scalar pipe moves fewer instructions to it.
static void test_pipe_warps(struct test *t)
{
    static const char *const techs[] = {"scalarise:scalar=on,warps=quarter", "scalarise:scalar=on",
                                        "scalarise:scalar=on,warps=all"};
    static const char loop[] = "MOV R1, RZ\nloop:\nIADD3 R1, R1, 0x1, RZ\nIADD3 R2, R1, 0x1, RZ\n"
                               "ISETP.LT.AND P0, PT, R1, 0x20, PT\n@P0 BRA loop\nEXIT\n";
    uint64_t before = 0;
    for (size_t k = 0; k < TEST_COUNT(techs); k++) {
        struct scene s;
        if (!scene_run(&s, t, techs[k], loop, 1024)) return;
        CHECK_MSG(t, count_of(&s, "scalarised") > before, "%s: no more than with fewer warps", techs[k]);
        before = count_of(&s, "scalarised");
        scene_end(&s);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted},
                                             {"cycles", test_cycles},
                                             {"spilling", test_spilling},
                                             {"pipe", test_pipe},
                                             {"pipe_warps", test_pipe_warps}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
