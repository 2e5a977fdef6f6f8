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
typedef element row[TILE];

KERNEL(matmul, unsigned n; const element *a, *b; element *product;)
{
    row *const tile_a = SHARED(row, TILE), *const tile_b = SHARED(row, TILE);
    const int tx = threadIdx.x, ty = threadIdx.y, n = (int)arg.n;
    const int first = n * TILE * blockIdx.y;
    element sum = 0;
    for (int a = first, b = TILE * blockIdx.x; a < first + n; a += TILE, b += TILE * n) {
        tile_a[ty][tx] = arg.a[a + n * ty + tx];
        tile_b[ty][tx] = arg.b[b + n * ty + tx];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    arg.product[first + TILE * blockIdx.x + n * ty + tx] = sum;
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
