// A five-point stencil on an image, in the two shapes in which it is usually divided, blocks of (32,8): a tile of the image a
// block, and a stripe a block, which it goes along. Both stage pixels and those around them in shared memory; beyond the
// image are zeroes.
#include "device.h"

#define NX 32
#define NY 8

static __device__ __forceinline__ float pixel(const float *in, int width, int height, int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
}

// The block's pixels from `left` on, with a border of one.
static __device__ __forceinline__ void stage(float (*tile)[NX + 2], const float *in, int width, int height, int left, int top)
{
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + (int)threadIdx.x, y = top + (int)threadIdx.y;
    tile[ty][tx] = pixel(in, width, height, x, y);
    if (tx == 1) tile[ty][0] = pixel(in, width, height, x - 1, y);
    if (tx == NX) tile[ty][NX + 1] = pixel(in, width, height, x + 1, y);
    if (ty == 1) tile[0][tx] = pixel(in, width, height, x, y - 1);
    if (ty == NY) tile[NY + 1][tx] = pixel(in, width, height, x, y + 1);
}

static __device__ __forceinline__ float around(float (*tile)[NX + 2], float centre, float side)
{
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    return centre * tile[ty][tx] + side * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

KERNEL void stencil2d_tile(const float *in, float *out, int width, int height, float centre, float side)
{
    __shared__ float tile[NY + 2][NX + 2];
    const int left = blockIdx.x * NX, top = blockIdx.y * NY, x = left + threadIdx.x, y = top + threadIdx.y;

    stage(tile, in, width, height, left, top);
    __syncthreads();
    if (x < width && y < height) out[y * width + x] = around(tile, centre, side);
}

KERNEL void stencil2d_stripe(const float *in, float *out, int width, int height, float centre, float side)
{
    __shared__ float tile[NY + 2][NX + 2];
    const int top = blockIdx.x * NY, y = top + threadIdx.y;

    for (int left = 0; left < width; left += NX) {
        const int x = left + threadIdx.x;
        stage(tile, in, width, height, left, top);
        __syncthreads();
        if (x < width && y < height) out[y * width + x] = around(tile, centre, side);
        __syncthreads();
    }
}
