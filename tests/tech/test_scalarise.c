// Scalarisation: the kind of every register, counted by hand; its latency; spilling, with its traffic and
// its end; nothing changes but time and energy.
#include "harness/scene.h"

static bool begin(struct scene *s, struct test *t, const char *tech, const char *text, uint32_t threads)
{
    const struct scene_plan plan = {
        .tech = tech, .text = text, .block = {threads}, .bytes = 4096, .verify = true};
    return scene_begin(s, t, &plan);
}

static uint64_t cycles_of(struct test *t, const char *tech, const char *text)
{
    struct scene s;
    uint64_t cycles = begin(&s, t, tech, text, 32) ? scene_run(&s) : 0;
    CHECK_EQ(t, s.bench.result.mismatches, 0);
    scene_end(&s);
    return cycles;
}

// -- kinds of registers -------------------------------------------------------------------------------------

// Registers kept as scalars are read and written as words, and not as vectors.
static void compare(const struct scene *with, const struct scene *without)
{
    struct test *t = with->t;
    const struct gpu_counts *a = &without->bench.result.gpu, *b = &with->bench.result.gpu;
    uint64_t reads = scene_counter(with, "scalarise.uniform_reads") +
                     scene_counter(with, "scalarise.affine_reads"),
             writes = scene_counter(with, "scalarise.uniform_writes") +
                      scene_counter(with, "scalarise.affine_writes");
    CHECK_EQ(t, b->operand_reads + reads, a->operand_reads);
    CHECK_EQ(t, b->operand_writes + writes, a->operand_writes);
    CHECK_EQ(t, b->operand_word_reads, reads);
    CHECK_EQ(t, b->operand_word_writes, writes);
    CHECK_EQ(t, b->operand_compared, writes + scene_counter(with, "scalarise.vector_writes"));
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
    static const struct scene_row rows[] = {
        // written as uniform, affine, vector; read as uniform, affine, vector
        {"scalarise", "", chain, 32, {1, 3, 3, 1, 7, 1, 0, 3}},
        {"scalarise:detect=any-base", "", chain, 32, {1, 5, 1, 1, 8, 0, 0, 1}},
        {"scalarise:detect=off-affine", "", chain, 32, {1, 0, 6, 1, 0, 8, 0, 6}},
        {"scalarise:strides=3", "", chain, 32, {1, 2, 4, 1, 6, 2, 0, 4}},
        {"scalarise", "", chain, 20, {1, 3, 3, 1, 7, 1, 0, 3}},
        {"scalarise", "", chain, 64, {2, 6, 6, 2, 14, 2, 0, 6}},
        {"scalarise", "", apart, 32, {2, 1, 2, 0, 1, 0, 2, 2}},
        {"scalarise:partial=keep", "", apart, 32, {3, 1, 1, 0, 1, 0, 2, 1}},
        {"scalarise", "", ended, 32, {1, 1, 0, 0, 1, 0, 0, 0}},
        {"scalarise", "", loads, 32, {4, 0, 0, 4, 0, 0, 0, 0}},
    };
    static const struct scene_table table = {
        .plan = {.bytes = 4096, .verify = true},
        .columns = {"uniform_writes", "affine_writes", "vector_writes", "uniform_reads", "affine_reads",
                    "vector_reads", "partial_writes", "most_vectors"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
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
        if (!begin(&s, t, rows[k].tech, strbuf_text(&text), THREADS)) break;
        uint64_t cycles = scene_run(&s);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        const uint32_t *words = machine_words(&s.bench.m, s.buffer);
        for (uint32_t n = 0; n < THREADS; n++)
            CHECK_EQ(t, words[n], VECTORS * 7 * n + VECTORS * (VECTORS + 1) / 2);
        uint64_t spills = scene_counter(&s, "scalarise.spills"),
                 back = scene_counter(&s, "scalarise.unspills") + scene_counter(&s, "scalarise.late");
        CHECK_EQ(t, spills > 0, rows[k].spills);
        CHECK(t, back <= spills);
        CHECK(t, !rows[k].spills || back > THREADS / 32 * VECTORS / 4);
        CHECK_EQ(t, scene_counter(&s, "scalarise.spill_cycles") + scene_counter(&s, "scalarise.forced"),
                 spills);
        CHECK_EQ(t, s.bench.result.gpu.l1_early_requests, scene_counter(&s, "scalarise.unspill_waits"));
        CHECK(t, scene_counter(&s, "scalarise.most_vectors") <= rows[k].vectors);
        if (!k) whole = cycles;
        CHECK(t, cycles >= whole + scene_counter(&s, "scalarise.spill_cycles"));
        scene_end(&s);
    }
    strbuf_fini(&text);
}

// -- the scalar pipe ----------------------------------------------------------------------------------------

// An instruction of the scalar pipe takes its port, no slot and a single lane.
static void compare_piped(const struct scene *with, const struct scene *without)
{
    struct test *t = with->t;
    const struct gpu_counts *a = &without->bench.result.gpu, *b = &with->bench.result.gpu;
    uint64_t scalarised = scene_counter(with, "scalarise.scalarised");
    CHECK_EQ(t, b->issue_port, scalarised);
    CHECK_EQ(t, b->issue_issued, a->issue_issued);
    CHECK_EQ(t, b->slots[SLOT_ISSUED] + scalarised, a->slots[SLOT_ISSUED]);
    CHECK_EQ(t, scene_lanes(with) + 31 * scalarised, scene_lanes(without));
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
    static const struct scene_row rows[] = {
        {"scalarise", "", counting, 32, {0, 0, 0}},
        {"scalarise:scalar=on", "", counting, 32, {2 + 6 * 3, 1 + 3 + 1, 0}},
        // A single prediction bit: instructions go to the scalar pipe at once, and EXIT is returned.
        {"scalarise:scalar=on,predictions=1", "", counting, 32, {8 * 3, 1, 1}},
        {"scalarise:scalar=on", "", sums, 32, {3 + 1 + 3, 2 + 5 + 2 + 1, 2}},
        {"scalarise:scalar=on,detect=any-base", "", sums, 32, {4 + 5, 2 + 5 + 1, 0}},
        {"scalarise:scalar=on", "", apart, 32, {0, 1, 0}},
    };
    static const struct scene_table table = {
        .plan = {.bytes = 4096, .verify = true},
        .columns = {"scalarised", "scalarisable", "aborts"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare_piped,
    };
    scene_check_table(t, &table);
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
        if (!begin(&s, t, techs[k], loop, 1024)) return;
        scene_run(&s);
        CHECK_EQ(t, s.bench.result.mismatches, 0);
        CHECK_MSG(t, scene_counter(&s, "scalarise.scalarised") > before, "%s: no more than with fewer warps",
                  techs[k]);
        before = scene_counter(&s, "scalarise.scalarised");
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
