// Random kernels of mbarriers and clusters, against a model of the test's own: every thread's hash after rounds of
// "store, arrive, wait for the phase, read another thread's word". Arrivals come one a thread, one a warp with a count, with
// bytes expected and completed before or after, from a thread that drops out, from a lane whose warp waits already, or from
// another block of the cluster; waits by parity or state, by test or try, with and without a time, also in two parts of
// a warp. Functional runs early and late, without the optimiser and by the general handlers; timed runs
// with one and two threads of the host, without clusters also with a mechanism. Cycles are the same with any number of threads.
//
//     build/tests/differential/test_phases case N      kernel N
//     build/tests/differential/test_phases hunt N COUNT
#include "harness/test.h"

#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MAX = 6,
    BARRIERS_MAX = 3,
    THREADS_MAX = 128,
    BLOCKS_MAX = 16,
    OUT_MAX = THREADS_MAX * BLOCKS_MAX
};

enum arrival { EACH, WARPS, EXPECT_FIRST, COMPLETE_FIRST, LATE_LANE, DROP, ARRIVALS };

struct kernel {
    struct strbuf text;
    uint32_t threads, blocks, cluster[3], size; // size: blocks of a cluster
    uint32_t hash[OUT_MAX];                     // the model's
};

struct maker {
    struct rng rng;
    struct kernel *k;
    uint32_t rounds, barriers, uses[BARRIERS_MAX], dropped[BARRIERS_MAX], labels;
};

static uint32_t below(struct maker *m, uint32_t n) { return (uint32_t)rng_below(&m->rng, n); }

static void line(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct maker *m, const char *format, ...)
{
    va_list args;
    strbuf_puts(&m->k->text, "    ");
    va_start(args, format);
    strbuf_vprintf(&m->k->text, format, args);
    va_end(args);
    strbuf_puts(&m->k->text, "\n");
}

// -- the model ----------------------------------------------------------------------------------------------

// Block of the rank in the cluster of block b; ranks count along x, y, z of the cluster, blocks of a row of the grid.
static uint32_t peer(const struct kernel *k, uint32_t b, uint32_t shift)
{
    uint32_t first = b / k->size * k->size, rank = (b - first + shift) % k->size;
    return first + rank;
}

static void model_start(struct kernel *k)
{
    for (uint32_t b = 0; b < k->blocks; b++)
        for (uint32_t t = 0; t < k->threads; t++) k->hash[b * k->threads + t] = b * 7919 + t * 31 + 5;
}

// Thread t of block b reads the word that thread t + distance of the block `shift` ranks below has stored.
static void model_round(struct kernel *k, uint32_t shift, uint32_t distance)
{
    static uint32_t before[OUT_MAX];
    memcpy(before, k->hash, sizeof before);
    for (uint32_t b = 0; b < k->blocks; b++)
        for (uint32_t t = 0; t < k->threads; t++) {
            uint32_t writer = peer(k, b, k->size - shift),
                     word = before[writer * k->threads + (t + distance) % k->threads];
            uint32_t *h = &k->hash[b * k->threads + t];
            *h = *h * 31 + word;
        }
}

// -- kernels ------------------------------------------------------------------------------------------------

static void make_arrival(struct maker *m, uint32_t bar, uint32_t shift, enum arrival how)
{
    const bool is_remote = shift != 0;
    const char *space = is_remote ? "release.cluster.shared::cluster" : "release.cta.shared::cta";
    const char *state = is_remote ? "_" : "%state",
               *bytes_space = is_remote ? "relaxed.cluster.shared::cluster" : "relaxed.cta.shared::cta";
    const char *at = is_remote ? "%far" : "%near";
    uint32_t bytes = 1 + below(m, 1000);
    line(m, "add.u32 %%near, %%bars, %u;", 8 * bar);
    if (is_remote) line(m, "mapa.shared::cluster.u32 %%far, %%near, %%target;");
    if (m->dropped[bar]) line(m, "@!%%first bra SKIP%u;", m->labels);
    if (m->dropped[bar]) line(m, "bra ARRIVED%u;", m->labels);
    if (m->dropped[bar]) strbuf_printf(&m->k->text, "SKIP%u:\n", m->labels);
    switch (how) {
    case EACH: line(m, "mbarrier.arrive.%s.b64 %s, [%s];", space, state, at); break;
    case WARPS:
        line(m, "elect.sync %%r|%%e, 0xffffffff;");
        line(m, "@%%e mbarrier.arrive.%s.b64 _, [%s], 32;", space, at);
        break;
    case EXPECT_FIRST:
        line(m, "mbarrier.arrive.expect_tx.%s.b64 _, [%s], %u;", space, at, bytes);
        line(m, "mbarrier.complete_tx.%s.b64 [%s], %u;", bytes_space, at, bytes);
        break;
    case COMPLETE_FIRST:
        line(m, "mbarrier.complete_tx.%s.b64 [%s], %u;", bytes_space, at, bytes);
        line(m, "mbarrier.expect_tx.%s.b64 [%s], %u;", bytes_space, at, bytes - 1);
        line(m, "mbarrier.arrive.expect_tx.%s.b64 _, [%s], 1;", space, at);
        break;
    case LATE_LANE: // the last thread arrives for all, after a detour; the others wait meanwhile
        line(m, "@!%%last bra LATE%u;", m->labels);
        line(m, "mbarrier.arrive.%s.b64 _, [%s], %u;", space, at, m->k->threads - 1);
        line(m, "mbarrier.arrive.%s.b64 _, [%s];", space, at);
        strbuf_printf(&m->k->text, "LATE%u:\n", m->labels);
        break;
    case DROP:
    case ARRIVALS:
        line(m, "@!%%first mbarrier.arrive.%s.b64 _, [%s];", space, at);
        line(m, "@%%first mbarrier.arrive_drop.%s.b64 _, [%s];", space, at);
        break;
    }
    if (m->dropped[bar]) strbuf_printf(&m->k->text, "ARRIVED%u:\n", m->labels);
    m->dropped[bar] |= how == DROP;
}

static void make_wait(struct maker *m, uint32_t parity, bool has_state, bool is_remote)
{
    const char *order = is_remote ? "acquire.cluster." : below(m, 2) ? "acquire.cta." : "";
    char label[16];
    snprintf(label, sizeof label, "W%u", m->labels++);
    strbuf_printf(&m->k->text, "%s:\n", label);
    if (has_state && below(m, 2))
        line(m, "mbarrier.%s.%sshared::cta.b64 %%p, [%%near], %%state;",
             below(m, 2) ? "try_wait" : "test_wait", order);
    else if (below(m, 3))
        line(m, "mbarrier.try_wait.parity.%sshared::cta.b64 %%p, [%%near], %u%s;", order, parity,
             below(m, 2)   ? ""
             : below(m, 2) ? ", 20"
                           : ", 100000");
    else
        line(m, "mbarrier.test_wait.parity.%sshared::cta.b64 %%p, [%%near], %u;", order, parity);
    line(m, "@!%%p bra %s;", label);
}

static enum arrival choose(struct maker *m, uint32_t bar, bool is_remote)
{
    enum arrival how = (enum arrival)below(m, ARRIVALS);
    if (is_remote && how == LATE_LANE) return EACH;
    // With a thread missing, only arrivals of a thread each add up.
    if (m->dropped[bar]) return how == EXPECT_FIRST || how == COMPLETE_FIRST ? how : EACH;
    return how;
}

static void make_round(struct maker *m, uint32_t round)
{
    struct kernel *k = m->k;
    uint32_t bar = below(m, m->barriers), shift = k->size > 1 && below(m, 3) ? 1 + below(m, k->size - 1) : 0,
             distance = below(m, k->threads), parity = m->uses[bar]++ & 1;
    enum arrival how = choose(m, bar, shift != 0);
    bool has_state = how == EACH && !shift && !m->dropped[bar];
    line(m, "// round %u", round);
    line(m, "add.u32 %%r, %%own, %u;", round * 4 * k->threads);
    line(m, "add.u32 %%target, %%rank, %u;", shift);
    line(m, "rem.u32 %%target, %%target, %u;", k->size);
    if (shift) {
        line(m, "mapa.shared::cluster.u32 %%far, %%r, %%target;");
        line(m, "st.shared::cluster.u32 [%%far], %%h;");
    } else {
        line(m, "st.shared.u32 [%%r], %%h;");
    }
    uint32_t id = m->labels;
    // Threads without an arrival of their own have stored before others arrive.
    bool is_short = m->dropped[bar] || how == LATE_LANE;
    if (is_short) line(m, "bar.sync 0;");
    make_arrival(m, bar, shift, how);
    m->labels++;
    if (below(m, 3) == 0) { // two parts of a warp wait apart
        line(m, "@%%odd bra ODD%u;", id);
        make_wait(m, parity, has_state, shift != 0);
        line(m, "bra BOTH%u;", id);
        strbuf_printf(&k->text, "ODD%u:\n", id);
        make_wait(m, parity, has_state, shift != 0);
        strbuf_printf(&k->text, "BOTH%u:\n", id);
    } else {
        make_wait(m, parity, has_state, shift != 0);
    }
    line(m, "add.u32 %%r, %%t, %u;", distance);
    line(m, "rem.u32 %%r, %%r, %u;", k->threads);
    line(m, "shl.b32 %%r, %%r, 2;");
    line(m, "add.u32 %%r, %%r, %%words;");
    line(m, "ld.shared.u32 %%v, [%%r+%u];", round * 4 * k->threads);
    line(m, "mad.lo.u32 %%h, %%h, 31, %%v;");
    model_round(k, shift, distance);
    // A thread that waits asks for the present phase or the one before.
    if (below(m, 2) || is_short || how == DROP) line(m, "bar.sync 0;");
    if (k->size > 1) line(m, "barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;");
}

static void make_start(struct maker *m)
{
    struct kernel *k = m->k;
    strbuf_printf(
        &k->text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
        "    .reg .pred %%p, %%e, %%first, %%last, %%odd;\n    .reg .b32 %%t, %%r, %%h, %%v, %%own, %%words, "
        "%%bars, %%near, "
        "%%far, %%rank, %%target, %%b;\n    .reg .b64 %%state, %%out;\n    .shared .align 8 .b64 bars[%u];\n"
        "    .shared .align 4 .b32 words[%u];\n",
        BARRIERS_MAX, ROUNDS_MAX * THREADS_MAX);
    line(m, "mov.u32 %%t, %%tid.x;");
    line(m, "mov.u32 %%b, %%ctaid.x;");
    line(m, "mov.u32 %%rank, %%cluster_ctarank;");
    line(m, "mov.u32 %%bars, bars;");
    line(m, "mov.u32 %%words, words;");
    line(m, "shl.b32 %%own, %%t, 2;");
    line(m, "add.u32 %%own, %%own, %%words;");
    line(m, "setp.eq.u32 %%first, %%t, 0;");
    line(m, "setp.eq.u32 %%last, %%t, %u;", k->threads - 1);
    line(m, "and.b32 %%r, %%t, %u;", 1u << below(m, 5));
    line(m, "setp.ne.u32 %%odd, %%r, 0;");
    line(m, "mul.lo.u32 %%h, %%b, 7919;");
    line(m, "mad.lo.u32 %%h, %%t, 31, %%h;");
    line(m, "add.u32 %%h, %%h, 5;");
    for (uint32_t n = 0; n < m->barriers; n++)
        line(m, "@%%first mbarrier.init.shared::cta.b64 [%%bars+%u], %u;", 8 * n, k->threads);
    line(m, "fence.mbarrier_init.release.cluster;");
    line(m,
         k->size > 1 ? "barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;" : "bar.sync 0;");
}

static void make(uint64_t seed, struct kernel *k)
{
    struct maker m = {.k = k};
    rng_init(&m.rng, seed);
    memset(k, 0, sizeof *k);
    k->threads = 32 * (1 + below(&m, THREADS_MAX / 32));
    k->size = below(&m, 2) ? 1 : 2 + below(&m, 7);
    k->blocks = k->size * (1 + below(&m, 2));
    k->cluster[0] = k->size;
    k->cluster[1] = k->cluster[2] = 1;
    m.rounds = 1 + below(&m, ROUNDS_MAX);
    m.barriers = 1 + below(&m, BARRIERS_MAX);
    model_start(k);
    make_start(&m);
    for (uint32_t round = 0; round < m.rounds; round++) make_round(&m, round);
    line(&m, "ld.param.u64 %%out, [out];");
    line(&m, "mad.lo.u32 %%r, %%b, %u, %%t;", k->threads);
    line(&m, "mul.wide.u32 %%state, %%r, 4;");
    line(&m, "add.u64 %%out, %%out, %%state;");
    line(&m, "st.global.u32 [%%out], %%h;");
    strbuf_puts(&k->text, "    ret;\n}\n");
}

// -- runs ---------------------------------------------------------------------------------------------------

struct way {
    bool is_timed;
    const char *tech;
    unsigned threads;
    const char *keys[3][2];
};

static const struct way ways[] = {
    {.keys = {{"exec.async", "early"}}},
    {.keys = {{"exec.async", "late"}, {"compile.optimise", "0"}}},
    {.keys = {{"exec.isa", "general"}}},
    {.keys = {{"check.races", "1"}}},
    {.is_timed = true, .threads = 1, .keys = {{"sim.check", "1"}}},
    {.is_timed = true, .threads = 2, .keys = {{"sim.check", "1"}}},
    {.is_timed = true, .threads = 1, .keys = {{"issue.dependences", "encoded"}, {"mbarrier.suspend", "7"}}},
    {.is_timed = true, .threads = 2, .tech = "darsie", .keys = {{"sim.check", "1"}}},
};

static bool run(const struct kernel *k, const struct way *w, uint64_t *cycles, struct strbuf *why)
{
    static uint32_t out[OUT_MAX];
    uint32_t bytes = k->threads * k->blocks * 4;
    struct wf_context *c = wf_context_create();
    struct wf_stats stats;
    bool good = !w->is_timed || wf_gpu(c, k->size > 1 ? "h100" : "tiny") == WF_OK;
    for (size_t n = 0; good && n < 3 && w->keys[n][0]; n++)
        good = wf_set(c, w->keys[n][0], w->keys[n][1]) == WF_OK;
    if (good && w->tech) good = wf_tech(c, w->tech) == WF_OK;
    if (w->threads) wf_set_threads(c, w->threads);
    struct wf_module *m = good ? wf_module_load(c, "k.ptx", k->text.text, k->text.length) : NULL;
    struct wf_kernel *f = m ? wf_kernel_find(m, "k") : NULL;
    uint64_t at = wf_alloc(c, bytes);
    void *args[] = {&at};
    struct wf_launch_config shape = {.grid = {k->blocks, 1, 1}, .block = {k->threads, 1, 1}};
    if (k->size > 1) memcpy(shape.cluster, k->cluster, sizeof shape.cluster);
    good = f && wf_launch(f, &shape, args, 1, &stats) == WF_OK && wf_read(c, at, out, bytes) == WF_OK;
    if (!good) strbuf_printf(why, "%s", wf_errors(c));
    if (good) *cycles = stats.cycles;
    if (good && stats.races && stats.races != WF_UNKNOWN) {
        good = false;
        strbuf_printf(why, "%llu races", (unsigned long long)stats.races);
    }
    for (uint32_t n = 0; good && n < bytes / 4; n++)
        if (out[n] != k->hash[n]) {
            strbuf_printf(why, "thread %u of block %u has %08x, not %08x", n % k->threads, n / k->threads,
                          out[n], k->hash[n]);
            good = false;
        }
    wf_context_destroy(c);
    return good;
}

static bool try_case(uint64_t seed, bool show, struct strbuf *why)
{
    static struct kernel k;
    uint64_t cycles[TEST_COUNT(ways)] = {0};
    bool good = true;
    make(seed, &k);
    if (show)
        printf("%s\n%u blocks of %u threads, clusters of %u\n", strbuf_text(&k.text), k.blocks, k.threads,
               k.size);
    for (size_t n = 0; good && n < TEST_COUNT(ways); n++) {
        if (ways[n].tech && k.size > 1) continue; // mechanisms know no clusters
        good = run(&k, &ways[n], &cycles[n], why);
        if (!good) strbuf_printf(why, " (way %zu)", n);
    }
    if (good && cycles[4] != cycles[5]) {
        good = false;
        strbuf_printf(why, "%llu cycles with one thread of the host, %llu with two",
                      (unsigned long long)cycles[4], (unsigned long long)cycles[5]);
    }
    strbuf_fini(&k.text);
    return good;
}

static unsigned hunt(uint64_t first, uint64_t count)
{
    unsigned found = 0;
    for (uint64_t seed = first; seed < first + count && found < 8; seed++) {
        struct strbuf why = {0};
        if (!try_case(seed, false, &why))
            printf("kernel %llu: %s\n", (unsigned long long)seed, strbuf_text(&why)), found++;
        fflush(stdout);
        strbuf_fini(&why);
    }
    return found;
}

static void test_kernels(struct test *t)
{
    uint64_t count = test_is_long() ? 20000 : test_is_quick() ? 20 : 100, first = test_seed(1);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct strbuf why = {0};
        bool good = try_case(seed, false, &why);
        CHECK_MSG(t, good, "kernel %llu: %s (build/tests/differential/test_phases case %llu)",
                  (unsigned long long)seed, strbuf_text(&why), (unsigned long long)seed);
        strbuf_fini(&why);
        if (!good) return;
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"kernels", test_kernels}};
    if (argc == 4 && strcmp(argv[1], "hunt") == 0)
        return hunt(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10)) != 0;
    if (argc == 3 && strcmp(argv[1], "case") == 0) {
        struct strbuf why = {0};
        bool good = try_case(strtoull(argv[2], NULL, 10), true, &why);
        printf("%s %s\n", good ? "same" : "differs", strbuf_text(&why));
        strbuf_fini(&why);
        return !good;
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
