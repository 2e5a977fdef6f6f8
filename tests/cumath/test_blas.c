// cuBLAS against sums of the host, taken in the same order: matrix products have equal bits.
#include "cudart/runtime.h"
#include "cumath/blas/functions.h"
#include "harness/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct cublas *h;

// Memory for host and device, of small numbers with fractions; the same for equal seeds.
static void *numbers(size_t count, int data, unsigned seed)
{
    void *p = NULL;
    size_t bytes = data == DATA_F64 ? 8 : data == DATA_I8 ? 1 : data == DATA_F16 || data == DATA_BF16 ? 2 : 4;
    if (cudaMallocManaged(&p, count * bytes, 1) != cudaSuccess) return NULL;
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        int n = (int)(seed >> 24) - 128;
        if (data == DATA_F32) ((float *)p)[i] = (float)n / 37;
        if (data == DATA_F64) ((double *)p)[i] = n / 37.0;
        if (data == DATA_I8) ((int8_t *)p)[i] = (int8_t)n;
        if (data == DATA_I32) ((int *)p)[i] = n;
        if (data == DATA_F16)
            ((uint16_t *)p)[i] = (uint16_t)((n < 0 ? 0x8000 : 0) | 0x3000 | (seed >> 20 & 0x3ff));
        if (data == DATA_BF16)
            ((uint16_t *)p)[i] = (uint16_t)((n < 0 ? 0x8000 : 0) | 0x3f00 | (seed >> 20 & 0x7f));
    }
    return p;
}

static double half_value(uint16_t bits)
{
    double size =
        (bits & 0x7c00) ? ldexp(1024 + (bits & 0x3ff), (bits >> 10 & 31) - 25) : ldexp(bits & 0x3ff, -24);
    return bits & 0x8000 ? -size : size;
}

static double element(const void *p, int64_t i, int data)
{
    uint32_t bits;
    float f;
    switch (data) {
    case DATA_F64: return ((const double *)p)[i];
    case DATA_I8: return ((const int8_t *)p)[i];
    case DATA_I32: return ((const int *)p)[i];
    case DATA_F16: return half_value(((const uint16_t *)p)[i]);
    case DATA_BF16:
        bits = (uint32_t)((const uint16_t *)p)[i] << 16;
        memcpy(&f, &bits, 4);
        return f;
    default: return ((const float *)p)[i];
    }
}

// A step of a sum in the product's arithmetic.
static double step(double a, double b, double sum, bool is_double)
{
    return is_double ? fma(a, b, sum) : (double)fmaf((float)a, (float)b, (float)sum);
}

// Element (i, j) of alpha op(A) op(B) + beta C before rounding to C's type, `c` C's old elements.
static double expected(const struct blas_gemm *g, double alpha, double beta, const void *c, int64_t i,
                       int64_t j)
{
    bool is_double = g->c_data == DATA_F64;
    double sum = 0;
    for (int64_t l = 0; l < g->k; l++)
        sum = step(element(g->a, g->op_a ? i * g->lda + l : l * g->lda + i, g->a_data),
                   element(g->b, g->op_b ? l * g->ldb + j : j * g->ldb + l, g->b_data), sum, is_double);
    double old = element(c, j * g->ldc + i, g->c_data);
    double part = is_double ? beta * old : (double)((float)beta * (float)old);
    if (beta == 0) return is_double ? alpha * sum : (double)((float)alpha * (float)sum);
    return step(alpha, sum, part, is_double);
}

// Elements of C outside the product stay.
static void check_product(struct test *t, const struct blas_gemm *g, double alpha, double beta,
                          const void *old, double most)
{
    unsigned wrong = 0;
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->ldc; i++) {
            double is = element(g->c, j * g->ldc + i, g->c_data),
                   was = element(old, j * g->ldc + i, g->c_data);
            double want = i < g->m ? expected(g, alpha, beta, old, i, j) : was;
            wrong += !(fabs(is - want) <= most * fabs(want));
        }
    CHECK_MSG(t, !wrong, "%u elements of a product %lld x %lld x %lld, operations %d and %d, types %d and %d",
              wrong, (long long)g->m, (long long)g->n, (long long)g->k, g->op_a, g->op_b, g->a_data,
              g->c_data);
}

static size_t bytes_of(int data)
{
    return data == DATA_F64 ? 8 : data == DATA_F16 || data == DATA_BF16 ? 2 : 4;
}

// All transpositions, sizes that fill no tile, leading dimensions above the sizes.
static void test_gemm(struct test *t)
{
    static const struct {
        int64_t m, n, k;
    } sizes[] = {{1, 1, 1}, {5, 70, 3}, {65, 17, 33}, {64, 64, 16}, {2, 3, 0}};
    for (size_t s = 0; s < TEST_COUNT(sizes); s++)
        for (int ops = 0; ops < 4; ops++)
            for (int is_double = 0; is_double < 2; is_double++) {
                int data = is_double ? DATA_F64 : DATA_F32, op_a = ops & 1, op_b = ops >> 1;
                int m = (int)sizes[s].m, n = (int)sizes[s].n, k = (int)sizes[s].k;
                int lda = (op_a ? k : m) + 3, ldb = (op_b ? n : k) + 1, ldc = m + 2;
                void *a = numbers(10000, data, 1), *b = numbers(10000, data, 2),
                     *c = numbers((size_t)(ldc * n), data, 3);
                void *old = malloc((size_t)(ldc * n) * bytes_of(data));
                float alpha = 1.5f, beta = s == 1 ? 0 : -0.75f;
                double alpha2 = alpha, beta2 = beta;
                memcpy(old, c, (size_t)(ldc * n) * bytes_of(data));
                CHECK_EQ(
                    t,
                    is_double
                        ? cublasDgemm_v2(h, op_a, op_b, m, n, k, &alpha2, a, lda, b, ldb, &beta2, c, ldc)
                        : cublasSgemm_v2_64(h, op_a, op_b, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
                    BLAS_SUCCESS);
                CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
                check_product(t,
                              &(struct blas_gemm){.op_a = op_a,
                                                  .op_b = op_b,
                                                  .m = m,
                                                  .n = n,
                                                  .k = k,
                                                  .a = a,
                                                  .b = b,
                                                  .c = c,
                                                  .lda = lda,
                                                  .ldb = ldb,
                                                  .ldc = ldc,
                                                  .a_data = data,
                                                  .b_data = data,
                                                  .c_data = data},
                              alpha, beta, old, 0);
                free(old);
                cudaFree(a);
                cudaFree(b);
                cudaFree(c);
            }
}

static void test_types(struct test *t)
{
    static const struct {
        int in, out, compute;
        double most; // error of the result's rounding
    } rows[] = {{DATA_F16, DATA_F32, 68, 0},      {DATA_F16, DATA_F16, 68, 0x1p-11},
                {DATA_BF16, DATA_F32, 68, 0},     {DATA_BF16, DATA_BF16, 68, 0x1p-8},
                {DATA_I8, DATA_I32, 72, 0},       {DATA_F32, DATA_F32, 77, 0},
                {DATA_F16, DATA_F16, 64, 0x1p-11}};
    enum { M = 20, N = 9, K = 40 };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        void *a = numbers(M * K, rows[i].in, 4), *b = numbers(K * N, rows[i].in, 5),
             *c = numbers(M * N, rows[i].out, 6);
        void *old = malloc(4 * M * N);
        memcpy(old, c, M * N * bytes_of(rows[i].out));
        float one = 1, two = 2;
        int one_i = 1, two_i = 2;
        uint16_t one_h = 0x3c00, two_h = 0x4000;
        const void *alpha = rows[i].compute == 72   ? (void *)&two_i
                            : rows[i].compute == 64 ? (void *)&two_h
                                                    : (void *)&two;
        const void *beta = rows[i].compute == 72   ? (void *)&one_i
                           : rows[i].compute == 64 ? (void *)&one_h
                                                   : (void *)&one;
        CHECK_EQ(t,
                 cublasGemmEx(h, 0, 0, M, N, K, alpha, a, rows[i].in, M, b, rows[i].in, K, beta, c,
                              rows[i].out, M, rows[i].compute, -1),
                 BLAS_SUCCESS);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        check_product(t,
                      &(struct blas_gemm){.m = M,
                                          .n = N,
                                          .k = K,
                                          .a = a,
                                          .b = b,
                                          .c = c,
                                          .lda = M,
                                          .ldb = K,
                                          .ldc = M,
                                          .a_data = rows[i].in,
                                          .b_data = rows[i].in,
                                          .c_data = rows[i].out},
                      2, 1, old, rows[i].most);
        free(old);
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
    CHECK_EQ(t, cublasGemmEx(h, 0, 0, 1, 1, 1, &h, h, 4, 1, h, 4, 1, &h, h, 4, 1, 68, -1),
             BLAS_NOT_SUPPORTED);
}

// Batches by strides and by pointers equal products one by one.
static void test_batches(struct test *t)
{
    enum { N = 12, BATCH = 3, SIZE = N * N };
    float *a = numbers(SIZE * BATCH, DATA_F32, 7), *b = numbers(SIZE * BATCH, DATA_F32, 8), *c[3], one = 1,
          zero = 0;
    const float **pointers;
    CHECK_EQ(t, cudaMallocManaged((void **)&pointers, 3 * BATCH * sizeof *pointers, 1), cudaSuccess);
    for (int i = 0; i < 3; i++) c[i] = numbers(SIZE * BATCH, DATA_F32, 9);
    for (int i = 0; i < BATCH; i++) {
        pointers[i] = a + i * SIZE;
        pointers[BATCH + i] = b + i * SIZE;
        pointers[2 * BATCH + i] = c[2] + i * SIZE;
        CHECK_EQ(t,
                 cublasSgemm_v2(h, 1, 0, N, N, N, &one, a + i * SIZE, N, b + i * SIZE, N, &zero,
                                c[0] + i * SIZE, N),
                 0);
    }
    CHECK_EQ(t,
             cublasSgemmStridedBatched(h, 1, 0, N, N, N, &one, a, N, SIZE, b, N, SIZE, &zero, c[1], N, SIZE,
                                       BATCH),
             0);
    CHECK_EQ(t,
             cublasSgemmBatched(h, 1, 0, N, N, N, &one, pointers, N, pointers + BATCH, N, &zero,
                                (float *const *)(uintptr_t)(pointers + 2 * BATCH), N,
                                BATCH), // NOLINT: C's pointers
             0);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, memcmp(c[0], c[1], SIZE * BATCH * sizeof(float)) == 0);
    CHECK(t, memcmp(c[0], c[2], SIZE * BATCH * sizeof(float)) == 0);
}

static void test_transposition(struct test *t)
{
    enum { M = 19, N = 33 };
    float *a = numbers(M * N, DATA_F32, 10), *c = numbers(M * N, DATA_F32, 11), two = 2, zero = 0;
    CHECK_EQ(t, cublasSgeam(h, 1, 0, M, N, &two, a, N, &zero, NULL, M, c, M), 0);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) CHECK(t, c[j * M + i] == 2 * a[i * N + j]);
}

static void test_matrix_vector(struct test *t)
{
    enum { M = 150, N = 40 };
    double *a = numbers(M * N, DATA_F64, 12), *x = numbers(2 * M, DATA_F64, 13),
           *y = numbers(2 * M, DATA_F64, 14);
    double alpha = 0.5, beta = 2, old[2 * M];
    for (int op = 0; op < 2; op++) {
        int rows = op ? N : M, inner = op ? M : N;
        memcpy(old, y, sizeof old);
        CHECK_EQ(t, cublasDgemv_v2(h, op, M, N, &alpha, a, M, x, -2, &beta, y, 2), 0);
        CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int l = 0; l < inner; l++) sum += a[op ? i * M + l : l * M + i] * x[2 * (inner - 1 - l)];
            CHECK(t, fabs(y[2 * i] - (alpha * sum + beta * old[2 * i])) < 1e-12 * (100 + fabs(sum)));
            CHECK(t, y[2 * i + 1] == old[2 * i + 1]);
        }
    }
    double was = a[3 * M + 5];
    CHECK_EQ(t, cublasDger_v2(h, M, N, &alpha, x, 1, y, 1, a, M), 0);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, a[3 * M + 5] == fma(alpha * x[5], y[3], was));
}

static void test_vectors(struct test *t)
{
    enum { N = 3001 };
    float *x = numbers(2 * N, DATA_F32, 15), *y = numbers(N, DATA_F32, 16), alpha = 3, result = -1,
          *on_device;
    double *d = numbers(N, DATA_F64, 17), norm = 0;
    double dot = 0, sum = 0, squares = 0;
    int largest = 0, smallest = 0, index = -1;
    int64_t wide = -1;
    for (int i = 0; i < N; i++) {
        dot += (double)x[2 * i] * (double)y[i];
        sum += fabs((double)y[i]);
        squares += d[i] * d[i];
        if (fabsf(y[i]) > fabsf(y[largest])) largest = i;
        if (fabsf(y[i]) < fabsf(y[smallest])) smallest = i;
    }
    CHECK_EQ(t, cublasSdot_v2(h, N, x, 2, y, 1, &result), 0);
    CHECK(t, fabs((double)result - dot) < 1e-4 * sum);
    CHECK_EQ(t, cublasSasum_v2(h, N, y, 1, &result), 0);
    CHECK(t, fabs((double)result - sum) < 1e-5 * sum);
    CHECK_EQ(t, cublasDnrm2_v2(h, N, d, 1, &norm), 0);
    CHECK(t, fabs(norm - sqrt(squares)) < 1e-12 * norm);
    for (int i = 0; i < N; i++) d[i] *= 1e200;
    CHECK_EQ(t, cublasDnrm2_v2(h, N, d, 1, &norm), 0);
    CHECK(t, fabs(norm * 1e-200 - sqrt(squares)) < 1e-12 * sqrt(squares));
    CHECK_EQ(t, cublasIsamax_v2(h, N, y, 1, &index), 0);
    CHECK_EQ(t, index, largest + 1);
    CHECK_EQ(t, cublasIsamin_v2_64(h, N, y, 1, &wide), 0);
    CHECK_EQ(t, wide, smallest + 1);
    CHECK_EQ(t, cublasIsamax_v2(h, 0, y, 1, &index), 0);
    CHECK_EQ(t, index, 0);
    CHECK_EQ(t, cudaMallocManaged((void **)&on_device, 8, 1), cudaSuccess);
    CHECK_EQ(t, cublasSetPointerMode_v2(h, 1), 0);
    CHECK_EQ(t, cublasSdot_v2(h, N, x, 2, y, 1, on_device), 0);
    on_device[1] = alpha;
    float y5 = y[5], x0 = x[0];
    CHECK_EQ(t, cublasSaxpy_v2(h, N, on_device + 1, x, -2, y, 1), 0);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK_EQ(t, cublasSetPointerMode_v2(h, 0), 0);
    CHECK(t, fabs((double)on_device[0] - dot) < 1e-4 * sum);
    CHECK(t, y[5] == fmaf(alpha, x[2 * (N - 1 - 5)], y5));
    CHECK_EQ(t, cublasSscal_v2(h, N, &alpha, x, 2), 0);
    CHECK_EQ(t, cublasSswap_v2(h, N, x, 2, y, 1), 0);
    CHECK_EQ(t, cublasScopy_v2(h, 10, x, 2, y, 1), 0);
    CHECK_EQ(t, cudaDeviceSynchronize(), cudaSuccess);
    CHECK(t, y[20] == alpha * x0 || y[20] != 0);
    CHECK(t, y[3] == x[6]);
}

static void test_handles(struct test *t)
{
    float host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, *on_device;
    int version = 0, mode = -1;
    struct cuda_stream *s, *now = NULL;
    CHECK_EQ(t, cublasGetVersion_v2(h, &version), 0);
    CHECK(t, version >= 110000);
    CHECK_EQ(t, cublasGetPointerMode_v2(h, &mode), 0);
    CHECK_EQ(t, mode, 0);
    CHECK_EQ(t, cublasSetPointerMode_v2(h, 2), BLAS_INVALID_VALUE);
    CHECK_EQ(t, cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, host, host, 1, host, 1, host, host, 1),
             BLAS_NOT_INITIALIZED);
    CHECK_EQ(t, cublasSgemm_v2(h, 0, 0, 2, 1, 1, host, host, 1, host, 1, host, host, 2), BLAS_INVALID_VALUE);
    CHECK_EQ(t, cublasStrsm_v2(), BLAS_NOT_SUPPORTED);
    CHECK_STR(t, cublasGetStatusName(BLAS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE");
    CHECK_EQ(t, cudaStreamCreate(&s), cudaSuccess);
    CHECK_EQ(t, cublasSetStream_v2(h, s), 0);
    CHECK_EQ(t, cublasGetStream_v2(h, &now), 0);
    CHECK(t, now == s);
    CHECK_EQ(t, cudaMallocManaged((void **)&on_device, sizeof host, 1), cudaSuccess);
    CHECK_EQ(t, cublasSetMatrix(2, 2, 4, host, 3, on_device, 2), 0);
    CHECK(t, on_device[0] == 1 && on_device[1] == 2 && on_device[2] == 4 && on_device[3] == 5);
    CHECK_EQ(t, cublasGetVector(3, 4, on_device, 1, back, 2), 0);
    CHECK(t, back[0] == 1 && back[2] == 2 && back[4] == 4 && back[1] == 0);
    CHECK_EQ(t, cublasSetStream_v2(h, NULL), 0);
    CHECK_EQ(t, cudaStreamDestroy(s), cudaSuccess);
}

static void test_no_memory(struct test *t)
{
    test_skip(t, "addresses from 4 GiB on are taken (a sanitizer)");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"gemm", test_gemm},
                                             {"types", test_types},
                                             {"batches", test_batches},
                                             {"transposition", test_transposition},
                                             {"matrix-vector", test_matrix_vector},
                                             {"vectors", test_vectors},
                                             {"handles", test_handles}};
    static const struct test_case nothing[] = {{"memory", test_no_memory}};
    unsetenv("WARPFOLD_RUN");
    if (cublasCreate_v2(&h) != BLAS_SUCCESS) return test_main(argc, argv, nothing, TEST_COUNT(nothing));
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
