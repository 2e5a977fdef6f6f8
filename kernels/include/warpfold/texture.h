// Texture fetches by handle (cudaTextureObject_t): tex1Dfetch, tex1D, tex2D, tex3D with results of one, two
// or four 32-bit elements, and of bytes and halfwords as ints. Left out: layers, cubes, levels, gather,
// surfaces.
#pragma once
#include "vector_types.h"

typedef unsigned long long cudaTextureObject_t;

// How a result of four registers becomes what was asked for.
template <typename T> struct __wf_texel;
#define __WF_TEXEL(T, REGISTERS, ...)                                                                        \
    template <> struct __wf_texel<T> {                                                                       \
        typedef REGISTERS registers;                                                                         \
        __wf_fn T of(registers v) { return __VA_ARGS__; }                                                    \
    };
#define __WF_TEXELS(NAME, T, REGISTERS)                                                                      \
    __WF_TEXEL(T, REGISTERS, (T)v.x)                                                                         \
    __WF_TEXEL(NAME##1, REGISTERS, NAME##1 {(T)v.x})                                                         \
    __WF_TEXEL(NAME##2, REGISTERS, NAME##2 {(T)v.x, (T)v.y})                                                 \
    __WF_TEXEL(NAME##4, REGISTERS, NAME##4 {(T)v.x, (T)v.y, (T)v.z, (T)v.w})
__WF_TEXELS(float, float, float4)
__WF_TEXELS(int, int, int4)
__WF_TEXELS(uint, unsigned, uint4)
__WF_TEXELS(short, short, int4)
__WF_TEXELS(ushort, unsigned short, uint4)
__WF_TEXELS(char, signed char, int4)
__WF_TEXELS(uchar, unsigned char, uint4)
__WF_TEXEL(char, int4, (char)v.x)
#undef __WF_TEXELS
#undef __WF_TEXEL

// clang 14 has no builtin for fetches by handle, so the instructions are written out. Point or linear, clamp
// or wrap: the handle says.
#define __WF_FETCH(NAME, T, C, OP, PARAMETERS, COORDINATES, ...)                                             \
    __wf_fn void NAME PARAMETERS                                                                             \
    {                                                                                                        \
        asm volatile(OP " {%0, %1, %2, %3}, [%4, " COORDINATES "];"                                          \
                     : "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w)                                        \
                     : "l"(texture), __VA_ARGS__);                                                           \
    }
#define __WF_FETCHES(T, C, TYPE)                                                                             \
    __WF_FETCH(__wf_fetch, T, C, "tex.1d.v4." TYPE ".s32", (T & r, cudaTextureObject_t texture, int x),      \
               "{%5}", "r"(x))                                                                               \
    __WF_FETCH(__wf_tex, T, C, "tex.1d.v4." TYPE ".f32", (T & r, cudaTextureObject_t texture, float x),      \
               "{%5}", "f"(x))                                                                               \
    __WF_FETCH(__wf_tex, T, C, "tex.2d.v4." TYPE ".f32",                                                     \
               (T & r, cudaTextureObject_t texture, float x, float y), "{%5, %6}", "f"(x), "f"(y))           \
    __WF_FETCH(__wf_tex, T, C, "tex.3d.v4." TYPE ".f32",                                                     \
               (T & r, cudaTextureObject_t texture, float x, float y, float z), "{%5, %6, %7, %7}", "f"(x),  \
               "f"(y), "f"(z))
__WF_FETCHES(float4, "f", "f32")
__WF_FETCHES(int4, "r", "s32")
__WF_FETCHES(uint4, "r", "u32")
#undef __WF_FETCHES
#undef __WF_FETCH

#define __WF_TEXTURE(NAME, FETCH, PARAMETERS, ...)                                                           \
    template <typename T> __wf_fn T NAME PARAMETERS                                                          \
    {                                                                                                        \
        typename __wf_texel<T>::registers v;                                                                 \
        FETCH(v, __VA_ARGS__);                                                                               \
        return __wf_texel<T>::of(v);                                                                         \
    }
__WF_TEXTURE(tex1Dfetch, __wf_fetch, (cudaTextureObject_t texture, int x), texture, x)
__WF_TEXTURE(tex1D, __wf_tex, (cudaTextureObject_t texture, float x), texture, x)
__WF_TEXTURE(tex2D, __wf_tex, (cudaTextureObject_t texture, float x, float y), texture, x, y)
__WF_TEXTURE(tex3D, __wf_tex, (cudaTextureObject_t texture, float x, float y, float z), texture, x, y, z)
#undef __WF_TEXTURE
