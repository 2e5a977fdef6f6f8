// Cheapest way down a grid of costs, a row at a time: a cell's total is its own cost plus the least of the
// three cells above it. A launch takes `steps` rows at once: a block holds 1024 columns in shared memory and
// every row makes the part of them that is right narrower by one on either side, so blocks overlap by 2 ·
// steps columns.
//
//      step 0    |<------------- 1024 columns read -------------->|
//      step 1      |<------------------------------------------>|
//      ...             |<-- 1024 - 2 · steps columns written -->|
#include "device.h"
#ifndef THREADS // pathfinder256.cu brings its own
#define THREADS 1024
#endif
// wall: rows of `cols` costs; row `first_row` is the first to be added to `above`.
KERNEL void pathfinder(int steps, const int *wall, const int *above, int *below, int cols, int first_row)
{
    __shared__ int previous[THREADS], current[THREADS];
    int tx = threadIdx.x;

    int block_left = (THREADS - 2 * steps) * (int)blockIdx.x - steps;
    int column = block_left + tx;

    // The block's columns that lie on the grid; a neighbour past its edge is the cell itself.
    int lowest = max(0, -block_left);
    int highest = min(THREADS - 1, cols - 1 - block_left);
    int west = max(tx - 1, lowest);
    int east = min(tx + 1, highest);
    bool on_grid = tx >= lowest && tx <= highest;

    if (on_grid) previous[tx] = above[column];
    __syncthreads();

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = on_grid && tx >= i + 1 && tx <= THREADS - i - 2;
        if (computed) {
            int best = min(min(previous[west], previous[tx]), previous[east]);
            current[tx] = best + wall[cols * (first_row + i) + column];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) previous[tx] = current[tx];
        __syncthreads();
    }
    if (computed) below[column] = current[tx];
}
