// Seven-point stencil on a volume (Parboil: stencil): a block walks up a column of 64 x 4 points, two points
// a thread. The plane it is at lies in shared memory, those below and above in registers; neighbours of other
// blocks come from global memory. The card's shared loads, 12 a warp and plane, say that a point's own value
// is read there for its sum and again when the planes move on.
#include "device.h"

// What a thread has of one of its points.
struct point {
    int x, slot; // its place in a row of the volume and in the tile
    float below, above;
};

__device__ __forceinline__ int at(int nx, int ny, int x, int y, int z)
{
    return x + nx * (y + ny * z);
}

// The sum of a point's neighbours in the plane, less one: `low` and `high` say that it is first or last of
// its tile.
__device__ __forceinline__ void update(const struct point &p, const float *tile, int width, float centre,
                                       float side, const float *in, float *out, int nx, int ny, int nz, int y,
                                       int z, bool left_edge, bool right_edge)
{
    if (p.x > 0 && y > 0 && p.x < nx - 1 && y < ny - 1) {
        float down = threadIdx.y == 0 ? in[at(nx, ny, p.x, y - 1, z)] : tile[p.slot - width];
        float up = threadIdx.y == blockDim.y - 1 ? in[at(nx, ny, p.x, y + 1, z)] : tile[p.slot + width];
        float left = left_edge ? in[at(nx, ny, p.x - 1, y, z)] : tile[p.slot - 1];
        float right = right_edge ? in[at(nx, ny, p.x + 1, y, z)] : tile[p.slot + 1];
        out[at(nx, ny, p.x, y, z)] =
            (p.above + p.below + up + down + left + right) * side - tile[p.slot] * centre;
    }
}

KERNEL void stencil_7(float centre, float side, const float *in, float *out, int nx, int ny, int nz)
{
    extern __shared__ float tile[];
    int width = 2 * blockDim.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    struct point p, q;

    p.x = blockIdx.x * width + threadIdx.x;
    q.x = p.x + blockDim.x;
    p.slot = threadIdx.x + threadIdx.y * width;
    q.slot = p.slot + blockDim.x;
    tile[p.slot] = 0.0f;
    tile[q.slot] = 0.0f;
    __syncthreads();

    p.below = q.below = p.above = q.above = 0.0f;
    if (p.x < nx && y < ny) {
        p.below = in[at(nx, ny, p.x, y, 0)];
        tile[p.slot] = in[at(nx, ny, p.x, y, 1)];
    }
    if (q.x < nx && y < ny) {
        q.below = in[at(nx, ny, q.x, y, 0)];
        tile[q.slot] = in[at(nx, ny, q.x, y, 1)];
    }
    __syncthreads();

    for (int z = 1; z < nz - 1; z++) {
        if (p.x < nx && y < ny) p.above = in[at(nx, ny, p.x, y, z + 1)];
        update(p, tile, width, centre, side, in, out, nx, ny, nz, y, z, threadIdx.x == 0, false);
        if (q.x < nx && y < ny) q.above = in[at(nx, ny, q.x, y, z + 1)];
        update(q, tile, width, centre, side, in, out, nx, ny, nz, y, z, false, threadIdx.x == blockDim.x - 1);
        __syncthreads();
        p.below = tile[p.slot];
        tile[p.slot] = p.above;
        q.below = tile[q.slot];
        tile[q.slot] = q.above;
        __syncthreads();
    }
}
