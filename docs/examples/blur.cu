// Blurs an image along its rows: a pixel becomes a weighted sum of five neighbours. Both kernels compute the same
// image; `blur` gives neighbouring threads neighbouring rows, `blur_rows` neighbouring columns.
#include "device.h"

static __device__ void blur_pixel(const float *in, float *out, int width, int height, int column, int row)
{
    if (column >= width || row >= height) return;
    float sum = 0;
    for (int k = -2; k <= 2; k++) {
        int at = min(max(column + k, 0), width - 1);
        sum += in[row * width + at] * (1.0f / (float)(2 + k * k));
    }
    out[row * width + column] = sum;
}

KERNEL void blur(const float *in, float *out, int width, int height)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    blur_pixel(in, out, width, height, column, row);
}

KERNEL void blur_rows(const float *in, float *out, int width, int height)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    blur_pixel(in, out, width, height, column, row);
}
