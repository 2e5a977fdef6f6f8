// The oracle's own tests: arithmetic against the host's in every rounding mode, and bundled kernels against
// plain C. No test goes through the compiler or the engine. Fails when the oracle's result differs in any
// bit.
#include "harness/files.h"
#include "harness/test.h"

#include "base/bits.h"
#include "base/rng.h"
#include "oracle/number.h"
#include "oracle/oracle.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum ptx_round round;
    int host;
} modes[] = {{PTX_ROUND_RN, FE_TONEAREST},
             {PTX_ROUND_RZ, FE_TOWARDZERO},
             {PTX_ROUND_RM, FE_DOWNWARD},
             {PTX_ROUND_RP, FE_UPWARD}};

// Bits with close exponents: random, near each other, at the edges of the format.
static uint64_t random_bits(struct rng *r, unsigned storage, unsigned fraction)
{
    uint64_t v = rng_next(r), exponents = bit_mask(storage - 1 - fraction);
    uint64_t e = rng_next(r) % 6 == 0   ? v >> 3 & exponents
                 : rng_next(r) % 5 == 0 ? (v & 1 ? exponents - (v >> 1 & 1) : v >> 1 & 3)
                                        : exponents / 2 + (v & 63) - 32;
    uint64_t f = rng_next(r) % 4 == 0 ? (rng_next(r) % 2 ? 1ull << rng_below(r, fraction) : 0) : rng_next(r);
    return (v >> 63 << (storage - 1)) | (e & exponents) << fraction | (f & bit_mask(fraction));
}

static uint64_t host_f32(int op, uint64_t a, uint64_t b, uint64_t c, int mode)
{
    volatile float x = f32_from_bits((uint32_t)a), y = f32_from_bits((uint32_t)b),
                   z = f32_from_bits((uint32_t)c), d;
    fesetround(mode);
    d = op == 0 ? x + y : op == 1 ? x * y : op == 2 ? fmaf(x, y, z) : op == 3 ? x / y : sqrtf(x);
    fesetround(FE_TONEAREST);
    return isnan(d) ? 0x7fffffff : f32_bits(d);
}

static uint64_t host_f64(int op, uint64_t a, uint64_t b, uint64_t c, int mode)
{
    volatile double x = f64_from_bits(a), y = f64_from_bits(b), z = f64_from_bits(c), d;
    fesetround(mode);
    d = op == 0 ? x + y : op == 1 ? x * y : op == 2 ? fma(x, y, z) : op == 3 ? x / y : sqrt(x);
    fesetround(FE_TONEAREST);
    return isnan(d) ? 0xfff8000000000000ull : f64_bits(d);
}

static uint64_t ours(const struct number_format *f, int op, uint64_t a, uint64_t b, uint64_t c,
                     enum ptx_round round)
{
    struct number x = number_decode(f, a), y = number_decode(f, b), z = number_decode(f, c), d;
    d = op == 0   ? number_add(x, y, round)
        : op == 1 ? number_multiply(x, y)
        : op == 2 ? number_add(number_multiply(x, y), z, round)
        : op == 3 ? number_divide(x, y)
                  : number_sqrt(x);
    return number_encode(f, d, round);
}

static void test_arithmetic(struct test *t)
{
    struct rng r;
    rng_init(&r, 1);
    for (int k = 0; k < (test_is_long() ? 5000000 : 200000) && !test_failed(t); k++) {
        unsigned m = (unsigned)k % 4, op = (unsigned)k / 4 % 5;
        uint64_t a = random_bits(&r, 32, 23), b = random_bits(&r, 32, 23), c = random_bits(&r, 32, 23);
        CHECK_EQ(t, ours(number_format(PTX_F32), (int)op, a, b, c, modes[m].round),
                 host_f32((int)op, a, b, c, modes[m].host));
        a = random_bits(&r, 64, 52), b = random_bits(&r, 64, 52), c = random_bits(&r, 64, 52);
        CHECK_EQ(t, ours(number_format(PTX_F64), (int)op, a, b, c, modes[m].round),
                 host_f64((int)op, a, b, c, modes[m].host));
    }
}

static void test_narrowing(struct test *t)
{
    struct rng r;
    rng_init(&r, 2);
    for (int k = 0; k < 200000 && !test_failed(t); k++) {
        unsigned m = (unsigned)k % 4;
        uint64_t bits = random_bits(&r, 64, 52);
        volatile double d = f64_from_bits(bits);
        volatile uint64_t u = rng_next(&r) >> rng_below(&r, 64);
        fesetround(modes[m].host);
        volatile float f = (float)d, i = (float)(int64_t)u;
        volatile double g = (double)u;
        fesetround(FE_TONEAREST);
        uint64_t want = isnan(f) ? 0x7fffffff : f32_bits(f);
        CHECK_EQ(t,
                 number_encode(number_format(PTX_F32), number_decode(number_format(PTX_F64), bits),
                               modes[m].round),
                 want);
        CHECK_EQ(t, number_encode(number_format(PTX_F32), number_from_integer((int64_t)u), modes[m].round),
                 f32_bits(i));
        CHECK_EQ(t, number_encode(number_format(PTX_F64), number_from_integer((swide)u), modes[m].round),
                 f64_bits(g));
    }
}

// Every f16 value, exactly: fraction * 2^exponent by the definition of the format.
static void test_half(struct test *t)
{
    const struct number_format *h = number_format(PTX_F16), *f = number_format(PTX_F32);
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
        float value = e == 31 ? (m ? NAN : INFINITY)
                      : e     ? ldexpf((float)(1024 + m), e - 25)
                              : ldexpf((float)m, -24);
        if (bits & 0x8000) value = -value;
        uint32_t want = isnan(value) ? 0x7fffffff : f32_bits(value);
        uint32_t got = (uint32_t)number_encode(f, number_decode(h, bits), PTX_ROUND_RN);
        CHECK_EQ(t, got, want);
        if (!isnan(value)) CHECK_EQ(t, number_encode(h, number_decode(f, got), PTX_ROUND_RZ), bits);
    }
    CHECK_EQ(t, number_encode(h, number_decode(f, f32_bits(65519.9f)), PTX_ROUND_RN), 0x7bff);
    CHECK_EQ(t, number_encode(h, number_decode(f, f32_bits(65520)), PTX_ROUND_RN), 0x7c00);
    CHECK_EQ(t, number_encode(h, number_decode(f, f32_bits(0x1p-25f)), PTX_ROUND_RN), 0); // tie to even
    CHECK_EQ(t, number_encode(h, number_decode(f, f32_bits(0x1.002p-25f)), PTX_ROUND_RN), 1);
    CHECK_EQ(t, number_encode(h, number_decode(f, f32_bits(-0x1p-60f)), PTX_ROUND_RM), 0x8001);
}

static void test_integral(struct test *t)
{
    struct rng r;
    rng_init(&r, 3);
    static const enum ptx_round integral[] = {PTX_ROUND_RNI, PTX_ROUND_RZI, PTX_ROUND_RMI, PTX_ROUND_RPI};
    for (int k = 0; k < 100000 && !test_failed(t); k++) {
        uint64_t bits = random_bits(&r, 64, 52);
        double d = f64_from_bits(bits), want[] = {nearbyint(d), trunc(d), floor(d), ceil(d)};
        unsigned m = (unsigned)k % 4;
        if (isnan(d)) continue;
        struct number n = number_decode(number_format(PTX_F64), bits);
        CHECK_EQ(t, number_encode(number_format(PTX_F64), number_integral(n, integral[m]), PTX_ROUND_RN),
                 f64_bits(want[m]));
        int64_t clamped = want[m] < -128 ? -128 : want[m] > 127 ? 127 : (int64_t)want[m];
        CHECK_EQ(t, (int64_t)number_to_integer(n, integral[m], -128, 127), clamped);
    }
}

// ---- bundled kernels

enum { MEMORY_AT = 0x10000000 };

struct machine { // a module, an oracle for the module, and a piece of memory
    struct diag d;
    struct ptx_module *m;
    struct oracle *o;
    uint8_t *bytes;
};

static bool machine_open(struct test *t, struct machine *x, const char *path, size_t bytes)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    *x = (struct machine){0};
    diag_init(&x->d);
    x->m = ptx_parse(text, length, diag_add_source(&x->d, path, text, length), &x->d);
    free(text);
    CHECK_MSG(t, x->m, "%s does not parse", path);
    if (!x->m) return false;
    x->o = oracle_create(x->m);
    x->bytes = heap_alloc(bytes);
    oracle_map(x->o, MEMORY_AT, x->bytes, bytes);
    return true;
}

static void machine_close(struct machine *x)
{
    oracle_destroy(x->o);
    free(x->bytes);
    if (x->m) ptx_module_free(x->m);
    diag_fini(&x->d);
}

static void machine_run(struct test *t, struct machine *x, const char *kernel, uint32_t grid, uint32_t block,
                        const void *params)
{
    struct oracle_launch l = {.kernel = ptx_find_entry(x->m, kernel, &x->d),
                              .grid = {grid, 1, 1},
                              .block = {block, 1, 1},
                              .params = params,
                              .max_steps = 200000000};
    if (!l.kernel)
        test_fail(t, __FILE__, __LINE__, "no kernel %s", kernel);
    else if (!oracle_launch(x->o, &l))
        test_fail(t, __FILE__, __LINE__, "%s", oracle_error(x->o));
}

static void each_compiler(struct test *t, const char *name, void (*check)(struct test *, const char *))
{
    char path[256];
    static const char *const compilers[] = {"nvcc", "clang"};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "kernels/ptx/%s/%s.ptx", compilers[k], name);
        check(t, path);
    }
}

static void check_vecadd(struct test *t, const char *path)
{
    struct machine x;
    enum { N = 1000 };
    if (machine_open(t, &x, path, 3 * 4096)) {
        float *a = (float *)(void *)x.bytes, *b = a + 1024, *c = b + 1024;
        for (int k = 0; k < N; k++) a[k] = (float)k * 0.1f, b[k] = 1.0f / (float)(k + 1);
        struct {
            uint64_t a, b, c;
            uint32_t n;
        } p = {MEMORY_AT, MEMORY_AT + 4096, MEMORY_AT + 8192, N};
        machine_run(t, &x, "vecadd", 4, 256, &p);
        for (int k = 0; k < N; k++) CHECK_EQ(t, f32_bits(c[k]), f32_bits(a[k] + b[k]));
    }
    machine_close(&x);
}
static void test_vecadd(struct test *t) { each_compiler(t, "vecadd", check_vecadd); }

static void check_histogram(struct test *t, const char *path)
{
    struct machine x;
    enum { WORDS = 600 };
    if (machine_open(t, &x, path, 8192)) {
        uint32_t *words = (uint32_t *)(void *)x.bytes, *bins = words + 1024, want[256] = {0};
        for (uint32_t k = 0; k < WORDS; k++) words[k] = k * 2654435761u;
        for (int k = 0; k < WORDS; k++)
            for (int b = 0; b < 32; b += 8) want[words[k] >> b & 255]++;
        struct {
            uint64_t words, bins;
            int32_t n;
        } p = {MEMORY_AT, MEMORY_AT + 4096, WORDS};
        machine_run(t, &x, "histogram", 2, 256, &p);
        CHECK(t, memcmp(bins, want, sizeof want) == 0);
    }
    machine_close(&x);
}
static void test_histogram(struct test *t) { each_compiler(t, "histogram", check_histogram); }

// Shuffles and barriers in the same order of additions as the kernel's comment says.
static void check_reduction(struct test *t, const char *path)
{
    struct machine x;
    enum { N = 1500 };
    if (machine_open(t, &x, path, 8192)) {
        float *in = (float *)(void *)x.bytes, *out = in + 1600, part[256];
        for (int k = 0; k < N; k++) in[k] = (float)(k % 97) * 0.37f;
        struct {
            uint64_t in, out;
            uint32_t n;
        } p = {MEMORY_AT, MEMORY_AT + 6400, N};
        machine_run(t, &x, "reduction", 1, 256, &p);
        for (int tid = 0; tid < 256; tid++) {
            part[tid] = 0;
            for (int i = tid; i < N; i += 512) {
                part[tid] += in[i];
                if (i + 256 < N) part[tid] += in[i + 256];
            }
        }
        for (int half = 128; half >= 1; half /= 2)
            for (int tid = 0; tid < half; tid++) part[tid] += part[tid + half];
        CHECK_EQ(t, f32_bits(out[0]), f32_bits(part[0]));
    }
    machine_close(&x);
}
static void test_reduction(struct test *t) { each_compiler(t, "reduction", check_reduction); }

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void check_bitonic(struct test *t, const char *path)
{
    struct machine x;
    if (machine_open(t, &x, path, 8192)) {
        uint32_t *keys = (uint32_t *)(void *)x.bytes, *values = keys + 1024, want[512];
        for (uint32_t k = 0; k < 512; k++) keys[k] = (k * 2654435761u) >> 7, values[k] = keys[k] ^ 0x5a5a;
        memcpy(want, keys, sizeof want);
        qsort(want, 512, sizeof want[0], compare_u32);
        uint64_t p[] = {MEMORY_AT, MEMORY_AT + 4096};
        machine_run(t, &x, "bitonic_sort_tiles", 1, 256, p);
        CHECK(t, memcmp(keys, want, sizeof want) == 0);
        for (int k = 0; k < 512; k++) CHECK_EQ(t, values[k], keys[k] ^ 0x5a5a);
    }
    machine_close(&x);
}
static void test_bitonic(struct test *t) { each_compiler(t, "bitonicSort", check_bitonic); }

// Eight queens from the 8 squares of the first row: 92 ways.
static void check_nqueens(struct test *t, const char *path)
{
    struct machine x;
    if (machine_open(t, &x, path, 8192)) {
        uint32_t *starts = (uint32_t *)(void *)x.bytes, *found = starts + 1024;
        for (uint32_t c = 0; c < 8; c++) {
            starts[3 * c] = 1u << c;
            starts[3 * c + 1] = 2u << c;
            starts[3 * c + 2] = (1u << c) >> 1;
        }
        struct {
            uint64_t starts;
            int32_t count, unused;
            uint64_t solutions;
            int32_t size, rows;
        } p = {MEMORY_AT, 8, 0, MEMORY_AT + 4096, 8, 7};
        machine_run(t, &x, "nqueens", 1, 96, &p);
        CHECK_EQ(t, found[0], 92);
    }
    machine_close(&x);
}
static void test_nqueens(struct test *t) { each_compiler(t, "nqueens", check_nqueens); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"arithmetic", test_arithmetic}, {"narrowing", test_narrowing}, {"half", test_half},
        {"integral", test_integral},     {"vecadd", test_vecadd},       {"histogram", test_histogram},
        {"reduction", test_reduction},   {"bitonic", test_bitonic},     {"nqueens", test_nqueens}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
