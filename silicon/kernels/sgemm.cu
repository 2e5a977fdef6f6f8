// C = αABᵀ + βC with registers for tiles (Volkov and Demmel 2008; Parboil: sgemm): matrices column by column,
// a block of 128 threads a tile of 128 x 16 of C, a thread a row of it. Sixteen columns of B lie in shared
// memory, eight steps of the sum at a time, and are read as vectors of four.
#include "device.h"

#define COLUMNS 16 // of C that a thread makes
#define STEPS   8  // of the sum that are in shared memory together

KERNEL void multiply_transposed(const float *a, int a_pitch, const float *b, int b_pitch, float *c,
                                int c_pitch, int depth, float alpha, float beta)
{
    __shared__ float tile[STEPS][COLUMNS];
    float sum[COLUMNS];
    int thread = threadIdx.y * COLUMNS + threadIdx.x;
    int row = blockIdx.x * STEPS * COLUMNS + thread;
    int column = blockIdx.y * COLUMNS + threadIdx.x;

    for (int i = 0; i < COLUMNS; i++) sum[i] = 0;
    for (int step = 0; step < depth; step += STEPS) {
        tile[threadIdx.y][threadIdx.x] = b[column + (step + threadIdx.y) * b_pitch];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            float factor = a[row + (step + k) * a_pitch];
            for (int i = 0; i < COLUMNS; i++) sum[i] += factor * tile[k][i];
        }
        __syncthreads();
    }
    int at = row + blockIdx.y * COLUMNS * c_pitch;
    for (int i = 0; i < COLUMNS; i++) c[at + i * c_pitch] = c[at + i * c_pitch] * beta + alpha * sum[i];
}
