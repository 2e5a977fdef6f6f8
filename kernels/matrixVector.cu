// Matrix times vector: a block takes a row after the other; a thread adds up every 256th product, and the block adds
// up its threads' sums in a tree.
#include "device.h"

#define THREADS 256

KERNEL void matrix_vector(const float *matrix, const float *vector, float *out, int width, int height)
{
    __shared__ float part[THREADS];
    const int t = threadIdx.x;

    for (int row = blockIdx.x; row < height; row += gridDim.x) {
        float sum = 0.0f;
        for (int column = t; column < width; column += THREADS)
            sum += matrix[(size_t)row * width + column] * vector[column];
        part[t] = sum;
        __syncthreads();
        for (int half = THREADS / 2; half > 0; half /= 2) {
            if (t < half) part[t] += part[t + half];
            __syncthreads();
        }
        if (t == 0) out[row] = part[0];
        __syncthreads();
    }
}
