// Asynchronous copies of sm_80, barriers and shared memory of one SM: latency, interval and what may be on its way.
//
// Method: body.cuh's streams where a chain or a rate is asked for; kernels of their own for copies, whose cost is in parts
// (issue, commit, wait). Every wait for another warp ends with a trap.
#include "body.cuh"

// A test that fails takes some 40 cycles, a suspending one that fails some 8,000.
inline constexpr int tries = 1 << 20, tries_long = 1 << 12;

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return uint32_t(__cvta_generic_to_shared(p));
}

// The low half of the clock, as a register of the lane. (The clock may else be read into a uniform register, which
// takes longer.)
__device__ __forceinline__ uint32_t clock_low()
{
    uint32_t t;
    asm volatile("{.reg .u64 c; mov.u64 c,%%clock64; cvt.u32.u64 %0,c;}" : "=r"(t)::"memory");
    return t;
}

template <class T, int N> __device__ __forceinline__ uint32_t digest(const T (&x)[N])
{
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) sum ^= uint32_t(x[i]);
    return sum;
}

// ------------------------------------------------------------------------------------------------ asynchronous copies

enum copy_kind { COPY_CA4, COPY_CA8, COPY_CA16, COPY_CG16 };
static const char *const copy_names[] = {"cp.async.ca 4", "cp.async.ca 8", "cp.async.ca 16",
                                         "cp.async.cg 16"};

template <copy_kind Kind> inline constexpr int copy_bytes = Kind == COPY_CA4 ? 4 : Kind == COPY_CA8 ? 8 : 16;

template <copy_kind Kind> __device__ __forceinline__ void copy(uint32_t to, const uint8_t *from)
{
    if (Kind == COPY_CA4)
        asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from) : "memory");
    if (Kind == COPY_CA8)
        asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(to), "l"(from) : "memory");
    if (Kind == COPY_CA16)
        asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
    if (Kind == COPY_CG16)
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Where the bytes of a copy lie before it.
enum place { PLACE_L1, PLACE_L2, PLACE_DRAM };
static const char *const place_names[] = {"line in L1", "line in L2", "line in DRAM"};

inline constexpr size_t far_bytes = size_t(1) << 30, page_bytes = size_t(2) << 20;
inline constexpr int places = 32;

static uint8_t *far_memory()
{
    static uint8_t *memory = card_memory<uint8_t>(far_bytes);
    return memory;
}

// A store of a loaded value: the warp's next instruction issues when the value has come.
__device__ __forceinline__ void value_wait(uint32_t &place, uint32_t value)
{
    asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(shared_address(&place)), "r"(value) : "memory");
}

// The parts of one copy by one warp: issue, commit, wait; means of `places` lines, one after the other.
// `near` lines lie `step` bytes apart. L1, L2: the line is loaded before; DRAM: only another line of its page is.
template <copy_kind Kind, place Place>
__global__ void copy_parts(const uint8_t *memory, size_t step, int lanes, long long *sums)
{
    __shared__ __align__(128) uint8_t landing[512];
    __shared__ uint32_t arrived;
    uint32_t to = shared_address(landing) + threadIdx.x * copy_bytes<Kind>;
    bool active = int(threadIdx.x) < lanes;
    long long parts[3] = {0, 0, 0};
#pragma unroll 1
    for (int i = 0; i < places; i++) {
        const uint8_t *from = memory + i * step + threadIdx.x * copy_bytes<Kind>;
        uint32_t word;
        if (Place == PLACE_L1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(word) : "l"(from) : "memory");
        if (Place == PLACE_L2) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(word) : "l"(from) : "memory");
        if (Place == PLACE_DRAM)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(word) : "l"(from + 4096) : "memory");
        value_wait(arrived, word);
        copy_wait<0>();
        __syncwarp();
        long long t0 = card_clock();
        if (active) copy<Kind>(to, from);
        long long t1 = card_clock();
        copy_commit();
        long long t2 = card_clock();
        copy_wait<0>();
        long long t3 = card_clock();
        if (i >= places / 4) parts[0] += t1 - t0, parts[1] += t2 - t1, parts[2] += t3 - t2;
    }
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; k++) sums[k] = parts[k];
}

// As copy_parts for a load of 16 bytes into registers: one sum, from issue to the first use of the value.
template <place Place>
__global__ void load_parts(const uint8_t *memory, size_t step, size_t zero, long long *sums)
{
    __shared__ uint32_t arrived;
    long long sum = 0;
#pragma unroll 1
    for (int i = 0; i < places; i++) {
        const uint8_t *from = memory + i * step + threadIdx.x * 16;
        uint32_t a, b, c, d;
        if (Place == PLACE_L1)
            asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(a) : "l"(from + zero) : "memory");
        if (Place == PLACE_L2)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(a) : "l"(from + zero) : "memory");
        if (Place == PLACE_DRAM)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(a) : "l"(from + 4096) : "memory");
        value_wait(arrived, a);
        long long t0 = card_clock();
        asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(from)
                     : "memory");
        value_wait(arrived, a ^ b ^ c ^ d);
        long long t1 = card_clock();
        if (i >= places / 4) sum += t1 - t0;
    }
    if (threadIdx.x == 0) sums[0] = sum;
}

// Host: a run's first line. DRAM: a part of the memory that no run before has touched.
static const uint8_t *fresh_lines(place kind, size_t step)
{
    static size_t next = 0;
    if (kind != PLACE_DRAM) return far_memory();
    size_t at = next;
    next = (next + places * step + page_bytes) % (far_bytes / 2);
    return far_memory() + at;
}

template <copy_kind Kind, place Place> void copy_part_rows(int lanes)
{
    long long *sums = card_memory<long long>(3);
    const char *parts[] = {"issue of the copy", "commit_group", "wait_group 0 behind the commit"};
    size_t step = Place == PLACE_DRAM ? 8192 + 128 : 1024;
    std::vector<double> values[4];
    for (int run = 0; run <= card_repeats; run++) {
        copy_parts<Kind, Place><<<1, 32>>>(fresh_lines(Place, step), step, lanes, sums);
        CARD_WAIT();
        long long got[3];
        CARD_TRY(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
        double whole = 0;
        for (int k = 0; k < 3 && run; k++)
            values[k].push_back(double(got[k]) / (places - places / 4)), whole += double(got[k]);
        if (run) values[3].push_back(whole / (places - places / 4));
    }
    std::string name =
        std::string(copy_names[Kind]) + ", " + std::to_string(lanes) + " lanes, " + place_names[Place];
    for (int k = 0; k < 3; k++) card_row((name + ": " + parts[k]).c_str(), "cycles", values[k]);
    card_row((name + ": issue to the end of the wait").c_str(), "cycles", values[3],
             "with two clock reads between; far and near partitions of L2 mixed");
    CARD_TRY(cudaFree(sums));
}

template <place Place> void load_part_row()
{
    long long *sums = card_memory<long long>(1);
    size_t step = Place == PLACE_DRAM ? 8192 + 128 : 1024;
    std::string name = std::string("ld.global.ca 16, 32 lanes, ") + place_names[Place] + ": issue to use";
    card_measure(name.c_str(), "cycles", [&] {
        load_parts<Place><<<1, 32>>>(fresh_lines(Place, step), step, 0, sums);
        CARD_WAIT();
        long long got;
        CARD_TRY(cudaMemcpy(&got, sums, sizeof got, cudaMemcpyDeviceToHost));
        return double(got) / (places - places / 4);
    });
    CARD_TRY(cudaFree(sums));
}

static void part_copy_parts()
{
    copy_part_rows<COPY_CA4, PLACE_L1>(32);
    copy_part_rows<COPY_CA4, PLACE_L2>(32);
    copy_part_rows<COPY_CA8, PLACE_L1>(32);
    copy_part_rows<COPY_CA8, PLACE_L2>(32);
    copy_part_rows<COPY_CA16, PLACE_L1>(32);
    copy_part_rows<COPY_CA16, PLACE_L2>(32);
    copy_part_rows<COPY_CG16, PLACE_L1>(32);
    copy_part_rows<COPY_CG16, PLACE_L2>(32);
    copy_part_rows<COPY_CG16, PLACE_L2>(8);
    copy_part_rows<COPY_CG16, PLACE_L2>(1);
    copy_part_rows<COPY_CG16, PLACE_L2>(0);
    copy_part_rows<COPY_CA16, PLACE_DRAM>(32);
    copy_part_rows<COPY_CG16, PLACE_DRAM>(32);
    load_part_row<PLACE_L1>();
    load_part_row<PLACE_L2>();
    load_part_row<PLACE_DRAM>();
}

// ------------------------------------------------------------------------- how many copies may be on their way: issue

inline constexpr int stamps = 96, load_stamps = 48;

// The clock after each of Count copies (or loads of 4 bytes) of a warp that follow each other without a wait.
template <copy_kind Kind, bool Load, int Count>
__global__ void __launch_bounds__(512) issue_stamps(const uint8_t *memory, uint32_t *times, uint32_t *sink)
{
    __shared__ __align__(128) uint8_t landing[16 * 512];
    uint32_t warp = threadIdx.x / 32, at[Count + 1], value[Count];
    uint32_t to = shared_address(landing) + threadIdx.x * copy_bytes<Kind>;
    const uint8_t *from = memory + warp * stamps * 512 + threadIdx.x % 32 * copy_bytes<Kind>;
    __syncthreads();
    at[0] = clock_low();
#pragma unroll
    for (int i = 0; i < Count; i++) {
        value[i] = 0;
        if (Load)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value[i]) : "l"(from + i * 512) : "memory");
        else
            copy<Kind>(to, from + i * 512);
        at[i + 1] = clock_low();
    }
    copy_commit();
    copy_wait<0>();
    if (threadIdx.x == 0)
        for (int i = 0; i <= Count; i++) times[i] = at[i] - at[0];
    sink[threadIdx.x] = digest(at) ^ digest(value);
}

template <copy_kind Kind, bool Load = false> void stamp_rows(int warps, place where)
{
    constexpr int count = Load ? load_stamps : stamps;
    uint32_t *times = card_memory<uint32_t>(stamps + 1);
    std::vector<double> after[stamps + 1];
    for (int run = 0; run <= card_repeats; run++) {
        static size_t next = 0;
        const uint8_t *memory = far_memory();
        if (where == PLACE_DRAM)
            memory += far_bytes / 2 + (next += size_t(16) * stamps * 512) % (far_bytes / 4);
        issue_stamps<Kind, Load, count><<<1, warps * 32>>>(memory, times, body_buffers().sink);
        CARD_WAIT();
        uint32_t got[stamps + 1] = {};
        CARD_TRY(cudaMemcpy(got, times, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i <= count && run; i++) after[i].push_back(got[i]);
    }
    std::string name = std::string(Load ? "ld.global.cg 4" : copy_names[Kind]) + ", " +
                       std::to_string(warps) + " warps, " + place_names[where] +
                       ": warp 0's clock after instruction ";
    for (int i : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96})
        if (i <= count)
            card_row((name + std::to_string(i)).c_str(), "cycles", after[i], "a clock read between any two");
    CARD_TRY(cudaFree(times));
}

static void part_copy_issue()
{
    stamp_rows<COPY_CG16>(1, PLACE_L2);
    stamp_rows<COPY_CG16>(4, PLACE_L2);
    stamp_rows<COPY_CG16>(16, PLACE_L2);
    stamp_rows<COPY_CG16>(1, PLACE_DRAM);
    stamp_rows<COPY_CG16>(16, PLACE_DRAM);
    stamp_rows<COPY_CA16>(1, PLACE_L2);
    stamp_rows<COPY_CA16>(16, PLACE_L2);
    stamp_rows<COPY_CA4>(1, PLACE_L2);
    stamp_rows<COPY_CA4>(16, PLACE_L2);
    stamp_rows<COPY_CA4, true>(1, PLACE_L2);
    stamp_rows<COPY_CA4, true>(16, PLACE_L2);
}

// ----------------------------------------------------------------------------------------------- rate of copies by depth

inline constexpr int rate_steps = 256, rate_unrolled = 8;

// Every thread keeps Groups groups of PerGroup copies on their way for rate_steps groups. A warp reads lines that
// follow each other and begins `part` bytes behind the warp before, in a window of `span` bytes that wraps. Every copy
// on its way has a place of its own in shared memory: of copies to one place the hardware need not fetch each (measured:
// 200 bytes a cycle and SM with one place a thread, more than L2 gives).
template <copy_kind Kind, int Groups, int PerGroup>
__global__ void __launch_bounds__(512)
    copy_rate(const uint8_t *memory, uint32_t span, uint32_t part, long long *times)
{
    extern __shared__ __align__(128) uint8_t landing[];
    constexpr int bytes = copy_bytes<Kind>, row = 32 * bytes, places_of_warp = Groups * PerGroup;
    constexpr int unrolled = Groups < rate_unrolled ? rate_unrolled : Groups;
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t to = shared_address(landing) + warp * places_of_warp * row + lane * bytes;
    uint32_t at = (blockIdx.x * (blockDim.x / 32) + warp) * part & (span - 1);
    const uint8_t *from = memory + lane * bytes;
    __syncthreads();
    long long t0 = card_clock();
#pragma unroll
    for (int i = 0; i < Groups; i++) copy_commit();
#pragma unroll 1
    for (int i = 0; i < rate_steps / unrolled; i++) {
        const uint8_t *line = from + at;
#pragma unroll
        for (int j = 0; j < unrolled; j++) {
            copy_wait<Groups - 1>();
#pragma unroll
            for (int k = 0; k < PerGroup; k++)
                copy<Kind>(to + (j * PerGroup + k) % places_of_warp * row, line + (j * PerGroup + k) * row);
            copy_commit();
        }
        at = (at + unrolled * PerGroup * row) & (span - 1);
    }
    copy_wait<0>();
    long long t1 = card_clock();
    if (lane == 0) {
        long long *mine = times + (blockIdx.x * 16 + warp) * 2;
        mine[0] = t0;
        mine[1] = t1;
    }
}

// The same with loads of 16 bytes: Depth on their way, the oldest value is used before a new load.
template <int Depth>
__global__ void __launch_bounds__(512)
    load_rate(const uint8_t *memory, uint32_t span, uint32_t part, long long *times, uint32_t *sink)
{
    constexpr int row = 32 * 16, unrolled = Depth < rate_unrolled ? rate_unrolled : Depth;
    uint32_t at = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * part & (span - 1), sum = 0;
    uint32_t v[Depth][4] = {};
    const uint8_t *from = memory + threadIdx.x % 32 * 16;
    __syncthreads();
    long long t0 = card_clock();
#pragma unroll 1
    for (int i = 0; i < rate_steps / unrolled; i++) {
        const uint8_t *line = from + at;
#pragma unroll
        for (int k = 0; k < unrolled; k++) {
            uint32_t(&one)[4] = v[k % Depth];
            sum ^= one[0] ^ one[1] ^ one[2] ^ one[3];
            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
                         : "=r"(one[0]), "=r"(one[1]), "=r"(one[2]), "=r"(one[3])
                         : "l"(line + k * row + (sum == 0x7e57ab1eu))
                         : "memory");
        }
        at = (at + unrolled * row) & (span - 1);
    }
    for (int k = 0; k < Depth; k++) sum ^= v[k][0] ^ v[k][1] ^ v[k][2] ^ v[k][3];
    asm volatile("st.volatile.global.u32 [%0],%1;" ::"l"(sink + threadIdx.x), "r"(sum) : "memory");
    long long t1 = card_clock();
    if (threadIdx.x % 32 == 0) {
        long long *mine = times + (blockIdx.x * 16 + threadIdx.x / 32) * 2;
        mine[0] = t0;
        mine[1] = t1;
    }
}

// Bytes per cycle and SM: all blocks' bytes by the longest block's time.
static double rate_of(const std::vector<long long> &times, int blocks, int warps, double bytes_of_block)
{
    double longest = 0;
    for (int block = 0; block < blocks; block++) {
        long long first = times[size_t(block) * 32], last = times[size_t(block) * 32 + 1];
        for (int warp = 0; warp < warps; warp++) {
            first = std::min(first, times[size_t(block) * 32 + size_t(warp) * 2]);
            last = std::max(last, times[size_t(block) * 32 + size_t(warp) * 2 + 1]);
        }
        longest = std::max(longest, double(last - first));
    }
    return bytes_of_block / longest;
}

inline constexpr int rate_blocks_max = 132;
// `part_l2` is odd in lines: warps begin in different slices.
inline constexpr uint32_t span_l2 = 1u << 24, part_l2 = 257 * 1024, span_l1 = 1u << 14, part_l1 = 1024;

// Runs `launch(blocks, warps, times)` and prints the rate.
template <class Launch>
void rate_row(const std::string &name, int blocks, int warps, double bytes, Launch launch)
{
    static long long *times = card_memory<long long>(rate_blocks_max * 32);
    std::string full = name + ", " + std::to_string(warps) + " warps, " + (blocks == 1 ? "1 SM" : "all SMs") +
                       ": rate of an SM";
    card_measure(full.c_str(), "bytes/cycle", [&] {
        std::vector<long long> got(rate_blocks_max * 32, 0);
        launch(blocks, warps, times);
        CARD_WAIT();
        CARD_TRY(cudaMemcpy(got.data(), times, got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
        return rate_of(got, blocks, warps, bytes * warps * 32);
    });
}

inline constexpr int alone_bytes = 160 << 10, alone_small = 100 << 10;

// Blocks of `alone_bytes` of shared memory: one on each SM. (Less where L1 is to hold the lines.)
template <copy_kind Kind, int Groups, int PerGroup> void copy_rate_rows(uint32_t span, const char *where)
{
    auto *kernel = copy_rate<Kind, Groups, PerGroup>;
    CARD_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, alone_bytes));
    std::string name = std::string(copy_names[Kind]) + ", " + where + ", " + std::to_string(Groups) +
                       " groups of " + std::to_string(PerGroup) + " a thread";
    int shared = span == span_l1 ? alone_small : alone_bytes;
    for (int blocks : {1, rate_blocks_max})
        for (int warps : {1, 2, 4, 8, 16}) {
            if ((blocks > 1 && warps < 4) || warps * Groups * PerGroup * copy_bytes<Kind> * 32 > shared)
                continue;
            rate_row(name, blocks, warps, double(rate_steps) * PerGroup * copy_bytes<Kind>,
                     [&](int grid, int block, long long *times) {
                         kernel<<<grid, block * 32, shared>>>(far_memory(), span,
                                                              span == span_l1 ? part_l1 : part_l2, times);
                     });
        }
}

template <int Depth> void load_rate_rows()
{
    std::string name = "ld.global.cg 16, lines in L2, " + std::to_string(Depth) + " loads a thread";
    for (int blocks : {1, rate_blocks_max})
        for (int warps : {1, 2, 4, 8, 16}) {
            if (blocks > 1 && warps < 4) continue;
            rate_row(name, blocks, warps, rate_steps * 16.0, [&](int grid, int block, long long *times) {
                load_rate<Depth>
                    <<<grid, block * 32>>>(far_memory(), span_l2, part_l2, times, body_buffers().sink);
            });
        }
}

static void part_copy_rate()
{
    copy_rate_rows<COPY_CG16, 1, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 2, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 4, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 8, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 16, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 32, 1>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 4, 4>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 4, 8>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CG16, 4, 16>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CA16, 4, 4>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CA8, 4, 4>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CA4, 4, 4>(span_l2, "lines in L2");
    copy_rate_rows<COPY_CA16, 4, 4>(span_l1, "lines in L1");
    copy_rate_rows<COPY_CA8, 4, 4>(span_l1, "lines in L1");
    copy_rate_rows<COPY_CA4, 4, 4>(span_l1, "lines in L1");
    load_rate_rows<1>();
    load_rate_rows<2>();
    load_rate_rows<4>();
    load_rate_rows<8>();
    load_rate_rows<16>();
}

// ----------------------------------------------------------------------------- single instructions of waits and fences

// A stream of one statement. `at`: an address of shared memory, 8 bytes of the warp's own.
#define STATEMENT(ID, COUNT, STATE_COUNT, CODE)                                                              \
    struct ID {                                                                                              \
        static constexpr int threads = 1024, count = COUNT;                                                  \
        uint32_t at, value;                                                                                  \
        __device__ void start(uint32_t zero)                                                                 \
        {                                                                                                    \
            __shared__ __align__(128) uint64_t words[32 * 17];                                               \
            at = shared_address(words + threadIdx.x / 32 * 17);                                              \
            value = zero;                                                                                    \
            if (STATE_COUNT && threadIdx.x % 32 == 0)                                                        \
                asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(at), "r"(STATE_COUNT) : "memory");    \
            __syncthreads();                                                                                 \
        }                                                                                                    \
        __device__ __forceinline__ void run()                                                                \
        {                                                                                                    \
            _Pragma("unroll") for (int i = 0; i < count; i++) { CODE; }                                      \
        }                                                                                                    \
        __device__ uint32_t end() { return value ^ at; }                                                     \
    };

#define PLAIN(TEXT) asm volatile(TEXT ::: "memory")
#define AT(TEXT)    asm volatile(TEXT ::"r"(at) : "memory")
// A result that the next step's address depends on by one logic operation.
#define AT_CHAIN(TEXT) asm volatile(TEXT : "+r"(at) : "r"(value) : "memory")

inline constexpr int arrivals_max = (1 << 20) - 1;

STATEMENT(one_commit, 32, 0, PLAIN("cp.async.commit_group;"))
STATEMENT(one_wait, 32, 0, PLAIN("cp.async.wait_group 0;"))
STATEMENT(one_wait_all, 32, 0, PLAIN("cp.async.wait_all;"))
STATEMENT(one_commit_wait, 32, 0, PLAIN("cp.async.commit_group;"); PLAIN("cp.async.wait_group 0;"))
STATEMENT(one_commit_wait_4, 32, 0, PLAIN("cp.async.commit_group;"); PLAIN("cp.async.wait_group 4;"))
// Several in a row become one: a round of the loop has one.
STATEMENT(copy_arrive, 1, 1 << 19, AT("cp.async.mbarrier.arrive.shared.b64 [%0];"))
STATEMENT(copy_arrive_noinc, 32, arrivals_max,
          if (threadIdx.x % 32 == 0) AT("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"))
STATEMENT(barrier_init, 32, 1, if (threadIdx.x % 32 == 0) AT("mbarrier.init.shared.b64 [%0],1;"))
STATEMENT(barrier_arrive, 32, arrivals_max,
          if (threadIdx.x % 32 == 0) AT("{.reg .b64 s; mbarrier.arrive.shared.b64 s,[%0];}"))
STATEMENT(barrier_arrive_chain, 32, arrivals_max,
          if (threadIdx.x % 32 == 0) AT_CHAIN("{.reg .b64 s; .reg .b32 l,h; mbarrier.arrive.shared.b64 "
                                              "s,[%0]; mov.b64 {l,h},s; lop3.b32 %0,l,%1,%0,0xea;}"))
STATEMENT(barrier_arrive_sink, 32, arrivals_max,
          if (threadIdx.x % 32 == 0) AT("mbarrier.arrive.release.cta.shared::cluster.b64 _,[%0];"))
STATEMENT(barrier_expect, 32, arrivals_max,
          if (threadIdx.x % 32 == 0) AT("{.reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s,[%0],0;}"))
STATEMENT(test_wait_true, 32, 1,
          AT_CHAIN("{.reg .pred p; .reg .b32 l; mbarrier.test_wait.parity.shared.b64 p,[%0],1; selp.b32 "
                   "l,%1,0,p; or.b32 %0,%0,l;}"))
STATEMENT(test_wait_false, 32, 1,
          AT_CHAIN("{.reg .pred p; .reg .b32 l; mbarrier.test_wait.parity.shared.b64 p,[%0],0; selp.b32 "
                   "l,%1,0,p; or.b32 %0,%0,l;}"))
STATEMENT(try_wait_true, 32, 1,
          AT_CHAIN("{.reg .pred p; .reg .b32 l; mbarrier.try_wait.parity.shared.b64 p,[%0],1; selp.b32 "
                   "l,%1,0,p; or.b32 %0,%0,l;}"))
STATEMENT(try_wait_false, 1, 1,
          AT_CHAIN("{.reg .pred p; .reg .b32 l; mbarrier.try_wait.parity.shared.b64 p,[%0],0; selp.b32 "
                   "l,%1,0,p; or.b32 %0,%0,l;}"))
STATEMENT(try_wait_hint, 1, 1,
          AT_CHAIN("{.reg .pred p; .reg .b32 l; mbarrier.try_wait.parity.shared.b64 p,[%0],0,100; selp.b32 "
                   "l,%1,0,p; or.b32 %0,%0,l;}"))
STATEMENT(sync_threads, 32, 0, PLAIN("barrier.sync.aligned 0;"))
STATEMENT(sync_threads_loose, 32, 0, PLAIN("barrier.sync 0;"))
STATEMENT(sync_named, 32, 0, asm volatile("barrier.sync.aligned 1,%0;" ::"r"(blockDim.x) : "memory"))
STATEMENT(sync_reduce, 32, 0,
          asm volatile("{.reg .pred p; setp.ne.u32 p,%0,0; barrier.red.popc.aligned.u32 %0,0,p;}"
                       : "+r"(value)::"memory"))
STATEMENT(sync_warp, 32, 0, PLAIN("bar.warp.sync 0xffffffff;"))
STATEMENT(sync_warp_mask, 32, 0, asm volatile("bar.warp.sync %0;" ::"r"(~value) : "memory"))
STATEMENT(fence_cta, 32, 0, PLAIN("membar.cta;"))
STATEMENT(fence_gl, 32, 0, PLAIN("membar.gl;"))
STATEMENT(fence_sys, 32, 0, PLAIN("membar.sys;"))
STATEMENT(fence_acq_rel_cta, 32, 0, PLAIN("fence.acq_rel.cta;"))
STATEMENT(fence_acq_rel_cluster, 32, 0, PLAIN("fence.acq_rel.cluster;"))
STATEMENT(fence_acq_rel_gpu, 32, 0, PLAIN("fence.acq_rel.gpu;"))
STATEMENT(fence_sc_gpu, 32, 0, PLAIN("fence.sc.gpu;"))
STATEMENT(fence_proxy, 32, 0, PLAIN("fence.proxy.async;"))
STATEMENT(fence_proxy_shared, 32, 0, PLAIN("fence.proxy.async.shared::cta;"))
STATEMENT(fence_proxy_global, 32, 0, PLAIN("fence.proxy.async.global;"))
STATEMENT(fence_init, 32, 0, PLAIN("fence.mbarrier_init.release.cluster;"))
STATEMENT(store_fence_cta, 32, 0, AT("st.volatile.shared.u32 [%0],%0;"); PLAIN("membar.cta;"))
STATEMENT(store_fence_proxy, 32, 0, AT("st.volatile.shared.u32 [%0],%0;");
          PLAIN("fence.proxy.async.shared::cta;"))
STATEMENT(grid_wait, 32, 0, PLAIN("griddepcontrol.wait;"))
STATEMENT(grid_launch, 32, 0, PLAIN("griddepcontrol.launch_dependents;"))
STATEMENT(elect, 32, 0,
          asm volatile("{.reg .pred p; .reg .b32 l; elect.sync l|p,0xffffffff; add.u32 %0,%0,l;}"
                       : "+r"(value)))

template <class Body> void statement_rows(const char *name, const char *note = "")
{
    body_row<Body>(std::string(name) + ": 1 warp", note);
    for (int warps : {4, 16}) body_row_sm<Body>(name, warps, note);
}

static void part_copy_waits()
{
    statement_rows<one_commit>("cp.async.commit_group of an empty group");
    statement_rows<one_wait>("cp.async.wait_group 0 with nothing on its way");
    statement_rows<one_wait_all>("cp.async.wait_all with nothing on its way");
    statement_rows<one_commit_wait>("cp.async.commit_group and wait_group 0, empty (a pair counts 1)");
    statement_rows<one_commit_wait_4>("cp.async.commit_group and wait_group 4, empty (a pair counts 1)");
    statement_rows<copy_arrive>(
        "cp.async.mbarrier.arrive with nothing on its way, 32 lanes, a round of a loop");
    statement_rows<copy_arrive_noinc>("cp.async.mbarrier.arrive.noinc with nothing on its way, 1 lane");
}

static void part_mbarrier()
{
    const char *chain = "address of the next by a logic operation on the result";
    statement_rows<barrier_init>("mbarrier.init, 1 lane");
    statement_rows<barrier_arrive>("mbarrier.arrive, 1 lane");
    statement_rows<barrier_arrive_chain>("mbarrier.arrive, 1 lane: chain", chain);
    statement_rows<barrier_arrive_sink>("mbarrier.arrive without a result, 1 lane");
    statement_rows<barrier_expect>("mbarrier.arrive.expect_tx, 1 lane");
    statement_rows<test_wait_true>("mbarrier.test_wait.parity that succeeds: chain", chain);
    statement_rows<test_wait_false>("mbarrier.test_wait.parity that fails: chain", chain);
    statement_rows<try_wait_true>("mbarrier.try_wait.parity that succeeds: chain", chain);
}

static void part_mbarrier_fails()
{
    body_row<try_wait_false>("mbarrier.try_wait.parity that fails: time until it gives up");
    body_row<try_wait_hint>("mbarrier.try_wait.parity that fails, hint of 100 ns: time until it gives up");
}

template <class Body> void barrier_rows(const char *name)
{
    for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        std::string full = std::string(name) + ", block of " + std::to_string(warps) +
                           " warps: cycles from barrier to barrier";
        body_entry_row(body_kernel<Body>, full, "cycles", warps, body_rounds, 1.0 / Body::count, false, "");
    }
}

static void part_barriers()
{
    barrier_rows<sync_threads>("barrier.sync.aligned 0");
    barrier_rows<sync_threads_loose>("barrier.sync 0");
    barrier_rows<sync_named>("barrier.sync.aligned 1 with a count");
    barrier_rows<sync_reduce>("barrier.red.popc");
    statement_rows<sync_warp>("bar.warp.sync of all lanes, immediate");
    statement_rows<sync_warp_mask>("bar.warp.sync of all lanes, register");
    statement_rows<elect>("elect.sync and an addition");
}

static void part_fences()
{
    statement_rows<fence_cta>("membar.cta");
    statement_rows<fence_gl>("membar.gl");
    statement_rows<fence_sys>("membar.sys");
    statement_rows<fence_acq_rel_cta>("fence.acq_rel.cta");
    statement_rows<fence_acq_rel_cluster>("fence.acq_rel.cluster");
    statement_rows<fence_acq_rel_gpu>("fence.acq_rel.gpu");
    statement_rows<fence_sc_gpu>("fence.sc.gpu");
    statement_rows<fence_proxy>("fence.proxy.async");
    statement_rows<fence_proxy_shared>("fence.proxy.async.shared::cta");
    statement_rows<fence_proxy_global>("fence.proxy.async.global");
    statement_rows<fence_init>("fence.mbarrier_init.release.cluster");
    statement_rows<store_fence_cta>("st.shared and membar.cta (a pair counts 1)");
    statement_rows<store_fence_proxy>("st.shared and fence.proxy.async.shared::cta (a pair counts 1)");
    statement_rows<grid_wait>("griddepcontrol.wait without a dependence");
    statement_rows<grid_launch>("griddepcontrol.launch_dependents without a dependent");
}

// -------------------------------------------------------------------------------------------- from one warp to another

enum signal { SIGNAL_NAMED, SIGNAL_TRY_WAIT, SIGNAL_TEST_WAIT, SIGNAL_FLAG };

// Waits until the phase of `parity` is complete; a trap after `tries` tests.
template <bool Suspending> __device__ __forceinline__ void phase_wait(uint32_t barrier, uint32_t parity)
{
    uint32_t done = 0;
#pragma unroll 1
    for (int left = Suspending ? tries_long : tries; !done; left--) {
        if (Suspending)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],%2; selp.b32 %0,1,0,p;}"
                         : "=r"(done)
                         : "r"(barrier), "r"(parity)
                         : "memory");
        else
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p,[%1],%2; selp.b32 %0,1,0,p;}"
                         : "=r"(done)
                         : "r"(barrier), "r"(parity)
                         : "memory");
        if (!left) __trap();
    }
}

__device__ __forceinline__ void flag_wait(uint32_t flag, uint32_t value)
{
    uint32_t seen = ~value;
#pragma unroll 1
    for (int left = tries; seen != value; left--) {
        asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(seen) : "r"(flag) : "memory");
        if (!left) __trap();
    }
}

inline constexpr int rounds_of_signal = 64;

// Two warps (0 and `partner`) that signal each other in turn; cycles of a round.
template <signal Kind> __global__ void signal_round(int partner, long long *time)
{
    __shared__ uint64_t barriers[2];
    __shared__ volatile uint32_t flags[2 * 32];
    uint32_t warp = threadIdx.x / 32, own = warp ? 1 : 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(shared_address(barriers + i)) : "memory");
    if (threadIdx.x < 64) flags[threadIdx.x] = 0;
    __syncthreads();
    if (warp != 0 && int(warp) != partner) return;
    long long t0 = 0;
#pragma unroll 1
    for (int i = 0; i < 2 * rounds_of_signal; i++) {
        if (i == rounds_of_signal) t0 = card_clock();
        for (uint32_t turn = 0; turn < 2; turn++) {
            bool sender = turn == own;
            uint32_t barrier = shared_address(barriers + turn),
                     flag = shared_address((const void *)(flags + turn * 32));
            if (Kind == SIGNAL_NAMED && sender)
                asm volatile("barrier.arrive.aligned %0,64;" ::"r"(turn + 1) : "memory");
            if (Kind == SIGNAL_NAMED && !sender)
                asm volatile("barrier.sync.aligned %0,64;" ::"r"(turn + 1) : "memory");
            if ((Kind == SIGNAL_TRY_WAIT || Kind == SIGNAL_TEST_WAIT) && sender && threadIdx.x % 32 == 0)
                asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s,[%0];}" ::"r"(barrier) : "memory");
            if (Kind == SIGNAL_TRY_WAIT && !sender) phase_wait<true>(barrier, uint32_t(i) & 1);
            if (Kind == SIGNAL_TEST_WAIT && !sender) phase_wait<false>(barrier, uint32_t(i) & 1);
            if (Kind == SIGNAL_FLAG && sender)
                asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(flag), "r"(i + 1) : "memory");
            if (Kind == SIGNAL_FLAG && !sender) flag_wait(flag, uint32_t(i + 1));
        }
    }
    if (threadIdx.x == 0) *time = card_clock() - t0;
}

template <signal Kind> void signal_row(const char *name)
{
    static long long *time = card_memory<long long>(1);
    for (int partner : {1, 4}) {
        std::string full = std::string("from warp to warp: ") + name + (partner == 4 ? ", same" : ", other") +
                           " sub-core: half a round";
        card_measure(full.c_str(), "cycles", [&] {
            signal_round<Kind><<<1, 32 * (partner + 1)>>>(partner, time);
            CARD_WAIT();
            long long got;
            CARD_TRY(cudaMemcpy(&got, time, sizeof got, cudaMemcpyDeviceToHost));
            return double(got) / rounds_of_signal / 2;
        });
    }
}

static void part_signals()
{
    signal_row<SIGNAL_FLAG>("store of a flag, load in a loop");
    signal_row<SIGNAL_NAMED>("barrier.arrive, barrier.sync");
    signal_row<SIGNAL_TEST_WAIT>("mbarrier.arrive, test_wait in a loop");
    signal_row<SIGNAL_TRY_WAIT>("mbarrier.arrive, try_wait in a loop");
}

// ------------------------------------------------------------------------------------------------------ shared memory

inline constexpr int chase_count = 4096;

// Shared memory whose words hold their own address, so that a load's result is the next load's address. Lane l's
// address is word l * Words * Degree, or the address of `Degree` lanes is the same (Same).
template <int Words, int Degree, bool Same> __device__ __forceinline__ uint32_t chase_start()
{
    __shared__ __align__(128) uint32_t chase_words[chase_count];
    for (uint32_t i = threadIdx.x; i < chase_count; i += blockDim.x)
        chase_words[i] = shared_address(chase_words + i);
    __syncthreads();
    uint32_t lane = threadIdx.x % 32;
    uint32_t word = Same ? lane / Degree * Words : lane * Words * Degree;
    return shared_address(chase_words + word % chase_count);
}

enum access {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_STORE_LOAD,
    ACCESS_ADD,
    ACCESS_CAS,
    ACCESS_EXCH,
    ACCESS_RED,
    ACCESS_ADD_F32,
    ACCESS_MIN
};

// x: the registers of a lane; the first holds the address.
template <access Kind, int Words>
__device__ __forceinline__ void access_shared(uint32_t (&x)[4], uint32_t zero)
{
    if (Kind == ACCESS_LOAD && Words == 1)
        asm volatile("ld.volatile.shared.u32 %0,[%0];" : "+r"(x[0])::"memory");
    if (Kind == ACCESS_LOAD && Words == 2)
        asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%0];" : "+r"(x[0]), "+r"(x[1])::"memory");
    if (Kind == ACCESS_LOAD && Words == 4)
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%0];"
                     : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])::"memory");
    if (Kind == ACCESS_STORE && Words == 1)
        asm volatile("st.volatile.shared.u32 [%0],%0;" ::"r"(x[0]) : "memory");
    if (Kind == ACCESS_STORE && Words == 2)
        asm volatile("st.volatile.shared.v2.u32 [%0],{%0,%1};" ::"r"(x[0]), "r"(x[1]) : "memory");
    if (Kind == ACCESS_STORE && Words == 4)
        asm volatile("st.volatile.shared.v4.u32 [%0],{%0,%1,%2,%3};" ::"r"(x[0]), "r"(x[1]), "r"(x[2]),
                     "r"(x[3])
                     : "memory");
    if (Kind == ACCESS_STORE_LOAD)
        asm volatile("st.volatile.shared.u32 [%0],%0; ld.volatile.shared.u32 %0,[%0];"
                     : "+r"(x[0])::"memory");
    if (Kind == ACCESS_ADD)
        asm volatile("atom.shared.add.u32 %0,[%0],%1;" : "+r"(x[0]) : "r"(zero) : "memory");
    if (Kind == ACCESS_MIN) asm volatile("atom.shared.min.u32 %0,[%0],%0;" : "+r"(x[0])::"memory");
    if (Kind == ACCESS_EXCH) asm volatile("atom.shared.exch.b32 %0,[%0],%0;" : "+r"(x[0])::"memory");
    if (Kind == ACCESS_CAS)
        asm volatile("atom.shared.cas.b32 %0,[%0],%1,%1;" : "+r"(x[0]) : "r"(zero) : "memory");
    if (Kind == ACCESS_RED) asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(x[0]), "r"(zero) : "memory");
    if (Kind == ACCESS_ADD_F32)
        asm volatile("{.reg .f32 old, z; mov.b32 z,%1; atom.shared.add.f32 old,[%0],z; mov.b32 %0,old;}"
                     : "+r"(x[0])
                     : "r"(zero)
                     : "memory");
}

// N chains, Steps accesses of each.
template <access Kind, int Words, int Degree, bool Same, int N, int Steps> struct shared_stream {
    static constexpr int threads = 512, count = N * Steps;
    uint32_t x[N][4], zero;

    __device__ void start(uint32_t nothing)
    {
        uint32_t own = chase_start<Words, Degree, Same>();
        zero = nothing;
        for (int n = 0; n < N; n++) {
            for (int k = 0; k < 4; k++) x[n][k] = nothing * uint32_t(n * 4 + k + 1);
            x[n][0] += own;
        }
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < Steps; i++)
#pragma unroll
            for (int n = 0; n < N; n++) access_shared<Kind, Words>(x[n], zero);
    }
    __device__ uint32_t end()
    {
        uint32_t sum = zero;
        for (int n = 0; n < N; n++) sum ^= digest(x[n]);
        return sum;
    }
};

template <access Kind, int Words, int Degree, bool Same = false> void shared_rows(const char *name)
{
    std::string text =
        std::string(name) + ", " + std::to_string(Degree) +
        (Same ? " lanes at each address" : " accesses from lane to lane (1: no bank conflict)");
    constexpr bool silent = Kind == ACCESS_STORE || Kind == ACCESS_RED;
    if (!silent) body_row<shared_stream<Kind, Words, Degree, Same, 1, 32>>(text + ": latency");
    body_row<shared_stream<Kind, Words, Degree, Same, 8, 8>>(text + ": interval, 1 warp, 8 chains");
    for (int warps : {4, 16})
        body_row_sm<shared_stream<Kind, Words, Degree, Same, 8, 8>>(text + ", 8 chains", warps);
}

template <access Kind, int Words> void shared_table(const char *name)
{
    shared_rows<Kind, Words, 1>(name);
    shared_rows<Kind, Words, 2>(name);
    shared_rows<Kind, Words, 4>(name);
    shared_rows<Kind, Words, 8>(name);
    shared_rows<Kind, Words, 16>(name);
    shared_rows<Kind, Words, 32>(name);
}

static void part_shared()
{
    shared_table<ACCESS_LOAD, 1>("ld.shared 32 bits");
    shared_table<ACCESS_LOAD, 2>("ld.shared 64 bits");
    shared_table<ACCESS_LOAD, 4>("ld.shared 128 bits");
    shared_rows<ACCESS_LOAD, 1, 32, true>("ld.shared 32 bits");
    shared_rows<ACCESS_LOAD, 4, 32, true>("ld.shared 128 bits");
    shared_rows<ACCESS_LOAD, 4, 8, true>("ld.shared 128 bits");
    shared_rows<ACCESS_STORE_LOAD, 1, 1>("st.shared then ld.shared 32 bits (a pair counts 1)");
    shared_table<ACCESS_STORE, 1>("st.shared 32 bits");
    shared_table<ACCESS_STORE, 2>("st.shared 64 bits");
    shared_table<ACCESS_STORE, 4>("st.shared 128 bits");
}

template <access Kind> void atomic_table(const char *name)
{
    shared_rows<Kind, 1, 1>(name);
    shared_rows<Kind, 1, 2>(name);
    shared_rows<Kind, 1, 8>(name);
    shared_rows<Kind, 1, 32>(name);
    shared_rows<Kind, 1, 2, true>(name);
    shared_rows<Kind, 1, 8, true>(name);
    shared_rows<Kind, 1, 32, true>(name);
}

static void part_atomics()
{
    atomic_table<ACCESS_ADD>("atom.shared.add.u32");
    atomic_table<ACCESS_MIN>("atom.shared.min.u32");
    atomic_table<ACCESS_EXCH>("atom.shared.exch.b32");
    atomic_table<ACCESS_CAS>("atom.shared.cas.b32 that fails");
    atomic_table<ACCESS_RED>("red.shared.add.u32");
}

static void part_atomics_float() { atomic_table<ACCESS_ADD_F32>("atom.shared.add.f32"); }

// ------------------------------------------------------------------------------ shared memory and tensor products

// Groups of one m16n8k16 product (8 accumulators) and Loads loads of shared memory (8 chains).
template <int Loads, int Words> struct load_beside {
    static constexpr int threads = 512, count = 32;
    uint32_t d[8][4], a[4], b[2], zero;
    shared_stream<ACCESS_LOAD, Words, 1, false, 8, 1> loads;

    __device__ void start(uint32_t nothing)
    {
        loads.start(nothing);
        zero = nothing;
        for (int i = 0; i < 4; i++) a[i] = nothing * uint32_t(i + 3);
        for (int i = 0; i < 2; i++) b[i] = nothing * uint32_t(i + 9);
        for (int n = 0; n < 8; n++)
            for (int i = 0; i < 4; i++) d[n][i] = nothing * uint32_t(n * 4 + i + 1);
    }
    __device__ __forceinline__ void run()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            uint32_t(&c)[4] = d[i % 8];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#pragma unroll
            for (int k = 0; k < Loads; k++)
                access_shared<ACCESS_LOAD, Words>(loads.x[(i * Loads + k) % 8], zero);
        }
    }
    __device__ uint32_t end()
    {
        uint32_t sum = digest(a) ^ digest(b) ^ loads.end();
        for (int n = 0; n < 8; n++) sum ^= digest(d[n]);
        return sum;
    }
};

template <int Loads, int Words> void load_beside_rows(const char *name)
{
    using Body = load_beside<Loads, Words>;
    std::string text =
        std::string("beside: group of 1 m16n8k16 f16 f32 and ") + std::to_string(Loads) + " " + name;
    for (int warps : {4, 16}) body_row_core<Body>(text + " (a group counts 1)", warps);
}

static void part_shared_and_products()
{
    load_beside_rows<0, 1>("ld.shared");
    load_beside_rows<1, 1>("ld.shared 32 bits");
    load_beside_rows<2, 1>("ld.shared 32 bits");
    load_beside_rows<1, 4>("ld.shared 128 bits");
    load_beside_rows<2, 4>("ld.shared 128 bits");
}

int main(int argc, char **argv)
{
    return card_main(argc, argv,
                     {{"shared", part_shared},
                      {"atomics", part_atomics},
                      {"shared-and-products", part_shared_and_products},
                      {"copy-parts", part_copy_parts},
                      {"copy-issue", part_copy_issue},
                      {"copy-rate", part_copy_rate},
                      {"copy-waits", part_copy_waits},
                      {"barriers", part_barriers},
                      {"fences", part_fences},
                      {"mbarrier", part_mbarrier},
                      {"signals", part_signals},
                      {"mbarrier-fails", part_mbarrier_fails},
                      {"atomics-float", part_atomics_float}});
}
