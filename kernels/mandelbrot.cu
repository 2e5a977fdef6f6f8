// How many rounds a point of the plane takes to leave the circle around the Mandelbrot set: a point a thread, each with an end of
// its own. Operations are rounded one by one, so that counts are the same wherever they are made.
#include "device.h"

#define BLOCK_X 32
#define BLOCK_Y 8

KERNEL void mandelbrot(unsigned *rounds, int width, int height, int most, float left, float top, float step)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width) return;
    if (y >= height) return;
    const float real = fmaf(step, (float)x, left), imaginary = fmaf(-step, (float)y, top);
    float a = 0.0f, b = 0.0f, a2 = 0.0f, b2 = 0.0f;
    int round = 0;
    while (a2 + b2 < 4.0f) {
        if (round == most) break;
        b = fmaf(2.0f * a, b, imaginary);
        a = (a2 - b2) + real;
        a2 = __fmul_rn(a, a);
        b2 = __fmul_rn(b, b);
        round++;
    }
    rounds[y * width + x] = round;
}
