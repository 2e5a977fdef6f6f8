// A matrix transposed through tiles in the scratchpad, a column of which lies in as many banks as a row.
#include "simt.h"

enum { TILE = 32 };

// A matrix and the length of its rows.
struct matrix {
    int *words;
    int width;
};

typedef int row[TILE + 1];

KERNEL(transpose, struct matrix in, out;)
{
    row *const tile = SHARED(row, TILE);
    const int left = (int)(blockIdx.x * blockDim.x), top = (int)(blockIdx.y * blockDim.x);
    for (int y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
        const int *const from = arg.in.words + (top + y) * arg.in.width;
        tile[y][threadIdx.x] = from[left + threadIdx.x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
        int *const to = arg.out.words + (left + y) * arg.out.width;
        to[top + threadIdx.x] = tile[threadIdx.x][y];
    }
}

int main(void)
{
    const int is_small = host_is_small();
    const unsigned width = is_small ? 256 : 512, height = is_small ? 64 : 512;
    const size_t bytes = width * height * sizeof(int);
    int *in = host_alloc(bytes), *out = host_alloc(bytes);
    struct random r = {1};
    for (unsigned i = 0; i < width * height; i++) in[i] = (int)random_next(&r);
    LAUNCH(transpose, dim(width / TILE, height / TILE), dim(TILE, 8), .in = {in, (int)width}, .out = {out, (int)height});
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            if (out[x * height + y] != in[y * width + x])
                return host_report_wrong("Transpose", x * height + y, (unsigned)out[x * height + y], (unsigned)in[y * width + x]);
    return host_report_passed("Transpose", width);
}
