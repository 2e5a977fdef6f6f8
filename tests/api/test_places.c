// Streams bound to a range of SMs. Fails where a block runs outside the range, or where launches in disjoint
// ranges slow each other down. Access to one stream's memory must not wait for another stream's launches.
#include "api/warpfold.h"
#include "base/rng.h"
#include "harness/counter.h"
#include "harness/fixture.h"
#include "harness/test.h"

#include <string.h>

enum { THREADS = 64, SMS = 28 };

// `loud`: each thread sums for some rounds and stores the sum at an address of its own. `quiet` stores
// nothing and reads no parameter, because a parameter is a constant from the L2.
static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry loud(.param .u64 out, .param .u32 rounds)\n{\n"
                           ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %d<3>;\n"
                           "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
                           "mad.lo.u32 %r3, %r1, %r2, %r0;\nld.param.u32 %r4, [rounds];\nmov.u32 %r5, %r3;\n"
                           "L:\nmad.lo.u32 %r5, %r5, 31, %r4;\nsub.u32 %r4, %r4, 1;\n"
                           "setp.ne.u32 %p, %r4, 0;\n@%p bra L;\n"
                           "ld.param.u64 %d0, [out];\nmul.wide.u32 %d1, %r3, 4;\nadd.u64 %d2, %d0, %d1;\n"
                           "st.global.u32 [%d2], %r5;\nret;\n}\n"
                           ".visible .entry quiet()\n{\n"
                           ".reg .pred %p;\n.reg .b32 %r<4>;\n"
                           "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 32;\nadd.u32 %r1, %r1, 400;\n"
                           "L:\nmad.lo.u32 %r0, %r0, 31, %r1;\nsub.u32 %r1, %r1, 1;\n"
                           "setp.ne.u32 %p, %r1, 0;\n@%p bra L;\n"
                           "setp.ne.u32 %p, %r0, 12345;\n@%p ret;\ntrap;\n}\n"
                           ".visible .entry endless()\n{\nL:\nbra L;\n}\n";

static struct fixture setup(struct test *t, const char *gpu) { return fixture_begin(t, gpu, "", text, 0); }

static uint32_t wanted(uint32_t thread, uint32_t rounds)
{
    uint32_t sum = thread;
    for (; rounds; rounds--) sum = sum * 31 + rounds;
    return sum;
}

static struct wf_pending *loud(struct fixture *f, struct wf_stream *s, uint32_t blocks, uint32_t rounds,
                               uint64_t out)
{
    return fixture_launch(f, "loud", s, blocks, THREADS, (void *[]){&out, &rounds}, 2);
}

static struct wf_pending *quiet(struct fixture *f, struct wf_stream *s, uint32_t blocks)
{
    return fixture_launch(f, "quiet", s, blocks, THREADS, NULL, 0);
}

static void check_written(struct fixture *f, struct wf_stream *s, uint64_t out, uint32_t blocks,
                          uint32_t rounds)
{
    static uint32_t got[SMS * 16 * THREADS];
    CHECK(f->t, wf_stream_read(s, out, got, blocks * THREADS * 4) == WF_OK);
    for (uint32_t k = 0; k < blocks * THREADS; k++)
        if (got[k] != wanted(k, rounds)) {
            test_fail(f->t, __FILE__, __LINE__, "thread %u wrote %u", k, got[k]);
            return;
        }
}

// Blocks run on every SM of the range (given enough blocks) and on no SM outside it.
static void check_place(struct fixture *f, struct wf_pending *l, unsigned first, unsigned sms,
                        uint32_t blocks)
{
    const struct wf_stats *stats = wf_launch_stats(l);
    unsigned there = 0;
    CHECK_MSG(f->t, stats->status == WF_OK, "%s", wf_errors(f->c));
    for (unsigned sm = 0; sm < stats->sm_count; sm++) {
        bool has = stats->sms[sm].warp_instructions != 0, may = sm >= first && sm < first + sms;
        there += has;
        CHECK_MSG(f->t, may || !has, "a block came to SM %u, not one of %u from %u", sm, sms, first);
    }
    CHECK_MSG(f->t, there && (blocks < 8 * sms || there == sms), "%u of %u SMs", there, sms);
}

// Two launches in random ranges, overlapping or not, under every policy of gpu.dispatch.
static void test_ranges(struct test *t)
{
    static const char *const policies[] = {"oldest", "fill", "even", "apart"};
    struct rng r;
    rng_init(&r, test_seed(19));
    for (unsigned turn = 0; turn < (test_is_long() ? 400u : 24u); turn++) {
        struct fixture f = setup(t, "gtx1080ti-paper");
        const char *policy = policies[turn % 4];
        bool is_apart = turn % 4 == 3;
        CHECK(t, wf_set(f.c, "gpu.dispatch", policy) == WF_OK && wf_set(f.c, "sim.check", "1") == WF_OK);
        wf_set_threads(f.c, 1 + turn % 3);
        struct wf_stream *s[2] = {f.a, f.b};
        struct wf_pending *l[2];
        unsigned first[2], sms[2];
        uint32_t blocks[2], rounds[2];
        uint64_t out[2];
        for (unsigned k = 0; k < 2; k++) {
            first[k] = rng_below(&r, SMS);
            sms[k] = 1 + rng_below(&r, SMS - first[k]);
            blocks[k] = 1 + rng_below(&r, 16 * SMS);
            rounds[k] = 1 + rng_below(&r, 100);
            out[k] = wf_alloc(f.c, blocks[k] * THREADS * 4);
            wf_stream_place(s[k], first[k], sms[k]);
        }
        for (unsigned k = 0; k < 2; k++) l[k] = loud(&f, s[k], blocks[k], rounds[k], out[k]);
        for (unsigned k = 0; k < 2; k++) {
            check_place(&f, l[k], first[k], sms[k], is_apart || k ? 0 : blocks[k]);
            check_written(&f, s[k], out[k], blocks[k], rounds[k]);
        }
        fixture_end(&f);
    }
}

static void test_refused(struct test *t)
{
    struct fixture f = setup(t, "gtx1080ti-paper");
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .stream = f.a};
    wf_stream_place(f.a, 20, 9);
    CHECK(t, wf_launch_async(wf_kernel_find(f.m, "quiet"), &shape, NULL, 0, NULL) == WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(f.c), "stream 1 has SMs 20 to 28, and gtx1080ti-paper has SMs 0 to 27");
    wf_stream_place(f.a, 3, 0); // all SMs again
    check_place(&f, loud(&f, f.a, 10 * SMS, 2, wf_alloc(f.c, 10 * SMS * THREADS * 4)), 0, SMS, 10 * SMS);
    fixture_end(&f);
}

// A resource too small for a block is reported for the classes of SMs in the stream's range.
static void test_classes(struct test *t)
{
    struct fixture f = setup(t, "docs/examples/big-little.gpu");
    struct wf_launch_config shape = {
        .grid = {1, 1, 1}, .block = {1024, 1, 1}, .stream = f.a, .registers = 40}; // 40,960 registers
    wf_stream_place(f.a, 4, 8);
    CHECK(t, wf_launch_async(wf_kernel_find(f.m, "quiet"), &shape, NULL, 0, NULL) == WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(f.c), "for want of registers (sm.registers) in class little");
    CHECK(t, !strstr(wf_errors(f.c), "in class big"));
    wf_stream_place(f.a, 3, 2); // a big SM and a little SM: the block runs on the big SM
    struct wf_pending *l;
    CHECK(t, wf_launch_async(wf_kernel_find(f.m, "quiet"), &shape, NULL, 0, &l) == WF_OK);
    check_place(&f, l, 3, 1, 0);
    fixture_end(&f);
}

static uint64_t cycles_of(struct wf_pending *l) { return wf_launch_stats(l)->cycles; }

// Two launches in disjoint ranges. With instruction caches independent of the L2, quiet launches take exactly
// their time alone; without, and with a store a thread, within 2 %.
static void test_apart(struct test *t)
{
    enum { BLOCKS = 200, ROUNDS = 400 };
    for (unsigned kind = 0; kind < 3; kind++) {
        uint64_t took[2][2];
        for (unsigned together = 0; together < 2; together++) {
            struct fixture f = setup(t, "gtx1080ti-paper");
            uint64_t out[2] = {wf_alloc(f.c, BLOCKS * THREADS * 4), wf_alloc(f.c, BLOCKS * THREADS * 4)};
            struct wf_pending *l[2];
            if (kind == 0) CHECK(t, wf_set(f.c, "icache.perfect", "1") == WF_OK);
            wf_stream_place(f.a, 0, 10);
            wf_stream_place(f.b, 10, 18);
            for (unsigned k = 0; k < 2; k++) {
                struct wf_stream *s = k ? f.b : f.a;
                l[k] = kind < 2 ? quiet(&f, s, BLOCKS + k) : loud(&f, s, BLOCKS, ROUNDS + k, out[k]);
                if (!together) CHECK(t, wf_stream_wait(s) == WF_OK);
            }
            for (unsigned k = 0; k < 2; k++) took[together][k] = cycles_of(l[k]);
            fixture_end(&f);
        }
        for (unsigned k = 0; k < 2; k++) {
            double change = (double)took[1][k] / (double)took[0][k] - 1;
            CHECK_MSG(t, kind ? change < 0.02 && change > -0.02 : took[0][k] == took[1][k],
                      "kind %u: launch %u takes %llu cycles alone, %llu together", kind, k,
                      (unsigned long long)took[0][k], (unsigned long long)took[1][k]);
        }
    }
}

// A mixed chip is two chips while no launch needs L2 or DRAM. On each class a launch takes its time alone on
// a chip of only such SMs, so the pair's weighted speedup is 1.
static void test_chip_of_two(struct test *t)
{
    enum { BLOCKS = 180, ILP = 18, TLP = 20 };
    static const struct {
        const char *gpu, *sms;
    } alone[] = {{"gpu-i", "18"}, {"gpu-t", "20"}};
    uint64_t took[2];
    for (unsigned k = 0; k < 2; k++) {
        struct fixture f = setup(t, alone[k].gpu);
        CHECK(t, wf_set(f.c, "gpu.sm_count", alone[k].sms) == WF_OK);
        CHECK(t, wf_set(f.c, "icache.perfect", "1") == WF_OK);
        struct wf_pending *l = quiet(&f, f.a, BLOCKS);
        CHECK(t, wf_stream_wait(f.a) == WF_OK);
        took[k] = cycles_of(l);
        fixture_end(&f);
    }
    struct fixture f = setup(t, "gpu-h");
    CHECK(t, wf_set(f.c, "icache.perfect", "1") == WF_OK);
    wf_stream_place(f.a, 0, ILP);
    wf_stream_place(f.b, ILP, TLP);
    struct wf_pending *i = quiet(&f, f.a, BLOCKS), *o = quiet(&f, f.b, BLOCKS);
    CHECK(t, wf_stream_wait(f.a) == WF_OK && wf_stream_wait(f.b) == WF_OK);
    CHECK_EQ(t, cycles_of(i), took[0]);
    CHECK_EQ(t, cycles_of(o), took[1]);
    CHECK_MSG(t, took[0] * TLP != took[1] * ILP, "the kinds of SM are one");
    fixture_end(&f);
}

// Two launches of one kernel share the L2 but no lines in it. Every launch fetches its code and constants as
// if alone; with equal addresses the second launch would hit the lines of the first.
static void test_own_lines(struct test *t)
{
    uint64_t alone = 0;
    for (unsigned count = 1; count <= 3; count++) {
        struct fixture f = setup(t, "gtx1080ti-paper");
        // Launches of one kernel that keep their code share its lines.
        CHECK(t, wf_set(f.c, "icache.keep", "0") == WF_OK && wf_set(f.c, "gpu.keep_caches", "0") == WF_OK);
        struct wf_pending *l[3];
        struct wf_stream *s[3] = {f.a, f.b, wf_stream_create(f.c)};
        for (unsigned k = 0; k < count; k++) {
            wf_stream_place(s[k], 9 * k, 9);
            l[k] = loud(&f, s[k], 9, 10, wf_alloc(f.c, 9 * THREADS * 4));
        }
        for (unsigned k = 0; k < count; k++) {
            if (count == 1) alone = counter(t, wf_launch_stats(l[k]), "memory.l2_misses");
            CHECK_EQ(t, counter(t, wf_launch_stats(l[k]), "memory.l2_misses"), alone);
        }
        fixture_end(&f);
    }
    CHECK(t, alone >= 2); // code and constants
}

// A stream's own memory can be read and written, and its launches waited for, while
// another stream's launch runs forever.
static void test_own_memory(struct test *t)
{
    struct fixture f = setup(t, "tiny");
    uint64_t out = wf_alloc(f.c, THREADS * 4);
    uint32_t word = 7;
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = f.b};
    struct wf_pending *long_one;
    CHECK(t, wf_set(f.c, "sim.stall", "0") == WF_OK);
    CHECK(t, wf_launch_async(wf_kernel_find(f.m, "endless"), &shape, NULL, 0, &long_one) == WF_OK);
    struct wf_pending *first = loud(&f, f.a, 1, 5, out);
    CHECK(t, wf_wait_any(f.c) && wf_launch_is_over(first) && !wf_launch_is_over(long_one));
    check_written(&f, f.a, out, 1, 5);
    CHECK(t, wf_stream_write(f.a, out, &word, 4) == WF_OK && wf_stream_read(f.a, out, &word, 4) == WF_OK);
    CHECK(t, word == 7 && !wf_launch_is_over(long_one));
    loud(&f, f.a, 1, 6, out);
    check_written(&f, f.a, out, 1, 6); // waits for the previous launch
    CHECK(t, !wf_launch_is_over(long_one));
    CHECK(t, wf_stream_read(f.a, 16, &word, 4) == WF_BAD_INPUT && strstr(wf_errors(f.c), "read of 4 bytes"));
    fixture_end(&f); // ends the launch
    f = setup(t, NULL);
    CHECK(t, !wf_wait_any(f.c)); // nothing in progress
    fixture_end(&f);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"ranges", test_ranges},         {"refused", test_refused},         {"classes", test_classes},
        {"apart", test_apart},           {"chip_of_two", test_chip_of_two}, {"own_lines", test_own_lines},
        {"own_memory", test_own_memory},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
