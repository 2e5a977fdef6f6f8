// LU decomposition in place, in tiles of 16 x 16 (Rodinia: lud): the tile on the diagonal, the strips right
// of it and below it, then all that is left, three launches a tile. Every step of a dot product in the tile
// goes to shared memory and back: 508 stores of the diagonal's one warp on the card.
#include "device.h"

#define TILE 16

KERNEL void diagonal(float *m, int side, int offset)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x;

    for (int i = 0, at = offset * side + offset; i < TILE; i++, at += side) tile[i][tx] = m[at + tx];
    __syncthreads();

    for (int i = 0; i < TILE - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++) tile[tx][i] -= tile[tx][j] * tile[j][i];
            tile[tx][i] /= tile[i][i];
        }
        __syncthreads();
        if (tx > i)
            for (int j = 0; j < i + 1; j++) tile[i + 1][tx] -= tile[i + 1][j] * tile[j][tx];
        __syncthreads();
    }

    // The first row is as it was.
    for (int i = 1, at = (offset + 1) * side + offset; i < TILE; i++, at += side) m[at + tx] = tile[i][tx];
}

// A warp a pair of tiles: half of it the tile right of the diagonal, half the one below.
KERNEL void perimeter(float *m, int side, int offset)
{
    __shared__ float corner[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
    bool is_row = threadIdx.x < TILE;
    int tx = is_row ? threadIdx.x : threadIdx.x - TILE;
    int along = (blockIdx.x + 1) * TILE;

    if (is_row) {
        for (int i = 0, at = offset * side + offset; i < TILE / 2; i++, at += side)
            corner[i][tx] = m[at + tx];
        for (int i = 0, at = offset * side + offset; i < TILE; i++, at += side)
            row[i][tx] = m[at + along + tx];
    } else {
        for (int i = TILE / 2, at = (offset + TILE / 2) * side + offset; i < TILE; i++, at += side)
            corner[i][tx] = m[at + tx];
        for (int i = 0, at = (offset + along) * side + offset; i < TILE; i++, at += side)
            column[i][tx] = m[at + tx];
    }
    __syncthreads();

    if (is_row) {
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++) row[i][tx] -= corner[i][j] * row[j][tx];
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++) column[tx][i] -= column[tx][j] * corner[j][i];
            column[tx][i] /= corner[i][i];
        }
    }
    __syncthreads();

    if (is_row) {
        for (int i = 1, at = (offset + 1) * side + offset; i < TILE; i++, at += side)
            m[at + along + tx] = row[i][tx];
    } else {
        for (int i = 0, at = (offset + along) * side + offset; i < TILE; i++, at += side)
            m[at + tx] = column[i][tx];
    }
}

KERNEL void internal(float *m, int side, int offset)
{
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int down = offset + (blockIdx.y + 1) * TILE, across = offset + (blockIdx.x + 1) * TILE;

    row[ty][tx] = m[(offset + ty) * side + across + tx];
    column[ty][tx] = m[(down + ty) * side + offset + tx];
    __syncthreads();

    float sum = 0;
    for (int i = 0; i < TILE; i++) sum += column[ty][i] * row[i][tx];
    m[(down + ty) * side + across + tx] -= sum;
}
