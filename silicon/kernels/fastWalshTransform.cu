// Walsh-Hadamard transform by butterflies of four: passes through global memory down to segments of 2,048, which fit
// in shared memory.
#include "device.h"

__device__ __forceinline__ void butterfly4(float &a, float &b, float &c, float &d)
{
    float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
    a = ac + bd;
    b = ac - bd;
    c = a_c + b_d;
    d = a_c - b_d;
}

// A block a segment of 2^log2 values.
KERNEL void fwt_shared(float *out, const float *in, int log2)
{
    extern __shared__ float segment[];
    const int count = 1 << log2, base = blockIdx.x << log2;

    for (int i = threadIdx.x; i < count; i += blockDim.x) segment[i] = in[base + i];

    for (int stride = count >> 2, quarter = threadIdx.x; stride > 0; stride >>= 2) {
        int low = quarter & (stride - 1);
        int i = ((quarter - low) << 2) + low;
        __syncthreads();
        float a = segment[i], b = segment[i + stride], c = segment[i + 2 * stride], d = segment[i + 3 * stride];
        butterfly4(a, b, c, d);
        segment[i] = a;
        segment[i + stride] = b;
        segment[i + 2 * stride] = c;
        segment[i + 3 * stride] = d;
    }

    // An odd logarithm leaves pairs over.
    if (log2 & 1) {
        __syncthreads();
        for (int pair = threadIdx.x; pair < count / 2; pair += blockDim.x) {
            float a = segment[2 * pair], b = segment[2 * pair + 1];
            segment[2 * pair] = a + b;
            segment[2 * pair + 1] = a - b;
        }
    }

    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[base + i] = segment[i];
}

// Row y of blocks transforms vector y.
KERNEL void fwt_global(float *out, const float *in, int stride)
{
    int quarter = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * (4 * blockDim.x * gridDim.x);
    out += first;
    in += first;
    int low = quarter & (stride - 1);
    int i = ((quarter - low) << 2) + low;
    float a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

    butterfly4(a, b, c, d);
    out[i] = a;
    out[i + stride] = b;
    out[i + 2 * stride] = c;
    out[i + 3 * stride] = d;
}

// The product of two spectra, which is that of a dyadic convolution, and the scale of the transform back.
KERNEL void modulate(float *spectrum, const float *other, int count)
{
    float scale = 1.0f / (float)count;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        spectrum[i] *= other[i] * scale;
}
