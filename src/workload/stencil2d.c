// Host side of kernels/stencil2d.cu: alternate steps by tiles and by stripes.
#include "workload/host.h"

static double pixel(const double *in, int width, int height, int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
}

static void step(const double *in, double *out, int width, int height, double centre, double side)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            out[y * width + x] =
                centre * in[y * width + x] +
                side * (pixel(in, width, height, x - 1, y) + pixel(in, width, height, x + 1, y) +
                        pixel(in, width, height, x, y - 1) + pixel(in, width, height, x, y + 1));
}

void workload_run_stencil2d(struct host *h)
{
    static const struct {
        int width, height, steps; // steps even; no multiples of the tile
    } sizes[] = {{70, 45, 2}, {800, 500, 2}, {3000, 2000, 6}};
    const int width = sizes[h->size].width, height = sizes[h->size].height, steps = sizes[h->size].steps;
    const size_t count = (size_t)width * (size_t)height, bytes = count * sizeof(float);
    const unsigned columns = host_blocks((size_t)width, 32), rows = host_blocks((size_t)height, 8);
    const float centre = 0.5f, side = 0.125f;
    const float *in = host_random_f32(h, count, 0, 1);

    uint64_t one = host_upload(h, in, bytes), other = host_alloc(h, bytes);
    for (int i = 0; i < steps; i += 2) {
        host_launch(h, "stencil2d_tile", DIM(columns, rows), DIM(32, 8), 0, ARG(one), ARG(other), ARG(width),
                    ARG(height), ARG(centre), ARG(side));
        host_launch(h, "stencil2d_stripe", DIM(rows), DIM(32, 8), 0, ARG(other), ARG(one), ARG(width),
                    ARG(height), ARG(centre), ARG(side));
    }
    const float *got = host_output(h, one, bytes);

    double *want = HOST_ARRAY(h, double, count), *next = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int i = 0; i < steps; i += 2) {
        step(want, next, width, height, (double)centre, (double)side);
        step(next, want, width, height, (double)centre, (double)side);
    }
    host_compare_f32(h, "pixel", got, want, count, 1);
}
