// Routines of cuBLAS: checks, kernels and shapes of launches.
#include "cumath/blas/blas.h"

#include <stdio.h>
#include <string.h>

// -- factors ------------------------------------------------------------------------------------------------

// A factor as a kernel takes it: a value or, in device mode, its place.
struct factor {
    union {
        float f32;
        double f64;
        int i32;
    };
    const void *at;
};

static float float_of(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31, fraction = half & 1023;
    if (!exponent) return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// data: the type in the program's memory.
static struct factor factor_of(const struct cublas *h, const void *value, int data)
{
    struct factor f = {.f64 = 0, .at = h->modes[MODE_POINTERS] ? value : NULL};
    uint16_t half;
    if (f.at) return f;
    if (data == DATA_F16) {
        memcpy(&half, value, sizeof half);
        f.f32 = float_of(half);
    } else {
        memcpy(&f.f64, value, data == DATA_F64 ? sizeof f.f64 : sizeof f.f32);
    }
    return f;
}

// -- launches -----------------------------------------------------------------------------------------------

static enum blas_status status_of(enum cuda_error error)
{
    switch ((int)error) {
    case cudaSuccess: return BLAS_SUCCESS;
    case cudaErrorNoDevice: return BLAS_NOT_INITIALIZED;
    case cudaErrorNotSupported: return BLAS_NOT_SUPPORTED;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue: return BLAS_INVALID_VALUE;
    default: return BLAS_EXECUTION_FAILED;
    }
}

static enum blas_status launch(struct cublas *h, const char *kernel, const char *type, const char *ending,
                               const struct device_shape *shape, void **args)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s%s", kernel, type, ending);
    return status_of(device_launch(h->module, name, shape, h->stream, args));
}

static const char *type_of(int data) { return data == DATA_F64 ? "d" : "s"; }

static unsigned parts(int64_t n, int64_t size) { return (unsigned)((n + size - 1) / size); }

// -- products of matrices -------------------------------------------------------------------------------------

// Arguments of the kernels: struct side and struct product of kernels/libraries/cublas.cu.
struct side {
    const void *data;
    int64_t outer, inner, batch;
};
struct product {
    struct side a, b;
    void *c;
    int64_t ldc, c_batch;
    int m, n, k, by_pointers;
};

// Element (i, l): i is a row of op(A), or a column of op(B).
static struct side side_of(const void *data, int64_t ld, int64_t stride, bool is_dense)
{
    return (struct side){data, is_dense ? 1 : ld, is_dense ? ld : 1, stride};
}

static bool is_operation(int op) { return op >= BLAS_PLAIN && op <= BLAS_CONJUGATE; }

static int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

// Kernels by types and by the kind of arithmetic, a cublasComputeType_t's lowest.
static const struct gemm_kind {
    int a, c, compute, factor;
    const char *type;
} gemm_kinds[] = {
    {DATA_F32, DATA_F32, 32, DATA_F32, "s"},   {DATA_F64, DATA_F64, 64, DATA_F64, "d"},
    {DATA_F16, DATA_F16, 16, DATA_F16, "h"},   {DATA_F16, DATA_F16, 32, DATA_F32, "hh"},
    {DATA_F16, DATA_F32, 32, DATA_F32, "hs"},  {DATA_BF16, DATA_BF16, 32, DATA_F32, "bb"},
    {DATA_BF16, DATA_F32, 32, DATA_F32, "bs"}, {DATA_I8, DATA_I32, -32, DATA_I32, "i"},
};

// Bits of the arithmetic of a cublasComputeType_t, negative for integers; 0: unknown.
static int bits_of(int compute)
{
    switch (compute) {
    case 64:
    case 65: return 16;
    case 68:
    case 69:
    case 74:
    case 75:
    case 77: return 32;
    case 70:
    case 71: return 64;
    case 72:
    case 73: return -32;
    default: return 0;
    }
}

static const struct gemm_kind *kind_of(const struct blas_gemm *g)
{
    for (size_t i = 0; i < sizeof gemm_kinds / sizeof *gemm_kinds; i++) {
        const struct gemm_kind *k = &gemm_kinds[i];
        if (k->a == g->a_data && k->a == g->b_data && k->c == g->c_data && k->compute == bits_of(g->compute))
            return k;
    }
    return NULL;
}

enum blas_status blas_gemm(struct cublas *h, const struct blas_gemm *g)
{
    enum { TILE = 64, THREADS = 256 };
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!is_operation(g->op_a) || !is_operation(g->op_b) || g->m < 0 || g->n < 0 || g->k < 0 || g->batch < 0)
        return BLAS_INVALID_VALUE;
    if (g->lda < at_least_one(g->op_a ? g->k : g->m) || g->ldb < at_least_one(g->op_b ? g->n : g->k) ||
        g->ldc < at_least_one(g->m))
        return BLAS_INVALID_VALUE;
    const struct gemm_kind *kind = kind_of(g);
    if (!kind) return blas_absent("a matrix product of these types in cuBLAS");
    if (!g->m || !g->n || !g->batch) return BLAS_SUCCESS;
    if (!g->alpha || !g->beta) return BLAS_INVALID_VALUE;
    struct factor alpha = factor_of(h, g->alpha, kind->factor), beta = factor_of(h, g->beta, kind->factor);
    struct product p = {side_of(g->a, g->lda, g->a_stride, !g->op_a),
                        side_of(g->b, g->ldb, g->b_stride, g->op_b),
                        g->c,
                        g->ldc,
                        g->c_stride,
                        (int)g->m,
                        (int)g->n,
                        (int)g->k,
                        g->by_pointers};
    const struct device_shape shape = {parts(g->m, TILE), parts(g->n, TILE), (unsigned)g->batch, THREADS};
    return launch(h, "gemm", kind->type, "", &shape, (void *[]){&p, &alpha, &beta, &alpha.at, &beta.at});
}

enum blas_status blas_geam(struct cublas *h, const struct blas_gemm *g)
{
    enum { SIDE = 16 };
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!is_operation(g->op_a) || !is_operation(g->op_b) || g->m < 0 || g->n < 0 || !g->alpha || !g->beta)
        return BLAS_INVALID_VALUE;
    if (g->lda < at_least_one(g->op_a ? g->n : g->m) || g->ldb < at_least_one(g->op_b ? g->n : g->m) ||
        g->ldc < at_least_one(g->m))
        return BLAS_INVALID_VALUE;
    if (!g->m || !g->n) return BLAS_SUCCESS;
    struct factor alpha = factor_of(h, g->alpha, g->c_data), beta = factor_of(h, g->beta, g->c_data);
    struct product p = {side_of(g->a, g->lda, 0, !g->op_a),
                        side_of(g->b, g->ldb, 0, !g->op_b),
                        g->c,
                        g->ldc,
                        0,
                        (int)g->m,
                        (int)g->n,
                        0,
                        0};
    const struct device_shape shape = {parts(g->m, SIDE), parts(g->n, SIDE), 1, SIDE * SIDE};
    return launch(h, "geam", type_of(g->c_data), "", &shape,
                  (void *[]){&p, &alpha, &beta, &alpha.at, &beta.at});
}

// -- vectors ------------------------------------------------------------------------------------------------

struct vector {
    uint64_t data; // of element 0, the last in memory for a negative step
    int64_t step;
};

static struct vector vector_of(const void *x, int64_t step, int64_t n, int data)
{
    int64_t bytes = data == DATA_F64 ? 8 : 4;
    return (struct vector){(uintptr_t)x + (uint64_t)(step < 0 ? (1 - n) * step * bytes : 0), step};
}

enum { VECTOR_THREADS = 256, PARTS_MOST = 64, ROOM_OF_PARTS = PARTS_MOST * 24 };

static unsigned blocks_of(int64_t n, unsigned most)
{
    unsigned blocks = parts(n, VECTOR_THREADS);
    return blocks < most ? blocks : most;
}

// No elements: the result is 0.
static enum blas_status empty_result(const struct cublas *h, const struct blas_vectors *v)
{
    if (!v->result) return BLAS_SUCCESS;
    if (h->modes[MODE_POINTERS])
        return status_of(cuMemsetD8Async((uintptr_t)v->result, 0, v->result_bytes, h->stream));
    memset(v->result, 0, v->result_bytes);
    return BLAS_SUCCESS;
}

// Partial results, then the result: in host mode behind the parts, and copied to the host.
static enum blas_status reduce(struct cublas *h, const struct blas_vectors *v, struct vector *x,
                               struct vector *y)
{
    const char *type = type_of(v->data);
    bool to_host = !h->modes[MODE_POINTERS];
    int count = (int)blocks_of(v->n, PARTS_MOST);
    int64_t n = v->n;
    uint64_t result = to_host ? h->scratch + ROOM_OF_PARTS : (uintptr_t)v->result;
    unsigned bytes = v->is_index ? sizeof(int) : v->result_bytes; // written by the kernel
    if (v->is_index && bytes < v->result_bytes) empty_result(h, v);
    const struct device_shape all = {(unsigned)count, 1, 1, VECTOR_THREADS}, one = {1, 1, 1, PARTS_MOST};
    enum blas_status status = launch(h, v->kernel, type, "", &all, (void *[]){&n, x, y, &h->scratch});
    if (!status) status = launch(h, v->kernel, type, "_end", &one, (void *[]){&count, &h->scratch, &result});
    if (status || !to_host) return status;
    enum cuda_error error = cuMemcpyDtoHAsync_v2(v->result, result, bytes, h->stream);
    return status_of(error ? error : cuStreamSynchronize(h->stream));
}

enum blas_status blas_vectors(struct cublas *h, const struct blas_vectors *v)
{
    enum { BLOCKS_MOST = 1024 };
    if (!h) return BLAS_NOT_INITIALIZED;
    if (v->n <= 0 || (v->result && !v->y && v->x_step <= 0)) return empty_result(h, v);
    struct vector x = vector_of(v->x, v->x_step, v->n, v->data),
                  y = vector_of(v->y, v->y_step, v->n, v->data);
    if (v->result) return reduce(h, v, &x, v->y ? &y : &x);
    struct factor alpha = {.at = NULL};
    int64_t n = v->n;
    if (v->alpha) alpha = factor_of(h, v->alpha, v->data);
    void *args[5], **next = args;
    *next++ = &n;
    if (v->alpha) {
        *next++ = &alpha;
        *next++ = &alpha.at;
    }
    *next++ = &x;
    if (v->y) *next++ = &y;
    const struct device_shape shape = {blocks_of(v->n, BLOCKS_MOST), 1, 1, VECTOR_THREADS};
    return launch(h, v->kernel, type_of(v->data), "", &shape, args);
}

// -- matrix and vector --------------------------------------------------------------------------------------

enum blas_status blas_gemv(struct cublas *h, const struct blas_gemv *g)
{
    enum { ROWS = 128 };
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!is_operation(g->op) || g->m < 0 || g->n < 0 || g->lda < at_least_one(g->m) || !g->x_step ||
        !g->y_step || !g->alpha || !g->beta)
        return BLAS_INVALID_VALUE;
    if (!g->m || !g->n) return BLAS_SUCCESS;
    struct factor alpha = factor_of(h, g->alpha, g->data), beta = factor_of(h, g->beta, g->data);
    struct vector x = vector_of(g->x, g->x_step, g->op ? g->m : g->n, g->data),
                  y = vector_of(g->y, g->y_step, g->op ? g->n : g->m, g->data);
    int m = (int)g->m, n = (int)g->n;
    const void *a = g->a;
    int64_t lda = g->lda;
    const struct device_shape shape = {g->op ? (unsigned)n : parts(m, ROWS), 1, 1, ROWS};
    return launch(h, g->op ? "gemvt" : "gemv", type_of(g->data), "", &shape,
                  (void *[]){&m, &n, &alpha, &beta, &alpha.at, &beta.at, &a, &lda, &x, &y});
}

enum blas_status blas_ger(struct cublas *h, const struct blas_gemv *g, void *a)
{
    if (!h) return BLAS_NOT_INITIALIZED;
    if (g->m < 0 || g->n < 0 || g->lda < at_least_one(g->m) || !g->x_step || !g->y_step || !g->alpha)
        return BLAS_INVALID_VALUE;
    if (!g->m || !g->n) return BLAS_SUCCESS;
    struct factor alpha = factor_of(h, g->alpha, g->data);
    struct vector x = vector_of(g->x, g->x_step, g->m, g->data),
                  y = vector_of(g->y, g->y_step, g->n, g->data);
    int m = (int)g->m, n = (int)g->n;
    int64_t lda = g->lda;
    const struct device_shape shape = {parts(m, VECTOR_THREADS), (unsigned)n, 1, VECTOR_THREADS};
    return launch(h, "ger", type_of(g->data), "", &shape,
                  (void *[]){&m, &n, &alpha, &alpha.at, &x, &y, &a, &lda});
}
