// Host side of kernels/nw.cu: two sequences of amino acids, and a random symmetric table of similarity.
#include "workload/host.h"

enum { TILE = 16, LETTERS = 23, PENALTY = 10 };

static int larger(int a, int b) { return a > b ? a : b; }

static int *make_alike(struct host *h, int n)
{
    const uint32_t *values = host_random_u32(h, LETTERS * LETTERS, 16);
    const uint32_t *one = host_random_u32(h, (size_t)n, LETTERS),
                   *two = host_random_u32(h, (size_t)n, LETTERS);
    int *alike = HOST_ARRAY(h, int, n *n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            uint32_t a = one[i] < two[k] ? one[i] : two[k], b = one[i] + two[k] - a;
            alike[i * n + k] = (int)values[a * LETTERS + b] - (a == b ? 0 : 8);
        }
    return alike;
}

void workload_run_nw(struct host *h)
{
    static const int tiles_by_size[] = {4, 32, 128};
    const int tiles = tiles_by_size[h->size], n = tiles * TILE, width = n + 1, penalty = PENALTY;
    const size_t count = (size_t)(width * width), bytes = count * sizeof(int);
    const int *alike = make_alike(h, n);
    int *want = HOST_ARRAY(h, int, count);
    for (int i = 1; i <= n; i++) want[i] = want[i * width] = -i * PENALTY;

    uint64_t scores = host_upload(h, want, bytes);
    uint64_t device_alike = host_upload(h, alike, (size_t)(n * n) * sizeof(int));
    for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        int first = larger(0, diagonal - tiles + 1), last = diagonal < tiles ? diagonal : tiles - 1;
        host_launch(h, "nw_diagonal", DIM((unsigned)(last - first + 1)), DIM(TILE), 0, ARG(scores),
                    ARG(device_alike), ARG(n), ARG(diagonal), ARG(first), ARG(penalty));
    }
    const uint32_t *got = host_output(h, scores, bytes);

    for (int i = 1; i <= n; i++)
        for (int k = 1; k <= n; k++) {
            int *at = &want[i * width + k];
            int gap = larger(at[-1], at[-width]) - PENALTY;
            *at = larger(at[-width - 1] + alike[(i - 1) * n + k - 1], gap);
        }
    host_compare_u32(h, "score", got, (const uint32_t *)want, count);
}
