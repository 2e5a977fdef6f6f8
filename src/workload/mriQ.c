// Host side of kernels/mriQ.cu: a launch for every part of the samples.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 256, PART = 256 };

struct sample { // as in the kernel's source
    float x, y, z, weight;
};

void workload_run_mriQ(struct host *h)
{
    static const struct {
        int voxels, samples;
    } sizes[] = {{600, 24}, {8192, 512}, {32768, 1024}};
    const int voxels = sizes[h->size].voxels, count = sizes[h->size].samples;
    const size_t bytes = (size_t)voxels * sizeof(float), sums_count = 2 * (size_t)voxels;
    const struct sample *samples = (const struct sample *)host_random_f32(h, 4 * (size_t)count, 0, 1);
    const float *at[3];
    uint64_t device_at[3], sums = host_zero(h, 2 * bytes);
    for (int i = 0; i < 3; i++) {
        at[i] = host_random_f32(h, (size_t)voxels, -4, 4);
        device_at[i] = host_upload(h, at[i], bytes);
    }
    for (int first = 0; first < count; first += PART) {
        const int part = count - first < PART ? count - first : PART;
        host_set_symbol(h, "samples", samples + first, (size_t)part * sizeof *samples);
        host_launch(h, "mri_add", DIM(host_blocks((size_t)voxels, THREADS)), DIM(THREADS), 0, ARG(sums),
                    ARG(device_at[0]), ARG(device_at[1]), ARG(device_at[2]), ARG(voxels), ARG(part));
    }
    const float *got = host_output(h, sums, 2 * bytes);
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, sums_count);
    for (int i = 0; i < voxels; i++)
        for (int k = 0; k < count; k++) {
            const struct sample *s = &samples[k];
            double turns = (double)s->x * (double)at[0][i] + (double)s->y * (double)at[1][i] +
                           (double)s->z * (double)at[2][i];
            want[2 * i] += (double)s->weight * cos(2 * acos(-1) * turns);
            want[2 * i + 1] += (double)s->weight * sin(2 * acos(-1) * turns);
        }
    host_compare_f32(h, "part of Q", got, want, sums_count, sqrt(count));
}
