// Timing of the memory system: latencies, edges of the caches, partitions of the L2, bandwidths, strides, atomics,
// constants, textures, instruction fetch.
//
// Latencies are of pointer chases: one thread, rings of `stride` bytes; a ring is walked once to warm up, then at
// most 2,048 steps are timed. Bandwidths are bytes over the cycles of the slowest SM.
#include "parts.cuh"

#include <map>
#include <numeric>

constexpr size_t mebi = 1 << 20;
constexpr size_t pool_bytes = 4096 * mebi;

static unsigned char *pool()
{
    static unsigned char *p = card_memory<unsigned char>(pool_bytes);
    return p;
}

static long long *results()
{
    static long long *p = card_memory<long long>(1 << 20);
    return p;
}

static std::string size_text(size_t bytes)
{
    if (bytes < 1024) return std::to_string(bytes) + " B";
    return bytes < mebi ? std::to_string(bytes / 1024) + " KiB" : std::to_string(bytes / mebi) + " MiB";
}

// ---- pointer chases ----

// Writes a ring: element i (every `stride` bytes) points to the element of the next index in a walk by `jump`
// elements; `jump` and `count` are coprime. With jump 1 the ring is in order.
__global__ void make_ring(unsigned char *memory, size_t count, size_t stride, size_t jump)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        *(unsigned long long *)(memory + i * stride) =
            (unsigned long long)(memory + (i + jump) % count * stride);
}

enum load_kind { load_ca, load_cg, load_nc, load_volatile, load_relaxed };

template <load_kind kind> __device__ __forceinline__ unsigned long long chase(unsigned long long p)
{
    unsigned long long q;
    if (kind == load_ca) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
    if (kind == load_cg) asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
    if (kind == load_nc) asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
    if (kind == load_relaxed)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
    if (kind == load_volatile) asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(q) : "l"(p) : "memory");
    return q;
}

// All threads read the ring twice; then the first thread walks `warm` steps and times `steps` (a multiple of 16).
template <load_kind kind>
__global__ void walk(long long *out, unsigned long long start, size_t count, size_t stride, int warm,
                     int steps)
{
    unsigned long long p = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = threadIdx.x; i < count; i += blockDim.x) p ^= chase<kind>(start + i * stride);
    card_clock_after(p);
    __syncthreads();
    if (threadIdx.x) return;
    p = start;
    for (int i = 0; i < warm; i++) p = chase<kind>(p);
    long long t0 = card_clock_after(p);
    for (int i = 0; i < steps; i += 16)
#pragma unroll
        for (int j = 0; j < 16; j++) p = chase<kind>(p);
    out[0] = card_clock_after(p) - t0;
}

static size_t coprime(size_t count)
{
    size_t jump = std::max<size_t>(1, count * 5 / 13) | 1;
    while (std::gcd(jump, count) != 1) jump += 2;
    return count < 8 ? 1 : jump;
}

// Cycles per step of a ring of `bytes`. `shuffled`: jumps of 5/13 of the ring, so that no stride is predictable.
template <load_kind kind>
static double ring_latency(size_t bytes, size_t stride, bool shuffled, int shared_carve = 0,
                           unsigned char *base = pool())
{
    size_t count = bytes / stride;
    make_ring<<<264, 256>>>(base, count, stride, shuffled ? coprime(count) : 1);
    CARD_WAIT();
    auto k = walk<kind>;
    CARD_TRY(
        cudaFuncSetAttribute((const void *)k, cudaFuncAttributePreferredSharedMemoryCarveout, shared_carve));
    int warm = (int)std::min<size_t>(count, 2048);
    int steps = (int)std::min<size_t>(std::max<size_t>(count, 256) & ~(size_t)15, 2048);
    k<<<1, 1024>>>(results(), (unsigned long long)base, count, stride, warm, steps);
    CARD_WAIT();
    return (double)card_read(results(), 1)[0] / steps;
}

template <load_kind kind> static void ring_row(const char *form, size_t bytes, size_t stride, bool shuffled)
{
    std::vector<double> v;
    for (int i = 0; i < 3; i++) v.push_back(ring_latency<kind>(bytes, stride, shuffled));
    card_median(std::string(form) + ", ring of " + size_text(bytes) + ", stride " + size_text(stride) +
                    ": latency",
                "cycles", v, 0, shuffled ? "jumps of 5/13 of the ring" : "in order");
}

static void latency()
{
    for (size_t kib : {1, 4, 16, 64, 128, 192, 208, 224, 240, 256, 320, 512, 1024, 2048, 4096})
        ring_row<load_ca>("ld.global.ca", kib * 1024, 128, true);
    for (size_t kib : {1, 4, 64, 256, 1024, 4096, 8192, 16384})
        ring_row<load_cg>("ld.global.cg", kib * 1024, 128, true);
    for (size_t mib : {20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 96, 128, 256})
        ring_row<load_cg>("ld.global.cg", mib * mebi, 128, true);
    for (size_t mib : {512, 1024, 2048}) ring_row<load_cg>("ld.global.cg", mib * mebi, 512, true);
    ring_row<load_relaxed>("ld.relaxed.gpu.global", 4096, 128, true);
    ring_row<load_nc>("ld.global.nc", 4096, 128, true);
    ring_row<load_volatile>("ld.volatile.global", 4096, 128, true);
    for (size_t stride : {8, 16, 32, 64}) ring_row<load_ca>("ld.global.ca", 65536, stride, false);
    for (size_t stride : {32, 64}) ring_row<load_cg>("ld.global.cg", 65536, stride, false);
}

// Rings of one line a page: the reach of the levels of translation, as added latency.
static void translation()
{
    constexpr size_t gibi = 1 << 30, stride = 2 * mebi + 128;
    unsigned char *wide;
    if (cudaMalloc(&wide, 56 * gibi) != cudaSuccess) {
        std::fprintf(stderr, "no 56 GiB for pages: %s\n", cudaGetErrorString(cudaGetLastError()));
        return;
    }
    for (size_t count : {2,   8,    16,   32,   64,   96,   128,  160,  192,   224,   256,   384,  512,
                         768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 28000}) {
        std::vector<double> v;
        for (int i = 0; i < 2; i++) v.push_back(ring_latency<load_cg>(count * stride, stride, true, 0, wide));
        card_median("ld.global.cg, one line in each of " + std::to_string(count) + " pages of 2 MiB: latency",
                    "cycles", v);
    }
    CARD_TRY(cudaFree(wide));
}

// The edge of the L1 at carve-outs of shared memory.
static void carveout()
{
    for (int percent : {0, 4, 7, 14, 29, 43, 57, 71, 86, 100}) {
        size_t edge = 0;
        std::vector<double> v;
        for (size_t kib = 8; kib <= 256; kib += 8) {
            double t = ring_latency<load_ca>(kib * 1024, 128, false, percent);
            if (t < 60) edge = kib;
        }
        v.push_back((double)edge);
        card_median("greatest ring that stays in the L1, carve-out of " + std::to_string(percent) + " %",
                    "KiB", v, 0, "in steps of 8 KiB; latency below 60 cycles; carve-out is a preference");
    }
    for (size_t kib = 160; kib <= 256; kib += 4)
        ring_row<load_ca>("ld.global.ca, in order", kib * 1024, 128, false);
}

// ---- partitions of the L2 ----

// Block b waits until its SM is the chosen one; a single thread then times every line: one warm load, three timed.
__global__ void line_latency(unsigned char *latency, const unsigned char *memory, int lines, int stride,
                             unsigned sm, int *taken)
{
    if (card_smid() != sm || atomicExch(taken, 1)) return;
    for (int i = 0; i < lines; i++) {
        auto p = (unsigned long long)(memory + (size_t)i * stride);
        unsigned long long value = chase<load_relaxed>(p), least = 255;
        for (int j = 0; j < 3; j++) {
            long long t0 = card_clock_after(value);
            value = chase<load_relaxed>(p);
            long long t = card_clock_after(value) - t0;
            least = min(least, (unsigned long long)max(0LL, t - 150));
        }
        latency[i] = (unsigned char)least;
    }
}

static std::vector<unsigned char> lines_of_sm(const unsigned char *memory, int lines, int stride, unsigned sm)
{
    auto *latency = (unsigned char *)results();
    auto *taken = (int *)(results() + (1 << 19));
    CARD_TRY(cudaMemset(latency, 255, (size_t)lines));
    CARD_TRY(cudaMemset(taken, 0, 4));
    line_latency<<<card_sms() * 2, 1>>>(latency, memory, lines, stride, sm, taken);
    CARD_WAIT();
    return card_read(latency, (size_t)lines);
}

// Histogram, agreement of pairs of SMs, grain of the hash.
static void partitions()
{
    constexpr int lines = 32768;
    CARD_TRY(cudaMemset(pool(), 0, 64 * mebi));
    std::map<unsigned, std::vector<unsigned char>> of_sm;
    for (unsigned sm = 0; sm < (unsigned)card_sms(); sm += sm < 8 ? 1 : 9)
        of_sm[sm] = lines_of_sm(pool(), lines, 128, sm);
    const auto &first = of_sm[0];
    std::map<int, int> histogram;
    for (unsigned char t : first) histogram[(t + 150) / 8 * 8]++;
    for (auto [cycles, count] : histogram)
        if (count >= lines / 1000)
            card_value("L2 lines of SM 0 with a latency of " + std::to_string(cycles) + " to " +
                           std::to_string(cycles + 7) + " cycles",
                       "share", (double)count / lines,
                       "4 MiB, 128-byte lines, least of 3 loads, clock's cost included");
    std::vector<unsigned char> sorted = first;
    std::sort(sorted.begin(), sorted.end());
    int middle = (sorted[lines / 10] + sorted[lines - lines / 10]) / 2;
    card_value("L2 near lines of SM 0: latency", "cycles", sorted[lines / 4] + 150.0,
               "first quartile, clock included");
    card_value("L2 far lines of SM 0: latency", "cycles", sorted[lines * 3 / 4] + 150.0, "third quartile");
    for (auto &[sm, t] : of_sm) {
        double same = 0, sum = 0;
        std::vector<unsigned char> s = t;
        std::sort(s.begin(), s.end());
        int split = (s[lines / 10] + s[lines - lines / 10]) / 2;
        for (int i = 0; i < lines; i++) same += (t[i] > split) == (first[i] > middle), sum += t[i] + 150;
        card_value("L2 lines on the same side for SM 0 and SM " + std::to_string(sm), "share", same / lines,
                   "mean latency of the SM " + std::to_string(sum / lines));
    }
    for (int grain = 1; grain <= 64; grain *= 2) { // lines of a block on the side of the block's first line
        double same = 0;
        for (int i = 0; i < lines; i++) same += (first[i] > middle) == (first[i & ~(grain - 1)] > middle);
        card_value("L2 lines on the side of the first line of their " + size_text((size_t)grain * 128),
                   "share", same / lines);
    }
    const char *folder = std::getenv("CARD_OUT");
    FILE *to = folder ? std::fopen((std::string(folder) + "/l2-lines.txt").c_str(), "w") : nullptr;
    if (!to) return;
    for (auto &[sm, t] : of_sm) {
        std::fprintf(to, "SM %u\n", sm);
        for (int i = 0; i < 4096; i++) std::fprintf(to, "%d%c", t[i] + 150, i % 32 == 31 ? '\n' : ' ');
    }
    std::fclose(to);
}

// ---- bandwidth ----

struct span {
    long long start, end;
};

template <int width> struct word;
template <> struct word<4> {
    using type = unsigned;
};
template <> struct word<8> {
    using type = uint2;
};
template <> struct word<16> {
    using type = uint4;
};

__device__ __forceinline__ unsigned mix(unsigned v) { return v; }
__device__ __forceinline__ unsigned mix(uint2 v) { return v.x ^ v.y; }
__device__ __forceinline__ unsigned mix(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

enum traffic { traffic_read, traffic_write, traffic_copy, traffic_scale, traffic_triad };

__device__ __forceinline__ unsigned scaled(unsigned v) { return __float_as_uint(__uint_as_float(v) * 3.0f); }
__device__ __forceinline__ uint2 scaled(uint2 v) { return {scaled(v.x), scaled(v.y)}; }
__device__ __forceinline__ uint4 scaled(uint4 v)
{
    return {scaled(v.x), scaled(v.y), scaled(v.z), scaled(v.w)};
}
__device__ __forceinline__ unsigned added(unsigned a, unsigned b)
{
    return __float_as_uint(__uint_as_float(a) + 3.0f * __uint_as_float(b));
}
__device__ __forceinline__ uint2 added(uint2 a, uint2 b) { return {added(a.x, b.x), added(a.y, b.y)}; }
__device__ __forceinline__ uint4 added(uint4 a, uint4 b)
{
    return {added(a.x, b.x), added(a.y, b.y), added(a.z, b.z), added(a.w, b.w)};
}

template <typename T> __device__ __forceinline__ T streamed(const T *p)
{
    T v;
    if constexpr (sizeof(T) == 4) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
    if constexpr (sizeof(T) == 8)
        asm volatile("ld.global.cg.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p));
    if constexpr (sizeof(T) == 16)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    return v;
}

// Grid-stride passes over arrays of `count` words, 4 words a thread in flight.
template <traffic kind, int width>
__global__ void __launch_bounds__(256)
    move(span *out, unsigned char *memory, size_t count, size_t array, int passes, unsigned *sink)
{
    using T = typename word<width>::type;
    auto *a = (T *)memory, *b = (T *)(memory + array), *c = (T *)(memory + 2 * array);
    unsigned sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    long long t0 = card_clock();
    for (int pass = 0; pass < passes; pass++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += 4 * step) {
            T v[4] = {}, w[4] = {};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (i + j * step >= count) continue;
                if (kind != traffic_write) v[j] = streamed(a + i + j * step);
                if (kind == traffic_triad) w[j] = streamed(b + i + j * step);
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (i + j * step >= count) continue;
                if (kind == traffic_read) sum ^= mix(v[j]);
                if (kind == traffic_write) a[i + j * step] = v[j];
                if (kind == traffic_copy) b[i + j * step] = v[j];
                if (kind == traffic_scale) b[i + j * step] = scaled(v[j]);
                if (kind == traffic_triad) c[i + j * step] = added(v[j], w[j]);
            }
        }
    if (sum == 0x12345678) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = {t0, card_clock()};
}

// Bytes per cycle of the whole chip; launches timed by events too, as GB/s in the note.
template <traffic kind, int width>
static void move_row(const char *name, const std::string &where, size_t bytes, int per_sm, int passes)
{
    cudaEvent_t before, after;
    CARD_TRY(cudaEventCreate(&before));
    CARD_TRY(cudaEventCreate(&after));
    int blocks = card_sms() * per_sm;
    int streams = kind == traffic_triad ? 3 : kind == traffic_read || kind == traffic_write ? 1 : 2;
    std::vector<double> rate;
    float best = 1e30f;
    for (int i = 0; i < 4; i++) {
        CARD_TRY(cudaEventRecord(before));
        move<kind, width><<<blocks, 256>>>((span *)results(), pool(), bytes / width, bytes, passes,
                                           (unsigned *)(results() + (1 << 19)));
        CARD_TRY(cudaEventRecord(after));
        CARD_WAIT();
        float ms;
        CARD_TRY(cudaEventElapsedTime(&ms, before, after));
        if (i) best = std::min(best, ms);
        long long worst = 0;
        for (const span &s : card_read((span *)results(), (size_t)blocks))
            worst = std::max(worst, s.end - s.start);
        rate.push_back((double)bytes * streams * passes / (double)worst);
    }
    char note[96];
    std::snprintf(note, sizeof note, "%.1f GB/s by events with the launch",
                  (double)bytes * streams * passes / best / 1e6);
    card_median(std::string(name) + ", " + where + ", " + std::to_string(per_sm) + " blocks of 256 an SM, " +
                    std::to_string(width) + " B a lane",
                "bytes/cycle", rate, 1, note);
    CARD_TRY(cudaEventDestroy(before));
    CARD_TRY(cudaEventDestroy(after));
}

template <int width> static void move_rows(int per_sm)
{
    size_t big = 512 * mebi;
    move_row<traffic_read, width>("read", "DRAM", big, per_sm, 1);
    move_row<traffic_write, width>("write", "DRAM", big, per_sm, 1);
    move_row<traffic_copy, width>("copy", "DRAM", big, per_sm, 1);
    move_row<traffic_scale, width>("scale", "DRAM", big, per_sm, 1);
    move_row<traffic_triad, width>("triad", "DRAM", big, per_sm, 1);
}

static void dram()
{
    for (int per_sm : {1, 2, 4, 8}) {
        move_rows<4>(per_sm);
        move_rows<8>(per_sm);
        move_rows<16>(per_sm);
    }
}

static void l2()
{
    for (size_t mib : {4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 60})
        move_row<traffic_read, 16>("read", "L2 " + std::to_string(mib) + " MiB", mib * mebi, 8, 8);
    for (int per_sm : {1, 2, 4, 8}) {
        move_row<traffic_read, 4>("read", "L2 16 MiB", 16 * mebi, per_sm, 8);
        move_row<traffic_read, 8>("read", "L2 16 MiB", 16 * mebi, per_sm, 8);
        move_row<traffic_read, 16>("read", "L2 16 MiB", 16 * mebi, per_sm, 8);
        move_row<traffic_write, 4>("write", "L2 16 MiB", 16 * mebi, per_sm, 8);
        move_row<traffic_write, 16>("write", "L2 16 MiB", 16 * mebi, per_sm, 8);
        move_row<traffic_copy, 16>("copy", "L2 8 MiB each", 8 * mebi, per_sm, 8);
    }
}

// Reads of a region of the block's own that stays in the L1: `width` bytes a lane.
template <int width>
__global__ void read_l1(span *out, const unsigned char *memory, int bytes, int passes, unsigned *sink)
{
    using T = typename word<width>::type;
    const T *p = (const T *)(memory + (size_t)blockIdx.x * 65536);
    unsigned sum = 0;
    int count = bytes / width;
    long long t0 = 0;
    for (int pass = -1; pass < passes; pass++) {
        if (pass == 0) {
            __syncthreads();
            t0 = card_clock();
        }
        for (int i = (int)threadIdx.x; i < count; i += 8 * (int)blockDim.x) {
            T v[8];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const T *at = p + i + j * (int)blockDim.x;
                if constexpr (width == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[j]) : "l"(at));
                if constexpr (width == 8)
                    asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(v[j].x), "=r"(v[j].y) : "l"(at));
                if constexpr (width == 16)
                    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                                 : "=r"(v[j].x), "=r"(v[j].y), "=r"(v[j].z), "=r"(v[j].w)
                                 : "l"(at));
            }
#pragma unroll
            for (int j = 0; j < 8; j++) sum ^= mix(v[j]);
        }
    }
    if (sum == 0x12345678) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = {t0, card_clock()};
}

template <int width> static void l1_row()
{
    for (int threads : {128, 256, 512}) {
        std::vector<double> rate;
        int bytes = std::max(32768, threads * width * 8), passes = 64;
        for (int i = 0; i < 3; i++) {
            read_l1<width><<<1, threads>>>((span *)results(), pool(), bytes, passes,
                                           (unsigned *)(results() + (1 << 19)));
            CARD_WAIT();
            span s = card_read((span *)results(), 1)[0];
            rate.push_back((double)bytes * passes / (double)(s.end - s.start));
        }
        card_median("read, L1, " + std::to_string(threads) + " threads, " + std::to_string(width) +
                        " B a lane",
                    "bytes/cycle", rate, 0, "one SM");
    }
}

static void l1()
{
    l1_row<4>();
    l1_row<8>();
    l1_row<16>();
}

// 4-byte loads at a stride of `stride` words: cycles per warp load of an SM, from the L1 or around it.
template <bool cached>
__global__ void strided(span *out, const unsigned char *memory, int stride, unsigned mask, int loads,
                        unsigned *sink)
{
    unsigned at = (threadIdx.x % 32) * stride * 4 + (threadIdx.x / 32) * stride * 128, sum = 0;
    memory += (size_t)blockIdx.x * 131072;
    long long t0 = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        t0 = card_clock();
        for (int i = 0; i < loads; i += 8) {
            unsigned v[8];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const unsigned char *p = memory + ((at + (unsigned)(i + j) * stride * 1024) & mask);
                if (cached)
                    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[j]) : "l"(p));
                else
                    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[j]) : "l"(p));
            }
#pragma unroll
            for (int j = 0; j < 8; j++) sum ^= v[j];
        }
    }
    if (sum == 0x12345678) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = {t0, card_clock()};
}

template <bool cached> static void stride_rows(int blocks)
{
    for (int stride : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32}) {
        std::vector<double> v;
        constexpr int loads = 512;
        for (int i = 0; i < 3; i++) {
            strided<cached><<<blocks, 256>>>((span *)results(), pool(), stride, 0xffff, loads,
                                             (unsigned *)(results() + (1 << 19)));
            CARD_WAIT();
            long long worst = 0;
            for (const span &s : card_read((span *)results(), (size_t)blocks))
                worst = std::max(worst, s.end - s.start);
            v.push_back((double)worst / (loads * 8));
        }
        card_median(std::string(cached ? "ld.global.ca.u32" : "ld.global.cg.u32") + ", stride of " +
                        std::to_string(stride) + " words, 8 warps, " + (blocks == 1 ? "one SM" : "all SMs") +
                        ": cycles per warp load of an SM",
                    "cycles", v, 0, "64 KiB a block");
    }
}

// Loads of pseudo-random sectors: 32 sectors a warp load over `bytes`.
__global__ void random_sectors(span *out, const unsigned char *memory, unsigned sectors, int loads,
                               unsigned *sink)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345, sum = 0;
    long long t0 = card_clock();
    for (int i = 0; i < loads; i += 8) {
        unsigned v[8];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            state = state * 1664525u + 1013904223u;
            const unsigned char *p = memory + (size_t)__umulhi(state, sectors) * 32;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[j]) : "l"(p));
        }
#pragma unroll
        for (int j = 0; j < 8; j++) sum ^= v[j];
    }
    if (sum == 0x12345678) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = {t0, card_clock()};
}

static void strides()
{
    stride_rows<true>(1);
    stride_rows<false>(1);
    stride_rows<false>(card_sms());
    for (size_t mib : {16, 32, 1024})
        for (int per_sm : {0, 1, 4, 8}) {
            int blocks = per_sm ? card_sms() * per_sm : 1, loads = 256;
            std::vector<double> v;
            for (int i = 0; i < 4; i++) {
                random_sectors<<<blocks, 256>>>((span *)results(), pool(), (unsigned)(mib * mebi / 32), loads,
                                                (unsigned *)(results() + (1 << 19)));
                CARD_WAIT();
                long long worst = 0;
                for (const span &s : card_read((span *)results(), (size_t)blocks))
                    worst = std::max(worst, s.end - s.start);
                v.push_back((double)blocks * 256 * loads / (double)worst);
            }
            card_median("random sectors over " + std::to_string(mib) + " MiB, " +
                            (per_sm ? std::to_string(per_sm) + " blocks of 256 an SM" : "one block of 256"),
                        "sectors/cycle", v, 1);
        }
}

// ---- atomics ----

enum atomic_kind {
    atom_u32,
    red_u32,
    atom_f32,
    red_f32,
    atom_u64,
    red_u64,
    atom_f16x2,
    red_f16x2,
    atom_cas,
    atom_exch
};
static const char *const atomic_names[] = {"atom.add.u32", "red.add.u32",  "atom.add.f32",   "red.add.f32",
                                           "atom.add.u64", "red.add.u64",  "atom.add.f16x2", "red.add.f16x2",
                                           "atom.cas.b32", "atom.exch.b32"};

template <atomic_kind kind> __device__ __forceinline__ unsigned atomic_step(unsigned char *p, unsigned value)
{
    unsigned old = 0;
    unsigned long long wide = 0, value64 = value;
    float single = 0;
    if (kind == atom_u32)
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    if (kind == red_u32) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
    if (kind == atom_f32) {
        asm volatile("atom.global.add.f32 %0, [%1], %2;"
                     : "=f"(single)
                     : "l"(p), "f"((float)value)
                     : "memory");
        old = __float_as_uint(single);
    }
    if (kind == red_f32) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"((float)value) : "memory");
    if (kind == atom_u64) {
        asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(wide) : "l"(p), "l"(value64) : "memory");
        old = (unsigned)wide;
    }
    if (kind == red_u64) asm volatile("red.global.add.u64 [%0], %1;" ::"l"(p), "l"(value64) : "memory");
    if (kind == atom_f16x2)
        asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    if (kind == red_f16x2)
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(p), "r"(value) : "memory");
    if (kind == atom_cas)
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(old)
                     : "l"(p), "r"(value), "r"(value + 1)
                     : "memory");
    if (kind == atom_exch)
        asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
}

// `count` atomics a thread, at base + lane * lane_step + warp * warp_step + i * step (masked).
template <atomic_kind kind>
__global__ void atomics(span *out, unsigned char *memory, unsigned lane_step, unsigned warp_step,
                        unsigned step, unsigned mask, int count, unsigned *sink)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned at = (threadIdx.x % 32) * lane_step + warp * warp_step, sum = 0;
    __syncthreads();
    long long t0 = card_clock();
    for (int i = 0; i < count; i += 8)
#pragma unroll
        for (int j = 0; j < 8; j++) sum ^= atomic_step<kind>(memory + ((at + (i + j) * step) & mask), 1);
    if (sum == 0x12345678) *sink = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = {t0, card_clock()};
}

// Latency of an atomic with a result: a chain, one lane.
template <atomic_kind kind> __global__ void atomic_chain(span *out, unsigned char *memory, unsigned zero)
{
    unsigned value = 0;
    for (int pass = 0; pass < 2; pass++) {
        long long t0 = card_clock();
#pragma unroll 16
        for (int i = 0; i < 256; i++) value = atomic_step<kind>(memory + (value & zero), 0);
        out[0] = {t0, card_clock_after(value & zero)};
    }
}

template <atomic_kind kind> static void atomic_rows()
{
    struct place {
        const char *name;
        unsigned lane_step, warp_step, step, mask;
    };
    const place places[] = {
        {"one address of the launch", 0, 0, 0, 0xfff8},
        {"one address a warp", 0, 1024, 0, 0x3fffff8},
        {"one word a lane, same words for all warps", 8, 0, 0, 0xfff8},
        {"one word a lane, own words for a warp", 8, 256, 0, 0x3fffff8},
        {"scattered over 8 MiB of L2", 131072 + 32 * 37, 4096 + 32 * 11, 32 * 4099, 0x7fffe0}};
    for (const place &p : places)
        for (int blocks : {0, 1, card_sms()}) {
            int threads = blocks ? 256 : 32, grid = std::max(1, blocks);
            int count = blocks > 1 && p.mask == 0xfff8 ? 32 : 128;
            std::vector<double> v;
            for (int i = 0; i < 3; i++) {
                atomics<kind><<<grid, threads>>>((span *)results(), pool(), p.lane_step, p.warp_step, p.step,
                                                 p.mask, count, (unsigned *)(results() + (1 << 19)));
                CARD_WAIT();
                long long worst = 0;
                for (const span &s : card_read((span *)results(), (size_t)grid))
                    worst = std::max(worst, s.end - s.start);
                v.push_back((double)worst / ((double)grid * (threads / 32) * count));
            }
            card_median(std::string(atomic_names[kind]) + ", " + p.name + ", " +
                            (blocks > 1 ? "all SMs"
                             : blocks   ? "8 warps"
                                        : "one warp") +
                            ": cycles per warp instruction of the chip",
                        "cycles", v, 1);
        }
}

template <atomic_kind kind> static void atomic_latency()
{
    atomic_chain<kind><<<1, 1>>>((span *)results(), pool(), 0);
    CARD_WAIT();
    span s = card_read((span *)results(), 1)[0];
    card_value(std::string(atomic_names[kind]) + ": latency", "cycles", (double)(s.end - s.start) / 256,
               "one lane, one address");
}

static void atomic_all()
{
    CARD_TRY(cudaMemset(pool(), 0, 128 * mebi));
    atomic_latency<atom_u32>();
    atomic_latency<atom_f32>();
    atomic_latency<atom_u64>();
    atomic_latency<atom_f16x2>();
    atomic_latency<atom_cas>();
    atomic_latency<atom_exch>();
    atomic_rows<atom_u32>();
    atomic_rows<red_u32>();
    atomic_rows<atom_f32>();
    atomic_rows<red_f32>();
    atomic_rows<atom_u64>();
    atomic_rows<red_u64>();
    atomic_rows<atom_f16x2>();
    atomic_rows<red_f16x2>();
    atomic_rows<atom_cas>();
    atomic_rows<atom_exch>();
}

// ---- constants, textures, local memory ----

__constant__ unsigned constant_ring[16384];

// A chase through the constant bank: elements of 4 bytes hold the byte offset of the next.
__global__ void constant_walk(long long *out, int warm, int steps)
{
    unsigned p = 0, base;
    unsigned long long generic = (unsigned long long)constant_ring, address;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(address) : "l"(generic));
    base = (unsigned)address;
    long long t0 = 0;
    for (int i = -warm; i < steps; i += 8) {
        if (i == 0) t0 = card_clock_after(p ^ 2);
#pragma unroll
        for (int j = 0; j < 8; j++) asm volatile("ld.const.u32 %0, [%1];" : "=r"(p) : "r"(p + base));
    }
    out[0] = card_clock_after(p ^ 2) - t0;
}

static void constants()
{
    std::vector<unsigned> ring(16384);
    for (int stride : {64, 256})
        for (int bytes : {512, 1024, 1536, 2048, 2560, 3072, 4096, 8192, 16384, 32768, 49152, 65536}) {
            if (bytes < 2 * stride) continue;
            for (int i = 0; i < bytes; i += stride) ring[(size_t)i / 4] = (unsigned)((i + stride) % bytes);
            CARD_TRY(cudaMemcpyToSymbol(constant_ring, ring.data(), ring.size() * 4));
            int steps = std::max(256, bytes / stride);
            std::vector<double> v;
            for (int i = 0; i < 3; i++) {
                constant_walk<<<1, 1>>>(results(), steps * 2, steps);
                CARD_WAIT();
                v.push_back((double)card_read(results(), 1)[0] / steps);
            }
            card_median("ld.const, ring of " + size_text((size_t)bytes) + ", stride " +
                            std::to_string(stride) + " B: latency",
                        "cycles", v, 0, "an addition of the base included");
        }
}

__global__ void texture_walk(long long *out, cudaTextureObject_t texture, int steps)
{
    int p = 0;
    for (int i = 0; i < steps; i++) p = tex1Dfetch<int>(texture, p);
    long long t0 = card_clock_after((unsigned)p ^ 1u << 31);
    for (int i = 0; i < steps; i += 16)
#pragma unroll
        for (int j = 0; j < 16; j++) p = tex1Dfetch<int>(texture, p);
    out[0] = card_clock_after((unsigned)p ^ 1u << 31) - t0;
}

// Fetches of neighbouring elements: cycles per warp fetch of an SM.
__global__ void texture_rate(span *out, cudaTextureObject_t texture, int fetches, unsigned *sink)
{
    int at = (int)threadIdx.x;
    unsigned sum = 0;
    long long t0 = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        t0 = card_clock();
        for (int i = 0; i < fetches; i += 8) {
            int v[8];
#pragma unroll
            for (int j = 0; j < 8; j++) v[j] = tex1Dfetch<int>(texture, (at + j * 256) & 4095);
#pragma unroll
            for (int j = 0; j < 8; j++) sum ^= (unsigned)v[j];
            at += (int)(sum & 0x100);
        }
    }
    if (sum == 0x12345678) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = {t0, card_clock()};
}

// Local memory: a chase through an array of the thread.
__global__ void local_walk(long long *out, int size, int steps)
{
    volatile int ring[256];
    for (int i = 0; i < 256; i++) ring[i] = (i + 32) % size;
    int p = 0;
    for (int i = 0; i < steps; i++) p = ring[p];
    long long t0 = card_clock_after((unsigned)p ^ 1u << 31);
    for (int i = 0; i < steps; i += 16)
#pragma unroll
        for (int j = 0; j < 16; j++) p = ring[p];
    out[0] = card_clock_after((unsigned)p ^ 1u << 31) - t0;
}

static void textures()
{
    for (int bytes : {4096, 65536, 1 << 20}) {
        std::vector<int> ring((size_t)bytes / 4);
        for (int i = 0; i < bytes / 4; i++) ring[(size_t)i] = (i + 32) % (bytes / 4);
        CARD_TRY(cudaMemcpy(pool(), ring.data(), (size_t)bytes, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = pool();
        resource.res.linear.sizeInBytes = (size_t)bytes;
        resource.res.linear.desc = cudaCreateChannelDesc<int>();
        cudaTextureDesc description = {};
        description.readMode = cudaReadModeElementType;
        cudaTextureObject_t texture;
        CARD_TRY(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
        int steps = std::max(256, bytes / 128);
        std::vector<double> v;
        for (int i = 0; i < 3; i++) {
            texture_walk<<<1, 1>>>(results(), texture, std::min(steps, 4096));
            CARD_WAIT();
            v.push_back((double)card_read(results(), 1)[0] / std::min(steps, 4096));
        }
        card_median("tex1Dfetch of s32, ring of " + size_text((size_t)bytes) + ": latency", "cycles", v);
        if (bytes == 65536)
            for (int threads : {32, 128, 256, 512}) {
                texture_rate<<<1, threads>>>((span *)results(), texture, 512,
                                             (unsigned *)(results() + (1 << 19)));
                CARD_WAIT();
                span s = card_read((span *)results(), 1)[0];
                card_value("tex1Dfetch of s32, neighbours, " + std::to_string(threads / 32) +
                               " warps: cycles per warp fetch of an SM",
                           "cycles", (double)(s.end - s.start) / (512 * (threads / 32)), "16 KiB, warm");
            }
        CARD_TRY(cudaDestroyTextureObject(texture));
    }
    std::vector<double> v;
    for (int i = 0; i < 3; i++) {
        local_walk<<<1, 1>>>(results(), 256, 256);
        CARD_WAIT();
        v.push_back((double)card_read(results(), 1)[0] / 256);
    }
    card_median("ld.local, ring of 1 KiB: latency", "cycles", v, 0, "address arithmetic included");
}

// ---- instruction fetch ----

#define FOUR(text) text text text text
#define EIGHT_FFMA                                                                                           \
    "fma.rn.f32 %0,%0,%0,%0;\nfma.rn.f32 %1,%1,%1,%1;\nfma.rn.f32 %2,%2,%2,%2;\nfma.rn.f32 %3,%3,%3,%3;\n"   \
    "fma.rn.f32 %4,%4,%4,%4;\nfma.rn.f32 %5,%5,%5,%5;\nfma.rn.f32 %6,%6,%6,%6;\nfma.rn.f32 %7,%7,%7,%7;\n"

// `1 << bits` FFMA in straight line, chains of eight registers.
template <int bits> __device__ __forceinline__ void straight(float (&x)[8])
{
    if constexpr (bits == 9) {
        asm volatile(FOUR(FOUR(FOUR(EIGHT_FFMA)))
                     : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]),
                       "+f"(x[7]));
    } else {
        straight<bits - 1>(x);
        straight<bits - 1>(x);
    }
}

template <int bits> __global__ void __launch_bounds__(1024) code(long long *out, float *sink)
{
    float x[8];
    for (int i = 0; i < 8; i++) x[i] = (float)threadIdx.x + (float)i;
#pragma unroll 1
    for (int pass = 0; pass < 6; pass++) {
        __syncthreads();
        long long t0 = card_clock();
        straight<bits>(x);
        long long t1 = card_clock();
        if (threadIdx.x == 0) out[blockIdx.x * 6 + pass] = t1 - t0;
    }
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += x[i];
    if (sum == 1.2345f) *sink = sum;
}

template <int bits> static void code_row()
{
    for (int threads : {32, 128, 512})
        for (int blocks : {1, card_sms()}) {
            if (blocks > 1 && threads != 128) continue;
            code<bits><<<blocks, threads>>>(results(), (float *)(results() + (1 << 19)));
            CARD_WAIT();
            auto t = card_read(results(), 6);
            std::vector<double> warm;
            for (int i = 2; i < 6; i++) warm.push_back((double)t[i] / (1 << bits));
            std::string name = "straight-line code of 2^" + std::to_string(bits) + " FFMA, " +
                               std::to_string(threads / 32) + " warps, " +
                               (blocks == 1 ? "one SM" : "all SMs");
            card_median(name + ": cycles per instruction of a warp, warm", "cycles", warm);
            if (threads == 32 && blocks == 1)
                card_value(name + ": cycles per instruction, first pass", "cycles",
                           (double)t[0] / (1 << bits), "first launch of the kernel");
        }
}

static void instructions()
{
    code_row<9>();
    code_row<10>();
    code_row<11>();
    code_row<12>();
    code_row<13>();
    code_row<14>();
    code_row<15>();
    code_row<16>();
    code_row<17>();
}

// bar.sync of a block and __syncwarp: interval by number of warps.
__global__ void block_barrier(long long *out)
{
    __syncthreads();
    long long t0 = card_clock();
#pragma unroll
    for (int i = 0; i < 64; i++) asm volatile("bar.sync 0;" ::: "memory");
    long long t1 = card_clock();
    if (threadIdx.x == 0) out[0] = t1 - t0;
}

static void barrier()
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        std::vector<double> v;
        for (int i = 0; i < 5; i++) {
            block_barrier<<<1, warps * 32>>>(results());
            CARD_WAIT();
            v.push_back((double)card_read(results(), 1)[0] / 64);
        }
        card_median("bar.sync of " + std::to_string(warps) + " warps: interval", "cycles", v, 1,
                    "64 in a row");
    }
}

static const card_part parts[] = {{"latency", latency},
                                  {"barrier", barrier},
                                  {"constants", constants},
                                  {"textures", textures},
                                  {"l1", l1},
                                  {"strides", strides},
                                  {"dram", dram},
                                  {"l2", l2},
                                  {"atomics", atomic_all},
                                  {"partitions", partitions},
                                  {"carveout", carveout},
                                  {"translation", translation},
                                  {"instructions", instructions}};

int main(int argc, char **argv)
{
    return card_run_parts(argc, argv, parts, (int)(sizeof(parts) / sizeof(parts[0])));
}
