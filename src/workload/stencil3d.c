// Host side of kernels/stencil3d.cu: Jacobi steps from one buffer to the other and back.
#include "workload/host.h"

#include <string.h>

static void step(const double *in, double *out, int nx, int ny, int nz, double centre, double side)
{
    memcpy(out, in, sizeof(double) * (size_t)(nx * ny * nz));
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                int at = (z * ny + y) * nx + x;
                out[at] = centre * in[at] + side * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] +
                                                    in[at - nx * ny] + in[at + nx * ny]);
            }
}

void workload_run_stencil3d(struct host *h)
{
    static const struct {
        int nx, ny, nz, steps; // multiples of 8, 8, 4; steps even
    } sizes[] = {{24, 16, 12, 2}, {64, 64, 64, 4}, {128, 128, 128, 6}};
    const int nx = sizes[h->size].nx, ny = sizes[h->size].ny, nz = sizes[h->size].nz,
              steps = sizes[h->size].steps;
    const size_t count = (size_t)(nx * ny * nz), bytes = count * sizeof(float);
    const float centre = 0.4f, side = 0.1f;
    const float *in = host_random_f32(h, count, 0, 1);

    uint64_t from = host_upload(h, in, bytes), to = host_alloc(h, bytes);
    for (int i = 0; i < steps; i++) {
        host_launch(h, "stencil3d", DIM((unsigned)nx / 8, (unsigned)ny / 8, (unsigned)nz / 4), DIM(8, 8, 4),
                    0, ARG(from), ARG(to), ARG(nx), ARG(ny), ARG(nz), ARG(centre), ARG(side));
        uint64_t swap = from;
        from = to;
        to = swap;
    }
    const float *got = host_output(h, from, bytes);

    double *want = HOST_ARRAY(h, double, count), *next = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int i = 0; i < steps; i += 2) {
        step(want, next, nx, ny, nz, (double)centre, (double)side);
        step(next, want, nx, ny, nz, (double)centre, (double)side);
    }
    host_compare_f32(h, "cell", got, want, count, 1);
}
