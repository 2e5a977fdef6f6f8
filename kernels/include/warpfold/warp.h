// What the lanes of a warp do together: shuffles, votes, matches, reductions; and barriers, fences and
// clocks.
#pragma once
#include "convert.h"

// -- shuffles -----------------------------------------------------------------------------------------------
// The operand that PTX wants holds the segment (32 - width) and the last lane of it, which is the first for
// _up.
#define __WF_SHUFFLE(KIND, LAST, T, WIDE, BUILTIN, OTHER)                                                    \
    __wf_fn T __shfl##KIND##_sync(unsigned mask, T value, OTHER other, int width = warpSize)                 \
    {                                                                                                        \
        return (T)BUILTIN(mask, (WIDE)value, (int)other, (warpSize - width) << 8 | LAST);                    \
    }
#define __WF_SHUFFLE_PAIR(KIND, T, OTHER)                                                                    \
    __wf_fn T __shfl##KIND##_sync(unsigned mask, T value, OTHER other, int width = warpSize)                 \
    {                                                                                                        \
        unsigned long long bits = __wf_bits<unsigned long long>(value);                                      \
        unsigned low = __shfl##KIND##_sync(mask, (unsigned)bits, other, width);                              \
        unsigned high = __shfl##KIND##_sync(mask, (unsigned)(bits >> 32), other, width);                     \
        return __wf_bits<T>((unsigned long long)high << 32 | low);                                           \
    }
#define __WF_SHUFFLES(KIND, LAST, PTX, OTHER)                                                                \
    __WF_SHUFFLE(KIND, LAST, int, int, __nvvm_shfl_sync_##PTX##_i32, OTHER)                                  \
    __WF_SHUFFLE(KIND, LAST, unsigned, int, __nvvm_shfl_sync_##PTX##_i32, OTHER)                             \
    __WF_SHUFFLE(KIND, LAST, float, float, __nvvm_shfl_sync_##PTX##_f32, OTHER)                              \
    __WF_SHUFFLE_PAIR(KIND, long, OTHER)                                                                     \
    __WF_SHUFFLE_PAIR(KIND, unsigned long, OTHER)                                                            \
    __WF_SHUFFLE_PAIR(KIND, long long, OTHER)                                                                \
    __WF_SHUFFLE_PAIR(KIND, unsigned long long, OTHER)                                                       \
    __WF_SHUFFLE_PAIR(KIND, double, OTHER)
__WF_SHUFFLES(, 31, idx, int)
__WF_SHUFFLES(_up, 0, up, unsigned)
__WF_SHUFFLES(_down, 31, down, unsigned)
__WF_SHUFFLES(_xor, 31, bfly, int)
#undef __WF_SHUFFLES
#undef __WF_SHUFFLE_PAIR
#undef __WF_SHUFFLE

// -- votes, matches, reductions -----------------------------------------------------------------------------
__wf_fn unsigned __activemask()
{
    unsigned r;
    asm volatile("activemask.b32 %0;" : "=r"(r));
    return r;
}
__wf_fn int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
__wf_fn int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
__wf_fn int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
__wf_fn unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
// Those of before Volta, for the lanes that are here.
__wf_fn int __all(int predicate) { return __all_sync(__activemask(), predicate); }
__wf_fn int __any(int predicate) { return __any_sync(__activemask(), predicate); }
__wf_fn unsigned __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
template <typename T> __wf_fn T __shfl(T value, int lane, int width = warpSize)
{
    return __shfl_sync(__activemask(), value, lane, width);
}
template <typename T> __wf_fn T __shfl_up(T value, unsigned delta, int width = warpSize)
{
    return __shfl_up_sync(__activemask(), value, delta, width);
}
template <typename T> __wf_fn T __shfl_down(T value, unsigned delta, int width = warpSize)
{
    return __shfl_down_sync(__activemask(), value, delta, width);
}
template <typename T> __wf_fn T __shfl_xor(T value, int lane, int width = warpSize)
{
    return __shfl_xor_sync(__activemask(), value, lane, width);
}

#define __WF_MATCH(T, BITS, C)                                                                               \
    __wf_fn unsigned __match_any_sync(unsigned mask, T value)                                                \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm volatile("match.any.sync.b" #BITS " %0, %1, %2;" : "=r"(r) : C(value), "r"(mask));               \
        return r;                                                                                            \
    }                                                                                                        \
    __wf_fn unsigned __match_all_sync(unsigned mask, T value, int *same)                                     \
    {                                                                                                        \
        unsigned r;                                                                                          \
        asm volatile("{ .reg .pred p; match.all.sync.b" #BITS " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"       \
                     : "=r"(r), "=r"(*same)                                                                  \
                     : C(value), "r"(mask));                                                                 \
        return r;                                                                                            \
    }
__WF_MATCH(int, 32, "r")
__WF_MATCH(unsigned, 32, "r")
__WF_MATCH(float, 32, "f")
__WF_MATCH(long, 64, "l")
__WF_MATCH(unsigned long, 64, "l")
__WF_MATCH(long long, 64, "l")
__WF_MATCH(unsigned long long, 64, "l")
__WF_MATCH(double, 64, "d")
#undef __WF_MATCH

#define __WF_REDUCE(NAME, T, OP)                                                                             \
    __wf_fn T __reduce_##NAME##_sync(unsigned mask, T value)                                                 \
    {                                                                                                        \
        T r;                                                                                                 \
        asm volatile("redux.sync." OP " %0, %1, %2;" : "=r"(r) : "r"(value), "r"(mask));                     \
        return r;                                                                                            \
    }
__WF_REDUCE(add, int, "add.s32")
__WF_REDUCE(min, int, "min.s32")
__WF_REDUCE(max, int, "max.s32")
__WF_REDUCE(add, unsigned, "add.u32")
__WF_REDUCE(min, unsigned, "min.u32")
__WF_REDUCE(max, unsigned, "max.u32")
__WF_REDUCE(and, unsigned, "and.b32")
__WF_REDUCE(or, unsigned, "or.b32")
__WF_REDUCE(xor, unsigned, "xor.b32")
#undef __WF_REDUCE

// -- barriers, fences, clocks -------------------------------------------------------------------------------
// __syncthreads itself is clang's.
__wf_fn int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__wf_fn int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__wf_fn int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__wf_fn void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
__wf_fn void __threadfence_block() { __nvvm_membar_cta(); }
__wf_fn void __threadfence() { __nvvm_membar_gl(); }
__wf_fn void __threadfence_system() { __nvvm_membar_sys(); }

__wf_fn long clock() { return (long)(int)__nvvm_read_ptx_sreg_clock(); }
__wf_fn long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__wf_fn unsigned long long __globaltimer()
{
    unsigned long long r;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r));
    return r;
}
__wf_fn void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
__wf_fn void __trap() { asm volatile("trap;"); }
__wf_fn void __brkpt() { asm volatile("brkpt;"); }
__wf_fn void __prof_trigger(int) {}
