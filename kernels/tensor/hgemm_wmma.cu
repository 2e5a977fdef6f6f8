// Product of halves by wmma, the simple way: A M x K, B K x N, C M x N, in rows, sums in singles.
// Grid (N / 64, M / 64) rounded up, 128 threads. A block has a tile of 64x64 of C, a warp 32x32 of it: 2 x 2 fragments of
// 16x16. Tiles of A and B of depth 32 go through registers to padded shared memory. N and K are multiples of 8.
#include "tensor.h"

#define WMMA_TILE     64
#define WMMA_DEPTH    32
#define WMMA_A_STRIDE (WMMA_DEPTH + 8) // halves; the padding spreads rows over banks
#define WMMA_B_STRIDE (WMMA_TILE + 8)
#define WMMA_C_STRIDE (WMMA_TILE + 4) // singles

#define WMMA_IN(r) "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define WMMA_OUT(r)                                                                                          \
    "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])

INLINE void wmma_load_a(unsigned (&r)[8], unsigned address)
{
    asm volatile(
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : WMMA_OUT(r)
        : "r"(address), "n"(WMMA_A_STRIDE)
        : "memory");
}

INLINE void wmma_load_b(unsigned (&r)[8], unsigned address)
{
    asm volatile(
        "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
        : WMMA_OUT(r)
        : "r"(address), "n"(WMMA_B_STRIDE)
        : "memory");
}

INLINE void wmma_multiply(float (&d)[8], const unsigned (&a)[8], const unsigned (&b)[8])
{
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
                 "{%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                   "+f"(d[7])
                 : WMMA_IN(a), WMMA_IN(b));
}

INLINE void wmma_store(unsigned address, const float (&d)[8])
{
    asm volatile(
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" ::
            "r"(address),
        "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]),
        "n"(WMMA_C_STRIDE)
        : "memory");
}

// 8 halves of a matrix of `rows` x `columns`, or zeros outside.
INLINE uint4 wmma_cell(const f16 *matrix, int row, int rows, int column, int columns)
{
    if (row >= rows || column >= columns) return make_uint4(0, 0, 0, 0);
    return *(const uint4 *)(matrix + (size_t)row * columns + column);
}

KERNEL void __launch_bounds__(128) hgemm_wmma(const f16 *a, const f16 *b, f16 *c, int m, int n, int k)
{
    __shared__ __align__(128) union {
        struct {
            f16 a[WMMA_TILE][WMMA_A_STRIDE], b[WMMA_DEPTH][WMMA_B_STRIDE];
        } in;
        float c[WMMA_TILE][WMMA_C_STRIDE];
    } tile;
    int warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    int row = blockIdx.y * WMMA_TILE, column = blockIdx.x * WMMA_TILE;
    float acc[2][2][8] = {};

    for (int depth = 0; depth < k; depth += WMMA_DEPTH) {
#pragma unroll
        for (int part = 0; part < WMMA_TILE * WMMA_DEPTH / 8; part += 128) {
            int i = part + threadIdx.x, r = i / (WMMA_DEPTH / 8), x = i % (WMMA_DEPTH / 8) * 8;
            *(uint4 *)&tile.in.a[r][x] = wmma_cell(a, row + r, m, depth + x, k);
        }
#pragma unroll
        for (int part = 0; part < WMMA_TILE * WMMA_DEPTH / 8; part += 128) {
            int i = part + threadIdx.x, r = i / (WMMA_TILE / 8), x = i % (WMMA_TILE / 8) * 8;
            *(uint4 *)&tile.in.b[r][x] = wmma_cell(b, depth + r, k, column + x, n);
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < WMMA_DEPTH; step += 16) {
            unsigned left[2][8], right[2][8];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                wmma_load_a(left[i], shared_offset(&tile.in.a[warp_row + 16 * i][step]));
                wmma_load_b(right[i], shared_offset(&tile.in.b[step][warp_column + 16 * i]));
            }
#pragma unroll
            for (int i = 0; i < 4; i++) wmma_multiply(acc[i / 2][i % 2], left[i / 2], right[i % 2]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 4; i++)
        wmma_store(shared_offset(&tile.c[warp_row + i / 2 * 16][warp_column + i % 2 * 16]),
                   acc[i / 2][i % 2]);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < WMMA_TILE * WMMA_TILE / 4; part += 128) {
        int i = part + threadIdx.x, r = i / (WMMA_TILE / 4), x = i % (WMMA_TILE / 4) * 4;
        if (row + r >= m || column + x >= n) continue;
        float4 v = *(const float4 *)&tile.c[r][x];
        *(uint2 *)(c + (size_t)(row + r) * n + column + x) =
            make_uint2(f16_pair(v.x, v.y), f16_pair(v.z, v.w));
    }
}
