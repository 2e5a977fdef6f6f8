// One level of the reversible wavelet transform 5/3 (Le Gall and Tabatabai 1988; Rodinia: dwt2d). A block
// slides down a strip of 128 columns, eight rows a step: rows are transformed in shared memory, where even
// and odd columns lie apart so that neither meets bank conflicts, columns in the registers of their thread.
//
//      odd  -= (even before + even after) / 2            halves rounded down
//      even += (odd before + odd after + 2) / 4
#include "device.h"

#define COLUMNS 128
#define STEP    8 // rows
#define PAIRS                                                                                                \
    (COLUMNS / 2 + 2) // of columns in a row of the buffer: two evens and an odd more than are written
#define ODD    (PAIRS * (STEP + 3) + 26) // where odd columns begin: 16 banks from the even ones
#define BUFFER (2 * PAIRS * (STEP + 3) + 26)

__device__ __forceinline__ int mirror(int i, int size)
{
    if (i < 0) i = -i;
    return i >= size ? 2 * size - 2 - i : i;
}

// Where column `x` of row `row` lies, x from -2.
__device__ __forceinline__ int slot(int row, int x)
{
    return row * PAIRS + ((x + 2) >> 1) + (x & 1 ? ODD : 0);
}

// Where the next row to read begins; past an edge of the image rows come again, the other way.
struct row_cursor {
    int y, offset;
};

// Reads rows of the image into the buffer: a column a thread, and the three beside the strip by three of them.
__device__ __forceinline__ void read_rows(int *buffer, const int *in, int width, int height, int left,
                                          struct row_cursor &next, int count)
{
    int tx = threadIdx.x;
    int beside = tx < 2 ? tx - 2 : COLUMNS + tx - 2;
    const int *own = in + mirror(left + tx, width), *far = in + mirror(left + beside, width);

    for (int r = 0; r < count; r++) {
        buffer[slot(r, tx)] = own[next.offset];
        if (tx < 3) buffer[slot(r, beside)] = far[next.offset];
        next.y++;
        next.offset += next.y > 0 && next.y < height ? width : -width;
    }
}

// Half of the threads have a row each time, a thread a pair of its columns; those left of the strip are one
// thread's a row.
template <int rows> __device__ __forceinline__ void transform_rows(int *buffer)
{
    const int count = (rows + 1) / 2;
    int *even = buffer, *odd = buffer + ODD;
    int i = threadIdx.x % (COLUMNS / 2) + 1, half = threadIdx.x / (COLUMNS / 2);
    int low[count], high[count];

#pragma unroll
    for (int k = 0; k < count; k++) {
        int row = 2 * k + half, at = row * PAIRS + i;
        if (row < rows) {
            low[k] = even[at];
            odd[at] = high[k] = odd[at] - ((low[k] + even[at + 1]) >> 1);
        }
    }
    if (threadIdx.x < rows) {
        int at = threadIdx.x * PAIRS;
        odd[at] -= (even[at] + even[at + 1]) >> 1;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < count; k++) {
        int row = 2 * k + half, at = row * PAIRS + i;
        if (row < rows) even[at] = low[k] + ((odd[at - 1] + high[k] + 2) >> 2);
    }
    __syncthreads();
}

KERNEL void forward_53(const int *in, int *out, int width, int height, int steps)
{
    __shared__ int buffer[BUFFER];
    int tx = threadIdx.x, left = blockIdx.x * COLUMNS, top = blockIdx.y * steps * STEP;
    // Half of the threads have even columns, so that what they write lies side by side.
    int column = tx < COLUMNS / 2 ? 2 * tx : 2 * tx - COLUMNS + 1;
    struct row_cursor next = {top - 2, mirror(top - 2, height) * width};
    int *lows = out + top / 2 * width + (left + column) / 2 + (column & 1 ? width / 2 : 0);
    int *highs = lows + height / 2 * width;

    // Rows above the first step: low, high, low of the first pair.
    read_rows(buffer, in, width, height, left, next, 3);
    __syncthreads();
    transform_rows<3>(buffer);
    int before = buffer[slot(0, column)], high = buffer[slot(1, column)], low = buffer[slot(2, column)];
    high -= (before + low) >> 1;
    __syncthreads();

    for (int s = 0; s < steps; s++) {
        read_rows(buffer, in, width, height, left, next, STEP);
        __syncthreads();
        transform_rows<STEP>(buffer);
#pragma unroll
        for (int r = 0; r < STEP; r += 2) {
            int odd = buffer[slot(r, column)], after = buffer[slot(r + 1, column)];
            odd -= (low + after) >> 1;
            low += (high + odd + 2) >> 2;
            if (top + s * STEP + r < height) {
                *lows = low;
                *highs = odd;
            }
            lows += width;
            highs += width;
            high = odd;
            low = after;
        }
        __syncthreads();
    }
}
