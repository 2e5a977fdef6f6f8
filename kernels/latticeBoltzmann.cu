// Flow by the lattice Boltzmann method in two dimensions with nine velocities (Qian, d'Humieres and Lallemand 1992), one relaxation time,
// periodic: a cell fetches what moves to it from its nine neighbours, and lets it collide. A number of every cell beside the
// next cell's, nine arrays: streams as far apart as the grid is large.
//
//      6 2 5
//      3 0 1      velocities
//      7 4 8
#include "device.h"

#define THREADS    128
#define VELOCITIES 9

// The share of velocity v in equilibrium, where the flow along it is `along` and the square of all flow is `square`.
__device__ __forceinline__ float equilibrium(int v, float density, float along, float square)
{
    float weight = v == 0 ? 4.0f / 9.0f : v < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
    return weight * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * square);
}

KERNEL void lattice_step(float *next, const float *now, int width, int height, float relaxation)
{
    const int dx[VELOCITIES] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[VELOCITIES] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y, cells = width * height;
    if (x >= width) return;
    float share[VELOCITIES], density = 0.0f, flow_x = 0.0f, flow_y = 0.0f;
#pragma unroll
    for (int v = 0; v < VELOCITIES; v++) {
        int from_x = x - dx[v], from_y = y - dy[v];
        from_x += from_x < 0 ? width : from_x >= width ? -width : 0;
        from_y += from_y < 0 ? height : from_y >= height ? -height : 0;
        share[v] = now[v * cells + from_y * width + from_x];
        density += share[v];
        flow_x += (float)dx[v] * share[v];
        flow_y += (float)dy[v] * share[v];
    }
    flow_x /= density;
    flow_y /= density;
    const float square = flow_x * flow_x + flow_y * flow_y;
#pragma unroll
    for (int v = 0; v < VELOCITIES; v++) {
        float settled = equilibrium(v, density, (float)dx[v] * flow_x + (float)dy[v] * flow_y, square);
        next[v * cells + y * width + x] = share[v] + relaxation * (settled - share[v]);
    }
}
