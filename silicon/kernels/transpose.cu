// Transposition of a matrix and plain copies of it, in tiles of 16 x 16 that a block of 16 x 16 threads moves: what
// the layout of accesses costs in global memory, in banks of shared memory, and among the channels of DRAM
// (Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009, describe the variants).
#include "device.h"

#define TILE 16
#define BLOCK_ROWS 16

KERNEL void copy(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int index = x + width * y;

    for (int i = 0; i < TILE; i += BLOCK_ROWS) out[index + i * width] = in[index + i * width];
}
