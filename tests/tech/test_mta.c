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

// The lines of STREAM come to a buffer of a single set and go on to L1 when wanted; L1 misses for three loads
// only. A store to the next line drops the line from the buffer, under way or present, and every load misses.
static void test_buffer(struct test *t)
{
    static const char stores[] =
        "S2R R0, SR_TID.X\nMOV R4, 0x4\nMOV R9, 0x10\nIMAD.WIDE R2, R0, R4, c[0x0][0x160]\n"
        "loop:\nLDG.E R5, [R2]\nIADD3 R6, R5, R6, RZ\nSTG.E [R2+0x80], R6\nIADD3 R2, R2, 0x80, RZ\n"
        "IADD3 R9, R9, -0x1, RZ\nISETP.NE.AND P0, PT, R9, RZ, PT\n@P0 BRA loop\nEXIT\n";
    static const struct scene_row rows[] = {
        // 16 loads and 14 requests are looked up; the last line stays
        {"mta:throttle=off,ip=0,buffer=8", "", STREAM, 32, {14, 14, 13, 0, 13, 30, 3}},
        {"mta:throttle=off,ip=0,buffer=64", "", STREAM, 32, {14, 14, 13, 0, 13, 30, 3}},
        {"mta:throttle=off,ip=0", "", STREAM, 32, {14, 0, 0, 0, 13, 0, 3}},
        // each line is under way at its load, and of no use after the store
        {"mta:throttle=off,ip=0,buffer=8", "l1.write=through", stores, 32, {14, 14, 0, 14, 13, 46, 16}},
    };
    static const struct scene_table table = {
        .plan = PLAN,
        .columns = {"asked", "fills", "taken", "dropped", "useful+late", "lookups", "sm.l1.misses"},
        .rows = rows,
        .count = TEST_COUNT(rows),
    };
    scene_check_table(t, &table);
}

// Lines requested too far ahead push each other out of a buffer of four lines; the books hold.
static void test_replaced(struct test *t)
{
    struct scene s;
    run(&s, t, "mta:throttle=off,ip=0,buffer=4,distance=6", STREAM, 32);
    uint64_t fills = scene_counter(&s, "mta.fills"), replaced = scene_counter(&s, "mta.replaced");
    CHECK(t, replaced > 0);
    CHECK_EQ(t, fills, replaced + scene_counter(&s, "mta.taken") + 4); // four lines stay
    CHECK(t, scene_counter(&s, "mta.early") > 0);
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

static void record_begin(struct prefetch_record *r, struct prefetch_options *o, uint64_t *counters)
{
    memset(counters, 0, PREFETCH_COUNTERS * sizeof *counters);
    *o = (struct prefetch_options){
        .record = 64, .period = 100, .early_high = 20, .early_low = 10, .met_high = 150, .throttle = 1};
    prefetch_record_init(r, o, 128, counters);
}

static void test_record(struct test *t)
{
    struct prefetch_options o;
    struct prefetch_record r;
    uint64_t n[PREFETCH_COUNTERS];
    record_begin(&r, &o, n);
    static const struct {
        bool came;
        enum line_outcome outcome;
        enum prefetch_counter counter;
    } rows[] = {{true, LINE_HIT, PREFETCH_useful},
                {false, LINE_JOINED, PREFETCH_late},
                {false, LINE_MISS, PREFETCH_late},
                {true, LINE_MISS, PREFETCH_early},
                {true, LINE_JOINED, PREFETCH_early}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        uint64_t before = n[rows[k].counter];
        prefetch_record_asked(&r, 128);
        CHECK(t, prefetch_record_has(&r, 128) && !prefetch_record_has(&r, 256));
        if (rows[k].came) prefetch_record_came(&r, 128);
        prefetch_record_met(&r, 128, rows[k].outcome);
        CHECK_EQ(t, n[rows[k].counter], before + 1);
        CHECK(t, !prefetch_record_has(&r, 128));
    }
    prefetch_record_met(&r, 128, LINE_HIT); // never requested
    CHECK_EQ(t, n[PREFETCH_useful], 1);
    prefetch_record_fini(&r);
}

// The throttle lets a fraction of requests pass, by degree: three of five at the beginning.
static void test_throttle(struct test *t)
{
    struct prefetch_options o;
    struct prefetch_record r;
    uint64_t n[PREFETCH_COUNTERS], let = 0;
    record_begin(&r, &o, n);
    for (unsigned k = 0; k < 50; k++) let += prefetch_record_lets(&r, 10);
    CHECK_EQ(t, let, 30);
    static const struct {
        uint64_t asked, useful, early; // in a period
        unsigned degree;               // after the period
    } rows[] = {{100, 50, 0, 1},    {100, 50, 0, 0},  {100, 50, 0, 0}, {100, 5, 0, 1}, {0, 0, 0, 2},
                {1000, 985, 15, 3}, {100, 90, 10, 5}, {0, 0, 0, 4},    {100, 15, 0, 3}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        n[PREFETCH_asked] += rows[k].asked;
        n[PREFETCH_useful] += rows[k].useful;
        n[PREFETCH_early] += rows[k].early;
        prefetch_record_lets(&r, 100 * (k + 1));
        CHECK_MSG(t, r.degree == rows[k].degree, "period %zu: degree %u is not %u", k, r.degree,
                  rows[k].degree);
    }
    r.degree = PREFETCH_DEGREES;
    for (unsigned k = 0; k < 20; k++) CHECK(t, !prefetch_record_lets(&r, 900)); // no request passes
    o.throttle = 0;
    CHECK(t, prefetch_record_lets(&r, 900));
    prefetch_record_fini(&r);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"by_warp", test_by_warp}, {"of_all", test_of_all},
                                             {"between", test_between}, {"past_l1", test_past_l1},
                                             {"buffer", test_buffer},   {"replaced", test_replaced},
                                             {"record", test_record},   {"throttle", test_throttle}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
