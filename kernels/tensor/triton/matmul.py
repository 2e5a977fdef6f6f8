"""Product of halves in Triton: A M x K, B K x N, C M x N, in rows, sums in singles."""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A tile of C for a program. Grid: tiles of C, in bands of 8 tiles of rows so that resident programs share A and B in L2."""
    tiles_m = tl.cdiv(m, BLOCK_M)
    tiles_n = tl.cdiv(n, BLOCK_N)
    order = tl.program_id(0)
    band = order // (8 * tiles_n)
    rows_of_band = min(tiles_m - 8 * band, 8)
    tile_m = 8 * band + order % (8 * tiles_n) % rows_of_band
    tile_n = order % (8 * tiles_n) // rows_of_band

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    left = a + rows[:, None] * k + depth[None, :]
    right = b + depth[:, None] * n + columns[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, k, BLOCK_K):
        x = tl.load(left, mask=(rows[:, None] < m) & (first + depth[None, :] < k), other=0.0)
        y = tl.load(right, mask=(first + depth[:, None] < k) & (columns[None, :] < n), other=0.0)
        sums = tl.dot(x, y, sums)
        left += BLOCK_K
        right += BLOCK_K * n
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(tl.float16), mask=inside)
