// Cheapest way down a grid of costs (Rodinia: pathfinder): a cell's total is its cost plus the least of the
// three cells above. A launch takes `steps` rows: a block holds 256 columns, of which each row leaves one
// fewer on either side that is right, so blocks overlap by 2 · steps columns.
#include "device.h"

#define THREADS 256

__device__ __forceinline__ bool within(int value, int low, int high) { return value >= low && value <= high; }

// costs: rows of `cols`; row `first_row` is the first to be added to `above`.
KERNEL void descend(int steps, const int *costs, const int *above, int *below, int cols, int first_row)
{
    __shared__ int previous[THREADS], current[THREADS];
    int tx = threadIdx.x;
    int left = (THREADS - 2 * steps) * (int)blockIdx.x - steps, column = left + tx;

    // The block's columns that lie on the grid; a neighbour past its edge is the cell itself.
    int lowest = max(0, -left), highest = min(THREADS - 1, cols - 1 - left);
    int west = max(tx - 1, lowest), east = min(tx + 1, highest);
    bool on_grid = within(tx, lowest, highest);

    if (within(column, 0, cols - 1)) previous[tx] = above[column];
    __syncthreads();

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (within(tx, i + 1, THREADS - i - 2) && on_grid) {
            computed = true;
            int best = min(min(previous[west], previous[tx]), previous[east]);
            current[tx] = best + costs[cols * (first_row + i) + column];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) previous[tx] = current[tx];
        __syncthreads();
    }
    if (computed) below[column] = current[tx];
}
