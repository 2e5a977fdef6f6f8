// K-means clustering (Lloyd 1982): every point is given to the nearest of a few centres; the host moves these to the means of
// their points and launches again. A point's features stand side by side, further than a line of a cache from its neighbour's:
//
//      thread 0: f0 f1 f2 … f33 | thread 1: f0 f1 f2 …
//
// so that a warp's load has as many lines as threads, and the next load the same lines.
#include "device.h"

#define THREADS 256

KERNEL void kmeans_assign(int *members, const float *points, const float *centres, int count, int features,
                          int clusters)
{
    const int point = blockIdx.x * THREADS + threadIdx.x;
    if (point >= count) return;
    float least = 3.0e38f;
    int nearest = 0;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f;
        for (int f = 0; f < features; f++) {
            float d = points[point * features + f] - centres[c * features + f];
            distance = fmaf(d, d, distance);
        }
        if (distance < least) nearest = c;
        least = fminf(least, distance);
    }
    members[point] = nearest;
}
