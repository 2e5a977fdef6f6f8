// Host side of kernels/histogram.cu.
#include "workload/host.h"

void workload_run_histogram(struct host *h)
{
    static const int counts[] = {3000, 2400000, 24000000};
    static const unsigned blocks[] = {4, 240, 480};
    const int words = counts[h->size];
    // Products of two random bytes: small values are far more frequent than large values, as in a dark image.
    uint8_t *bytes = HOST_ARRAY(h, uint8_t, (size_t)words * 4);
    for (size_t i = 0; i < (size_t)words * 4; i++) {
        uint64_t z = rng_next(&h->rng);
        bytes[i] = (uint8_t)((z & 255) * (z >> 8 & 255) >> 8);
    }

    uint64_t device_words = host_upload(h, bytes, (size_t)words * 4);
    uint64_t bins = host_alloc(h, 256 * sizeof(uint32_t));
    host_launch(h, "histogram", DIM(blocks[h->size]), DIM(256), 0, ARG(device_words), ARG(bins), ARG(words));
    const uint32_t *got = host_output(h, bins, 256 * sizeof(uint32_t));

    uint32_t want[256] = {0};
    for (size_t i = 0; i < (size_t)words * 4; i++) want[bytes[i]]++;
    host_compare_u32(h, "bin", got, want, 256);
}
