// N queens: the host places queens on the first rows in every way, a thread counts the ways to fill the other
// rows below one such start, by backtracking on bit masks with a stack in shared memory. Threads of a warp
// wander off in all directions: the control for divergence. A tree adds up the block's counts.
#include "device.h"

#define THREADS 96
#define DEPTH   10 // rows below the host's at most

// A board seen from its next row: columns taken, and squares reached along the two diagonals.
//
//   row k     . Q . .      columns  0100
//   row k+1   x x x .      left     1000 (the diagonal that went one to the left), right 0010
struct start {
    unsigned columns, left, right;
};

KERNEL void nqueens(const struct start *starts, int start_count, unsigned *block_solutions, int size,
                    int rows)
{
    __shared__ unsigned columns[THREADS][DEPTH], left[THREADS][DEPTH], right[THREADS][DEPTH];
    __shared__ unsigned tried[THREADS][DEPTH]; // squares taken, under attack or already tried
    __shared__ unsigned solutions[THREADS];
    int tid = threadIdx.x;
    int index = blockIdx.x * THREADS + tid;
    unsigned board = (1u << size) - 1;
    unsigned found = 0;

    if (index < start_count) {
        int row = 0;
        columns[tid][0] = starts[index].columns;
        left[tid][0] = starts[index].left;
        right[tid][0] = starts[index].right;
        tried[tid][0] = columns[tid][0] | left[tid][0] | right[tid][0];
        while (row >= 0) {
            unsigned taken = tried[tid][row];
            if ((taken & board) == board) {
                row--;
                continue;
            }
            unsigned queen = (taken + 1) & ~taken; // the lowest free square
            tried[tid][row] = taken | queen;
            if (row + 1 == rows) {
                found++;
                row--; // no second queen fits a last row: only one column was left
                continue;
            }
            columns[tid][row + 1] = columns[tid][row] | queen;
            left[tid][row + 1] = (left[tid][row] | queen) << 1;
            right[tid][row + 1] = (right[tid][row] | queen) >> 1;
            row++;
            tried[tid][row] = columns[tid][row] | left[tid][row] | right[tid][row];
        }
    }
    solutions[tid] = found;
    __syncthreads();

    if (tid < 32) solutions[tid] += solutions[tid + 64]; // 96 = 64 + 32
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (tid < half) solutions[tid] += solutions[tid + half];
        __syncthreads();
    }
    if (tid == 0) block_solutions[blockIdx.x] = solutions[0];
}
