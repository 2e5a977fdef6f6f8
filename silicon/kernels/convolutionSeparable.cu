// Separable convolution of an image with 17 taps through shared memory. A block makes eight tiles of its own shape
// and reads one more at either end; what is outside the image counts as zero.
#include "device.h"

#define RADIUS 8
#define STEPS 8 // tiles a block makes
#define HALO 1  // tiles it reads more, at each end

#define ROWS_X 16
#define ROWS_Y 4
#define COLUMNS_X 16
#define COLUMNS_Y 8

__constant__ float taps[2 * RADIUS + 1];

KERNEL void convolve_rows(float *out, const float *in, int width, int height, int pitch)
{
    __shared__ float tile[ROWS_Y][(STEPS + 2 * HALO) * ROWS_X];
    int x = (blockIdx.x * STEPS - HALO) * ROWS_X + threadIdx.x, y = blockIdx.y * ROWS_Y + threadIdx.y;

    in += y * pitch + x;
    out += y * pitch + x;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) tile[threadIdx.y][threadIdx.x + i * ROWS_X] = in[i * ROWS_X];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        tile[threadIdx.y][threadIdx.x + i * ROWS_X] = x >= -i * ROWS_X ? in[i * ROWS_X] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++)
        tile[threadIdx.y][threadIdx.x + i * ROWS_X] = width - x > i * ROWS_X ? in[i * ROWS_X] : 0;
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += taps[RADIUS - k] * tile[threadIdx.y][threadIdx.x + i * ROWS_X + k];
        out[i * ROWS_X] = sum;
    }
}

KERNEL void convolve_columns(float *out, const float *in, int width, int height, int pitch)
{
    __shared__ float tile[COLUMNS_X][(STEPS + 2 * HALO) * COLUMNS_Y + 1];
    int x = blockIdx.x * COLUMNS_X + threadIdx.x, y = (blockIdx.y * STEPS - HALO) * COLUMNS_Y + threadIdx.y;

    in += y * pitch + x;
    out += y * pitch + x;
#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++)
        tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = in[i * COLUMNS_Y * pitch];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = y >= -i * COLUMNS_Y ? in[i * COLUMNS_Y * pitch] : 0;
#pragma unroll
    for (int i = HALO + STEPS; i < HALO + STEPS + HALO; i++)
        tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = height - y > i * COLUMNS_Y ? in[i * COLUMNS_Y * pitch] : 0;
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += taps[RADIUS - k] * tile[threadIdx.x][threadIdx.y + i * COLUMNS_Y + k];
        out[i * COLUMNS_Y * pitch] = sum;
    }
}
