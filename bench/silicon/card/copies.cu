// Timing of the copy engine: bulk and tensor copies, multicast, reductions, descriptors, mbarriers, proxy fences.
//
// Latencies are of one thread of one block: clock, copy, wait on the mbarrier, clock. L2-hot sources are copied
// several times; DRAM-cold sources are touched once, behind a warm-up copy of 16 bytes from the same 2-MiB page.
// With CARD_OUT in the environment, part `maps` writes the 128 bytes of varied tensor maps to a file of that folder.
#include "parts.cuh"

constexpr size_t mebi = 1 << 20;
constexpr int data_bytes = 192 * 1024; // shared memory for data; mbarriers follow
constexpr int block_bytes = data_bytes + 1024;
constexpr size_t cold_bytes = 4096 * mebi;

static unsigned char *big_memory()
{
    static unsigned char *p = card_memory<unsigned char>(cold_bytes);
    return p;
}

struct timed {
    long long issue, done;
};

static timed *results()
{
    static timed *p = card_memory<timed>(65536);
    return p;
}

extern __shared__ __align__(1024) unsigned char shared_memory[];

// Addresses of the block's data and of mbarrier `i`.
__device__ __forceinline__ uint32_t data_at(uint32_t offset)
{
    return card_shared_address(shared_memory) + offset;
}
__device__ __forceinline__ uint32_t bar_at(int i)
{
    return card_shared_address(shared_memory) + data_bytes + i * 8;
}

// `rounds` rounds of `count` loads of `bytes` from `from`; a round moves on by `step`, round 0 too.
__global__ void load_times(timed *out, const unsigned char *from, int bytes, int count, size_t step,
                           int rounds)
{
    if (!card_elected()) return;
    mbarrier_init(bar_at(0), 1);
    mbarrier_init(bar_at(1), 1);
    for (int r = 0; r < rounds; r++) {
        const unsigned char *source = from + r * step;
        if (step) { // the page's translation
            mbarrier_expect(bar_at(1), 16);
            bulk_load(data_at(0), source + (mebi * 2 - 16), 16, bar_at(1));
            mbarrier_wait(bar_at(1), r & 1);
        }
        long long t0 = card_clock();
        mbarrier_expect(bar_at(0), (uint32_t)(bytes * count));
        for (int c = 0; c < count; c++) bulk_load(data_at(c * bytes), source + c * bytes, bytes, bar_at(0));
        long long t1 = card_clock();
        mbarrier_wait(bar_at(0), r & 1);
        out[r] = {t1 - t0, card_clock() - t0};
    }
}

static std::vector<double> pick(const std::vector<timed> &t, bool issue)
{
    std::vector<double> v;
    for (const timed &x : t) v.push_back((double)(issue ? x.issue : x.done));
    return v;
}

static std::string bytes_text(int bytes)
{
    return bytes < 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1024) + " KiB";
}

// T = a + b * bytes, L2 hot and DRAM cold.
static void load()
{
    card_shared(load_times, block_bytes);
    for (int cold = 0; cold < 2; cold++)
        for (int bytes = 16; bytes <= 65536; bytes *= bytes < 1024 ? 4 : 2)
            for (int count = 1; count <= 32 && count * bytes <= data_bytes; count *= 2) {
                if (count > 1 && count != 4 && count != 16 && count != 32) continue;
                int rounds = 17;
                load_times<<<1, 32, block_bytes>>>(results(), big_memory() + (cold ? 128 * mebi : 0), bytes,
                                                   count, cold ? 2 * mebi : 0, rounds);
                CARD_WAIT();
                auto t = card_read(results(), (size_t)rounds);
                std::string name = "cp.async.bulk global to shared, " + std::to_string(count) + " of " +
                                   bytes_text(bytes) + (cold ? ", DRAM" : ", L2");
                card_median(name + ": latency", "cycles", pick(t, false), 3);
                if (!cold) card_median(name + ": issue", "cycles", pick(t, true), 3, "expect_tx included");
                if (cold) { // evict: other lines of every L2 set
                    CARD_TRY(cudaMemset(big_memory() + 1024 * mebi, 0, 256 * mebi));
                    CARD_WAIT();
                }
            }
}

// The part of a memory that a block walks: copies of `bytes`, in turn.
struct walk {
    unsigned char *at, *begin, *last;

    __device__ walk(unsigned char *memory, size_t region, int bytes)
        : begin(memory), last(memory + region - bytes)
    {
        at = memory + (((region / gridDim.x) * blockIdx.x) & ~(size_t)1023);
    }
    __device__ unsigned char *next(int bytes)
    {
        unsigned char *now = at;
        at = at + bytes > last ? begin : at + bytes;
        return now;
    }
};

// Keeps `stages` loads in flight.
template <int stages> __device__ __forceinline__ void load_stream(walk w, int bytes, int turns)
{
    for (int turn = 0; turn <= turns; turn++)
#pragma unroll
        for (int s = 0; s < stages; s++) {
            if (turn) mbarrier_wait(bar_at(s), (turn - 1) & 1);
            if (turn == turns) continue;
            mbarrier_expect(bar_at(s), bytes);
            bulk_load(data_at(s * bytes), w.next(bytes), bytes, bar_at(s));
        }
}

// Adds or stores: 0 store, 1 add f32, 2 add u32, 3 add f16.
template <int kind> __device__ __forceinline__ void bulk_out(void *to, uint32_t from, int bytes)
{
    if constexpr (kind == 0) bulk_store(to, from, bytes);
    if constexpr (kind == 1)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
                     "r"(from), "r"(bytes)
                     : "memory");
    if constexpr (kind == 2)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to),
                     "r"(from), "r"(bytes)
                     : "memory");
    if constexpr (kind == 3)
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(to),
            "r"(from), "r"(bytes)
            : "memory");
}

// Keeps four stores or reductions in flight.
template <int kind, int stages> __device__ __forceinline__ void out_stream(walk w, int bytes, int turns)
{
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int s = 0; s < stages; s++) {
            bulk_out<kind>(w.next(bytes), data_at(s * bytes), bytes);
            bulk_commit();
            bulk_wait_read<3>();
        }
    bulk_wait<0>();
}

// Directions: 1 load, 2 store, 3 both (a second warp stores, to a region behind), 4 add.f32, 5 add.u32.
template <int direction, int stages>
__global__ void stream(timed *out, unsigned char *memory, size_t region, int bytes, int turns)
{
    for (int i = threadIdx.x; i < stages; i += blockDim.x) mbarrier_init(bar_at(i), 1);
    __syncthreads();
    long long t0 = card_clock();
    if (threadIdx.x < 32) {
        if (card_elected()) {
            walk w(memory, region, bytes);
            if constexpr (direction == 1 || direction == 3) load_stream<stages>(w, bytes, turns);
            if constexpr (direction == 2) out_stream<0, stages>(w, bytes, turns);
            if constexpr (direction >= 4) out_stream<direction - 3, stages>(w, bytes, turns);
        }
    } else if (direction == 3) {
        if (card_elected()) out_stream<0, stages>(walk(memory + region, region, bytes), bytes, turns);
    }
    __syncwarp();
    long long t1 = card_clock();
    if (threadIdx.x % 32 == 0) out[blockIdx.x * 2 + threadIdx.x / 32] = {t0, t1};
}

// Bytes per cycle of every block together, from the slowest warp's cycles.
template <int direction, int stages>
static void stream_rows(const char *name, const char *where, size_t region, int blocks, int bytes, int total)
{
    std::vector<double> rate;
    auto k = stream<direction, stages>;
    card_shared(k, block_bytes);
    int turns = total / (bytes * stages);
    for (int i = 0; i < 4; i++) {
        size_t fresh = region > 1024 * mebi ? (size_t)i * 16 * mebi : 0;
        k<<<blocks, 64, block_bytes>>>(results(), big_memory() + fresh, region, bytes, turns);
        CARD_WAIT();
        long long worst = 0;
        for (const timed &t : card_read(results(), (size_t)blocks * 2))
            worst = std::max(worst, t.done - t.issue);
        rate.push_back((double)bytes * stages * turns * blocks * (direction == 3 ? 2 : 1) / (double)worst);
    }
    card_median(std::string(name) + ", " + bytes_text(bytes) + " x " + std::to_string(stages) + ", " + where +
                    ", " + (blocks == 1 ? "one SM" : "all SMs") + ": sustained",
                "bytes/cycle", rate, 1, direction == 3 ? "sum of both directions" : "");
}

template <int stages> static void load_rows(int bytes)
{
    for (int blocks : {1, card_sms()}) {
        stream_rows<1, stages>("cp.async.bulk global to shared", "L2 20 MB", 20000000, blocks, bytes,
                               2 * (int)mebi);
        stream_rows<1, stages>("cp.async.bulk global to shared", "DRAM", 4000 * mebi, blocks, bytes,
                               (blocks == 1 ? 2 : 8) * (int)mebi);
    }
}

static void sustained()
{
    for (int bytes : {128, 256, 512, 1024, 2048, 4096, 8192}) load_rows<16>(bytes);
    for (int bytes : {2048, 4096, 8192, 16384}) load_rows<8>(bytes);
    for (int bytes : {2048, 4096, 8192, 16384, 32768}) load_rows<4>(bytes);
    for (int bytes : {4096, 16384, 32768, 65536}) load_rows<2>(bytes);
    for (int bytes : {4096, 32768}) load_rows<1>(bytes);
    for (int blocks : {1, card_sms()}) {
        int total = 2 * (int)mebi;
        for (int bytes : {128, 512, 1024, 4096, 16384}) {
            stream_rows<2, 4>("cp.async.bulk shared to global", "L2 20 MB", 20000000, blocks, bytes, total);
            stream_rows<2, 4>("cp.async.bulk shared to global", "DRAM", 4000 * mebi, blocks, bytes,
                              blocks == 1 ? total : total * 4);
            stream_rows<3, 4>("cp.async.bulk in both directions", "L2 10 MB each", 10000000, blocks, bytes,
                              total);
            stream_rows<4, 4>("cp.reduce.async.bulk add f32", "L2 20 MB", 20000000, blocks, bytes, total);
            stream_rows<5, 4>("cp.reduce.async.bulk add u32", "L2 20 MB", 20000000, blocks, bytes, total);
        }
        stream_rows<3, 4>("cp.async.bulk in both directions", "DRAM", 2000 * mebi, blocks, 16384, total * 4);
    }
}

// One store or reduction of `bytes`: issue, until wait_group.read, until wait_group.
template <int kind>
__global__ void store_times(timed *out, unsigned char *to, int bytes, int count, int rounds)
{
    if (!card_elected()) return;
    for (int r = 0; r < rounds; r++) {
        long long t0 = card_clock();
        for (int c = 0; c < count; c++) bulk_out<kind>(to + c * bytes, data_at(c * bytes), bytes);
        bulk_commit();
        long long t1 = card_clock();
        bulk_wait_read<0>();
        long long t2 = card_clock();
        bulk_wait<0>();
        long long t3 = card_clock();
        out[2 * r] = {t1 - t0, t2 - t0};
        out[2 * r + 1] = {t1 - t0, t3 - t0};
    }
}

template <int kind> static void store_rows(const char *what)
{
    card_shared(store_times<kind>, block_bytes);
    for (int bytes = 16; bytes <= 65536; bytes *= bytes < 1024 ? 8 : 2)
        for (int count : {1, 8}) {
            if (bytes * count > data_bytes) continue;
            store_times<kind><<<1, 32, block_bytes>>>(results(), big_memory(), bytes, count, 12);
            CARD_WAIT();
            auto t = card_read(results(), 24);
            std::vector<double> issue, read, done;
            for (size_t i = 0; i < 24; i += 2) {
                issue.push_back((double)t[i].issue);
                read.push_back((double)t[i].done);
                done.push_back((double)t[i + 1].done);
            }
            std::string name = std::string(what) + ", " + std::to_string(count) + " of " + bytes_text(bytes);
            card_median(name + ": issue", "cycles", issue, 3, "commit included");
            card_median(name + ": until wait_group.read", "cycles", read, 3);
            card_median(name + ": until wait_group", "cycles", done, 3);
        }
}

static void store()
{
    store_rows<0>("cp.async.bulk shared to global, L2");
    store_rows<1>("cp.reduce.async.bulk add f32, L2");
    store_rows<2>("cp.reduce.async.bulk add u32, L2");
    store_rows<3>("cp.reduce.async.bulk add f16, L2");
}

// Prefetch of `bytes` into L2 (issue), `wait` cycles, then a load of the same bytes.
__global__ void prefetch_times(timed *out, const unsigned char *from, int bytes, int wait, int rounds)
{
    if (!card_elected()) return;
    mbarrier_init(bar_at(0), 1);
    for (int r = 0; r < rounds; r++) {
        const unsigned char *source = from + r * 2 * mebi;
        long long t0 = card_clock();
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(source), "r"(bytes) : "memory");
        long long t1 = card_clock();
        while (card_clock() - t1 < wait) {
        }
        long long t2 = card_clock();
        mbarrier_expect(bar_at(0), bytes);
        bulk_load(data_at(0), source, bytes, bar_at(0));
        mbarrier_wait(bar_at(0), r & 1);
        out[r] = {t1 - t0, card_clock() - t2};
    }
}

static void prefetch()
{
    card_shared(prefetch_times, block_bytes);
    for (int bytes : {1024, 16384})
        for (int wait : {0, 500, 1000, 2000, 10000}) {
            CARD_TRY(cudaMemset(big_memory() + 1024 * mebi, 0, 256 * mebi));
            prefetch_times<<<1, 32, block_bytes>>>(results(), big_memory() + 128 * mebi, bytes, wait, 17);
            CARD_WAIT();
            auto t = card_read(results(), 17);
            std::string name = "cp.async.bulk.prefetch.L2 of " + bytes_text(bytes);
            if (!wait) card_median(name + ": issue", "cycles", pick(t, true), 3);
            card_median(name + ": load " + std::to_string(wait) + " cycles later", "cycles", pick(t, false),
                        3);
        }
}

// ---- tensor copies ----

// What a map is made from.
struct map_form {
    CUtensorMapDataType type;
    int size; // bytes of an element
    int rank;
    cuuint64_t dims[5];
    cuuint32_t box[5];
    cuuint32_t steps[5] = {1, 1, 1, 1, 1};
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    cuuint64_t padding = 0; // bytes added to the first stride
    bool im2col = false;
    int lower[3] = {}, upper[3] = {};
    cuuint32_t channels = 0, pixels = 0;
};

// Encodes a map over `address`. Returns the driver's status.
static CUresult encode(const map_form &f, void *address, CUtensorMap *map)
{
    cuuint64_t strides[4];
    cuuint64_t bytes = f.interleave ? 16 * (cuuint64_t)f.interleave : 1;
    bytes = f.interleave ? bytes * f.dims[0] : f.dims[0] * (cuuint64_t)f.size;
    bytes += f.padding;
    for (int i = 0; i < f.rank - 1; i++) strides[i] = bytes, bytes *= f.dims[i + 1];
    std::memset(map, 0xcd, sizeof *map);
    if (f.im2col)
        return cuTensorMapEncodeIm2col(map, f.type, (cuuint32_t)f.rank, address, f.dims, strides, f.lower,
                                       f.upper, f.channels, f.pixels, f.steps, f.interleave, f.swizzle,
                                       f.promotion, f.fill);
    return cuTensorMapEncodeTiled(map, f.type, (cuuint32_t)f.rank, address, f.dims, strides, f.box, f.steps,
                                  f.interleave, f.swizzle, f.promotion, f.fill);
}

static bool encoded(const map_form &f, CUtensorMap *map)
{
    CUresult r = encode(f, big_memory(), map);
    if (r != CUDA_SUCCESS) std::fprintf(stderr, "tensor map of rank %d refused: status %d\n", f.rank, (int)r);
    return r == CUDA_SUCCESS;
}

// Loads a box of a tile map, or of an im2col map, at the coordinates.
template <int rank, bool im2col>
__device__ __forceinline__ void tensor_load(uint32_t to, const CUtensorMap *map, uint32_t bar,
                                            const int (&c)[5])
{
#define TENSOR_TAIL ::"r"(to), "l"(map), "r"(bar)
#define TENSOR_OP   "cp.async.bulk.tensor."
#define TENSOR_MID  ".shared::cluster.global"
#define TENSOR_END  ".mbarrier::complete_tx::bytes [%0], [%1, "
    const unsigned short zero = 0;
    if constexpr (rank == 1)
        asm volatile(TENSOR_OP "1d" TENSOR_MID TENSOR_END "{%3}], [%2];" TENSOR_TAIL, "r"(c[0]) : "memory");
    if constexpr (rank == 2)
        asm volatile(TENSOR_OP "2d" TENSOR_MID TENSOR_END "{%3,%4}], [%2];" TENSOR_TAIL, "r"(c[0]), "r"(c[1])
                     : "memory");
    if constexpr (rank == 3 && !im2col)
        asm volatile(TENSOR_OP "3d" TENSOR_MID TENSOR_END "{%3,%4,%5}], [%2];" TENSOR_TAIL, "r"(c[0]),
                     "r"(c[1]), "r"(c[2])
                     : "memory");
    if constexpr (rank == 4 && !im2col)
        asm volatile(TENSOR_OP "4d" TENSOR_MID TENSOR_END "{%3,%4,%5,%6}], [%2];" TENSOR_TAIL, "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(c[3])
                     : "memory");
    if constexpr (rank == 5 && !im2col)
        asm volatile(TENSOR_OP "5d" TENSOR_MID TENSOR_END "{%3,%4,%5,%6,%7}], [%2];" TENSOR_TAIL, "r"(c[0]),
                     "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4])
                     : "memory");
    if constexpr (rank == 3 && im2col)
        asm volatile(TENSOR_OP "3d" TENSOR_MID ".im2col" TENSOR_END "{%3,%4,%5}], [%2], {%6};" TENSOR_TAIL,
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(zero)
                     : "memory");
    if constexpr (rank == 4 && im2col)
        asm volatile(TENSOR_OP "4d" TENSOR_MID ".im2col" TENSOR_END
                               "{%3,%4,%5,%6}], [%2], {%7,%7};" TENSOR_TAIL,
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(zero)
                     : "memory");
    if constexpr (rank == 5 && im2col)
        asm volatile(TENSOR_OP "5d" TENSOR_MID ".im2col" TENSOR_END
                               "{%3,%4,%5,%6,%7}], [%2], {%8,%8,%8};" TENSOR_TAIL,
                     "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "h"(zero)
                     : "memory");
}

// `rounds` rounds of `count` boxes at coordinates (x, y, 0, 0, 0); box k lies `step` further in dimension 1.
template <int rank, bool im2col>
__global__ void tensor_times(timed *out, const __grid_constant__ CUtensorMap map, int bytes, int count, int x,
                             int y, int step, int rounds)
{
    if (!card_elected()) return;
    mbarrier_init(bar_at(0), 1);
    for (int r = 0; r < rounds; r++) {
        long long t0 = card_clock();
        mbarrier_expect(bar_at(0), bytes * count);
        for (int c = 0; c < count; c++) {
            int at[5] = {x, y + c * step, 0, 0, 0};
            tensor_load<rank, im2col>(data_at(c * ((bytes + 1023) & ~1023)), &map, bar_at(0), at);
        }
        long long t1 = card_clock();
        mbarrier_wait(bar_at(0), r & 1);
        out[r] = {t1 - t0, card_clock() - t0};
    }
}

template <int rank, bool im2col>
static void tensor_rows(const std::string &name, const map_form &f, int bytes, int x = 0, int y = 0,
                        int step = 0)
{
    CUtensorMap map;
    if (!encoded(f, &map)) return;
    auto k = tensor_times<rank, im2col>;
    card_shared(k, block_bytes);
    for (int count : {1, 4, 16}) {
        if (count * ((bytes + 1023) & ~1023) > data_bytes) continue;
        k<<<1, 32, block_bytes>>>(results(), map, bytes, count, x, y, step, 14);
        CARD_WAIT();
        auto t = card_read(results(), 14);
        card_median(name + ", " + std::to_string(count) + " outstanding: latency", "cycles", pick(t, false),
                    3);
        card_median(name + ", " + std::to_string(count) + " outstanding: issue", "cycles", pick(t, true), 3,
                    "expect_tx included");
    }
}

static std::string box_text(const map_form &f)
{
    std::string s;
    for (int i = 0; i < f.rank; i++) s += (i ? "x" : "") + std::to_string(f.box[i]);
    return s;
}

static int box_bytes(const map_form &f)
{
    int bytes = f.size;
    for (int i = 0; i < f.rank; i++) bytes *= (int)f.box[i];
    return bytes;
}

template <int rank>
static void tile_row(const map_form &f, const std::string &note, int x = 0, int y = 0, int step = 0)
{
    tensor_rows<rank, false>("cp.async.bulk.tensor." + std::to_string(rank) + "d box " + box_text(f) +
                                 " of " + std::to_string(f.size) + " B" + note + ", L2",
                             f, box_bytes(f), x, y, step);
}

constexpr CUtensorMapDataType f16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;

// Latency of boxes by rank, size, swizzle; boxes out of bounds.
static void tensor()
{
    for (cuuint32_t n : {16u, 64u, 256u}) tile_row<1>({f16, 2, 1, {65536}, {n}}, "");
    for (cuuint32_t rows : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u})
        tile_row<2>({f16, 2, 2, {1024, 4096}, {64, rows}}, "", 0, 0, (int)rows);
    for (cuuint32_t width : {8u, 16u, 32u, 128u, 256u})
        tile_row<2>({f16, 2, 2, {1024, 4096}, {width, 64}}, "", 0, 0, 64);
    tile_row<3>({f16, 2, 3, {256, 64, 64}, {64, 8, 1}}, "");
    tile_row<3>({f16, 2, 3, {256, 64, 64}, {64, 8, 8}}, "");
    tile_row<3>({f16, 2, 3, {256, 64, 64}, {16, 4, 8}}, "");
    tile_row<4>({f16, 2, 4, {256, 32, 32, 16}, {64, 4, 4, 4}}, "");
    tile_row<4>({f16, 2, 4, {256, 32, 32, 16}, {64, 4, 2, 1}}, "");
    tile_row<5>({f16, 2, 5, {256, 16, 16, 16, 8}, {64, 4, 4, 2, 2}}, "");
    tile_row<5>({f16, 2, 5, {256, 16, 16, 16, 8}, {64, 2, 2, 2, 1}}, "");
    const char *const names[] = {", no swizzle", ", swizzle 32", ", swizzle 64", ", swizzle 128"};
    for (int s = 0; s < 4; s++)
        for (cuuint32_t rows : {8u, 64u, 128u}) {
            map_form f = {f16, 2, 2, {1024, 4096}, {s ? 8u << s : 64u, rows}};
            f.swizzle = (CUtensorMapSwizzle)s;
            tile_row<2>(f, names[s], 0, 0, (int)rows);
        }
    map_form f = {f16, 2, 2, {1024, 4096}, {64, 64}};
    tile_row<2>(f, ", outside in dimension 0", 4096, 0);
    tile_row<2>(f, ", outside in dimension 1", 0, 8192);
    tile_row<2>(f, ", half outside in dimension 0", 992, 0);
    tile_row<2>(f, ", half outside in dimension 1", 0, 4064);
    tile_row<2>(f, ", not aligned to 64 B", 8, 3);
    map_form wide = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {1024, 4096}, {32, 64}};
    tile_row<2>(wide, ", f32");
    wide = {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 2, {1024, 4096}, {128, 64}};
    tile_row<2>(wide, ", u8");
    f.steps[1] = 2;
    tensor_rows<2, false>("cp.async.bulk.tensor.2d box 64x64 of 2 B, element stride 2 in dimension 1, L2", f,
                          64 * 32 * 2);
}

static map_form im2col_form(int rank, cuuint32_t channels, cuuint32_t pixels)
{
    map_form f = {f16, 2, rank, {256, 32, 32, 32, 8}, {}};
    if (rank == 3) f.dims[2] = 8;
    f.im2col = true, f.channels = channels, f.pixels = pixels;
    for (int i = 0; i < rank - 2; i++) f.lower[i] = 0, f.upper[i] = 0;
    return f;
}

static void im2col()
{
    for (cuuint32_t pixels : {8u, 64u, 128u}) {
        std::string tail = " im2col, 64 channels of 2 B, " + std::to_string(pixels) + " pixels, L2";
        int bytes = (int)pixels * 128;
        tensor_rows<3, true>("cp.async.bulk.tensor.3d" + tail, im2col_form(3, 64, pixels), bytes);
        tensor_rows<4, true>("cp.async.bulk.tensor.4d" + tail, im2col_form(4, 64, pixels), bytes);
        tensor_rows<5, true>("cp.async.bulk.tensor.5d" + tail, im2col_form(5, 64, pixels), bytes);
    }
}

// Descriptors in global memory: first use and second use of each of `count` maps, with or without a prefetch
// 4,000 cycles before.
__global__ void descriptor_times(timed *out, const CUtensorMap *maps, int bytes, int count, int prefetched)
{
    if (!card_elected()) return;
    mbarrier_init(bar_at(0), 1);
    int phase = 0;
    const int at[5] = {0, 0, 0, 0, 0};
    for (int m = 0; m < count; m++) {
        long long use[2];
        if (prefetched) {
            asm volatile("prefetch.tensormap [%0];" ::"l"(maps + m) : "memory");
            long long t = card_clock();
            while (card_clock() - t < 4000) {
            }
        }
        for (int u = 0; u < 2; u++) {
            long long t0 = card_clock();
            mbarrier_expect(bar_at(0), bytes);
            tensor_load<2, false>(data_at(0), maps + m, bar_at(0), at);
            mbarrier_wait(bar_at(0), phase);
            phase ^= 1;
            use[u] = card_clock() - t0;
        }
        out[m] = {use[0], use[1]};
    }
}

// Time of a load through each of `count` maps in turn, second pass: the reach of the descriptor cache.
__global__ void descriptor_ring(timed *out, const CUtensorMap *maps, int bytes, int count)
{
    if (!card_elected()) return;
    mbarrier_init(bar_at(0), 1);
    int phase = 0;
    const int at[5] = {0, 0, 0, 0, 0};
    for (int pass = 0; pass < 3; pass++) {
        long long t0 = card_clock();
        for (int m = 0; m < count; m++) {
            mbarrier_expect(bar_at(0), bytes);
            tensor_load<2, false>(data_at(0), maps + m, bar_at(0), at);
            mbarrier_wait(bar_at(0), phase);
            phase ^= 1;
        }
        out[pass] = {t0, card_clock()};
    }
}

static void descriptors()
{
    constexpr int count = 8192;
    map_form f = {f16, 2, 2, {1024, 4096}, {64, 2}};
    CUtensorMap map;
    if (!encoded(f, &map)) return;
    std::vector<CUtensorMap> maps(count, map);
    auto *device = (CUtensorMap *)card_memory<unsigned char>(count * sizeof(CUtensorMap));
    card_shared(descriptor_times, block_bytes);
    card_shared(descriptor_ring, block_bytes);
    for (int prefetched = 0; prefetched < 2; prefetched++) {
        CARD_TRY(cudaMemcpy(device, maps.data(), count * sizeof(CUtensorMap), cudaMemcpyHostToDevice));
        descriptor_times<<<1, 32, block_bytes>>>(results(), device, 256, 64, prefetched);
        CARD_WAIT();
        auto t = card_read(results(), 64);
        std::string note = prefetched ? ", prefetch.tensormap 4,000 cycles before" : "";
        card_median("tensor copy of 256 B, first use of a descriptor" + note, "cycles", pick(t, true), 4);
        card_median("tensor copy of 256 B, second use of a descriptor" + note, "cycles", pick(t, false), 4);
    }
    for (int n : {1,  2,  4,  6,  7,  8,   9,   10,  11,   12,   13,   14,
                  15, 16, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
        descriptor_ring<<<1, 32, block_bytes>>>(results(), device, 256, n);
        CARD_WAIT();
        auto t = card_read(results(), 3);
        card_value("tensor copy of 256 B through a ring of " + std::to_string(n) + " descriptors", "cycles",
                   (double)(t[2].done - t[2].issue) / n, "third pass");
    }
}

// Tensor copies kept in flight by one thread a block: boxes of 64 x `rows` f16, swizzle 128, row after row of 16 boxes. Every
// block starts at a box of its own: the L2 merges requests of several SMs for the same lines (up to 10 KB/cycle seen).
template <int stages>
__global__ void tensor_stream(timed *out, const __grid_constant__ CUtensorMap map, int rows, int turns,
                              int height)
{
    if (!card_elected()) return;
    for (int i = 0; i < stages; i++) mbarrier_init(bar_at(i), 1);
    int bytes = rows * 128, boxes = 16 * (height / rows);
    int first = (int)((long long)boxes * blockIdx.x / gridDim.x), x = first % 16 * 64, y = first / 16 * rows;
    long long t0 = card_clock();
    for (int turn = 0; turn <= turns; turn++)
#pragma unroll
        for (int s = 0; s < stages; s++) {
            if (turn) mbarrier_wait(bar_at(s), (turn - 1) & 1);
            if (turn == turns) continue;
            const int at[5] = {x, y, 0, 0, 0};
            mbarrier_expect(bar_at(s), bytes);
            tensor_load<2, false>(data_at(s * bytes), &map, bar_at(s), at);
            x += 64;
            if (x == 1024) x = 0, y = y + 2 * rows > height ? 0 : y + rows;
        }
    out[blockIdx.x] = {t0, card_clock()};
}

template <int stages> static void tensor_stream_rows(int rows, bool dram)
{
    if (rows * 128 * stages > data_bytes) return;
    auto k = tensor_stream<stages>;
    card_shared(k, block_bytes);
    int height = dram ? 1 << 20 : 8192, sms = card_sms();
    map_form f = {f16, 2, 2, {1024, (cuuint64_t)height}, {64, (cuuint32_t)rows}};
    f.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    CUtensorMap map;
    if (!encoded(f, &map)) return;
    for (int blocks : {1, sms}) {
        int turns = (int)(2 * mebi) / (rows * 128 * stages) * (dram && blocks > 1 ? 4 : 1);
        std::vector<double> rate;
        for (int i = 0; i < 3; i++) {
            k<<<blocks, 32, block_bytes>>>(results(), map, rows, turns, height);
            CARD_WAIT();
            long long worst = 0;
            for (const timed &t : card_read(results(), (size_t)blocks))
                worst = std::max(worst, t.done - t.issue);
            rate.push_back((double)turns * stages * rows * 128 * blocks / (double)worst);
        }
        card_median("cp.async.bulk.tensor.2d box 64x" + std::to_string(rows) + " of 2 B, swizzle 128, x " +
                        std::to_string(stages) + (dram ? ", DRAM, " : ", L2 16 MiB, ") +
                        (blocks == 1 ? "one SM" : "all SMs") + ": sustained",
                    "bytes/cycle", rate, 1);
    }
}

static void tensor_sustained()
{
    for (int dram = 0; dram < 2; dram++)
        for (int rows : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
            tensor_stream_rows<2>(rows, dram);
            tensor_stream_rows<4>(rows, dram);
            tensor_stream_rows<8>(rows, dram);
            tensor_stream_rows<16>(rows, dram);
        }
}

// Tensor stores and tensor reductions.
template <int kind>
__global__ void tensor_store_times(timed *out, const __grid_constant__ CUtensorMap map, int rounds)
{
    if (!card_elected()) return;
    for (int r = 0; r < rounds; r++) {
        long long t0 = card_clock();
        if (kind == 0)
            asm volatile(
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&map),
                "r"(0), "r"(data_at(0))
                : "memory");
        else
            asm volatile(
                "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %1}], [%2];" ::
                    "l"(&map),
                "r"(0), "r"(data_at(0))
                : "memory");
        bulk_commit();
        long long t1 = card_clock();
        bulk_wait_read<0>();
        long long t2 = card_clock();
        bulk_wait<0>();
        long long t3 = card_clock();
        out[2 * r] = {t1 - t0, t2 - t0};
        out[2 * r + 1] = {t1 - t0, t3 - t0};
    }
}

template <int kind> static void tensor_store_rows(const char *what)
{
    auto k = tensor_store_times<kind>;
    card_shared(k, block_bytes);
    for (cuuint32_t rows : {1u, 8u, 64u, 256u}) {
        CUtensorMap map;
        if (!encoded({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {1024, 4096}, {32, rows}}, &map)) continue;
        k<<<1, 32, block_bytes>>>(results(), map, 12);
        CARD_WAIT();
        auto t = card_read(results(), 24);
        std::vector<double> issue, read, done;
        for (size_t i = 0; i < 24; i += 2) {
            issue.push_back((double)t[i].issue);
            read.push_back((double)t[i].done);
            done.push_back((double)t[i + 1].done);
        }
        std::string name = std::string(what) + " box 32x" + std::to_string(rows) + " of f32, L2";
        card_median(name + ": issue", "cycles", issue, 3, "commit included");
        card_median(name + ": until wait_group.read", "cycles", read, 3);
        card_median(name + ": until wait_group", "cycles", done, 3);
    }
}

static void tensor_store()
{
    tensor_store_rows<0>("cp.async.bulk.tensor.2d shared to global");
    tensor_store_rows<1>("cp.reduce.async.bulk.tensor.2d add");
}

// ---- mbarriers and fences ----

constexpr int chain_count = 64;

// Sixty-four of an instruction in a row: cycles of each.
template <int kind> __global__ void barrier_costs(timed *out)
{
    for (int i = 0; i < chain_count; i++) mbarrier_init(bar_at(i), 1 << 18);
    mbarrier_init(bar_at(chain_count), 1);
    if (threadIdx.x == 0) mbarrier_arrive(bar_at(chain_count)); // phase 0 has completed
    __syncwarp();
    unsigned long long token = 0;
    uint32_t done = 0;
    for (int r = 0; r < 4; r++) {
        long long t0 = card_clock();
#pragma unroll
        for (int i = 0; i < chain_count; i++) {
            if (kind == 0)
                asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar_at(i)), "r"(1 << 18) : "memory");
            if (kind == 1) mbarrier_arrive(bar_at(0));
            if (kind == 2) mbarrier_expect(bar_at(0), 0);
            if (kind == 3)
                asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                             : "=l"(token)
                             : "r"(bar_at(0))
                             : "memory");
            if (kind == 4) done += mbarrier_try(bar_at(chain_count), 0);
            if (kind == 5)
                asm volatile("{.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n"
                             "selp.u32 %0, 1, 0, p;}"
                             : "=r"(done)
                             : "r"(bar_at(chain_count))
                             : "memory");
            if (kind == 6)
                asm volatile("{.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n"
                             "selp.u32 %0, 1, 0, p;}"
                             : "=r"(done)
                             : "r"(bar_at(0))
                             : "memory");
            if (kind == 7) fence_async();
            if (kind == 8) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            if (kind == 9)
                asm volatile("st.shared.u32 [%0], %1;\nfence.proxy.async.shared::cta;" ::"r"(data_at(i * 4)),
                             "r"(i)
                             : "memory");
            if (kind == 10) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            if (kind == 11)
                asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(bar_at(i)),
                             "r"(16 + r)
                             : "memory");
            if (kind == 12) { // arrive and wait for the own phase
                mbarrier_arrive(bar_at(chain_count));
                mbarrier_wait(bar_at(chain_count), (r * chain_count + i + 1) & 1);
            }
            if (kind == 13) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(bar_at(i)) : "memory");
            if (kind == 14) {
                uint32_t leader;
                asm volatile("{.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;}"
                             : "=r"(leader));
                done += leader;
            }
            if (kind == 15) asm volatile("fence.acq_rel.cta;" ::: "memory");
            if (kind == 16) asm volatile("fence.acq_rel.cluster;" ::: "memory");
            if (kind == 17) asm volatile("fence.acq_rel.gpu;" ::: "memory");
            if (kind == 18) asm volatile("fence.sc.gpu;" ::: "memory");
            if (kind == 19) asm volatile("membar.sys;" ::: "memory");
            if (kind == 20) { // arrive.expect_tx and wait for the own phase
                mbarrier_expect(bar_at(chain_count), 0);
                mbarrier_wait(bar_at(chain_count), (r * chain_count + i + 1) & 1);
            }
        }
        long long t1 = card_clock();
        if (threadIdx.x == 0) out[r] = {t1 - t0, (long long)(token + done)};
        __syncwarp();
    }
}

template <int kind> static void barrier_row(const char *name, int threads = 1)
{
    card_shared(barrier_costs<kind>, block_bytes);
    barrier_costs<kind><<<1, threads, block_bytes>>>(results());
    CARD_WAIT();
    std::vector<double> v = pick(card_read(results(), 4), true);
    for (double &x : v) x /= chain_count;
    card_median(std::string(name) + ": interval", "cycles", v, 1,
                threads == 1 ? "one lane, 64 in a row" : "full warp, 64 in a row");
}

// A try_wait on a phase that nobody completes: how long the instruction suspends. hint 0: without a hint.
__global__ void failing_wait(timed *out, int hint)
{
    mbarrier_init(bar_at(0), 2);
    for (int r = 0; r < 4; r++) {
        uint32_t done;
        long long t0 = card_clock();
        if (hint)
            asm volatile(
                "{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0, %2;\nselp.u32 %0, 1, 0, p;}"
                : "=r"(done)
                : "r"(bar_at(0)), "r"(hint)
                : "memory");
        else
            done = mbarrier_try(bar_at(0), 0);
        out[r] = {card_clock() - t0 + done, done};
    }
}

// Warp `waiter` waits; warp 0 arrives last after `delay` cycles. Clock of the instruction before the arrival to the
// clock of the instruction behind the wait. Kinds: 0 mbarrier, 1 flag in shared memory, 2 bar.sync of both warps,
// 3 bar.arrive of warp 0 and bar.sync of the waiter. Behind a bar.sync a load from shared memory comes first: ptxas
// moves a bare read of the clock before the barrier.
template <int kind> __global__ void wake_times(timed *out, int delay, int rounds, int waiter)
{
    __shared__ long long stamps[2];
    __shared__ volatile int flag;
    int warp = (int)threadIdx.x / 32;
    if (threadIdx.x == 0) mbarrier_init(bar_at(0), 1), flag = 0;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        long long now = 0;
        if (warp == 0) {
            long long t = card_clock();
            while (card_clock() - t < delay) {
            }
            now = card_clock();
            if (kind == 0 && card_elected()) mbarrier_arrive(bar_at(0));
            if (kind == 1) flag = r + 1;
            if (kind == 2) asm volatile("bar.sync 1, 64;" ::: "memory");
            if (kind == 3) asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else if (warp == waiter) {
            if (kind == 0) mbarrier_wait(bar_at(0), r & 1);
            if (kind == 1)
                for (int i = 0; flag != r + 1 && i < 1 << 24; i++) {
                }
            if (kind >= 2) asm volatile("bar.sync 1, 64;" ::: "memory");
            now = kind >= 2 ? card_clock_after((unsigned)flag + 2ull) : card_clock();
        }
        if (threadIdx.x % 32 == 0 && (warp == 0 || warp == waiter)) stamps[warp != 0] = now;
        __syncthreads();
        if (threadIdx.x == 0) out[r] = {stamps[1] - stamps[0], 0};
    }
}

template <int kind> static void wake_rows(const char *name)
{
    card_shared(wake_times<kind>, block_bytes);
    for (int waiter : {1, 4})
        for (int delay : {200, 300, 2000, 20000}) {
            wake_times<kind><<<1, 160, block_bytes>>>(results(), delay, 16, waiter);
            CARD_WAIT();
            card_median(std::string(name) + ", waiting for " + std::to_string(delay) + " cycles, warps of " +
                            (waiter == 4 ? "one sub-core" : "two sub-cores") +
                            ": arrival to next instruction",
                        "cycles", pick(card_read(results(), 16), true), 3, "two clock reads included");
        }
}

static void barriers()
{
    barrier_row<0>("mbarrier.init");
    barrier_row<1>("mbarrier.arrive, sink");
    barrier_row<1>("mbarrier.arrive, sink, 32 lanes", 32);
    barrier_row<2>("mbarrier.arrive.expect_tx 0");
    barrier_row<3>("mbarrier.arrive with a state");
    barrier_row<11>("mbarrier.expect_tx");
    barrier_row<4>("mbarrier.try_wait that succeeds");
    barrier_row<4>("mbarrier.try_wait that succeeds, 32 lanes", 32);
    barrier_row<5>("mbarrier.test_wait that succeeds");
    barrier_row<6>("mbarrier.test_wait that fails");
    barrier_row<12>("mbarrier.arrive, then try_wait of the own phase");
    barrier_row<20>("mbarrier.arrive.expect_tx, then try_wait of the own phase");
    barrier_row<7>("fence.proxy.async");
    barrier_row<8>("fence.proxy.async.shared::cta");
    barrier_row<9>("st.shared and fence.proxy.async.shared::cta");
    barrier_row<10>("fence.mbarrier_init.release.cluster");
    barrier_row<14>("elect.sync", 32);
    barrier_row<15>("fence.acq_rel.cta", 32);
    barrier_row<16>("fence.acq_rel.cluster", 32);
    barrier_row<17>("fence.acq_rel.gpu", 32);
    barrier_row<18>("fence.sc.gpu", 32);
    barrier_row<19>("membar.sys", 32);
    barrier_row<13>("mbarrier.inval");
    card_shared(failing_wait, block_bytes);
    for (int hint : {0, 32, 1000, 10000, 100000, 1000000}) {
        failing_wait<<<1, 1, block_bytes>>>(results(), hint);
        CARD_WAIT();
        card_median("mbarrier.try_wait that fails, " +
                        (hint ? "hint of " + std::to_string(hint) + " ns" : std::string("no hint")) +
                        ": suspended",
                    "cycles", pick(card_read(results(), 4), true), 1);
    }
    wake_rows<0>("mbarrier.try_wait");
    wake_rows<1>("polling of a shared flag");
    wake_rows<2>("bar.sync of two warps");
    wake_rows<3>("bar.arrive and bar.sync");
}

// ---- multicast ----

// Sends `bytes` to the same place of every block of the mask.
__device__ __forceinline__ void bulk_multicast(uint32_t to, const void *from, uint32_t bytes, uint32_t bar,
                                               uint32_t mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1], %2, "
                 "[%3], %4;" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(bar), "h"((unsigned short)mask)
                 : "memory");
}

__device__ __forceinline__ uint32_t cluster_blocks()
{
    uint32_t n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

// The cluster's rank 0 sends `bytes` to every block; each block waits on its own mbarrier. Round times from the cluster
// barrier before, by the block's own clock.
__global__ void multicast_times(timed *out, const unsigned char *from, int bytes, int rounds, int multicast)
{
    if (threadIdx.x == 0) mbarrier_init(bar_at(0), 1);
    card_cluster_sync();
    uint32_t rank = card_rank(), mask = (1u << cluster_blocks()) - 1;
    for (int r = 0; r < rounds; r++) {
        if (card_elected()) mbarrier_expect(bar_at(0), bytes);
        card_cluster_sync();
        long long t0 = card_clock();
        if ((!multicast || rank == 0) && card_elected()) {
            if (multicast)
                bulk_multicast(data_at(0), from, bytes, bar_at(0), mask);
            else
                bulk_load(data_at(0), from, bytes, bar_at(0));
        }
        long long t1 = card_clock();
        mbarrier_wait(bar_at(0), r & 1);
        long long t2 = card_clock();
        if (threadIdx.x == 0) out[blockIdx.x * 32 + r] = {t1 - t0, t2 - t0};
        card_cluster_sync();
    }
}

// Sustained, four stages: every block loads its share of a stage and sends the share to the whole cluster, once all
// blocks have released the stage (lane b arrives at block b). Without multicast a block loads the whole stage itself
// and waits for nobody. Bytes received are counted.
__global__ void multicast_stream(timed *out, const unsigned char *from, size_t region, int bytes, int turns,
                                 int multicast)
{
    constexpr int stages = 4;
    uint32_t rank = card_rank(), blocks = cluster_blocks(), mask = (1u << blocks) - 1, lane = threadIdx.x;
    if (lane == 0)
        for (int i = 0; i < stages; i++) mbarrier_init(bar_at(i), 1), mbarrier_init(bar_at(32 + i), blocks);
    card_cluster_sync();
    int share = bytes / (int)blocks;
    size_t at = (region / gridDim.x * (blockIdx.x / blocks * blocks)) & ~(size_t)65535;
    long long t0 = card_clock();
    for (int turn = 0; turn <= turns; turn++)
#pragma unroll
        for (int s = 0; s < stages; s++) {
            if (turn) mbarrier_wait(bar_at(s), (turn - 1) & 1);
            if (turn == turns) continue;
            if (turn && multicast) {
                if (lane < blocks) mbarrier_arrive_remote(bar_at(32 + s), lane);
                mbarrier_wait(bar_at(32 + s), (turn - 1) & 1);
            }
            if (card_elected()) {
                mbarrier_expect(bar_at(s), bytes);
                if (multicast)
                    bulk_multicast(data_at(s * bytes + rank * share), from + at + rank * share, share,
                                   bar_at(s), mask);
                else
                    bulk_load(data_at(s * bytes), from + at, bytes, bar_at(s));
            }
            at = at + 2 * (size_t)bytes > region ? 0 : at + bytes;
        }
    if (lane == 0) out[blockIdx.x] = {t0, card_clock()};
    card_cluster_sync();
}

static void multicast()
{
    int sms = card_sms();
    for (int cluster : {1, 2, 4, 8, 16})
        for (int bytes : {256, 4096, 32768})
            for (int cast = cluster > 1 ? 1 : 0; cast >= 0; cast--) {
                if (!card_launch_clusters(multicast_times, cluster, 32, block_bytes, cluster, results(),
                                          big_memory(), bytes, 16, cast))
                    continue;
                auto t = card_read(results(), (size_t)cluster * 32);
                std::vector<double> own, others, issue;
                for (int b = 0; b < cluster; b++)
                    for (int r = 4; r < 16; r++) (b ? others : own).push_back((double)t[b * 32 + r].done);
                for (int r = 4; r < 16; r++) issue.push_back((double)t[r].issue);
                std::string name = std::string(cast ? "multicast" : "separate loads") + " of " +
                                   bytes_text(bytes) + " to " + std::to_string(cluster) + " blocks";
                card_median(name + ": latency at rank 0", "cycles", own);
                card_median(name + ": latency at other ranks", "cycles", others, 0,
                            "from the cluster barrier before, own clock");
                card_median(name + ": issue", "cycles", issue);
            }
    for (int cluster : {1, 2, 4, 8, 16})
        for (int bytes : {8192, 32768})
            for (int cast = 0; cast < 2; cast++)
                for (int dram = 0; dram < 2; dram++) {
                    int blocks = cluster > 4 ? 96 : sms / cluster * cluster, turns = 64 * 32768 / bytes;
                    std::vector<double> rate;
                    size_t region = dram ? 4000 * mebi : 20000000;
                    for (int i = 0; i < 3; i++) {
                        if (!card_launch_clusters(multicast_stream, blocks, 32, block_bytes, cluster,
                                                  results(), big_memory(), region, bytes, turns, cast))
                            break;
                        long long worst = 0;
                        for (const timed &t : card_read(results(), (size_t)blocks))
                            worst = std::max(worst, t.done - t.issue);
                        rate.push_back(4.0 * turns * bytes / (double)worst);
                    }
                    card_median(std::string(cast ? "multicast" : "separate loads") + ", clusters of " +
                                    std::to_string(cluster) + ", " + bytes_text(bytes) + " x 4, " +
                                    (dram ? "DRAM" : "L2 20 MB") + ": received by an SM, sustained",
                                "bytes/cycle", rate, 1,
                                std::to_string(blocks) + " blocks; every block sends a share");
                }
}

// ---- tensormap.replace ----

// Cost of changing a map in shared memory and of publishing the map.
__global__ void replace_times(timed *out, CUtensorMap *target, const __grid_constant__ CUtensorMap map,
                              int rounds)
{
    auto *words = (unsigned *)shared_memory;
    for (int r = 0; r < rounds; r++) {
        words[threadIdx.x] = ((const unsigned *)&map)[threadIdx.x];
        __syncwarp();
        uint32_t at = data_at(0);
        long long t0 = card_clock();
        if (threadIdx.x == 0)
            asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at),
                         "l"(target)
                         : "memory");
        long long t1 = card_clock();
        if (threadIdx.x == 0)
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;\n"
                         "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;\n"
                         "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %2;\n"
                         "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %3;" ::"r"(at),
                         "r"(512), "l"(2048ull), "r"(64)
                         : "memory");
        long long t2 = card_clock();
        __syncwarp();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                     "[%0], [%1], 128;" ::"l"(target),
                     "r"(at)
                     : "memory");
        long long t3 = card_clock();
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(target) : "memory");
        long long t4 = card_clock();
        if (threadIdx.x == 0) out[2 * r] = {t1 - t0, t2 - t1}, out[2 * r + 1] = {t3 - t2, t4 - t3};
        __syncwarp();
    }
}

static void replace()
{
    CUtensorMap map;
    if (!encoded({f16, 2, 2, {1024, 4096}, {64, 64}}, &map)) return;
    card_shared(replace_times, block_bytes);
    replace_times<<<1, 32, block_bytes>>>(results(), (CUtensorMap *)(big_memory() + mebi), map, 12);
    CARD_WAIT();
    auto t = card_read(results(), 24);
    std::vector<double> one, four, publish, acquire;
    for (size_t i = 0; i < 24; i += 2) {
        one.push_back((double)t[i].issue);
        four.push_back((double)t[i].done);
        publish.push_back((double)t[i + 1].issue);
        acquire.push_back((double)t[i + 1].done);
    }
    card_median("tensormap.replace of the address", "cycles", one, 3);
    card_median("tensormap.replace of 4 fields", "cycles", four, 3);
    card_median("tensormap.cp_fenceproxy release.gpu", "cycles", publish, 3);
    card_median("fence.proxy.tensormap acquire.gpu", "cycles", acquire, 3);
}

// ---- the bytes of tensor maps ----

static void print_map(FILE *to, const map_form &f, int index)
{
    CUtensorMap map;
    CUresult r = encode(f, (void *)0x7f0012345600ull, &map);
    std::fprintf(to, "map %d: %s type %d rank %d dims", index, f.im2col ? "im2col" : "tile", (int)f.type,
                 f.rank);
    for (int i = 0; i < f.rank; i++) std::fprintf(to, " %llu", (unsigned long long)f.dims[i]);
    std::fprintf(to, " padding %llu", (unsigned long long)f.padding);
    if (f.im2col) {
        std::fprintf(to, " lower");
        for (int i = 0; i < f.rank - 2; i++) std::fprintf(to, " %d", f.lower[i]);
        std::fprintf(to, " upper");
        for (int i = 0; i < f.rank - 2; i++) std::fprintf(to, " %d", f.upper[i]);
        std::fprintf(to, " channels %u pixels %u", f.channels, f.pixels);
    } else {
        std::fprintf(to, " box");
        for (int i = 0; i < f.rank; i++) std::fprintf(to, " %u", f.box[i]);
    }
    std::fprintf(to, " steps");
    for (int i = 0; i < f.rank; i++) std::fprintf(to, " %u", f.steps[i]);
    std::fprintf(to, " interleave %d swizzle %d promotion %d fill %d status %d\n", (int)f.interleave,
                 (int)f.swizzle, (int)f.promotion, (int)f.fill, (int)r);
    if (r != CUDA_SUCCESS) return;
    unsigned words[32];
    std::memcpy(words, &map, sizeof words);
    for (int i = 0; i < 32; i++) std::fprintf(to, "%08x%c", words[i], i % 8 == 7 ? '\n' : ' ');
}

static std::vector<map_form> varied_maps()
{
    std::vector<map_form> maps;
    const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    for (int t = 0; t < 13; t++)
        maps.push_back({(CUtensorMapDataType)t, sizes[t], 2, {64, 64}, {(cuuint32_t)(64 / sizes[t]), 8}});
    const map_form base = {f16, 2, 2, {16, 16}, {16, 8}};
    maps.push_back(base);
    maps.push_back({f16, 2, 1, {1000}, {256}});
    maps.push_back({f16, 2, 3, {64, 33, 17}, {32, 4, 3}});
    maps.push_back({f16, 2, 4, {64, 33, 17, 9}, {32, 4, 3, 2}});
    maps.push_back({f16, 2, 5, {64, 33, 17, 9, 5}, {32, 4, 3, 2, 1}});
    for (int s = 1; s <= 6; s++) {
        map_form f = {f16, 2, 2, {1024, 512}, {s < 3 ? 8u << s : 64u, 64}};
        f.swizzle = (CUtensorMapSwizzle)s;
        maps.push_back(f);
    }
    for (int p = 1; p <= 3; p++) maps.push_back(base), maps.back().promotion = (CUtensorMapL2promotion)p;
    maps.push_back(base), maps.back().fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    for (cuuint32_t e = 2; e <= 8; e += 3) maps.push_back(base), maps.back().steps[1] = e;
    maps.push_back(base), maps.back().steps[0] = 2;
    for (cuuint64_t n : {255ull, 256ull, 4095ull, 4096ull, 65536ull, 1ull << 31, 1ull << 32})
        maps.push_back({f16, 2, 2, {256, n}, {64, 8}});
    for (cuuint64_t n : {8ull, 128ull, 65536ull, 1ull << 20}) maps.push_back({f16, 2, 2, {n, 300}, {8, 8}});
    maps.push_back({f16, 2, 2, {1024, 512}, {256, 256}});
    maps.push_back({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 3, {100, 200, 300}, {4, 1, 1}});
    maps.push_back(base), maps.back().padding = 32;
    maps.push_back({f16, 2, 3, {64, 64, 64}, {64, 4, 4}}), maps.back().padding = 128;
    for (int i = 1; i <= 2; i++) {
        map_form f = {f16, 2, 4, {8, 32, 32, 8}, {8, 8, 4, 2}};
        f.interleave = (CUtensorMapInterleave)i;
        if (i == 2) f.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
        maps.push_back(f);
    }
    for (int rank = 3; rank <= 5; rank++)
        for (int v = 0; v < 4; v++) {
            map_form f = im2col_form(rank, v == 1 ? 32 : 64, v == 2 ? 100 : 64);
            for (int i = 0; i < rank - 2; i++)
                f.lower[i] = v >= 1 ? -1 - i : 0, f.upper[i] = v >= 2 ? 1 + i : -v;
            if (v == 3) f.swizzle = CU_TENSOR_MAP_SWIZZLE_128B, f.steps[1] = 2;
            maps.push_back(f);
        }
    map_form f = im2col_form(4, 8, 32);
    f.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    maps.push_back(f);
    return maps;
}

static void maps()
{
    big_memory(); // makes a context
    const char *folder = std::getenv("CARD_OUT");
    FILE *to = folder ? std::fopen((std::string(folder) + "/tensormaps.txt").c_str(), "w") : stderr;
    if (!to) std::perror("tensormaps.txt"), std::exit(1);
    auto all = varied_maps();
    for (size_t i = 0; i < all.size(); i++) print_map(to, all[i], (int)i);
    if (to != stderr) std::fclose(to);
    card_value("tensor maps written", "maps", (double)all.size());
}

static const card_part parts[] = {{"maps", maps},
                                  {"barriers", barriers},
                                  {"load", load},
                                  {"store", store},
                                  {"prefetch", prefetch},
                                  {"sustained", sustained},
                                  {"tensor", tensor},
                                  {"im2col", im2col},
                                  {"descriptors", descriptors},
                                  {"tensor-sustained", tensor_sustained},
                                  {"tensor-store", tensor_store},
                                  {"multicast", multicast},
                                  {"replace", replace}};

int main(int argc, char **argv)
{
    return card_run_parts(argc, argv, parts, (int)(sizeof(parts) / sizeof(parts[0])));
}
