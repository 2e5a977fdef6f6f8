// A five-point stencil, a stripe of the image a block of threads: it goes along the stripe, with the pixels around its
// place in the scratchpad.
#include "stencil.h"

enum { ROWS = 4 };

KERNEL(strstencil, STENCIL_ARGUMENTS)
{
    const unsigned y = blockIdx.y * ROWS + threadIdx.y;
    int *mine = tile_pixel(shared, threadIdx.x, threadIdx.y);
    for (unsigned left = 0; left < arg.width; left += COLUMNS) {
        unsigned x = left + threadIdx.x;
        mine[0] = arg.in[y * arg.width + x];
        // What lies around: lanes at the edges, and rows at the edges.
        CONVERGE(if (threadIdx.x == 0) mine[-1] = pixel(arg.in, arg.width, arg.height, x - 1, y););
        CONVERGE(if (threadIdx.x == COLUMNS - 1) mine[1] = pixel(arg.in, arg.width, arg.height, x + 1, y););
        if (threadIdx.y == 0) mine[-PITCH] = pixel(arg.in, arg.width, arg.height, x, y - 1);
        if (threadIdx.y == ROWS - 1) mine[PITCH] = pixel(arg.in, arg.width, arg.height, x, y + 1);
        __syncthreads();
        arg.out[y * arg.width + x] = stencil_of(mine);
        __syncthreads();
    }
}

static void run(unsigned width, unsigned height, const int *in, int *out)
{
    LAUNCH(strstencil, dim(1, height / ROWS), dim(COLUMNS, ROWS), .width = width, .height = height, .in = in, .out = out);
}

int main(void) { return stencil_main("StrStencil", run); }
