// out = transpose of in, f32, row-major. A block of 128 threads loads a box of 32 columns and 128 rows,
// a warp turns 32 x 32 from a swizzled tile into a second and stores the result as a box of `out`. Lane l takes
// element (i ^ l / 8, l) in step i: neither side has bank conflicts. Grid: (width / 32, height / 128).
#include "hopper.cuh"

constexpr int transpose_box = 128 * 128; // bytes
constexpr int transpose_shared = 1024 + 2 * transpose_box + 16;

KERNEL void __launch_bounds__(128)
    transpose_tma(const __grid_constant__ tensor_map in, const __grid_constant__ tensor_map out)
{
    uint32_t from = dynamic_shared(), to = from + transpose_box, full = to + transpose_box;
    int x = blockIdx.x * 32, y = blockIdx.y * 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        barrier_init(full, 1);
        barrier_init_done();
        barrier_expect(full, transpose_box);
        load_box(from, &in, full, x, y);
    }
    __syncthreads();
    barrier_wait(full, 0);

    from += warp * 32 * 128;
    to += warp * 32 * 128;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        int row = i ^ lane / 8;
        float value;
        asm volatile("ld.shared.f32 %0, [%1];"
                     : "=f"(value)
                     : "r"(tile_cell(from, row, lane / 4) + lane % 4 * 4)
                     : "memory");
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(tile_cell(to, lane, row / 4) + row % 4 * 4), "f"(value)
                     : "memory");
    }
    fence_async();
    __syncwarp();
    if (lane == 0) {
        store_box(&out, to, y + warp * 32, x);
        store_commit();
        store_wait<0>();
    }
}
