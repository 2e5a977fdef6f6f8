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
    element(*const tile_a)[TILE] = shared, (*const tile_b)[TILE] = tile_a + TILE;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, n = (int)arg.n;
    const int first = n * TILE * (int)blockIdx.y;
    element sum = 0;
    for (int a = first, b = TILE * (int)blockIdx.x; a < first + n; a += TILE, b += TILE * n) {
        tile_a[ty][tx] = arg.a[a + n * ty + tx];
        tile_b[ty][tx] = arg.b[b + n * ty + tx];
        __syncthreads();
        const element *const row = tile_a[ty], *const column = &tile_b[0][tx];
        for (int k = 0; k < TILE; k++) sum += row[k] * column[k * TILE];
        __syncthreads();
    }
    arg.product[first + TILE * (int)blockIdx.x + n * ty + tx] = sum;
}

int main(void)
{
    const unsigned n = host_is_small() ? 64 : 256;
    const size_t bytes = n * n * sizeof(element);
    element *a = host_alloc(bytes), *b = host_alloc(bytes), *product = host_alloc(bytes);
    struct random r = {1};
    for (unsigned i = 0; i < n * n; i++) {
        a[i] = (element)(random_next(&r) & 255);
        b[i] = (element)(random_next(&r) & 255);
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
