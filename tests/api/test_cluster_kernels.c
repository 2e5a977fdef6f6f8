// Kernels of kernels/hopper in clusters of eight, compiled by nvcc for sm_90a, against references in C: sums by remote
// loads, st.async and remote reductions; softmax by remote stores; histograms by reductions to random words of eight
// blocks. Functional early and late, timed at any number of host threads, and beside the cycles of a card.
#include "api/warpfold.h"
#include "base/rng.h"
#include "harness/files.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 8, THREADS = 256, SHARE = 8192, BINS = 8192 };

struct job {
    const char *file, *kernel;
    unsigned clusters, each; // each: words of input a cluster
    size_t out_words;
    unsigned shared;   // dynamic, bytes a block
    uint32_t argument; // the last
};

static void fill(uint32_t *in, const struct job *j, bool is_float)
{
    struct rng r;
    rng_init(&r, j->clusters + j->each);
    for (size_t n = 0; n < (size_t)j->clusters * j->each; n++) {
        uint32_t word = (uint32_t)rng_below(&r, 1 << 20);
        float value = (float)word / (1 << 20) * 4 - 2;
        if (is_float) memcpy(&word, &value, 4);
        in[n] = word;
    }
}

// Runs the job; returns the cycles of the launch, 0 without time.
static uint64_t run(struct test *t, const struct job *j, const char *async, unsigned threads,
                    const uint32_t *in, uint32_t *out)
{
    size_t bytes = 4 * (size_t)j->clusters * j->each;
    struct wf_context *c = wf_context_create();
    char *ptx = test_read_file(t, j->file, NULL);
    if (async) wf_set(c, "exec.async", async);
    if (!async) wf_gpu(c, "h100");
    if (threads) wf_set_threads(c, threads);
    struct wf_module *m = wf_module_load(c, j->file, ptx, strlen(ptx));
    struct wf_kernel *k = m ? wf_kernel_find(m, j->kernel) : NULL;
    uint64_t from = wf_alloc(c, bytes), to = wf_alloc(c, 4 * j->out_words);
    wf_write(c, from, in, bytes);
    struct wf_launch_config shape = {
        .grid = {BLOCKS * j->clusters, 1, 1}, .block = {THREADS, 1, 1}, .shared_bytes = j->shared};
    uint32_t argument = j->argument;
    void *args[] = {&from, &to, &argument};
    struct wf_stats stats = {0};
    bool good = k && wf_launch(k, &shape, args, 3, &stats) == WF_OK;
    CHECK_MSG(t, good, "%s: %s", j->kernel, wf_errors(c));
    if (good) wf_read(c, to, out, 4 * j->out_words);
    wf_context_destroy(c);
    free(ptx);
    return stats.elapsed;
}

// All ways give the same bytes; every number of host threads the same cycles, within `percent` of the card's (0: not asked).
static void run_ways(struct test *t, const struct job *j, const uint32_t *in, uint32_t *out, uint64_t card,
                     unsigned percent)
{
    static const struct {
        const char *async;
        unsigned threads;
    } ways[] = {{"early", 0}, {"late", 0}, {NULL, 1}, {NULL, 2}, {NULL, 4}};
    uint32_t *other = heap_alloc(4 * j->out_words);
    uint64_t cycles = 0;
    for (size_t way = 0; way < TEST_COUNT(ways); way++) {
        uint64_t got = run(t, j, ways[way].async, ways[way].threads, in, way ? other : out);
        if (way) CHECK_MSG(t, memcmp(out, other, 4 * j->out_words) == 0, "%s: way %zu", j->kernel, way);
        if (ways[way].threads > 1) CHECK_EQ(t, got, cycles);
        cycles = got;
    }
    bool is_near = cycles * 100 > card * (100 - percent) && cycles * 100 < card * (100 + percent);
    CHECK_MSG(t, !percent || is_near, "%s: %llu cycles, %llu on the card", j->kernel,
              (unsigned long long)cycles, (unsigned long long)card);
    free(other);
}

static void test_sums(struct test *t)
{
    static const struct {
        const char *kernel;
        bool is_float;
        uint64_t card;
    } cases[] = {
        {"cluster_sum", true, 9584}, {"cluster_sum_async", true, 9047}, {"cluster_sum_add", false, 9982}};
    for (size_t n = 0; n < TEST_COUNT(cases); n++) {
        const struct job j = {
            "kernels/hopper/ptx/clusterSum.ptx", cases[n].kernel, 4, BLOCKS * SHARE, 4, 0, SHARE};
        uint32_t *in = heap_alloc(16 * (size_t)j.each), out[4];
        fill(in, &j, cases[n].is_float);
        run_ways(t, &j, in, out, cases[n].card, 10);
        for (unsigned k = 0; k < 4; k++) {
            double sum = 0;
            uint32_t whole = 0;
            float got, x;
            for (unsigned i = 0; i < j.each; i++) {
                memcpy(&x, &in[(size_t)k * j.each + i], 4);
                sum += (double)x;
                whole += in[(size_t)k * j.each + i];
            }
            memcpy(&got, &out[k], 4);
            CHECK(t, cases[n].is_float ? fabs((double)got - sum) < 0.05 : out[k] == whole);
        }
        free(in);
    }
}

static void test_softmax(struct test *t)
{
    const unsigned rows = 3, columns = 8192;
    const struct job j = {"kernels/hopper/ptx/clusterSoftmax.ptx",
                          "cluster_softmax",
                          rows,
                          columns,
                          (size_t)rows * columns,
                          columns / 2,
                          columns};
    uint32_t *in = heap_alloc(4 * j.out_words), *out = heap_alloc(4 * j.out_words);
    fill(in, &j, true);
    run_ways(t, &j, in, out, 0, 0);
    for (unsigned row = 0; row < rows; row++) {
        double sum = 0;
        float x, got;
        for (unsigned n = 0; n < columns; n++) {
            memcpy(&x, &in[row * columns + n], 4);
            sum += exp((double)x);
        }
        for (unsigned n = 0; n < columns; n++) {
            memcpy(&x, &in[row * columns + n], 4);
            memcpy(&got, &out[row * columns + n], 4);
            if (fabs((double)got - exp((double)x) / sum) > 1e-8)
                CHECK_MSG(t, false, "row %u column %u", row, n);
        }
    }
    free(in), free(out);
}

static void test_histogram(struct test *t)
{
    const struct job j = {"kernels/hopper/ptx/clusterHistogram.ptx",
                          "cluster_histogram",
                          4,
                          32768,
                          4 * BINS,
                          0,
                          32768 / BLOCKS};
    uint32_t *in = heap_alloc(16 * (size_t)j.each), *out = heap_alloc(4 * j.out_words),
             *want = heap_alloc(4 * j.out_words);
    fill(in, &j, false);
    run_ways(t, &j, in, out, 20084, 15);
    for (unsigned n = 0; n < 4 * j.each; n++) want[n / j.each * BINS + in[n] % BINS]++;
    CHECK_EQ(t, memcmp(out, want, 4 * j.out_words), 0);
    free(in), free(out), free(want);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"sums", test_sums}, {"softmax", test_softmax}, {"histogram", test_histogram}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
