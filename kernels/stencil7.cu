// Wave equation on a box in finite differences of second order, a column a thread: seven points around each. A thread goes down
// its column plane by plane, with the points above and below in registers; the four beside come from memory. The five loads of a
// plane stand together, so that a warp waits for memory once a plane.
//
// As in the launches of Xiang's dissertation (Figures 24 to 26) there are more threads than columns: a row of threads is
// longer than a row of the box, and threads beyond it return at once. With 1,248 threads and 226 points in a row, 8 of the
// first block's 32 warps have work, and from 1 to 8 of every other block's.
#include "device.h"

#define THREADS 1024
#define ACROSS  1248 // threads of a row

__constant__ float weights[2]; // of the point, and of the six around it

KERNEL void stencil7(float *next, const float *now, int width, int height, int depth)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, plane = width * height;
    const int i = thread % ACROSS, j = thread / ACROSS + 1;
    if (i > 0 && i < width - 1 && j < height - 1) {
        const float *at = now + j * width + i;
        float *to = next + j * width + i;
        float above = at[0], here = at[plane];
#pragma unroll 1
        for (int k = 1; k < depth - 1; k++) {
            at += plane;
            to += plane;
            float west = at[-1], east = at[1], north = at[-width], south = at[width], below = at[plane];
            *to = weights[0] * here + weights[1] * (west + east + north + south + above + below);
            above = here;
            here = below;
        }
    }
}
