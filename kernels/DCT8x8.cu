// The heart of JPEG: discrete cosine transform of 8x8 blocks as two matrix products, quantisation of the
// coefficients, and back. A pixel a thread, an 8x8 block of the image a threadblock; the image comes through
// a texture, the matrices stand in constant memory.
#include "device.h"

#define N 8

__constant__ float cosines[N * N]; // row k: the k-th basis function, scaled so that the matrix is orthogonal
__constant__ float quantum[N * N];

// Sum of a[i * a_step] * b[i * b_step] for eight i.
__device__ __forceinline__ float dot8(const float *a, int a_step, const float *b, int b_step)
{
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++) sum += a[i * a_step] * b[i * b_step];
    return sum;
}

// out = C · pixels · Cᵀ
KERNEL void dct_forward(float *out, cudaTextureObject_t image, int pitch)
{
    __shared__ float pixels[N * N], half[N * N];
    const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;

    const float x = (float)(bx * N + tx) + 0.5f;
    const float y = (float)(by * N + ty) + 0.5f;
    pixels[ty * N + tx] = texture_f32(image, x, y);
    __syncthreads();

    half[ty * N + tx] = dot8(&cosines[ty * N], 1, &pixels[tx], N);
    __syncthreads();
    out[(by * N + ty) * pitch + bx * N + tx] = dot8(&half[ty * N], 1, &cosines[tx * N], 1);
}

// out = Cᵀ · coefficients · C
KERNEL void dct_inverse(float *out, const float *in, int pitch)
{
    __shared__ float coefficients[N * N], half[N * N];
    const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    const int at = (by * N + ty) * pitch + bx * N + tx;

    coefficients[ty * N + tx] = in[at];
    __syncthreads();

    half[ty * N + tx] = dot8(&cosines[ty], N, &coefficients[tx], N);
    __syncthreads();
    out[at] = dot8(&half[ty * N], 1, &cosines[tx], N);
}

// Rounds every coefficient to a multiple of its quantum.
KERNEL void dct_quantise(float *coefficients, int pitch)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int at = (blockIdx.y * N + ty) * pitch + blockIdx.x * N + tx;
    float q = quantum[ty * N + tx];
    coefficients[at] = rintf(coefficients[at] / q) * q;
}
