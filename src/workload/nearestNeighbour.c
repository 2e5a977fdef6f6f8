// Host side of kernels/nearestNeighbour.cu. Distances are rounded as in the kernel, so the nearest records
// must be equal.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 256 };

struct candidate { // as in the kernel's source
    float distance;
    uint32_t record;
};

void workload_run_nearestNeighbour(struct host *h)
{
    static const int counts[] = {3000, 100000, 2000000};
    const int count = counts[h->size];
    const size_t records = (size_t)count, bytes = records * sizeof(float);
    const unsigned blocks = host_blocks(records, THREADS);
    const float latitude = 30, longitude = 90, *places = host_random_f32(h, 2 * records, 0, 180);

    uint64_t device_places = host_upload(h, places, 2 * bytes), distances = host_alloc(h, bytes);
    uint64_t nearest = host_alloc(h, blocks * sizeof(struct candidate));
    host_launch(h, "neighbour_distances", DIM(blocks), DIM(THREADS), 0, ARG(distances), ARG(nearest),
                ARG(device_places), ARG(count), ARG(latitude), ARG(longitude));
    const float *got = host_output(h, distances, bytes);
    const struct candidate *got_nearest = host_output(h, nearest, blocks * sizeof *got_nearest);

    float *want = HOST_ARRAY(h, float, count);
    double *exact = HOST_ARRAY(h, double, count);
    uint32_t *best = HOST_ARRAY(h, uint32_t, blocks), *got_best = HOST_ARRAY(h, uint32_t, blocks);
    for (uint32_t i = 0; i < records; i++) {
        float dx = places[2 * i] - latitude, dy = places[2 * i + 1] - longitude;
        uint32_t *of_block = &best[i / THREADS];
        want[i] = sqrtf(fmaf(dx, dx, dy * dy));
        exact[i] = (double)want[i];
        if (i % THREADS == 0 || want[i] < want[*of_block]) *of_block = i;
    }
    for (unsigned i = 0; i < blocks; i++) got_best[i] = got_nearest[i].record;
    host_compare_f32(h, "distance", got, exact, records, 1);
    host_compare_u32(h, "nearest of block", got_best, best, blocks);
}
