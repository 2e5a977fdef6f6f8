// cuBLAS over kernels of warpfold's own (kernels/libraries/cublas.cu), which are launched in the handle's stream and timed
// like the program's. routines.def and handle.def have the library's functions. A status is a cublasStatus_t.
#pragma once
#include "cumath/device.h"

enum blas_status {
    BLAS_SUCCESS = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_ARCH_MISMATCH = 8,
    BLAS_MAPPING_ERROR = 11,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_INTERNAL_ERROR = 14,
    BLAS_NOT_SUPPORTED = 15,
    BLAS_LICENSE_ERROR = 16
};
enum blas_operation { BLAS_PLAIN, BLAS_TRANSPOSED, BLAS_CONJUGATE };
enum { BLAS_MODES = 5 };
enum blas_mode { MODE_POINTERS, MODE_ATOMICS, MODE_MATH, MODE_SMS, MODE_LOGGER }; // settings that are numbers
enum blas_data {
    DATA_F32 = 0,
    DATA_F64 = 1,
    DATA_F16 = 2,
    DATA_I8 = 3,
    DATA_I32 = 10,
    DATA_BF16 = 14
}; // cudaDataType

struct cublas {
    void *module;
    struct cuda_stream *stream;
    int modes[BLAS_MODES];
    uint64_t scratch; // device memory: parts of sums, and a result
};

enum blas_status blas_create(struct cublas **h);
enum blas_status blas_destroy(struct cublas *h);
enum blas_status blas_set_stream(struct cublas *h, struct cuda_stream *s);
enum blas_status blas_get_stream(const struct cublas *h, struct cuda_stream **s);
enum blas_status blas_set_mode(struct cublas *h, enum blas_mode mode, int value);
enum blas_status blas_get_mode(const struct cublas *h, enum blas_mode mode, int *value);
enum blas_status blas_version(int *version);
enum blas_status blas_property(int kind, int *value);
const char *blas_status_name(enum blas_status status);
enum blas_status blas_absent(const char *name);
// Rows of `bytes` bytes between host and device, the columns of two matrices.
enum blas_status blas_copy(int64_t rows, int64_t columns, int64_t bytes, const void *from, int64_t from_rows,
                           void *to, int64_t to_rows, struct cuda_stream *s, bool waits);

// C = alpha op(A) op(B) + beta C, of `batch` products. by_pointers: a, b and c are arrays of pointers in device memory.
struct blas_gemm {
    int op_a, op_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc, a_stride, b_stride, c_stride, batch;
    bool by_pointers;
    int a_data, b_data, c_data, compute; // enum blas_data; compute: cublasComputeType_t
};
enum blas_status blas_gemm(struct cublas *h, const struct blas_gemm *g);
// C = alpha op(A) + beta op(B).
enum blas_status blas_geam(struct cublas *h, const struct blas_gemm *g);

// A vector operation: `kernel` without its type ("axpy"). Strides may be negative.
struct blas_vectors {
    const char *kernel;
    int data; // DATA_F32 or DATA_F64
    int64_t n;
    const void *alpha;
    const void *x;
    int64_t x_step;
    const void *y;
    int64_t y_step;
    void *result; // of a sum or an index; NULL: x or y is the result
    unsigned result_bytes;
    bool is_index; // the kernel writes an int
};
enum blas_status blas_vectors(struct cublas *h, const struct blas_vectors *v);

struct blas_gemv {
    int data, op;
    int64_t m, n;
    const void *alpha, *beta, *a;
    int64_t lda;
    const void *x;
    int64_t x_step;
    void *y;
    int64_t y_step;
};
enum blas_status blas_gemv(struct cublas *h, const struct blas_gemv *g);
// A += alpha x y', with `a` in place of the result.
enum blas_status blas_ger(struct cublas *h, const struct blas_gemv *g, void *a);
