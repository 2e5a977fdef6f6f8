// A five-point stencil, a block of the image a block of threads: its pixels in the scratchpad. Threads at the block's
// edges read the pixels beyond from the image.
#include "stencil.h"

enum { COLUMNS = 32 };

KERNEL_CALLED(blkstencil, STENCIL_ARGUMENTS)
{
    int *const tile = SHARED(int, blockDim.x * blockDim.y);
    const unsigned pitch = blockDim.x;
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned i = y * arg.width + x;
    tile[threadIdx.y * pitch + threadIdx.x] = arg.in[i];
    __syncthreads();
    int sum = tile[threadIdx.y * pitch + threadIdx.x];
    if (x < arg.width - 1) {
        if (threadIdx.x == blockDim.x - 1)
            sum += arg.in[i + 1];
        else
            sum += tile[threadIdx.y * pitch + threadIdx.x + 1];
    }
    simt_meet();
    if (x > 0) {
        if (threadIdx.x == 0)
            sum += arg.in[i - 1];
        else
            sum += tile[threadIdx.y * pitch + threadIdx.x - 1];
    }
    simt_meet();
    if (y < arg.height - 1) {
        if (threadIdx.y == blockDim.y - 1)
            sum += arg.in[(y + 1) * arg.width + x];
        else
            sum += tile[(threadIdx.y + 1) * pitch + threadIdx.x];
    }
    simt_meet();
    if (y > 0) {
        if (threadIdx.y == 0)
            sum += arg.in[(y - 1) * arg.width + x];
        else
            sum += tile[(threadIdx.y - 1) * pitch + threadIdx.x];
    }
    simt_meet();
    arg.out[i] = sum;
}

static void run(unsigned width, unsigned height, const int *in, int *out)
{
    const unsigned rows = host_threads() / COLUMNS;
    LAUNCH(blkstencil, dim(width / COLUMNS, height / rows), dim(COLUMNS, rows), .width = width, .height = height,
           .in = in, .out = out);
}

int main(void) { return stencil_main("BlkStencil", run); }
