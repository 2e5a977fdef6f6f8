"""Attention forward of halves in Triton, by tiles of keys as in FlashAttention-2: O = softmax(Q * transpose(K) * scale) * V."""
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, o, seq, scale, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    """BLOCK_M queries of a head for a program. Grid (seq / BLOCK_M, heads); `seq` is a multiple of both blocks."""
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * seq * D
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    depth = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + depth[None, :])
    most = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    sums = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    if CAUSAL:
        end = (block + 1) * BLOCK_M
    else:
        end = seq
    for first in range(0, end, BLOCK_N):
        left = tl.load(k + head + (first + keys)[None, :] * D + depth[:, None])
        scores = tl.dot(queries, left) * (scale * 1.44269504)  # exponentials are powers of 2
        if CAUSAL:
            scores = tl.where(rows[:, None] >= (first + keys)[None, :], scores, -float("inf"))
        greatest = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - greatest[:, None])
        factor = tl.exp2(most - greatest)
        total = total * factor + tl.sum(weights, axis=1)
        right = tl.load(v + head + (first + keys)[:, None] * D + depth[None, :])
        sums = tl.dot(weights.to(tl.float16), right, sums * factor[:, None])
        most = greatest
    tl.store(o + head + rows[:, None] * D + depth[None, :], (sums / total[:, None]).to(tl.float16))
