// Kernels of warpfold's cuBLAS (src/cumath/blas). Matrices are column-major. Sums run in the order of the inner index, a
// fused multiply and add a step; sums of vectors are trees over threads and blocks, the same for a given length.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float step(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ double step(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ int step(int a, int b, int c) { return a * b + c; }

template <typename S, typename T> __device__ S load(const T *p) { return S(*p); }
template <> __device__ float load<float, __half>(const __half *p) { return __half2float(*p); }
template <> __device__ float load<float, __nv_bfloat16>(const __nv_bfloat16 *p) { return __bfloat162float(*p); }

template <typename T, typename S> __device__ void store(T *p, S value) { *p = T(value); }
template <> __device__ void store<__half, float>(__half *p, float value) { *p = __float2half_rn(value); }
template <> __device__ void store<__nv_bfloat16, float>(__nv_bfloat16 *p, float value) { *p = __float2bfloat16_rn(value); }

// A factor: a value, or a place in device memory.
template <typename S, typename F> __device__ S factor(S value, const F *at) { return at ? load<S>(at) : value; }

// -- matrix products ----------------------------------------------------------------------------------------

// Element (i, l) of a factor is at data[i * outer + l * inner]; l runs over the inner index of the product.
struct side {
    const void *data; // of a batch by pointers: the pointers
    int64_t outer, inner, batch;
};
struct product {
    side a, b;
    void *c;
    int64_t ldc, c_batch;
    int m, n, k, by_pointers;
};

enum { TILE = 64, DEPTH = 16, PART = 4, THREADS = 256, SIDE = TILE / PART };

template <typename T> __device__ const T *of_batch(const side &s, int by_pointers)
{
    return by_pointers ? static_cast<const T *const *>(s.data)[blockIdx.z]
                       : static_cast<const T *>(s.data) + blockIdx.z * s.batch;
}

// A tile of TILE rows and DEPTH inner indices; neighbouring threads read neighbouring addresses.
template <typename S, typename T>
__device__ void fetch(S tile[DEPTH][TILE + 1], const T *data, const side &s, int first, int count, int inner, int k)
{
    for (int e = threadIdx.x; e < TILE * DEPTH; e += THREADS) {
        bool is_dense = s.outer == 1;
        int i = is_dense ? e % TILE : e / DEPTH, l = is_dense ? e / TILE : e % DEPTH;
        bool is_inside = first + i < count && inner + l < k;
        tile[l][i] = is_inside ? load<S>(data + (first + i) * s.outer + (inner + l) * s.inner) : S(0);
    }
}

// C = alpha A B + beta C by tiles of 64 x 64, 16 elements a thread. C is not read if beta is 0.
template <typename T, typename C, typename S, typename F>
__device__ void multiply(const product &p, S alpha, S beta, const F *alpha_at, const F *beta_at)
{
    __shared__ S a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
    int row = blockIdx.x * TILE, column = blockIdx.y * TILE, x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const T *a_data = of_batch<T>(p.a, p.by_pointers), *b_data = of_batch<T>(p.b, p.by_pointers);
    C *c = p.by_pointers ? static_cast<C *const *>(p.c)[blockIdx.z] : static_cast<C *>(p.c) + blockIdx.z * p.c_batch;
    S sum[PART][PART] = {};
    for (int inner = 0; inner < p.k; inner += DEPTH) {
        fetch(a, a_data, p.a, row, p.m, inner, p.k);
        fetch(b, b_data, p.b, column, p.n, inner, p.k);
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < DEPTH; l++)
#pragma unroll
            for (int i = 0; i < PART; i++)
#pragma unroll
                for (int j = 0; j < PART; j++) sum[i][j] = step(a[l][x + SIDE * i], b[l][y + SIDE * j], sum[i][j]);
        __syncthreads();
    }
    alpha = factor(alpha, alpha_at);
    beta = factor(beta, beta_at);
#pragma unroll
    for (int j = 0; j < PART; j++)
#pragma unroll
        for (int i = 0; i < PART; i++) {
            int r = row + x + SIDE * i, q = column + y + SIDE * j;
            if (r >= p.m || q >= p.n) continue;
            C *at = c + q * p.ldc + r;
            store(at, beta == S(0) ? alpha * sum[i][j] : step(alpha, sum[i][j], beta * load<S>(at)));
        }
}

#define GEMM(name, T, C, S, F)                                                                                       \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                            \
        gemm_##name(product p, S alpha, S beta, const F *alpha_at, const F *beta_at)                                 \
    {                                                                                                                \
        multiply<T, C, S, F>(p, alpha, beta, alpha_at, beta_at);                                                     \
    }
GEMM(s, float, float, float, float)
GEMM(d, double, double, double, double)
GEMM(h, __half, __half, float, __half)
GEMM(hh, __half, __half, float, float)
GEMM(hs, __half, float, float, float)
GEMM(bb, __nv_bfloat16, __nv_bfloat16, float, float)
GEMM(bs, __nv_bfloat16, float, float, float)
GEMM(i, int8_t, int, int, int)

// C = alpha A + beta B, elements as above.
template <typename S> __device__ void add(const product &p, S alpha, S beta, const S *alpha_at, const S *beta_at)
{
    int r = blockIdx.x * 16 + threadIdx.x % 16, q = blockIdx.y * 16 + threadIdx.x / 16;
    if (r >= p.m || q >= p.n) return;
    alpha = factor(alpha, alpha_at);
    beta = factor(beta, beta_at);
    S sum = 0;
    if (alpha != 0) sum = alpha * static_cast<const S *>(p.a.data)[r * p.a.outer + q * p.a.inner];
    if (beta != 0) sum = step(beta, static_cast<const S *>(p.b.data)[r * p.b.outer + q * p.b.inner], sum);
    static_cast<S *>(p.c)[q * p.ldc + r] = sum;
}

// -- vectors ------------------------------------------------------------------------------------------------

template <typename T> struct vector {
    T *data;
    int64_t step;
    __device__ T &operator[](int64_t i) const { return data[i * step]; }
};

__device__ int64_t first_index() { return blockIdx.x * int64_t(blockDim.x) + threadIdx.x; }
__device__ int64_t index_step() { return gridDim.x * int64_t(blockDim.x); }

// Sum over the block's threads, the result in thread 0.
template <typename S> __device__ S block_sum(S sum)
{
    __shared__ S part[THREADS];
    part[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    return part[0];
}

// y = alpha A x + beta y, a row a thread.
template <typename S>
__device__ void by_rows(int m, int n, S alpha, S beta, const S *alpha_at, const S *beta_at, const S *a, int64_t lda,
                        vector<const S> x, vector<S> y)
{
    int64_t i = first_index();
    if (i >= m) return;
    S sum = 0;
    for (int j = 0; j < n; j++) sum = step(a[j * lda + i], x[j], sum);
    alpha = factor(alpha, alpha_at);
    beta = factor(beta, beta_at);
    y[i] = beta == 0 ? alpha * sum : step(alpha, sum, beta * y[i]);
}

// y = alpha A' x + beta y, a column a block.
template <typename S>
__device__ void by_columns(int m, int n, S alpha, S beta, const S *alpha_at, const S *beta_at, const S *a, int64_t lda,
                           vector<const S> x, vector<S> y)
{
    int64_t j = blockIdx.x;
    S sum = 0;
    for (int i = threadIdx.x; i < m; i += blockDim.x) sum = step(a[j * lda + i], x[i], sum);
    sum = block_sum(sum);
    if (threadIdx.x) return;
    alpha = factor(alpha, alpha_at);
    beta = factor(beta, beta_at);
    y[j] = beta == 0 ? alpha * sum : step(alpha, sum, beta * y[j]);
}

// -- sums and extremes of vectors: a part a block, then one block over the parts ------------------------------

template <typename S> struct part {
    S value, second; // second: the scale of a sum of squares
    int64_t index;
};

template <typename S> struct dot {
    static __device__ part<S> join(part<S> a, part<S> b) { return {a.value + b.value, 0, 0}; }
    static __device__ part<S> with(part<S> a, S x, S y, int64_t) { return {step(x, y, a.value), 0, 0}; }
    static __device__ S end(part<S> a) { return a.value; }
};

template <typename S> struct asum : dot<S> {
    static __device__ part<S> with(part<S> a, S x, S, int64_t) { return {a.value + fabs(x), 0, 0}; }
};

// value * second^2 is the sum of squares: no overflow where the norm fits.
template <typename S> struct nrm2 {
    static __device__ part<S> join(part<S> a, part<S> b)
    {
        if (a.second < b.second) {
            part<S> t = a;
            a = b;
            b = t;
        }
        if (b.second == 0) return a;
        S ratio = b.second / a.second;
        return {step(b.value, ratio * ratio, a.value), a.second, 0};
    }
    static __device__ part<S> with(part<S> a, S x, S, int64_t)
    {
        S size = fabs(x);
        return size == 0 ? a : join(a, {1, size, 0});
    }
    static __device__ S end(part<S> a) { return a.second * sqrt(a.value); }
};

// index: from 1, 0 for none. The first of equal ones.
template <typename S, int SIGN> struct extreme {
    static __device__ part<S> join(part<S> a, part<S> b)
    {
        if (!a.index || !b.index) return a.index ? a : b;
        S x = SIGN * a.value, y = SIGN * b.value;
        return x > y || (x == y && a.index < b.index) ? a : b;
    }
    static __device__ part<S> with(part<S> a, S x, S, int64_t i) { return join(a, {S(fabs(x)), 0, i + 1}); }
    static __device__ int end(part<S> a) { return int(a.index); }
};

template <typename S, typename K> __device__ part<S> block_join(part<S> p)
{
    __shared__ part<S> parts[THREADS];
    parts[threadIdx.x] = p;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) parts[threadIdx.x] = K::join(parts[threadIdx.x], parts[threadIdx.x + half]);
    }
    return parts[0];
}

template <typename S, typename K> __device__ void reduce(int64_t n, vector<const S> x, vector<const S> y, part<S> *out)
{
    part<S> p = {0, 0, 0};
    for (int64_t i = first_index(); i < n; i += index_step()) p = K::with(p, x[i], y[i], i);
    p = block_join<S, K>(p);
    if (!threadIdx.x) out[blockIdx.x] = p;
}

template <typename S, typename K, typename R> __device__ void finish(int count, const part<S> *parts, R *result)
{
    part<S> p = {0, 0, 0};
    if (threadIdx.x < count) p = parts[threadIdx.x];
    p = block_join<S, K>(p);
    if (!threadIdx.x) *result = K::end(p);
}

#define REDUCTION(name, S, K, R)                                                                                     \
    extern "C" __global__ void name(int64_t n, vector<const S> x, vector<const S> y, part<S> *parts)                 \
    {                                                                                                                \
        reduce<S, K>(n, x, y, parts);                                                                                \
    }                                                                                                                \
    extern "C" __global__ void name##_end(int count, const part<S> *parts, R *result)                                \
    {                                                                                                                \
        finish<S, K, R>(count, parts, result);                                                                       \
    }

#define COMMA ,
#define REAL(t, S)                                                                                                   \
    extern "C" __global__ void geam_##t(product p, S alpha, S beta, const S *alpha_at, const S *beta_at)             \
    {                                                                                                                \
        add(p, alpha, beta, alpha_at, beta_at);                                                                      \
    }                                                                                                                \
    extern "C" __global__ void gemv_##t(int m, int n, S alpha, S beta, const S *alpha_at, const S *beta_at,          \
                                        const S *a, int64_t lda, vector<const S> x, vector<S> y)                     \
    {                                                                                                                \
        by_rows(m, n, alpha, beta, alpha_at, beta_at, a, lda, x, y);                                                 \
    }                                                                                                                \
    extern "C" __global__ void gemvt_##t(int m, int n, S alpha, S beta, const S *alpha_at, const S *beta_at,         \
                                         const S *a, int64_t lda, vector<const S> x, vector<S> y)                    \
    {                                                                                                                \
        by_columns(m, n, alpha, beta, alpha_at, beta_at, a, lda, x, y);                                              \
    }                                                                                                                \
    extern "C" __global__ void ger_##t(int m, int n, S alpha, const S *alpha_at, vector<const S> x,                  \
                                       vector<const S> y, S *a, int64_t lda)                                         \
    {                                                                                                                \
        int64_t i = first_index();                                                                                   \
        S *at = a + blockIdx.y * lda + i;                                                                            \
        if (i < m) *at = step(factor(alpha, alpha_at) * x[i], y[blockIdx.y], *at);                                   \
    }                                                                                                                \
    extern "C" __global__ void axpy_##t(int64_t n, S alpha, const S *alpha_at, vector<const S> x, vector<S> y)       \
    {                                                                                                                \
        alpha = factor(alpha, alpha_at);                                                                             \
        for (int64_t i = first_index(); i < n; i += index_step()) y[i] = step(alpha, x[i], y[i]);                    \
    }                                                                                                                \
    extern "C" __global__ void scal_##t(int64_t n, S alpha, const S *alpha_at, vector<S> x)                          \
    {                                                                                                                \
        alpha = factor(alpha, alpha_at);                                                                             \
        for (int64_t i = first_index(); i < n; i += index_step()) x[i] *= alpha;                                     \
    }                                                                                                                \
    extern "C" __global__ void copy_##t(int64_t n, vector<const S> x, vector<S> y)                                   \
    {                                                                                                                \
        for (int64_t i = first_index(); i < n; i += index_step()) y[i] = x[i];                                       \
    }                                                                                                                \
    extern "C" __global__ void swap_##t(int64_t n, vector<S> x, vector<S> y)                                         \
    {                                                                                                                \
        for (int64_t i = first_index(); i < n; i += index_step()) {                                                  \
            S value = x[i];                                                                                          \
            x[i] = y[i];                                                                                             \
            y[i] = value;                                                                                            \
        }                                                                                                            \
    }                                                                                                                \
    REDUCTION(dot_##t, S, dot<S>, S)                                                                                 \
    REDUCTION(asum_##t, S, asum<S>, S)                                                                               \
    REDUCTION(nrm2_##t, S, nrm2<S>, S)                                                                               \
    REDUCTION(amax_##t, S, extreme<S COMMA 1>, int)                                                                  \
    REDUCTION(amin_##t, S, extreme<S COMMA -1>, int)
REAL(s, float)
REAL(d, double)
