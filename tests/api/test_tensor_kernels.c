// The kernels of kernels/tensor against references in double precision: every type and instruction of matrices. Functional runs with
// copies as early and as late as possible, under the checker (nothing is found), and timed.
// Bounds are of the rounding of sums and outputs; integers and transposes are exact. Bits of products: tests/exec/tensor.
#include "api/warpfold.h"
#include "base/bits.h"
#include "base/rng.h"
#include "base/str.h"
#include "harness/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- elements -----------------------------------------------------------------------------------------------

enum type { F16, BF16, F32, E4M3, S8, F64, S32 };

static const struct {
    unsigned bytes, exponent, fraction;
} formats[] = {[F16] = {2, 5, 10}, [BF16] = {2, 8, 7},  [F32] = {4, 8, 23}, [E4M3] = {1, 4, 3},
               [S8] = {1, 0, 0},   [F64] = {8, 11, 52}, [S32] = {4, 0, 0}};

static double number_of(enum type type, uint64_t bits)
{
    unsigned exponent = formats[type].exponent, fraction = formats[type].fraction;
    if (type == S8) return (int8_t)bits;
    if (type == S32) return (int32_t)bits;
    if (type == F64) return f64_from_bits(bits);
    int bias = (1 << (exponent - 1)) - 1, field = (int)(bits >> fraction & ((1u << exponent) - 1));
    double m = (double)(bits & ((1ull << fraction) - 1)) / (double)(1ull << fraction);
    double v = field ? ldexp(1 + m, field - bias) : ldexp(m, 1 - bias);
    return bits >> (8 * formats[type].bytes - 1) & 1 ? -v : v;
}

static uint64_t load(enum type type, const void *from, size_t index)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)from + index * formats[type].bytes, formats[type].bytes);
    return bits;
}

static double at(enum type type, const void *from, size_t index)
{
    return number_of(type, load(type, from, index));
}

// Random elements: floats of both signs between 1/16 and 1, whole numbers of all bits.
static void *random_elements(enum type type, size_t count, struct rng *g)
{
    unsigned bytes = formats[type].bytes, exponent = formats[type].exponent,
             fraction = formats[type].fraction;
    char *data = malloc(count * bytes + 16);
    for (size_t k = 0; k < count; k++) {
        uint64_t x = rng_next(g), field = (1ull << (exponent ? exponent - 1 : 0)) - 2 - rng_next(g) % 4;
        if (exponent)
            x = (x & ((1ull << fraction) - 1)) | field << fraction | rng_next(g) % 2 << (8 * bytes - 1);
        memcpy(data + k * bytes, &x, bytes);
    }
    return data;
}

// -- launches -----------------------------------------------------------------------------------------------

// How the present case runs its launches: functional with copies "early" or "late", "checked" or "timed".
static const char *way = "early";

struct bench {
    struct test *t;
    struct wf_context *c;
    struct wf_module *m;
    struct rng g;
};

// gpu NULL: as the present case runs its launches.
static bool bench_init_on(struct bench *b, struct test *t, const char *file, const char *gpu)
{
    char path[100];
    snprintf(path, sizeof path, "kernels/tensor/ptx/%s.ptx", file);
    *b = (struct bench){.t = t, .c = wf_context_create()};
    rng_init(&b->g, 7);
    const char *card = gpu ? gpu : strcmp(way, "timed") == 0 ? "h100" : NULL; // has every product
    if (card) CHECK(t, wf_gpu(b->c, card) == WF_OK);
    if (strcmp(way, "late") == 0) CHECK(t, wf_set(b->c, "exec.async", "late") == WF_OK);
    if (strcmp(way, "checked") == 0) {
        CHECK(t, wf_set(b->c, "compile.optimise", "0") == WF_OK);
        CHECK(t, wf_check(b->c) == WF_OK);
    }
    b->m = wf_module_load_file(b->c, path);
    CHECK_MSG(t, b->m != NULL, "%s", wf_errors(b->c));
    return b->m != NULL;
}

static bool bench_init(struct bench *b, struct test *t, const char *file)
{
    return bench_init_on(b, t, file, NULL);
}

static uint64_t put(struct bench *b, const void *from, size_t bytes)
{
    uint64_t to = wf_alloc(b->c, bytes);
    wf_write(b->c, to, from, bytes);
    return to;
}

static bool launch(struct bench *b, const char *name, struct wf_launch_config shape, void *const *args,
                   size_t count)
{
    struct wf_kernel *k = wf_kernel_find(b->m, name);
    bool good = k && wf_launch(k, &shape, args, count, NULL) == WF_OK;
    CHECK_MSG(b->t, good, "%s, %s: %s", name, way, wf_errors(b->c));
    wf_clear_errors(b->c);
    struct wf_finding f;
    if (strcmp(way, "checked") == 0 && wf_finding_at(b->c, 0, &f))
        test_fail(b->t, __FILE__, __LINE__, "%s: %s at %s:%u", name, f.what, f.places[0].file,
                  f.places[0].line);
    return good;
}

// -- products -----------------------------------------------------------------------------------------------

struct product {
    const char *name;
    enum type a, b, c;
    bool b_by_rows; // K x N, else N x K
    unsigned tile, threads, shared;
    double bound; // of an element's error, relative to the sum of the magnitudes of its products
};

static void check_product(struct bench *b, const struct product *p, int m, int n, int k)
{
    void *x = random_elements(p->a, (size_t)m * (size_t)k, &b->g),
         *y = random_elements(p->b, (size_t)k * (size_t)n, &b->g);
    size_t c_bytes = (size_t)m * (size_t)n * formats[p->c].bytes;
    void *z = calloc(1, c_bytes);
    uint64_t a_at = put(b, x, (size_t)m * (size_t)k * formats[p->a].bytes),
             b_at = put(b, y, (size_t)k * (size_t)n * formats[p->b].bytes), c_at = put(b, z, c_bytes);
    void *args[] = {&a_at, &b_at, &c_at, &m, &n, &k};
    struct wf_launch_config shape = {
        .grid = {((unsigned)n + p->tile - 1) / p->tile, ((unsigned)m + p->tile - 1) / p->tile, 1},
        .block = {p->threads, 1, 1},
        .shared_bytes = p->shared};
    if (launch(b, p->name, shape, args, 6)) {
        unsigned wrong = 0;
        wf_read(b->c, c_at, z, c_bytes);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0, magnitude = 0;
                for (int l = 0; l < k; l++) {
                    double term = at(p->a, x, (size_t)(i * k + l)) *
                                  at(p->b, y, (size_t)(p->b_by_rows ? l * n + j : j * k + l));
                    sum += term;
                    magnitude += fabs(term);
                }
                double got = at(p->c, z, (size_t)(i * n + j));
                if (!(fabs(got - sum) <= p->bound * magnitude) && !wrong++)
                    test_fail(b->t, __FILE__, __LINE__, "%s %d x %d x %d: c[%d][%d] is %g, not %g", p->name,
                              m, n, k, i, j, got, sum);
            }
    }
    free(x), free(y), free(z);
}

static void check_products(struct test *t, const char *file, const struct product *p, unsigned count)
{
    struct bench b;
    for (unsigned n = 0; bench_init(&b, t, file) && n < count; n++) {
        check_product(&b, &p[n], 128, 128, 160);
        if (!test_is_quick()) check_product(&b, &p[n], 72, 136, 96);
        wf_context_destroy(b.c);
        b.c = NULL;
    }
    if (b.c) wf_context_destroy(b.c);
}

#define STAGES(n) ((n)*16384)

static void test_mma(struct test *t)
{
    static const struct product products[] = {
        {"hgemm_mma", F16, F16, F16, true, 128, 256, STAGES(4), 1e-3},
        {"hgemm_mma_3", F16, F16, F16, true, 128, 256, STAGES(3), 1e-3},
        {"hgemm_mma_wide", F16, F16, F16, true, 128, 128, STAGES(4), 1e-3},
        {"hgemm_mma_f16", F16, F16, F16, true, 128, 256, STAGES(4), 6e-3},
        {"bgemm_mma", BF16, BF16, BF16, true, 128, 256, STAGES(4), 8e-3},
    };
    check_products(t, "hgemm_mma", products, TEST_COUNT(products));
}

static void test_wmma(struct test *t)
{
    static const struct product products[] = {{"hgemm_wmma", F16, F16, F16, true, 64, 128, 0, 1e-3}};
    check_products(t, "hgemm_wmma", products, TEST_COUNT(products));
}

static void test_types(struct test *t)
{
    static const struct product products[] = {
        {"tf32_gemm", F32, F32, F32, false, 128, 256, STAGES(4), 1e-3},
        {"tf32_gemm_raw", F32, F32, F32, false, 128, 256, STAGES(4), 2e-3},
        {"int8_gemm", S8, S8, S32, false, 128, 256, STAGES(4), 0},
    };
    check_products(t, "gemm_types", products, TEST_COUNT(products));
}

static void test_fp8(struct test *t)
{
    static const struct product products[] = {
        {"fp8_gemm", E4M3, E4M3, F16, false, 128, 256, STAGES(4), 2e-3}};
    check_products(t, "fp8_gemm", products, TEST_COUNT(products));
}

static void test_f64(struct test *t)
{
    static const struct product products[] = {{"dgemm_mma", F64, F64, F64, true, 64, 128, 56832, 1e-14}};
    check_products(t, "dgemm_mma", products, TEST_COUNT(products));
}

// PTX of a warp that multiplies m16n8kK in double precision. A lane's elements of a, b and c lie one after the other.
static void write_doubles(struct strbuf *out, unsigned depth)
{
    unsigned a = depth / 2, b = depth / 4;
    strbuf_puts(out, ".version 8.0\n.target sm_90\n.address_size 64\n"
                     ".visible .entry doubles(.param .u64 pa, .param .u64 pb, .param .u64 pc)\n{\n"
                     ".reg .b32 %r;\n.reg .b64 %p<6>;\n.reg .f64 %a<8>, %b<4>, %c<4>;\n"
                     "mov.u32 %r, %tid.x;\nld.param.u64 %p0, [pa];\nld.param.u64 %p1, [pb];\n"
                     "ld.param.u64 %p2, [pc];\n");
    strbuf_printf(out, "mul.wide.u32 %%p3, %%r, %u;\nadd.u64 %%p0, %%p0, %%p3;\n", 8 * a);
    strbuf_printf(out, "mul.wide.u32 %%p3, %%r, %u;\nadd.u64 %%p1, %%p1, %%p3;\n", 8 * b);
    strbuf_puts(out, "mul.wide.u32 %p3, %r, 32;\nadd.u64 %p2, %p2, %p3;\n");
    for (unsigned k = 0; k < a; k++) strbuf_printf(out, "ld.global.f64 %%a%u, [%%p0+%u];\n", k, 8 * k);
    for (unsigned k = 0; k < b; k++) strbuf_printf(out, "ld.global.f64 %%b%u, [%%p1+%u];\n", k, 8 * k);
    for (unsigned k = 0; k < 4; k++) strbuf_printf(out, "ld.global.f64 %%c%u, [%%p2+%u];\n", k, 8 * k);
    strbuf_printf(out, "mma.sync.aligned.m16n8k%u.row.col.f64.f64.f64.f64 {%%c0,%%c1,%%c2,%%c3}, {", depth);
    for (unsigned k = 0; k < a; k++) strbuf_printf(out, "%s%%a%u", k ? "," : "", k);
    strbuf_puts(out, "}, {");
    for (unsigned k = 0; k < b; k++) strbuf_printf(out, "%s%%b%u", k ? "," : "", k);
    strbuf_puts(out, "}, {%c0,%c1,%c2,%c3};\n");
    for (unsigned k = 0; k < 4; k++) strbuf_printf(out, "st.global.f64 [%%p2+%u], %%c%u;\n", 8 * k, k);
    strbuf_puts(out, "ret;\n}\n");
}

// Deeper shapes of f64: bit for bit a chain of fused operations in increasing depth. Places of elements: PTX ISA 9.7.14.5.
static void check_doubles(struct test *t, unsigned depth)
{
    struct bench b = {.t = t, .c = wf_context_create()};
    struct strbuf text = {0};
    unsigned a_each = depth / 2, b_each = depth / 4;
    rng_init(&b.g, depth);
    write_doubles(&text, depth);
    b.m = wf_module_load(b.c, "doubles.ptx", strbuf_text(&text), text.length);
    CHECK_MSG(t, b.m != NULL, "%s", wf_errors(b.c));
    double *x = random_elements(F64, 16 * depth, &b.g), *y = random_elements(F64, 8 * depth, &b.g),
           *z = random_elements(F64, 128, &b.g), got[128];
    uint64_t a_at = put(&b, x, 128 * depth), b_at = put(&b, y, 64 * depth), c_at = put(&b, z, sizeof got);
    void *args[] = {&a_at, &b_at, &c_at};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (b.m && launch(&b, "doubles", shape, args, 3)) {
        wf_read(b.c, c_at, got, sizeof got);
        for (unsigned i = 0; i < 128; i++) {
            unsigned lane = i / 4, row = lane / 4 + 8 * (i % 4 / 2), column = 2 * (lane % 4) + i % 2;
            double sum = z[i];
            for (unsigned k = 0; k < depth; k++)
                sum = fma(x[(row % 8 * 4 + k % 4) * a_each + row / 8 + 2 * (k / 4)],
                          y[(column * 4 + k % 4) * b_each + k / 4], sum);
            CHECK_MSG(t, f64_bits(got[i]) == f64_bits(sum), "k%u, row %u, column %u: %.17g, not %.17g", depth,
                      row, column, got[i], sum);
        }
    }
    strbuf_fini(&text);
    free(x), free(y), free(z);
    wf_context_destroy(b.c);
}

static void test_deep_f64(struct test *t)
{
    for (unsigned depth = 4; depth <= 16; depth *= 2) check_doubles(t, depth);
}

// -- GPUs ----------------------------------------------------------------------------------------------------

// Bytes of a product of tf32 on a GPU (NULL: functional) with a setting (NULL: none), into c. is_timed false: a functional run with the
// GPU's settings.
static void product_with(struct test *t, const char *gpu, bool is_timed, const char *key, const char *value,
                         float c[128 * 128])
{
    int m = 128, n = 128, k = 64;
    struct bench b;
    if (!bench_init_on(&b, t, "gemm_types", gpu)) return;
    if (key) CHECK(t, wf_set(b.c, key, value) == WF_OK);
    if (!is_timed) CHECK(t, wf_gpu(b.c, NULL) == WF_OK);
    void *x = random_elements(F32, (size_t)(m * k), &b.g), *y = random_elements(F32, (size_t)(n * k), &b.g);
    uint64_t a_at = put(&b, x, (size_t)(4 * m * k)), b_at = put(&b, y, (size_t)(4 * n * k)),
             c_at = put(&b, c, 4 * 128 * 128);
    void *args[] = {&a_at, &b_at, &c_at, &m, &n, &k};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .shared_bytes = STAGES(4)};
    if (launch(&b, "tf32_gemm", shape, args, 6)) wf_read(b.c, c_at, c, 4 * 128 * 128);
    free(x), free(y);
    wf_context_destroy(b.c);
}

static void product_on(struct test *t, const char *gpu, const char *key, const char *value,
                       float c[128 * 128])
{
    product_with(t, gpu, true, key, value, c);
}

// Values follow the rule of the GPU, also in functional runs with its settings; without a GPU, of the code's .target, here sm_80.
static void test_cards(struct test *t)
{
    static float ampere[128 * 128], a100[128 * 128], h100[128 * 128], changed[128 * 128];
    product_on(t, NULL, NULL, NULL, ampere);
    product_on(t, "a100", NULL, NULL, a100);
    product_on(t, "h100", NULL, NULL, h100);
    CHECK(t, memcmp(ampere, a100, sizeof a100) == 0);
    CHECK(t, memcmp(h100, a100, sizeof a100) != 0);
    product_with(t, "h100", false, NULL, NULL, changed);
    CHECK(t, memcmp(h100, changed, sizeof changed) == 0);
    product_on(t, "a100", "tensor.values", "hopper", changed);
    CHECK(t, memcmp(h100, changed, sizeof changed) == 0);
    product_on(t, "h100", "tensor.values", "target", changed);
    CHECK(t, memcmp(ampere, changed, sizeof changed) == 0);
    product_on(t, "h100", "tensor.tf32_length", "4", changed);
    CHECK(t, memcmp(h100, changed, sizeof changed) != 0);
}

// A GPU without tensor cores, or without the type, refuses the launch and names the product.
static void test_refused(struct test *t)
{
    static const struct {
        const char *gpu, *file, *kernel, *message;
    } cases[] = {{"gtx1080ti", "hgemm_mma", "hgemm_mma", "HMMA.16816.F32.F16"},
                 {"titanv", "gemm_types", "tf32_gemm", "HMMA.1688.F32.TF32"},
                 {"a100", "fp8_gemm", "fp8_gemm", "QMMA.16832.F32.E4M3"}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct bench b;
        if (!bench_init_on(&b, t, cases[k].file, cases[k].gpu)) return;
        struct wf_kernel *kernel = wf_kernel_find(b.m, cases[k].kernel);
        uint64_t none = 0;
        int zero = 0;
        void *args[] = {&none, &none, &none, &zero, &zero, &zero};
        struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .shared_bytes = STAGES(4)};
        CHECK(t, kernel && wf_launch(kernel, &shape, args, 6, NULL) == WF_BAD_INPUT);
        CHECK_MSG(t, strstr(wf_errors(b.c), cases[k].message) && strstr(wf_errors(b.c), cases[k].gpu), "%s",
                  wf_errors(b.c));
        wf_context_destroy(b.c);
    }
}

// -- depth split, sparse ------------------------------------------------------------------------------------

static void test_splitk(struct test *t)
{
    struct bench b;
    int m = 128, n = 128, k = 256;
    if (!bench_init(&b, t, "hgemm_splitk")) return;
    void *x = random_elements(F16, (size_t)(m * k), &b.g), *y = random_elements(F16, (size_t)(k * n), &b.g);
    float *z = calloc((size_t)(m * n), sizeof *z);
    uint64_t a_at = put(&b, x, (size_t)(2 * m * k)), b_at = put(&b, y, (size_t)(2 * k * n)),
             c_at = put(&b, z, (size_t)(4 * m * n));
    void *args[] = {&a_at, &b_at, &c_at, &m, &n, &k};
    struct wf_launch_config shape = {.grid = {1, 1, 3}, .block = {256, 1, 1}, .shared_bytes = STAGES(4)};
    if (launch(&b, "hgemm_splitk_atomic", shape, args, 6)) {
        wf_read(b.c, c_at, z, (size_t)(4 * m * n));
        for (int i = 0; i < m * n; i += 37) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += at(F16, x, (size_t)(i / n * k + l)) * at(F16, y, (size_t)(l * n + i % n));
            CHECK_MSG(t, fabs((double)z[i] - sum) < 1e-3, "element %d is %g, not %g", i, (double)z[i], sum);
        }
    }
    free(x), free(y), free(z);
    wf_context_destroy(b.c);
}

static void test_sparse(struct test *t)
{
    struct bench b;
    int m = 128, n = 128, k = 128;
    if (!bench_init(&b, t, "sparse_hgemm")) return;
    uint16_t *values = random_elements(F16, (size_t)(m * k / 2), &b.g),
             *y = random_elements(F16, (size_t)(k * n), &b.g);
    uint32_t *places = calloc((size_t)(m * k / 32), sizeof *places);
    double *dense = calloc((size_t)(m * k), sizeof *dense);
    for (int row = 0; row < m; row++)
        for (int four = 0; four < k / 4; four++) {
            unsigned first = rng_below(&b.g, 3), second = first + 1 + rng_below(&b.g, 3 - first);
            int lane = row % 8 * 4 + row % 32 / 16 * 2 + four / 4 % 2,
                shift = row / 8 % 2 * 16 + four % 4 * 4;
            places[(row / 32 * (k / 32) + four / 8) * 32 + lane] |= (first | second << 2) << shift;
            dense[row * k + four * 4 + (int)first] = at(F16, values, (size_t)(row * k / 2 + four * 2));
            dense[row * k + four * 4 + (int)second] = at(F16, values, (size_t)(row * k / 2 + four * 2 + 1));
        }
    uint16_t *z = calloc((size_t)(m * n), sizeof *z);
    uint64_t a_at = put(&b, values, (size_t)(m * k)), p_at = put(&b, places, (size_t)(m * k / 8)),
             b_at = put(&b, y, (size_t)(2 * k * n)), c_at = put(&b, z, (size_t)(2 * m * n));
    void *args[] = {&a_at, &p_at, &b_at, &c_at, &m, &n, &k};
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .shared_bytes = 76800};
    if (launch(&b, "sparse_hgemm", shape, args, 7)) {
        wf_read(b.c, c_at, z, (size_t)(2 * m * n));
        for (int i = 0; i < m * n; i += 11) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += dense[i / n * k + l] * at(F16, y, (size_t)(l * n + i % n));
            double got = at(F16, z, (size_t)i);
            CHECK_MSG(t, fabs(got - sum) < 1e-2, "element %d is %g, not %g", i, got, sum);
        }
    }
    free(values), free(y), free(places), free(dense), free(z);
    wf_context_destroy(b.c);
}

// -- attention ----------------------------------------------------------------------------------------------

// Weights of a query, before division by *sum.
static void weigh(const void *q, const void *k, int row, int seq, int depth, bool causal, double scale,
                  double *w, double *sum)
{
    *sum = 0;
    for (int key = 0; key < seq; key++) {
        double score = 0;
        for (int l = 0; l < depth; l++)
            score += at(F16, q, (size_t)(row * depth + l)) * at(F16, k, (size_t)(key * depth + l));
        w[key] = causal && key > row ? 0 : exp(score * scale);
        *sum += w[key];
    }
}

static void check_attention(struct bench *b, const char *name, int depth, int rows, bool causal)
{
    int seq = 128;
    size_t count = (size_t)(seq * depth);
    float scale = 0.25f;
    void *q = random_elements(F16, count, &b->g), *k = random_elements(F16, count, &b->g),
         *v = random_elements(F16, count, &b->g), *o = calloc(count, 2);
    uint64_t at_q = put(b, q, 2 * count), at_k = put(b, k, 2 * count), at_v = put(b, v, 2 * count),
             at_o = put(b, o, 2 * count);
    void *args[] = {&at_q, &at_k, &at_v, &at_o, &seq, &scale};
    struct wf_launch_config shape = {.grid = {(unsigned)(seq / rows), 1, 1},
                                     .block = {128, 1, 1},
                                     .shared_bytes = (uint32_t)(4 * 64 * depth * 2)};
    if (launch(b, name, shape, args, 6)) {
        wf_read(b->c, at_o, o, 2 * count);
        for (int row = 0; row < seq; row += 5) {
            double w[128], sum, worst = 0;
            weigh(q, k, row, seq, depth, causal, (double)scale, w, &sum);
            for (int l = 0; l < depth; l++) {
                double want = 0;
                for (int key = 0; key < seq; key++)
                    want += w[key] * at(F16, v, (size_t)(key * depth + l)) / sum;
                worst = fmax(worst, fabs(at(F16, o, (size_t)(row * depth + l)) - want));
            }
            CHECK_MSG(b->t, worst < 3e-3, "%s: row %d is off by %g", name, row, worst);
        }
    }
    free(q), free(k), free(v), free(o);
}

static void test_attention(struct test *t)
{
    struct bench b;
    if (!bench_init(&b, t, "flash_attention")) return;
    check_attention(&b, "flash_attention_64", 64, 128, false);
    check_attention(&b, "flash_attention_64_causal", 64, 128, true);
    check_attention(&b, "flash_attention_128", 128, 64, false);
    check_attention(&b, "flash_attention_128_causal", 128, 64, true);
    wf_context_destroy(b.c);
}

// -- data movers --------------------------------------------------------------------------------------------

static void test_transposes(struct test *t)
{
    static const struct {
        const char *name;
        uint32_t grid[3];
    } kernels[] = {{"transpose_ldmatrix", {1, 2, 1}}, {"transpose_movmatrix", {2, 1, 1}}};
    enum { WIDTH = 64, HEIGHT = 128 };
    struct bench b;
    int width = WIDTH, height = HEIGHT;
    if (!bench_init(&b, t, "transpose_f16")) return;
    uint16_t *in = random_elements(F16, WIDTH * HEIGHT, &b.g), out[WIDTH * HEIGHT];
    for (unsigned k = 0; k < TEST_COUNT(kernels); k++) {
        uint64_t from = put(&b, in, sizeof out), to = wf_alloc(b.c, sizeof out);
        void *args[] = {&from, &to, &width, &height};
        struct wf_launch_config shape = {.block = {128, 1, 1}};
        memcpy(shape.grid, kernels[k].grid, sizeof shape.grid);
        if (!launch(&b, kernels[k].name, shape, args, 4)) continue;
        unsigned wrong = 0;
        wf_read(b.c, to, out, sizeof out);
        for (int i = 0; i < WIDTH * HEIGHT; i++) wrong += out[i % WIDTH * HEIGHT + i / WIDTH] != in[i];
        CHECK_MSG(t, !wrong, "%s: %u elements", kernels[k].name, wrong);
    }
    free(in);
    wf_context_destroy(b.c);
}

// -- rows ---------------------------------------------------------------------------------------------------

static void test_softmax(struct test *t)
{
    enum { ROWS = 3, COLUMNS = 200, ROWS_THREADS = 256 };
    struct bench b;
    int columns = COLUMNS;
    if (!bench_init(&b, t, "rows")) return;
    uint16_t *in = random_elements(F16, ROWS * COLUMNS, &b.g), out[ROWS * COLUMNS];
    uint64_t from = put(&b, in, sizeof out), to = wf_alloc(b.c, sizeof out);
    void *args[] = {&from, &to, &columns};
    struct wf_launch_config shape = {.grid = {ROWS, 1, 1}, .block = {ROWS_THREADS, 1, 1}};
    if (launch(&b, "softmax_rows", shape, args, 3)) {
        wf_read(b.c, to, out, sizeof out);
        for (unsigned row = 0; row < ROWS; row++) {
            double sum = 0, worst = 0;
            for (unsigned k = 0; k < COLUMNS; k++) sum += exp(at(F16, in, row * COLUMNS + k));
            for (unsigned k = 0; k < COLUMNS; k++)
                worst = fmax(
                    worst, fabs(at(F16, out, row * COLUMNS + k) - exp(at(F16, in, row * COLUMNS + k)) / sum));
            CHECK_MSG(t, worst < 1e-5, "row %u is off by %g", row, worst);
        }
    }
    free(in);
    wf_context_destroy(b.c);
}

static void (*const kernels[])(struct test *) = {test_mma,        test_wmma,   test_types,  test_fp8,
                                                 test_f64,        test_splitk, test_sparse, test_attention,
                                                 test_transposes, test_softmax};

static void run_all(struct test *t, const char *word)
{
    way = word;
    for (size_t k = 0; k < TEST_COUNT(kernels); k++) kernels[k](t);
    way = "early";
}

static void test_late(struct test *t) { run_all(t, "late"); }
static void test_checked(struct test *t) { run_all(t, "checked"); }
static void test_timed(struct test *t) { run_all(t, "timed"); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"mma", test_mma},
        {"wmma", test_wmma},
        {"types", test_types},
        {"fp8", test_fp8},
        {"f64", test_f64},
        {"deep_f64", test_deep_f64},
        {"cards", test_cards},
        {"refused", test_refused},
        {"splitk", test_splitk},
        {"sparse", test_sparse},
        {"attention", test_attention},
        {"transposes", test_transposes},
        {"softmax", test_softmax},
        {"late", test_late},
        {"checked", test_checked},
        {"timed", test_timed},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
