// Transposes of a matrix of halves by the tensor cores' data movers. out[x][y] = in[y][x].
//
// Four 8x8 matrices give a lane rows 2q and 2q + 1 of column g each. So that these are 8 rows in a row of `in`, row i of matrix
// j is row 8 * (i / 2) + 2j + i % 2 of 32: then a lane has rows 8q to 8q + 7 of column g, one 16-byte store.
#include "tensor.h"

#define TRANSPOSE_TILE 64

INLINE int transpose_row(int matrix, int i) { return i / 2 * 8 + matrix * 2 + i % 2; }

// By ldmatrix.trans from a tile of 64x64 in shared memory. Grid (width / 64, height / 64), 128 threads; a warp has 16 columns of
// the tile. Width and height are multiples of 64. Cell c of row r lies at c ^ f(r); f differs in the rows of a matrix.
KERNEL void __launch_bounds__(128) transpose_ldmatrix(const f16 *in, f16 *out, int width, int height)
{
    __shared__ __align__(128) f16 tile[TRANSPOSE_TILE][TRANSPOSE_TILE];
    unsigned base = shared_offset(tile);
    int x0 = blockIdx.x * TRANSPOSE_TILE, y0 = blockIdx.y * TRANSPOSE_TILE, lane = threadIdx.x % 32,
        warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < TRANSPOSE_TILE; i += 16) {
        int cell = threadIdx.x % 8, y = i + threadIdx.x / 8, f = y / 8 * 2 % 8 + y % 2;
        copy_16(base + y * 128 + ((cell ^ f) << 4), in + (size_t)(y0 + y) * width + x0 + cell * 8, true);
    }
    copy_commit();
    copy_wait<0>();
    __syncthreads();
#pragma unroll
    for (int part = 0; part < 4; part++) { // 2 cells of 8 columns, 2 halves of 32 rows
        int cell = warp * 2 + part % 2, y = part / 2 * 32 + transpose_row(lane / 8, lane % 8),
            f = y / 8 * 2 % 8 + y % 2;
        unsigned r[4];
        load_matrices_trans(r, base + y * 128 + ((cell ^ f) << 4));
        f16 *to = out + (size_t)(x0 + cell * 8 + lane / 4) * height + y0 + part / 2 * 32 + lane % 4 * 8;
        *(uint4 *)to = make_uint4(r[0], r[1], r[2], r[3]);
    }
}

INLINE unsigned transpose_matrix(unsigned r)
{
    unsigned t;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(r));
    return t;
}

// By movmatrix, without shared memory: a warp has a tile of 32x32. Grid (width / 32, height / 128), 128 threads. A lane's four
// words of a row belong to four matrices: word w of lane t is columns 8q + 2w and 8q + 2w + 1.
KERNEL void __launch_bounds__(128) transpose_movmatrix(const f16 *in, f16 *out, int width, int height)
{
    int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 128 + threadIdx.x / 32 * 32;
    uint4 r[4];
#pragma unroll
    for (int j = 0; j < 4; j++)
        r[j] = *(const uint4 *)(in + (size_t)(y0 + transpose_row(j, g)) * width + x0 + q * 8);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        r[j].x = transpose_matrix(r[j].x), r[j].y = transpose_matrix(r[j].y);
        r[j].z = transpose_matrix(r[j].z), r[j].w = transpose_matrix(r[j].w);
    }
    // Word w of the lane now has rows 2q and 2q + 1 of the matrix and column g: column 8 * (g / 2) + 2w + g % 2 of the tile.
    f16 *to = out + (size_t)(x0 + g / 2 * 8 + g % 2) * height + y0 + q * 8;
    *(uint4 *)to = make_uint4(r[0].x, r[1].x, r[2].x, r[3].x);
    *(uint4 *)(to + (size_t)2 * height) = make_uint4(r[0].y, r[1].y, r[2].y, r[3].y);
    *(uint4 *)(to + (size_t)4 * height) = make_uint4(r[0].z, r[1].z, r[2].z, r[3].z);
    *(uint4 *)(to + (size_t)6 * height) = make_uint4(r[0].w, r[1].w, r[2].w, r[3].w);
}
