// The kernels of kernels/tensor on a card: launched, checked against plain kernels, timed.
//
//   tensor_kernels [--once] [PART...]   parts by name, without a name all; --list prints the names
//   --once                              every kernel and shape is launched once, unchecked, and named in order: for a profiler
//
// Rows of a kernel: registers of a thread and resident blocks of an SM. Rows of a kernel and shape, M x N x K or as named:
//
//   KERNEL SHAPE: error   Frobenius norm of the difference to the reference, relative to the reference's norm
//   KERNEL SHAPE: time    microseconds between two events about a launch, of 15 launches in a queue that the host has filled
//                         while another kernel ran; L2 has what the launch before left there
//   KERNEL SHAPE: time, L2 flushed   as before, each launch after a kernel that reads 192 MB
//
// Inputs are random numbers of -1 to 1, or all bytes. Outputs and 4 KB behind them are poisoned: a result left out or too far is
// an error. A result that is wrong makes the exit status 1, and the rest goes on; an error of CUDA ends the program.
#include "card.cuh"

#include "../../../kernels/tensor/dgemm_mma.cu"
#include "../../../kernels/tensor/flash_attention.cu"
#include "../../../kernels/tensor/fp8_gemm.cu"
#include "../../../kernels/tensor/gemm_types.cu"
#include "../../../kernels/tensor/hgemm_mma.cu"
#include "../../../kernels/tensor/hgemm_splitk.cu"
#include "../../../kernels/tensor/hgemm_wmma.cu"
#include "../../../kernels/tensor/rows.cu"
#include "../../../kernels/tensor/sgemm_ffma.cu"
#include "../../../kernels/tensor/sparse_hgemm.cu"
#include "../../../kernels/tensor/transpose_f16.cu"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define HAS_CUBLAS 1
#endif

enum type { F16, BF16, TF32, TF32_RAW, F32, S8, E4M3, F64, S32 };

static bool once;    // --once
static int launches; // launches that --once has named
static bool all_right = true;

static size_t size_of(type t)
{
    switch (t) {
    case F16:
    case BF16: return 2;
    case S8:
    case E4M3: return 1;
    case F64: return 8;
    case TF32:
    case TF32_RAW:
    case F32:
    case S32: return 4;
    }
    return 0;
}

// ---- data

static uint32_t next_random()
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static float random_float() { return (float)(int32_t)next_random() * 0x1p-31f; }

// A random number's bits as an element.
static void put_random(type t, unsigned char *to)
{
    float x = random_float();
    auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
    switch (t) {
    case F16: put(__half(x)); break;
    case BF16: put(__nv_bfloat16(x)); break;
    case TF32:
    case TF32_RAW:
    case F32: put(x); break;
    case E4M3: put(__nv_fp8_e4m3(x)); break;
    case S8: put((uint8_t)(next_random() >> 24)); break;
    case F64: put((double)x + (double)random_float() * 0x1p-30); break;
    case S32: put(next_random()); break;
    }
}

// Random elements. Their number has a large prime factor, so that rows of a matrix made of repetitions differ.
static const std::vector<unsigned char> &random_pool(type t)
{
    static std::map<type, std::vector<unsigned char>> pools;
    std::vector<unsigned char> &pool = pools[t];
    if (pool.empty()) {
        pool.resize(16 * 262147);
        for (size_t i = 0; i < pool.size(); i += size_of(t)) put_random(t, &pool[i]);
    }
    return pool;
}

// Memory of the card, freed at the end of the scope.
template <typename T> struct memory {
    T *p = nullptr;
    size_t bytes;
    explicit memory(size_t size) : bytes(size) { CARD_TRY(cudaMalloc(&p, size)); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() { cudaFree(p); }
    void put(const void *from) { CARD_TRY(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice)); }
    void fill(int byte) { CARD_TRY(cudaMemset(p, byte, bytes)); }
};

// Fills memory with random elements, from another place of the pool for another `seed`.
static void fill_random(memory<void> &to, type t, size_t seed)
{
    const std::vector<unsigned char> &pool = random_pool(t);
    size_t from = seed * 16 * 10007 % pool.size();
    for (size_t done = 0; done < to.bytes;) {
        size_t part = std::min(pool.size() - from, to.bytes - done);
        CARD_TRY(cudaMemcpy((char *)to.p + done, &pool[from], part, cudaMemcpyHostToDevice));
        done += part;
        from = 0;
    }
}

// ---- outputs

static const size_t guard_bytes = 4096;

static int poison(type t) { return t == S32 ? 0x80 : 0xff; }

__global__ void card_count_poison(const unsigned char *p, size_t elements, int size, int byte,
                                  unsigned long long *count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements;
         i += (size_t)gridDim.x * blockDim.x) {
        bool left = true;
        for (int j = 0; j < size; j++) left = left && p[i * size + j] == byte;
        if (left) atomicAdd(count, 1ull);
    }
}

// An output of `elements`, poisoned, and poisoned bytes behind.
struct output : memory<void> {
    type t;
    size_t elements;
    output(type out, size_t count) : memory(count * size_of(out) + guard_bytes), t(out), elements(count)
    {
        fill(poison(out));
    }

    // Elements that still have the poison, and bytes of the guard that have lost it.
    unsigned long long wrong() const
    {
        memory<unsigned long long> count(sizeof(unsigned long long));
        count.fill(0);
        card_count_poison<<<1024, 256>>>((unsigned char *)p, elements, (int)size_of(t), poison(t), count.p);
        CARD_WAIT();
        unsigned long long left;
        std::vector<unsigned char> guard(guard_bytes);
        CARD_TRY(cudaMemcpy(&left, count.p, sizeof left, cudaMemcpyDeviceToHost));
        CARD_TRY(
            cudaMemcpy(guard.data(), (char *)p + bytes - guard_bytes, guard_bytes, cudaMemcpyDeviceToHost));
        for (unsigned char byte : guard) left += byte != poison(t);
        return left;
    }
};

// ---- references

// Element i of an array, as a double. TF32: a single rounded to 10 bits of fraction. TF32_RAW: cut to 10 bits.
__device__ double element(type t, const void *p, size_t i)
{
    switch (t) {
    case F16: return __half2float(((const __half *)p)[i]);
    case BF16: return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
    case TF32: {
        unsigned bits;
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(((const float *)p)[i]));
        return __uint_as_float(bits);
    }
    case TF32_RAW: return __uint_as_float(((const unsigned *)p)[i] & ~0x1fffu);
    case F32: return ((const float *)p)[i];
    case S8: return ((const signed char *)p)[i];
    case E4M3: return (float)((const __nv_fp8_e4m3 *)p)[i];
    case F64: return ((const double *)p)[i];
    case S32: return ((const int *)p)[i];
    }
    return 0;
}

__device__ double warp_sum_double(double x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    return x;
}

__device__ size_t card_hash(size_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 29) * 0x94d049bb133111ebu;
    return x ^ x >> 32;
}

// The squares of differences and of references, summed over checked elements.
struct deviation {
    double difference, reference;
};

__device__ void add_deviation(deviation *sums, double difference, double reference)
{
    atomicAdd(&sums->difference, difference);
    atomicAdd(&sums->reference, reference);
}

struct product_data {
    type in, out;
    bool by_rows; // B is K x N
    const void *a, *b, *c;
    int m, n, k;
};

// A warp an element of C: `samples` of them, chosen by a hash, or all in order.
__global__ void card_check_product(product_data d, size_t samples, bool every, deviation *sums)
{
    size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32,
           warps = (size_t)gridDim.x * blockDim.x / 32;
    int lane = threadIdx.x % 32;
    double difference = 0, reference = 0;
    for (size_t s = warp; s < samples; s += warps) {
        size_t i = every ? s : card_hash(s) % ((size_t)d.m * d.n), row = i / d.n, column = i % d.n;
        double sum = 0;
        for (int k = lane; k < d.k; k += 32)
            sum += element(d.in, d.a, row * d.k + k) *
                   element(d.in, d.b, d.by_rows ? (size_t)k * d.n + column : column * d.k + k);
        sum = warp_sum_double(sum);
        double off = element(d.out, d.c, i) - sum;
        difference += off * off;
        reference += sum * sum;
    }
    if (lane == 0) add_deviation(sums, difference, reference);
}

// A warp a row, with its scores in shared memory.
__global__ void card_check_attention(const void *q, const void *k, const void *v, const void *o, int heads,
                                     int seq, int depth, bool causal, double scale, int samples,
                                     deviation *sums)
{
    __shared__ float weights[4][2048];
    int lane = threadIdx.x % 32, s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (s >= samples) return;
    float *weight = weights[threadIdx.x / 32];
    size_t row = card_hash(s) % ((size_t)heads * seq), head = row / seq * seq;
    int keys = causal ? (int)(row - head) + 1 : seq;
    double most = -INFINITY, sum = 0, difference = 0, reference = 0;
    for (int i = lane; i < keys; i += 32) {
        double score = 0;
        for (int d = 0; d < depth; d++)
            score += element(F16, q, row * depth + d) * element(F16, k, (head + i) * depth + d);
        weight[i] = (float)(score * scale);
        most = fmax(most, score * scale);
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, lanes));
    for (int i = lane; i < keys; i += 32) {
        weight[i] = expf(weight[i] - (float)most);
        sum += weight[i];
    }
    sum = warp_sum_double(sum);
    __syncwarp();
    for (int d = lane; d < depth; d += 32) {
        double x = 0;
        for (int i = 0; i < keys; i++) x += weight[i] * element(F16, v, (head + i) * depth + d);
        x /= sum;
        double off = element(F16, o, row * depth + d) - x;
        difference += off * off;
        reference += x * x;
    }
    difference = warp_sum_double(difference), reference = warp_sum_double(reference);
    if (lane == 0) add_deviation(sums, difference, reference);
}

// A warp a row. Without `gamma` softmax, else layer norm.
__global__ void card_check_rows(const void *in, const void *gamma, const void *beta, const void *out,
                                int rows, int columns, double epsilon, deviation *sums)
{
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;
    size_t first = (size_t)row * columns;
    double sum = 0, squares = 0, difference = 0, reference = 0;
    for (int i = lane; i < columns; i += 32)
        sum += gamma ? element(F16, in, first + i) : exp(element(F16, in, first + i));
    sum = warp_sum_double(sum);
    double mean = sum / columns;
    for (int i = lane; i < columns; i += 32) squares += pow(element(F16, in, first + i) - mean, 2.0);
    double deviates = sqrt(warp_sum_double(squares) / columns + epsilon);
    for (int i = lane; i < columns; i += 32) {
        double x = element(F16, in, first + i);
        x = gamma ? (x - mean) / deviates * element(F16, gamma, i) + element(F16, beta, i) : exp(x) / sum;
        double off = element(F16, out, first + i) - x;
        difference += off * off;
        reference += x * x;
    }
    difference = warp_sum_double(difference), reference = warp_sum_double(reference);
    if (lane == 0) add_deviation(sums, difference, reference);
}

__global__ void card_check_transpose(const unsigned short *in, const unsigned short *out, int width,
                                     int height, deviation *sums)
{
    size_t elements = (size_t)width * height;
    double difference = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements;
         i += (size_t)gridDim.x * blockDim.x)
        difference += in[i] != out[i % width * height + i / width];
    if (difference != 0) add_deviation(sums, difference, 0);
    if (blockIdx.x == 0 && threadIdx.x == 0) add_deviation(sums, 0, (double)elements);
}

// Relative error after `check(sums)` has launched a kernel that adds to the sums.
template <typename CHECK> static double relative_error(CHECK check)
{
    memory<deviation> sums(sizeof(deviation));
    sums.fill(0);
    check(sums.p);
    CARD_WAIT();
    deviation d;
    CARD_TRY(cudaMemcpy(&d, sums.p, sizeof d, cudaMemcpyDeviceToHost));
    return std::sqrt(d.difference / d.reference);
}

// ---- rows

// Keeps the card busy while the host queues launches. Ends after a million cycles.
__global__ void card_delay()
{
    long long start = card_clock();
    while (card_clock() - start < 1000000) {
    }
}

// Reads memory larger than L2, so that L2 has nothing else and nothing to write back.
__global__ void card_flush(const uint4 *p, size_t count, unsigned *never)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        sum += p[i].x | p[i].y;
    if (sum != 0) *never = sum;
}

struct stamp {
    long long cycles, ns;
};

static const int stamps = 256; // SMs at most

// An SM's clock and the global timer, by SM. Blocks: two for every SM.
__global__ void card_stamp(stamp *at)
{
    unsigned sm;
    long long ns;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    if (sm < stamps) at[sm] = {card_clock(), ns};
}

// The median SM's MHz between two sets of stamps.
static double clock_between(const memory<stamp> &first, const memory<stamp> &second)
{
    std::vector<stamp> from(stamps), to(stamps);
    CARD_TRY(cudaMemcpy(from.data(), first.p, first.bytes, cudaMemcpyDeviceToHost));
    CARD_TRY(cudaMemcpy(to.data(), second.p, second.bytes, cudaMemcpyDeviceToHost));
    std::vector<double> mhz;
    for (int i = 0; i < stamps; i++)
        if (from[i].ns != 0 && to[i].ns > from[i].ns)
            mhz.push_back((double)(to[i].cycles - from[i].cycles) * 1000 / (double)(to[i].ns - from[i].ns));
    if (mhz.empty()) return 0;
    std::sort(mhz.begin(), mhz.end());
    return mhz[mhz.size() / 2];
}

static const int launches_timed = 15;

// Microseconds of 15 launches, each between two events, each after `before`. *mhz: the SMs' clock on average.
template <typename BEFORE, typename LAUNCH>
static std::vector<double> launch_times(BEFORE before, LAUNCH launch, double *mhz)
{
    std::vector<cudaEvent_t> events(2 * launches_timed);
    for (cudaEvent_t &event : events) CARD_TRY(cudaEventCreate(&event));
    memory<stamp> first(stamps * sizeof(stamp)), second(stamps * sizeof(stamp));
    first.fill(0);
    second.fill(0);
    for (int i = 0; i < 3; i++) launch();
    card_delay<<<1, 1>>>();
    card_stamp<<<2 * 132, 1>>>(first.p);
    for (int i = 0; i < launches_timed; i++) {
        before();
        CARD_TRY(cudaEventRecord(events[2 * i]));
        launch();
        CARD_TRY(cudaEventRecord(events[2 * i + 1]));
    }
    card_stamp<<<2 * 132, 1>>>(second.p);
    CARD_WAIT();
    *mhz = clock_between(first, second);
    std::vector<double> times;
    for (int i = 0; i < launches_timed; i++) {
        float ms;
        CARD_TRY(cudaEventElapsedTime(&ms, events[2 * i], events[2 * i + 1]));
        times.push_back(ms * 1000.0);
    }
    for (cudaEvent_t event : events) cudaEventDestroy(event);
    std::sort(times.begin(), times.end());
    return times;
}

// Queues the reads of card_flush. Its memory is kept until the process ends.
static void flush_l2()
{
    static const size_t bytes = 192 << 20;
    static memory<uint4> *large = nullptr;
    if (!large) {
        large = new memory<uint4>(bytes);
        large->fill(0);
    }
    card_flush<<<1056, 256>>>(large->p, bytes / sizeof(uint4), (unsigned *)large->p);
}

// The rows of the times. `work`: operations or bytes of a launch, `unit` what 10^12 of them in a second are called.
template <typename LAUNCH>
static void time_row(const std::string &name, LAUNCH launch, double work, const char *unit)
{
    auto nothing = [] {};
    char note[160];
    double mhz;
    std::vector<double> times = launch_times(nothing, launch, &mhz);
    std::snprintf(note, sizeof note,
                  "median of %zu launches; L2 as the launch before left it; %.4g %s; SM clock %.0f MHz",
                  times.size(), work / times[times.size() / 2] * 1e-6, unit, mhz);
    card_row((name + ": time").c_str(), "us", times, note);
    flush_l2();
    times = launch_times(flush_l2, launch, &mhz);
    std::snprintf(note, sizeof note, "median of %zu launches; SM clock %.0f MHz", times.size(), mhz);
    card_row((name + ": time, L2 flushed").c_str(), "us", times, note);
}

// A kernel on a shape: launched, checked, timed. `check()` gives the relative error, `bound` its limit.
template <typename LAUNCH, typename CHECK>
static void measure(const std::string &name, output &out, LAUNCH launch, CHECK check, double bound,
                    double work, const char *unit)
{
    if (once) {
        launch();
        CARD_WAIT();
        std::printf("%d %s\n", launches++, name.c_str());
        std::fflush(stdout);
        return;
    }
    launch();
    CARD_WAIT();
    unsigned long long wrong = out.wrong();
    std::vector<double> error = {check()};
    char note[120];
    std::snprintf(note, sizeof note, "bound %g; %llu elements not written or bytes too far", bound, wrong);
    bool right = error[0] <= bound && wrong == 0;
    card_row((name + ": error").c_str(), "relative", error, note);
    if (!right)
        std::fprintf(stderr, "%s: wrong: error %g, bound %g, not written %llu\n", name.c_str(), error[0],
                     bound, wrong);
    all_right = all_right && right;
    time_row(name, launch, work, unit);
}

// Rows about a kernel as compiled; lets it have its shared memory.
template <typename KERNEL_POINTER>
static void describe(const char *name, KERNEL_POINTER kernel, int threads, int shared)
{
    cudaFuncAttributes attributes;
    int blocks;
    CARD_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CARD_TRY(cudaFuncGetAttributes(&attributes, kernel));
    CARD_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    if (once) return;
    std::vector<double> registers = {(double)attributes.numRegs}, resident = {(double)blocks};
    char note[120];
    std::snprintf(note, sizeof note, "a thread; local memory %zu bytes", attributes.localSizeBytes);
    card_row((std::string(name) + ": registers").c_str(), "registers", registers, note);
    std::snprintf(note, sizeof note, "of %d threads, %zu bytes of shared memory", threads,
                  attributes.sharedSizeBytes + (size_t)shared);
    card_row((std::string(name) + ": resident blocks").c_str(), "blocks/SM", resident, note);
}

// ---- parts: products

struct shape {
    int m, n, k;
};

static std::string shape_name(const shape &s)
{
    return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
}

// A kernel (a, b, c, m, n, k).
struct product {
    const char *name;
    const void *kernel;
    type in, out;
    bool by_rows;
    int tile, threads, shared;
    double bound;
};

// Relative error of C, of all elements up to two million, else of 65,536.
static double product_error(const product_data &d)
{
    size_t elements = (size_t)d.m * d.n;
    bool every = elements <= 2000000;
    return relative_error([&](deviation *sums) {
        card_check_product<<<2048, 256>>>(d, every ? elements : 65536, every, sums);
    });
}

static void run_product(const product &p, const shape &s)
{
    memory<void> a((size_t)s.m * s.k * size_of(p.in)), b((size_t)s.k * s.n * size_of(p.in));
    output c(p.out, (size_t)s.m * s.n);
    fill_random(a, p.in, 1);
    fill_random(b, p.in, 5);
    int m = s.m, n = s.n, k = s.k;
    void *arguments[] = {&a.p, &b.p, &c.p, &m, &n, &k};
    dim3 grid((n + p.tile - 1) / p.tile, (m + p.tile - 1) / p.tile);
    auto launch = [&] {
        CARD_TRY(cudaLaunchKernel(p.kernel, grid, dim3(p.threads), arguments, p.shared, 0));
    };
    auto check = [&] { return product_error({p.in, p.out, p.by_rows, a.p, b.p, c.p, m, n, k}); };
    measure(std::string(p.name) + " " + shape_name(s), c, launch, check, p.bound, 2.0 * m * n * k,
            "T operations/s");
}

static const shape squares[] = {
    {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};

// The squares up to `most`, then a shape that no tile divides: rows of 16-byte cells, 776 elements, or 784 of a byte.
static void run_products(const product &p, int most)
{
    describe(p.name, p.kernel, p.threads, p.shared);
    for (const shape &s : squares)
        if (s.m <= most) run_product(p, s);
    run_product(p, {1000, 1032, size_of(p.in) == 1 ? 784 : 776});
}

#define PIPELINE(stages) 128, GEMM_THREADS, (stages)*GEMM_STAGE

static void part_wmma()
{
    run_products({"hgemm_wmma", (const void *)hgemm_wmma, F16, F16, true, WMMA_TILE, 128, 0, 5e-4}, 4096);
}

static void part_hgemm()
{
    run_products({"hgemm_mma", (const void *)hgemm_mma, F16, F16, true, PIPELINE(4), 5e-4}, 8192);
}

static void part_hgemm_3()
{
    run_products({"hgemm_mma_3", (const void *)hgemm_mma_3, F16, F16, true, PIPELINE(3), 5e-4}, 4096);
}

static void part_hgemm_wide()
{
    run_products({"hgemm_mma_wide", (const void *)hgemm_mma_wide, F16, F16, true, 128, GEMM_THREADS / 2,
                  4 * GEMM_STAGE, 5e-4},
                 8192);
}

static void part_hgemm_f16()
{
    run_products({"hgemm_mma_f16", (const void *)hgemm_mma_f16, F16, F16, true, PIPELINE(4), 2e-2}, 8192);
}

static void part_bf16()
{
    run_products({"bgemm_mma", (const void *)bgemm_mma, BF16, BF16, true, PIPELINE(4), 4e-3}, 8192);
}

static void part_tf32()
{
    run_products({"tf32_gemm", (const void *)tf32_gemm, TF32, F32, false, PIPELINE(4), 1e-4}, 4096);
}

static void part_tf32_raw()
{
    run_products({"tf32_gemm_raw", (const void *)tf32_gemm_raw, TF32_RAW, F32, false, PIPELINE(4), 1e-4},
                 4096);
}

static void part_int8()
{
    run_products({"int8_gemm", (const void *)int8_gemm, S8, S32, false, PIPELINE(4), 0}, 8192);
}

static void part_fp8()
{
    run_products({"fp8_gemm", (const void *)fp8_gemm, E4M3, F16, false, PIPELINE(4), 5e-4}, 4096);
}

static void part_f64()
{
    run_products({"dgemm_mma", (const void *)dgemm_mma, F64, F64, true, DGEMM_TILE, DGEMM_THREADS,
                  DGEMM_STAGES * DGEMM_STAGE * 8, 1e-14},
                 4096);
}

static void part_sgemm()
{
    run_products({"sgemm_ffma", (const void *)sgemm_ffma, F32, F32, true, SGEMM_TILE, SGEMM_THREADS, 0, 2e-5},
                 4096);
}

// ---- parts: split depth

struct split {
    shape s;
    int slices;
};

static const split splits[] = {{{512, 512, 512}, 4},
                               {{1024, 1024, 1024}, 4},
                               {{512, 512, 8192}, 16},
                               {{128, 256, 16384}, 64},
                               {{1000, 1032, 776}, 3}};

static std::string split_name(const char *kernel, const split &p)
{
    return std::string(kernel) + " " + shape_name(p.s) + " slices " + std::to_string(p.slices);
}

static void run_splitk_atomic(const split &p)
{
    int m = p.s.m, n = p.s.n, k = p.s.k;
    memory<void> a((size_t)m * k * 2), b((size_t)k * n * 2);
    output c(F32, (size_t)m * n);
    fill_random(a, F16, 1);
    fill_random(b, F16, 5);
    dim3 grid((n + 127) / 128, (m + 127) / 128, p.slices);
    auto launch = [&] {
        CARD_TRY(cudaMemsetAsync(c.p, 0, (size_t)m * n * 4));
        hgemm_splitk_atomic<<<grid, GEMM_THREADS, 4 * GEMM_STAGE>>>((f16 *)a.p, (f16 *)b.p, (float *)c.p, m,
                                                                    n, k);
    };
    auto check = [&] { return product_error({F16, F32, true, a.p, b.p, c.p, m, n, k}); };
    measure(split_name("hgemm_splitk_atomic with its memset", p), c, launch, check, 1e-4, 2.0 * m * n * k,
            "T operations/s");
}

static void run_splitk_reduce(const split &p)
{
    int m = p.s.m, n = p.s.n, k = p.s.k, elements = m * n;
    memory<void> a((size_t)m * k * 2), b((size_t)k * n * 2);
    memory<float> partial((size_t)elements * p.slices * 4);
    output c(F16, (size_t)elements);
    fill_random(a, F16, 1);
    fill_random(b, F16, 5);
    partial.fill(0xff);
    dim3 grid((n + 127) / 128, (m + 127) / 128, p.slices);
    auto launch = [&] {
        hgemm_splitk_partial<<<grid, GEMM_THREADS, 4 * GEMM_STAGE>>>((f16 *)a.p, (f16 *)b.p, partial.p, m, n,
                                                                     k);
        splitk_reduce<<<(elements / 4 + 255) / 256, 256>>>(partial.p, (f16 *)c.p, elements, p.slices);
    };
    auto check = [&] { return product_error({F16, F16, true, a.p, b.p, c.p, m, n, k}); };
    measure(split_name("hgemm_splitk_partial and splitk_reduce", p), c, launch, check, 5e-4, 2.0 * m * n * k,
            "T operations/s");
}

static void part_splitk()
{
    describe("hgemm_splitk_atomic", hgemm_splitk_atomic, GEMM_THREADS, 4 * GEMM_STAGE);
    describe("hgemm_splitk_partial", hgemm_splitk_partial, GEMM_THREADS, 4 * GEMM_STAGE);
    for (const split &p : splits) {
        run_splitk_atomic(p);
        run_splitk_reduce(p);
    }
}

// ---- parts: sparse product

// A with two elements in every four of a row: dense, compressed and the places, as sparse_hgemm.cu has them.
struct sparse_matrix {
    std::vector<uint16_t> dense, values;
    std::vector<uint32_t> places;
};

static sparse_matrix random_sparse(int m, int k)
{
    const uint16_t *pool = (const uint16_t *)random_pool(F16).data();
    size_t next = 0, count = random_pool(F16).size() / 2;
    sparse_matrix s = {std::vector<uint16_t>((size_t)m * k), std::vector<uint16_t>((size_t)m * k / 2),
                       std::vector<uint32_t>((size_t)m * k / 32)};
    static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (int row = 0; row < m; row++)
        for (int four = 0; four < k / 4; four++) {
            const int *pair = pairs[next_random() % 6];
            for (int i = 0; i < 2; i++, next = (next + 1) % count) {
                s.dense[(size_t)row * k + four * 4 + pair[i]] = pool[next];
                s.values[(size_t)row * k / 2 + four * 2 + i] = pool[next];
            }
            // rows 0 to 31 of a group: selector = row / 16, upper half-word = row / 8 % 2, g = row % 8
            int lane = row % 8 * 4 + row % 32 / 16 * 2 + four / 4 % 2,
                shift = row / 8 % 2 * 16 + four % 4 * 4;
            size_t word = ((size_t)(row / 32) * (k / 32) + four / 8) * 32 + lane;
            s.places[word] |= (uint32_t)(pair[0] | pair[1] << 2) << shift;
        }
    return s;
}

static void run_sparse(const shape &s)
{
    int m = s.m, n = s.n, k = s.k;
    sparse_matrix matrix = random_sparse(m, k);
    memory<void> dense((size_t)m * k * 2), values((size_t)m * k), places((size_t)m * k / 8),
        b((size_t)k * n * 2);
    output c(F16, (size_t)m * n);
    dense.put(matrix.dense.data());
    values.put(matrix.values.data());
    places.put(matrix.places.data());
    fill_random(b, F16, 5);
    dim3 grid((n + 127) / 128, (m + 127) / 128);
    auto launch = [&] {
        sparse_hgemm<<<grid, GEMM_THREADS, SPARSE_STAGES * SPARSE_STAGE>>>(
            (f16 *)values.p, (unsigned *)places.p, (f16 *)b.p, (f16 *)c.p, m, n, k);
    };
    auto check = [&] { return product_error({F16, F16, true, dense.p, b.p, c.p, m, n, k}); };
    measure("sparse_hgemm " + shape_name(s), c, launch, check, 5e-4, 2.0 * m * n * k, "T dense operations/s");
}

static void part_sparse()
{
    describe("sparse_hgemm", sparse_hgemm, GEMM_THREADS, SPARSE_STAGES * SPARSE_STAGE);
    for (const shape &s :
         {shape{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {992, 1032, 832}})
        run_sparse(s);
}

// ---- parts: attention

typedef void attention_kernel(const f16 *, const f16 *, const f16 *, f16 *, int, float);

struct attention_case {
    const char *name;
    attention_kernel *kernel;
    int depth, rows;
    bool causal;
};

static void run_attention(const attention_case &a, int seq)
{
    const int batches = 4, heads = 64; // heads of all batches
    size_t elements = (size_t)heads * seq * a.depth;
    memory<void> q(elements * 2), k(elements * 2), v(elements * 2);
    output o(F16, elements);
    fill_random(q, F16, 1);
    fill_random(k, F16, 5);
    fill_random(v, F16, 9);
    float scale = 4 / std::sqrt((float)a.depth); // inputs of deviation 0.58: times 4 for weights that differ
    int shared = 4 * ATTENTION_KEYS * a.depth * 2;
    auto launch = [&] {
        a.kernel<<<dim3(seq / a.rows, heads), ATTENTION_THREADS, shared>>>((f16 *)q.p, (f16 *)k.p, (f16 *)v.p,
                                                                           (f16 *)o.p, seq, scale);
    };
    auto check = [&] {
        return relative_error([&](deviation *sums) {
            card_check_attention<<<512, 128>>>(q.p, k.p, v.p, o.p, heads, seq, a.depth, a.causal, scale, 2048,
                                               sums);
        });
    };
    std::string name = std::string(a.name) + " B" + std::to_string(batches) + " H" +
                       std::to_string(heads / batches) + " S" + std::to_string(seq);
    measure(name, o, launch, check, 2e-3, 4.0 * heads * seq * seq * a.depth / (a.causal ? 2 : 1),
            "T operations/s");
}

static void run_attentions(const attention_case &a)
{
    describe(a.name, a.kernel, ATTENTION_THREADS, 4 * ATTENTION_KEYS * a.depth * 2);
    for (int seq : {512, 1024, 2048}) run_attention(a, seq);
}

static void part_attention()
{
    run_attentions({"flash_attention_64", flash_attention_64, 64, 128, false});
    run_attentions({"flash_attention_64_causal", flash_attention_64_causal, 64, 128, true});
    run_attentions({"flash_attention_128", flash_attention_128, 128, 64, false});
    run_attentions({"flash_attention_128_causal", flash_attention_128_causal, 128, 64, true});
}

// ---- parts: rows, transposes

static const shape row_shapes[] = {{4096, 1024, 0}, {4096, 4096, 0}, {1000, 1032, 0}, {16384, 8192, 0}};

static std::string plane_name(const char *kernel, const shape &s)
{
    return std::string(kernel) + " " + std::to_string(s.m) + "x" + std::to_string(s.n);
}

static void run_rows(const shape &s, bool norm)
{
    size_t elements = (size_t)s.m * s.n;
    memory<void> in(elements * 2), gamma((size_t)s.n * 2), beta((size_t)s.n * 2);
    output out(F16, elements);
    fill_random(in, F16, 1);
    fill_random(gamma, F16, 5);
    fill_random(beta, F16, 9);
    auto launch = [&] {
        if (norm)
            layer_norm<<<s.m, ROWS_THREADS>>>((f16 *)in.p, (f16 *)gamma.p, (f16 *)beta.p, (f16 *)out.p, s.n,
                                              1e-5f);
        else
            softmax_rows<<<s.m, ROWS_THREADS>>>((f16 *)in.p, (f16 *)out.p, s.n);
    };
    auto check = [&] {
        return relative_error([&](deviation *sums) {
            card_check_rows<<<(s.m + 7) / 8, 256>>>(in.p, norm ? gamma.p : nullptr, beta.p, out.p, s.m, s.n,
                                                    1e-5, sums);
        });
    };
    measure(plane_name(norm ? "layer_norm" : "softmax_rows", s), out, launch, check, 1e-3, 4.0 * elements,
            "T bytes/s");
}

static void part_softmax()
{
    describe("softmax_rows", softmax_rows, ROWS_THREADS, 0);
    for (const shape &s : row_shapes) run_rows(s, false);
}

static void part_layer_norm()
{
    describe("layer_norm", layer_norm, ROWS_THREADS, 0);
    for (const shape &s : row_shapes) run_rows(s, true);
}

static void run_gemv(const shape &s)
{
    memory<void> a((size_t)s.m * s.n * 2), x((size_t)s.n * 2);
    output y(F16, (size_t)s.m);
    fill_random(a, F16, 1);
    fill_random(x, F16, 5);
    auto launch = [&] {
        gemv_f16<<<(s.m + 7) / 8, ROWS_THREADS>>>((f16 *)a.p, (f16 *)x.p, (f16 *)y.p, s.m, s.n);
    };
    auto check = [&] { return product_error({F16, F16, false, a.p, x.p, y.p, s.m, 1, s.n}); };
    measure(plane_name("gemv_f16", s), y, launch, check, 5e-4, 2.0 * s.m * s.n, "T bytes/s");
}

static void part_gemv()
{
    describe("gemv_f16", gemv_f16, ROWS_THREADS, 0);
    for (const shape &s : row_shapes) run_gemv(s);
}

static void run_transpose(const char *name, void (*kernel)(const f16 *, f16 *, int, int), dim3 tile,
                          const shape &s)
{
    size_t elements = (size_t)s.m * s.n;
    memory<void> in(elements * 2);
    output out(F16, elements);
    fill_random(in, F16, 1);
    dim3 grid(s.n / tile.x, s.m / tile.y);
    auto launch = [&] { kernel<<<grid, 128>>>((f16 *)in.p, (f16 *)out.p, s.n, s.m); };
    auto check = [&] {
        return relative_error([&](deviation *sums) {
            card_check_transpose<<<1024, 256>>>((unsigned short *)in.p, (unsigned short *)out.p, s.n, s.m,
                                                sums);
        });
    };
    measure(plane_name(name, s), out, launch, check, 0, 4.0 * elements, "T bytes/s");
}

static void part_transpose()
{
    describe("transpose_ldmatrix", transpose_ldmatrix, 128, 0);
    describe("transpose_movmatrix", transpose_movmatrix, 128, 0);
    for (const shape &s : {shape{512, 1024, 0}, {2048, 2048, 0}, {8192, 4096, 0}}) {
        run_transpose("transpose_ldmatrix", transpose_ldmatrix, dim3(64, 64), s);
        run_transpose("transpose_movmatrix", transpose_movmatrix, dim3(32, 128), s);
    }
}

// ---- parts: the library's products

#ifdef HAS_CUBLAS
struct library_product {
    const char *name;
    type in, out;
    bool by_rows;
    cudaDataType_t in_code, out_code;
    cublasComputeType_t compute;
    int most;
};

static const library_product library_products[] = {
    {"cublas f16", F16, F16, true, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 8192},
    {"cublas f16 on f16", F16, F16, true, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 8192},
    {"cublas bf16", BF16, BF16, true, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 8192},
    {"cublas tf32", F32, F32, false, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4096},
    {"cublas s8", S8, S32, false, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 8192},
    {"cublas f64", F64, F64, true, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 4096},
    {"cublas f32", F32, F32, true, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4096},
};

// Functions of the library, loaded when it is there.
struct library {
    decltype(&cublasCreate_v2) create;
    cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
                           const void *, cudaDataType_t, int, const void *, cudaDataType_t, int, const void *,
                           void *, cudaDataType_t, int, cublasComputeType_t, cublasGemmAlgo_t);
    cublasHandle_t handle;
};

static bool load_library(library *l)
{
    void *file = nullptr;
    for (const char *path : {"libcublas.so.13", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so.13",
                             "/usr/local/cuda-13.0/lib64/libcublas.so.13", "libcublas.so.12"})
        if (!file) file = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!file) return false;
    l->create = (decltype(l->create))dlsym(file, "cublasCreate_v2");
    l->gemm = (decltype(l->gemm))dlsym(file, "cublasGemmEx");
    return l->create && l->gemm && l->create(&l->handle) == CUBLAS_STATUS_SUCCESS;
}

static void run_library(const library &l, const library_product &p, const shape &s)
{
    memory<void> a((size_t)s.m * s.k * size_of(p.in)), b((size_t)s.k * s.n * size_of(p.in));
    memory<void> c((size_t)s.m * s.n * size_of(p.out));
    fill_random(a, p.in, 1);
    fill_random(b, p.in, 5);
    double one = 1, zero = 0; // room for a scalar of every type
    const int one_s32 = 1;
    const float one_f32 = 1;
    const uint16_t one_f16 = 0x3c00;
    if (p.compute == CUBLAS_COMPUTE_32I)
        std::memcpy(&one, &one_s32, sizeof one_s32);
    else if (p.compute == CUBLAS_COMPUTE_16F)
        std::memcpy(&one, &one_f16, sizeof one_f16);
    else if (p.compute != CUBLAS_COMPUTE_64F)
        std::memcpy(&one, &one_f32, sizeof one_f32);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    auto launch = [&] { // rows for columns: the library has C, B and A transposed
        status = l.gemm(l.handle, p.by_rows ? CUBLAS_OP_N : CUBLAS_OP_T, CUBLAS_OP_N, s.n, s.m, s.k, &one,
                        b.p, p.in_code, p.by_rows ? s.n : s.k, a.p, p.in_code, s.k, &zero, c.p, p.out_code,
                        s.n, p.compute, CUBLAS_GEMM_DEFAULT);
    };
    std::string name = std::string(p.name) + " " + shape_name(s);
    launch();
    CARD_WAIT();
    if (status == CUBLAS_STATUS_SUCCESS)
        time_row(name, launch, 2.0 * s.m * s.n * s.k, "T operations/s");
    else
        std::fprintf(stderr, "%s: cublasGemmEx gives status %d\n", name.c_str(), (int)status);
}

static void part_cublas()
{
    library l;
    if (once) return;
    if (!load_library(&l)) {
        std::fprintf(stderr, "cublas: the library is not to be had: no rows\n");
        return;
    }
    for (const library_product &p : library_products) {
        for (const shape &s : squares)
            if (s.m <= p.most) run_library(l, p, s);
        run_library(l, p, {1000, 1032, size_of(p.in) == 1 ? 784 : 776});
    }
}
#else
static void part_cublas() { std::fprintf(stderr, "cublas: compiled without its header: no rows\n"); }
#endif

// ---- parts: Triton

// triton_kernels.py beside this file, as compiled; its rows follow.
static void part_triton()
{
    if (once) return;
    std::string file = __FILE__, folder = file.substr(0, file.rfind('/') + 1);
    std::fflush(stdout);
    int status = std::system(("python3 " + folder + "triton_kernels.py").c_str());
    if (status != 0) std::fprintf(stderr, "triton: triton_kernels.py ends with status %d\n", status);
    all_right = all_right && status == 0;
}

// ---- main

struct part {
    const char *name;
    void (*run)();
};

static const part parts[] = {
    {"hgemm", part_hgemm},
    {"wmma", part_wmma},
    {"int8", part_int8},
    {"attention", part_attention},
    {"hgemm_3", part_hgemm_3},
    {"hgemm_f16", part_hgemm_f16},
    {"bf16", part_bf16},
    {"tf32", part_tf32},
    {"fp8", part_fp8},
    {"f64", part_f64},
    {"sgemm", part_sgemm},
    {"splitk", part_splitk},
    {"softmax", part_softmax},
    {"layer_norm", part_layer_norm},
    {"gemv", part_gemv},
    {"transpose", part_transpose},
    {"sparse", part_sparse},
    {"cublas", part_cublas},
    {"hgemm_wide", part_hgemm_wide},
    {"tf32_raw", part_tf32_raw},
    {"triton", part_triton},
};

static bool wanted(const part &p, const std::vector<std::string> &names)
{
    return names.empty() || std::find(names.begin(), names.end(), p.name) != names.end();
}

int main(int argc, char **argv)
{
    std::vector<std::string> names;
    for (int i = 1; i < argc; i++) {
        if (std::string(argv[i]) == "--list") {
            for (const part &p : parts) std::printf("%s\n", p.name);
            return 0;
        }
        if (std::string(argv[i]) == "--once")
            once = true;
        else
            names.push_back(argv[i]);
    }
    bool any = false;
    for (const part &p : parts)
        if (wanted(p, names)) any = true, p.run();
    if (!any) std::fprintf(stderr, "tensor_kernels: no part has that name; --list names the parts\n");
    return any && all_right ? 0 : 1;
}
