// Separable convolution of an image, 17 taps along the rows and then 17 down the columns; pixels come through
// texture fetches, which clamp at the border, the taps stand in constant memory. The host copies the result
// of the first pass into the texture of the second.
#include "device.h"

#define RADIUS 8
#define TAPS   (2 * RADIUS + 1)

__constant__ float taps[TAPS];

KERNEL void convolve_rows(float *out, cudaTextureObject_t image, int width, int height)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    if (ix >= width || iy >= height) return;

    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) sum += texture_f32(image, x + (float)k, y) * taps[RADIUS - k];
    out[iy * width + ix] = sum;
}

KERNEL void convolve_columns(float *out, cudaTextureObject_t image, int width, int height)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    if (ix >= width || iy >= height) return;

    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) sum += texture_f32(image, x, y + (float)k) * taps[RADIUS - k];
    out[iy * width + ix] = sum;
}
