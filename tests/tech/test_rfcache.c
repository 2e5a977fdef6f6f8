// The register-file cache: reads and writes by location, counted by hand; a value is
// read from its entry, without a bank access.
#include "base/str.h"
#include "chip/bench.h"
#include "tech/registry.h"

struct scene {
    struct gpu_bench bench;
    struct tech_choice choice;
};

static bool scene_run(struct scene *s, struct test *t, const char *tech, const char *text)
{
    struct diag d;
    *s = (struct scene){0};
    diag_init(&d);
    tech_choice_init(&s->choice);
    CHECK_MSG(t, tech_choose(&s->choice, tech, &d), "%s", tech);
    diag_fini(&d);
    if (!gpu_bench_init(&s->bench, t, "tiny", "", text, 32)) return false;
    for (unsigned k = 0; k < s->choice.count; k++) {
        s->choice.uses[k].verify = true;
    }
    s->bench.config.techs = s->choice.uses;
    s->bench.config.tech_count = s->choice.count;
    machine_buffer(&s->bench.m, 4096);
    gpu_cycles(&s->bench);
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

struct expected {
    const char *tech, *text;
    uint64_t lookups, hits, partial, fills, writes, evictions, flushed, dead;
};

static void expect(struct test *t, const struct expected *e)
{
    struct scene with, without;
    CHECK(t, scene_run(&with, t, e->tech, e->text) && scene_run(&without, t, "base", e->text));
    const struct gpu_counts *a = &without.bench.result.gpu, *b = &with.bench.result.gpu;
    CHECK_EQ(t, with.bench.result.mismatches, 0);
    CHECK_EQ(t, count_of(&with, "lookups"), e->lookups);
    CHECK_EQ(t, count_of(&with, "hits"), e->hits);
    CHECK_EQ(t, count_of(&with, "partial"), e->partial);
    CHECK_EQ(t, count_of(&with, "fills"), e->fills);
    CHECK_EQ(t, count_of(&with, "writes"), e->writes);
    CHECK_EQ(t, count_of(&with, "evictions"), e->evictions);
    CHECK_EQ(t, count_of(&with, "flushed"), e->flushed);
    CHECK_EQ(t, count_of(&with, "dead"), e->dead);
    CHECK_EQ(t, b->operand_near_reads, e->hits + e->partial);
    CHECK_EQ(t, b->operand_near_writes, e->writes);
    CHECK_EQ(t, b->operand_reads + e->hits, a->operand_reads);
    CHECK_EQ(t, b->operand_writes + e->writes, a->operand_writes + e->evictions + e->flushed);
    scene_end(&with);
    scene_end(&without);
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
    static const struct expected rows[] = {
        {"rfcache", chain, 5, 5, 0, 0, 5, 0, 0, 0},
        // R0 and R1 are evicted before their last read, R2 and R3 after it.
        {"rfcache:entries=1", chain, 5, 3, 0, 0, 5, 2, 0, 2},
        {"rfcache:entries=1,dead=write", chain, 5, 3, 0, 0, 5, 4, 0, 0},
        {"rfcache:entries=2", order, 5, 3, 0, 0, 5, 2, 0, 1},
        {"rfcache:entries=2,replacement=lru", order, 5, 4, 0, 0, 5, 1, 0, 2},
        {"rfcache", some, 3, 2, 1, 0, 4, 0, 0, 0},
        {"rfcache", same, 3, 3, 0, 0, 4, 0, 0, 0},
        {"rfcache", loads, 6, 3, 0, 0, 4, 0, 2, 0},
        {"rfcache:flush=never", loads, 6, 5, 0, 0, 4, 0, 0, 0},
        {"rfcache:loads=all", loads, 6, 4, 0, 0, 5, 0, 2, 0},
        {"rfcache:allocate=all", loads, 6, 3, 0, 3, 4, 0, 2, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) expect(t, &rows[k]);
}

static uint64_t cycles_of(struct test *t, const char *tech, const char *text, uint64_t *conflicts)
{
    struct scene s;
    if (!scene_run(&s, t, tech, text)) return 0;
    uint64_t cycles = s.bench.result.cycles;
    *conflicts = s.bench.result.gpu.operand_conflict_cycles;
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
        if (!scene_run(&s, t, rows[k].tech, chain)) return;
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
    if (!scene_run(&s, t, "gscalar+rfcache", chain)) return;
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
