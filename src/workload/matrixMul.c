// Host side of kernels/matrixMul.cu.
#include "workload/host.h"

#include <math.h>

void workload_run_matrixMul(struct host *h)
{
    static const struct {
        int height, depth, width; // multiples of 32
    } sizes[] = {{32, 96, 64}, {256, 288, 320}, {576, 640, 640}, {320, 320, 640}};
    const int height = sizes[h->size].height, depth = sizes[h->size].depth, width = sizes[h->size].width;
    const size_t count_a = (size_t)(height * depth), count_b = (size_t)(depth * width);
    const size_t count_c = (size_t)(height * width);
    const float *a = host_random_f32(h, count_a, -1, 1), *b = host_random_f32(h, count_b, -1, 1);

    uint64_t device_a = host_upload(h, a, count_a * sizeof(float)),
             device_b = host_upload(h, b, count_b * sizeof(float));
    uint64_t device_c = host_alloc(h, count_c * sizeof(float));
    host_launch(h, "matrix_mul", DIM((unsigned)width / 32, (unsigned)height / 32), DIM(32, 32), 0,
                ARG(device_c), ARG(device_a), ARG(device_b), ARG(depth), ARG(width));
    const float *got = host_output(h, device_c, count_c * sizeof(float));

    double *want = HOST_ARRAY(h, double, count_c);
    for (int y = 0; y < height; y++)
        for (int k = 0; k < depth; k++)
            for (int x = 0; x < width; x++)
                want[y * width + x] += (double)a[y * depth + k] * (double)b[k * width + x];
    host_compare_f32(h, "element", got, want, count_c, sqrt(depth)); // the size of a sum of products
}
