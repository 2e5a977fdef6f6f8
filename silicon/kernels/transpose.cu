// Transposition of a matrix and plain copies of it, in tiles of 16 x 16 that a block of 16 x 16 threads moves: what
// the layout of accesses costs in global memory, in banks of shared memory, and among the channels of DRAM
// (Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009, describe the variants).
#include "device.h"

#define TILE 16
#define BLOCK_ROWS 16 // a block may have fewer rows than a tile

KERNEL void copy(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int index = x + width * y;

    for (int i = 0; i < TILE; i += BLOCK_ROWS) out[index + i * width] = in[index + i * width];
}

KERNEL void copy_shared(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int index = x + width * y;

    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[index];
    __syncthreads();
    for (int i = 0; i < TILE; i += BLOCK_ROWS)
        if (x < height && y < width) out[index] = tile[threadIdx.y][threadIdx.x];
}

KERNEL void transpose_naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int from = x + width * y, to = y + height * x;

    for (int i = 0; i < TILE; i += BLOCK_ROWS) out[to + i] = in[from + i * width];
}

// Tile (x, y) through shared memory with a column of padding.
__device__ __forceinline__ void move_tile(float *out, const float *in, int width, int height, int tile_x, int tile_y)
{
    __shared__ float tile[TILE][TILE + 1];
    int from = tile_x * TILE + threadIdx.x + width * (tile_y * TILE + threadIdx.y);
    int to = tile_y * TILE + threadIdx.x + height * (tile_x * TILE + threadIdx.y);

    for (int i = 0; i < TILE; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = in[from + i * width];
    __syncthreads();
    for (int i = 0; i < TILE; i += BLOCK_ROWS) out[to + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

KERNEL void transpose_padded(float *out, const float *in, int width, int height)
{
    move_tile(out, in, width, height, blockIdx.x, blockIdx.y);
}

// Blocks that run together walk along diagonals, so that they meet all channels of memory when writing, too.
KERNEL void transpose_diagonal(float *out, const float *in, int width, int height)
{
    int tile_x, tile_y;

    if (width == height) {
        tile_y = blockIdx.x;
        tile_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int block = blockIdx.x + gridDim.x * blockIdx.y;
        tile_y = block % gridDim.y;
        tile_x = (block / gridDim.y + tile_y) % gridDim.x;
    }
    move_tile(out, in, width, height, tile_x, tile_y);
}
