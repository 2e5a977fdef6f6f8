// Correlation of the columns of a table (PolyBench: CORR): a thread a column. Rows and columns are counted
// from 1, so that every row begins a word after a line of the cache does.
#include "device.h"

#define COLUMNS 2048
#define ROWS    2048
#define PITCH   (COLUMNS + 1)

KERNEL void mean_of_columns(float *mean, const float *data)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (column <= COLUMNS) {
        mean[column] = 0.0f;
        for (int i = 1; i <= ROWS; i++) mean[column] += data[i * PITCH + column];
        mean[column] /= (float)ROWS;
    }
}

// The thread of a column makes its products with all columns to the right of it, and stores a sum at every
// step.
KERNEL void correlate(float *correlation, const float *data)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x + 1;

    if (first < COLUMNS) {
        correlation[first * PITCH + first] = 1.0f;
        for (int second = first + 1; second <= COLUMNS; second++) {
            correlation[first * PITCH + second] = 0.0f;
            for (int i = 1; i <= ROWS; i++)
                correlation[first * PITCH + second] += data[i * PITCH + first] * data[i * PITCH + second];
            correlation[second * PITCH + first] = correlation[first * PITCH + second];
        }
    }
}
