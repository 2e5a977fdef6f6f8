// Instruction-level parallelism of a warp (docs/explanation/ilp.md): issue distances of the dissertation's Figure 38, in
// cycles derived by hand as in test_pipeline.c:
//
//     issue c │ c+1 operands read │ c+2 … c+1+latency EX1 … EXn │ c+2+latency written, a dependent one issues
#include "chip/bench.h"

#include <string.h>

// Eight lanes: a scheduler is busy for four cycles. Instructions are fetched ahead of need.
#define LANES                                                                                                \
    "icache.perfect=1 fetch.per_scheduler=1 fetch.refill=space fetch.ibuffer=16 fetch.width=4 "              \
    "operands.conflicts=0 issue.schedulers=1 issue.width=1 issue.interval=4 units.float=1 "                  \
    "interval.int_add=4 interval.fp_add=4 interval.dp=4 interval.fixed=4 "

struct piece {
    const char *settings, *code;
    uint32_t threads;
};

static uint64_t cycles_of(struct test *t, const struct piece *p, unsigned times)
{
    struct strbuf text = {0};
    struct gpu_bench b;
    char settings[800];
    snprintf(settings, sizeof settings, LANES "%s", p->settings);
    strbuf_puts(&text, ".shared 64\nMOV R8, c[0x0][0x160]\nMOV R9, c[0x0][0x164]\n");
    for (unsigned k = 0; k < times; k++) strbuf_puts(&text, p->code);
    strbuf_puts(&text, "EXIT\n");
    uint64_t cycles = 0;
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", settings, strbuf_text(&text), p->threads)) {
        machine_buffer(&b.m, 1 << 20);
        cycles = gpu_cycles(&b);
    }
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

// Checks the cycles from a piece of code to its next repetition.
static void takes(struct test *t, const struct piece *p, uint64_t want)
{
    enum { TIMES = 16 };
    uint64_t once = cycles_of(t, p, TIMES), twice = cycles_of(t, p, 2 * TIMES);
    CHECK_MSG(t, twice - once == TIMES * want, "%s: %s takes %.2f cycles, not %llu", p->settings, p->code,
              (double)(twice - once) / TIMES, (unsigned long long)want);
}

static const char dependent[] = "IADD3 R0, R0, 0x1, RZ\n", independent[] = "IADD3 R0, R2, 0x1, RZ\n";

// Figure 38: with two stages of execution a result is written before the next instruction reads
// (12, 13). With four or eight stages and a bypass the distance is the number of stages; without
// a bypass, reading and writing are added.
static void test_distances(struct test *t)
{
    static const struct {
        unsigned latency, without, with;
    } rows[] = {{2, 4, 4}, {3, 5, 4}, {4, 6, 4}, {6, 8, 6}, {8, 10, 8}};
    static const char *const ways[] = {"scoreboard", "single"};
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        for (size_t w = 0; w < TEST_COUNT(ways); w++)
            for (unsigned bypass = 0; bypass < 2; bypass++) {
                char settings[200];
                snprintf(settings, sizeof settings,
                         "issue.dependences=%s latency.int_add=%u latency.fp_add=%u operands.bypass=%u",
                         ways[w], rows[k].latency, rows[k].latency, bypass);
                takes(t, &(struct piece){settings, dependent, 32}, bypass ? rows[k].with : rows[k].without);
            }
}

// One instruction in flight: independent instructions wait, too, and the
// bypass shortens the wait of any instruction.
static void test_single(struct test *t)
{
    takes(t, &(struct piece){"latency.int_add=8", independent, 32}, 10); // results of one register, in order
    struct piece p = {"issue.dependences=single latency.int_add=8",
                      "IADD3 R0, R2, 0x1, RZ\nIADD3 R1, R2, 0x1, RZ\n", 32};
    takes(t, &p, 20);
    p.settings = "issue.dependences=single latency.int_add=8 operands.bypass=1";
    takes(t, &p, 16);
    p.settings = "issue.dependences=scoreboard latency.int_add=8 operands.bypass=1";
    takes(t, &p, 8);
}

// With a bypass two warps fill a pipeline of eight stages (4.4.1); without a bypass, three.
static void test_warps(struct test *t)
{
    struct piece p = {"issue.dependences=single latency.int_add=8 operands.bypass=1", dependent, 64};
    takes(t, &p, 8);
    p.settings = "issue.dependences=single latency.int_add=8";
    takes(t, &p, 10);
    p.threads = 96;
    takes(t, &p, 12);
}

// Neither memory nor double precision has a bypass: their results are read from the register file.
static void test_no_bypass(struct test *t)
{
    static const char *const codes[] = {"DADD R0, R0, R2\n", "LDG R0, [R8]\n", "LDS R0, [R0]\n"};
    for (size_t k = 0; k < TEST_COUNT(codes); k++) {
        struct piece p = {"issue.dependences=scoreboard", codes[k], 32};
        uint64_t without = cycles_of(t, &p, 64);
        p.settings = "issue.dependences=scoreboard operands.bypass=1";
        uint64_t with = cycles_of(t, &p, 64);
        CHECK_MSG(t, without - with <= 2 * 3, "%s gains %llu cycles", codes[k],
                  (unsigned long long)(without - with));
    }
}

// The instruction behind a load waits for the reply, dependent or not; behind a
// store, until the store has left for memory.
static void test_single_memory(struct test *t)
{
    struct piece alone = {"issue.dependences=single", "LDS R0, [R1]\n", 32},
                 behind = {"issue.dependences=single latency.int_add=8",
                           "LDS R0, [R1]\nIADD3 R2, R3, 0x1, RZ\n", 32};
    uint64_t loads = cycles_of(t, &alone, 64) - cycles_of(t, &alone, 32);
    uint64_t both = cycles_of(t, &behind, 64) - cycles_of(t, &behind, 32);
    CHECK_EQ(t, both - loads, 32 * 10);
}

// -- branches
// Cycles of `times` branches, each over two instructions.
static uint64_t branches_take(struct test *t, const char *way, const char *guard, unsigned times,
                              struct gpu_counts *counts)
{
    struct strbuf text = {0};
    struct gpu_bench b;
    char settings[800];
    uint64_t cycles = 0;
    snprintf(settings, sizeof settings,
             "icache.perfect=1 fetch.per_scheduler=1 fetch.refill=space fetch.ibuffer=16 fetch.width=4 "
             "operands.conflicts=0 issue.schedulers=1 issue.width=1 sim.check=1 %s",
             way);
    strbuf_puts(&text,
                "S2R R4, SR_TID.X\nISETP.LT.AND P0, PT, R4, 0x10, PT\nISETP.LT.AND P1, PT, R4, 0x0, PT\n"
                "ISETP.GE.AND P2, PT, R4, 0x0, PT\n");
    for (unsigned k = 0; k < times; k++) {
        unsigned r = 16 + 2 * k % 64;
        strbuf_printf(&text, "%sBRA L%u\nIADD3 R%u, R4, 0x1, RZ\nIADD3 R%u, R4, 0x1, RZ\nL%u:\n", guard, k, r,
                      r + 1, k);
    }
    strbuf_puts(&text, "EXIT\n");
    if (gpu_bench_init(&b, t, "gtx1080ti-paper", settings, strbuf_text(&text), 32)) cycles = gpu_cycles(&b);
    *counts = b.result.gpu;
    gpu_bench_fini(&b);
    strbuf_fini(&text);
    return cycles;
}

static uint64_t branch_takes(struct test *t, const char *way, const char *guard, struct gpu_counts *counts)
{
    uint64_t once = branches_take(t, way, guard, 16, counts),
             twice = branches_take(t, way, guard, 32, counts);
    return (twice - once) / 16;
}

// A branch predicted right costs its slot, a branch predicted wrong `resolve` - 1 cycles more;
// without prediction, its latency. An unconditional branch costs nothing more, and a divergent
// branch is right whatever the prediction.
static void test_prediction(struct test *t)
{
    static const struct {
        const char *way, *guard;
        uint64_t cycles; // of a branch not taken, and of the two NOPs behind it
        unsigned right, wrong, divergent;
    } rows[] = {{"branch.predict=none latency.branch=9", "@P2 ", 8, 0, 0, 0},
                {"branch.predict=perfect latency.branch=9", "@P2 ", 1, 32, 0, 0},
                {"branch.predict=static branch.resolve=9", "@P2 ", 9, 0, 32, 0},
                {"branch.predict=static branch.resolve=23", "@P2 ", 23, 0, 32, 0},
                {"branch.predict=static latency.branch=9", "@P1 ", 3, 32, 0, 0},
                {"branch.predict=static latency.branch=9", "", 1, 0, 0, 0}};
    // Without onlookers (sim.check, mechanisms, a watch) instructions issue by another path.
    for (size_t k = 0; k < 2 * TEST_COUNT(rows); k++) {
        struct gpu_counts n;
        char way[200];
        const size_t row = k / 2;
        snprintf(way, sizeof way, "%s%s", rows[row].way, k % 2 ? " sim.check=0" : "");
        uint64_t cycles = branch_takes(t, way, rows[row].guard, &n);
        CHECK_MSG(t, cycles == rows[row].cycles, "%s, %sBRA: %llu cycles, not %llu", way, rows[row].guard,
                  (unsigned long long)cycles, (unsigned long long)rows[row].cycles);
        CHECK_EQ(t, n.predict_right, rows[row].right);
        CHECK_EQ(t, n.predict_wrong, rows[row].wrong);
        CHECK_EQ(t, n.predict_divergent, rows[row].divergent);
        CHECK(t, (n.predict_ghosts > 0) == (rows[row].wrong > 0));
    }
}

// Figure 41: eight lanes of eight stages. The branch reads its operands in cycles 9 to 12, the predicted
// instruction in 13 to 16, the second ghost in 17 to 20. The branch's last lanes reach the eighth stage in
// cycle 20, when the right path might read. A ghost still reads in 20, so the right path reads in 21.
// Neither ghost writes: the first lanes would write in 22. With the outcome from the fourth stage the cycle
// is 16, or 17 behind the only ghost.
static void test_figure_41(struct test *t)
{
    enum { READS = 9, TIMES = 32 };
    static const struct {
        const char *way;
        uint64_t right; // first read by the right path, in cycles
        unsigned ghosts;
    } rows[] = {{"branch.predict=perfect", 13, 0},
                {"branch.predict=static branch.resolve=11", 21, 2},
                {"branch.predict=static branch.resolve=7", 17, 1}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct gpu_counts n;
        char way[200];
        snprintf(way, sizeof way, "issue.interval=4 interval.int_add=4 latency.int_add=8 %s", rows[k].way);
        CHECK_EQ(t, READS + branch_takes(t, way, "@P2 ", &n), rows[k].right);
        CHECK_EQ(t, n.predict_ghosts, rows[k].ghosts * TIMES);
    }
}

static void test_divergent(struct test *t)
{
    static const char *const ways[] = {"static", "gshare", "perfect"};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) {
        struct gpu_counts n;
        char soon[100], late[100];
        snprintf(soon, sizeof soon, "branch.predict=%s branch.resolve=3", ways[k]);
        snprintf(late, sizeof late, "branch.predict=%s branch.resolve=900", ways[k]);
        CHECK_EQ(t, branches_take(t, soon, "@P0 ", 1, &n), branches_take(t, late, "@P0 ", 1, &n));
        CHECK_EQ(t, n.predict_divergent, 1);
        CHECK_EQ(t, n.predict_wrong + n.predict_right, 0);
    }
}

// The table learns: a branch with a constant direction is mispredicted a few times at most.
static void test_gshare(struct test *t)
{
    struct gpu_counts n;
    branch_takes(t, "branch.predict=gshare branch.history=0 branch.bits=2", "@P2 ", &n);
    CHECK_EQ(t, n.predict_wrong, 2); // from 0 to 2
    CHECK_EQ(t, n.predict_right, 30);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"distances", test_distances},
                                             {"single", test_single},
                                             {"warps", test_warps},
                                             {"no_bypass", test_no_bypass},
                                             {"single_memory", test_single_memory},
                                             {"prediction", test_prediction},
                                             {"figure_41", test_figure_41},
                                             {"divergent", test_divergent},
                                             {"gshare", test_gshare}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
