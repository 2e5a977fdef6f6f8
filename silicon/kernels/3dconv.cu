// One plane of a convolution of a volume with a cube of taps (PolyBench: 3DCONV): a thread a point, a launch
// a plane. Fifteen products of eleven points: four of them have several taps, as the card's loads (11 a warp)
// and operations (15 a thread) show.
#include "device.h"

#define SIDE 256

__device__ __forceinline__ int at(int plane, int y, int x) { return (plane * SIDE + y) * SIDE + x; }

KERNEL void convolve_plane(const float *in, float *out, int plane)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int p = plane;

    if (p < SIDE - 1 && y < SIDE - 1 && x < SIDE - 1 && p > 0 && y > 0 && x > 0)
        out[at(p, y, x)] = 2.0f * in[at(p - 1, y - 1, x - 1)] + 4.0f * in[at(p + 1, y - 1, x - 1)] +
                           5.0f * in[at(p - 1, y - 1, x - 1)] + 7.0f * in[at(p + 1, y - 1, x - 1)] +
                           -8.0f * in[at(p - 1, y - 1, x - 1)] + 10.0f * in[at(p + 1, y - 1, x - 1)] +
                           -3.0f * in[at(p, y - 1, x)] + 6.0f * in[at(p, y, x)] +
                           -9.0f * in[at(p, y + 1, x)] + 2.0f * in[at(p - 1, y - 1, x + 1)] +
                           4.0f * in[at(p + 1, y - 1, x + 1)] + 5.0f * in[at(p - 1, y, x + 1)] +
                           7.0f * in[at(p + 1, y, x + 1)] + -8.0f * in[at(p - 1, y + 1, x + 1)] +
                           10.0f * in[at(p + 1, y + 1, x + 1)];
}
