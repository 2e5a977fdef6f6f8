// Separable convolution of an image, 17 taps along the rows and then 17 down the columns, from shared memory. A block makes a
// strip of eight tiles of its own shape; it reads one tile more at either end, and what is outside of the image counts as zero:
//
//      read     | tile | tile  tile  tile  tile  tile  tile  tile  tile | tile |
//      written         | tile  tile  tile  tile  tile  tile  tile  tile |
#include "device.h"

#define RADIUS 8 // at most a tile
#define TILES  8

#define ROWS_X    16
#define ROWS_Y    4
#define COLUMNS_X 16
#define COLUMNS_Y 8

__constant__ float taps[2 * RADIUS + 1];

// The sum over a strip around one of its elements.
__device__ __forceinline__ float weigh(const float *strip, int centre)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) sum += taps[RADIUS - k] * strip[centre + k];
    return sum;
}

// width: a multiple of TILES · ROWS_X; height: of ROWS_Y.
KERNEL void convolution_rows(float *out, const float *in, int width)
{
    __shared__ float strips[ROWS_Y][(TILES + 2) * ROWS_X];
    float *strip = strips[threadIdx.y];
    const int tx = threadIdx.x, row = (blockIdx.y * ROWS_Y + threadIdx.y) * width;
    const int first = (blockIdx.x * TILES - 1) * ROWS_X + tx;

#pragma unroll
    for (int tile = 0; tile < TILES + 2; tile++) {
        int x = first + tile * ROWS_X;
        bool inside = (tile > 0 || x >= 0) && (tile <= TILES || x < width); // the ends alone have to ask
        strip[tile * ROWS_X + tx] = inside ? in[row + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int tile = 1; tile <= TILES; tile++)
        out[row + first + tile * ROWS_X] = weigh(strip, tile * ROWS_X + tx);
}

// width: a multiple of COLUMNS_X; height: of TILES · COLUMNS_Y. A strip has one element more, which keeps neighbours off one bank.
KERNEL void convolution_columns(float *out, const float *in, int width, int height)
{
    __shared__ float strips[COLUMNS_X][(TILES + 2) * COLUMNS_Y + 1];
    float *strip = strips[threadIdx.x];
    const int ty = threadIdx.y, x = blockIdx.x * COLUMNS_X + threadIdx.x;
    const int first = (blockIdx.y * TILES - 1) * COLUMNS_Y + ty;

#pragma unroll
    for (int tile = 0; tile < TILES + 2; tile++) {
        int y = first + tile * COLUMNS_Y;
        bool inside = (tile > 0 || y >= 0) && (tile <= TILES || y < height);
        strip[tile * COLUMNS_Y + ty] = inside ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int tile = 1; tile <= TILES; tile++)
        out[(first + tile * COLUMNS_Y) * width + x] = weigh(strip, tile * COLUMNS_Y + ty);
}
