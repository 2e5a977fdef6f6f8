// Host side of kernels/fastWalshTransform.cu: transforms of data and filter, product, transform back.
#include "workload/host.h"

enum { LOG2_SHARED = 10, LOG2_FILTER = 7 };

static void transform(struct host *h, uint64_t data, int log2n)
{
    unsigned segments = 1;
    for (; log2n > LOG2_SHARED; log2n -= 2, segments *= 4) {
        int stride = 1 << (log2n - 2);
        host_launch(h, "fwt_global", DIM((unsigned)stride / 256, segments), DIM(256), 0, ARG(data),
                    ARG(stride));
    }
    unsigned n = 1u << log2n;
    host_launch(h, "fwt_shared", DIM(segments), DIM(n / 4), n * sizeof(float), ARG(data), ARG(log2n));
}

void workload_run_fastWalshTransform(struct host *h)
{
    static const int log2_sizes[] = {13, 18, 21, 23, 20}; // odd exponents end on a pass of radix 2
    const int log2n = log2_sizes[h->size], n = 1 << log2n, filter_count = 1 << LOG2_FILTER;
    const size_t bytes = (size_t)n * sizeof(float);
    const float *data = host_random_f32(h, (size_t)n, 0, 1);
    const float *filter = host_random_f32(h, (size_t)filter_count, 0, 1);

    uint64_t device_data = host_upload(h, data, bytes), device_filter = host_zero(h, bytes);
    host_write(h, device_filter, filter, (size_t)filter_count * sizeof(float)); // the rest is zero
    transform(h, device_data, log2n);
    transform(h, device_filter, log2n);
    host_launch(h, "fwt_modulate", DIM(128), DIM(256), 0, ARG(device_data), ARG(device_filter), ARG(n));
    transform(h, device_data, log2n);
    const float *got = host_output(h, device_data, bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < filter_count; j++) want[i] += (double)data[i ^ j] * (double)filter[j];
    host_compare_f32(h, "element", got, want, (size_t)n, 1);
}
