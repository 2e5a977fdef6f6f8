// Every piece of every round is worked on exactly once, before the round ends. Rounds are short, many and of
// different sizes; pauses between some of them let every worker fall asleep. Numbers of threads change.
#include "chip/workers.h"
#include "harness/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { PIECES = 40, ROUNDS = 3000 };

struct tally {
    atomic_uint done[PIECES];
    unsigned round; // not atomic: a late thread would read another round
    atomic_uint wrong;
    unsigned expected;
};

static void count_piece(void *context, unsigned k)
{
    struct tally *t = context;
    if (t->round != t->expected) atomic_fetch_add(&t->wrong, 1);
    atomic_fetch_add(&t->done[k], 1);
}

static void pause_for(long microseconds)
{
    struct timespec pause = {.tv_nsec = microseconds * 1000};
    nanosleep(&pause, NULL);
}

// The next round's number of threads, whatever the pace has measured.
static void choose(struct pace *p, unsigned round)
{
    p->is_rival = p->is_measuring = false;
    p->left_ns = UINT64_MAX;
    p->now = round / 50 % p->most + 1;
}

static void run_rounds(struct test *t, unsigned threads)
{
    struct pace pace = {0};
    struct workers *w = workers_create(threads, &pace);
    pause_for(1000); // threads start with rounds that come later than a start takes
    for (unsigned round = 0; round < ROUNDS && !test_failed(t); round++) {
        struct tally tally = {.round = round, .expected = round};
        unsigned count = round % (PIECES + 1);
        choose(&pace, round);
        if (round % 7)
            workers_run(w, count_piece, &tally, count);
        else
            workers_run_alone(w, count_piece, &tally, count);
        tally.round = ROUNDS; // a piece worked on from now on is late
        CHECK(t, tally.wrong == 0);
        for (unsigned k = 0; k < PIECES; k++) CHECK(t, tally.done[k] == (k < count));
        if (round % 500 == 0) pause_for(2000);
    }
    workers_destroy(w);
}

static void test_rounds(struct test *t)
{
    for (unsigned threads = 1; threads <= 5; threads++) run_rounds(t, threads);
}

// Stacks larger than the address space: no thread starts, and the caller does all pieces.
static void test_no_thread(struct test *t)
{
    pthread_attr_t usual, huge;
    pthread_getattr_default_np(&usual);
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, (size_t)1 << 47);
    CHECK(t, pthread_setattr_default_np(&huge) == 0);
    run_rounds(t, 4);
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
    pthread_attr_destroy(&huge);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"rounds", test_rounds}, {"no thread", test_no_thread}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
