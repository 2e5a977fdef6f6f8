// A five-point stencil, a block of the image a block of threads: its pixels and those around it in the scratchpad.
#include "stencil.h"

enum { ROWS = 64 };

KERNEL(blkstencil, STENCIL_ARGUMENTS)
{
    const unsigned left = blockIdx.x * COLUMNS, top = blockIdx.y * ROWS, x = left + threadIdx.x, y = top + threadIdx.y;
    int *mine = tile_pixel(shared, threadIdx.x, threadIdx.y);
    mine[0] = arg.in[y * arg.width + x];
    // What lies around: a row of the image by a warp, a column by a warp for each 32 pixels.
    if (threadIdx.y == 0) mine[-PITCH] = pixel(arg.in, arg.width, arg.height, x, y - 1);
    if (threadIdx.y == ROWS - 1) mine[PITCH] = pixel(arg.in, arg.width, arg.height, x, y + 1);
    if (threadIdx.y < 2 * ROWS / COLUMNS) {
        unsigned down = threadIdx.y / 2 * COLUMNS + threadIdx.x, across = threadIdx.y % 2 * (COLUMNS + 1) - 1;
        *tile_pixel(shared, across, down) = pixel(arg.in, arg.width, arg.height, left + across, top + down);
    }
    __syncthreads();
    arg.out[y * arg.width + x] = stencil_of(mine);
}

static void run(unsigned width, unsigned height, const int *in, int *out)
{
    LAUNCH(blkstencil, dim(width / COLUMNS, height / ROWS), dim(COLUMNS, ROWS), .width = width, .height = height, .in = in,
           .out = out);
}

int main(void) { return stencil_main("BlkStencil", run); }
