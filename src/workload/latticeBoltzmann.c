// Host side of kernels/latticeBoltzmann.cu. The reference pushes a cell's shares to neighbouring cells; the
// kernel pulls shares from neighbours.
#include "workload/host.h"

#include <string.h>

enum { THREADS = 128, VELOCITIES = 9 };

static const int way[VELOCITIES][2] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                                       {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static void collide(double *share, size_t apart, double relaxation)
{
    double density = 0, flow[2] = {0, 0};
    for (int v = 0; v < VELOCITIES; v++) {
        density += share[(size_t)v * apart];
        for (int k = 0; k < 2; k++) flow[k] += way[v][k] * share[(size_t)v * apart];
    }
    for (int k = 0; k < 2; k++) flow[k] /= density;
    double square = flow[0] * flow[0] + flow[1] * flow[1];
    for (int v = 0; v < VELOCITIES; v++) {
        double weight = (v == 0 ? 16 : v < 5 ? 4 : 1) / 36.0;
        double along = way[v][0] * flow[0] + way[v][1] * flow[1];
        double settled = weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
        share[(size_t)v * apart] += relaxation * (settled - share[(size_t)v * apart]);
    }
}

static void step(double *next, const double *now, int width, int height, double relaxation)
{
    const int cells = width * height;
    for (int v = 0; v < VELOCITIES; v++)
        for (int i = 0; i < cells; i++) {
            int x = (i % width + way[v][0] + width) % width, y = (i / width + way[v][1] + height) % height;
            next[v * cells + y * width + x] = now[v * cells + i];
        }
    for (int i = 0; i < cells; i++) collide(next + i, (size_t)cells, relaxation);
}

void workload_run_latticeBoltzmann(struct host *h)
{
    static const struct {
        int width, height, steps;
    } sizes[] = {{150, 12, 2}, {512, 128, 4}, {1024, 1024, 3}};
    const int width = sizes[h->size].width, height = sizes[h->size].height, steps = sizes[h->size].steps;
    const size_t count = (size_t)(VELOCITIES * width * height), bytes = count * sizeof(float);
    const float relaxation = 1.2f, *in = host_random_f32(h, count, 0.05f, 0.2f);

    uint64_t from = host_upload(h, in, bytes), to = host_alloc(h, bytes);
    for (int i = 0; i < steps; i++) {
        host_launch(h, "lattice_step", DIM(host_blocks((size_t)width, THREADS), (unsigned)height),
                    DIM(THREADS), 0, ARG(to), ARG(from), ARG(width), ARG(height), ARG(relaxation));
        uint64_t swap = from;
        from = to;
        to = swap;
    }
    const float *got = host_output(h, from, bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count), *next = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int i = 0; i < steps; i++) {
        step(next, want, width, height, (double)relaxation);
        memcpy(want, next, count * sizeof *want);
    }
    host_compare_f32(h, "share", got, want, count, 1);
}
