// cuRAND: words equal to the published generators, jumps equal to steps, moments of distributions.
#include "cudart/runtime.h"
#include "cumath/rand/functions.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- the generators a step at a time, from their papers -------------------------------------------------------

static uint32_t xorwow(uint32_t s[RAND_WORDS])
{
    uint32_t t = s[0] ^ (s[0] >> 2);
    memmove(s, s + 1, 4 * sizeof *s);
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    return s[4] + (s[5] += 362437);
}

static uint32_t mrg32k3a(uint32_t s[RAND_WORDS])
{
    const int64_t m1 = 4294967087, m2 = 4294944443;
    int64_t a = (1403580 * (int64_t)s[1] - 810728 * (int64_t)s[0]) % m1,
            b = (527612 * (int64_t)s[5] - 1370589 * (int64_t)s[3]) % m2;
    if (a < 0) a += m1;
    if (b < 0) b += m2;
    memmove(s, s + 1, 2 * sizeof *s);
    memmove(s + 3, s + 4, 2 * sizeof *s);
    s[2] = (uint32_t)a;
    s[5] = (uint32_t)b;
    return (uint32_t)(a > b ? a - b : a - b + m1);
}

static const struct linear {
    int type;
    uint32_t (*next)(uint32_t *s);
    void (*states)(uint64_t seed, uint64_t offset, unsigned spacing, uint32_t (*states)[RAND_WORDS],
                   int streams);
} linear[] = {{RAND_XORWOW, xorwow, rand_states_xorwow}, {RAND_MRG32K3A, mrg32k3a, rand_states_mrg32k3a}};

// Jumps over 2^6 words and over an offset are as many steps.
static void test_jumps(struct test *t)
{
    enum { SPACING = 6, STREAMS = 5, OFFSET = 3 * 64 + 7 };
    for (size_t g = 0; g < TEST_COUNT(linear); g++) {
        uint32_t walked[1][RAND_WORDS], jumped[STREAMS][RAND_WORDS], far[1][RAND_WORDS];
        linear[g].states(99, 0, 70, walked, 1);
        linear[g].states(99, 0, SPACING, jumped, STREAMS);
        linear[g].states(99, OFFSET, 70, far, 1);
        for (int i = 0; i < STREAMS << SPACING; i++) {
            if (i % (1 << SPACING) == 0)
                CHECK(t, memcmp(walked[0], jumped[i >> SPACING], sizeof walked[0]) == 0);
            if (i == OFFSET) CHECK(t, memcmp(walked[0], far[0], sizeof far[0]) == 0);
            linear[g].next(walked[0]);
        }
    }
}

static struct curand *make(struct test *t, int type, uint64_t seed)
{
    struct curand *g = NULL;
    CHECK_EQ(t, curandCreateGenerator(&g, type), RAND_SUCCESS);
    CHECK_EQ(t, curandSetPseudoRandomGeneratorSeed(g, seed), RAND_SUCCESS);
    return g;
}

static void *memory(size_t bytes)
{
    void *p = NULL;
    return cudaMallocManaged(&p, bytes, 1) == cudaSuccess ? p : NULL;
}

// Words go round the streams; two calls equal one, and an offset skips words.
static void test_streams(struct test *t)
{
    enum { N = 2 * RAND_STREAMS_MRG32K3A + 1000, FIRST = 1234 };
    uint32_t *words = memory(N * sizeof *words),
             (*states)[RAND_WORDS] = malloc((size_t)RAND_STREAMS_MRG32K3A * sizeof *states);
    for (size_t k = 0; k < TEST_COUNT(linear); k++) {
        bool is_mrg = linear[k].type == RAND_MRG32K3A;
        int streams = is_mrg ? RAND_STREAMS_MRG32K3A : RAND_STREAMS, skip = streams + 77;
        struct curand *g = make(t, linear[k].type, 42);
        CHECK_EQ(t, curandGenerate(g, words, FIRST), RAND_SUCCESS);
        CHECK_EQ(t, curandGenerate(g, words + FIRST, N - FIRST), RAND_SUCCESS);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        linear[k].states(42, 0, is_mrg ? 76 : 67, states, streams);
        unsigned wrong = 0;
        for (int i = 0; i < N; i++) {
            uint32_t word = linear[k].next(states[i % streams]);
            wrong += words[i] != (is_mrg ? (uint32_t)(word * 1.000000048662) : word);
        }
        CHECK_EQ(t, wrong, 0);
        uint32_t at = words[skip], last = words[N - 1];
        CHECK_EQ(t, curandSetGeneratorOffset(g, (uint64_t)skip), RAND_SUCCESS);
        CHECK_EQ(t, curandGenerate(g, words, (size_t)(N - skip)), RAND_SUCCESS);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        CHECK(t, words[0] == at && words[N - skip - 1] == last);
        CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    }
    free(states);
    cudaFree(words);
}

// Values of the generators' authors: Random123's kat_vectors, the C++ standard's 10000th word, L'Ecuyer's first number.
static void test_known(struct test *t)
{
    enum { N = 10000, SEQUENCES = 65536 };
    static const uint32_t philox[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    uint32_t *words = memory((size_t)(4 * SEQUENCES + 4) * sizeof *words);
    double *first = memory(sizeof *first);
    struct curand *g = make(t, RAND_PHILOX, 0);
    CHECK_EQ(t, curandGenerate(g, words, 3), RAND_SUCCESS);
    CHECK_EQ(t, curandGenerate(g, words + 3, 7), RAND_SUCCESS);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, memcmp(words, philox, sizeof philox) == 0);
    CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    g = make(t, RAND_MT19937, 5489);
    CHECK_EQ(t, curandGenerate(g, words, 700), RAND_SUCCESS);
    CHECK_EQ(t, curandGenerate(g, words + 700, N - 700), RAND_SUCCESS);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(t, words[N - 1], 4123659995u);
    CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    g = make(t, RAND_MRG32K3A, 0);
    CHECK_EQ(t, curandGenerateUniformDouble(g, first, 1), RAND_SUCCESS);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, fabs(*first * 4294967087 / 4294967088 - 0.127011122046577) <
                 1e-14); // cuRAND divides by m1, L'Ecuyer by m1 + 1
    CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    cudaFree(words);
    cudaFree(first);
}

// First words of libcurand 10.4's host generators for seed 42: seeding, and the distance of streams.
static void test_order(struct test *t)
{
    enum { WORDS = 6 };
    static const struct {
        int type;
        uint32_t words[WORDS];
    } rows[] = {{RAND_XORWOW, {300737663, 687819970, 1806016926, 2475493962, 677327230, 1726259984}},
                {RAND_MRG32K3A, {994013773, 473693671, 4152997908, 2303469700, 247447263, 1476624009}},
                {RAND_PHILOX, {2632642643, 2012563771, 314527917, 1463989207, 43202409, 542238995}}};
    uint32_t *words = memory(sizeof rows->words);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct curand *g = make(t, rows[i].type, 42);
        CHECK_EQ(t, curandGenerate(g, words, WORDS), RAND_SUCCESS);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        CHECK_MSG(t, memcmp(words, rows[i].words, sizeof rows[i].words) == 0, "generator %d", rows[i].type);
        CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    }
    cudaFree(words);
}

static void check_moments(struct test *t, const char *what, int type, const double *x, int n, double mean,
                          double variance)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) squares += (x[i] - sum / n) * (x[i] - sum / n);
    CHECK_MSG(t, fabs(sum / n - mean) < 5 * sqrt(variance / n), "%s of generator %d: mean %g", what, type,
              sum / n);
    CHECK_MSG(t, fabs(squares / n / variance - 1) < 0.15, "%s of generator %d: variance %g", what, type,
              squares / n);
}

static void test_distributions(struct test *t)
{
    static const int types[] = {RAND_XORWOW, RAND_MRG32K3A, RAND_PHILOX, RAND_MT19937};
    enum { N = 6000 };
    void *p = memory(N * 8);
    double x[N];
    float *f = p;
    double *d = p;
    unsigned *u = p;
#define CASE(what, call, value, mean, variance)                                                              \
    CHECK_EQ(t, call, RAND_SUCCESS);                                                                         \
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);                                                       \
    for (int i = 0; i < N; i++) x[i] = (double)(value);                                                      \
    check_moments(t, what, types[k], x, N, mean, variance)
    for (size_t k = 0; k < TEST_COUNT(types); k++) {
        struct curand *g = make(t, types[k], 11);
        CASE("uniform", curandGenerateUniform(g, f, N), f[i], 0.5, 1.0 / 12);
        for (int i = 0; i < N; i++) CHECK(t, f[i] > 0 && f[i] <= 1);
        CASE("uniform double", curandGenerateUniformDouble(g, d, N), d[i], 0.5, 1.0 / 12);
        CASE("normal", curandGenerateNormal(g, f, N, 3, 2), f[i], 3, 4);
        CASE("normal double", curandGenerateNormalDouble(g, d, N, -1, 0.5), d[i], -1, 0.25);
        CASE("log-normal", curandGenerateLogNormal(g, f, N, 0, 0.5f), log((double)f[i]), 0, 0.25);
        CASE("log-normal double", curandGenerateLogNormalDouble(g, d, N, 1, 0.5), log(d[i]), 1, 0.25);
        CASE("Poisson", curandGeneratePoisson(g, u, N, 3.5), u[i], 3.5, 3.5);
        CASE("Poisson", curandGeneratePoisson(g, u, N, 10000), u[i], 10000, 10000);
        CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    }
#undef CASE
    cudaFree(p);
}

static void test_calls(struct test *t)
{
    struct curand *g = NULL, *host = NULL;
    float own[10], *f = memory(sizeof own);
    CHECK_EQ(t, curandCreateGenerator(&g, 201), RAND_TYPE_ERROR);
    CHECK_EQ(t, curandGenerateLongLong(), RAND_TYPE_ERROR);
    CHECK_EQ(t, curandGenerateUniform(NULL, f, 1), RAND_NOT_INITIALIZED);
    g = make(t, RAND_DEFAULT, 5);
    CHECK_EQ(t, curandGenerateNormal(g, f, 3, 0, 1), RAND_LENGTH_NOT_MULTIPLE);
    CHECK_EQ(t, curandGeneratePoisson(g, (unsigned *)f, 3, -1), RAND_OUT_OF_RANGE);
    CHECK_EQ(t, curandCreateGeneratorHost(&host, RAND_XORWOW), RAND_SUCCESS);
    CHECK_EQ(t, curandSetPseudoRandomGeneratorSeed(host, 5), RAND_SUCCESS);
    CHECK_EQ(t, curandGenerateUniform(host, own, 10), RAND_SUCCESS);
    CHECK_EQ(t, curandGenerateUniform(g, f, 10), RAND_SUCCESS);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, memcmp(own, f, sizeof own) == 0);
    CHECK_EQ(t, curandDestroyGenerator(host), RAND_SUCCESS);
    CHECK_EQ(t, curandDestroyGenerator(g), RAND_SUCCESS);
    cudaFree(f);
}

static void test_no_memory(struct test *t)
{
    test_skip(t, "addresses from 4 GiB on are taken (a sanitizer)");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"jumps", test_jumps},
                                             {"streams", test_streams},
                                             {"known", test_known},
                                             {"order", test_order},
                                             {"distributions", test_distributions},
                                             {"calls", test_calls}};
    static const struct test_case nothing[] = {{"memory", test_no_memory}};
    unsetenv("WARPFOLD_RUN");
    if (cudaDeviceSynchronize() == cudaErrorMemoryAllocation)
        return test_main(argc, argv, nothing, TEST_COUNT(nothing));
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
