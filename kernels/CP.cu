// Coulombic potential: the electric potential of point charges on one plane of a grid. All atoms of a launch
// stand in constant memory, {x, y, squared distance to the plane, charge}; a thread sums over them for eight
// grid points that lie a block's width apart, so it works out the distance in y once for all eight.
#include "device.h"

#define WIDTH     16
#define UNROLL    8
#define MAX_ATOMS 4000

__constant__ float4 atoms[MAX_ATOMS];

KERNEL void coulombic_potential(int atom_count, float spacing, float *energy)
{
    int column = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int at = gridDim.x * blockDim.x * UNROLL * row + column;

    float y = spacing * (float)row;
    float x = spacing * (float)column;
    const float stride = spacing * WIDTH;

    float sum[UNROLL] = {0.0f};
    for (int i = 0; i < atom_count; i++) {
        float4 atom = atoms[i];
        float dy = y - atom.y;
        float dyz2 = dy * dy + atom.z;
        float dx = x - atom.x;
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            sum[k] += atom.w * rsqrtf(dx * dx + dyz2);
            dx += stride;
        }
    }
#pragma unroll
    for (int k = 0; k < UNROLL; k++) energy[at + k * WIDTH] += sum[k];
}
