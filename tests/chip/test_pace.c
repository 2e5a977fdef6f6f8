// Numbers of host threads chosen by measured time, with a clock of the test. Rounds take the times of a made-up
// machine, so every decision is the same on any host.
#include "chip/pace.h"
#include "harness/test.h"

#include <stddef.h>

// Nanoseconds of a round with `threads` threads, `round` rounds after the start.
typedef double (*machine)(unsigned round, unsigned threads);

struct tally {
    double ns, alone_ns; // of all rounds: by the pace; by a single thread
    double with[65];     // rounds with that many threads
    unsigned rounds;
};

static struct tally run(struct pace *p, unsigned most, unsigned rounds, machine time)
{
    struct tally t = {.rounds = rounds};
    pace_begin(p, most, 64, 0);
    for (unsigned k = 0; k < rounds; k++) {
        unsigned threads = pace_threads(p);
        if (p->is_measuring) pace_round(p, (uint64_t)t.ns);
        t.ns += time(k, threads);
        t.alone_ns += time(k, 1);
        t.with[threads]++;
        pace_count(p, (uint64_t)t.ns);
    }
    return t;
}

static double shared(double ns, unsigned threads) { return ns / threads + (threads > 1 ? 500 : 0); }

// A launch on a quiet host: short rounds at its ends, and every 16th round long.
static double quiet(unsigned round, unsigned threads)
{
    bool is_end = round < 300 || round > 2200;
    return shared(is_end ? 2000 : round % 16 ? 180000 : 600000, threads);
}

static void test_quiet(struct test *t)
{
    struct pace p = {0};
    struct tally all = {0};
    for (unsigned launch = 0; launch < 8; launch++) {
        struct tally one = run(&p, 2, 2500, quiet);
        all.ns += one.ns;
        all.alone_ns += one.alone_ns;
    }
    CHECK_MSG(t, all.alone_ns / all.ns > 1.93, "two threads are %.3f times as fast", all.alone_ns / all.ns);
}

// A core is taken: every 30th round of two threads waits three milliseconds.
static double taken(unsigned round, unsigned threads)
{
    return threads > 1 && round % 30 == 0 ? 3000000 : shared(100000, threads);
}

static void test_taken(struct test *t)
{
    struct pace p = {0};
    struct tally all = run(&p, 2, 40000, taken);
    CHECK_MSG(t, all.alone_ns / all.ns > 0.93, "with a core taken %.3f times as fast", all.alone_ns / all.ns);
    CHECK(t, all.with[1] > all.with[2]);
    struct tally after = run(&p, 2, 40000, quiet);
    CHECK(t, after.with[2] > after.with[1]); // the core is free again
}

// Two pieces of work, and a cost for every thread.
static double two_pieces(unsigned round, unsigned threads)
{
    (void)round;
    return 10000.0 / (threads > 2 ? 2 : threads) + 400 * (threads - 1);
}

static void test_ladder(struct test *t)
{
    struct pace p = {0};
    struct tally all = run(&p, 16, 400000, two_pieces);
    CHECK_MSG(t, all.with[2] > 0.8 * all.rounds, "%.0f of %u rounds with two threads", all.with[2],
              all.rounds);
}

static double scaling(unsigned round, unsigned threads)
{
    (void)round;
    return shared(200000, threads);
}

static void test_many(struct test *t)
{
    for (unsigned most = 3; most <= 64; most = 2 * most + 1) {
        struct pace p = {0};
        struct tally all = run(&p, most, 100000, scaling);
        CHECK_MSG(t, all.with[most] > 0.9 * all.rounds, "%.0f of %u rounds with all %u threads",
                  all.with[most], all.rounds, most);
    }
}

static void test_one(struct test *t)
{
    struct pace p = {0};
    struct tally all = run(&p, 1, 100000, scaling);
    CHECK(t, all.with[1] == all.rounds);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"quiet", test_quiet},
        {"a core is taken", test_taken},
        {"fewer threads are faster", test_ladder},
        {"many", test_many},
        {"one", test_one},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
