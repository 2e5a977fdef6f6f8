// C = A B^T: A of m x k, B of n x k, C of m x n, row-major; f16 and e4m3 to f16, int8 to int32, tf32 to f32.
//
// A cluster of two blocks makes tiles of 256 x 256, a block 128 x 256. A block has three warpgroups: a single thread
// of the first fills four stages (128 rows of A, 256 of B, 128 bytes of K) by the copy engine, the second and third
// multiply 64 rows apiece. A block loads half of the tile of B and the copy engine writes the half to both blocks.
// Results leave by the copy engine, 128 bytes of a row at a time, while the next tile's loads run ahead. Grid: any
// even number of blocks up to the card's. m and n are multiples of 256, k of 128 bytes.
#include "hopper.cuh"

constexpr int persistent_stages = 4;
constexpr int persistent_tile_a = 128 * 128, persistent_tile_b = 256 * 128;
constexpr int persistent_stage = persistent_tile_a + persistent_tile_b, persistent_out = 64 * 128;
constexpr int persistent_shared = 1024 + persistent_stages * persistent_stage + 4 * persistent_out + 64;
constexpr int persistent_band = 8; // tiles down a band walked column by column, for hits in L2

struct gemm_f16_type {
    typedef float sum;
    static constexpr int k = 64, out_columns = 64; // elements in 128 bytes
    __device__ static __forceinline__ void multiply(sum (&d)[128], uint64_t a, uint64_t b, int keep)
    {
        wgmma_256_f16(d, a, b, keep);
    }
};

struct gemm_e4m3_type {
    typedef float sum;
    static constexpr int k = 128, out_columns = 64;
    __device__ static __forceinline__ void multiply(sum (&d)[128], uint64_t a, uint64_t b, int keep)
    {
        wgmma_256_e4m3(d, a, b, keep);
    }
};

struct gemm_s8_type {
    typedef int sum;
    static constexpr int k = 128, out_columns = 32;
    __device__ static __forceinline__ void multiply(sum (&d)[128], uint64_t a, uint64_t b, int keep)
    {
        wgmma_256_s8(d, a, b, keep);
    }
};

struct gemm_tf32_type {
    typedef float sum;
    static constexpr int k = 32, out_columns = 32;
    __device__ static __forceinline__ void multiply(sum (&d)[128], uint64_t a, uint64_t b, int keep)
    {
        wgmma_256_tf32(d, a, b, keep);
    }
};

// Where a block's stages and barriers lie, and the next stage in turn.
struct persistent_ring {
    uint32_t tiles, full, empty;
    int stage, parity;
};

DEVICE void persistent_next(persistent_ring &ring)
{
    if (++ring.stage == persistent_stages) {
        ring.stage = 0;
        ring.parity ^= 1;
    }
}

// Row and column of the cluster's tile number `tile`.
DEVICE void persistent_place(int tile, int rows, int columns, int &row, int &column)
{
    int band = tile / (persistent_band * columns), inside = tile % (persistent_band * columns);
    int height = min(persistent_band, rows - band * persistent_band);
    row = band * persistent_band + inside % height;
    column = inside / height;
}

template <typename T>
DEVICE void persistent_produce(const tensor_map *a, const tensor_map *b, persistent_ring ring, int rows,
                               int columns, int k)
{
    int rank = (int)cluster_rank();
    for (int tile = blockIdx.x / 2; tile < rows * columns; tile += gridDim.x / 2) {
        int row, column;
        persistent_place(tile, rows, columns, row, column);
        for (int x = 0; x < k; x += T::k) {
            uint32_t to = ring.tiles + ring.stage * persistent_stage, barrier = ring.full + 8 * ring.stage;
            uint32_t half = to + persistent_tile_a + rank * persistent_tile_b / 2;
            barrier_wait(ring.empty + 8 * ring.stage, ring.parity ^ 1);
            barrier_expect(barrier, persistent_stage);
            load_box(to, a, barrier, x, row * 256 + rank * 128);
            load_box_to(half, b, barrier, x, column * 256 + rank * 128, 3);
            persistent_next(ring);
        }
    }
}

// Frees a stage in both blocks: warp 0 of a warpgroup in block 0, warp 1 in block 1.
DEVICE void persistent_release(uint32_t barrier)
{
    int warp = threadIdx.x / 32 % 4;
    if (threadIdx.x % 32 == 0 && warp < 2) barrier_arrive_at(barrier, warp);
}

template <typename T>
DEVICE void persistent_multiply(typename T::sum (&d)[128], persistent_ring &ring, int group, int steps)
{
    uint32_t before = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        uint32_t from = ring.tiles + ring.stage * persistent_stage;
        uint64_t a = row_descriptor(from + group * 64 * 128), b = row_descriptor(from + persistent_tile_a);
        barrier_wait(ring.full + 8 * ring.stage, ring.parity);
        hold(d);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; i++) T::multiply(d, a + 2 * i, b + 2 * i, step + i);
        wgmma_commit();
        hold(d);
        wgmma_wait<1>();
        if (step > 0) persistent_release(before);
        before = ring.empty + 8 * ring.stage;
        persistent_next(ring);
    }
    wgmma_wait<0>();
    hold(d);
    persistent_release(before);
}

// 128 bytes of a warp's 16 rows from value `first` to a tile: f16.
DEVICE void persistent_fragment(uint32_t tile, int top, const float (&d)[128], int first, gemm_f16_type)
{
    store_fragment_half(tile, top, d, first, 1, 1);
}

DEVICE void persistent_fragment(uint32_t tile, int top, const float (&d)[128], int first, gemm_e4m3_type)
{
    store_fragment_half(tile, top, d, first, 1, 1);
}

// The same for values of 32 bits.
template <typename T>
DEVICE void persistent_fragment(uint32_t tile, int top, const typename T::sum (&d)[128], int first, T)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int row = top + lane / 4 + i % 2 * 8, at = first + 4 * (i / 2) + i % 2 * 2;
        uint32_t cell = tile_cell(tile, row, i / 2 * 2 + lane % 4 / 2) + lane % 2 * 8;
        asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(cell), "r"(*(const int *)&d[at]),
                     "r"(*(const int *)&d[at + 1])
                     : "memory");
    }
}

// A warpgroup's 64 x 256 results through two tiles in turn.
template <typename T>
DEVICE void persistent_store(const tensor_map *c, uint32_t out, const typename T::sum (&d)[128], int group,
                             int row, int column)
{
    constexpr int rounds = 256 / T::out_columns;
    int warp = threadIdx.x / 32 % 4;
    bool leader = threadIdx.x % 128 == 0;
#pragma unroll
    for (int i = 0; i < rounds; i++) {
        uint32_t tile = out + (group * 2 + i % 2) * persistent_out;
        if (leader) store_wait_read<1>();
        named_sync(1 + group, 128);
        persistent_fragment(tile, warp * 16, d, i * (128 / rounds), T());
        fence_async();
        named_sync(1 + group, 128);
        if (leader) {
            store_box(c, tile, column + i * T::out_columns, row);
            store_commit();
        }
    }
}

template <typename T>
DEVICE void persistent_consume(const tensor_map *c, persistent_ring ring, uint32_t out, int group, int rows,
                               int columns, int k)
{
    int rank = (int)cluster_rank();
    for (int tile = blockIdx.x / 2; tile < rows * columns; tile += gridDim.x / 2) {
        int row, column;
        typename T::sum d[128];
        persistent_place(tile, rows, columns, row, column);
        persistent_multiply<T>(d, ring, group, k / T::k);
        persistent_store<T>(c, out, d, group, row * 256 + rank * 128 + group * 64, column * 256);
    }
    if (threadIdx.x % 128 == 0) store_wait<0>();
}

template <typename T>
DEVICE void persistent_gemm(const tensor_map *a, const tensor_map *b, const tensor_map *c, int m, int n,
                            int k)
{
    uint32_t tiles = dynamic_shared(), out = tiles + persistent_stages * persistent_stage;
    uint32_t full = out + 4 * persistent_out, empty = full + 8 * persistent_stages;
    persistent_ring ring = {tiles, full, empty, 0, 0};
    if (threadIdx.x == 0) {
        for (int i = 0; i < persistent_stages; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 4); // two warpgroups x two blocks
        }
        barrier_init_done();
        prefetch_map(a);
        prefetch_map(b);
        prefetch_map(c);
    }
    cluster_sync();

    int group = threadIdx.x / 128;
    if (group == 0) {
        registers_lower<40>();
        if (threadIdx.x < 32 && elect()) persistent_produce<T>(a, b, ring, m / 256, n / 256, k);
    } else {
        registers_raise<232>();
        persistent_consume<T>(c, ring, out, group - 1, m / 256, n / 256, k);
    }
    cluster_sync(); // both blocks stay until no remote arrival is outstanding
}

#define PERSISTENT_GEMM(type)                                                                                \
    KERNEL void __cluster_dims__(2, 1, 1) __launch_bounds__(384, 1)                                          \
        gemm_##type(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,              \
                    const __grid_constant__ tensor_map c, int m, int n, int k)                               \
    {                                                                                                        \
        persistent_gemm<gemm_##type##_type>(&a, &b, &c, m, n, k);                                            \
    }

PERSISTENT_GEMM(f16)
PERSISTENT_GEMM(e4m3)
PERSISTENT_GEMM(s8)
PERSISTENT_GEMM(tf32)
