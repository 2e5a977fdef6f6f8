// CUDA's qualifiers as clang's attributes, and the two words that every function of these headers begins
// with.
#pragma once

#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __managed__            __attribute__((device))
#define __forceinline__        inline __attribute__((always_inline))
#define __noinline__           __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __align__(BYTES)         __attribute__((aligned(BYTES)))
#define __builtin_align__(BYTES) __align__(BYTES)

// __wf_fn: of the device, and folded into its caller. __wf_large: of the device, and folded where it pays.
// __wf_both: of host and device.
#define __wf_fn    static __device__ __forceinline__
#define __wf_large static __device__ inline
#define __wf_both  static __host__ __device__ __forceinline__
