// Electromagnetic waves on a grid in two dimensions by finite differences in time (PolyBench: FDTD-2D; Yee
// 1966): the field across x from the magnetic one, and the magnetic one from both electric ones. A thread a
// cell.
#include "device.h"

#define WIDTH  2048
#define HEIGHT 2048

// ex has a column more than the grid, ey a row.
KERNEL void update_ex(float *ex, const float *hz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < HEIGHT && x < WIDTH && x > 0)
        ex[y * (WIDTH + 1) + x] -= 0.5f * (hz[y * WIDTH + x] - hz[y * WIDTH + x - 1]);
}

KERNEL void update_hz(const float *ex, const float *ey, float *hz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (y < HEIGHT && x < WIDTH)
        hz[y * WIDTH + x] -= 0.7f * (ex[y * (WIDTH + 1) + x + 1] - ex[y * (WIDTH + 1) + x] +
                                     ey[(y + 1) * WIDTH + x] - ey[y * WIDTH + x]);
}
