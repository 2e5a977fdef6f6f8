// Motion estimation by full search: for each square of 16x16 pixels of an image the place in the image before that differs
// least from it (sum of absolute differences), up to 8 pixels away. A block of (16,16) takes a square, a thread a place; the square
// and all that it may be like are in shared memory. The whole block reads the square's pixels one by one.
#include "device.h"

#define SQUARE 16
#define REACH  16 // places in a direction: -8 to 7
#define WINDOW (SQUARE + REACH - 1)
#define NOTHING 0xffff // beyond the image: like no pixel

KERNEL void block_matching(const unsigned char *now, const unsigned char *before, unsigned *best, int width, int height)
{
    __shared__ int square[SQUARE][SQUARE], window[WINDOW][WINDOW + 1];
    __shared__ unsigned grades[SQUARE * REACH];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * REACH + tx;
    const int left = blockIdx.x * SQUARE, top = blockIdx.y * SQUARE;

    square[ty][tx] = now[(top + ty) * width + left + tx];
    for (int wy = ty; wy < WINDOW; wy += SQUARE)
        for (int wx = tx; wx < WINDOW; wx += SQUARE) {
            const int x = left + wx - REACH / 2, y = top + wy - REACH / 2;
            window[wy][wx] = x >= 0 && x < width && y >= 0 && y < height ? before[y * width + x] : NOTHING;
        }
    __syncthreads();

    int sum = 0;
    for (int y = 0; y < SQUARE; y++)
        for (int x = 0; x < SQUARE; x++) {
            const int difference = square[y][x] - window[ty + y][tx + x];
            sum += difference < 0 ? -difference : difference;
        }
    // The sum and, below, the number of the place: the smaller the better.
    grades[t] = (unsigned)sum << 8 | (unsigned)t;
    __syncthreads();
    for (int half = SQUARE * REACH / 2; half > 0; half /= 2) {
        if (t < half && grades[t + half] < grades[t]) grades[t] = grades[t + half];
        __syncthreads();
    }
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = grades[0];
}
