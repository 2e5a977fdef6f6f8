// Host side of kernels/lavaMD.cu.
#include "workload/host.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 128 };

struct gas {
    int each, side;
    const float *particles; // four numbers each
    double a2;
};

static bool are_neighbours(const struct gas *g, int a, int b)
{
    const int side = g->side;
    return abs(a % side - b % side) <= 1 && abs(a / side % side - b / side % side) <= 1 &&
           abs(a / (side * side) - b / (side * side)) <= 1;
}

// Adds the force and the potential of particle q on particle p.
static void push(const struct gas *g, int p, int q, double *force)
{
    const float *a = g->particles + 4 * p, *b = g->particles + 4 * q;
    double way[3], square = 0;
    for (int i = 0; i < 3; i++) {
        way[i] = (double)a[i] - (double)b[i];
        square += way[i] * way[i];
    }
    double potential = (double)b[3] * exp(-g->a2 * square);
    for (int i = 0; i < 3; i++) force[i] += 2 * g->a2 * potential * way[i];
    force[3] += potential;
}

void workload_run_lavaMD(struct host *h)
{
    static const struct {
        int each, side;
    } sizes[] = {{16, 2}, {100, 3}, {100, 4}};
    struct gas g = {.each = sizes[h->size].each, .side = sizes[h->size].side, .a2 = 0.5};
    const int boxes = g.side * g.side * g.side, each = g.each, side = g.side;
    const size_t count = (size_t)(boxes * each) * 4;
    const float a2 = 0.5f;
    float *particles = host_random_f32(h, count, 0, 1);
    for (int i = 0; i < boxes * each; i++) {
        const int box = i / each, corner[] = {box % side, box / side % side, box / (side * side)};
        for (int k = 0; k < 3; k++) particles[4 * i + k] += (float)corner[k];
    }
    g.particles = particles;

    uint64_t forces = host_alloc(h, count * sizeof(float));
    uint64_t device = host_upload(h, particles, count * sizeof(float));
    host_launch(h, "lava_forces", DIM((unsigned)boxes), DIM(THREADS), 0, ARG(forces), ARG(device), ARG(each),
                ARG(side), ARG(a2));
    const float *got = host_output(h, forces, count * sizeof(float));
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count);
    for (int box = 0; box < boxes; box++)
        for (int other = 0; other < boxes; other++)
            for (int i = 0; i < each * each && are_neighbours(&g, box, other); i++)
                push(&g, box * each + i / each, other * each + i % each, want + (box * each + i / each) * 4);
    host_compare_f32(h, "force", got, want, count, each);
}
