// Loads past L1: .cg, .cv, and loads that must see stores of other SMs; and the sectors
// fetched by L1 for other loads. A line is read twice, the second load behind the first reply;
// a line served by L1 hits on the second load.
#include "chip/bench.h"

#include <string.h>

struct loads {
    uint64_t hits, misses, at_l2; // lines; at_l2 includes the line of constants
};

static struct loads lines_of(struct test *t, const char *load)
{
    struct gpu_bench b;
    struct strbuf text = {0};
    struct loads n = {0};
    strbuf_printf(
        &text,
        "S2R R0, SR_TID.X\nSHL R0, R0, 0x2\nMOV R3, c[0x0][0x164]\nIADD3 R2, R0, c[0x0][0x160], RZ\n"
        "%s R4, [R2]\nIADD3 R2, R2, R4, RZ\n%s R5, [R2]\nIADD3 R5, R5, R4, RZ\nSTG.E [R2], R5\nEXIT\n",
        load, load);
    if (gpu_bench_init(&b, t, "tiny", "icache.perfect=1 l1.global=1", strbuf_text(&text), 32)) {
        machine_buffer(&b.m, 128);
        gpu_cycles(&b);
        n = (struct loads){b.result.gpu.l1_hits, b.result.gpu.l1_misses,
                           b.result.memory.l2_hits + b.result.memory.l2_misses};
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return n;
}

static void test_which_loads(struct test *t)
{
    static const struct {
        const char *load;
        bool is_past;
    } rows[] = {
        {"LDG.E", false},           {"LDG.E.CA", false},        {"LDG.E.CS", false},
        {"LDG.E.CG", true},         {"LDG.E.CV", true},         {"LDG.E.STRONG.CTA", false},
        {"LDG.E.STRONG.GPU", true}, {"LDG.E.STRONG.SYS", true}, {"LDG.E.ACQUIRE.GPU", true},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct loads n = lines_of(t, rows[k].load), want = {1, 1, 2}, past = {0, 0, 3};
        if (rows[k].is_past) want = past;
        CHECK_MSG(t, n.hits == want.hits && n.misses == want.misses && n.at_l2 == want.at_l2,
                  "%s: %llu hits and %llu misses of L1, %llu loads at L2", rows[k].load,
                  (unsigned long long)n.hits, (unsigned long long)n.misses, (unsigned long long)n.at_l2);
    }
}

// Loads a word from each sector of a line, in sequence: l1.fetch decides whether only the first load misses.
static void test_fetch(struct test *t)
{
    static const char text[] =
        "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nLDG.E R4, [R2]\nIADD3 R2, R2, R4, RZ\n"
        "LDG.E R4, [R2+0x20]\nIADD3 R2, R2, R4, RZ\nLDG.E R4, [R2+0x60]\nIADD3 R2, R2, R4, RZ\nEXIT\n";
    static const struct {
        const char *settings;
        uint64_t misses, sectors;
    } rows[] = {{"icache.perfect=1 l1.global=1 l1.fetch=sectors", 3, 3},
                {"icache.perfect=1 l1.global=1 l1.fetch=line", 1, 4},
                {"icache.perfect=1 l1.global=1 l1.fetch=line l1.allocate=miss", 1, 4},
                {"icache.perfect=1 l1.global=0 l1.fetch=line", 0, 3}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct gpu_bench b;
        if (gpu_bench_init(&b, t, "tiny", rows[k].settings, text, 1)) {
            machine_buffer(&b.m, 128);
            gpu_cycles(&b);
            CHECK_MSG(t, !b.result.imbalance, "%s", b.result.imbalance);
            CHECK_EQ(t, b.result.gpu.l1_misses, rows[k].misses);
            CHECK_EQ(t, b.result.memory.dram.reads, rows[k].sectors + 4); // and the line of constants
        }
        gpu_bench_fini(&b);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"which_loads", test_which_loads}, {"fetch", test_fetch}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
