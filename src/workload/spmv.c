// Host side of kernels/spmv.cu: one matrix, multiplied in both ways (a row a thread, a row a warp). Row
// lengths vary. Every 64th row is about eight times as long, as in matrices of real graphs.
#include "workload/host.h"

void workload_run_spmv(struct host *h)
{
    static const int row_counts[] = {300, 16000, 160000};
    enum { MEAN = 20 };
    const int rows = row_counts[h->size];
    const size_t n = (size_t)rows;

    int *start = HOST_ARRAY(h, int, n + 1);
    for (size_t i = 0; i < n; i++) {
        int length = (int)rng_below(&h->rng, 2 * MEAN + 1) * (i % 64 == 63 ? 8 : 1);
        start[i + 1] = start[i] + length;
    }
    const size_t entries = (size_t)start[n];
    const uint32_t *column = host_random_u32(h, entries, (uint32_t)rows);
    const float *value = host_random_f32(h, entries, -1, 1), *x = host_random_f32(h, n, -1, 1);

    uint64_t device_start = host_upload(h, start, (n + 1) * sizeof(int));
    uint64_t device_column = host_upload(h, column, entries * sizeof(uint32_t));
    uint64_t device_value = host_upload(h, value, entries * sizeof(float));
    uint64_t device_x = host_upload(h, x, n * sizeof(float));
    uint64_t by_thread = host_alloc(h, n * sizeof(float)), by_warp = host_alloc(h, n * sizeof(float));
    host_launch(h, "spmv_scalar", DIM(host_blocks(n, 256)), DIM(256), 0, ARG(device_start),
                ARG(device_column), ARG(device_value), ARG(device_x), ARG(by_thread), ARG(rows));
    host_launch(h, "spmv_vector", DIM(host_blocks(n, 256 / 32)), DIM(256), 0, ARG(device_start),
                ARG(device_column), ARG(device_value), ARG(device_x), ARG(by_warp), ARG(rows));
    const float *got_by_thread = host_output(h, by_thread, n * sizeof(float));
    const float *got_by_warp = host_output(h, by_warp, n * sizeof(float));

    double *want = HOST_ARRAY(h, double, n);
    for (size_t i = 0; i < n; i++)
        for (int k = start[i]; k < start[i + 1]; k++) want[i] += (double)value[k] * (double)x[column[k]];
    host_compare_f32(h, "y, a row a thread", got_by_thread, want, n, 1);
    host_compare_f32(h, "y, a row a warp", got_by_warp, want, n, 1);
}
