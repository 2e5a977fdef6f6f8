// Host side of kernels/matrixVector.cu.
#include "workload/host.h"

void workload_run_matrixVector(struct host *h)
{
    static const struct {
        int width, height, blocks; // fewer blocks than rows: a block takes several rows
    } sizes[] = {{300, 50, 20}, {2000, 1500, 300}, {8000, 6000, 600}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const size_t count = (size_t)width * (size_t)height;
    const float *matrix = host_random_f32(h, count, -1, 1),
                *vector = host_random_f32(h, (size_t)width, -1, 1);

    uint64_t device_matrix = host_upload(h, matrix, count * sizeof(float)),
             device_vector = host_upload(h, vector, (size_t)width * sizeof(float)),
             out = host_alloc(h, (size_t)height * sizeof(float));
    host_launch(h, "matrix_vector", DIM((unsigned)sizes[h->size].blocks), DIM(256), 0, ARG(device_matrix),
                ARG(device_vector), ARG(out), ARG(width), ARG(height));
    const float *got = host_output(h, out, (size_t)height * sizeof(float));

    double *want = HOST_ARRAY(h, double, (size_t)height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y] += (double)matrix[(size_t)y * (size_t)width + (size_t)x] * (double)vector[x];
    host_compare_f32(h, "row", got, want, (size_t)height, width / 16.0);
}
