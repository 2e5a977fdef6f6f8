// Host side of kernels/scan.cu: tiles of 512, next their sums, and so on until one tile is left.
#include "workload/host.h"

enum { TILE = 512 };

static void scan(struct host *h, uint64_t data, int n)
{
    unsigned tiles = host_blocks((size_t)n, TILE);
    uint64_t sums = host_alloc(h, tiles * sizeof(uint32_t));
    host_launch(h, "scan_tiles", DIM(tiles), DIM(256), 0, ARG(data), ARG(sums), ARG(n));
    if (tiles == 1) return;
    scan(h, sums, (int)tiles);
    host_launch(h, "scan_add", DIM(tiles), DIM(256), 0, ARG(data), ARG(sums), ARG(n));
}

void workload_run_scan(struct host *h)
{
    static const int counts[] = {5000, 500000, 5000000};
    const int n = counts[h->size];
    const size_t bytes = (size_t)n * sizeof(uint32_t);
    const uint32_t *in = host_random_u32(h, (size_t)n, 1000);

    uint64_t data = host_upload(h, in, bytes);
    scan(h, data, n);
    const uint32_t *got = host_output(h, data, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, n);
    uint32_t sum = 0; // modulo 2^32, like the device
    for (int i = 0; i < n; i++) {
        want[i] = sum;
        sum += in[i];
    }
    host_compare_u32(h, "prefix sum", got, want, (size_t)n);
}
