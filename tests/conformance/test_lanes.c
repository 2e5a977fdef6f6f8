// Lanes of a warp and threads of a block together: shfl, vote, match, redux, barriers, special registers
// (PTX ISA 9.7.9, 9.7.13, 10). Fails when memory differs from the values computed in C, in any
// configuration.
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "conformance/trial.h"
#include "harness/test.h"

#include <stdio.h>
#include <string.h>

static const char entry[] = ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %a, "
                            "%x;\n.reg .b32 %t, %y<20>;\n.reg .pred %p<8>;\n"
                            ".shared .align 8 .b8 s[8192];\nld.param.u64 %in, [in];\nld.param.u64 %out, "
                            "[out];\nmov.u32 %y0, %tid.x;\nmov.u32 %y1, %tid.y;\n"
                            "mov.u32 %y2, %ntid.x;\nmad.lo.u32 %t, %y1, %y2, %y0;\n";

static void run(struct test *t, const char *name, const struct strbuf *s, uint32_t block, const void *in,
                size_t in_bytes, const void *out, size_t out_bytes)
{
    trial_run(t, &(struct trial){.name = name,
                                 .ptx = s->text,
                                 .block = block,
                                 .in = in,
                                 .in_bytes = in_bytes,
                                 .out = out,
                                 .out_bytes = out_bytes});
}

// ---- shfl: random value, lane operand and clamp in each thread

static uint32_t shuffled(const char *mode, const uint32_t (*in)[4], unsigned lane, bool *p)
{
    unsigned bval = in[lane][1] & 31, cval = in[lane][2] & 31, mask = in[lane][2] >> 8 & 31;
    int max_lane = (int)((lane & mask) | (cval & ~mask)), min_lane = (int)(lane & mask), j;
    if (str_equal(mode, "up")) {
        j = (int)lane - (int)bval;
        *p = j >= max_lane;
    } else if (str_equal(mode, "down")) {
        j = (int)lane + (int)bval;
        *p = j <= max_lane;
    } else if (str_equal(mode, "bfly")) {
        j = (int)(lane ^ bval);
        *p = j <= max_lane;
    } else {
        j = min_lane | (int)(bval & ~mask);
        *p = j <= max_lane;
    }
    if (!*p) j = (int)lane;
    return in[j][0];
}

static void shfl_of(struct test *t, const char *mode, bool sync, unsigned round)
{
    enum { THREADS = 64 };
    uint32_t in[THREADS][4], out[THREADS][2];
    struct strbuf s = {0};
    struct rng r;
    char name[40];
    rng_init(&r, round);
    static const uint32_t segments[] = {0, 0x1f00, 0x1000, 0x1800, 0x1c00, 0x0f00, 0x1500};
    for (unsigned k = 0; k < THREADS; k++) {
        in[k][0] = (uint32_t)rng_next(&r);
        in[k][1] = rng_below(&r, 4) ? rng_below(&r, 32) : (uint32_t)rng_next(&r); // only five bits count
        // Clamps keep the source inside the warp: with an out-of-range source a thread reads its own value.
        in[k][2] =
            segments[rng_below(&r, 7)] | (str_equal(mode, "up") ? rng_below(&r, 3) : rng_below(&r, 32));
        in[k][3] = 0;
    }
    for (unsigned k = 0; k < THREADS; k++) {
        bool p;
        out[k][0] = shuffled(mode, (const uint32_t(*)[4])in + (k & 32), k & 31, &p);
        out[k][1] = p;
    }
    strbuf_puts(&s, entry);
    strbuf_puts(&s, "mad.wide.u32 %a, %t, 16, %in;\nmad.wide.u32 %out, %t, 8, %out;\nld.global.v4.u32 {%y4, "
                    "%y5, %y6, %y7}, [%a];\n");
    if (sync)
        strbuf_printf(&s, "shfl.sync.%s.b32 %%y8|%%p0, %%y4, %%y5, %%y6, 0xffffffff;\n", mode);
    else
        strbuf_printf(&s, "shfl.%s.b32 %%y8|%%p0, %%y4, %%y5, %%y6;\n", mode);
    strbuf_puts(&s, "selp.u32 %y9, 1, 0, %p0;\nst.global.v2.u32 [%out], {%y8, %y9};\nret;\n}\n");
    snprintf(name, sizeof name, "shfl%s.%s", sync ? ".sync" : "", mode);
    struct strbuf old = {0}; // shfl without .sync went away with sm_70
    if (!sync) strbuf_puts(&old, ".version 6.0\n.target sm_60\n.address_size 64\n");
    strbuf_puts(&old, s.text);
    run(t, name, &old, THREADS, in, sizeof in, out, sizeof out);
    strbuf_fini(&s);
    strbuf_fini(&old);
}

static void test_shfl(struct test *t)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    for (unsigned k = 0; k < 16; k++) {
        shfl_of(t, modes[k % 4], true, k);
        if (k < 4) shfl_of(t, modes[k % 4], false, k);
    }
}

// ---- vote, match, redux over member masks: even lanes, odd lanes, every lane, a branch taken by some
// lanes

enum { RESULTS = 18 };

static void expect_group(const uint32_t *in, uint32_t members, unsigned lane, uint32_t *out)
{
    uint32_t ones = 0, any = 0, all = 0, sum = 0, lowest = ~0u, highest = 0, and_ = ~0u, or_ = 0, xor_ = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    bool same = true;
    uint32_t first = 0;
    bool have = false;
    for (unsigned k = 0; k < 32; k++) {
        if (!(members >> k & 1)) continue;
        uint32_t v = in[k];
        if (!have) first = v;
        have = true;
        same = same && v == first;
        if (v & 1) ones |= 1u << k;
        if (v == in[lane]) any |= 1u << k;
        sum += v;
        if (v < lowest) lowest = v;
        if (v > highest) highest = v;
        if ((int32_t)v < least) least = (int32_t)v;
        if ((int32_t)v > most) most = (int32_t)v;
        and_ &= v;
        or_ |= v;
        xor_ ^= v;
    }
    all = same ? members : 0;
    const uint32_t results[RESULTS] = {ones,
                                       ones != 0,
                                       ones == members,
                                       ones == 0 || ones == members,
                                       any,
                                       any,
                                       all,
                                       same,
                                       all,
                                       sum,
                                       sum,
                                       lowest,
                                       highest,
                                       (uint32_t)least,
                                       (uint32_t)most,
                                       and_,
                                       or_,
                                       xor_};
    memcpy(out, results, sizeof results);
}

static void write_group(struct strbuf *s, unsigned at)
{
    static const char *const lines[] = {
        "vote.sync.ballot.b32 %y8, %p0, %y5;",   "vote.sync.any.pred %p1, %p0, %y5;",
        "vote.sync.all.pred %p1, %p0, %y5;",     "vote.sync.uni.pred %p1, %p0, %y5;",
        "match.any.sync.b32 %y8, %y4, %y5;",     "match.any.sync.b64 %y8, %x, %y5;",
        "match.all.sync.b32 %y8|%p2, %y4, %y5;", "match.all.sync.b32 %y9|%p1, %y4, %y5;",
        "match.all.sync.b64 %y8|%p2, %x, %y5;",  "redux.sync.add.u32 %y8, %y4, %y5;",
        "redux.sync.add.s32 %y8, %y4, %y5;",     "redux.sync.min.u32 %y8, %y4, %y5;",
        "redux.sync.max.u32 %y8, %y4, %y5;",     "redux.sync.min.s32 %y8, %y4, %y5;",
        "redux.sync.max.s32 %y8, %y4, %y5;",     "redux.sync.and.b32 %y8, %y4, %y5;",
        "redux.sync.or.b32 %y8, %y4, %y5;",      "redux.sync.xor.b32 %y8, %y4, %y5;"};
    for (unsigned k = 0; k < RESULTS; k++) {
        strbuf_printf(s, "%s\n", lines[k]);
        if (k == 1 || k == 2 || k == 3 || k == 7) strbuf_puts(s, "selp.u32 %y8, 1, 0, %p1;\n");
        strbuf_printf(s, "st.global.u32 [%%out+%u], %%y8;\n", 4 * (at + k));
    }
}

static void groups_of(struct test *t, unsigned round)
{
    uint32_t in[32], out[32][2 * RESULTS];
    struct strbuf s = {0};
    struct rng r;
    rng_init(&r, round);
    for (unsigned k = 0; k < 32; k++)
        in[k] = round == 0   ? 7
                : round == 1 ? (uint32_t)rng_below(&r, 3)
                             : (uint32_t)rng_next(&r) * (rng_below(&r, 2) ? 1 : 2);
    memset(out, 0, sizeof out);
    uint32_t taken = 0;
    for (unsigned k = 0; k < 32; k++) taken |= (uint32_t)((in[k] & 2) != 0) << k;
    for (unsigned k = 0; k < 32; k++) {
        expect_group(in, 0xffffffff, k, out[k]);
        expect_group(in, taken >> k & 1 ? taken : ~taken, k, out[k] + RESULTS);
    }
    strbuf_puts(&s, entry);
    strbuf_printf(
        &s,
        "mad.wide.u32 %%a, %%t, 4, %%in;\nmad.wide.u32 %%out, %%t, %d, %%out;\nld.global.u32 %%y4, [%%a];\n",
        8 * RESULTS);
    strbuf_puts(&s, "mov.b64 %x, {%y4, %y4};\nand.b32 %y6, %y4, 1;\nsetp.ne.u32 %p0, %y6, 0;\nmov.u32 %y5, "
                    "0xffffffff;\n");
    write_group(&s, 0);
    strbuf_puts(&s, "and.b32 %y6, %y4, 2;\nsetp.ne.u32 %p3, %y6, 0;\nvote.sync.ballot.b32 %y5, %p3, "
                    "0xffffffff;\n@%p3 bra TAKEN;\nnot.b32 %y5, %y5;\n");
    write_group(&s, RESULTS);
    strbuf_puts(&s, "bra END;\nTAKEN:\n");
    write_group(&s, RESULTS);
    strbuf_puts(&s, "END:\nbar.warp.sync 0xffffffff;\nret;\n}\n");
    run(t, "vote, match, redux", &s, 32, in, sizeof in, out, sizeof out);
    strbuf_fini(&s);
}

static void test_groups(struct test *t)
{
    for (unsigned k = 0; k < 4; k++) groups_of(t, k);
}

// Partial warps: lanes beyond the block's threads, or exited lanes.
static void test_partial_warps(struct test *t)
{
    enum { THREADS = 45 };
    uint32_t in[1] = {0}, out[THREADS][4];
    struct strbuf s = {0};
    memset(out, 0, sizeof out);
    for (unsigned k = 0; k < THREADS; k++) {
        uint32_t exist = k < 32 ? ~0u : 0x1fff, left = exist & 0x33333333;
        out[k][0] = exist;
        if (left >> (k & 31) & 1) {
            out[k][1] = left;
            out[k][2] = bit_count(left);
            out[k][3] = left;
        }
    }
    strbuf_puts(&s, entry);
    strbuf_puts(
        &s, "mad.wide.u32 %out, %t, 16, %out;\nactivemask.b32 %y4;\nst.global.u32 [%out], %y4;\nand.b32 %y5, "
            "%t, 2;\nsetp.ne.u32 %p0, %y5, 0;\n@%p0 exit;\n"
            "setp.eq.u32 %p1, 0, 0;\nvote.sync.ballot.b32 %y6, %p1, 0xffffffff;\nst.global.u32 [%out+4], "
            "%y6;\nredux.sync.add.u32 %y7, 1, 0xffffffff;\n"
            "st.global.u32 [%out+8], %y7;\nactivemask.b32 %y8;\nst.global.u32 [%out+12], %y8;\nret;\n}\n");
    run(t, "partial warps", &s, THREADS, in, sizeof in, out, sizeof out);
    strbuf_fini(&s);
}

// ---- barriers

static void test_barriers(struct test *t)
{
    enum { THREADS = 100 };
    uint32_t in[THREADS], out[THREADS][8];
    uint32_t odd = 0;
    struct strbuf s = {0};
    for (unsigned k = 0; k < THREADS; k++) in[k] = k * 7919 % 13, odd += in[k] & 1;
    for (unsigned k = 0; k < THREADS; k++) {
        const uint32_t row[8] = {in[(k + 1) % THREADS],  odd,           odd == THREADS,         odd != 0,
                                 in[(k + 50) % THREADS], THREADS - odd, in[(k + 99) % THREADS], 1};
        memcpy(out[k], row, sizeof row);
    }
    strbuf_puts(&s, entry);
    strbuf_printf(
        &s,
        "mad.wide.u32 %%a, %%t, 4, %%in;\nmad.wide.u32 %%out, %%t, 32, %%out;\nld.global.u32 %%y4, "
        "[%%a];\nshl.b32 %%y5, %%t, 2;\nmov.u32 %%y6, s;\nadd.u32 %%y5, %%y5, %%y6;\n"
        "st.shared.u32 [%%y5], %%y4;\nbar.sync 0;\nadd.u32 %%y7, %%t, 1;\nrem.u32 %%y7, %%y7, "
        "%d;\nmad.lo.u32 %%y7, %%y7, 4, %%y6;\nld.shared.u32 %%y8, [%%y7];\nst.global.u32 [%%out], %%y8;\n",
        THREADS);
    strbuf_puts(
        &s,
        "and.b32 %y9, %y4, 1;\nsetp.ne.u32 %p0, %y9, 0;\nbar.red.popc.u32 %y10, 1, %p0;\nst.global.u32 "
        "[%out+4], %y10;\n"
        "barrier.red.and.pred %p1, 2, %p0;\nselp.u32 %y10, 1, 0, %p1;\nst.global.u32 [%out+8], "
        "%y10;\nbar.red.or.pred %p1, 15, %p0;\nselp.u32 %y10, 1, 0, %p1;\nst.global.u32 [%out+12], %y10;\n");
    // A counted barrier counts the block's 100 threads as 128; number and count come from registers.
    strbuf_printf(&s,
                  "mov.u32 %%y11, 3;\nmov.u32 %%y12, 128;\nbarrier.sync %%y11, %%y12;\nadd.u32 %%y7, %%t, "
                  "50;\nrem.u32 %%y7, %%y7, %d;\nmad.lo.u32 %%y7, %%y7, 4, %%y6;\nld.shared.u32 %%y8, "
                  "[%%y7];\nst.global.u32 [%%out+16], %%y8;\n",
                  THREADS);
    strbuf_puts(&s, "barrier.red.popc.aligned.u32 %y10, 4, 128, !%p0;\nst.global.u32 [%out+20], %y10;\n");
    // Each thread runs a loop of a different length; the threads meet at the barrier behind the loop.
    strbuf_printf(&s,
                  "mov.u32 %%y13, 0;\nL: add.u32 %%y13, %%y13, 1;\nsetp.le.u32 %%p2, %%y13, %%y4;\n@%%p2 bra "
                  "L;\nbarrier.sync 5;\nadd.u32 %%y7, %%t, 99;\nrem.u32 %%y7, %%y7, %d;\nmad.lo.u32 %%y7, "
                  "%%y7, 4, %%y6;\nld.shared.u32 %%y8, [%%y7];\nst.global.u32 [%%out+24], %%y8;\n",
                  THREADS);
    strbuf_puts(&s, "sub.u32 %y13, %y13, %y4;\nst.global.u32 [%out+28], %y13;\nret;\n}\n");
    run(t, "barriers", &s, THREADS, in, sizeof in, out, sizeof out);
    strbuf_fini(&s);
}

// Warp 0 produces, warps 1 and 2 consume, by bar.arrive and bar.sync, three times.
static void test_producer(struct test *t)
{
    enum { THREADS = 96, TURNS = 3 };
    uint32_t in[32], out[THREADS][TURNS];
    struct strbuf s = {0};
    memset(out, 0, sizeof out);
    for (unsigned k = 0; k < 32; k++) in[k] = 100 + k;
    for (unsigned k = 32; k < THREADS; k++)
        for (unsigned i = 0; i < TURNS; i++) out[k][i] = in[(k + i) & 31] * (i + 1);
    strbuf_puts(&s, entry);
    strbuf_puts(&s,
                "mad.wide.u32 %out, %t, 12, %out;\nmov.u32 %y6, s;\nmov.u32 %y10, 0;\nsetp.lt.u32 %p0, %t, "
                "32;\nand.b32 %y5, %t, 31;\n@!%p0 bra CONSUME;\n"
                "mad.wide.u32 %a, %t, 4, %in;\nld.global.u32 %y4, [%a];\nmad.lo.u32 %y5, %y5, 4, %y6;\n"
                "P: add.u32 %y10, %y10, 1;\nmul.lo.u32 %y11, %y4, %y10;\nst.shared.u32 [%y5], "
                "%y11;\nbar.arrive 1, 96;\nbar.sync 2, 96;\nsetp.lt.u32 %p1, %y10, 3;\n@%p1 bra P;\nret;\n"
                "CONSUME: add.u32 %y7, %y5, %y10;\nand.b32 %y7, %y7, 31;\nmad.lo.u32 %y7, %y7, 4, "
                "%y6;\nbar.sync 1, 96;\nld.shared.u32 %y8, [%y7];\nbar.arrive 2, 96;\n"
                "mad.wide.u32 %a, %y10, 4, %out;\nst.global.u32 [%a], %y8;\nadd.u32 %y10, %y10, "
                "1;\nsetp.lt.u32 %p1, %y10, 3;\n@%p1 bra CONSUME;\nret;\n}\n");
    trial_run(t, &(struct trial){.name = "producer and consumers",
                                 .ptx = s.text,
                                 .block = THREADS,
                                 .in = in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = sizeof out,
                                 .racy = true});
    strbuf_fini(&s);
}

// ---- special registers

static void special_of(struct test *t, uint32_t x, uint32_t y, uint32_t z)
{
    enum { WORDS = 24, GRID = 2 };
    static const char *const names[WORDS] = {"tid.x",       "tid.y",       "tid.z",
                                             "ntid.x",      "ntid.y",      "ntid.z",
                                             "ctaid.x",     "ctaid.y",     "ctaid.z",
                                             "nctaid.x",    "nctaid.y",    "nctaid.z",
                                             "laneid",      "lanemask_eq", "lanemask_lt",
                                             "lanemask_le", "lanemask_gt", "lanemask_ge",
                                             "warpid",      "nwarpid",     "dynamic_smem_size",
                                             "tid.x",       "tid.x",       "tid.x"};
    uint32_t in = 0, threads = x * y * z;
    static uint32_t out[GRID * 1024][WORDS];
    struct strbuf s = {0};
    char name[60];
    for (uint32_t b = 0; b < GRID; b++)
        for (uint32_t k = 0; k < threads; k++) {
            uint32_t lane = k % 32, eq = 1u << lane, warps = (threads + 31) / 32;
            const uint32_t row[WORDS] = {k % x,
                                         k / x % y,
                                         k / x / y,
                                         x,
                                         y,
                                         z,
                                         b,
                                         0,
                                         0,
                                         GRID,
                                         1,
                                         1,
                                         lane,
                                         eq,
                                         eq - 1,
                                         (eq - 1) | eq,
                                         ~((eq - 1) | eq),
                                         ~(eq - 1),
                                         k / 32,
                                         warps,
                                         96,
                                         k % x,
                                         k % x,
                                         k % x};
            memcpy(out[b * threads + k], row, sizeof row);
        }
    strbuf_puts(&s, ".extern .shared .align 16 .b8 dynamic[];\n");
    strbuf_puts(&s, entry);
    strbuf_puts(&s, "mov.u32 %y3, %tid.z;\nmov.u32 %y4, %ntid.y;\nmad.lo.u32 %y1, %y3, %y4, %y1;\nmad.lo.u32 "
                    "%t, %y1, %y2, %y0;\nmov.u32 %y5, %ntid.z;\nmul.lo.u32 %y4, %y4, %y5;\nmul.lo.u32 %y4, "
                    "%y4, %y2;\nmov.u32 %y5, %ctaid.x;\nmad.lo.u32 %t, %y5, %y4, %t;\n");
    strbuf_printf(&s, "mad.wide.u32 %%out, %%t, %d, %%out;\n", 4 * WORDS);
    for (unsigned k = 0; k < WORDS; k++)
        strbuf_printf(&s, "mov.u32 %%y6, %%%s;\nst.global.u32 [%%out+%u], %%y6;\n", names[k], 4 * k);
    strbuf_puts(&s, "ret;\n}\n");
    snprintf(name, sizeof name, "special registers in a block of %ux%ux%u", x, y, z);
    trial_run(t, &(struct trial){.name = name,
                                 .ptx = s.text,
                                 .grid = GRID,
                                 .shape = {x, y, z},
                                 .dynamic_shared = 96,
                                 .in = &in,
                                 .in_bytes = sizeof in,
                                 .out = out,
                                 .out_bytes = GRID * threads * sizeof out[0]});
    strbuf_fini(&s);
}

static void test_special(struct test *t)
{
    special_of(t, 32, 1, 1);
    special_of(t, 5, 3, 7);
    special_of(t, 16, 16, 1);
    special_of(t, 1, 1, 64);
    special_of(t, 33, 2, 1);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"shfl", test_shfl},         {"groups", test_groups},     {"partial warps", test_partial_warps},
        {"barriers", test_barriers}, {"producer", test_producer}, {"special registers", test_special}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
