// P(w, n) against streams with a known answer, against a search in a list, and against a plain LRU cache;
// then the study of kernels and files. Fails where a probability differs.
#include "base/reuse.h"
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "study/tables.h"

#include "api/warpfold.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 };

static double probability(const uint64_t *addresses, size_t count, unsigned window, unsigned shift,
                          enum reuse_window kind)
{
    struct reuse *r = reuse_create(count);
    struct reuse_counts n = {0};
    reuse_add(r, addresses, count, shift, kind, &n);
    reuse_destroy(r);
    return reuse_probability(&n, window);
}

static bool is_near(double a, double b, double by) { return fabs(a - b) <= by; }

// Constant strides return to the current block of n bytes except at its end. A ring returns to every member,
// given a window of the ring's size.
static void test_known(struct test *t)
{
    static uint64_t row[MOST], ring[MOST], drawn[MOST];
    struct rng g;
    rng_init(&g, 7);
    for (size_t k = 0; k < MOST; k++) {
        ring[k] = k % 16 << 20;
        drawn[k] = rng_below(&g, 64) << 20;
    }
    for (uint64_t stride = 1; stride <= 64; stride *= 4) {
        for (size_t k = 0; k < MOST; k++) row[k] = stride * k;
        for (unsigned n = 0; n < 10; n++)
            for (unsigned w = 0; w < REUSE_WINDOWS; w++) {
                double exact = stride > 1u << n ? 0 : 1 - (double)stride / (1u << n);
                CHECK(t, is_near(probability(row, MOST, w, n, REUSE_ACCESSES), exact, 1e-12));
            }
    }
    for (unsigned w = 0; w < REUSE_WINDOWS; w++) {
        double exact = w >= 4 ? 1 - 16.0 / MOST : 0, miss = pow(1 - 1 / 64.0, 1u << w);
        CHECK(t, is_near(probability(ring, MOST, w, 0, REUSE_ACCESSES), exact, 1e-12));
        CHECK(t, is_near(probability(ring, MOST, w, 0, REUSE_BLOCKS), exact, 1e-12));
        CHECK(t, is_near(probability(drawn, MOST, w, 0, REUSE_ACCESSES), 1 - miss, 0.03));
    }
    CHECK(t, probability(row, 0, 3, 0, REUSE_BLOCKS) == 0);
}

static double by_search(const uint64_t *a, size_t count, size_t window, unsigned shift)
{
    size_t hits = 0;
    for (size_t k = 0; k < count; k++) {
        bool found = false;
        for (size_t n = k + 1; n < count && n <= k + window; n++) found |= a[n] >> shift == a[k] >> shift;
        hits += found;
    }
    return (double)hits / (double)count;
}

// Hit rate of an LRU cache of `ways` blocks.
static double by_cache(const uint64_t *a, size_t count, size_t ways, unsigned shift)
{
    uint64_t blocks[MOST];
    size_t hits = 0, used = 0;
    for (size_t k = 0; k < count; k++) {
        size_t at = 0;
        while (at < used && blocks[at] != a[k] >> shift) at++;
        hits += at < used;
        if (at == used && used < ways) used++;
        if (at == used) at--;
        memmove(blocks + 1, blocks, at * sizeof *blocks);
        blocks[0] = a[k] >> shift;
    }
    return (double)hits / (double)count;
}

// Streams with small strides, random jumps, and returns to earlier addresses.
static void draw(struct rng *g, uint64_t *a, size_t count)
{
    uint64_t at = 0;
    uint32_t range = 1u << (4 + rng_below(g, 12));
    for (size_t k = 0; k < count; k++) {
        uint64_t what = rng_below(g, 8);
        at = what < 4 ? at + 4 : what < 6 ? rng_below(g, range) : a[k ? rng_below(g, (uint32_t)k) : 0];
        a[k] = at;
    }
}

static void test_drawn(struct test *t)
{
    uint64_t a[600];
    struct rng g;
    rng_init(&g, test_seed(1));
    a[0] = 0;
    for (unsigned stream = 0; stream < 40; stream++) {
        size_t count = 1 + rng_below(&g, TEST_COUNT(a));
        draw(&g, a, count);
        for (unsigned shift = 0; shift < 13; shift += 3)
            for (unsigned w = 0; w < 11; w++) {
                double accesses = probability(a, count, w, shift, REUSE_ACCESSES),
                       blocks = probability(a, count, w, shift, REUSE_BLOCKS);
                CHECK(t, accesses == by_search(a, count, 1u << w, shift));
                CHECK(t, blocks == by_cache(a, count, 1u << w, shift));
                CHECK(t, blocks >= accesses); // at most as many distinct blocks as accesses in between
            }
    }
}

// The dissertation's figures: kmeans at 4 KB with lines of 128 and 2,048 bytes, and
// myocyte at 256 bytes with 2 and 4.
static void test_verdict(struct test *t)
{
    CHECK_EQ(t, reuse_verdict(0.00407, 0.142297, 0), REUSE_COARSE2);
    CHECK_EQ(t, reuse_verdict(0.00407, 0, 0.142297), REUSE_COARSE4);
    CHECK_EQ(t, reuse_verdict(0.184621, 0.132478, 0.1), REUSE_FINE);
    CHECK_EQ(t, reuse_verdict(0.5, 0.5, 0.5), REUSE_FINE);
    CHECK_EQ(t, reuse_verdict(0.5, 0.7, 0.7), REUSE_COARSE2);
}

// For word accesses, a block of four bytes covers no more addresses than a block of two. With equal
// bytes, half as many blocks never hold more. So every kernel on words is fine-grained by myocyte's test;
// a kernel on bytes need not be.
static void test_words(struct test *t)
{
    uint64_t words[600], bytes[600];
    struct rng g;
    rng_init(&g, test_seed(3));
    for (unsigned stream = 0; stream < 20; stream++) {
        words[0] = 0;
        draw(&g, words, TEST_COUNT(words));
        for (size_t k = 0; k < TEST_COUNT(words); k++) words[k] &= ~3ull;
        for (int kind = REUSE_ACCESSES; kind <= REUSE_BLOCKS; kind++) {
            double by_2 = probability(words, TEST_COUNT(words), 7, 1, (enum reuse_window)kind),
                   by_4 = probability(words, TEST_COUNT(words), 6, 2, (enum reuse_window)kind);
            CHECK_EQ(t, reuse_verdict(by_2, by_4, 0), REUSE_FINE);
            CHECK(t, by_4 == probability(words, TEST_COUNT(words), 6, 1, (enum reuse_window)kind));
        }
    }
    for (size_t k = 0; k < TEST_COUNT(bytes); k++) bytes[k] = k;
    CHECK_EQ(t,
             reuse_verdict(probability(bytes, TEST_COUNT(bytes), 7, 1, REUSE_ACCESSES),
                           probability(bytes, TEST_COUNT(bytes), 6, 2, REUSE_ACCESSES), 0),
             REUSE_COARSE2);
}

struct ran {
    struct test *t;
    uint64_t cycles, lines;
};

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct ran *r = context;
    (void)kernel, (void)shape;
    r->cycles += stats->cycles;
    r->lines += counter(r->t, stats, "sm.l1.hits") + counter(r->t, stats, "sm.l1.misses") +
                counter(r->t, stats, "sm.l1.pending_hits");
}

static struct ran run(struct test *t, const char *name, struct wf_study *study, unsigned threads,
                      const char *settings)
{
    struct ran r = {.t = t};
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_gpu(c, "gtx480") == WF_OK);
    settings_apply(t, c, settings);
    wf_set_threads(c, threads);
    if (study) CHECK_EQ(t, wf_set_study(c, study), WF_OK);
    bundled_run(t, c, name, add, &r);
    wf_context_destroy(c);
    return r;
}

// P grows with the window and with the neighbourhood, at every level.
static void check_mesh(struct test *t, const struct wf_table *mesh)
{
    enum { NEIGHBOURHOODS = 13 };
    for (size_t row = 0; row < mesh->row_count; row++) {
        const struct wf_cell *x = tables_cell(mesh, row, "n1");
        bool is_next =
            row && tables_cell(mesh, row, "window")->count > tables_cell(mesh, row - 1, "window")->count;
        for (unsigned n = 0; n < NEIGHBOURHOODS; n++) {
            CHECK(t, x[n].number >= 0 && x[n].number <= 1);
            CHECK(t, !n || x[n].number >= x[n - 1].number);
            CHECK(t, !is_next || x[n].number >= tables_cell(mesh, row - 1, "n1")[n].number);
        }
    }
}

// The study changes no cycle, counts the accesses to L1, and gives the same figures
// for any number of host threads.
static void test_kernels(struct test *t)
{
    static const char *const kernels[] = {"kmeans", "hotspot", "bfs", "nqueens"};
    for (size_t k = 0; k < TEST_COUNT(kernels); k++) {
        struct ran alone = run(t, kernels[k], NULL, 1, "gpu.sm_count=3");
        double seen[2][64];
        for (unsigned threads = 1; threads < 4; threads += 2) {
            struct wf_study *study = wf_study_create("locality");
            struct ran r =
                run(t, kernels[k], study, threads, "gpu.sm_count=3 study.level=all study.stores=0");
            const struct wf_study_results *report = wf_study_report(study);
            const struct wf_table *table = tables_find(report, "kernels"),
                                  *mesh = tables_find(report, "mesh");
            uint64_t accesses = 0;
            for (size_t row = 0; row < table->row_count; row++)
                accesses += tables_cell(table, row, "accesses")->count;
            CHECK_EQ(t, accesses, alone.lines);
            CHECK_EQ(t, r.cycles, alone.cycles);
            CHECK_EQ(t, mesh->row_count, table->row_count * 4 * REUSE_WINDOWS);
            check_mesh(t, mesh);
            for (size_t row = 0; row < 64; row++)
                seen[threads / 2][row] = tables_cell(mesh, row, "n128")->number;
            wf_study_destroy(study);
        }
        CHECK(t, memcmp(seen[0], seen[1], sizeof seen[0]) == 0);
    }
}

static void study_file(struct test *t, const char *text, const char *settings, enum wf_status status,
                       const char *says, double at_2)
{
    char path[] = "/tmp/warpfold-locality-XXXXXX.csv";
    FILE *f = fdopen(mkstemps(path, 4), "w");
    fputs(text, f);
    fclose(f);
    struct wf_context *c = wf_context_create();
    struct wf_study *study = wf_study_create("locality");
    settings_apply(t, c, settings);
    CHECK_EQ(t, wf_study_read(study, c, path), status);
    if (says) CHECK_HAS(t, wf_errors(c), says);
    if (status == WF_OK) {
        const struct wf_table *mesh = tables_find(wf_study_report(study), "mesh");
        CHECK(t, is_near(tables_cell(mesh, 1, "n128")->number, at_2, 1e-9)); // within two
    }
    wf_study_destroy(study);
    wf_context_destroy(c);
    unlink(path);
}

// Two SMs by turns: at chip level no access returns immediately; on each SM all
// accesses but the first return.
#define TURNS "address,sm,block,warp\n0,0,5,0\n4096,1,9,0\n64,0,5,1\n4100,1,9,0\n127,0,5,0\n8000,1,9,1\n"

static void test_file(struct test *t)
{
    study_file(t, TURNS, "study.level=chip", WF_OK, NULL, 3 / 6.0);
    study_file(t, "address\n0\n4096\n64\n9000\n12000\n0\n", "study.level=sm", WF_OK, NULL, 1 / 6.0);
    study_file(t, TURNS, "study.level=warp", WF_OK, NULL, 2 / 6.0);
    study_file(t, "address\n0x10\n0x20\n", "", WF_OK, NULL, 1 / 2.0);
    study_file(t, "sm\n0\n", "", WF_BAD_INPUT, "no column address", 0);
    study_file(t, "address\n", "", WF_BAD_INPUT, "the file has no accesses", 0);
    study_file(t, "address\n12\nelse\n", "", WF_BAD_INPUT, "address is \"else\": must be a number", 0);
    study_file(t, "address,sm\n12\n", "", WF_BAD_INPUT, "fewer fields than heads", 0);
    study_file(t, "address,sm\n12,70000\n", "", WF_BAD_INPUT, "sm is \"70000\"", 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"known", test_known},     {"drawn", test_drawn},
                                             {"verdict", test_verdict}, {"words", test_words},
                                             {"kernels", test_kernels}, {"file", test_file}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
