// Host side of kernels/histogram.cu.
#include "base/clones.h"
#include "workload/host.h"

enum { CHUNK = 512 };

// Products of the two lowest bytes of random numbers.
CLONES static void darken(const uint64_t *restrict z, uint8_t *restrict to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t low = (uint32_t)z[i];
        to[i] = (uint8_t)((low & 255) * (low >> 8 & 255) >> 8);
    }
}

void workload_run_histogram(struct host *h)
{
    static const int counts[] = {3000, 2400000, 24000000};
    static const unsigned blocks[] = {4, 240, 480};
    const int words = counts[h->size];
    // Products of two random bytes: small values are far more frequent than large values, as in a dark image.
    uint8_t *bytes = HOST_ARRAY(h, uint8_t, (size_t)words * 4);
    for (size_t i = 0; i < (size_t)words * 4; i += CHUNK) {
        uint64_t z[CHUNK];
        size_t n = (size_t)words * 4 - i < CHUNK ? (size_t)words * 4 - i : CHUNK;
        rng_fill_u64(&h->rng, z, n);
        darken(z, bytes + i, n);
    }

    uint64_t device_words = host_upload(h, bytes, (size_t)words * 4);
    uint64_t bins = host_zero(h, 256 * sizeof(uint32_t));
    host_launch(h, "histogram", DIM(blocks[h->size]), DIM(256), 0, ARG(device_words), ARG(bins), ARG(words));
    const uint32_t *got = host_output(h, bins, 256 * sizeof(uint32_t));

    uint32_t want[256] = {0};
    UNROLLED for (size_t i = 0; i < (size_t)words * 4; i++) want[bytes[i]]++;
    host_compare_u32(h, "bin", got, want, 256);
}
