// Convolution of an image with 3 x 3 taps, a thread a pixel, every tap from global memory (PolyBench:
// 2DCONV). The taps are constants of the code; pixels of the rim are left alone.
#include "device.h"

#define WIDTH  4096
#define HEIGHT 4096

KERNEL void convolve_3x3(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y > 0 && y < HEIGHT - 1 && x > 0 && x < WIDTH - 1)
        out[y * WIDTH + x] = 0.2f * in[(y - 1) * WIDTH + x - 1] + -0.3f * in[(y - 1) * WIDTH + x] +
                             0.4f * in[(y - 1) * WIDTH + x + 1] + 0.5f * in[y * WIDTH + x - 1] +
                             0.6f * in[y * WIDTH + x] + 0.7f * in[y * WIDTH + x + 1] +
                             -0.8f * in[(y + 1) * WIDTH + x - 1] + -0.9f * in[(y + 1) * WIDTH + x] +
                             0.1f * in[(y + 1) * WIDTH + x + 1];
}
