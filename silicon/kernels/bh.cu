// The octree of Barnes and Hut over the bodies of an n-body simulation, built by all threads at once (Burtscher and
// Pingali 2011): a thread walks down from the root to where its body belongs; a child that is another body is locked
// and replaced by cells, until the two bodies part. Who meets a lock tries again, together with the block.
//
// Numbers below `bodies` are bodies, others cells; the root is cell `root`, the last one, and new ones count down.
#include "device.h"

#define EMPTY -1
#define LOCKED -2

__device__ int lowest_cell, deepest;
__device__ float radius; // of the cube that holds everything

__device__ __forceinline__ float draw(unsigned &state)
{
    state = state * 1664525 + 1013904223;
    unsigned mixed = (state ^ state >> 15) * 0x2c1b3c6d;
    return ((mixed ^ mixed >> 12) >> 8) * 0x1p-24f;
}

// Bodies as Plummer (1911) has them: density falls with the fifth power of the distance from the middle.
KERNEL void draw_bodies(float *x, float *y, float *z, int bodies)
{
    int body = blockIdx.x * blockDim.x + threadIdx.x;
    if (body >= bodies) return;

    unsigned state = (body + 1) * 0x9e3779b9u;
    float mass = 0.999f * draw(state);
    float distance = rsqrtf(powf(mass, -2.0f / 3.0f) - 1.0f) * 0.589f;
    float dx, dy, dz, square;
    do {
        dx = 2 * draw(state) - 1;
        dy = 2 * draw(state) - 1;
        dz = 2 * draw(state) - 1;
        square = dx * dx + dy * dy + dz * dz;
    } while (square > 1 || square == 0);
    distance *= rsqrtf(square);
    x[body] = dx * distance;
    y[body] = dy * distance;
    z[body] = dz * distance;
}

// One block: the root in the middle of the bodies, all cells empty.
KERNEL void clear_tree(int *children, float *x, float *y, float *z, int bodies, int root)
{
    __shared__ float low[3], high[3];
    if (threadIdx.x < 3) {
        const float *axis = threadIdx.x == 0 ? x : threadIdx.x == 1 ? y : z;
        float least = axis[0], most = axis[0];
        for (int body = 1; body < bodies; body++) {
            least = fminf(least, axis[body]);
            most = fmaxf(most, axis[body]);
        }
        low[threadIdx.x] = least;
        high[threadIdx.x] = most;
    }
    __syncthreads();
    for (int i = 8 * bodies + threadIdx.x; i < 8 * (root + 1); i += blockDim.x) children[i] = EMPTY;
    if (threadIdx.x == 0) {
        x[root] = (low[0] + high[0]) * 0.5f;
        y[root] = (low[1] + high[1]) * 0.5f;
        z[root] = (low[2] + high[2]) * 0.5f;
        radius = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) * 0.5f;
        lowest_cell = root;
        deepest = 1;
    }
}

// Which of a cell's children has a place, and, by `step`, where that child's middle is.
__device__ __forceinline__ int octant(float cx, float cy, float cz, float px, float py, float pz)
{
    return (cx < px) | (cy < py) << 1 | (cz < pz) << 2;
}

KERNEL void build_tree(int bodies, int root, volatile int *children, volatile float *x, volatile float *y,
                       volatile float *z)
{
    int body = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const float root_x = x[root], root_y = y[root], root_z = z[root], root_radius = radius;
    float px, py, pz, cx, cy, cz, half;
    int cell = root, branch = 0, depth = 1, most = 1;
    bool is_new = true;

    while (body < bodies) {
        if (is_new) {
            is_new = false;
            px = x[body];
            py = y[body];
            pz = z[body];
            cell = root;
            depth = 1;
            half = root_radius * 0.5f;
            branch = octant(root_x, root_y, root_z, px, py, pz);
            cx = root_x + (branch & 1 ? half : -half);
            cy = root_y + (branch & 2 ? half : -half);
            cz = root_z + (branch & 4 ? half : -half);
        }

        // Down to an empty place, a body or a lock. c is the middle of the child at `branch`.
        int child = children[cell * 8 + branch];
        while (child >= bodies) {
            cell = child;
            depth++;
            half *= 0.5f;
            branch = octant(cx, cy, cz, px, py, pz);
            cx += branch & 1 ? half : -half;
            cy += branch & 2 ? half : -half;
            cz += branch & 4 ? half : -half;
            child = children[cell * 8 + branch];
        }

        if (child != LOCKED) {
            int place = cell * 8 + branch;
            if (child == EMPTY) {
                if (atomicCAS((int *)&children[place], EMPTY, body) == EMPTY) {
                    most = max(most, depth);
                    body += threads;
                    is_new = true;
                }
            } else if (atomicCAS((int *)&children[place], child, LOCKED) == child) {
                int top = EMPTY, other = child;
                do {
                    depth++;
                    int fresh = atomicSub(&lowest_cell, 1) - 1;
                    if (top == EMPTY) top = fresh;
                    else children[cell * 8 + branch] = fresh;
                    x[fresh] = cx;
                    y[fresh] = cy;
                    z[fresh] = cz;
                    children[fresh * 8 + octant(cx, cy, cz, x[other], y[other], z[other])] = other;

                    cell = fresh;
                    half *= 0.5f;
                    branch = octant(cx, cy, cz, px, py, pz);
                    cx += branch & 1 ? half : -half;
                    cy += branch & 2 ? half : -half;
                    cz += branch & 4 ? half : -half;
                } while (children[cell * 8 + branch] != EMPTY);
                children[cell * 8 + branch] = body;
                __threadfence(); // the cells, before they can be found
                children[place] = top;
                most = max(most, depth);
                body += threads;
                is_new = true;
            }
        }
        __syncthreads(); // those who wait for a lock do not hammer on it
    }
    atomicMax(&deepest, most);
}
