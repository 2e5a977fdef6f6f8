// Cooperative groups of a block and of tiles of a warp. Left out: coalesced groups, grids, clusters,
// reduce().
#pragma once
#include "cuda_runtime.h"

namespace cooperative_groups
{
struct thread_block {
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ unsigned num_threads() const { return size(); }
    __device__ dim3 group_index() const { return blockIdx; }
    __device__ dim3 thread_index() const { return threadIdx; }
    __device__ dim3 group_dim() const { return blockDim; }
};
__wf_fn thread_block this_thread_block() { return {}; }

// SIZE lanes of a warp, a power of two up to 32.
template <unsigned SIZE, typename PARENT = thread_block> struct thread_block_tile {
    static_assert(SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a tile is a power of two up to a warp");
    __device__ unsigned lane() const { return thread_block().thread_rank() % 32; }
    __device__ unsigned mask() const { return (0xffffffffu >> (32 - SIZE)) << first(); }
    __device__ unsigned first() const { return lane() & ~(SIZE - 1); }
    __device__ unsigned thread_rank() const { return lane() % SIZE; }
    __device__ unsigned size() const { return SIZE; }
    __device__ unsigned num_threads() const { return SIZE; }
    __device__ unsigned meta_group_rank() const { return thread_block().thread_rank() / SIZE; }
    __device__ unsigned meta_group_size() const { return (thread_block().size() + SIZE - 1) / SIZE; }
    __device__ void sync() const { __syncwarp(mask()); }
    // Of any type, word by word.
    template <typename T, typename SHUFFLE> __device__ T words(T a, SHUFFLE shuffle) const
    {
        const unsigned count = (sizeof(T) + 3) / 4;
        unsigned word[count] = {};
        __builtin_memcpy(word, &a, sizeof a);
#pragma unroll
        for (unsigned i = 0; i < count; i++) word[i] = shuffle(word[i]);
        __builtin_memcpy(&a, word, sizeof a);
        return a;
    }
    template <typename T> __device__ T shfl(T a, int rank) const
    {
        return words(a, [=] __device__(unsigned w) { return __shfl_sync(mask(), w, rank, SIZE); });
    }
    template <typename T> __device__ T shfl_up(T a, unsigned by) const
    {
        return words(a, [=] __device__(unsigned w) { return __shfl_up_sync(mask(), w, by, SIZE); });
    }
    template <typename T> __device__ T shfl_down(T a, unsigned by) const
    {
        return words(a, [=] __device__(unsigned w) { return __shfl_down_sync(mask(), w, by, SIZE); });
    }
    template <typename T> __device__ T shfl_xor(T a, unsigned with) const
    {
        return words(a, [=] __device__(unsigned w) { return __shfl_xor_sync(mask(), w, (int)with, SIZE); });
    }
    __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
    __device__ unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
};
template <unsigned SIZE, typename PARENT>
__wf_fn thread_block_tile<SIZE, PARENT> tiled_partition(const PARENT &)
{
    return {};
}
template <typename GROUP> __wf_fn void sync(const GROUP &group) { group.sync(); }
} // namespace cooperative_groups
