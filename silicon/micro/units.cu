// Chains of one instruction, or of two that take turns, each waiting for the one before: of one warp a step takes the
// instruction's latency, of 32 warps the SM's units are as busy as they can be.
//
// The chains are assembly, so that no compiler folds them. What is fed back is there in both states of a pair where
// two equal instructions could be made one (a sum of three, a logical function of three), and no step undoes the one
// before it.
#include "device.h"

#define TIMES_2(s)   s s
#define TIMES_4(s)   TIMES_2(s) TIMES_2(s)
#define TIMES_8(s)   TIMES_4(s) TIMES_4(s)
#define TIMES_64(s)  TIMES_8(TIMES_8(s))
#define TIMES_128(s) TIMES_2(TIMES_64(s))

// x and y are the state, a and b arguments: %0 to %3 of `steps`.
#define CHAIN(name, type, constraint, steps)                                                                           \
    KERNEL void name(const type *values, type *end, type a, type b, unsigned rounds)                                   \
    {                                                                                                                  \
        type x = values[threadIdx.x], y = a;                                                                           \
        _Pragma("unroll 1") for (unsigned n = 0; n < rounds; n++) asm volatile(steps                                   \
                                                                               : "+" constraint(x), "+" constraint(y)  \
                                                                               : constraint(a), constraint(b));        \
        end[threadIdx.x] = x;                                                                                          \
        if (rounds > 1000) end[threadIdx.x] = y;                                                                       \
    }
#define WORDS(name, steps)   CHAIN(name, unsigned, "r", steps)
#define LONGS(name, steps)   CHAIN(name, unsigned long long, "l", steps)
#define FLOATS(name, steps)  CHAIN(name, float, "f", steps)
#define DOUBLES(name, steps) CHAIN(name, double, "d", steps)

// Integers: 128 instructions a round.
WORDS(int_add, TIMES_64("add.u32 %0, %0, %1;\n add.u32 %1, %1, %0;\n "))
WORDS(int_logic, TIMES_64("lop3.b32 %0, %0, %2, %1, 0x6a;\n lop3.b32 %1, %1, %3, %0, 0x6a;\n "))
WORDS(int_shift, TIMES_64("shl.b32 %0, %0, %2;\n shr.u32 %0, %0, %3;\n "))
WORDS(int_multiply, TIMES_64("mul.lo.u32 %0, %0, %2;\n mul.lo.u32 %0, %0, %3;\n "))
WORDS(int_mad, TIMES_64("mad.lo.u32 %0, %0, %2, %3;\n mad.lo.u32 %0, %0, %3, %2;\n "))
WORDS(int_max, TIMES_64("max.s32 %0, %0, %2;\n min.s32 %0, %0, %3;\n "))
WORDS(int_bfe, TIMES_64("bfe.u32 %0, %0, %2, 20;\n bfe.u32 %0, %0, %3, 24;\n "))
WORDS(int_bfi, TIMES_64("bfi.b32 %0, %0, %2, 3, 20;\n bfi.b32 %0, %0, %3, 5, 24;\n "))
WORDS(int_sad, TIMES_64("sad.u32 %0, %0, %2, %3;\n sad.u32 %0, %0, %3, %2;\n "))
WORDS(int_permute, TIMES_64("prmt.b32 %0, %0, %2, %3;\n prmt.b32 %0, %0, %3, %2;\n "))
WORDS(int_dp4a, TIMES_64("dp4a.u32.u32 %0, %0, %2, %3;\n dp4a.u32.u32 %0, %0, %3, %2;\n "))
WORDS(int_popc, TIMES_128("popc.b32 %0, %0;\n "))
WORDS(int_find, TIMES_128("bfind.u32 %0, %0;\n "))
LONGS(int_mad_wide, TIMES_128("{.reg .u32 low; cvt.u32.u64 low, %0; mad.wide.u32 %0, low, low, %2;}\n "))

// A comparison and a choice by it: two instructions a step, 64 steps a round.
WORDS(int_compare, TIMES_64("{.reg .pred p; setp.lt.u32 p, %0, %2; selp.b32 %0, %3, %1, p;}\n "))
FLOATS(float_compare, TIMES_64("{.reg .pred p; setp.lt.f32 p, %0, %2; selp.f32 %0, %3, %1, p;}\n "))

// Across lanes; a vote comes with the comparison that makes its predicate.
WORDS(lane_shuffle, TIMES_128("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;\n "))
WORDS(lane_vote, TIMES_64("{.reg .pred p; setp.ne.u32 p, %0, %2; vote.sync.ballot.b32 %0, p, -1;}\n "))
WORDS(lane_match, TIMES_64("match.any.sync.b32 %0, %0, -1;\n "))

// Floating point: 128 a round.
FLOATS(float_add, TIMES_128("add.f32 %0, %0, %2;\n "))
FLOATS(float_multiply, TIMES_128("mul.f32 %0, %0, %2;\n "))
FLOATS(float_fma, TIMES_128("fma.rn.f32 %0, %0, %2, %3;\n "))
FLOATS(float_max, TIMES_64("max.f32 %0, %0, %2;\n min.f32 %0, %0, %3;\n "))
WORDS(half_fma, TIMES_128("fma.rn.f16x2 %0, %0, %2, %3;\n "))
DOUBLES(double_add, TIMES_128("add.f64 %0, %0, %2;\n "))
DOUBLES(double_multiply, TIMES_128("mul.f64 %0, %0, %2;\n "))
DOUBLES(double_fma, TIMES_128("fma.rn.f64 %0, %0, %2, %3;\n "))

// Special functions: 64 a round.
FLOATS(special_reciprocal, TIMES_64("rcp.approx.ftz.f32 %0, %0;\n "))
FLOATS(special_rsqrt, TIMES_64("rsqrt.approx.ftz.f32 %0, %0;\n "))
FLOATS(special_exp2, TIMES_64("ex2.approx.ftz.f32 %0, %0;\n "))
FLOATS(special_log2, TIMES_64("lg2.approx.ftz.f32 %0, %0;\n "))
FLOATS(special_sine, TIMES_64("sin.approx.ftz.f32 %0, %0;\n "))

// Conversions there and back: two instructions a step, 64 steps a round.
FLOATS(convert_int, TIMES_64("{.reg .s32 i; cvt.rzi.s32.f32 i, %0; cvt.rn.f32.s32 %0, i;}\n "))
DOUBLES(convert_double, TIMES_64("{.reg .f32 f; cvt.rn.f32.f64 f, %0; cvt.f64.f32 %0, f;}\n "))
DOUBLES(convert_double_int, TIMES_64("{.reg .s32 i; cvt.rzi.s32.f64 i, %0; cvt.rn.f64.s32 %0, i;}\n "))

// What takes many instructions: 8 a round.
WORDS(emulated_int_divide, TIMES_8("div.u32 %0, %2, %0;\n "))
FLOATS(emulated_divide, TIMES_8("div.rn.f32 %0, %2, %0;\n "))
FLOATS(emulated_reciprocal, TIMES_8("rcp.rn.f32 %0, %0;\n "))
FLOATS(emulated_root, TIMES_8("sqrt.rn.f32 %0, %0;\n "))
DOUBLES(emulated_double_divide, TIMES_8("div.rn.f64 %0, %2, %0;\n "))
DOUBLES(emulated_double_reciprocal, TIMES_8("rcp.rn.f64 %0, %0;\n "))
DOUBLES(emulated_double_root, TIMES_8("sqrt.rn.f64 %0, %0;\n "))

// Nothing at all: what a launch takes.
KERNEL void nothing(void) {}

// Barriers of a block, 64 a round.
KERNEL void barriers(unsigned rounds)
{
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++) asm volatile(TIMES_64("bar.sync 0;\n "));
}
