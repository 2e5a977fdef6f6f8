// reduce() over a tile: every lane gets what all lanes' values come to.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups
{
template <typename T> struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned SIZE, typename PARENT, typename T, typename OPERATION>
__wf_fn T reduce(const thread_block_tile<SIZE, PARENT> &tile, T a, OPERATION operation)
{
    for (unsigned with = SIZE / 2; with > 0; with /= 2) a = operation(a, tile.shfl_xor(a, with));
    return a;
}
} // namespace cooperative_groups
