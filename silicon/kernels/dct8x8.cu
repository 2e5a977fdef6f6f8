// Cosine transform of an image in blocks of 8 x 8 (Ahmed, Natarajan, Rao 1974), in two ways, and quantisation of the
// coefficients by the table of JPEG's Annex K.
#include "device.h"

#define SIZE 8

// cosines[k * 8 + n]: row k of the transform's matrix.
__constant__ float cosines[SIZE * SIZE] = {
    0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f, 0.353553391f,
    0.49039264f, 0.415734806f, 0.277785117f, 0.097545161f, -0.097545161f, -0.277785117f, -0.415734806f, -0.49039264f,
    0.461939766f, 0.191341716f, -0.191341716f, -0.461939766f, -0.461939766f, -0.191341716f, 0.191341716f, 0.461939766f,
    0.415734806f, -0.097545161f, -0.49039264f, -0.277785117f, 0.277785117f, 0.49039264f, 0.097545161f, -0.415734806f,
    0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f, 0.353553391f, -0.353553391f, -0.353553391f, 0.353553391f,
    0.277785117f, -0.49039264f, 0.097545161f, 0.415734806f, -0.415734806f, -0.097545161f, 0.49039264f, -0.277785117f,
    0.191341716f, -0.461939766f, 0.461939766f, -0.191341716f, -0.191341716f, 0.461939766f, -0.461939766f, 0.191341716f,
    0.097545161f, -0.277785117f, 0.415734806f, -0.49039264f, 0.49039264f, -0.415734806f, 0.277785117f, -0.097545161f};

__constant__ short quantisers[SIZE * SIZE] = {
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99};

// Two products with the matrix, a thread a coefficient, an 8 x 8 block of threads a block of the image. Which row of
// the matrix a thread wants depends on the thread: constants that diverge.
KERNEL void dct_products(float *out, int width, int offset_x, int offset_y, cudaTextureObject_t image)
{
    __shared__ float pixels[SIZE * SIZE], rows[SIZE * SIZE];
    int tx = threadIdx.x, ty = threadIdx.y;
    float x = blockIdx.x * SIZE + tx + offset_x + 0.5f, y = blockIdx.y * SIZE + ty + offset_y + 0.5f;

    pixels[ty * SIZE + tx] = texture_f32(image, x, y);
    __syncthreads();

    float sum = 0;
#pragma unroll
    for (int k = 0; k < SIZE; k++) sum += cosines[ty * SIZE + k] * pixels[k * SIZE + tx];
    rows[ty * SIZE + tx] = sum;
    __syncthreads();

    sum = 0;
#pragma unroll
    for (int k = 0; k < SIZE; k++) sum += rows[ty * SIZE + k] * cosines[tx * SIZE + k];
    pixels[ty * SIZE + tx] = sum;
    __syncthreads();

    out[(blockIdx.y * SIZE + ty + offset_y) * width + blockIdx.x * SIZE + tx + offset_x] = pixels[ty * SIZE + tx];
}

// Eight values by the even and odd halves of the transform: 42 operations.
__device__ __forceinline__ void dct8(float *values, int stride)
{
    const float A = 1.387039845f, B = 1.306562965f, C = 1.175875602f, D = 0.785694958f, E = 0.541196100f,
                F = 0.275899379f; // sqrt(2) cos(k pi / 16), k = 1, 2, 3, 5, 6, 7
    const float NORM = 0.353553391f; // 1 / sqrt(8)
    float v[SIZE];
#pragma unroll
    for (int i = 0; i < SIZE; i++) v[i] = values[i * stride];

    float sum07 = v[0] + v[7], sum16 = v[1] + v[6], sum25 = v[2] + v[5], sum34 = v[3] + v[4];
    float dif07 = v[0] - v[7], dif61 = v[6] - v[1], dif25 = v[2] - v[5], dif43 = v[4] - v[3];
    float outer = sum07 + sum34, inner = sum16 + sum25, outer_dif = sum07 - sum34, inner_dif = sum16 - sum25;

    values[0 * stride] = NORM * (outer + inner);
    values[2 * stride] = NORM * (B * outer_dif + E * inner_dif);
    values[4 * stride] = NORM * (outer - inner);
    values[6 * stride] = NORM * (E * outer_dif - B * inner_dif);
    values[1 * stride] = NORM * (A * dif07 - C * dif61 + D * dif25 - F * dif43);
    values[3 * stride] = NORM * (C * dif07 + F * dif61 - A * dif25 + D * dif43);
    values[5 * stride] = NORM * (D * dif07 + A * dif61 + F * dif25 - C * dif43);
    values[7 * stride] = NORM * (F * dif07 + D * dif61 + C * dif25 + A * dif43);
}

// A warp has 32 x 8 pixels of its own, a thread a row of eight and then a column of eight of them.
KERNEL void dct_lines(float *out, const float *in, int pitch)
{
    __shared__ float tile[2 * SIZE][4 * SIZE + 1];
    int x = threadIdx.y * SIZE + threadIdx.x, y = threadIdx.z * SIZE;
    int first = (blockIdx.y * 2 * SIZE + y) * pitch + blockIdx.x * 4 * SIZE + x;

#pragma unroll
    for (int i = 0; i < SIZE; i++) tile[y + i][x] = in[first + i * pitch];
    __syncwarp();
    dct8(&tile[y + threadIdx.x][threadIdx.y * SIZE], 1);
    __syncwarp();
    dct8(&tile[y][x], 4 * SIZE + 1);
#pragma unroll
    for (int i = 0; i < SIZE; i++) out[first + i * pitch] = tile[y + i][x];
}

// To the nearest multiple of the quantiser.
KERNEL void quantise(float *coefficients, int pitch)
{
    int x = blockIdx.x * SIZE + threadIdx.x, y = blockIdx.y * SIZE + threadIdx.y;
    float quantiser = quantisers[threadIdx.y * SIZE + threadIdx.x];
    float *coefficient = &coefficients[y * pitch + x];

    *coefficient = roundf(*coefficient / quantiser) * quantiser;
}
