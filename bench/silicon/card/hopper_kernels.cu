// Checks and times the kernels of kernels/hopper on a card with compute capability 9.0.
//
//     hopper_kernels [--list | --once] [PART...]
//
// A part is one kernel with all its shapes. Each result is compared with that of a plain kernel (f32 or int32 sums):
// rows "KERNEL SHAPE: error" hold the Frobenius norm of the difference over that of the expected values, bounded by
// what the type allows. Rows "KERNEL SHAPE: time" and "cold time" hold event times in microseconds of 15 launches, the
// latter with other data in L2. `--once`
// launches each kernel and shape once, unchecked, for a profiler, and prints them in that order. Outputs start as
// bytes 0xff (not a number). A failed check prints where wrong elements lie; a wait without end prints its barrier.
#include "card.cuh"

#include <cuda_fp8.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string>

// A barrier whose wait has failed too often leaves a record of four words a warp for 16 blocks: block, thread,
// barrier's address, parity + 1.
__device__ uint32_t *stuck_record;
#define HOPPER_STUCK                                                                                         \
    "{\n"                                                                                                    \
    ".reg .u64 record, place;\n"                                                                             \
    ".reg .u32 thread, block, slot, warp, next;\n"                                                           \
    "ld.global.u64 record, [stuck_record];\n"                                                                \
    "mov.u32 thread, %%tid.x;\n"                                                                             \
    "mov.u32 block, %%ctaid.x;\n"                                                                            \
    "and.b32 slot, block, 15;\n"                                                                             \
    "shr.u32 warp, thread, 5;\n"                                                                             \
    "mad.lo.u32 slot, slot, 16, warp;\n"                                                                     \
    "mad.wide.u32 place, slot, 16, record;\n"                                                                \
    "add.u32 next, %1, 1;\n"                                                                                 \
    "st.volatile.global.v4.u32 [place], {block, thread, %0, next};\n"                                        \
    "fence.acq_rel.sys;\n"                                                                                   \
    "nanosleep.u32 1000000;\n"                                                                               \
    "}\n"                                                                                                    \
    "trap;\n"

#include "../../../kernels/hopper/attention.cu"
#include "../../../kernels/hopper/bulkCopy.cu"
#include "../../../kernels/hopper/clusterHistogram.cu"
#include "../../../kernels/hopper/clusterSoftmax.cu"
#include "../../../kernels/hopper/clusterSum.cu"
#include "../../../kernels/hopper/gemmPersistent.cu"
#include "../../../kernels/hopper/gemmSimple.cu"
#include "../../../kernels/hopper/gemmStreamK.cu"
#include "../../../kernels/hopper/transposeTma.cu"

constexpr int timed_launches = 15, stuck_slots = 256;

// ---- Launches ----

// Keeps the card busy while the host queues launches: two million cycles.
__global__ void delay()
{
    long long start = card_clock();
    while (card_clock() - start < 2000000) {
    }
}

// SM cycles and nanoseconds of about 400,000 cycles.
__global__ void clock_rate(long long *cycles_and_ns)
{
    unsigned long long before, after;
    long long start = card_clock();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before)::"memory");
    while (card_clock() - start < 400000) {
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after)::"memory");
    cycles_and_ns[0] = card_clock() - start;
    cycles_and_ns[1] = (long long)(after - before);
}

// Fills L2 with clean lines of `other`, four times the size of L2.
__global__ void read_other(const int4 *other, size_t count, int *never)
{
    int seen = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        seen |= __ldcg(other + i).x;
    if (seen) *never = seen;
}

// Memory of the bench itself.
struct scratch {
    int4 *other; // zeros
    size_t count;
    int *never;
    long long *rate;
};

static scratch make_scratch()
{
    scratch s;
    s.count = (size_t)200 << 16;
    s.other = card_memory<int4>(s.count);
    s.never = card_memory<int>(1);
    s.rate = card_memory<long long>(2);
    return s;
}

// What a part is run with: the mode, the kernel's name, and what has failed so far.
struct bench {
    bool once;
    const char *kernel;
    uint32_t *stuck; // the card writes
    scratch memory;
    bool failed, diagnosed;
};

static void print_stuck(const bench &b)
{
    for (int i = 0; i < stuck_slots; i++) {
        const uint32_t *r = b.stuck + 4 * i;
        if (r[3])
            std::fprintf(stderr, "  block %u, thread %u: barrier at shared address %u, parity %u\n", r[0],
                         r[1], r[2], r[3] - 1);
    }
}

// Waits for the card. A kernel that fails ends the program.
static void finish(const bench &b, const char *shape)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s %s: %s\n", b.kernel, shape, cudaGetErrorString(error));
    print_stuck(b);
    std::exit(1);
}

// Microseconds of launches, each between two events; `cold`: L2 holds other data before each launch. *mhz: the SM's
// clock behind the launches, higher than during long products (an H100 gives way to its power limit).
static std::vector<double> time_launches(const scratch &memory, const std::function<void()> &launch,
                                         bool cold, double *mhz)
{
    std::vector<cudaEvent_t> events(2 * timed_launches);
    std::vector<double> times;
    for (auto &e : events) CARD_TRY(cudaEventCreate(&e));
    launch();
    delay<<<1, 1>>>();
    for (int i = 0; i < timed_launches; i++) {
        if (cold) read_other<<<1024, 256>>>(memory.other, memory.count, memory.never);
        CARD_TRY(cudaEventRecord(events[2 * i]));
        launch();
        CARD_TRY(cudaEventRecord(events[2 * i + 1]));
    }
    clock_rate<<<1, 1>>>(memory.rate);
    CARD_TRY(cudaDeviceSynchronize());
    for (int i = 0; i < timed_launches; i++) {
        float milliseconds;
        CARD_TRY(cudaEventElapsedTime(&milliseconds, events[2 * i], events[2 * i + 1]));
        times.push_back(milliseconds * 1e3);
    }
    long long counted[2];
    CARD_TRY(cudaMemcpy(counted, memory.rate, sizeof counted, cudaMemcpyDeviceToHost));
    *mhz = (double)counted[0] * 1000 / (double)counted[1];
    for (auto &e : events) CARD_TRY(cudaEventDestroy(e));
    return times;
}

// A row of times. `work`: operations or bytes of a launch; `unit`: 10^12 of them in a second.
static void time_row(const scratch &memory, const std::string &name, const std::function<void()> &launch,
                     bool cold, double work, const char *unit)
{
    double mhz;
    char note[160];
    std::vector<double> times = time_launches(memory, launch, cold, &mhz);
    std::sort(times.begin(), times.end());
    std::snprintf(note, sizeof note, "%.4g %s; SM clock %.0f MHz behind the launches; %s",
                  work / times[times.size() / 2] * 1e-6, unit, mhz,
                  cold ? "L2 holds other data" : "L2 as the launch before left it");
    card_row((name + (cold ? ": cold time" : ": time")).c_str(), "us", times, note);
}

// One kernel and shape: launched, checked by `check` (which returns the error) against `bound`, timed.
static void run_shape(bench &b, const std::string &shape, double bound, double work, const char *unit,
                      const std::function<void()> &launch, const std::function<double()> &check)
{
    if (b.once) {
        std::printf("%s %s\n", b.kernel, shape.c_str());
        std::fflush(stdout);
        launch();
        finish(b, shape.c_str());
        return;
    }
    std::string name = std::string(b.kernel) + " " + shape;
    launch();
    finish(b, shape.c_str());
    std::vector<double> error = {check()};
    card_row((name + ": error").c_str(), "relative", error, error[0] <= bound ? "" : "WRONG");
    if (!(error[0] <= bound)) {
        std::fprintf(stderr, "%s: error %g, bound %g\n", name.c_str(), error[0], bound);
        b.failed = true;
    }
    time_row(b.memory, name, launch, false, work, unit);
    time_row(b.memory, name, launch, true, work, unit);
    finish(b, shape.c_str());
}

template <typename Kernel> void allow_shared(Kernel kernel, int bytes)
{
    CARD_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// ---- Data ----

static __host__ __device__ uint32_t scramble(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// Values in (-range, range).
static __device__ void random_value(__half &to, uint32_t bits, float range)
{
    to = __float2half_rn(((int)bits >> 8) * range / (1 << 23));
}
static __device__ void random_value(__nv_fp8_e4m3 &to, uint32_t bits, float range)
{
    to = __nv_fp8_e4m3(((int)bits >> 8) * range / (1 << 23));
}
static __device__ void random_value(int8_t &to, uint32_t bits, float) { to = (int8_t)(bits >> 24); }
static __device__ void random_value(int &to, uint32_t bits, float) { to = (int)(bits >> 12) - (1 << 19); }
// No bits below those of tf32.
static __device__ void random_value(float &to, uint32_t bits, float range)
{
    to = __uint_as_float(__float_as_uint(((int)bits >> 8) * range / (1 << 23)) & ~0x1fffu);
}

template <typename T> __global__ void fill_random(T *to, size_t count, uint32_t seed, float range)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        random_value(to[i], scramble((uint32_t)i * 2654435761u + seed), range);
}

// Memory of the card: random or poisoned.
template <typename T> struct array {
    T *data;
    size_t count;
    explicit array(size_t n) : count(n)
    {
        CARD_TRY(cudaMalloc(&data, n * sizeof(T)));
        poison();
    }
    array(size_t n, uint32_t seed, float range) : array(n)
    {
        fill_random<<<1024, 256>>>(data, n, seed, range);
        CARD_WAIT();
    }
    array(const array &) = delete;
    ~array() { cudaFree(data); }
    void poison() { CARD_TRY(cudaMemset(data, 0xff, count * sizeof(T))); }
    std::vector<T> host() const
    {
        std::vector<T> copy(count);
        CARD_TRY(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
};

// A descriptor for boxes of a tensor, dimension 0 innermost; `strides` in bytes from dimension 1 on.
static tensor_map describe(CUtensorMapDataType type, void *data, std::vector<cuuint64_t> sizes,
                           std::vector<cuuint64_t> strides, std::vector<cuuint32_t> box)
{
    CUtensorMap map;
    tensor_map result;
    cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    CUresult status =
        cuTensorMapEncodeTiled(&map, type, (cuuint32_t)sizes.size(), data, sizes.data(), strides.data(),
                               box.data(), steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) {
        std::fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", (int)status);
        std::exit(1);
    }
    static_assert(sizeof result == sizeof map, "size of a descriptor");
    std::memcpy(&result, &map, sizeof result);
    return result;
}

// A matrix whose rows lie one after the other, in boxes of 128 bytes by `rows`.
template <typename T>
tensor_map describe_matrix(CUtensorMapDataType type, const array<T> &data, size_t height, size_t width,
                           int rows)
{
    return describe(type, data.data, {width, height}, {width * sizeof(T)},
                    {128 / (uint32_t)sizeof(T), (uint32_t)rows});
}

// ---- Comparison ----

template <typename T> __host__ __device__ double number(T x) { return (double)x; }
template <> __host__ __device__ double number(__half x) { return (double)__half2float(x); }

// Sums over all elements: squares of the differences, of the expected and of the found values, products of the two,
// and the number of elements that are no number.
struct comparison {
    double difference, expected, found, product, nan;
};

template <typename T, typename S>
__global__ void compare(const T *found, const S *expected, size_t count, comparison *total)
{
    double sums[5] = {};
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        double f = number(found[i]), e = number(expected[i]);
        if (f != f) {
            sums[4]++;
            f = 0;
        }
        sums[0] += (f - e) * (f - e);
        sums[1] += e * e;
        sums[2] += f * f;
        sums[3] += f * e;
    }
    for (int s = 0; s < 5; s++) {
        for (int step = 16; step > 0; step /= 2) sums[s] += __shfl_xor_sync(0xffffffff, sums[s], step);
        if (threadIdx.x % 32 == 0) atomicAdd((double *)total + s, sums[s]);
    }
}

static void print_counts(const char *what, const std::vector<size_t> &counts)
{
    std::fprintf(stderr, "  wrong by %s:", what);
    for (size_t c : counts) std::fprintf(stderr, " %zu", c);
    std::fprintf(stderr, "\n");
}

// For a wrong element: an element of its row or column, inside its tile of 256, whose expected value was found here.
template <typename S>
void print_origin(const std::vector<S> &expected, double value, size_t row, size_t column, size_t rows,
                  size_t columns)
{
    auto near = [&](size_t r, size_t c) {
        return std::fabs(number(expected[r * columns + c]) - value) <= 1e-3 * std::fabs(value);
    };
    for (size_t c = column & ~(size_t)255; c < std::min(columns, (column | 255) + 1); c++)
        if (near(row, c)) std::fprintf(stderr, " [is expected at column %zu]", c);
    for (size_t r = row & ~(size_t)255; r < std::min(rows, (row | 255) + 1); r++)
        if (near(r, column)) std::fprintf(stderr, " [is expected at row %zu]", r);
}

// Where wrong elements lie: the first of them, and counts by their place in tiles.
template <typename T, typename S>
void diagnose(const array<T> &found_array, const array<S> &expected_array, size_t columns, double rms)
{
    std::vector<T> found = found_array.host();
    std::vector<S> expected = expected_array.host();
    size_t rows = found.size() / columns, wrong = 0, poisoned = 0;
    std::vector<size_t> by_row8(8), by_row(16), by_column8(8), by_column(32), by_tile(64);
    for (size_t i = 0; i < found.size(); i++) {
        double f = number(found[i]), e = number(expected[i]);
        if (std::fabs(f - e) <= 0.02 * rms + 0.02 * std::fabs(e)) continue;
        size_t row = i / columns, column = i % columns;
        unsigned char poison[sizeof(T)];
        std::memset(poison, 0xff, sizeof poison);
        poisoned += !std::memcmp(poison, &found[i], sizeof poison);
        by_row8[row % 8]++, by_row[row / 8 % 16]++, by_column8[column % 8]++, by_column[column / 8 % 32]++;
        by_tile[std::min<size_t>(row / 128, 7) * 8 + std::min<size_t>(column / 128, 7)]++;
        if (wrong++ < 12) {
            std::fprintf(stderr, "  (%zu, %zu): expected %g, found %g", row, column, e, f);
            print_origin(expected, f, row, column, rows, columns);
            std::fprintf(stderr, "\n");
        }
    }
    std::fprintf(stderr, "  wrong: %zu of %zu, of them never written: %zu\n", wrong, found.size(), poisoned);
    print_counts("row mod 8", by_row8);
    print_counts("group of 8 rows in 128", by_row);
    print_counts("column mod 8", by_column8);
    print_counts("group of 8 columns in 256", by_column);
    print_counts("tile of 128 x 128 (8 x 8)", by_tile);
}

// The relative error. The first time that it is over `bound`, prints what is wrong.
template <typename T, typename S>
double error_of(bench &b, const array<T> &found, const array<S> &expected, size_t columns, double bound)
{
    array<comparison> total(1);
    comparison c;
    CARD_TRY(cudaMemset(total.data, 0, sizeof c));
    compare<<<512, 256>>>(found.data, expected.data, found.count, total.data);
    CARD_WAIT();
    c = total.host()[0];
    double error = c.nan > 0 ? NAN : std::sqrt(c.difference / c.expected);
    if (!(error <= bound) && !b.diagnosed) {
        b.diagnosed = true;
        std::fprintf(stderr, "%s: error %g, correlation %g, gain %g, not a number: %.0f\n", b.kernel, error,
                     c.product / std::sqrt(c.expected * c.found), c.product / c.expected, c.nan);
        diagnose(found, expected, columns, std::sqrt(c.expected / (double)found.count));
    }
    return error;
}

// ---- Products ----

static __device__ float plain_factor(__half x) { return __half2float(x); }
static __device__ float plain_factor(__nv_fp8_e4m3 x) { return (float)x; }
static __device__ float plain_factor(float x) { return x; }
static __device__ int plain_factor(int8_t x) { return x; }

// C = A B^T by 64 x 64 tiles, 4 x 4 elements a thread of 16 x 16; sizes are multiples of 64.
template <typename T, typename S> __global__ void plain_gemm(const T *a, const T *b, S *c, int n, int k)
{
    __shared__ S rows[16][65], columns[16][65];
    int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    S sums[4][4] = {};
    for (int at = 0; at < k; at += 16) {
        for (int i = thread; i < 64 * 16; i += 256) {
            rows[i % 16][i / 16] = plain_factor(a[(size_t)(blockIdx.y * 64 + i / 16) * k + at + i % 16]);
            columns[i % 16][i / 16] = plain_factor(b[(size_t)(blockIdx.x * 64 + i / 16) * k + at + i % 16]);
        }
        __syncthreads();
        for (int i = 0; i < 16; i++)
            for (int r = 0; r < 4; r++)
                for (int s = 0; s < 4; s++) sums[r][s] += rows[i][y + 16 * r] * columns[i][x + 16 * s];
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
            c[(size_t)(blockIdx.y * 64 + y + 16 * r) * n + blockIdx.x * 64 + x + 16 * s] = sums[r][s];
}

// All sizes of one product. `launch` gets A, B, C and the size.
template <typename T, typename S, typename O, typename Launch>
void run_products(bench &b, double bound, Launch launch)
{
    for (int size : {512, 1024, 2048, 4096, 8192}) {
        size_t count = (size_t)size * size;
        array<T> left(count, 1, 1), right(count, 2, 1);
        array<O> out(count);
        auto go = launch(left, right, out, size);
        run_shape(b, std::to_string(size), bound, 2.0 * size * size * size, "T operations/s", go, [&] {
            array<S> expected(count);
            plain_gemm<<<dim3(size / 64, size / 64), dim3(16, 16)>>>(left.data, right.data, expected.data,
                                                                     size, size);
            CARD_WAIT();
            return error_of(b, out, expected, (size_t)size, bound);
        });
    }
}

static void run_gemm_simple(bench &b)
{
    allow_shared(gemm_simple, simple_shared);
    run_products<__half, float, __half>(
        b, 1e-3, [](array<__half> &left, array<__half> &right, array<__half> &out, int n) {
            tensor_map a = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, left, n, n, 128);
            tensor_map m = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, right, n, n, 128);
            __half *c = out.data;
            return [=] { gemm_simple<<<dim3(n / 128, n / 128), 288, simple_shared>>>(a, m, c, n, n); };
        });
}

static int multiprocessors()
{
    int count;
    CARD_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static void run_gemm_stream_k(bench &b)
{
    int blocks = multiprocessors();
    allow_shared(gemm_stream_k, stream_shared);
    array<float> partial((size_t)blocks * 128 * 128);
    array<int> flags((size_t)blocks * 2);
    CARD_TRY(cudaMemset(flags.data, 0, flags.count * sizeof(int)));
    float *sums = partial.data;
    int *raised = flags.data;
    run_products<__half, float, __half>(
        b, 1e-3, [=](array<__half> &left, array<__half> &right, array<__half> &out, int n) {
            tensor_map a = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, left, n, n, 128);
            tensor_map m = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, right, n, n, 128);
            __half *c = out.data;
            return [=] { gemm_stream_k<<<blocks, 288, stream_shared>>>(a, m, c, sums, raised, n, n, n); };
        });
}

template <typename T, typename S, typename O, typename Kernel>
void run_persistent(bench &b, Kernel kernel, CUtensorMapDataType in, CUtensorMapDataType to, double bound)
{
    allow_shared(kernel, persistent_shared);
    int most = multiprocessors() / 2;
    run_products<T, S, O>(b, bound, [=](array<T> &left, array<T> &right, array<O> &out, int n) {
        tensor_map a = describe_matrix(in, left, n, n, 128), m = describe_matrix(in, right, n, n, 128);
        tensor_map c = describe_matrix(to, out, n, n, 64);
        int blocks = 2 * std::min(most, (n / 256) * (n / 256));
        return [=] { kernel<<<blocks, 384, persistent_shared>>>(a, m, c, n, n, n); };
    });
}

static void run_gemm_f16(bench &b)
{
    run_persistent<__half, float, __half>(b, gemm_f16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                          CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 1e-3);
}

// Sums of e4m3 products keep about 13 bits on this card.
static void run_gemm_e4m3(bench &b)
{
    run_persistent<__nv_fp8_e4m3, float, __half>(b, gemm_e4m3, CU_TENSOR_MAP_DATA_TYPE_UINT8,
                                                 CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3e-2);
}

static void run_gemm_s8(bench &b)
{
    run_persistent<int8_t, int, int>(b, gemm_s8, CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_INT32,
                                     0);
}

static void run_gemm_tf32(bench &b)
{
    run_persistent<float, float, float>(b, gemm_tf32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                        CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1e-3);
}

// ---- Attention ----

// One row of one head a block of 128 threads: all scores in shared memory, then weights, then the sum over V.
template <int D>
__global__ void plain_attention(const __half *q, const __half *k, const __half *v, float *o, int tokens,
                                bool causal)
{
    __shared__ float scores[2048], query[D], parts[128];
    int row = blockIdx.x, heads = gridDim.y, thread = threadIdx.x, last = causal ? row + 1 : tokens;
    size_t stride = (size_t)heads * D, head = (size_t)blockIdx.z * tokens * stride + (size_t)blockIdx.y * D;
    if (thread < D) query[thread] = __half2float(q[head + row * stride + thread]);
    __syncthreads();
    float greatest = -INFINITY, sum = 0;
    for (int t = thread; t < last; t += 128) {
        const __half2 *key = (const __half2 *)(k + head + t * stride);
        float dot = 0;
        for (int i = 0; i < D / 2; i++) {
            float2 pair = __half22float2(key[i]);
            dot += pair.x * query[2 * i] + pair.y * query[2 * i + 1];
        }
        scores[t] = dot * rsqrtf((float)D);
        greatest = fmaxf(greatest, scores[t]);
    }
    parts[thread] = greatest;
    __syncthreads();
    for (int i = 0; i < 128; i++) greatest = fmaxf(greatest, parts[i]);
    __syncthreads();
    for (int t = thread; t < last; t += 128) sum += scores[t] = expf(scores[t] - greatest);
    parts[thread] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 128; i++) sum += parts[i];
    __syncthreads();
    float part = 0;
    for (int t = thread / D; t < last; t += 128 / D)
        part += scores[t] * __half2float(v[head + t * stride + thread % D]);
    parts[thread] = part;
    __syncthreads();
    for (int i = thread + D; i < 128; i += D) part += parts[i];
    if (thread < D) o[head + row * stride + thread] = part / sum;
}

template <int D, typename Kernel>
void run_attention_shape(bench &b, Kernel kernel, bool causal, int batch, int tokens, int heads)
{
    constexpr int shared = attention_shared<D>;
    const double bound = 2e-3;
    typedef cuuint64_t size;
    size_t count = (size_t)batch * tokens * heads * D;
    array<__half> q(count, 1, 2), k(count, 2, 2), v(count, 3, 2), o(count);
    size line = (size)heads * D * 2;
    auto map = [&](array<__half> &data, uint32_t rows) {
        return describe(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, data.data,
                        {(size)D, (size)tokens, (size)heads, (size)batch},
                        {line, (size)D * 2, line * (size)tokens}, {64, rows, 1, 1});
    };
    tensor_map maps[4] = {map(q, 128), map(k, 128), map(v, 128), map(o, 64)};
    float unit = (float)(1.4426950408889634 / std::sqrt((double)D));
    char shape[80];
    std::snprintf(shape, sizeof shape, "B%d S%d H%d D%d %s", batch, tokens, heads, D,
                  causal ? "causal" : "full");
    run_shape(
        b, shape, bound, 4.0 * batch * heads * D * tokens * tokens / (causal ? 2 : 1), "T operations/s",
        [=] {
            kernel<<<dim3(tokens / 128, heads, batch), 384, shared>>>(maps[0], maps[1], maps[2], maps[3],
                                                                      unit);
        },
        [&] {
            array<float> expected(count);
            plain_attention<D>
                <<<dim3(tokens, heads, batch), 128>>>(q.data, k.data, v.data, expected.data, tokens, causal);
            CARD_WAIT();
            return error_of(b, o, expected, (size_t)heads * D, bound);
        });
}

template <typename Kernel> void run_attention_128_shapes(bench &b, Kernel kernel, bool causal)
{
    allow_shared(kernel, attention_shared<128>);
    run_attention_shape<128>(b, kernel, causal, 1, 128, 1);
    run_attention_shape<128>(b, kernel, causal, 1, 512, 4);
    run_attention_shape<128>(b, kernel, causal, 16, 512, 16);
    run_attention_shape<128>(b, kernel, causal, 4, 2048, 16);
    run_attention_shape<128>(b, kernel, causal, 64, 512, 16);
}

template <typename Kernel> void run_attention_64_shapes(bench &b, Kernel kernel, bool causal)
{
    allow_shared(kernel, attention_shared<64>);
    run_attention_shape<64>(b, kernel, causal, 1, 128, 1);
    run_attention_shape<64>(b, kernel, causal, 1, 512, 4);
    run_attention_shape<64>(b, kernel, causal, 16, 512, 32);
    run_attention_shape<64>(b, kernel, causal, 64, 512, 32);
}

static void run_attention_128(bench &b) { run_attention_128_shapes(b, attention_128, false); }
static void run_attention_128_causal(bench &b) { run_attention_128_shapes(b, attention_128_causal, true); }
static void run_attention_64(bench &b) { run_attention_64_shapes(b, attention_64, false); }
static void run_attention_64_causal(bench &b) { run_attention_64_shapes(b, attention_64_causal, true); }

// ---- Copies and sums ----

__global__ void plain_transpose(const float *in, float *out, size_t width, size_t height)
{
    size_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[x * height + y] = in[y * width + x];
}

static void run_transpose(bench &b)
{
    allow_shared(transpose_tma, transpose_shared);
    for (int size : {512, 2048, 8192}) {
        size_t width = (size_t)size, height = (size_t)size / 2, count = width * height;
        array<float> in(count, 1, 1), out(count);
        tensor_map from = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, height, width, 128);
        tensor_map to = describe_matrix(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out, width, height, 32);
        std::string shape = std::to_string(height) + "x" + std::to_string(width);
        run_shape(
            b, shape, 0, 8.0 * (double)count, "TB/s",
            [=] { transpose_tma<<<dim3(size / 32, size / 256), 128, transpose_shared>>>(from, to); },
            [&] {
                array<float> expected(count);
                plain_transpose<<<dim3(size / 16, size / 32), dim3(16, 16)>>>(in.data, expected.data, width,
                                                                              height);
                CARD_WAIT();
                return error_of(b, out, expected, height, 0);
            });
    }
}

static void run_bulk_copy(bench &b)
{
    allow_shared(bulk_copy, bulk_shared);
    int blocks = 3 * multiprocessors();
    for (int pieces : {67, 1024, 16384}) {
        size_t count = (size_t)pieces * (bulk_piece / sizeof(int));
        array<int> in(count, 1, 1), out(count);
        const char *from = (const char *)in.data;
        char *to = (char *)out.data;
        run_shape(
            b, std::to_string(pieces * (bulk_piece / 1024)) + " KiB", 0, 8.0 * (double)count, "TB/s",
            [=] { bulk_copy<<<std::min(blocks, pieces), 32, bulk_shared>>>(from, to, pieces); },
            [&] { return error_of(b, out, in, bulk_piece / sizeof(int), 0); });
    }
}

template <typename T> __global__ void plain_sums(const T *in, T *out, size_t count)
{
    double sum = 0;
    for (size_t i = threadIdx.x; i < count; i += 32) sum += (double)in[blockIdx.x * count + i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
    if (threadIdx.x == 0) out[blockIdx.x] = (T)sum;
}

template <typename T, typename Kernel> void run_sums(bench &b, Kernel kernel, double bound)
{
    const int share = 8192;
    for (int sums : {4, 64, 1024}) {
        size_t each = (size_t)share * cluster_sum_blocks;
        array<T> in(each * sums, 1, 1), out(sums);
        const T *from = in.data;
        T *to = out.data;
        run_shape(
            b, std::to_string(sums) + "x" + std::to_string(each), bound, (double)in.count * sizeof(T), "TB/s",
            [=] { kernel<<<sums * cluster_sum_blocks, 256>>>(from, to, share); },
            [&] {
                array<T> expected(sums);
                plain_sums<<<sums, 32>>>(in.data, expected.data, each);
                CARD_WAIT();
                return error_of(b, out, expected, 1, bound);
            });
    }
}

static void run_cluster_sum(bench &b) { run_sums<float>(b, cluster_sum, 1e-4); }
static void run_cluster_sum_async(bench &b) { run_sums<float>(b, cluster_sum_async, 1e-4); }
static void run_cluster_sum_add(bench &b) { run_sums<int>(b, cluster_sum_add, 0); }

// A row a block of 256 threads.
__global__ void plain_softmax(const float *in, float *out, int columns)
{
    __shared__ double parts[256];
    const float *from = in + (size_t)blockIdx.x * columns;
    double sum = 0;
    for (int i = threadIdx.x; i < columns; i += 256) sum += exp((double)from[i]);
    parts[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 256; i++) sum += parts[i];
    for (int i = threadIdx.x; i < columns; i += 256)
        out[(size_t)blockIdx.x * columns + i] = (float)(exp((double)from[i]) / sum);
}

static void run_cluster_softmax(bench &b)
{
    const double bound = 1e-5;
    allow_shared(cluster_softmax, 128 * 1024);
    for (auto [rows, columns] : {std::pair(8, 8192), std::pair(64, 65536), std::pair(256, 262144)}) {
        int height = rows, width = columns;
        array<float> in((size_t)height * width, 1, 8), out(in.count);
        const float *from = in.data;
        float *to = out.data;
        run_shape(
            b, std::to_string(height) + "x" + std::to_string(width), bound, 8.0 * (double)in.count, "TB/s",
            [=] { cluster_softmax<<<height * 8, 256, width / 2>>>(from, to, width); },
            [&] {
                array<float> expected(in.count);
                plain_softmax<<<height, 256>>>(in.data, expected.data, width);
                CARD_WAIT();
                return error_of(b, out, expected, (size_t)width, bound);
            });
    }
}

__global__ void plain_histogram(const uint32_t *in, uint32_t *bins, size_t each)
{
    for (size_t i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(bins + blockIdx.x * 8192 + in[blockIdx.x * each + i] % 8192, 1);
}

static void run_cluster_histogram(bench &b)
{
    for (auto [clusters, each] : {std::pair(4, 32768), std::pair(16, 65536), std::pair(16, 1 << 20)}) {
        int histograms = clusters, values = each;
        array<int> in((size_t)histograms * values, 1, 1);
        array<uint32_t> out((size_t)histograms * 8192);
        const uint32_t *from = (const uint32_t *)in.data;
        uint32_t *to = out.data;
        run_shape(
            b, std::to_string(histograms) + "x" + std::to_string(values), 0, (double)in.count, "T values/s",
            [=] { cluster_histogram<<<histograms * 8, 256>>>(from, to, values / 8); },
            [&] {
                array<uint32_t> expected(out.count);
                CARD_TRY(cudaMemset(expected.data, 0, out.count * sizeof(uint32_t)));
                plain_histogram<<<histograms, 1024>>>(from, expected.data, (size_t)values);
                CARD_WAIT();
                return error_of(b, out, expected, 8192, 0);
            });
    }
}

// ---- Launches of nothing ----

__global__ void empty() {}
__global__ void __cluster_dims__(2, 1, 1) empty_cluster() {}

// What the times of all launches include.
static void run_empty(bench &b)
{
    if (b.once) return;
    const int shared = persistent_shared;
    int blocks = multiprocessors();
    allow_shared(empty, shared);
    allow_shared(empty_cluster, shared);
    time_row(
        b.memory, "empty 1 block", [] { empty<<<1, 32>>>(); }, false, 0, "");
    time_row(
        b.memory, "empty full SMs", [=] { empty<<<blocks, 384, shared>>>(); }, false, 0, "");
    time_row(
        b.memory, "empty full SMs in clusters of 2", [=] { empty_cluster<<<blocks, 384, shared>>>(); }, false,
        0, "");
    time_row(
        b.memory, "empty 8 blocks an SM", [=] { empty<<<8 * blocks, 256>>>(); }, false, 0, "");
}

// ---- Parts ----

struct part {
    const char *name;
    void (*run)(bench &b);
};

static const part parts[] = {
    {"empty", run_empty},
    {"bulk_copy", run_bulk_copy},
    {"transpose_tma", run_transpose},
    {"cluster_sum", run_cluster_sum},
    {"cluster_sum_add", run_cluster_sum_add},
    {"cluster_sum_async", run_cluster_sum_async},
    {"cluster_softmax", run_cluster_softmax},
    {"cluster_histogram", run_cluster_histogram},
    {"gemm_simple", run_gemm_simple},
    {"gemm_f16", run_gemm_f16},
    {"gemm_e4m3", run_gemm_e4m3},
    {"gemm_s8", run_gemm_s8},
    {"gemm_tf32", run_gemm_tf32},
    {"gemm_stream_k", run_gemm_stream_k},
    {"attention_128", run_attention_128},
    {"attention_128_causal", run_attention_128_causal},
    {"attention_64", run_attention_64},
    {"attention_64_causal", run_attention_64_causal},
};

static bool wanted(const char *name, int count, char **names)
{
    bool any = false, named = false;
    for (int i = 0; i < count; i++) {
        if (names[i][0] == '-') continue;
        any = true;
        named |= !std::strcmp(name, names[i]);
    }
    return named || !any;
}

static uint32_t *prepare_stuck_record()
{
    uint32_t *record, *on_card;
    CARD_TRY(cudaHostAlloc(&record, stuck_slots * 16, cudaHostAllocMapped));
    std::memset(record, 0, stuck_slots * 16);
    CARD_TRY(cudaHostGetDevicePointer(&on_card, record, 0));
    CARD_TRY(cudaMemcpyToSymbol(stuck_record, &on_card, sizeof on_card));
    return record;
}

int main(int argc, char **argv)
{
    bool list = argc > 1 && !std::strcmp(argv[1], "--list"), failed = false;
    if (list) {
        for (const part &p : parts) std::printf("%s\n", p.name);
        return 0;
    }
    bool once = argc > 1 && !std::strcmp(argv[1], "--once");
    uint32_t *stuck = prepare_stuck_record();
    scratch memory = make_scratch();
    for (const part &p : parts) {
        if (!wanted(p.name, argc - 1, argv + 1)) continue;
        bench b = {once, p.name, stuck, memory, false, false};
        p.run(b);
        failed |= b.failed;
    }
    return failed;
}
