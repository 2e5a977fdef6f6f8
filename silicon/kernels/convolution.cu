// Convolution of an image with 15 x 15 taps in tiles whose shape is a variant's (van Werkhoven et al., "Optimizing convolution
// operations on GPUs using adaptive tiling", 2014; Kernel Tuner's benchmark): a block of BLOCK_X x BLOCK_Y threads brings what
// TILE_X x TILE_Y outputs a thread need into shared memory and adds up from there. A thread's outputs are as far apart as the
// block is wide and high; all loops over taps and outputs are unrolled. READ_ONLY: the image comes through the read-only cache.
// PADDING: rows in shared memory are that much longer that rows of a block narrower than a warp follow each other in the banks.
// SHARED 0: without shared memory, each thread reads its pixels from the image, which is then as large as the grid.
// Variants are files of their own that bring these words (silicon/choose-variants).
#include "device.h"

#ifndef BLOCK_X
#define BLOCK_X   32
#define BLOCK_Y   8
#define TILE_X    1
#define TILE_Y    7
#define PADDING   0
#define READ_ONLY 0
#endif

#ifndef SHARED
#define SHARED 1
#endif

#define TAPS 15

#define WIDTH  (BLOCK_X * TILE_X)
#define HEIGHT (BLOCK_Y * TILE_Y)
#define ROW    (WIDTH + TAPS - 1)
#define STRIDE (ROW + (PADDING && BLOCK_X % 32 ? (BLOCK_X + 32 - ROW % 32) % 32 : 0))

__constant__ float taps[TAPS * TAPS];

__device__ __forceinline__ float pixel(const float *image, int at)
{
#if READ_ONLY
    return __ldg(image + at);
#else
    return image[at];
#endif
}

// The image is TAPS - 1 wider and higher than the result.
KERNEL void convolve(float *out, const float *image, int width, int height)
{
    const int left = blockIdx.x * WIDTH, top = blockIdx.y * HEIGHT;
#if SHARED
    __shared__ float tile[HEIGHT + TAPS - 1][STRIDE];
    const int pitch = width + TAPS - 1;

    for (int y = threadIdx.y; y < HEIGHT + TAPS - 1; y += BLOCK_Y)
        for (int x = threadIdx.x; x < ROW; x += BLOCK_X)
            if (left + x < pitch && top + y < height + TAPS - 1)
                tile[y][x] = pixel(image, (top + y) * pitch + left + x);
    __syncthreads();
#define PIXEL(x, y) tile[y][x]
#else
    const int pitch = gridDim.x * WIDTH + TAPS - 1;
#define PIXEL(x, y) pixel(image, (top + (y)) * pitch + left + (x))
#endif

    // A pixel of the tile is read once and added to every sum that wants it: that of row s and column t of outputs at taps (i, j),
    // and those of rows above and columns to the left whose taps reach so far.
    float sum[TILE_Y][TILE_X] = {};
#pragma unroll
    for (int s = 0; s < TILE_Y; s++)
#pragma unroll
        for (int i = 0; i < (s + 1 < TILE_Y && BLOCK_Y < TAPS ? BLOCK_Y : TAPS); i++)
#pragma unroll
            for (int t = 0; t < TILE_X; t++)
#pragma unroll
                for (int j = 0; j < (t + 1 < TILE_X && BLOCK_X < TAPS ? BLOCK_X : TAPS); j++) {
                    float value = PIXEL(threadIdx.x + t * BLOCK_X + j, threadIdx.y + s * BLOCK_Y + i);
#pragma unroll
                    for (int v = s; v >= 0 && i + (s - v) * BLOCK_Y < TAPS; v--)
#pragma unroll
                        for (int u = t; u >= 0 && j + (t - u) * BLOCK_X < TAPS; u--)
                            sum[v][u] += value * taps[(i + (s - v) * BLOCK_Y) * TAPS + j + (t - u) * BLOCK_X];
                }

#pragma unroll
    for (int v = 0; v < TILE_Y; v++)
#pragma unroll
        for (int u = 0; u < TILE_X; u++) {
            int x = left + threadIdx.x + u * BLOCK_X, y = top + threadIdx.y + v * BLOCK_Y;
            if (x < width && y < height) out[y * width + x] = sum[v][u];
        }
}
