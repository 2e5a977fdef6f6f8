// MTA counted by hand: training by three addresses, promotion of strides common to several warps, strides
// from warp to warp, the fate of prefetched lines, and the throttle. Unchanged results:
// tests/tech/test_kernels.c and tests/differential.
#include "harness/scene.h"
#include "tech/mta/mta.h"

#include <string.h>

// Every warp reads 16 lines of its own, 2 KB apart, and waits for every reply.
#define STREAMS                                                                                              \
    "S2R R0, SR_TID.X\nMOV R4, 0x40\nMOV R9, 0x10\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"                    \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, 0x80, RZ\n"                                  \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

// A line per warp: the words of 32 threads.
#define STREAM                                                                                               \
    "S2R R0, SR_TID.X\nMOV R4, 0x4\nMOV R9, 0x10\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"                     \
    "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nIADD3 R2, R2, 0x80, RZ\n"                                  \
    "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n"

#define CACHED "l1.global=1 l1.allocate=miss icache.perfect=1"

#define PLAN                                                                                                 \
    {                                                                                                        \
        .settings = CACHED, .block = {32}, .bytes = 1 << 16                                                  \
    }

static void run(struct scene *s, struct test *t, const char *tech, const char *text, uint32_t threads)
{
    struct scene_plan plan = PLAN;
    plan.tech = tech;
    plan.text = text;
    plan.block[0] = threads;
    if (scene_begin(s, t, &plan)) scene_run(s);
}

// Without mechanisms every line misses; lines that come early save time.
static void compare(const struct scene *with, const struct scene *without)
{
    CHECK_EQ(with->t, without->bench.result.gpu.l1_misses, 16);
    CHECK(with->t,
          with->bench.result.cycles < without->bench.result.cycles || !scene_counter(with, "mta.asked"));
}

// The third address confirms the stride; from then on the next line is
// requested: 14 requests, the last one unused.
static void test_by_warp(struct test *t)
{
    static const struct scene_row rows[] = {
        {"mta:throttle=off,ip=0", "", STREAM, 32, {14, 14, 14, 13, 0, 3}},
        // lines 7 to 15, 3 behind 4 to 12
        {"mta:throttle=off,ip=0,train=4,distance=3", "", STREAM, 32, {12, 12, 12, 9, 0, 7}},
        {"mta:throttle=off,ip=0,pws=0", "", STREAM, 32, {0, 0, 0, 0, 0, 16}},
    };
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"trained_pws", "asked", "came", "useful+late", "early+promoted", "sm.l1.misses"},
        .rows = rows,
        .count = TEST_COUNT(rows),
        .compare = compare,
    };
    scene_check_table(t, &table);
}

// Three warps with a common stride promote it to their instruction, and the fourth needs no training.
static void test_of_all(struct test *t)
{
    static const struct scene_row rows[] = {
        {"mta:throttle=off,ip=0,promote=5", "", STREAMS, 128, {0, 4 * 14, 0}},
        {"mta:throttle=off,ip=0,gs=0", "", STREAMS, 128, {0, 4 * 14, 0}},
    };
    static const struct scene_table table = {.plan = PLAN,
                                             .columns = {"promoted", "trained_pws", "trained_gs"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
    struct scene s;
    run(&s, t, "mta:throttle=off,ip=0", STREAMS, 128);
    CHECK_EQ(t, scene_counter(&s, "mta.promoted"), 1);
    CHECK(t, scene_counter(&s, "mta.trained_gs") > 4 * 10);
    scene_end(&s);
}

// Sixteen warps read a line once; the third warp trains the stride between warps.
static void test_between(struct test *t)
{
    static const char once[] =
        "S2R R0, SR_TID.X\nMOV R4, 0x4\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\nLDG.E R5, [R2]\n"
        "IADD3 R6, R5, R6, RZ\nEXIT\n";
    struct scene s;
    run(&s, t, "mta:throttle=off,ahead=4", once, 512);
    CHECK_EQ(t, scene_counter(&s, "mta.trained_ip"), 14);
    CHECK(t, scene_counter(&s, "mta.asked") >= 10);
    scene_end(&s);
    run(&s, t, "mta:throttle=off,ip=0", once, 512);
    CHECK_EQ(t, scene_counter(&s, "mta.asked"), 0);
    scene_end(&s);
}

// With loads that bypass L1 the mechanism does nothing.
static void test_past_l1(struct test *t)
{
    static const struct scene_row rows[] = {{"mta", "l1.global=0", STREAM, 32, {0}}};
    static const struct scene_table table = {.plan = {.bytes = 1 << 16},
                                             .columns = {"trained_pws+asked"},
                                             .rows = rows,
                                             .count = TEST_COUNT(rows)};
    scene_check_table(t, &table);
}

static void record_begin(struct mta_record *r, struct mta_options *o, uint64_t *counters)
{
    memset(counters, 0, COUNT_TOTAL * sizeof *counters);
    *o = (struct mta_options){
        .record = 64, .period = 100, .early_high = 20, .early_low = 10, .met_high = 150, .throttle = 1};
    mta_record_init(r, o, 128, counters);
}

static void test_record(struct test *t)
{
    struct mta_options o;
    struct mta_record r;
    uint64_t n[COUNT_TOTAL];
    record_begin(&r, &o, n);
    static const struct {
        bool came;
        enum line_outcome outcome;
        enum mta_counter counter;
    } rows[] = {{true, LINE_HIT, COUNT_useful},
                {false, LINE_JOINED, COUNT_late},
                {false, LINE_MISS, COUNT_late},
                {true, LINE_MISS, COUNT_early},
                {true, LINE_JOINED, COUNT_early}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        uint64_t before = n[rows[k].counter];
        mta_record_asked(&r, 128);
        CHECK(t, mta_record_has(&r, 128) && !mta_record_has(&r, 256));
        if (rows[k].came) mta_record_came(&r, 128);
        mta_record_met(&r, 128, rows[k].outcome);
        CHECK_EQ(t, n[rows[k].counter], before + 1);
        CHECK(t, !mta_record_has(&r, 128));
    }
    mta_record_met(&r, 128, LINE_HIT); // never requested
    CHECK_EQ(t, n[COUNT_useful], 1);
    mta_record_fini(&r);
}

// The throttle lets a fraction of requests pass, by degree: three of five at the beginning.
static void test_throttle(struct test *t)
{
    struct mta_options o;
    struct mta_record r;
    uint64_t n[COUNT_TOTAL], let = 0;
    record_begin(&r, &o, n);
    for (unsigned k = 0; k < 50; k++) let += mta_record_lets(&r, 10);
    CHECK_EQ(t, let, 30);
    static const struct {
        uint64_t asked, useful, early; // in a period
        unsigned degree;               // after the period
    } rows[] = {{100, 50, 0, 1},    {100, 50, 0, 0},  {100, 50, 0, 0}, {100, 5, 0, 1}, {0, 0, 0, 2},
                {1000, 985, 15, 3}, {100, 90, 10, 5}, {0, 0, 0, 4},    {100, 15, 0, 3}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        n[COUNT_asked] += rows[k].asked;
        n[COUNT_useful] += rows[k].useful;
        n[COUNT_early] += rows[k].early;
        mta_record_lets(&r, 100 * (k + 1));
        CHECK_MSG(t, r.degree == rows[k].degree, "period %zu: degree %u is not %u", k, r.degree,
                  rows[k].degree);
    }
    r.degree = MTA_DEGREES;
    for (unsigned k = 0; k < 20; k++) CHECK(t, !mta_record_lets(&r, 900)); // no request passes
    o.throttle = 0;
    CHECK(t, mta_record_lets(&r, 900));
    mta_record_fini(&r);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"by_warp", test_by_warp}, {"of_all", test_of_all},
                                             {"between", test_between}, {"past_l1", test_past_l1},
                                             {"record", test_record},   {"throttle", test_throttle}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
