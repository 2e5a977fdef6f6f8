// Sampled launches, one by one: launches executed without a copy of memory leave the right bytes, faults stay faults,
// and a launch unlike its predecessors has a wide interval and gives way to a timed launch.
#include "api/warpfold.h"
#include "harness/fixture.h"
#include "harness/test.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8, THREADS = 64, WORDS = BLOCKS * THREADS };

// `count`: each thread adds to a word of its own, `rounds` times.
static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry count(.param .u64 out, .param .u32 rounds)\n{\n"
                           ".reg .pred %p;\n.reg .b32 %r<6>;\n.reg .b64 %d<3>;\n"
                           "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
                           "mad.lo.u32 %r3, %r1, %r2, %r0;\nld.param.u32 %r4, [rounds];\n"
                           "ld.param.u64 %d0, [out];\nmul.wide.u32 %d1, %r3, 4;\nadd.u64 %d2, %d0, %d1;\n"
                           "ld.global.u32 %r5, [%d2];\n"
                           "L:\nadd.u32 %r5, %r5, 1;\nsub.u32 %r4, %r4, 1;\n"
                           "setp.ne.u32 %p, %r4, 0;\n@%p bra L;\n"
                           "st.global.u32 [%d2], %r5;\nret;\n}\n";

static struct fixture setup(struct test *t)
{
    return fixture_begin(t, "tiny", "sample=launches", text, WORDS);
}

static enum wf_status count(struct fixture *f, uint64_t out, uint32_t rounds, struct wf_stats *stats)
{
    struct wf_launch_config shape = {.grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}};
    return wf_launch(wf_kernel_find(f->m, "count"), &shape, (void *[]){&out, &rounds}, 2, stats);
}

static void check_words(struct fixture *f, uint32_t want)
{
    static uint32_t got[WORDS];
    CHECK(f->t, wf_read(f->c, f->words, got, sizeof got) == WF_OK);
    for (uint32_t k = 0; k < WORDS; k++)
        if (got[k] != want) {
            test_fail(f->t, __FILE__, __LINE__, "word %u is %u, not %u", k, got[k], want);
            return;
        }
}

// Equal launches; returns the number of timed ones.
static unsigned repeat(struct fixture *f, unsigned launches, uint32_t rounds)
{
    unsigned timed = 0;
    for (unsigned i = 0; i < launches; i++) {
        struct wf_stats stats;
        CHECK(f->t, count(f, f->words, rounds, &stats) == WF_OK);
        timed += stats.sampling.how == WF_TIMED;
        CHECK(f->t, stats.cycles > 0 && stats.warp_instructions > 0);
    }
    return timed;
}

// Timed, tried and timed, or untimed: a launch is executed once, and words count the rounds.
static void test_bytes(struct test *t)
{
    struct fixture f = setup(t);
    unsigned timed = repeat(&f, 60, 5);
    CHECK_MSG(t, timed >= 3 && timed <= 6, "%u launches are timed", timed);
    check_words(&f, 60 * 5);
    // Work in turns, up and down: launches out of reach are tried and timed.
    uint32_t sum = 60 * 5;
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t rounds = 40 + 10 * (i % 7);
        CHECK(t, count(&f, f.words, rounds, NULL) == WF_OK);
        sum += rounds;
    }
    check_words(&f, sum);
    fixture_end(&f);
}

static void test_unlike(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stats stats;
    repeat(&f, 12, 2);
    CHECK(t, count(&f, f.words, 2, &stats) == WF_OK);
    CHECK(t,
          stats.sampling.how == WF_SAMPLED_LAUNCH && stats.sampling.cycles.own < 0.2 * (double)stats.cycles);
    CHECK(t, count(&f, f.words, 400, &stats) == WF_OK);
    CHECK(t, stats.sampling.how == WF_SAMPLED_LAUNCH);
    CHECK_MSG(t, stats.sampling.cycles.own >= 0.49 * (double)stats.cycles, "%g of %llu",
              stats.sampling.cycles.own, (unsigned long long)stats.cycles);
    CHECK(t, count(&f, f.words, 400, &stats) == WF_OK);
    CHECK(t, stats.sampling.how == WF_TIMED);
    check_words(&f, 13 * 2 + 2 * 400);
    fixture_end(&f);
}

// A launch that faults without a copy of memory fails with the message of any other run, and later launches go on.
static void test_fault(struct test *t)
{
    struct fixture f = setup(t);
    struct wf_stats stats;
    repeat(&f, 12, 5);
    CHECK(t, count(&f, f.words + 4 * WORDS - 4, 5, &stats) == WF_PROGRAM_FAILED);
    CHECK_MSG(t, strstr(wf_errors(f.c), "past the end") != NULL, "%s", wf_errors(f.c));
    CHECK_EQ(t, stats.status, WF_PROGRAM_FAILED);
    CHECK_EQ(t, stats.cycles, 0);
    fixture_end(&f);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"bytes", test_bytes}, {"unlike", test_unlike}, {"fault", test_fault}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
