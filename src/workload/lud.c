// Host side of kernels/lud.cu. The matrix is diagonally dominant, so no pivoting is needed.
#include "base/clones.h"
#include "workload/host.h"

enum { TILE = 16 };

// to -= factor * from, over the rest of a row
CLONES static void subtract_row(double factor, const double *restrict from, double *restrict to, int count)
{
    for (int j = 0; j < count; j++) to[j] -= factor * from[j];
}

void workload_run_lud(struct host *h)
{
    static const int tiles_by_size[] = {3, 16, 32};
    const int tiles = tiles_by_size[h->size], n = tiles * TILE;
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    float *in = host_random_f32(h, count, -1, 1);
    for (int i = 0; i < n; i++) in[i * n + i] += (float)n;

    uint64_t matrix = host_upload(h, in, bytes);
    for (int step = 0; step < tiles; step++) {
        unsigned rest = (unsigned)(tiles - step - 1);
        host_launch(h, "lud_diagonal", DIM(1), DIM(TILE), 0, ARG(matrix), ARG(n), ARG(step));
        if (!rest) break;
        host_launch(h, "lud_perimeter", DIM(rest), DIM(2 * TILE), 0, ARG(matrix), ARG(n), ARG(step));
        host_launch(h, "lud_inside", DIM(rest, rest), DIM(TILE, TILE), 0, ARG(matrix), ARG(n), ARG(step));
    }
    const float *got = host_output(h, matrix, bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) want[i] = (double)in[i];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            want[i * n + k] /= want[k * n + k];
            subtract_row(want[i * n + k], want + k * n + k + 1, want + i * n + k + 1, n - k - 1);
        }
    host_compare_f32(h, "number", got, want, count, 1);
}
