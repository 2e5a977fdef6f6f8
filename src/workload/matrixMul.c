// Host side of kernels/matrixMul.cu and of matrixMul16.cu.
#include "base/clones.h"
#include "workload/host.h"

#include <math.h>

struct extent {
    int height, depth, width; // multiples of the tile's side
};

// to += factor * from, over a row
CLONES static void add_row(double factor, const float *restrict from, double *restrict to, int width)
{
    for (int x = 0; x < width; x++) to[x] += factor * (double)from[x];
}

static void multiply(struct host *h, const char *kernel, unsigned tile, const struct extent *extent)
{
    const int height = extent->height, depth = extent->depth, width = extent->width;
    const size_t count_a = (size_t)(height * depth), count_b = (size_t)(depth * width);
    const size_t count_c = (size_t)(height * width);
    const float *a = host_random_f32(h, count_a, -1, 1), *b = host_random_f32(h, count_b, -1, 1);

    uint64_t device_a = host_upload(h, a, count_a * sizeof(float)),
             device_b = host_upload(h, b, count_b * sizeof(float));
    uint64_t device_c = host_alloc(h, count_c * sizeof(float));
    host_launch(h, kernel, DIM((unsigned)width / tile, (unsigned)height / tile), DIM(tile, tile), 0,
                ARG(device_c), ARG(device_a), ARG(device_b), ARG(depth), ARG(width));
    const float *got = host_output(h, device_c, count_c * sizeof(float));

    double *want = HOST_ARRAY(h, double, count_c);
    for (int y = 0; y < height; y++)
        for (int k = 0; k < depth; k++)
            add_row((double)a[y * depth + k], b + k * width, want + y * width, width);
    // scale of the tolerance: a sum of `depth` products of random sign grows as sqrt(depth)
    host_compare_f32(h, "element", got, want, count_c, sqrt(depth));
}

void workload_run_matrixMul(struct host *h)
{
    static const struct extent sizes[] = {
        {32, 96, 64}, {256, 288, 320}, {576, 640, 640}, {320, 320, 640}, {128, 320, 224}};
    multiply(h, "matrix_mul", 32, &sizes[h->size]);
}

void workload_run_matrixMul16(struct host *h)
{
    static const struct extent sizes[] = {{32, 48, 64}, {256, 288, 320}, {576, 640, 640}, {80, 48, 128}};
    multiply(h, "matrix_mul16", 16, &sizes[h->size]);
}
