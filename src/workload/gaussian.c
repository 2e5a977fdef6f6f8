// Host side of kernels/gaussian.cu. The matrix is diagonally dominant, so no pivoting is needed. The solution
// is compared with the vector used to make the right side.
#include "workload/host.h"

enum { THREADS = 256, TILE = 16 };

// Back substitution from the last row.
static void substitute(const float *matrix, const float *right, int n, float *out)
{
    for (int row = n - 1; row >= 0; row--) {
        double sum = (double)right[row];
        for (int k = row + 1; k < n; k++) sum -= (double)matrix[row * n + k] * (double)out[k];
        out[row] = (float)(sum / (double)matrix[row * n + row]);
    }
}

void workload_run_gaussian(struct host *h)
{
    static const int sides[] = {20, 128, 320};
    const int n = sides[h->size];
    const size_t count = (size_t)n, bytes = count * sizeof(float);
    float *matrix = host_random_f32(h, count * count, -1, 1), *right = HOST_ARRAY(h, float, n);
    const float *solution = host_random_f32(h, count, -1, 1);
    double *want = HOST_ARRAY(h, double, n);
    for (int row = 0; row < n; row++) {
        double sum = 0;
        matrix[row * n + row] += (float)n;
        for (int k = 0; k < n; k++) sum += (double)matrix[row * n + k] * (double)solution[k];
        right[row] = (float)sum;
        want[row] = (double)solution[row];
    }

    uint64_t device_matrix = host_upload(h, matrix, count * bytes);
    uint64_t device_right = host_upload(h, right, bytes), factors = host_alloc(h, bytes);
    for (int step = 0; step < n - 1; step++) {
        const size_t rows = (size_t)(n - 1 - step);
        const struct host_dim tiles = DIM(host_blocks(rows + 1, TILE), host_blocks(rows, TILE));
        host_launch(h, "gauss_factors", DIM(host_blocks(rows, THREADS)), DIM(THREADS), 0, ARG(factors),
                    ARG(device_matrix), ARG(n), ARG(step));
        host_launch(h, "gauss_rows", tiles, DIM(TILE, TILE), 0, ARG(device_matrix), ARG(device_right),
                    ARG(factors), ARG(n), ARG(step));
    }
    const float *got_matrix = host_output(h, device_matrix, count * bytes);
    const float *got_right = host_output(h, device_right, bytes);
    if (h->failed) return;

    float *got = HOST_ARRAY(h, float, n);
    substitute(got_matrix, got_right, n, got);
    host_compare_f32(h, "unknown", got, want, count, 1);
}
