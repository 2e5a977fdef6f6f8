// Kernels of kernels/hopper, compiled by nvcc for sm_90a (kernels/hopper/ptx), against references: tensor maps, copies on mbarriers, a warp
// that loads beside two warpgroups that multiply. Factors are small whole numbers, so every sum is exact. Functional early and late, timed.
#include "api/warpfold.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"
#include "isa/tensor_map.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 128, STEP = 64, THREADS = 288, SHARED = 1024 + 8 * TILE * STEP * 2 + 64 };
enum { PERSISTENT_SHARED = 1024 + 4 * (3 * 128 * 128) + 4 * 64 * 128 + 64 };

struct way {
    const char *gpu, *tech, *async;
    bool persistent;  // gemm_f16, in clusters of two with multicast, in place of gemm_simple
    unsigned threads; // of the host; 0: as it comes
};

// A small whole number in f16.
static uint16_t half_of(int v)
{
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    return (uint16_t)(bits[abs(v)] | (v < 0 ? 0x8000 : 0));
}

static void draw(struct rng *r, uint16_t *to, int *values, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        values[n] = (int)rng_below(r, 5) - 2;
        to[n] = half_of(values[n]);
    }
}

// Boxes of `box` rows of 64 halves, swizzled over 128 bytes.
static void describe(struct test *t, uint64_t address, unsigned rows, unsigned columns, unsigned box,
                     uint32_t words[TENSOR_MAP_WORDS])
{
    const struct tensor_map map = {.address = address,
                                   .type = TENSOR_F16,
                                   .rank = 2,
                                   .swizzle = 3,
                                   .sizes = {columns, rows},
                                   .strides = {2, columns * 2},
                                   .box = {STEP, box},
                                   .steps = {1, 1}};
    const char *wrong = tensor_map_encode(&map, words);
    CHECK_MSG(t, !wrong, "%s", wrong);
}

// The value of a whole number below 2,048 in f16.
static int whole_of(uint16_t half)
{
    int exponent = (half >> 10 & 31) - 15, significand = (half & 1023) | 1024;
    int value = half & 0x7fff
                    ? (exponent >= 10 ? significand << (exponent - 10) : significand >> (10 - exponent))
                    : 0;
    return half >> 15 ? -value : value;
}

// Returns the cycles of the launch, 0 without time.
static uint64_t check_product(struct test *t, const char *ptx, const struct way *way, unsigned m, unsigned n,
                              unsigned k)
{
    struct wf_context *c = wf_context_create();
    if (way->gpu) wf_gpu(c, way->gpu);
    if (way->tech) {
        CHECK(t, wf_tech(c, way->tech) == WF_OK);
        wf_set_verify(c, true);
    }
    if (way->async) wf_set(c, "exec.async", way->async);
    if (way->threads) wf_set_threads(c, way->threads);
    struct rng r;
    rng_init(&r, m + n + k);
    uint16_t *a = heap_alloc(m * k * 2), *b = heap_alloc(n * k * 2), *d = heap_alloc(m * n * 2);
    int *x = heap_alloc(m * k * sizeof *x), *y = heap_alloc(n * k * sizeof *y);
    draw(&r, a, x, m * k);
    draw(&r, b, y, n * k);
    uint64_t at_a = wf_alloc(c, m * k * 2), at_b = wf_alloc(c, n * k * 2), at_d = wf_alloc(c, m * n * 2);
    wf_write(c, at_a, a, m * k * 2);
    wf_write(c, at_b, b, n * k * 2);
    _Alignas(64) uint32_t map_a[TENSOR_MAP_WORDS], map_b[TENSOR_MAP_WORDS], map_d[TENSOR_MAP_WORDS];
    describe(t, at_a, m, k, TILE, map_a);
    describe(t, at_b, n, k, TILE, map_b);
    describe(t, at_d, m, n, 64, map_d);
    struct wf_module *module = wf_module_load(c, "kernel.ptx", ptx, strlen(ptx));
    struct wf_kernel *kernel =
        module ? wf_kernel_find(module, way->persistent ? "gemm_f16" : "gemm_simple") : NULL;
    struct wf_launch_config shape = {
        .grid = {n / TILE, m / TILE, 1}, .block = {THREADS, 1, 1}, .shared_bytes = SHARED};
    if (way->persistent)
        shape = (struct wf_launch_config){.grid = {2 * (m / 256) * (n / 256), 1, 1},
                                          .block = {384, 1, 1},
                                          .shared_bytes = PERSISTENT_SHARED};
    void *args[] = {map_a, map_b, &at_d, &n, &k}, *persistent[] = {map_a, map_b, map_d, &m, &n, &k};
    struct wf_stats stats = {0};
    bool good = kernel && wf_launch(kernel, &shape, way->persistent ? persistent : args,
                                    way->persistent ? 6 : 5, &stats) == WF_OK;
    CHECK_MSG(t, good, "%s", wf_errors(c));
    if (good) wf_read(c, at_d, d, m * n * 2);
    unsigned wrong = 0;
    for (unsigned i = 0; good && i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            int sum = 0;
            for (unsigned s = 0; s < k; s++) sum += x[i * k + s] * y[j * k + s];
            if (whole_of(d[i * n + j]) != sum && !wrong++)
                CHECK_MSG(t, false, "%s: row %u column %u of %ux%ux%u is %d, not %d",
                          way->tech ? way->tech : "base", i, j, m, n, k, whole_of(d[i * n + j]), sum);
        }
    free(a), free(b), free(d), free(x), free(y);
    wf_context_destroy(c);
    return stats.elapsed;
}

static void check_products(struct test *t, const struct way *ways, size_t count, bool is_small)
{
    static const unsigned sizes[][3] = {{128, 128, 64}, {256, 128, 256}, {128, 384, 384}};
    char *ptx = test_read_file(t, "kernels/hopper/ptx/gemmSimple.ptx", NULL);
    for (size_t way = 0; way < count; way++)
        for (size_t size = 0; size < (is_small ? 2 : TEST_COUNT(sizes)); size++)
            check_product(t, ptx, &ways[way], sizes[size][0], sizes[size][1], sizes[size][2]);
    free(ptx);
}

static void test_functional(struct test *t)
{
    static const struct way ways[] = {{.async = "early"}, {.async = "late"}};
    check_products(t, ways, TEST_COUNT(ways), false);
}

static void test_timed(struct test *t)
{
    static const struct way ways[] = {{.gpu = "h100"},
                                      {.gpu = "h200"},
                                      {.gpu = "h100", .tech = "darsie"},
                                      {.gpu = "h100", .tech = "decoupled"},
                                      {.gpu = "h100", .tech = "uv"},
                                      {.gpu = "h100", .tech = "rfcache"},
                                      {.gpu = "h100", .tech = "dac"},
                                      {.gpu = "h100", .tech = "cae"},
                                      {.gpu = "h100", .tech = "gscalar"},
                                      {.gpu = "h100", .tech = "scalarise"}};
    check_products(t, ways, TEST_COUNT(ways), true);
}

// Cycles of launches with empty caches, on the card by ncu (silicon/h100/kernels.csv): every SM of a GPC takes a row of tiles of a
// that the others take too.
static void test_cycles(struct test *t)
{
    static const struct {
        unsigned size;
        uint64_t card;
    } cases[] = {{512, 15909}, {1024, 20707}};
    char *ptx = test_read_file(t, "kernels/hopper/ptx/gemmSimple.ptx", NULL);
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        unsigned size = cases[k].size;
        uint64_t got = check_product(t, ptx, &(struct way){.gpu = "h100"}, size, size, size);
        CHECK_MSG(t, got * 10 > cases[k].card * 9 && got * 10 < cases[k].card * 11,
                  "%u: %llu cycles, %llu on the card", size, (unsigned long long)got,
                  (unsigned long long)cases[k].card);
    }
    free(ptx);
}

// Block 0 waits for a flag of block 1, and traps after 2^17 tries, as stream-K products do: a functional run brings block 1 before.
static void test_limit(struct test *t)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry awaits(.param .u64 flag)\n{\n"
        ".reg .pred %p, %q;\n.reg .b32 %v, %n, %b;\n.reg .b64 %a;\nld.param.u64 %a, [flag];\n"
        "mov.u32 %b, %ctaid.x;\nmov.u32 %n, 0;\nsetp.ne.u32 %p, %b, 0;\n@%p bra raise;\n"
        "again:\nld.acquire.gpu.global.u32 %v, [%a];\nsetp.ne.u32 %q, %v, 0;\n@%q bra end;\n"
        "add.u32 %n, %n, 1;\nsetp.lt.u32 %q, %n, 131072;\n@%q bra again;\ntrap;\n"
        "raise:\nst.release.gpu.global.u32 [%a], 1;\nend:\nret;\n}\n";
    struct wf_context *c = wf_context_create();
    struct wf_module *module = wf_module_load(c, "awaits.ptx", ptx, strlen(ptx));
    struct wf_kernel *kernel = module ? wf_kernel_find(module, "awaits") : NULL;
    uint64_t flag = wf_alloc(c, 4);
    uint32_t zero = 0;
    wf_write(c, flag, &zero, sizeof zero);
    struct wf_launch_config shape = {.grid = {2, 1, 1}, .block = {32, 1, 1}};
    void *args[] = {&flag};
    CHECK_MSG(t, kernel && wf_launch(kernel, &shape, args, 1, NULL) == WF_OK, "%s", wf_errors(c));
    wf_context_destroy(c);
}

// A product in clusters of two blocks: half of a tile of b is loaded by either and written to both.
static void test_clusters(struct test *t)
{
    static const struct way ways[] = {{.async = "early", .persistent = true},
                                      {.async = "late", .persistent = true},
                                      {.gpu = "h100", .persistent = true, .threads = 1},
                                      {.gpu = "h100", .persistent = true, .threads = 2},
                                      {.gpu = "h100", .persistent = true, .threads = 4}};
    char *ptx = test_read_file(t, "kernels/hopper/ptx/gemmPersistent.ptx", NULL);
    uint64_t cycles = 0;
    for (size_t way = 0; way < TEST_COUNT(ways); way++) {
        uint64_t got = check_product(t, ptx, &ways[way], 256, 512, 320);
        if (ways[way].threads > 1) CHECK_EQ(t, got, cycles);
        cycles = got;
    }
    free(ptx);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"functional", test_functional},
                                             {"timed", test_timed},
                                             {"cycles", test_cycles},
                                             {"clusters", test_clusters},
                                             {"limit", test_limit}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
