// C = A B^T in f16 with f32 sums: A of m x k, B of n x k, C of m x n, row-major.
//
// A block of 288 threads makes a tile of 128 x 128: a single thread of warp 8 loads tiles of 128 x 64 by the copy
// engine into four stages, two warpgroups multiply 64 rows apiece. Grid: (n / 128, m / 128); k is a multiple of 64.
#include "hopper.cuh"

constexpr int simple_stages = 4, simple_tile = 128 * 128; // bytes of a tile of A or B
constexpr int simple_shared = 1024 + simple_stages * 2 * simple_tile + 64;

DEVICE void simple_produce(const tensor_map *a, const tensor_map *b, uint32_t tiles, uint32_t full,
                           uint32_t empty, int steps)
{
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        int stage = step % simple_stages, round = step / simple_stages;
        uint32_t to = tiles + stage * 2 * simple_tile, barrier = full + 8 * stage;
        barrier_wait(empty + 8 * stage, (round & 1) ^ 1);
        barrier_expect(barrier, 2 * simple_tile);
        load_box(to, a, barrier, step * 64, blockIdx.y * 128);
        load_box(to + simple_tile, b, barrier, step * 64, blockIdx.x * 128);
    }
}

DEVICE void simple_consume(float (&d)[64], uint32_t tiles, uint32_t full, uint32_t empty, int steps)
{
    int group = threadIdx.x / 128;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        int stage = step % simple_stages, round = step / simple_stages;
        uint32_t from = tiles + stage * 2 * simple_tile;
        uint64_t a = row_descriptor(from + group * 64 * 128), b = row_descriptor(from + simple_tile);
        barrier_wait(full + 8 * stage, round & 1);
        hold(d);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < 4; i++) wgmma_128_f16(d, a + 2 * i, b + 2 * i, step + i);
        wgmma_commit();
        wgmma_wait<0>();
        hold(d);
        if (threadIdx.x % 128 == 0) barrier_arrive(empty + 8 * stage);
    }
}

KERNEL void __launch_bounds__(288) gemm_simple(const __grid_constant__ tensor_map a,
                                               const __grid_constant__ tensor_map b, __half *c, int n, int k)
{
    uint32_t tiles = dynamic_shared();
    uint32_t full = tiles + simple_stages * 2 * simple_tile, empty = full + 8 * simple_stages;
    if (threadIdx.x == 0) {
        for (int i = 0; i < simple_stages; i++) {
            barrier_init(full + 8 * i, 1);
            barrier_init(empty + 8 * i, 2);
        }
        barrier_init_done();
    }
    __syncthreads();

    if (threadIdx.x >= 256) {
        if (elect()) simple_produce(&a, &b, tiles, full, empty, k / 64);
        return;
    }
    float d[64];
    simple_consume(d, tiles, full, empty, k / 64);

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    __half *corner =
        c + (size_t)(blockIdx.y * 128 + warp * 16 + lane / 4) * n + blockIdx.x * 128 + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        *(__half2 *)(corner + 8 * i) = __floats2half2_rn(d[4 * i], d[4 * i + 1]);
        *(__half2 *)(corner + 8 * n + 8 * i) = __floats2half2_rn(d[4 * i + 2], d[4 * i + 3]);
    }
}
