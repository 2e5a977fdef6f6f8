// The part of CUDA C that the kernels in this folder are written in, under two compilers:
//
//   nvcc    brings everything itself; only the texture helpers below are ours.
//   clang   alone, with no CUDA toolkit and no device library (-nocudainc -nocudalib): every name is declared
//           here over clang's __nvvm_* builtins. Wants -fms-extensions for __declspec(property), by which
//           threadIdx.x reads %tid.x without an object behind it.
//
// The single-precision functions clang gets here follow the usual recipe (range reduction, then the
// hardware's approximation) and are within a few units in the last place of nvcc's; the references'
// tolerances cover both. Left out: everything no kernel here uses.
#pragma once

#define KERNEL extern "C" __global__ // no name mangling: the entry is called what the source calls it

#ifdef __NVCC__

static __device__ __forceinline__ float texture_f32(cudaTextureObject_t texture, float x, float y)
{
    return tex2D<float>(texture, x, y);
}

static __device__ __forceinline__ float4 texture_rgba(cudaTextureObject_t texture, float x, float y)
{
    return tex2D<float4>(texture, x, y);
}

#else

#define __global__      __attribute__((global))
#define __device__      __attribute__((device))
#define __shared__      __attribute__((shared))
#define __constant__    __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define DEVICE static __device__ __forceinline__

// A vector type, not a struct: clang keeps 16-byte loads and stores of it whole.
typedef float float4 __attribute__((ext_vector_type(4)));
typedef unsigned long long cudaTextureObject_t;

#define SPECIAL_REGISTER(NAME)                                                                               \
    struct NAME##_reader {                                                                                   \
        DEVICE unsigned read_x() { return __nvvm_read_ptx_sreg_##NAME##_x(); }                               \
        DEVICE unsigned read_y() { return __nvvm_read_ptx_sreg_##NAME##_y(); }                               \
        DEVICE unsigned read_z() { return __nvvm_read_ptx_sreg_##NAME##_z(); }                               \
        __declspec(property(get = read_x)) unsigned x;                                                       \
        __declspec(property(get = read_y)) unsigned y;                                                       \
        __declspec(property(get = read_z)) unsigned z;                                                       \
    }
SPECIAL_REGISTER(tid);
SPECIAL_REGISTER(ntid);
SPECIAL_REGISTER(ctaid);
SPECIAL_REGISTER(nctaid);
#undef SPECIAL_REGISTER
extern const __device__ __attribute__((weak)) tid_reader threadIdx;
extern const __device__ __attribute__((weak)) ntid_reader blockDim;
extern const __device__ __attribute__((weak)) ctaid_reader blockIdx;
extern const __device__ __attribute__((weak)) nctaid_reader gridDim;

DEVICE int min(int a, int b) { return a < b ? a : b; }
DEVICE int max(int a, int b) { return a > b ? a : b; }
DEVICE float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
DEVICE float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
DEVICE float rintf(float a) { return __nvvm_round_f(a); } // to nearest even
DEVICE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
DEVICE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
DEVICE float __saturatef(float a) { return __nvvm_saturate_f(a); }
DEVICE float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504f); }

// e^a = 2^n · 2^(f/ln 2), n whole and |f| at most half of ln 2; ln 2 is taken off in two parts so that f
// stays exact. n is folded back by an add to the exponent field, hence the clamp to normal results.
DEVICE float expf(float a)
{
    float clamped = fminf(fmaxf(a, -87.0f), 88.0f);
    float n = rintf(clamped * 1.44269504f);
    float f = __nvvm_fma_rn_f(n, -0.693145752f, clamped);
    f = __nvvm_fma_rn_f(n, -1.42860677e-6f, f);
    float fraction = __nvvm_ex2_approx_f(f * 1.44269504f);
    return __nvvm_bitcast_i2f(__nvvm_bitcast_f2i(fraction) + ((int)n << 23));
}

DEVICE float logf(float a) { return __nvvm_lg2_approx_f(a) * 0.693147181f; }

DEVICE int atomicAdd(int *at, int value) { return __nvvm_atom_add_gen_i(at, value); }
DEVICE unsigned atomicAdd(unsigned *at, unsigned value)
{
    return (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)value);
}

DEVICE float __shfl_down_sync(unsigned mask, float value, unsigned delta)
{
    return __nvvm_shfl_sync_down_f32(mask, value, delta, 31);
}

// clang 14 has no builtin for texture fetches by handle, so the instruction is written out. Point or linear,
// clamp or wrap: the handle says, as under nvcc.
DEVICE float4 texture_rgba(cudaTextureObject_t texture, float x, float y)
{
    float r, g, b, a;
    asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=f"(r), "=f"(g), "=f"(b), "=f"(a)
        : "l"(texture), "f"(x), "f"(y));
    float4 texel = {r, g, b, a};
    return texel;
}

DEVICE float texture_f32(cudaTextureObject_t texture, float x, float y)
{
    return texture_rgba(texture, x, y).x;
}

#undef DEVICE
#endif
