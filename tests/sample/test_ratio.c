// Ratios and their intervals against closed forms, and the coverage of intervals over random draws.
#include "base/rng.h"
#include "harness/test.h"
#include "sample/groups.h"
#include "sample/line.h"
#include "sample/ratio.h"
#include "sample/steady.h"

#include <math.h>

// Student's t, two-sided 95 %: NIST/SEMATECH e-Handbook, 1.3.6.7.2.
static void test_quantiles(struct test *t)
{
    static const struct {
        double degrees, want;
    } rows[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},
                {7, 2.365},  {10, 2.228}, {30, 2.042}, {100, 1.984}};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        double got = student_t95(rows[i].degrees);
        CHECK_MSG(t, fabs(got - rows[i].want) < 0.004 * rows[i].want, "t(%g) is %g", rows[i].degrees, got);
    }
}

// Work 1, figures 9 and 11: mean 10, deviation sqrt(2), shared half-width 12.706 * sqrt(2) / sqrt(2).
static void test_two(struct test *t)
{
    struct ratio r = {0};
    ratio_add(&r, 1, 9);
    CHECK(t, isinf(ratio_estimate(&r, 1).shared));
    ratio_add(&r, 1, 11);
    struct ratio_estimate e = ratio_estimate(&r, 3);
    CHECK(t, fabs(e.value - 30) < 1e-9);
    CHECK(t, fabs(e.shared - hypot(3 * student_t95(1), 30 * RATIO_FLOOR)) < 1e-9);
    CHECK(t, fabs(e.own - 3 * student_t95(1) * sqrt(2)) < 1e-9);
    r = (struct ratio){0};
    ratio_add(&r, 1, 5);
    ratio_add(&r, 1, 5);
    e = ratio_estimate(&r, 2);
    CHECK(t, e.own == 0 && fabs(e.shared - 10 * RATIO_FLOOR) < 1e-9); // equal observations
}

static double noise(struct rng *r) // of variance 1
{
    double sum = 0;
    for (unsigned i = 0; i < 12; i++) sum += rng_f64(rng_next(r));
    return sum - 6;
}

// The interval of a ratio from 2 to 9 observations covers the true ratio in 93 % to 97 % of the draws.
static void test_coverage(struct test *t)
{
    struct rng random;
    rng_init(&random, 41);
    for (unsigned count = 2; count < 10; count++) {
        unsigned inside = 0, draws = 4000;
        for (unsigned d = 0; d < draws; d++) {
            struct ratio r = {0};
            for (unsigned i = 0; i < count; i++) {
                double work = 1000 + 20 * noise(&random);
                ratio_add(&r, work, 3 * work * (1 + 0.2 * noise(&random)));
            }
            struct ratio_estimate e = ratio_estimate(&r, 1);
            inside += fabs(e.value - 3) <= e.shared;
        }
        double share = (double)inside / draws;
        CHECK_MSG(t, share > 0.93 && share < 0.97, "%u observations: %g", count, share);
    }
}

// Intervals of a line at a point, from 4 to 12 points with noise: 93 % to 97 % of the draws inside.
static void test_line(struct test *t)
{
    struct rng random;
    rng_init(&random, 5);
    for (unsigned count = LINE_LEAST; count < 13; count += 4) {
        unsigned inside = 0, draws = 4000;
        for (unsigned d = 0; d < draws; d++) {
            struct line l = {0};
            for (unsigned i = 0; i < count; i++) line_add(&l, i, 100 + 7 * i + 20 * noise(&random));
            inside += fabs(line_estimate(&l, 2).value - 114) <= line_estimate(&l, 2).shared;
        }
        double share = (double)inside / draws;
        CHECK_MSG(t, share > 0.93 && share < 0.975, "%u points: %g", count, share);
    }
    struct line exact = {0};
    for (unsigned i = 0; i < 5; i++) line_add(&exact, 10 + i, 30 + 2 * i);
    CHECK(t, fabs(line_estimate(&exact, 12.5).value - 35) < 1e-6 && line_estimate(&exact, 12.5).own < 1e-3);
    CHECK(t, line_reaches(&exact, 14) && !line_reaches(&exact, 14.1));
}

static void test_groups(struct test *t)
{
    struct sample_groups g;
    sample_groups_init(&g, 2);
    struct sample_signature s = {.key = 7, .instructions = 1000, .counts = {100, 20}};
    CHECK(t, !sample_groups_know(&g, 7));
    size_t first = sample_groups_join(&g, &s);
    CHECK(t, sample_groups_know(&g, 7));
    s.instructions = 1010; // within 2 %
    CHECK_EQ(t, sample_groups_join(&g, &s), first);
    s.instructions = 1100;
    CHECK(t, sample_groups_join(&g, &s) != first);
    s.instructions = 1000;
    s.counts[0] = 200; // a tenth of the instructions more
    CHECK(t, sample_groups_join(&g, &s) != first);
    s.counts[0] = 100;
    s.key = 8;
    CHECK(t, sample_groups_join(&g, &s) != first);
    struct sample_group *group = &g.list.data[first];
    CHECK_EQ(t, group->members, 2);
    CHECK(t, sample_group_wants(group, 0.03));
    sample_group_add(group, 1000, (const double[]){5000, 1});
    CHECK(t, sample_group_wants(group, 0.03));
    sample_group_add(group, 1000, (const double[]){5001, 1});
    CHECK(t, !sample_group_wants(group, 0.03));
    CHECK(t, sample_group_wants(group, 1e-6));
    sample_groups_fini(&g);
}

static void test_trend(struct test *t)
{
    static const double level[] = {5, 5.1, 4.9, 5, 5.1, 4.9, 5.05, 4.95},
                        rising[] = {4, 4.2, 4.3, 4.6, 4.8, 4.9, 5.2, 5.3};
    CHECK(t, !steady_has_trend(level, TEST_COUNT(level), 0.01));
    CHECK(t, steady_has_trend(rising, TEST_COUNT(rising), 0.01));
}

// A stream writes two sectors an instruction and fills an L2 of 16,384 sectors only after 32 waves. DRAM moves at most
// `peak` sectors a cycle. Returns the blocks ended once the launch has settled.
static uint64_t settles_at(double peak, uint64_t capacity)
{
    struct steady s = {.wave = 16, .blocks = 4000, .capacity = capacity, .peak = peak, .error = 0.03};
    struct steady_sums now = {0};
    bool is_settled = false;
    while (!is_settled && now.ended < s.blocks) {
        now.ended += 2;
        now.instructions += 32;
        now.cycle += 64;
        now.stored += 64;
        now.written = now.stored > capacity ? now.stored - capacity : 0;
        steady_look(&s, &now);
        is_settled = steady_is_settled(&s, 3000);
    }
    steady_fini(&s);
    return now.ended;
}

static void test_writes(struct test *t)
{
    uint64_t full = 16384 / 32; // blocks whose stores fill the L2
    uint64_t busy = settles_at(1, 16384), idle = settles_at(10, 16384), small = settles_at(1, 1 << 20);
    CHECK_MSG(t, busy > full && busy < 4 * full, "settled after %llu blocks", (unsigned long long)busy);
    CHECK_MSG(t, idle < full, "settled after %llu blocks",
              (unsigned long long)idle); // DRAM has time to spare
    CHECK_MSG(t, small < full, "settled after %llu blocks", (unsigned long long)small); // never full
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"quantiles", test_quantiles}, {"two", test_two},       {"coverage", test_coverage},
        {"line", test_line},           {"groups", test_groups}, {"trend", test_trend},
        {"writes", test_writes},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
