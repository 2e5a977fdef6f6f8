// One Jacobi step of the seven-point stencil on a box, blocks of (8,8,4): the block's cells and the faces
// around them are staged in shared memory. Cells on the box's surface keep their value. The host swaps and
// repeats.
#include "device.h"

#define NX 8
#define NY 8
#define NZ 4

KERNEL void stencil3d(const float *in, float *out, int nx, int ny, int nz, float centre, float side)
{
    __shared__ float tile[NZ + 2][NY + 2][NX + 2];

    int x = blockIdx.x * NX + threadIdx.x;
    int y = blockIdx.y * NY + threadIdx.y;
    int z = blockIdx.z * NZ + threadIdx.z;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, tz = threadIdx.z + 1;
    int at = (z * ny + y) * nx + x;

    tile[tz][ty][tx] = in[at];
    if (tx == 1 && x > 0) tile[tz][ty][0] = in[at - 1];
    if (tx == NX && x < nx - 1) tile[tz][ty][NX + 1] = in[at + 1];
    if (ty == 1 && y > 0) tile[tz][0][tx] = in[at - nx];
    if (ty == NY && y < ny - 1) tile[tz][NY + 1][tx] = in[at + nx];
    if (tz == 1 && z > 0) tile[0][ty][tx] = in[at - nx * ny];
    if (tz == NZ && z < nz - 1) tile[NZ + 1][ty][tx] = in[at + nx * ny];
    __syncthreads();

    float value = tile[tz][ty][tx];
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        float sum = tile[tz][ty][tx - 1] + tile[tz][ty][tx + 1];
        sum += tile[tz][ty - 1][tx] + tile[tz][ty + 1][tx];
        sum += tile[tz - 1][ty][tx] + tile[tz + 1][ty][tx];
        value = centre * value + side * sum;
    }
    out[at] = value;
}
