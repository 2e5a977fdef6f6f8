// The matrix Q of a reconstruction of magnetic resonance images that are not sampled on a grid (Stone et al. 2008): for each voxel a
// sum of cosines and of sines over all samples, which stand in constant memory a part at a time. Nothing but arithmetic.
#include "device.h"

#define THREADS 256
#define PART    256

struct sample {
    float x, y, z, weight;
};

__constant__ sample samples[PART];

// Adds the part's `count` samples to the sums.
KERNEL void mri_add(float2 *sums, const float *xs, const float *ys, const float *zs, int voxels, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= voxels) return;
    float x = xs[i], y = ys[i], z = zs[i];
    float2 sum = sums[i];
    for (int k = 0; k < count; k++) {
        float turns = 2.0f * (samples[k].x * x + samples[k].y * y + samples[k].z * z);
        sum.x += samples[k].weight * cospif(turns);
        sum.y += samples[k].weight * sinpif(turns);
    }
    sums[i] = sum;
}
