// Two halfwords (__v*2) or four bytes (__v*4) of a word at a time. The instructions are gone since Maxwell;
// here as there they are made of ordinary ones.
#pragma once
#include "integer.h"

// R(a, b) sees the lanes as ints, extended by their sign (S) or with zeros (U); its low bits are kept.
#define __WF_LANES(NAME, BITS, T, RESULT)                                                                    \
    __wf_fn unsigned NAME(unsigned a_lanes, unsigned b_lanes)                                                \
    {                                                                                                        \
        unsigned r = 0;                                                                                      \
        _Pragma("unroll") for (int at = 0; at < 32; at += BITS)                                              \
        {                                                                                                    \
            int a = (T)(a_lanes >> at), b = (T)(b_lanes >> at);                                              \
            r |= ((unsigned)(RESULT) & (0xffffffffu >> (32 - BITS))) << at;                                  \
        }                                                                                                    \
        return r;                                                                                            \
    }
#define __WF_LANES_BOTH(S, U, SUFFIX, BITS)                                                                  \
    __WF_LANES(__vadd##SUFFIX, BITS, U, a + b)                                                               \
    __WF_LANES(__vsub##SUFFIX, BITS, U, a - b)                                                               \
    __WF_LANES(__vaddss##SUFFIX, BITS, S, min(max(a + b, -(1 << (BITS - 1))), (1 << (BITS - 1)) - 1))        \
    __WF_LANES(__vaddus##SUFFIX, BITS, U, min(a + b, (1 << BITS) - 1))                                       \
    __WF_LANES(__vsubss##SUFFIX, BITS, S, min(max(a - b, -(1 << (BITS - 1))), (1 << (BITS - 1)) - 1))        \
    __WF_LANES(__vsubus##SUFFIX, BITS, U, max(a - b, 0))                                                     \
    __WF_LANES(__vabsdiffs##SUFFIX, BITS, S, abs(a - b))                                                     \
    __WF_LANES(__vabsdiffu##SUFFIX, BITS, U, abs(a - b))                                                     \
    __WF_LANES(__vavgs##SUFFIX, BITS, S, (a + b + (a + b >= 0)) >> 1)                                        \
    __WF_LANES(__vavgu##SUFFIX, BITS, U, (a + b + 1) >> 1)                                                   \
    __WF_LANES(__vhaddu##SUFFIX, BITS, U, (a + b) >> 1)                                                      \
    __WF_LANES(__vmaxs##SUFFIX, BITS, S, max(a, b))                                                          \
    __WF_LANES(__vmaxu##SUFFIX, BITS, U, max(a, b))                                                          \
    __WF_LANES(__vmins##SUFFIX, BITS, S, min(a, b))                                                          \
    __WF_LANES(__vminu##SUFFIX, BITS, U, min(a, b))                                                          \
    __WF_LANES_COMPARED(eq, U, SUFFIX, BITS, ==)                                                             \
    __WF_LANES_COMPARED(ne, U, SUFFIX, BITS, !=)                                                             \
    __WF_LANES_COMPARED(ges, S, SUFFIX, BITS, >=)                                                            \
    __WF_LANES_COMPARED(geu, U, SUFFIX, BITS, >=)                                                            \
    __WF_LANES_COMPARED(gts, S, SUFFIX, BITS, >)                                                             \
    __WF_LANES_COMPARED(gtu, U, SUFFIX, BITS, >)                                                             \
    __WF_LANES_COMPARED(les, S, SUFFIX, BITS, <=)                                                            \
    __WF_LANES_COMPARED(leu, U, SUFFIX, BITS, <=)                                                            \
    __WF_LANES_COMPARED(lts, S, SUFFIX, BITS, <)                                                             \
    __WF_LANES_COMPARED(ltu, U, SUFFIX, BITS, <)                                                             \
    __wf_fn unsigned __vneg##SUFFIX(unsigned a) { return __vsub##SUFFIX(0, a); }                             \
    __wf_fn unsigned __vnegss##SUFFIX(unsigned a) { return __vsubss##SUFFIX(0, a); }                         \
    __wf_fn unsigned __vabs##SUFFIX(unsigned a) { return __vabsdiffs##SUFFIX(a, 0); }                        \
    __wf_fn unsigned __vabsss##SUFFIX(unsigned a) { return __vmaxs##SUFFIX(a, __vnegss##SUFFIX(a)); }        \
    __wf_large unsigned __vsads##SUFFIX(unsigned a, unsigned b)                                              \
    {                                                                                                        \
        return __wf_sum##SUFFIX(__vabsdiffs##SUFFIX(a, b));                                                  \
    }                                                                                                        \
    __wf_large unsigned __vsadu##SUFFIX(unsigned a, unsigned b)                                              \
    {                                                                                                        \
        return __wf_sum##SUFFIX(__vabsdiffu##SUFFIX(a, b));                                                  \
    }
// __vcmp* gives all ones in a lane for true, __vset* one.
#define __WF_LANES_COMPARED(HOW, T, SUFFIX, BITS, OP)                                                        \
    __WF_LANES(__vcmp##HOW##SUFFIX, BITS, T, a OP b ? -1 : 0)                                                \
    __WF_LANES(__vset##HOW##SUFFIX, BITS, T, a OP b)
__wf_fn unsigned __wf_sum2(unsigned a) { return (a & 0xffffu) + (a >> 16); }
__wf_fn unsigned __wf_sum4(unsigned a)
{
    return (a & 0xffu) + (a >> 8 & 0xffu) + (a >> 16 & 0xffu) + (a >> 24);
}
__WF_LANES_BOTH(short, unsigned short, 2, 16)
__WF_LANES_BOTH(signed char, unsigned char, 4, 8)
#undef __WF_LANES_COMPARED
#undef __WF_LANES_BOTH
#undef __WF_LANES
