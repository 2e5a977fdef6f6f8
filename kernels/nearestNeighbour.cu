// The records nearest to a place: distances of all, and of every block's the least, by a tree that keeps who it is of. Records are pairs
// of latitude and longitude.
#include "device.h"

#define THREADS 256

struct candidate {
    float distance;
    int record;
};

KERNEL void neighbour_distances(float *distances, candidate *nearest, const float2 *records, int count,
                                float latitude, float longitude)
{
    __shared__ candidate best[THREADS];
    const int tid = threadIdx.x, i = blockIdx.x * THREADS + tid;
    float distance = 3.0e38f;
    if (i < count) {
        float dx = records[i].x - latitude, dy = records[i].y - longitude;
        distance = sqrtf(fmaf(dx, dx, dy * dy));
        distances[i] = distance;
    }
    best[tid].distance = distance;
    best[tid].record = i;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        candidate other = best[tid + half];
        if (other.distance < best[tid].distance) best[tid] = other; // records of this half come first
    }
    if (tid == 0) nearest[blockIdx.x] = best[0];
}
