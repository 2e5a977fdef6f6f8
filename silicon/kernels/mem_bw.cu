// Bandwidth of DRAM: the sum of five vectors of 32 MiB, in vectors of four.
#include "device.h"

#define COUNT 8388608

__device__ __forceinline__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

KERNEL void add_five(const float4 *a, const float4 *b, const float4 *c, const float4 *d, const float4 *e,
                     float4 *out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT / 4; i += blockDim.x * gridDim.x)
        out[i] = a[i] + b[i] + c[i] + d[i] + e[i];
}
