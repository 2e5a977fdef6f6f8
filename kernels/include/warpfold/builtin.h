// threadIdx, blockIdx, blockDim, gridDim and warpSize: threadIdx.x is a property that reads %tid.x, without
// an object behind it.
#pragma once
#include "vector_types.h"

#define __WF_SPECIAL_REGISTER(NAME)                                                                          \
    struct NAME##_reader {                                                                                   \
        __wf_fn unsigned read_x() { return __nvvm_read_ptx_sreg_##NAME##_x(); }                              \
        __wf_fn unsigned read_y() { return __nvvm_read_ptx_sreg_##NAME##_y(); }                              \
        __wf_fn unsigned read_z() { return __nvvm_read_ptx_sreg_##NAME##_z(); }                              \
        __declspec(property(get = read_x)) unsigned x;                                                       \
        __declspec(property(get = read_y)) unsigned y;                                                       \
        __declspec(property(get = read_z)) unsigned z;                                                       \
        __device__ __forceinline__ operator uint3() const { return {read_x(), read_y(), read_z()}; }         \
        __device__ __forceinline__ operator dim3() const { return {read_x(), read_y(), read_z()}; }          \
    }
__WF_SPECIAL_REGISTER(tid);
__WF_SPECIAL_REGISTER(ntid);
__WF_SPECIAL_REGISTER(ctaid);
__WF_SPECIAL_REGISTER(nctaid);
#undef __WF_SPECIAL_REGISTER
extern const __device__ __attribute__((weak)) tid_reader threadIdx;
extern const __device__ __attribute__((weak)) ntid_reader blockDim;
extern const __device__ __attribute__((weak)) ctaid_reader blockIdx;
extern const __device__ __attribute__((weak)) nctaid_reader gridDim;
static constexpr int warpSize = 32;
