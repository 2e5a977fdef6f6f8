// Host side of kernels/floydWarshall.cu: one launch for every intermediate node of paths.
#include "workload/host.h"

enum { FAR = 1 << 28 }; // FAR: no known path; the sum of two FAR still fits an int

void workload_run_floydWarshall(struct host *h)
{
    static const struct {
        int nodes, degree, inside; // nodes: a multiple of 16; inside: nodes admitted to the inside of paths
    } sizes[] = {{32, 6, 32}, {144, 6, 144}, {304, 6, 304}, {256, 64, 256}, {256, 64, 32}};
    const int n = sizes[h->size].nodes, degree = sizes[h->size].degree, inside = sizes[h->size].inside;
    const size_t count = (size_t)(n * n), bytes = count * sizeof(int);

    int *distance = HOST_ARRAY(h, int, count), *via = HOST_ARRAY(h, int, count);
    for (int i = 0; i < n * n; i++) {
        distance[i] = i / n == i % n ? 0 : FAR;
        via[i] = -1;
    }
    for (int i = 0; i < n * degree; i++) {
        int from = i / degree, to = (int)rng_below(&h->rng, (uint32_t)n);
        if (to != from) distance[from * n + to] = 1 + (int)rng_below(&h->rng, 1000);
    }

    uint64_t device_distance = host_upload(h, distance, bytes), device_via = host_upload(h, via, bytes);
    for (int through = 0; through < inside; through++)
        host_launch(h, "floyd_warshall", DIM((unsigned)n / 16, (unsigned)n / 16), DIM(16, 16), 0,
                    ARG(device_distance), ARG(device_via), ARG(n), ARG(through));
    const uint32_t *got_distance = host_output(h, device_distance, bytes);
    const uint32_t *got_via = host_output(h, device_via, bytes);

    for (int k = 0; k < inside; k++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int detour = distance[y * n + k] + distance[k * n + x];
                if (detour < distance[y * n + x]) {
                    distance[y * n + x] = detour;
                    via[y * n + x] = k;
                }
            }
    host_compare_u32(h, "distance", got_distance, (const uint32_t *)distance, count);
    host_compare_u32(h, "node on the way", got_via, (const uint32_t *)via, count);
}
