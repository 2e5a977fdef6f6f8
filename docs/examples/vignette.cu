// Takes the dark edges out of an image: a lens loses light with the distance from its axis, by a polynomial that the
// maker of the lens publishes.
#include "device.h"

KERNEL void vignette(const float *__restrict__ image, float *__restrict__ out, int width, int height, float falloff)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = 2.0f * (float)x / (float)width - 1.0f, across = u * u;
    float column = 1.0f + across * (falloff + across * (0.5f * falloff + across * 0.25f * falloff));
    float v = 2.0f * (float)y / (float)height - 1.0f, along = v * v;
    float row = 1.0f + along * (falloff + along * (0.5f * falloff + along * 0.25f * falloff));
    out[y * width + x] = image[y * width + x] * column * row;
}
