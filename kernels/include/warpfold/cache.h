// Loads and stores with a cache operator. The values are those of plain loads and stores.
#pragma once
#include "vector_types.h"

// The builtin of __ldg wants clang's own vectors; memory is the same.
#define __WF_LDG(T, B, BUILTIN)                                                                              \
    __wf_fn T __ldg(const T *at) { return (T)__nvvm_ldg_##BUILTIN((const B *)at); }
#define __WF_LDG_VECTOR(T, ELEMENT, COUNT, BUILTIN)                                                          \
    __wf_fn T __ldg(const T *at)                                                                             \
    {                                                                                                        \
        typedef ELEMENT vector __attribute__((ext_vector_type(COUNT)));                                      \
        vector loaded = __nvvm_ldg_##BUILTIN((const vector *)at);                                            \
        T r;                                                                                                 \
        __builtin_memcpy(&r, &loaded, sizeof r);                                                             \
        return r;                                                                                            \
    }
__WF_LDG(char, char, c)
__WF_LDG(signed char, char, c)
__WF_LDG(unsigned char, unsigned char, uc)
__WF_LDG(short, short, s)
__WF_LDG(unsigned short, unsigned short, us)
__WF_LDG(int, int, i)
__WF_LDG(unsigned, unsigned, ui)
__WF_LDG(long, long, l)
__WF_LDG(unsigned long, unsigned long, ul)
__WF_LDG(long long, long long, ll)
__WF_LDG(unsigned long long, unsigned long long, ull)
__WF_LDG(float, float, f)
__WF_LDG(double, double, d)
__WF_LDG_VECTOR(char2, char, 2, c2)
__WF_LDG_VECTOR(char4, char, 4, c4)
__WF_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
__WF_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
__WF_LDG_VECTOR(short2, short, 2, s2)
__WF_LDG_VECTOR(short4, short, 4, s4)
__WF_LDG_VECTOR(ushort2, unsigned short, 2, us2)
__WF_LDG_VECTOR(ushort4, unsigned short, 4, us4)
__WF_LDG_VECTOR(int2, int, 2, i2)
__WF_LDG_VECTOR(int4, int, 4, i4)
__WF_LDG_VECTOR(uint2, unsigned, 2, ui2)
__WF_LDG_VECTOR(uint4, unsigned, 4, ui4)
__WF_LDG_VECTOR(longlong2, long long, 2, ll2)
__WF_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
__WF_LDG_VECTOR(float2, float, 2, f2)
__WF_LDG_VECTOR(float4, float, 4, f4)
__WF_LDG_VECTOR(double2, double, 2, d2)
#undef __WF_LDG_VECTOR
#undef __WF_LDG

// Each is written out for every size of element: W is the register's type, which a byte is widened to.
#define __WF_LOAD(NAME, OP, T, W, C, BITS)                                                                   \
    __wf_fn T NAME(const T *at)                                                                              \
    {                                                                                                        \
        W r;                                                                                                 \
        asm volatile("ld." OP "." BITS " %0, [%1];" : "=" C(r) : "l"(at) : "memory");                        \
        return (T)r;                                                                                         \
    }
#define __WF_STORE(NAME, OP, T, W, C, BITS)                                                                  \
    __wf_fn void NAME(T *at, T value)                                                                        \
    {                                                                                                        \
        asm volatile("st." OP "." BITS " [%0], %1;" ::"l"(at), C((W)value) : "memory");                      \
    }
#define __WF_LOAD_2(NAME, OP, T, C, BITS)                                                                    \
    __wf_fn T NAME(const T *at)                                                                              \
    {                                                                                                        \
        T r;                                                                                                 \
        asm volatile("ld." OP ".v2." BITS " {%0, %1}, [%2];" : "=" C(r.x), "=" C(r.y) : "l"(at) : "memory"); \
        return r;                                                                                            \
    }
#define __WF_STORE_2(NAME, OP, T, C, BITS)                                                                   \
    __wf_fn void NAME(T *at, T value)                                                                        \
    {                                                                                                        \
        asm volatile("st." OP ".v2." BITS " [%0], {%1, %2};" ::"l"(at), C(value.x), C(value.y) : "memory");  \
    }
#define __WF_LOAD_4(NAME, OP, T, C, BITS)                                                                    \
    __wf_fn T NAME(const T *at)                                                                              \
    {                                                                                                        \
        T r;                                                                                                 \
        asm volatile("ld." OP ".v4." BITS " {%0, %1, %2, %3}, [%4];"                                         \
                     : "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w)                                        \
                     : "l"(at)                                                                               \
                     : "memory");                                                                            \
        return r;                                                                                            \
    }
#define __WF_STORE_4(NAME, OP, T, C, BITS)                                                                   \
    __wf_fn void NAME(T *at, T value)                                                                        \
    {                                                                                                        \
        asm volatile("st." OP ".v4." BITS " [%0], {%1, %2, %3, %4};" ::"l"(at), C(value.x), C(value.y),      \
                     C(value.z), C(value.w)                                                                  \
                     : "memory");                                                                            \
    }
#define __WF_CACHED(ONE, TWO, FOUR, NAME, OP)                                                                \
    ONE(NAME, OP, char, short, "h", "s8")                                                                    \
    ONE(NAME, OP, signed char, short, "h", "s8")                                                             \
    ONE(NAME, OP, unsigned char, unsigned short, "h", "u8")                                                  \
    ONE(NAME, OP, short, short, "h", "s16")                                                                  \
    ONE(NAME, OP, unsigned short, unsigned short, "h", "u16")                                                \
    ONE(NAME, OP, int, int, "r", "s32")                                                                      \
    ONE(NAME, OP, unsigned, unsigned, "r", "u32")                                                            \
    ONE(NAME, OP, long, long, "l", "s64")                                                                    \
    ONE(NAME, OP, unsigned long, unsigned long, "l", "u64")                                                  \
    ONE(NAME, OP, long long, long long, "l", "s64")                                                          \
    ONE(NAME, OP, unsigned long long, unsigned long long, "l", "u64")                                        \
    ONE(NAME, OP, float, float, "f", "f32")                                                                  \
    ONE(NAME, OP, double, double, "d", "f64")                                                                \
    TWO(NAME, OP, short2, "h", "s16")                                                                        \
    TWO(NAME, OP, ushort2, "h", "u16")                                                                       \
    TWO(NAME, OP, int2, "r", "s32")                                                                          \
    TWO(NAME, OP, uint2, "r", "u32")                                                                         \
    TWO(NAME, OP, longlong2, "l", "s64")                                                                     \
    TWO(NAME, OP, ulonglong2, "l", "u64")                                                                    \
    TWO(NAME, OP, float2, "f", "f32")                                                                        \
    TWO(NAME, OP, double2, "d", "f64")                                                                       \
    FOUR(NAME, OP, short4, "h", "s16")                                                                       \
    FOUR(NAME, OP, ushort4, "h", "u16")                                                                      \
    FOUR(NAME, OP, int4, "r", "s32")                                                                         \
    FOUR(NAME, OP, uint4, "r", "u32")                                                                        \
    FOUR(NAME, OP, float4, "f", "f32")
__WF_CACHED(__WF_LOAD, __WF_LOAD_2, __WF_LOAD_4, __ldca, "ca")
__WF_CACHED(__WF_LOAD, __WF_LOAD_2, __WF_LOAD_4, __ldcg, "cg")
__WF_CACHED(__WF_LOAD, __WF_LOAD_2, __WF_LOAD_4, __ldcs, "cs")
__WF_CACHED(__WF_LOAD, __WF_LOAD_2, __WF_LOAD_4, __ldlu, "lu")
__WF_CACHED(__WF_LOAD, __WF_LOAD_2, __WF_LOAD_4, __ldcv, "cv")
__WF_CACHED(__WF_STORE, __WF_STORE_2, __WF_STORE_4, __stwb, "wb")
__WF_CACHED(__WF_STORE, __WF_STORE_2, __WF_STORE_4, __stcg, "cg")
__WF_CACHED(__WF_STORE, __WF_STORE_2, __WF_STORE_4, __stcs, "cs")
__WF_CACHED(__WF_STORE, __WF_STORE_2, __WF_STORE_4, __stwt, "wt")
#undef __WF_CACHED
#undef __WF_STORE_4
#undef __WF_LOAD_4
#undef __WF_STORE_2
#undef __WF_LOAD_2
#undef __WF_STORE
#undef __WF_LOAD

__wf_fn bool __wf_is_space(const void *at, int global)
{
    int r;
    if (global)
        asm("{ .reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(at));
    else
        asm("{ .reg .pred p; isspacep.shared p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r) : "l"(at));
    return r;
}
__wf_fn unsigned __isGlobal(const void *at) { return __wf_is_space(at, 1); }
__wf_fn unsigned __isShared(const void *at) { return __wf_is_space(at, 0); }
__wf_fn size_t __cvta_generic_to_shared(const void *at)
{
    size_t r;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(r) : "l"(at));
    return r;
}
__wf_fn size_t __cvta_generic_to_global(const void *at)
{
    size_t r;
    asm("cvta.to.global.u64 %0, %1;" : "=l"(r) : "l"(at));
    return r;
}
