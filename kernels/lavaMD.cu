// Forces between particles in a box of boxes (molecular dynamics with a cut-off; after Szafaryn, Skadron and Saucerman 2009): a
// block has a box and meets its neighbours', itself among them, one after the other; these are brought into shared memory,
// and each thread adds up what they do to its particle. The potential is a screened one, exp(-a²·r²).
#include "device.h"

#define THREADS 128

// particles: x, y, z and charge, `each` a box, at most THREADS; boxes are numbered by x, then y, then z.
KERNEL void lava_forces(float4 *forces, const float4 *particles, int each, int side, float a2)
{
    __shared__ float4 near[THREADS];
    const int tid = threadIdx.x, box = blockIdx.x;
    const int x = box % side, y = box / side % side, z = box / (side * side);
    const float4 own = tid < each ? particles[box * each + tid] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    for (int k = 0; k < 27; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
        // One comparison: what is negative is large without a sign.
        bool outside = (unsigned)nx >= (unsigned)side | (unsigned)ny >= (unsigned)side | (unsigned)nz >= (unsigned)side;
        if (outside) continue;
        __syncthreads();
        if (tid < each) near[tid] = particles[((nz * side + ny) * side + nx) * each + tid];
        __syncthreads();
        if (tid >= each) continue;
        for (int i = 0; i < each; i++) {
            float4 other = near[i];
            float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
            float potential = other.w * expf(-a2 * (dx * dx + dy * dy + dz * dz));
            float force = 2.0f * a2 * potential;
            sum.x += force * dx;
            sum.y += force * dy;
            sum.z += force * dz;
            sum.w += potential;
        }
    }
    if (tid < each) forces[box * each + tid] = sum;
}
