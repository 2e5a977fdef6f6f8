// Bulk copies (cp.async.bulk and its relatives): random kernels of loads, stores, reductions and sends against a model of
// memory in C, functional early and late, with races looked for, and timed; clusters with multicast; faults with their texts.
#include "harness/test.h"

#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, GLOBAL = 3 * BYTES };

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n.reg .pred "    \
    "%p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n.shared .align 1024 .b8 s[4096];\n"                       \
    ".shared .align 8 .b64 bar;\nld.param.u64 %rd1, [data];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\n"        \
    "mov.u32 %r2, bar;\nmov.u32 %r9, 0;\nsetp.eq.u32 %p1, %r0, 0;\n"                                         \
    "@%p1 mbarrier.init.shared.b64 [%r2], 1;\n"                                                              \
    "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"

// Waits for the phase of parity %r9, then changes it.
#define WAIT                                                                                                 \
    "W%u: mbarrier.try_wait.parity.shared.b64 %%p2, [%%r2], %%r9;\n@!%%p2 bra W%u;\nxor.b32 %%r9, %%r9, "    \
    "1;\n"

struct run {
    const char *gpu, *tech, *keys[4][2];
    struct wf_launch_config shape;
    uint8_t data[GLOBAL];
    char errors[4000];
    enum wf_status status;
    uint64_t races, cycles;
    unsigned threads; // of the host; 0: as it comes
};

static void run(struct run *r, const char *body)
{
    struct strbuf text = {0};
    struct wf_context *c = wf_context_create();
    strbuf_printf(&text, "%s%s\nret;\n}\n", HEAD, body);
    if (r->gpu) wf_gpu(c, r->gpu);
    if (r->tech) wf_tech(c, r->tech);
    if (r->threads) wf_set_threads(c, r->threads);
    for (unsigned k = 0; k < 4 && r->keys[k][0]; k++) wf_set(c, r->keys[k][0], r->keys[k][1]);
    struct wf_module *m = wf_module_load(c, "k.ptx", text.text, text.length);
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t data = wf_alloc(c, GLOBAL);
    void *args[] = {&data};
    if (k) wf_write(c, data, r->data, GLOBAL);
    struct wf_stats stats = {.races = 0};
    r->status = k ? wf_launch(k, &r->shape, args, 1, &stats) : WF_BAD_INPUT;
    r->cycles = stats.cycles;
    r->races = stats.races == WF_UNKNOWN ? 0 : stats.races;
    if (r->status == WF_OK) wf_read(c, data, r->data, GLOBAL);
    snprintf(r->errors, sizeof r->errors, "%s", wf_errors(c));
    wf_context_destroy(c);
    strbuf_fini(&text);
}

// -- random kernels -----------------------------------------------------------------------------------------

struct model {
    uint8_t global[GLOBAL], shared[BYTES];
    struct strbuf body;
    unsigned labels;
};

static uint32_t below(struct rng *r, uint32_t n) { return (uint32_t)rng_below(r, n); }

// Reductions on words of the model: operation of a value already there with a new value.
static const struct reduction {
    const char *text;
    bool in_shared;
} reductions[] = {{"add.u32", true}, {"min.s32", true},  {"max.u32", true},        {"and.b32", true},
                  {"xor.b32", true}, {"inc.u32", true},  {"add.noftz.f16", false}, {"max.f16", false},
                  {"or.b64", false}, {"add.u64", false}, {"min.s64", false}};
enum { REDUCTIONS = sizeof reductions / sizeof reductions[0], SHARED_REDUCTIONS = 6 };

static double of_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 31
                      ? (fraction ? NAN : INFINITY)
                      : ldexp(exponent ? fraction | 1024 : fraction, (exponent ? exponent : 1) - 25);
    return half >> 15 ? -size : size;
}

// Rounded to nearest even.
static uint16_t half_of(double x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    if (isnan(x)) return 0x7fff;
    if (fabs(x) >= 65520) return sign | 0x7c00;
    frexp(x, &exponent);
    if (exponent < -13 || x == 0) exponent = -13;
    int fraction = (int)nearbyint(fabs(ldexp(x, 11 - exponent))); // 2^10 to 2^11, below it subnormal
    return (uint16_t)(sign | ((exponent + 13) * 1024 + fraction));
}

static uint16_t greater_half(uint16_t a, uint16_t b)
{
    double x = of_half(a), y = of_half(b);
    if (isnan(x) && isnan(y)) return 0x7fff;
    if (isnan(x) || isnan(y)) return isnan(x) ? b : a;
    if (x == 0 && y == 0) return a & b;
    return x > y ? a : b;
}

static void reduce_word(unsigned which, uint8_t *to, const uint8_t *from)
{
    uint64_t x, y;
    memcpy(&x, to, 8);
    memcpy(&y, from, 8);
    uint32_t words[2][2] = {{(uint32_t)x, (uint32_t)(x >> 32)}, {(uint32_t)y, (uint32_t)(y >> 32)}};
    for (unsigned n = 0; n < 2; n++) {
        uint32_t a = words[0][n], b = words[1][n];
        switch (which) {
        case 0: words[0][n] = a + b; break;
        case 1: words[0][n] = (int32_t)a < (int32_t)b ? a : b; break;
        case 2: words[0][n] = a > b ? a : b; break;
        case 3: words[0][n] = a & b; break;
        case 4: words[0][n] = a ^ b; break;
        case 5: words[0][n] = a >= b ? 0 : a + 1; break;
        case 6:
        case 7:
            words[0][n] = 0;
            for (unsigned h = 0; h < 32; h += 16) {
                uint16_t p = (uint16_t)(a >> h), q = (uint16_t)(b >> h);
                words[0][n] |= (uint32_t)(which == 6 ? half_of(of_half(p) + of_half(q)) : greater_half(p, q))
                               << h;
            }
            break;
        }
    }
    uint64_t sum = (uint64_t)words[0][1] << 32 | words[0][0];
    if (which == 8) sum = x | y;
    if (which == 9) sum = x + y;
    if (which == 10) sum = (int64_t)x < (int64_t)y ? x : y;
    memcpy(to, &sum, 8);
}

static void fill(struct rng *r, uint8_t *to, unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n += 2) {
        uint16_t x = below(r, 8) ? half_of((int)below(r, 201) / 8.0 - 12) : (uint16_t)rng_next(r);
        memcpy(to + n, &x, 2);
    }
}

static void wait_phase(struct model *m)
{
    strbuf_printf(&m->body, WAIT, m->labels, m->labels);
    m->labels++;
}

// Places in a quarter of shared memory and in global memory, aligned to 16 bytes.
static uint32_t place(struct rng *r, uint32_t room, uint32_t bytes)
{
    return 16 * below(r, (room - bytes) / 16 + 1);
}

// Loads to different quarters of shared memory, one phase.
static void add_loads(struct rng *r, struct model *m)
{
    unsigned count = 1 + below(r, 4), total = 0;
    struct strbuf copies = {0};
    for (unsigned n = 0; n < count; n++) {
        uint32_t bytes = 16 * (1 + below(r, 64)), to = n * 1024 + place(r, 1024, bytes),
                 from = place(r, GLOBAL, bytes);
        const char *space = below(r, 2) ? "cluster" : "cta";
        strbuf_printf(
            &copies,
            "@%%p1 cp.async.bulk.shared::%s.global.mbarrier::complete_tx::bytes [%%r1+%u], [%%rd1+%u], %u, "
            "[%%r2];\n",
            space, to, from, bytes);
        memcpy(m->shared + to, m->global + from, bytes);
        total += bytes;
    }
    bool is_late = below(r, 3) == 0; // bytes complete before they are expected
    if (is_late) strbuf_puts(&m->body, copies.text);
    strbuf_printf(&m->body, "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n", total);
    if (!is_late) strbuf_puts(&m->body, copies.text);
    strbuf_fini(&copies);
    wait_phase(m);
}

// From the first half of shared memory to the second.
static void add_send(struct rng *r, struct model *m)
{
    uint32_t bytes = 16 * (1 + below(r, 64)), from = place(r, BYTES / 2, bytes),
             to = BYTES / 2 + place(r, BYTES / 2, bytes);
    bool reduces = below(r, 2);
    unsigned which = below(r, SHARED_REDUCTIONS);
    strbuf_printf(&m->body, "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n", bytes);
    strbuf_printf(
        &m->body,
        "@%%p1 cp.%sasync.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes%s%s [%%r1+%u], "
        "[%%r1+%u], %u, [%%r2];\n",
        reduces ? "reduce." : "", reduces ? "." : "", reduces ? reductions[which].text : "", to, from, bytes);
    for (uint32_t n = 0; n < bytes; n += 8)
        if (reduces)
            reduce_word(which, m->shared + to + n, m->shared + from + n);
        else
            memcpy(m->shared + to + n, m->shared + from + n, 8);
    wait_phase(m);
}

// Stores and reductions to different parts of global memory, in up to two groups.
static void add_stores(struct rng *r, struct model *m)
{
    unsigned count = 1 + below(r, 3);
    for (unsigned n = 0; n < count; n++) {
        uint32_t bytes = 16 * (1 + below(r, 64)), from = place(r, BYTES, bytes),
                 to = BYTES * n + place(r, BYTES, bytes);
        bool reduces = below(r, 2);
        unsigned which = below(r, REDUCTIONS);
        strbuf_printf(&m->body,
                      "@%%p1 cp.%sasync.bulk.global.shared::cta.bulk_group%s%s [%%rd1+%u], [%%r1+%u], %u;\n",
                      reduces ? "reduce." : "", reduces ? "." : "", reduces ? reductions[which].text : "", to,
                      from, bytes);
        for (uint32_t k = 0; k < bytes; k += 8)
            if (reduces)
                reduce_word(which, m->global + to + k, m->shared + from + k);
            else
                memcpy(m->global + to + k, m->shared + from + k, 8);
        if (below(r, 2)) strbuf_puts(&m->body, "@%p1 cp.async.bulk.commit_group;\n");
    }
    strbuf_puts(&m->body, "@%p1 cp.async.bulk.commit_group;\n");
    if (below(r, 2))
        strbuf_printf(&m->body, "@%%p1 cp.async.bulk.wait_group.read %u;\n", below(r, 2) ? 0 : 1);
    strbuf_puts(&m->body, below(r, 2) ? "@%p1 cp.async.bulk.wait_group 0;\n"
                                      : "@%p1 cp.async.bulk.wait_group.read 0;\n"
                                        "@%p1 cp.async.bulk.wait_group 0;\n");
}

// Every thread writes a word of shared memory.
static void add_words(struct rng *r, struct model *m, uint32_t threads)
{
    uint32_t at = 16 * below(r, (BYTES - 4 * threads) / 16), value = (uint32_t)half_of(below(r, 50));
    strbuf_printf(&m->body, "bar.sync 0;\nmad.lo.u32 %%r3, %%r0, 4, %%r1;\nst.shared.u32 [%%r3+%u], %u;\n",
                  at, value);
    strbuf_puts(&m->body, "fence.proxy.async;\nbar.sync 0;\n");
    for (uint32_t t = 0; t < threads; t++) memcpy(m->shared + at + 4 * t, &value, 4);
}

static void make(struct rng *r, struct model *m, uint32_t threads)
{
    fill(r, m->global, GLOBAL);
    memset(m->shared, 0, BYTES);
    m->body.length = 0;
    m->labels = 0;
    add_words(r, m, threads);
    for (unsigned n = 3 + below(r, 6); n--;) {
        switch (below(r, 4)) {
        case 0: add_loads(r, m); break;
        case 1: add_send(r, m); break;
        case 2: add_stores(r, m); break;
        case 3: add_words(r, m, threads); break;
        }
        strbuf_puts(&m->body, "bar.sync 0;\n");
    }
}

static const struct {
    const char *gpu, *tech, *keys[4][2];
} ways[] = {
    {.keys = {{"exec.async", "early"}}},
    {.keys = {{"exec.async", "late"}}},
    {.keys = {{"exec.async", "late"}, {"check.races", "1"}}},
    {.keys = {{"exec.async", "late"}, {"compile.optimise", "0"}, {"exec.isa", "general"}}},
    {.gpu = "h100"},
    {.gpu = "h100", .keys = {{"bulk.commands", "1"}, {"bulk.bytes", "1"}, {"sim.check", "1"}}},
    {.gpu = "gtx1080ti", .keys = {{"issue.dependences", "single"}}},
    {.gpu = "h100", .tech = "darsie"},
    {.gpu = "gtx1080ti", .tech = "rfcache", .keys = {{"gpu.sm_count", "1"}}},
};

static void check_case(struct test *t, uint64_t seed)
{
    static struct run r;
    struct rng rng;
    struct model m = {0};
    static uint8_t before[GLOBAL];
    rng_init(&rng, seed);
    uint32_t threads = 32 * (1 + below(&rng, 4));
    struct rng again = rng;
    fill(&again, before, GLOBAL); // the first draws of make()
    make(&rng, &m, threads);
    for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        r = (struct run){
            .gpu = ways[w].gpu, .tech = ways[w].tech, .shape = {.grid = {1, 1, 1}, .block = {threads, 1, 1}}};
        memcpy(r.keys, ways[w].keys, sizeof r.keys);
        memcpy(r.data, before, GLOBAL);
        run(&r, m.body.text);
        CHECK_MSG(t, r.status == WF_OK, "case %llu way %u: %s", (unsigned long long)seed, w, r.errors);
        uint32_t n = 0;
        while (n < GLOBAL && r.data[n] == m.global[n]) n++;
        CHECK_MSG(t, n == GLOBAL, "case %llu way %u: byte %u is %02x, expected %02x\n%s",
                  (unsigned long long)seed, w, n, n < GLOBAL ? r.data[n] : 0, n < GLOBAL ? m.global[n] : 0,
                  m.body.text);
        CHECK_MSG(t, !r.races, "case %llu: %llu races\n%s", (unsigned long long)seed,
                  (unsigned long long)r.races, m.body.text);
        if (n < GLOBAL || r.status != WF_OK || r.races) break;
    }
    strbuf_fini(&m.body);
}

static void test_random(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 20000 : 30;
    for (uint64_t seed = first; seed < first + count; seed++) check_case(t, seed);
}

// -- single kernels -----------------------------------------------------------------------------------------

static struct run plain(const char *way, const char *gpu)
{
    struct run r = {.gpu = gpu, .shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}}};
    if (way) r.keys[0][0] = "exec.async", r.keys[0][1] = way;
    for (uint32_t n = 0; n < GLOBAL; n++) r.data[n] = (uint8_t)(n * 7 + n / 256);
    return r;
}

#define LOAD                                                                                                 \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 64;\n"                                              \
    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 64, [%r2];\n"
#define READ "ld.shared.u32 %r3, [%r1];\n@%p1 st.global.u32 [%rd1+4096], %r3;\n"

// Without a wait a late copy is not seen; checks find the race. A store without a wait lands at the thread's end.
static void test_late(struct test *t)
{
    static struct run r;
    for (unsigned late = 0; late < 2; late++) {
        r = plain(late ? "late" : "early", NULL);
        run(&r, LOAD READ);
        CHECK_EQ(t, r.status, WF_OK);
        CHECK_EQ(t, memcmp(r.data + BYTES, r.data, 4) == 0, !late);
    }
    r = plain("late", NULL);
    r.keys[1][0] = "check.races", r.keys[1][1] = "1";
    run(&r, LOAD READ);
    CHECK(t, r.races > 0);
    r = plain("late", NULL);
    run(&r, "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;\n"
            "@%p1 st.shared.u32 [%r1], 77;\n");
    CHECK_EQ(t, r.data[0], 77);
    r = plain("late", NULL);
    run(&r, "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;\n"
            "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n"
            "@%p1 st.shared.u32 [%r1], 77;\n");
    CHECK_EQ(t, r.data[0], 0);
}

static void run_bad(struct test *t, const char *body, const char *text)
{
    static struct run r;
    for (unsigned timed = 0; timed < 2; timed++) {
        r = plain(NULL, timed ? "h100" : NULL);
        run(&r, body);
        CHECK(t, r.status != WF_OK);
        CHECK_HAS(t, r.errors, text);
    }
}

static void test_faults(struct test *t)
{
#define COPY(to, from, size, bar)                                                                            \
    "mov.u32 %r4, " size ";\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to    \
    "], [" from "], %r4, [" bar "];\n"
    run_bad(t, COPY("%r1", "%rd1", "24", "%r2"), "a bulk copy of 24 bytes: not a multiple of 16");
    run_bad(t, COPY("%r1+8", "%rd1", "16", "%r2"), "misaligned");
    run_bad(t, COPY("%r1", "%rd1+8", "16", "%r2"), "misaligned");
    run_bad(t, COPY("%r1+4080", "%rd1", "4096", "%r2"), "shared");
    run_bad(t, COPY("%r1", "%rd1+12272", "32", "%r2"), "out-of-bounds global read");
    run_bad(t, COPY("%r1", "%rd1", "16", "%r2+4"), "misaligned");
    run_bad(t,
            "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%r1], [%rd1], "
            "16, [%r2], 2;\n",
            "rank 1 of a cluster of 1 blocks");
}

// Rank 0 sends 64 bytes to every block; every block then sends the bytes behind to the next block's mbarrier.
static void test_cluster(struct test *t)
{
    static const char body[] =
        "mov.u32 %r5, %cluster_ctarank;\nsetp.eq.u32 %p3, %r5, 0;\nand.pred %p3, %p3, %p1;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], "
        "64;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1+32], "
        "[%rd1+16], "
        "64, [%r2], 15;\n"
        "W0: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra W0;\n"
        "@%p1 st.shared.u32 [%r1+32], %r5;\nbar.sync 0;\n"
        "add.u32 %r6, %r5, 1;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r7, %r1, %r6;\n"
        "mapa.shared::cluster.u32 %r8, %r2, %r6;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], "
        "64;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+256], [%r1+32], "
        "64, [%r8];\n"
        "W1: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 1;\n@!%p2 bra W1;\n"
        "mul.lo.u32 %r4, %r5, 64;\ncvt.u64.u32 %rd2, %r4;\nadd.u64 %rd2, %rd2, %rd1;\n"
        "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2+4096], [%r1+256], 64;\n"
        "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    for (unsigned way = 0; way < 4; way++) {
        static struct run r;
        r = plain(way == 1 ? "late" : "early", way > 1 ? "h100" : NULL);
        r.threads = way == 3 ? 4 : 1;
        r.shape = (struct wf_launch_config){.grid = {4, 1, 1}, .block = {64, 1, 1}, .cluster = {4, 1, 1}};
        run(&r, body);
        CHECK_MSG(t, r.status == WF_OK, "%s", r.errors);
        for (uint32_t rank = 0; rank < 4; rank++) {
            uint32_t sender = (rank + 3) % 4;
            CHECK_EQ(t, memcmp(r.data + BYTES + 64 * rank, &sender, 4), 0);
            CHECK_EQ(t, memcmp(r.data + BYTES + 64 * rank + 4, r.data + 20, 60), 0);
        }
    }
}

// Every thread stores 16 bytes into the next block, and then adds to and takes the greatest of words there; all of it completes
// at the next block's mbarrier. In time also in clusters of one block.
static void test_async(struct test *t)
{
    static const char body[] =
        "mov.u32 %r5, %cluster_ctarank;\nmov.u32 %r4, %cluster_nctarank;\nsub.u32 %r4, %r4, 1;\n"
        "add.u32 %r6, %r5, 1;\nand.b32 %r6, %r6, %r4;\nmad.lo.u32 %r7, %r0, 16, %r1;\n"
        "mapa.shared::cluster.u32 %r7, %r7, %r6;\nmapa.shared::cluster.u32 %r8, %r2, %r6;\n"
        "mapa.shared::cluster.u32 %r14, %r1, %r6;\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], "
        "1024;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "mad.lo.u32 %r10, %r5, 1000, %r0;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r7], {%r10, %r5}, [%r8];\n"
        "cvt.u64.u32 %rd2, %r10;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r7+8], %rd2, [%r8];\n"
        "W0: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra W0;\n"
        "mad.lo.u32 %r11, %r0, 16, %r1;\nld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r11];\n"
        "mov.u32 %r15, %ctaid.x;\nmad.lo.u32 %r15, %r15, 64, %r0;\nmul.wide.u32 %rd3, %r15, 16;\n"
        "add.u64 %rd3, %rd3, %rd1;\nst.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], "
        "512;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r14+2048], %r0, "
        "[%r8];\n"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r14+2052], %r0, "
        "[%r8];\n"
        "W1: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 1;\n@!%p2 bra W1;\n"
        "ld.shared.v2.u32 {%r10, %r11}, [%r1+2048];\nmov.u32 %r15, %ctaid.x;\nmul.wide.u32 %rd3, %r15, 8;\n"
        "add.u64 %rd3, %rd3, %rd1;\n@%p1 st.global.v2.u32 [%rd3+8192], {%r10, %r11};\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    for (unsigned way = 0; way < 5; way++) {
        static struct run r;
        uint32_t blocks = way == 2 ? 1 : 4;
        r = plain(way == 1 ? "late" : "early", way >= 2 ? "h100" : NULL);
        r.threads = way == 4 ? 4 : 1;
        r.shape =
            (struct wf_launch_config){.grid = {blocks, 1, 1}, .block = {64, 1, 1}, .cluster = {blocks, 1, 1}};
        run(&r, body);
        CHECK_MSG(t, r.status == WF_OK, "%s", r.errors);
        for (uint32_t rank = 0; rank < blocks; rank++) {
            uint32_t sender = (rank + blocks - 1) % blocks, sums[2] = {64 * 63 / 2, 63};
            for (uint32_t thread = 0; thread < 64; thread++) {
                uint32_t word = sender * 1000 + thread, want[4] = {word, sender, word, 0};
                CHECK_EQ(t, memcmp(r.data + 16 * (64 * rank + thread), want, sizeof want), 0);
            }
            CHECK_EQ(t, memcmp(r.data + 8192 + 8 * rank, sums, sizeof sums), 0);
        }
    }
}

// 96 blocks reduce a row of ones, each its own number and a loaded row into the same words: sums are exact, and cycles the same
// with one and two threads of the host.
static void test_blocks(struct test *t)
{
    static const char body[] =
        "mov.u32 %r5, %ctaid.x;\nmad.lo.u32 %r3, %r0, 4, %r1;\nst.shared.u32 [%r3], 1;\nst.shared.u32 "
        "[%r3+256], %r5;\n"
        "fence.proxy.async;\nbar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;\n"
        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+512], [%rd1+8192], 256, "
        "[%r2];\n"
        "W0: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra W0;\n"
        "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 768;\n"
        "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n";
    uint64_t cycles[2];
    for (unsigned way = 0; way < 2; way++) {
        static struct run r;
        r = plain(NULL, "h100");
        r.threads = 1 + way;
        r.shape = (struct wf_launch_config){.grid = {96, 1, 1}, .block = {64, 1, 1}};
        memset(r.data, 0, BYTES);
        run(&r, body);
        CHECK_MSG(t, r.status == WF_OK, "%s", r.errors);
        cycles[way] = r.cycles;
        for (uint32_t k = 0; k < 64; k++) {
            uint32_t words[3], loaded;
            for (unsigned n = 0; n < 3; n++) memcpy(&words[n], r.data + 256 * n + 4 * k, 4);
            memcpy(&loaded, r.data + 8192 + 4 * k, 4);
            CHECK(t, words[0] == 96 && words[1] == 96 * 95 / 2 && words[2] == 96 * loaded);
        }
    }
    CHECK_EQ(t, cycles[0], cycles[1]);
}

// Cycles of loads of 4 KiB at once from an L2 that has them, or of stores until their source is read.
static uint64_t cycles_of(struct test *t, unsigned copies, bool stores)
{
    static struct run r;
    struct strbuf body = {0};
    for (unsigned k = 0; k < 2; k++) {
        strbuf_printf(&body, "bar.sync 0;\nmov.u64 %%rd3, %%clock64;\n");
        if (!stores)
            strbuf_printf(&body, "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n",
                          copies * 4096);
        for (unsigned n = 0; n < copies; n++)
            strbuf_puts(&body,
                        stores
                            ? "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1+4096], [%r1], 4096;\n"
                            : "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
                              "[%rd1+4096], 4096, [%r2];\n");
        if (stores)
            strbuf_puts(&body, "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n");
        if (!stores) strbuf_printf(&body, WAIT, k, k);
        strbuf_puts(&body,
                    "mov.u64 %rd4, %clock64;\nsub.u64 %rd4, %rd4, %rd3;\n@%p1 st.global.u64 [%rd1], %rd4;\n");
    }
    r = plain(NULL, "h100");
    r.keys[0][0] = "icnt.flit_bytes",
    r.keys[0][1] = "144"; // a line a cycle: the engine, not the port, is the limit
    run(&r, body.text);
    CHECK_MSG(t, r.status == WF_OK, "%s", r.errors);
    uint64_t cycles;
    memcpy(&cycles, r.data, sizeof cycles);
    strbuf_fini(&body);
    return cycles;
}

// Within 10 % of an H800: cycles of each further load of 4 KiB from the L2 (38) and store (128), and of a first store (237).
static void test_time(struct test *t)
{
    uint64_t one = cycles_of(t, 1, false), many = cycles_of(t, 33, false), load = (many - one) / 32;
    uint64_t first = cycles_of(t, 1, true), stores = cycles_of(t, 9, true), store = (stores - first) / 8;
    CHECK_MSG(t, load >= 35 && load <= 41, "a load takes %llu cycles", (unsigned long long)load);
    CHECK_MSG(t, store >= 116 && store <= 140, "a store takes %llu cycles", (unsigned long long)store);
    CHECK_MSG(t, first >= 214 && first <= 260, "the first store takes %llu cycles",
              (unsigned long long)first);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"random", test_random}, {"late", test_late},     {"faults", test_faults}, {"cluster", test_cluster},
        {"async", test_async},   {"blocks", test_blocks}, {"time", test_time}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
