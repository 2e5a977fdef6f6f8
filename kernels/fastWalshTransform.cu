// Fast Walsh-Hadamard transform, and through it the dyadic convolution of two sequences (transform both,
// multiply, transform back). Passes of radix 4 with the wings far apart work in global memory, a launch each;
// once a sub-sequence fits a block the rest of its passes run in shared memory.
#include "device.h"

// The four values of a radix-4 butterfly.
__device__ __forceinline__ void butterfly4(float *at0, float *at1, float *at2, float *at3)
{
    float a0 = *at0, a1 = *at1, a2 = *at2, a3 = *at3;
    float s0 = a0 + a2, s1 = a1 + a3, d0 = a0 - a2, d1 = a1 - a3;
    *at0 = s0 + s1;
    *at1 = s0 - s1;
    *at2 = d0 + d1;
    *at3 = d0 - d1;
}

// A block transforms 2^log2n consecutive values, a quarter as many threads.
KERNEL void fwt_shared(float *data, int log2n)
{
    extern __shared__ float values[];
    const int n = 1 << log2n;
    float *segment = data + (blockIdx.x << log2n);
    const int tid = threadIdx.x;

    for (int i = tid; i < n; i += blockDim.x) values[i] = segment[i];

    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        int low = tid & (stride - 1);
        int i = ((tid - low) << 2) + low;
        __syncthreads();
        butterfly4(&values[i], &values[i + stride], &values[i + 2 * stride], &values[i + 3 * stride]);
    }
    if (log2n & 1) { // one pass of radix 2 is left
        __syncthreads();
        for (int pair = tid; pair < n / 2; pair += blockDim.x) {
            float a = values[2 * pair], b = values[2 * pair + 1];
            values[2 * pair] = a + b;
            values[2 * pair + 1] = a - b;
        }
    }
    __syncthreads();
    for (int i = tid; i < n; i += blockDim.x) segment[i] = values[i];
}

// One radix-4 pass over sub-sequences of 4 · blockDim.x · gridDim.x values, one for each blockIdx.y.
KERNEL void fwt_global(float *data, int stride)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = blockDim.x * gridDim.x * 4;
    float *segment = data + blockIdx.y * n;

    int low = thread & (stride - 1);
    int i = ((thread - low) << 2) + low;
    butterfly4(&segment[i], &segment[i + stride], &segment[i + 2 * stride], &segment[i + 3 * stride]);
}

// a *= b / n, element by element: n undoes the scale of the two transforms.
KERNEL void fwt_modulate(float *a, const float *b, int n)
{
    const float scale = 1.0f / (float)n;
    const int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) a[i] *= b[i] * scale;
}
