// Forces between particles of neighbouring boxes (Szafaryn et al. 2009, Rodinia: lavaMD) with an exponential
// potential: a block a box of 100 particles, which meets its neighbours and itself one after the other in
// shared memory, in double precision throughout.
#include "device.h"

#define PARTICLES 100 // in a box
#define THREADS   128

struct place {
    double v, x, y, z;
};
struct neighbour {
    int x, y, z, box;
    long long first; // of its particles
};
struct box {
    int x, y, z, number;
    long long first;
    int neighbours;
    struct neighbour neighbour[26];
};

// Boxes in a cube of side · side · side, each with those that touch it. A thread a box; no part of the
// measurement.
KERNEL void make_boxes(struct box *boxes, int side)
{
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= side * side * side) return;

    struct box *b = &boxes[number];
    b->x = number % side, b->y = number / side % side, b->z = number / (side * side);
    b->number = number;
    b->first = (long long)number * PARTICLES;
    b->neighbours = 0;
    for (int z = max(b->z - 1, 0); z <= min(b->z + 1, side - 1); z++)
        for (int y = max(b->y - 1, 0); y <= min(b->y + 1, side - 1); y++)
            for (int x = max(b->x - 1, 0); x <= min(b->x + 1, side - 1); x++) {
                int other = (z * side + y) * side + x;
                if (other == number) continue;
                struct neighbour *n = &b->neighbour[b->neighbours++];
                n->x = x, n->y = y, n->z = z, n->box = other;
                n->first = (long long)other * PARTICLES;
            }
}

KERNEL void forces(double alpha, int box_count, const struct box *boxes, const struct place *places,
                   const double *charges, struct place *out)
{
    __shared__ struct place mine[PARTICLES], theirs[PARTICLES];
    __shared__ double charge[PARTICLES];
    int number = blockIdx.x, i = threadIdx.x;
    if (number >= box_count) return;

    double twice_square = 2 * alpha * alpha;
    const struct place *home = &places[boxes[number].first];
    struct place *force = &out[boxes[number].first];

    if (i < PARTICLES) mine[i] = home[i];
    __syncthreads();

    for (int k = 0; k < 1 + boxes[number].neighbours; k++) {
        int other = k == 0 ? number : boxes[number].neighbour[k - 1].box;
        const struct place *away = &places[boxes[other].first];

        if (i < PARTICLES) {
            theirs[i] = away[i];
            charge[i] = charges[boxes[other].first + i];
        }
        __syncthreads();

        if (i < PARTICLES)
            for (int j = 0; j < PARTICLES; j++) {
                double dot = mine[i].x * theirs[j].x + mine[i].y * theirs[j].y + mine[i].z * theirs[j].z;
                double potential = exp(-(twice_square * (mine[i].v + theirs[j].v - dot)));
                double strength = 2 * potential;
                force[i].v += charge[j] * potential;
                force[i].x += charge[j] * (strength * (mine[i].x - theirs[j].x));
                force[i].y += charge[j] * (strength * (mine[i].y - theirs[j].y));
                force[i].z += charge[j] * (strength * (mine[i].z - theirs[j].z));
            }
        __syncthreads();
    }
}
