// A five-point stencil, a stripe of the image a block of threads, which goes along the stripe. The scratchpad holds
// three blocks of the stripe side by side: the block behind, the present block and the block ahead. Each pixel is read
// once, but for the rows above and below the stripe.
#include "stencil.h"

enum { COLUMNS = 32, ROWS = 4 };

KERNEL(strstencil, STENCIL_ARGUMENTS)
{
    int *const tile = SHARED(int, 3 * blockDim.x * blockDim.y);
    const unsigned pitch = 3 * blockDim.x, here = blockDim.x, ahead = 2 * blockDim.x;
    const unsigned row = (blockIdx.y * blockDim.y + threadIdx.y) * arg.width;
    tile[threadIdx.y * pitch + threadIdx.x] = 0;
    tile[threadIdx.y * pitch + here + threadIdx.x] = arg.in[row + threadIdx.x];
    for (unsigned left = 0; left < arg.width; left += blockDim.x) {
        const unsigned i = row + left + threadIdx.x;
        tile[threadIdx.y * pitch + ahead + threadIdx.x] = left + blockDim.x == arg.width ? 0 : arg.in[i + blockDim.x];
        __syncthreads();
        // All lanes of a warp are in one row.
        const int *const pixel = tile + here + threadIdx.x;
        int above = 0, below = 0;
        if (threadIdx.y > 0)
            above = pixel[(threadIdx.y - 1) * pitch];
        else if (blockIdx.y > 0)
            above = arg.in[i - arg.width];
        if (threadIdx.y + 1 < blockDim.y)
            below = pixel[(threadIdx.y + 1) * pitch];
        else if (blockIdx.y + 1 < gridDim.y)
            below = arg.in[i + arg.width];
        const int *const p = pixel + threadIdx.y * pitch;
        arg.out[i] = above + below + p[-1] + p[0] + p[1];
        __syncthreads();
        tile[threadIdx.y * pitch + threadIdx.x] = tile[threadIdx.y * pitch + here + threadIdx.x];
        tile[threadIdx.y * pitch + here + threadIdx.x] = tile[threadIdx.y * pitch + ahead + threadIdx.x];
    }
}

static void run(unsigned width, unsigned height, const int *in, int *out)
{
    LAUNCH(strstencil, dim(1, height / ROWS), dim(COLUMNS, ROWS), .width = width, .height = height, .in = in, .out = out);
}

int main(void) { return stencil_main("StrStencil", run); }
