// A filter's taps laid out for a product of spectra: the image's size, the filter's centre at the origin, what is left
// of and above it at the far ends.
#include "device.h"

KERNEL void pad_filter(float *out, int out_height, int out_width, int height, int width, int centre_y, int centre_x,
                       cudaTextureObject_t taps)
{
    int y = blockDim.y * blockIdx.y + threadIdx.y, x = blockDim.x * blockIdx.x + threadIdx.x;
    if (y >= height || x >= width) return;

    int out_y = y - centre_y, out_x = x - centre_x;
    if (out_y < 0) out_y += out_height;
    if (out_x < 0) out_x += out_width;
    out[out_y * out_width + out_x] = tex1Dfetch<float>(taps, y * width + x);
}
