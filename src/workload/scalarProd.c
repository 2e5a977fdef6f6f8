// Host side of kernels/scalarProd.cu.
#include "workload/host.h"

#include <math.h>

void workload_run_scalarProd(struct host *h)
{
    static const struct {
        int pairs, length;
        unsigned blocks;
    } sizes[] = {{5, 1100, 3}, {64, 4096, 64}, {1000, 8192, 128}, {128, 4096, 128}};
    const int pairs = sizes[h->size].pairs, length = sizes[h->size].length;
    const size_t count = (size_t)pairs * (size_t)length;
    const float *a = host_random_f32(h, count, -1, 1), *b = host_random_f32(h, count, -1, 1);

    uint64_t device_a = host_upload(h, a, count * sizeof(float)),
             device_b = host_upload(h, b, count * sizeof(float));
    uint64_t products = host_alloc(h, (size_t)pairs * sizeof(float));
    host_launch(h, "scalar_product", DIM(sizes[h->size].blocks), DIM(256), 0, ARG(products), ARG(device_a),
                ARG(device_b), ARG(pairs), ARG(length));
    const float *got = host_output(h, products, (size_t)pairs * sizeof(float));

    double *want = HOST_ARRAY(h, double, pairs);
    for (size_t i = 0; i < count; i++) want[i / (size_t)length] += (double)a[i] * (double)b[i];
    // scale of the tolerance: a sum of `length` products of random sign grows as sqrt(length)
    host_compare_f32(h, "product", got, want, (size_t)pairs, sqrt(length));
}
