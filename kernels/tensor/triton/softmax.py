"""Softmax of the rows of a matrix of halves in Triton."""
import triton
import triton.language as tl


@triton.jit
def softmax_rows(source, out, columns, BLOCK: tl.constexpr):
    """A row for a program. BLOCK: a power of 2 of at least `columns`."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    x = tl.load(source + row * columns + column, mask=column < columns, other=-float("inf")).to(tl.float32)
    x = tl.exp(x - tl.max(x, axis=0))
    x = x / tl.sum(x, axis=0)
    tl.store(out + row * columns + column, x.to(tl.float16), mask=column < columns)
