// Kernels with one limit each, for test_limits.c. limits.ptx is made from this file by
// clang -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib -O3
//     -Xclang -target-feature -Xclang +ptx70 -Ikernels -isystem kernels/include -S
#include "device.h"

KERNEL void stream(const float4 *in, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

// A lane's line is its own.
KERNEL void columns(const float *in, float *out, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += in[row * width + k];
    out[row * width] = sum;
}

// 32 lanes read 32 words of one bank.
KERNEL void conflicts(float *out)
{
    __shared__ float tile[32 * 32];
    for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile[i] = (float)i;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += tile[(threadIdx.x % 32) * 32 + (k + threadIdx.x / 32) % 32];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

KERNEL void fmas(float *out, float a)
{
    float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;
#pragma unroll 16
    for (int k = 0; k < 512; k++) {
        x = x * a + 1;
        y = y * a + 1;
        z = z * a + 1;
        w = w * a + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

KERNEL void doubles(double *out, double a)
{
    double x = threadIdx.x, y = x + 1;
#pragma unroll 16
    for (int k = 0; k < 256; k++) {
        x = x * a + 1;
        y = y * a + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

// Each load needs the load before.
KERNEL void chase(const int *next, int *out)
{
    int at = threadIdx.x;
    for (int k = 0; k < 200; k++) at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
