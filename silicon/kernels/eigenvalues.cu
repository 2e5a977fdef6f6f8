// Eigenvalues of a symmetric tridiagonal matrix by bisection: how many are below a value is the number of negative
// pivots of the matrix less that value (Sturm; Givens 1954). Here every thread has an interval with one eigenvalue in
// it and halves it until it is narrow enough. The matrix comes through shared memory a block's length at a time.
#include "device.h"

#define THREADS 256

// The number of eigenvalues below `value`, for the first `active` threads; all of them load.
__device__ __forceinline__ unsigned count_below(const float *diagonal, const float *off_diagonal, unsigned size,
                                                float value, unsigned active, float *d, float *s)
{
    float pivot = 1;
    unsigned negative = 0;

    for (unsigned first = 0; first < size; first += THREADS) {
        __syncthreads();
        if (first + threadIdx.x < size) {
            d[threadIdx.x] = diagonal[first + threadIdx.x];
            s[threadIdx.x] = off_diagonal[first + threadIdx.x];
        }
        __syncthreads();
        if (threadIdx.x < active) {
            unsigned end = min(THREADS, size - first);
#pragma unroll 1
            for (unsigned k = 0; k < end; k++) {
                pivot = d[k] - value - s[k] * s[k] / pivot;
                negative += pivot < 0;
            }
        }
    }
    return negative;
}

// What the steps before would leave: a thread an interval between low and high, side by side, each with the number of the
// lowest eigenvalue that may be in it.
KERNEL void side_by_side(const float *diagonal, const float *off_diagonal, unsigned size, float *left, float *right,
                         unsigned *number, float low, float high)
{
    float width = (high - low) / blockDim.x, begin = low + width * threadIdx.x, pivot = 1;
    unsigned below = 0;

    for (unsigned k = 0; k < size; k++) {
        pivot = diagonal[k] - begin - off_diagonal[k] * off_diagonal[k] / pivot;
        below += pivot < 0;
    }
    left[threadIdx.x] = begin;
    right[threadIdx.x] = begin + width;
    number[threadIdx.x] = below;
}

KERNEL void bisect(const float *diagonal, const float *off_diagonal, unsigned size, unsigned intervals, float *left,
                   const float *right, const unsigned *numbers, float precision)
{
    __shared__ float d[THREADS], s[THREADS];
    __shared__ unsigned is_someone_at_work;
    float low = 0, high = 0, middle = 0;
    unsigned number = 0;
    bool is_done = threadIdx.x >= intervals;

    if (!is_done) {
        low = left[threadIdx.x];
        high = right[threadIdx.x];
        number = numbers[threadIdx.x];
    }
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) is_someone_at_work = 0;
        __syncthreads();
        if (!is_done) {
            middle = low + (high - low) * 0.5f;
            is_someone_at_work = 1;
        }
        __syncthreads();
        if (!is_someone_at_work) break;

        unsigned below = count_below(diagonal, off_diagonal, size, middle, intervals, d, s);
        if (!is_done) {
            if (below > number) high = middle;
            else low = middle;
            is_done = high - low <= precision * fmaxf(fabsf(low), fabsf(high));
        }
    }
    if (threadIdx.x < intervals) left[threadIdx.x] = low;
}
