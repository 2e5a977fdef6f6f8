// Wave equation on a box in finite differences of sixth order, in 2.5 dimensions (Micikevicius 2009): a thread has a column of
// the box and goes down it plane by plane, with the seven values around it in z in registers; those in x and y come from
// memory each time.
//
//                 z - 3 … z + 3: registers, moved on by one a plane
//      x - 3 … x + 3, y - 3 … y + 3: loads
//
// Threads are numbered along the rows of a plane, a block has 1024 of them and the border is three rows and three columns:
// where a row has 256 points, 24 of the first block's 32 warps have nothing to do.
#include "device.h"

#define THREADS 1024
#define RADIUS  3

__constant__ float weights[RADIUS + 1]; // of the middle and of points 1 to RADIUS away from it

KERNEL void stencil25d(float *next, const float *now, int width, int height, int depth)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, plane = width * height;
    const int x = i % width, y = i / width;
    if (x < RADIUS || x >= width - RADIUS || y < RADIUS || y >= height - RADIUS) return;

    float column[2 * RADIUS + 1];
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; k++) column[k + 1] = now[k * plane + i];
    for (int z = RADIUS; z < depth - RADIUS; z++) {
        const float *at = now + z * plane + i;
#pragma unroll
        for (int k = 0; k < 2 * RADIUS; k++) column[k] = column[k + 1];
        column[2 * RADIUS] = at[RADIUS * plane];

        float sum = 3.0f * weights[0] * column[RADIUS];
#pragma unroll
        for (int k = 1; k <= RADIUS; k++)
            sum += weights[k] *
                   (at[-k] + at[k] + at[-k * width] + at[k * width] + column[RADIUS - k] + column[RADIUS + k]);
        next[z * plane + i] = sum;
    }
}
