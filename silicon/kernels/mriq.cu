// The matrix Q of image reconstruction from samples of magnetic resonance off any grid (Stone et al. 2008;
// Parboil: mri-q): for each point of the volume, sums of cosines and sines over samples in k-space, of which
// a launch's thousand lie in constant memory.
#include "device.h"

#define SAMPLES 1024 // in constant memory at a time

struct sample {
    float x, y, z, magnitude;
};

__constant__ struct sample samples[SAMPLES];

KERNEL void compute_q(int total, int first, const float *x, const float *y, const float *z, float *real,
                      float *imaginary)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float px = x[i], py = y[i], pz = z[i], cosines = real[i], sines = imaginary[i];

    for (int k = 0; k < SAMPLES && first < total; k++, first++) {
        float phase = 6.2831853071795864769252867665590058f *
                      (samples[k].x * px + samples[k].y * py + samples[k].z * pz);
        cosines += samples[k].magnitude * cosf(phase);
        sines += samples[k].magnitude * sinf(phase);
    }
    real[i] = cosines;
    imaginary[i] = sines;
}
