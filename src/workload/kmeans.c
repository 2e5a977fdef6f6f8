// Host side of kernels/kmeans.cu. Points scatter around as many places as clusters; the first centres are the
// first points. The reference rounds distances as the kernel does, so members must be equal.
#include "workload/host.h"

#include <math.h>
#include <string.h>

enum { THREADS = 256, FEATURES = 34, CLUSTERS = 5, STEPS = 2 };

static float distance(const float *a, const float *b)
{
    float sum = 0;
    for (int f = 0; f < FEATURES; f++) sum = fmaf(a[f] - b[f], a[f] - b[f], sum);
    return sum;
}

static uint32_t nearest(const float *point, const float *centres)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < CLUSTERS; c++)
        if (distance(point, centres + c * FEATURES) < distance(point, centres + best * FEATURES)) best = c;
    return best;
}

// Moves centres to the means of their members; an empty cluster's centre stays.
static void move(float *centres, const float *points, const uint32_t *members, size_t count)
{
    double sums[CLUSTERS][FEATURES] = {{0}};
    size_t sizes[CLUSTERS] = {0};
    for (size_t i = 0; i < count; i++) {
        sizes[members[i]]++;
        for (int f = 0; f < FEATURES; f++) sums[members[i]][f] += (double)points[i * FEATURES + (size_t)f];
    }
    for (int c = 0; c < CLUSTERS; c++)
        for (int f = 0; f < FEATURES && sizes[c]; f++)
            centres[c * FEATURES + f] = (float)(sums[c][f] / (double)sizes[c]);
}

void workload_run_kmeans(struct host *h)
{
    static const int counts[] = {300, 20000, 200000};
    const int count = counts[h->size], features = FEATURES, clusters = CLUSTERS;
    const size_t points_count = (size_t)count, values = points_count * FEATURES;
    const size_t centre_bytes = CLUSTERS * FEATURES * sizeof(float);
    const float *places = host_random_f32(h, CLUSTERS * FEATURES, 0, 10);
    float *points = host_random_f32(h, values, -3, 3);
    for (size_t i = 0; i < values; i++)
        points[i] += places[i / FEATURES * 7 % CLUSTERS * FEATURES + i % FEATURES];
    float *centres = HOST_ARRAY(h, float, CLUSTERS *FEATURES);
    memcpy(centres, points, centre_bytes);
    uint32_t *want = HOST_ARRAY(h, uint32_t, count);

    uint64_t device_points = host_upload(h, points, values * sizeof(float));
    uint64_t device_centres = host_alloc(h, centre_bytes);
    uint64_t members = host_alloc(h, points_count * sizeof(int));
    for (int step = 0; step < STEPS && !h->failed; step++) {
        host_write(h, device_centres, centres, centre_bytes);
        host_launch(h, "kmeans_assign", DIM(host_blocks(points_count, THREADS)), DIM(THREADS), 0,
                    ARG(members), ARG(device_points), ARG(device_centres), ARG(count), ARG(features),
                    ARG(clusters));
        const uint32_t *got = host_output(h, members, points_count * sizeof(int));
        for (size_t i = 0; i < points_count; i++) want[i] = nearest(points + i * FEATURES, centres);
        host_compare_u32(h, "cluster of point", got, want, points_count);
        move(centres, points, want, points_count);
    }
}
