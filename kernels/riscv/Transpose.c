// A matrix transposed through tiles in the scratchpad, a column of which lies in as many banks as a row.
#include "simt.h"

enum { TILE = 32 };

KERNEL(transpose, unsigned width, height; const int *in; int *out;)
{
    int(*tile)[TILE + 1] = shared;
    unsigned left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (unsigned y = threadIdx.y; y < TILE; y += blockDim.y)
        tile[y][threadIdx.x] = arg.in[(top + y) * arg.width + left + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TILE; y += blockDim.y)
        arg.out[(left + y) * arg.height + top + threadIdx.x] = tile[threadIdx.x][y];
}

int main(void)
{
    const int is_small = host_is_small();
    const unsigned width = is_small ? 256 : 512, height = is_small ? 64 : 512;
    const size_t bytes = width * height * sizeof(int);
    int *in = host_alloc(bytes), *out = host_alloc(bytes);
    struct random r = {1};
    for (unsigned i = 0; i < width * height; i++) in[i] = (int)random_next(&r);
    LAUNCH(transpose, dim(width / TILE, height / TILE), dim(TILE, 8), .width = width, .height = height, .in = in, .out = out);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            if (out[x * height + y] != in[y * width + x])
                return host_report_wrong("Transpose", x * height + y, (unsigned)out[x * height + y], (unsigned)in[y * width + x]);
    return host_report_passed("Transpose", width);
}
