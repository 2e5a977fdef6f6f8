// What every kernel in this folder includes, under two compilers:
//
//   nvcc    brings CUDA's own headers; only the texture helpers below are ours.
//   clang   alone, with no CUDA toolkit and no device library (-nocudainc -nocudalib): include/ stands in for
//           CUDA's headers (docs/device-header.md).
#pragma once

#define KERNEL extern "C" __global__ // no name mangling: the entry is called what the source calls it

#ifndef __NVCC__
#include "include/warpfold/device.h"
#endif

// Point or linear, clamp or wrap: the handle says.
static __device__ __forceinline__ float texture_f32(cudaTextureObject_t texture, float x, float y)
{
    return tex2D<float>(texture, x, y);
}

static __device__ __forceinline__ float4 texture_rgba(cudaTextureObject_t texture, float x, float y)
{
    return tex2D<float4>(texture, x, y);
}
