// Host side of kernels/scanLarge.cu: one part of the elements per block, its length no multiple of the
// block's threads.
#include "workload/host.h"

enum { THREADS = 256 };

void workload_run_scanLarge(struct host *h)
{
    static const struct {
        unsigned blocks;
        int count;
    } sizes[] = {{3, 9999}, {30, 500000}, {60, 5000000}};
    const unsigned blocks = sizes[h->size].blocks;
    const int count = sizes[h->size].count, each = (int)host_blocks((size_t)count, blocks);
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    const uint32_t *in = host_random_u32(h, (size_t)count, 1000);

    uint64_t data = host_upload(h, in, bytes), totals = host_alloc(h, blocks * sizeof(uint32_t));
    host_launch(h, "scan_large", DIM(blocks), DIM(THREADS), 0, ARG(data), ARG(totals), ARG(each), ARG(count));
    host_launch(h, "scan_large_add", DIM(blocks), DIM(THREADS), 0, ARG(data), ARG(totals), ARG(each),
                ARG(count));
    const uint32_t *got = host_output(h, data, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (int i = 1; i < count; i++) want[i] = want[i - 1] + in[i - 1];
    host_compare_u32(h, "prefix sum", got, want, (size_t)count);
}
