// Alignment of two sequences (Needleman and Wunsch 1970): a score follows from the three before it,
//
//      score[i][j] = max(score[i-1][j-1] + alike[i][j],  score[i-1][j] - penalty,  score[i][j-1] - penalty)
//
// so that diagonals can be done at once. Tiles of 16x16 go by diagonals, a launch each, and in a tile 16 threads do: many
// small launches of small blocks.
#include "device.h"

#define TILE 16

// scores: (n+1)², row 0 and column 0 given; alike: n². Tiles (first + block, diagonal - first - block).
KERNEL void nw_diagonal(int *scores, const int *alike, int n, int diagonal, int first, int penalty)
{
    __shared__ int score[TILE + 1][TILE + 1], similar[TILE][TILE];
    const int tid = threadIdx.x, width = n + 1;
    const int column = (first + blockIdx.x) * TILE, row = (diagonal - first - blockIdx.x) * TILE;
    int *corner = scores + row * width + column;

    for (int i = 0; i < TILE; i++) similar[i][tid] = alike[(row + i) * n + column + tid];
    score[0][tid + 1] = corner[tid + 1];
    score[tid + 1][0] = corner[(tid + 1) * width];
    if (tid == 0) score[0][0] = corner[0];
#pragma unroll 1
    for (int step = 0; step < 2 * TILE - 1; step++) {
        __syncthreads();
        int i = step - tid + 1, j = tid + 1; // of the scores
        if ((unsigned)(i - 1) < TILE) {
            int gap = max(score[i - 1][j], score[i][j - 1]) - penalty;
            score[i][j] = max(score[i - 1][j - 1] + similar[i - 1][j - 1], gap);
        }
    }
    __syncthreads();
    for (int i = 1; i <= TILE; i++) corner[i * width + tid + 1] = score[i][tid + 1];
}
