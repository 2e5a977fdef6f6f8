// Alignment of two sequences (Needleman and Wunsch 1970; Rodinia: needle): a block of 16 threads a tile of 16
// x 16 of the matrix of scores, a launch a diagonal of tiles; within a tile, diagonals of cells in shared
// memory.
#include "device.h"

#define TILE 16

__device__ __forceinline__ void align_tile(const int *similarity, int *score, int side, int penalty,
                                           int tile_x, int tile_y)
{
    __shared__ int cell[TILE + 1][TILE + 1], match[TILE][TILE];
    int tx = threadIdx.x;
    int corner = side * TILE * tile_y + TILE * tile_x; // the cell left of and above the tile
    int inside = corner + side + 1 + tx;

    if (tx == 0) cell[0][0] = score[corner];
    for (int i = 0; i < TILE; i++) match[i][tx] = similarity[inside + side * i];
    __syncthreads();
    cell[tx + 1][0] = score[corner + side * (tx + 1)];
    __syncthreads();
    cell[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();

    for (int m = 0; m < TILE; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            cell[y][x] = max(max(cell[y - 1][x - 1] + match[y - 1][x - 1], cell[y][x - 1] - penalty),
                             cell[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + TILE - m, y = TILE - tx;
            cell[y][x] = max(max(cell[y - 1][x - 1] + match[y - 1][x - 1], cell[y][x - 1] - penalty),
                             cell[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++) score[inside + side * i] = cell[i + 1][tx + 1];
}

// The diagonal of `count` tiles that begins at the left edge, going up.
KERNEL void upper_diagonal(const int *similarity, int *score, int side, int penalty, int count)
{
    align_tile(similarity, score, side, penalty, blockIdx.x, count - 1 - blockIdx.x);
}

// The diagonal of `count` tiles that ends at the right edge.
KERNEL void lower_diagonal(const int *similarity, int *score, int side, int penalty, int count, int tiles)
{
    align_tile(similarity, score, side, penalty, blockIdx.x + tiles - count, tiles - 1 - blockIdx.x);
}
