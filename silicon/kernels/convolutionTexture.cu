// Separable convolution of an image with 17 taps, a pass along the rows and one along the columns: every thread
// fetches its 17 texels, the loop is unrolled, taps are in constant memory.
#include "device.h"

#define RADIUS 8

__constant__ float taps[2 * RADIUS + 1];

KERNEL void convolve_rows(float *out, int width, int height, cudaTextureObject_t image)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float x = column + 0.5f, y = row + 0.5f, sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) sum += texture_f32(image, x + k, y) * taps[RADIUS - k];
    out[row * width + column] = sum;
}

KERNEL void convolve_columns(float *out, int width, int height, cudaTextureObject_t image)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;

    float x = column + 0.5f, y = row + 0.5f, sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) sum += texture_f32(image, x, y + k) * taps[RADIUS - k];
    out[row * width + column] = sum;
}
