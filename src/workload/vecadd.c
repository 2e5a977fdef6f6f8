// Host side of kernels/vecadd.cu.
#include "base/clones.h"
#include "workload/host.h"

CLONES static void add(const float *restrict a, const float *restrict b, float *restrict sum, int count)
{
    for (int i = 0; i < count; i++) sum[i] = a[i] + b[i];
}

void workload_run_vecadd(struct host *h)
{
    static const int counts[] = {3000, 3000000, 30000000,
                                 512 * 512}; // only the last is a multiple of the block's 256 threads
    const int n = counts[h->size];
    const size_t bytes = (size_t)n * sizeof(float);
    const float *a = host_random_f32(h, (size_t)n, 0, 1), *b = host_random_f32(h, (size_t)n, 0, 1);

    uint64_t device_a = host_upload(h, a, bytes), device_b = host_upload(h, b, bytes);
    uint64_t device_c = host_alloc(h, bytes);
    host_launch(h, "vecadd", DIM(host_blocks((size_t)n, 256)), DIM(256), 0, ARG(device_a), ARG(device_b),
                ARG(device_c), ARG(n));
    const uint32_t *c = host_output(h, device_c, bytes);

    float *want = HOST_ARRAY(h, float, n);
    add(a, b, want, n); // one rounding on either side: the bits must be equal
    host_compare_u32(h, "c", c, (const uint32_t *)want, (size_t)n);
}
