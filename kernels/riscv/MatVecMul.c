// Matrix times vector: a block, which is a warp, takes a row; its products are added up in a tree.
#include "simt.h"

KERNEL(matvecmul, int width, height; const int *matrix, *vector; int *out;)
{
    int *part = SHARED(int, blockDim.x);
    for (int y = blockIdx.x; y < arg.height; y += gridDim.x) {
        const int *row = arg.matrix + y * arg.width;
        int sum = 0;
        for (int x = threadIdx.x; x < arg.width; x += blockDim.x) sum += row[x] * arg.vector[x];
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int half = blockDim.x >> 1; half; half >>= 1) {
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) arg.out[y] = part[0];
        simt_meet();
    }
}

int main(void)
{
    const int is_small = host_is_small();
    const unsigned width = is_small ? 128 : 1024, height = is_small ? 64 : 1024;
    int *matrix = host_alloc(width * height * sizeof(int)), *vector = host_alloc(width * sizeof(int));
    int *out = host_alloc(height * sizeof(int));
    struct random r = {1};
    for (unsigned i = 0; i < width * height; i++) matrix[i] = (int)(random_next(&r) & 255);
    for (unsigned i = 0; i < width; i++) vector[i] = (int)(random_next(&r) & 255);
    LAUNCH(matvecmul, dim(host_threads() / host_lanes(), 1), dim(host_lanes(), 1), .width = width,
           .height = height, .matrix = matrix, .vector = vector, .out = out);
    for (unsigned y = 0; y < height; y++) {
        unsigned want = 0; // wraps, as the machine's sums do
        for (unsigned x = 0; x < width; x++) want += (unsigned)(matrix[y * width + x] * vector[x]);
        if ((unsigned)out[y] != want) return host_report_wrong("MatVecMul", y, (unsigned)out[y], want);
    }
    return host_report_passed("MatVecMul", width);
}
