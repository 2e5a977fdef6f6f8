// The product of two square matrices by tiles in the scratchpad. -DELEMENT=float: of floating-point numbers.
#include "simt.h"

#ifdef ELEMENT
typedef ELEMENT element;
#define PROGRAM "MatMulFloat"
#else
typedef int element;
#define PROGRAM "MatMul"
#endif

enum { TILE = 32 };

KERNEL(matmul, unsigned n; const element *a, *b; element *product;)
{
    element(*tile_a)[TILE] = shared, (*tile_b)[TILE] = tile_a + TILE;
    unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    element sum = 0;
    for (unsigned begin = 0; begin < arg.n; begin += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = arg.a[y * arg.n + begin + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = arg.b[(begin + threadIdx.y) * arg.n + x];
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    arg.product[y * arg.n + x] = sum;
}

int main(void)
{
    const unsigned n = host_is_small() ? 64 : 256;
    const size_t bytes = n * n * sizeof(element);
    element *a = host_alloc(bytes), *b = host_alloc(bytes), *product = host_alloc(bytes);
    struct random r = {1};
    for (unsigned i = 0; i < n * n; i++) {
        a[i] = (element)random_next(&r);
        b[i] = (element)random_next(&r);
    }
    LAUNCH(matmul, dim(n / TILE, n / TILE), dim(TILE, TILE), .n = n, .a = a, .b = b, .product = product);
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++) {
            element want = 0; // in the same order: equal to the bit
            for (unsigned k = 0; k < n; k++) want += a[y * n + k] * b[k * n + x];
            if (product[y * n + x] != want)
                return host_report_wrong(PROGRAM, y * n + x, (unsigned)product[y * n + x], (unsigned)want);
        }
    return host_report_passed(PROGRAM, n);
}
