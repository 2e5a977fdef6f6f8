// Host side of kernels/reduction.cu: partial sums of blocks striding over the input, and a final block over
// the partial sums.
#include "base/clones.h"
#include "workload/host.h"

void workload_run_reduction(struct host *h)
{
    static const unsigned counts[] = {5000, 4000000, 40000000};
    const unsigned n = counts[h->size];
    const unsigned blocks = host_blocks(n, 512 * 4); // a thread adds about eight elements
    const float *in = host_random_f32(h, n, 0, 1);

    uint64_t device_in = host_upload(h, in, n * sizeof(float));
    uint64_t partial = host_alloc(h, blocks * sizeof(float)), total = host_alloc(h, sizeof(float));
    host_launch(h, "reduction", DIM(blocks), DIM(256), 0, ARG(device_in), ARG(partial), ARG(n));
    host_launch(h, "reduction", DIM(1), DIM(256), 0, ARG(partial), ARG(total), ARG(blocks));
    const float *got = host_output(h, total, sizeof(float));

    double sum = 0;
    UNROLLED for (unsigned i = 0; i < n; i++) sum += (double)in[i];
    host_compare_f32(h, "sum", got, &sum, 1, 1);
}
