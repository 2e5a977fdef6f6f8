// The register-file cache: reads and writes by location, counted by hand; a value is
// read from its entry, without a bank access.
#include "harness/scene.h"

static bool begin(struct scene *s, struct test *t, const char *tech, const char *text)
{
    const struct scene_plan plan = {.tech = tech, .text = text, .block = {32}, .bytes = 4096, .verify = true};
    return scene_begin(s, t, &plan);
}

// Reads that hit and writes to entries spare the banks, except for values written back.
static void compare(const struct scene *with, const struct scene *without)
{
    struct test *t = with->t;
    const struct gpu_counts *a = &without->bench.result.gpu, *b = &with->bench.result.gpu;
    uint64_t hits = scene_counter(with, "rfcache.hits"), writes = scene_counter(with, "rfcache.writes"),
             back = scene_counter(with, "rfcache.evictions") + scene_counter(with, "rfcache.flushed");
    CHECK_EQ(t, b->operand_near_reads, hits + scene_counter(with, "rfcache.partial"));
    CHECK_EQ(t, b->operand_near_writes, writes);
    CHECK_EQ(t, b->operand_reads + hits, a->operand_reads);
    CHECK_EQ(t, b->operand_writes + writes, a->operand_writes + back);
}

static const char chain[] = "S2R R0, SR_TID.X\n"
                            "MOV R1, c[0x0][0x160]\n"
                            "IADD3 R2, R1, 0x4, RZ\n"
                            "IADD3 R3, R2, R1, RZ\n"
                            "IADD3 R4, R0, R3, RZ\n"
                            "EXIT\n";

static void test_counted(struct test *t)
{
    // With two entries R2 replaces R0, the older entry, or R1, the entry not used since.
    static const char order[] = "MOV R0, 0x1\nMOV R1, 0x2\nIADD3 R2, R0, 0x1, RZ\n"
                                "IADD3 R3, R0, R2, RZ\nIADD3 R4, R1, R3, RZ\nEXIT\n";
    // Eight lanes write R2; every lane, or the same eight lanes, read it.
    static const char some[] = "S2R R0, SR_TID.X\nMOV R1, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n"
                               "@P0 IADD3 R2, R1, 0x1, RZ\nIADD3 R3, R2, 0x1, RZ\nEXIT\n";
    static const char same[] = "S2R R0, SR_TID.X\nMOV R1, 0x5\nISETP.LT.AND P0, PT, R0, 0x8, PT\n"
                               "@P0 IADD3 R2, R1, 0x1, RZ\n@P0 IADD3 R3, R2, 0x1, RZ\nEXIT\n";
    // R2 and R3 are written back while their warp waits for R4.
    static const char loads[] = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\n"
                                "IADD3 R5, R4, R2, RZ\nIADD3 R6, R5, R3, RZ\nEXIT\n";
    static const struct scene_row rows[] = {
        {"rfcache", "", chain, 32, {5, 5, 0, 0, 5, 0, 0, 0}},
        // R0 and R1 are evicted before their last read, R2 and R3 after it.
        {"rfcache:entries=1", "", chain, 32, {5, 3, 0, 0, 5, 2, 0, 2}},
        {"rfcache:entries=1,dead=write", "", chain, 32, {5, 3, 0, 0, 5, 4, 0, 0}},
        {"rfcache:entries=2", "", order, 32, {5, 3, 0, 0, 5, 2, 0, 1}},
        {"rfcache:entries=2,replacement=lru", "", order, 32, {5, 4, 0, 0, 5, 1, 0, 2}},
        {"rfcache", "", some, 32, {3, 2, 1, 0, 4, 0, 0, 0}},
        {"rfcache", "", same, 32, {3, 3, 0, 0, 4, 0, 0, 0}},
        {"rfcache", "", loads, 32, {6, 3, 0, 0, 4, 0, 2, 0}},
        {"rfcache:flush=never", "", loads, 32, {6, 5, 0, 0, 4, 0, 0, 0}},
        {"rfcache:loads=all", "", loads, 32, {6, 4, 0, 0, 5, 0, 2, 0}},
        {"rfcache:allocate=all", "", loads, 32, {6, 3, 0, 3, 4, 0, 2, 0}},
    };
    static const struct scene_table table = {
        .plan = {.bytes = 4096, .verify = true},
        .columns = {"lookups", "hits", "partial", "fills", "writes", "evictions", "flushed", "dead"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
}

static uint64_t cycles_of(struct test *t, const char *tech, const char *text, uint64_t *conflicts)
{
    struct scene s;
    uint64_t cycles = begin(&s, t, tech, text) ? scene_run(&s) : 0;
    *conflicts = scene_counter(&s, "sm.operand.conflict_cycles");
    scene_end(&s);
    return cycles;
}

// Three sources in one of the four banks, with two ports: the third source waits, unless held in an entry.
// With a single port for entries, the second and the third source of an instruction wait for it.
static void test_ports(struct test *t)
{
    static const char bank[] = "MOV R0, 0x1\nMOV R4, 0x2\nMOV R8, 0x3\nIMAD R12, R0, R4, R8\nEXIT\n";
    uint64_t base, cached, one, conflicts;
    base = cycles_of(t, "base", bank, &conflicts);
    CHECK_EQ(t, conflicts, 1);
    cached = cycles_of(t, "rfcache", bank, &conflicts);
    CHECK_EQ(t, conflicts, 0);
    CHECK_EQ(t, cached + 1, base);
    one = cycles_of(t, "rfcache:read-ports=1", bank, &conflicts);
    CHECK_EQ(t, one, cached + 2);
    CHECK_EQ(t, cycles_of(t, "rfcache:read-ports=1", chain, &conflicts),
             cycles_of(t, "rfcache", chain, &conflicts) + 2);
}

// A flipped bit in the n-th kept value changes the result of its readers.
static void test_values_are_real(struct test *t)
{
    static const struct {
        const char *tech;
        bool is_noticed;
    } rows[] = {{"rfcache:corrupt=1", true},   // R0, read by the last instruction
                {"rfcache:corrupt=2", true},   // R1
                {"rfcache:corrupt=5", false}}; // R4, never read
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct scene s;
        if (!begin(&s, t, rows[k].tech, chain)) return;
        scene_run(&s);
        CHECK_MSG(t, (s.bench.result.mismatches > 0) == rows[k].is_noticed, "%s: %llu mismatches",
                  rows[k].tech, (unsigned long long)s.bench.result.mismatches);
        scene_end(&s);
    }
}

// A register is read from one place: a scalar word of gscalar is
// neither searched for nor stored in an entry.
static void test_beside_words(struct test *t)
{
    struct scene s;
    if (!begin(&s, t, "gscalar+rfcache", chain)) return;
    scene_run(&s);
    const struct gpu_counts *n = &s.bench.result.gpu;
    CHECK_EQ(t, s.bench.result.mismatches, 0);
    CHECK_EQ(t, n->operand_word_reads, 4); // R1, R2, R1, R3
    CHECK_EQ(t, n->operand_near_reads, 1); // R0
    CHECK_EQ(t, n->operand_word_writes, 3);
    CHECK_EQ(t, n->operand_near_writes, 2); // R0, R4
    CHECK_EQ(t, n->operand_reads + n->operand_writes, 0);
    scene_end(&s);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"counted", test_counted},
                                             {"ports", test_ports},
                                             {"values are real", test_values_are_real},
                                             {"beside words", test_beside_words}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
