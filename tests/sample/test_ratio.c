// Ratios and their intervals against closed forms, and the coverage of intervals over random draws.
#include "base/rng.h"
#include "harness/test.h"
#include "sample/curves.h"
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

// A launch of a kernel with some work; figures are cycles and a count.
static struct sample_signature work_of(double instructions)
{
    return (struct sample_signature){
        .key = 7, .instructions = instructions, .counts = {instructions, instructions / 5}};
}

// Times the launch if the curve wants to. Returns whether the launch is timed. Adds the estimate, or the cycles, to *sum
// and the shared half-width to *half.
static bool launch(struct sample_curves *c, double instructions, double cycles, double *sum, double *half)
{
    struct sample_signature s = work_of(instructions);
    size_t n = sample_curves_join(c, &s);
    if (sample_curves_want(c, n, instructions, 0, 0.03)) {
        sample_curves_add(c, n, instructions, (const double[]){cycles, 1}, 0.03);
        *sum += cycles;
        return true;
    }
    struct sample_fit f = sample_fit_of(&c->list.data[n], instructions);
    struct ratio_estimate e = sample_fit_estimate(&c->list.data[n], &f, 0);
    sample_curves_note(c, n, &f, e.value);
    sample_fit_fini(&f);
    *sum += e.value;
    *half += e.shared;
    return false;
}

static void test_join(struct test *t)
{
    struct sample_curves c;
    sample_curves_init(&c, 2);
    struct sample_signature s = work_of(1000);
    size_t first = sample_curves_join(&c, &s);
    CHECK_EQ(t, sample_curves_join(&c, &s), first);
    CHECK(t, !c.list.data[first].is_varied);
    s = work_of(3000); // whatever the work
    CHECK_EQ(t, sample_curves_join(&c, &s), first);
    CHECK(t, c.list.data[first].is_varied);
    s.counts[1] = 1000; // a seventh of the instructions more
    CHECK(t, sample_curves_join(&c, &s) != first);
    s = work_of(1000);
    s.key = 8;
    CHECK(t, sample_curves_join(&c, &s) != first);
    CHECK_EQ(t, c.list.data[first].members, 3);
    sample_curves_fini(&c);
}

// Equal launches: few are timed, more seldom and more seldom. The sum is the true sum.
static void test_equal(struct test *t)
{
    struct sample_curves c;
    double sum = 0, half = 0;
    unsigned timed = 0;
    sample_curves_init(&c, 2);
    for (unsigned i = 0; i < 300; i++) timed += launch(&c, 1000, 5000 + i % 2, &sum, &half);
    CHECK_MSG(t, timed >= 4 && timed <= 6, "%u launches are timed", timed);
    CHECK(t, fabs(sum / (300 * 5000.5) - 1) < 2e-4 && half < 0.02 * sum);
    struct sample_signature s = work_of(2000); // beyond reach
    CHECK_EQ(t, sample_curves_want(&c, sample_curves_join(&c, &s), 2000, 0, 0.03), SAMPLE_FAR);
    CHECK_EQ(t, sample_curves_want(&c, 0, 1000, 0, 1e-6), SAMPLE_WIDE);
    sample_curves_fini(&c);
}

// Work that shrinks from launch to launch, as in elimination: a line is extrapolated, without a timed launch for each.
static void test_shrinking(struct test *t)
{
    struct sample_curves c;
    double sum = 0, half = 0, want = 0;
    unsigned timed = 0;
    sample_curves_init(&c, 2);
    for (unsigned i = 0; i < 400; i++) {
        double work = 1e5 * (1 - i / 420.0), cycles = 2000 + 0.08 * work;
        timed += launch(&c, work, cycles, &sum, &half);
        want += cycles;
    }
    CHECK_MSG(t, timed < 60, "%u launches are timed", timed);
    CHECK_MSG(t, fabs(sum / want - 1) < 0.01, "%g of %g", sum, want);
    sample_curves_fini(&c);
}

// Launches that differ by a tenth: 17 in 20 sums over 300 launches, at least, are within the added half-widths, at the target.
static void test_noisy(struct test *t)
{
    struct rng random;
    unsigned inside = 0, draws = 60;
    rng_init(&random, 5);
    for (unsigned d = 0; d < draws; d++) {
        struct sample_curves c;
        double sum = 0, half = 0, want = 0;
        sample_curves_init(&c, 2);
        for (unsigned i = 0; i < 300; i++) {
            double work = 1000 * (1 + 0.01 * noise(&random)), cycles = 5 * work * (1 + 0.1 * noise(&random));
            launch(&c, work, cycles, &sum, &half);
            want += cycles;
        }
        inside += fabs(sum - want) <= half;
        sample_curves_fini(&c);
    }
    CHECK_MSG(t, inside >= 0.85 * draws, "%u of %u", inside, draws);
}

static void test_trend(struct test *t)
{
    static const double level[] = {5, 5.1, 4.9, 5, 5.1, 4.9, 5.05, 4.95},
                        rising[] = {4, 4.2, 4.3, 4.6, 4.8, 4.9, 5.2, 5.3};
    CHECK(t, !steady_has_trend(level, TEST_COUNT(level), 0.01));
    CHECK(t, steady_has_trend(rising, TEST_COUNT(rising), 0.01));
}

// A launch of a stream: every block writes 32 sectors and reads as many. The L2 holds `capacity` sectors, or from the
// verdict to close it on no more than it has. DRAM moves at most `peak` sectors a cycle.
struct stream {
    double peak;
    uint64_t capacity;
    uint64_t closed_reads; // more sectors read a block by a closed L2
    uint64_t pile;         // more requests without an answer a block
};

// Returns the blocks ended once the launch has settled; 4000: never. The launch's state is left in *s.
static uint64_t settles_at(const struct stream *m, struct steady *s)
{
    *s = (struct steady){.wave = 16, .blocks = 4000, .capacity = m->capacity, .peak = m->peak, .error = 0.03};
    struct steady_sums now = {0};
    enum steady_verdict verdict = STEADY_GOES_ON;
    uint64_t room = m->capacity;
    bool is_closed = false;
    while (verdict != STEADY_SETTLED && now.ended < s->blocks) {
        now.ended += 2;
        now.instructions += 32;
        now.cycle += 64;
        now.stored += 64;
        now.read += 64 + (is_closed ? 2 * m->closed_reads : 0);
        now.answered += 64;
        now.waiting += 2 * m->pile;
        if (now.stored + now.read > room) now.written += 64;
        steady_look(s, &now);
        verdict = steady_judge(s, 3000);
        if (verdict == STEADY_CLOSES) room = 0;
        if (verdict == STEADY_OPENS) room = m->capacity;
        if (verdict == STEADY_CLOSES || verdict == STEADY_OPENS) is_closed = verdict == STEADY_CLOSES;
    }
    return now.ended;
}

static void check_stream(struct test *t, const struct stream *m, uint64_t from, uint64_t to, bool is_closed)
{
    struct steady s;
    uint64_t at = settles_at(m, &s);
    CHECK_MSG(t, at >= from && at <= to, "settled after %llu blocks, not %llu to %llu",
              (unsigned long long)at, (unsigned long long)from, (unsigned long long)to);
    CHECK_EQ(t, s.early_windows != 0, is_closed);
    if (is_closed) { // blocks up to 1024 have the rates of an L2 that is not yet full
        double early = steady_early_share(&s, 3000);
        CHECK_MSG(t, early > 0.25 && early < 0.34, "%g", early);
    }
    steady_fini(&s);
}

static void test_writes(struct test *t)
{
    enum { FULL = 1024 }; // blocks that fill an L2 of 64 * FULL sectors
    check_stream(t, &(struct stream){2.5, 64 * FULL, 0, 0}, 150, FULL / 2, true);
    check_stream(t, &(struct stream){25, 64 * FULL, 0, 0}, 80, 200, false); // DRAM has time to spare
    check_stream(t, &(struct stream){2.5, 1 << 22, 0, 0}, 80, 200, false);  // never full
    check_stream(t, &(struct stream){2.5, 64 * FULL, .closed_reads = 8}, FULL, 4 * FULL, false);
    check_stream(t, &(struct stream){25, 64 * FULL, .pile = 4}, 4000, 4000, false);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"quantiles", test_quantiles}, {"two", test_two},     {"coverage", test_coverage},
        {"join", test_join},           {"equal", test_equal}, {"shrinking", test_shrinking},
        {"noisy", test_noisy},         {"trend", test_trend}, {"writes", test_writes},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
