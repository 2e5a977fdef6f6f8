// Counts of a launch beside another are its own. Fails where a launch hits lines of an earlier launch in an
// SM's caches, or pays leakage for cycles before its start.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/counter.h"
#include "harness/fixture.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>

// `keep` occupies every SM for `rounds`, with one warp, one line of code and no memory. `first`, `second`: a
// sum of 64 words by way of local memory, in different code.
static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry keep(.param .u32 rounds)\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\n"
    "ld.param.u32 %r0, [rounds];\nL:\nsub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, 0;\n@%p bra L;\nret;\n}\n"
#define KERNEL(name, factor)                                                                                 \
    ".visible .entry " name                                                                                  \
    "(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"             \
    ".local .align 4 .b8 depot[64];\nld.param.u64 %d0, [out];\nld.param.u64 %d1, [in];\n"                    \
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %d2, %r0, 4;\nadd.u64 %d0, %d0, %d2;\nadd.u64 %d1, %d1, %d2;\n"      \
    "and.b32 %r1, %r0, 15;\nmul.wide.u32 %d3, %r1, 4;\nmov.u64 %d4, depot;\nadd.u64 %d4, %d4, %d3;\n"        \
    "mov.u32 %r2, 16;\nmov.u32 %r3, 0;\nL:\nld.global.u32 %r4, [%d1];\nmad.lo.u32 %r3, %r3, " factor         \
    ", %r4;\n"                                                                                               \
    "st.local.u32 [%d4], %r3;\nld.local.u32 %r3, [%d4];\nadd.u64 %d1, %d1, 128;\nsub.u32 %r2, %r2, 1;\n"     \
    "setp.ne.u32 %p, %r2, 0;\n@%p bra L;\nst.global.u32 [%d0], %r3;\nret;\n}\n"
    KERNEL("first", "31") KERNEL("second", "0x12345");
#undef KERNEL

enum { WORDS = 1024, THREADS = 64, FIRST_RUNS = 3, ROUNDS = 5000 };

static uint32_t sms_of(struct fixture *f)
{
    struct wf_key key;
    for (size_t k = 0; wf_key_at(f->c, k, &key); k++)
        if (str_equal(key.name, "gpu.sm_count")) return (uint32_t)strtoul(key.value, NULL, 10);
    return 0;
}

// One warp on every SM, for long.
static void keep(struct fixture *f, uint32_t rounds)
{
    wf_launch_free(fixture_launch(f, "keep", f->a, sms_of(f), 1, (void *[]){&rounds}, 1));
}

static struct wf_pending *sum(struct fixture *f, const char *name, uint64_t out, uint64_t in)
{
    return fixture_launch(f, name, f->b, 4, THREADS, (void *[]){&out, &in}, 2);
}

struct seen {
    uint64_t constants, from_l2, waits_for_code, cycles;
};

// Counts of `second` while all SMs are occupied, after `others` launches of
// another kernel and `same` of its own.
static struct seen behind(struct test *t, const char *gpu, const char *settings, unsigned others,
                          unsigned same)
{
    struct fixture f = fixture_begin(t, gpu, settings, text, 0);
    struct seen seen = {0};
    uint64_t out = wf_alloc(f.c, 4 * WORDS), mine = wf_alloc(f.c, 4 * WORDS),
             theirs = wf_alloc(f.c, 4 * WORDS);
    keep(&f, ROUNDS);
    for (unsigned k = 0; k < others; k++) wf_launch_free(sum(&f, "first", out, theirs));
    for (unsigned k = 0; k < same; k++) wf_launch_free(sum(&f, "second", out, mine));
    struct wf_pending *l = sum(&f, "second", out, mine);
    CHECK(t, wf_launch_status(l) == WF_OK);
    const struct wf_stats *s = wf_launch_stats(l);
    seen = (struct seen){.constants = counter(t, s, "sm.constant.misses"),
                         .from_l2 = counter(t, s, "sm.l1.misses") + counter(t, s, "sm.l1.pending_hits"),
                         .waits_for_code = counter(t, s, "sm.fetch.icache_misses"),
                         .cycles = s->cycles};
    CHECK_MSG(t, wf_synchronise(f.c) == WF_OK, "%s", wf_errors(f.c));
    wf_launch_free(l);
    fixture_end(&f);
    return seen;
}

// A later launch fetches the same lines as a launch on a fresh chip. How many warps wait for a line of code,
// and how long, depends on the L2, which may hold more lines.
static void check_alike(struct test *t, const char *gpu, const char *settings, unsigned others, unsigned same)
{
    struct seen fresh = behind(t, gpu, settings, 0, 0), later = behind(t, gpu, settings, others, same);
    CHECK(t, fresh.constants && fresh.waits_for_code);
    CHECK_EQ(t, later.constants, fresh.constants);
    CHECK_EQ(t, later.from_l2, fresh.from_l2);
    CHECK_MSG(t, later.waits_for_code >= fresh.waits_for_code,
              "%s, behind %u and %u: %llu fetches waited, and %llu before", gpu, others, same,
              (unsigned long long)later.waits_for_code, (unsigned long long)fresh.waits_for_code);
    CHECK_MSG(t, same || fabs((double)later.cycles / (double)fresh.cycles - 1) < 0.1,
              "%s: %llu cycles, and %llu behind nobody", gpu, (unsigned long long)later.cycles,
              (unsigned long long)fresh.cycles);
}

static void test_lines_of_others(struct test *t)
{
    static const char plain[] = "sim.check=1", global[] = "l1.global=1 sim.check=1";
    static const char *const gpus[] = {"tiny", "gtx480", "gtx1080ti"};
    for (unsigned g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        check_alike(t, gpus[g], plain, FIRST_RUNS, 0);
        check_alike(t, gpus[g], global, FIRST_RUNS, 0);
        check_alike(t, gpus[g], global, 0, 1);
    }
}

// -- leakage ------------------------------------------------------------------------------------------------

static double energy_of(const struct wf_stats *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->energy_count; k++) sum += (double)s->energy[k].count * s->energy[k].pj_each;
    return sum;
}

// Energy of two equal launches, in two streams or in sequence.
static double cost_of_two(struct test *t, const char *gpu, const char *settings, bool together,
                          uint64_t *took)
{
    struct fixture f = fixture_begin(t, gpu, settings, text, 0);
    struct wf_stream *streams[] = {f.b, f.a};
    uint64_t out = wf_alloc(f.c, 8 * WORDS), in = wf_alloc(f.c, 8 * WORDS);
    struct wf_pending *l[2];
    double cost = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (together) f.b = streams[k];
        l[k] = sum(&f, "first", out + 4096 * k, in + 4096 * k);
    }
    for (unsigned k = 0; k < 2; k++) {
        CHECK(t, wf_launch_status(l[k]) == WF_OK);
        cost += energy_of(wf_launch_stats(l[k]));
        *took = wf_launch_stats(l[k])->start + wf_launch_stats(l[k])->elapsed;
    }
    fixture_end(&f);
    return cost;
}

// Cycles before the start of a launch belong to no launch. Two launches side by side take half the time of
// two in sequence, and leak half as much.
static void test_leakage(struct test *t)
{
    static const char stepped[] = "sim.skip_idle=0", late[] = "gpu.launch_latency=20000",
                      soon[] = "gpu.launch_latency=0";
    static const char *const gpus[] = {"gtx1080ti", "titanv", "gtx480"};
    for (unsigned g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        uint64_t took;
        double beside = cost_of_two(t, gpus[g], "", true, &took),
               behind = cost_of_two(t, gpus[g], "", false, &took);
        CHECK_MSG(t, cost_of_two(t, gpus[g], stepped, true, &took) == beside,
                  "%s: not what stepping through costs", gpus[g]);
        CHECK_MSG(t, beside > behind * 0.4 && beside < behind * 0.8, "%s: %g pJ beside, %g behind each other",
                  gpus[g], beside, behind);
        double with_latency = cost_of_two(t, gpus[g], late, true, &took),
               without = cost_of_two(t, gpus[g], soon, true, &took);
        CHECK_MSG(t, fabs(with_latency / without - 1) < 0.02, "%s: %g pJ with a launch latency, %g without",
                  gpus[g], with_latency, without);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"lines_of_others", test_lines_of_others},
                                             {"leakage", test_leakage}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
