// Takes the mean of its column from every entry of a table (PolyBench: COVAR). Rows and columns are counted
// from 1. The measured grid has a quarter of the rows.
#include "device.h"

#define COLUMNS 2048
#define ROWS    2048
#define PITCH   (COLUMNS + 1)

KERNEL void subtract_mean(const float *mean, float *data)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x + 1, row = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (row <= ROWS && column <= COLUMNS) data[row * PITCH + column] -= mean[column];
}
