// What lowered instructions compute: each row is run by the oracle, which reads PTX, and as lowered operations by the
// evaluator of ir_eval.c, on edge values and random ones. Both were written apart from the lowering.
#include "compile/ir_eval.h"
#include "compile/lowered.h"
#include "harness/test.h"
#include "oracle/oracle.h"

#include <inttypes.h>
#include <string.h>

// Inputs are %h1..%h3, %r1..%r3, %rd1..%rd3 (low bits of the same three numbers) and %p1, %p2; results go to %h9, %r8,
// %r9, %rd9, %p8, %p9.
static const char *const integer_rows[] = {
    "add.s16 %h9, %h1, %h2;",
    "sub.u16 %h9, %h1, %h2;",
    "mul.lo.s16 %h9, %h1, %h2;",
    "mul.hi.u16 %h9, %h1, %h2;",
    "mul.hi.s16 %h9, %h1, %h2;",
    "mul.wide.u16 %r9, %h1, %h2;",
    "mul.wide.s16 %r9, %h1, %h2;",
    "mad.lo.u16 %h9, %h1, %h2, %h3;",
    "mad.hi.s16 %h9, %h1, %h2, %h3;",
    "mad.hi.u16 %h9, %h1, %h2, %h3;",
    "mad.wide.s16 %r9, %h1, %h2, %r3;",
    "mad.wide.u16 %r9, %h1, %h2, %r3;",
    "sad.s16 %h9, %h1, %h2, %h3;",
    "sad.u16 %h9, %h1, %h2, %h3;",
    "or.b16 %h2, %h2, 1; div.s16 %h9, %h1, %h2;",
    "or.b16 %h2, %h2, 1; div.u16 %h9, %h1, %h2;",
    "or.b16 %h2, %h2, 1; rem.s16 %h9, %h1, %h2;",
    "or.b16 %h2, %h2, 1; rem.u16 %h9, %h1, %h2;",
    "abs.s16 %h9, %h1;",
    "neg.s16 %h9, %h1;",
    "min.s16 %h9, %h1, %h2;",
    "min.u16 %h9, %h1, %h2;",
    "max.s16 %h9, %h1, %h2;",
    "max.u16 %h9, %h1, %h2;",
    "and.b16 %h9, %h1, %h2;",
    "not.b16 %h9, %h1;",
    "cnot.b16 %h9, %h1;",
    "and.b32 %r2, %r2, 31; shl.b16 %h9, %h1, %r2;",
    "and.b32 %r2, %r2, 31; shr.s16 %h9, %h1, %r2;",
    "and.b32 %r2, %r2, 31; shr.u16 %h9, %h1, %r2;",
    "shr.s16 %h9, %h1, %r2;",
    "shl.b16 %h9, %h1, %r2;",
    "add.sat.s32 %r9, %r1, %r2;",
    "sub.sat.s32 %r9, %r1, %r2;",
    "mul.hi.s32 %r9, %r1, %r2;",
    "mul.hi.u32 %r9, %r1, %r2;",
    "mul.wide.s32 %rd9, %r1, %r2;",
    "mul.wide.u32 %rd9, %r1, %r2;",
    "mad.lo.s32 %r9, %r1, %r2, %r3;",
    "mad.hi.s32 %r9, %r1, %r2, %r3;",
    "mad.hi.sat.s32 %r9, %r1, %r2, %r3;",
    "mad.wide.s32 %rd9, %r1, %r2, %rd3;",
    "mad.wide.u32 %rd9, %r1, %r2, %rd3;",
    "mul24.lo.s32 %r9, %r1, %r2;",
    "mul24.hi.s32 %r9, %r1, %r2;",
    "mul24.lo.u32 %r9, %r1, %r2;",
    "mul24.hi.u32 %r9, %r1, %r2;",
    "mad24.lo.s32 %r9, %r1, %r2, %r3;",
    "mad24.hi.u32 %r9, %r1, %r2, %r3;",
    "mad24.hi.sat.s32 %r9, %r1, %r2, %r3;",
    "sad.s32 %r9, %r1, %r2, %r3;",
    "sad.u32 %r9, %r1, %r2, %r3;",
    "or.b32 %r2, %r2, 1; div.s32 %r9, %r1, %r2;",
    "or.b32 %r2, %r2, 1; rem.s32 %r9, %r1, %r2;",
    "abs.s32 %r9, %r1;",
    "min.relu.s32 %r9, %r1, %r2;",
    "max.relu.s32 %r9, %r1, %r2;",
    "mul.lo.u64 %rd9, %rd1, %rd2;",
    "mul.hi.s64 %rd9, %rd1, %rd2;",
    "mul.hi.u64 %rd9, %rd1, %rd2;",
    "mad.lo.s64 %rd9, %rd1, %rd2, %rd3;",
    "mad.hi.s64 %rd9, %rd1, %rd2, %rd3;",
    "sad.s64 %rd9, %rd1, %rd2, %rd3;",
    "sad.u64 %rd9, %rd1, %rd2, %rd3;",
    "or.b64 %rd2, %rd2, 1; div.s64 %rd9, %rd1, %rd2;",
    "or.b64 %rd2, %rd2, 1; rem.u64 %rd9, %rd1, %rd2;",
    "abs.s64 %rd9, %rd1;",
    "neg.s64 %rd9, %rd1;",
    "min.s64 %rd9, %rd1, %rd2;",
    "max.u64 %rd9, %rd1, %rd2;",
    "dp4a.u32.s32 %r9, %r1, %r2, %r3;",
    "dp4a.s32.s32 %r9, %r1, %r2, %r3;",
    "dp2a.lo.s32.u32 %r9, %r1, %r2, %r3;",
    "dp2a.hi.u32.s32 %r9, %r1, %r2, %r3;",
    // carries
    "add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;",
    "sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, %r1;",
    "add.cc.u64 %rd9, %rd1, %rd2; addc.cc.u32 %r8, %r3, -1; addc.u32 %r9, 0, 0;",
    "sub.cc.s64 %rd9, %rd1, %rd2; subc.cc.s64 %rd9, %rd9, %rd3; subc.u32 %r9, 0, 0;",
    "sub.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;",
    "add.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, 0;",
    "mad.lo.cc.u32 %r8, %r1, %r2, %r3; madc.hi.u32 %r9, %r1, %r2, %r3;",
    "mad.hi.cc.s32 %r8, %r1, %r2, %r3; madc.lo.s32 %r9, %r1, %r2, %r3;",
    "mad.lo.cc.u64 %rd9, %rd1, %rd2, %rd3; madc.hi.cc.u64 %rd9, %rd9, %rd2, %rd3; addc.u32 %r9, 0, 0;",
    "mad.hi.cc.s64 %rd9, %rd1, %rd2, %rd3; madc.lo.s64 %rd9, %rd9, %rd2, %rd3;",
    "add.cc.u32 %r8, %r1, %r2; @%p1 sub.cc.u32 %r8, %r2, %r3; addc.u32 %r9, %r1, 0;",
};

static const char *const bit_rows[] = {
    "popc.b32 %r9, %r1;",
    "popc.b64 %r9, %rd1;",
    "clz.b32 %r9, %r1;",
    "clz.b64 %r9, %rd1;",
    "bfind.u32 %r9, %r1;",
    "bfind.s32 %r9, %r1;",
    "bfind.u64 %r9, %rd1;",
    "bfind.s64 %r9, %rd1;",
    "bfind.shiftamt.u32 %r9, %r1;",
    "bfind.shiftamt.s64 %r9, %rd1;",
    "brev.b32 %r9, %r1;",
    "brev.b64 %rd9, %rd1;",
    "and.b32 %r2, %r2, 31; rem.s32 %r3, %r3, 40; fns.b32 %r9, %r1, %r2, %r3;",
    "and.b32 %r2, %r2, 31; fns.b32 %r9, %r1, %r2, 0;",
    "bfe.u32 %r9, %r1, %r2, %r3;",
    "bfe.s32 %r9, %r1, %r2, %r3;",
    "and.b32 %r2, %r2, 63; and.b32 %r3, %r3, 63; bfe.s32 %r9, %r1, %r2, %r3;",
    "bfe.u64 %rd9, %rd1, %r2, %r3;",
    "and.b32 %r2, %r2, 127; and.b32 %r3, %r3, 127; bfe.s64 %rd9, %rd1, %r2, %r3;",
    "bfi.b32 %r9, %r1, %r2, %r3, %r2;",
    "and.b32 %r3, %r3, 31; bfi.b32 %r9, %r1, %r2, %r3, 7;",
    "and.b32 %r2, %r2, 63; and.b32 %r3, %r3, 63; bfi.b64 %rd9, %rd1, %rd2, %r2, %r3;",
    "szext.clamp.s32 %r9, %r1, %r2;",
    "szext.wrap.u32 %r9, %r1, %r2;",
    "and.b32 %r2, %r2, 31; szext.clamp.s32 %r9, %r1, %r2;",
    "bmsk.clamp.b32 %r9, %r1, %r2;",
    "bmsk.wrap.b32 %r9, %r1, %r2;",
    "and.b32 %r1, %r1, 31; and.b32 %r2, %r2, 31; bmsk.clamp.b32 %r9, %r1, %r2;",
    "prmt.b32 %r9, %r1, %r2, %r3;",
    "prmt.b32.f4e %r9, %r1, %r2, %r3;",
    "prmt.b32.b4e %r9, %r1, %r2, %r3;",
    "prmt.b32.rc8 %r9, %r1, %r2, %r3;",
    "prmt.b32.ecl %r9, %r1, %r2, %r3;",
    "prmt.b32.ecr %r9, %r1, %r2, %r3;",
    "prmt.b32.rc16 %r9, %r1, %r2, %r3;",
    "shf.l.clamp.b32 %r9, %r1, %r2, %r3;",
    "shf.r.clamp.b32 %r9, %r1, %r2, %r3;",
    "shf.l.wrap.b32 %r9, %r1, %r2, %r3;",
    "shf.r.wrap.b32 %r9, %r1, %r2, %r3;",
    "and.b32 %r3, %r3, 31; shf.r.clamp.b32 %r9, %r1, %r2, %r3;",
    "shl.b32 %r9, %r1, %r2;",
    "and.b32 %r2, %r2, 63; shr.s32 %r9, %r1, %r2;",
    "and.b32 %r2, %r2, 127; shl.b64 %rd9, %rd1, %r2;",
    "and.b32 %r2, %r2, 127; shr.s64 %rd9, %rd1, %r2;",
    "and.b32 %r2, %r2, 127; shr.u64 %rd9, %rd1, %r2;",
    "lop3.b32 %r9, %r1, %r2, %r3, 0x6a;",
    "lop3.and.b32 %r9|%p9, %r1, %r2, %r3, 0x80, %p1;",
    "lop3.or.b32 %r9|%p9, %r1, %r2, %r3, 0x01, !%p1;",
    "cnot.b32 %r9, %r1;",
    "cnot.b64 %rd9, %rd1;",
    "xor.pred %p9, %p1, %p2; and.pred %p8, %p1, !%p2;",
    "not.pred %p9, %p1; or.pred %p8, %p9, %p2;",
    "mov.b32 {%h8, %h9}, %r1; mov.b32 %r9, {%h9, %h8};",
    "mov.b64 {%r8, %r9}, %rd1; mov.b64 %rd9, {%r9, %r8};",
    "mov.b64 {%h7, %h8, %h9, _}, %rd1; mov.b64 %rd9, {%h9, %h8, %h7, %h1};",
    "mov.b32 {%b1, %b2, %b3, %b4}, %r1; mov.b32 %r9, {%b4, %b3, %b2, %b1};",
    "mov.b16 {%b1, %b2}, %h1; mov.b16 %h9, {%b2, %b1};",
    "mov.b128 %q1, {%rd1, %rd2}; @%p1 mov.b128 %q1, {%rd3, %rd1}; mov.b128 {_, %rd9}, %q1;",
    "@%p1 add.u32 %r9, %r1, 1; @!%p1 mov.u32 %r9, %r2; @!%p2 setp.eq.u32 %p9, %r9, %r2;",
    "@%p1 mov.pred %p2, %p1; selp.b32 %r9, %r1, %r2, %p2;",
};

static const char *const compare_rows[] = {
    "setp.lt.s16 %p9, %h1, %h2;",
    "setp.ne.b16 %p9, %h1, %h2;",
    "setp.hs.u16 %p9, %h1, %h2;",
    "setp.lt.s32 %p9, %r1, %r2; setp.lo.u32 %p8, %r1, %r2;",
    "setp.ge.s64 %p9, %rd1, %rd2; setp.ls.u64 %p8, %rd1, %rd2;",
    "setp.eq.and.u32 %p9|%p8, %r1, %r2, %p1;",
    "setp.gt.xor.s32 %p9|%p8, %r1, %r2, !%p2;",
    "setp.lt.f32 %p9, %r1, %r2; setp.ltu.f32 %p8, %r1, %r2;",
    "setp.eq.ftz.f32 %p9, %r1, %r2; setp.neu.f32 %p8, %r1, %r2;",
    "setp.num.f32 %p9, %r1, %r2; setp.nan.f64 %p8, %rd1, %rd2;",
    "setp.geu.or.f64 %p9|%p8, %rd1, %rd2, %p1;",
    "setp.gt.f16 %p9, %h1, %h2; setp.leu.f16 %p8, %h1, %h2;",
    "setp.le.and.f16x2 %p9|%p8, %r1, %r2, %p1;",
    "set.lt.u32.s32 %r9, %r1, %r2;",
    "set.ge.or.f32.f32 %r9, %r1, %r2, %p1;",
    "set.eq.s32.f64 %r9, %rd1, %rd2;",
    "set.gt.f16.f16 %h9, %h1, %h2;",
    "set.ne.u16.f16 %h9, %h1, %h2;",
    "set.lt.f16x2.f16x2 %r9, %r1, %r2;",
    "set.lt.u32.f16x2 %r9, %r1, %r2;",
    "selp.b16 %h9, %h1, %h2, %p1;",
    "selp.f64 %rd9, %rd1, %rd2, %p2;",
    "slct.u32.s32 %r9, %r1, %r2, %r3;",
    "slct.b64.f32 %rd9, %rd1, %rd2, %r3;",
    "slct.ftz.b16.f32 %h9, %h1, %h2, %r3;",
    "testp.finite.f32 %p9, %r1; testp.infinite.f32 %p8, %r1;",
    "testp.number.f32 %p9, %r1; testp.notanumber.f32 %p8, %r1;",
    "testp.normal.f32 %p9, %r1; testp.subnormal.f32 %p8, %r1;",
    "testp.finite.f64 %p9, %rd1; testp.normal.f64 %p8, %rd1;",
    "testp.subnormal.f64 %p9, %rd1; testp.notanumber.f64 %p8, %rd1;",
    "copysign.f32 %r9, %r1, %r2;",
    "copysign.f64 %rd9, %rd1, %rd2;",
};

static const char *const float_rows[] = {
    "add.f32 %r9, %r1, %r2;",
    "add.rz.ftz.f32 %r9, %r1, %r2;",
    "sub.rm.sat.f32 %r9, %r1, %r2;",
    "mul.rp.f32 %r9, %r1, %r2;",
    "fma.rn.f32 %r9, %r1, %r2, %r3;",
    "mad.rz.ftz.f32 %r9, %r1, %r2, %r3;",
    "min.f32 %r9, %r1, %r2;",
    "max.NaN.ftz.f32 %r9, %r1, %r2;",
    "min.xorsign.abs.f32 %r9, %r1, %r2;",
    "max.f32 %r9, %r1, %r2, %r3;",
    "neg.f32 %r9, %r1;",
    "abs.f32 %r9, %r1;",
    "div.rn.f32 %r9, %r1, %r2;",
    "div.rz.ftz.f32 %r9, %r1, %r2;",
    "rcp.rm.f32 %r9, %r1;",
    "sqrt.rp.f32 %r9, %r1;",
    "add.rm.f64 %rd9, %rd1, %rd2;",
    "sub.f64 %rd9, %rd1, %rd2;",
    "mul.rz.f64 %rd9, %rd1, %rd2;",
    "fma.rp.f64 %rd9, %rd1, %rd2, %rd3;",
    "min.f64 %rd9, %rd1, %rd2;",
    "div.rn.f64 %rd9, %rd1, %rd2;",
    "sqrt.rn.f64 %rd9, %rd1;",
    "add.f16 %h9, %h1, %h2;",
    "sub.ftz.sat.f16 %h9, %h1, %h2;",
    "mul.f16x2 %r9, %r1, %r2;",
    "fma.rn.relu.f16x2 %r9, %r1, %r2, %r3;",
    "fma.rn.bf16 %h9, %h1, %h2, %h3;",
    "neg.f16x2 %r9, %r1;",
    "abs.f16 %h9, %h1;",
    "max.NaN.f16x2 %r9, %r1, %r2;",
    "min.bf16 %h9, %h1, %h2;",
};

static const char *const convert_rows[] = {
    "cvt.u64.u32 %rd9, %r1;",
    "cvt.s64.s16 %rd9, %h1;",
    "cvt.u32.u64 %r9, %rd1;",
    "cvt.u16.u32 %h9, %r1;",
    "cvt.s32.s8 %r9, %r1;",
    "cvt.u8.u32 %r9, %r1;",
    "cvt.s8.u64 %rd9, %rd1;",
    "cvt.u16.s8 %r9, %h1;",
    "cvt.s16.u8 %rd9, %h1;",
    "cvt.sat.u8.s32 %r9, %r1;",
    "cvt.sat.s8.s16 %h9, %h1;",
    "cvt.sat.s16.u32 %r9, %r1;",
    "cvt.sat.u16.s64 %r9, %rd1;",
    "cvt.sat.u32.s32 %r9, %r1;",
    "cvt.sat.s32.u32 %r9, %r1;",
    "cvt.sat.s32.s64 %r9, %rd1;",
    "cvt.sat.s32.u64 %r9, %rd1;",
    "cvt.sat.u8.u64 %rd9, %rd1;",
    "cvt.sat.u64.s32 %rd9, %r1;",
    "cvt.sat.s64.u64 %rd9, %rd1;",
    "cvt.sat.u64.s16 %rd9, %h1;",
    "cvt.sat.s32.s16 %r9, %h1;",
    "cvt.rzi.s32.f32 %r9, %r1;",
    "cvt.rni.ftz.u32.f32 %r9, %r1;",
    "cvt.rmi.s64.f32 %rd9, %r1;",
    "cvt.rpi.u8.f32 %r9, %r1;",
    "cvt.rzi.s8.f32 %rd9, %r1;",
    "cvt.rni.s16.f64 %h9, %rd1;",
    "cvt.rzi.u64.f64 %rd9, %rd1;",
    "cvt.rzi.s32.f16 %r9, %h1;",
    "cvt.rn.f32.s32 %r9, %r1;",
    "cvt.rp.f32.u64 %r9, %rd1;",
    "cvt.rz.f64.s64 %rd9, %rd1;",
    "cvt.rn.f32.s8 %r9, %r1;",
    "cvt.rn.sat.f32.u16 %r9, %h1;",
    "cvt.rm.f16.s32 %h9, %r1;",
    "cvt.f64.f32 %rd9, %r1;",
    "cvt.rz.f32.f64 %r9, %rd1;",
    "cvt.rn.ftz.f32.f64 %r9, %rd1;",
    "cvt.rn.f16.f32 %h9, %r1;",
    "cvt.rp.f16.f64 %h9, %rd1;",
    "cvt.f32.f16 %r9, %h1;",
    "cvt.rn.bf16.f32 %h9, %r1;",
    "cvt.rz.relu.bf16.f32 %h9, %r1;",
    "cvt.f32.bf16 %r9, %h1;",
    "cvt.rna.tf32.f32 %r9, %r1;",
    "cvt.rn.f16x2.f32 %r9, %r1, %r2;",
    "cvt.rz.relu.bf16x2.f32 %r9, %r1, %r2;",
    "cvt.rni.f32.f32 %r9, %r1;",
    "cvt.rzi.ftz.sat.f32.f32 %r9, %r1;",
    "cvt.rmi.f64.f64 %rd9, %rd1;",
    "cvt.rpi.f16.f16 %h9, %h1;",
    "cvt.sat.f32.f32 %r9, %r1;",
    "cvt.ftz.f32.f32 %r9, %r1;",
    "cvt.sat.f64.f64 %rd9, %rd1;",
};

// Addresses are in the 256 bytes at %rd4, which begin with the inputs.
static const char *const memory_rows[] = {
    "ld.global.u8 %r9, [%rd4+1];",
    "ld.global.s8 %rd9, [%rd4+7];",
    "ld.global.u16 %rd9, [%rd4+2];",
    "ld.global.s32 %rd9, [%rd4+4];",
    "ld.global.v2.u8 {%r8, %r9}, [%rd4+2];",
    "ld.global.v4.s8 {%r7, %r8, %rd9, %h9}, [%rd4+4];",
    "ld.global.v4.u16 {%h7, %r8, %h9, %r9}, [%rd4+8];",
    "ld.global.v2.s16 {%rd9, %r9}, [%rd4+12];",
    "ld.global.v4.u32 {%r7, %r8, _, %r9}, [%rd4];",
    "ld.global.v2.u64 {%rd8, %rd9}, [%rd4+16];",
    "@%p1 ld.global.u32 %r9, [%rd4]; @!%p1 ld.global.s8 %rd9, [%rd4+3]; @%p2 ld.global.v2.u8 {%r8, %h9}, [%rd4];",
    "st.global.v4.u8 [%rd4+32], {%h1, %h2, %h3, %r1}; ld.global.u32 %r9, [%rd4+32];",
    "st.global.v2.u16 [%rd4+36], {%h1, %r2}; ld.global.u32 %r9, [%rd4+36];",
    "st.global.v4.u16 [%rd4+40], {%h1, %r2, %h3, 5}; ld.global.u64 %rd9, [%rd4+40];",
    "st.global.u8 [%rd4+48], %rd1; st.global.u16 [%rd4+50], %r2; ld.global.u32 %r9, [%rd4+48];",
    "@%p1 st.global.u32 [%rd4+52], %r1; @!%p2 st.global.v2.u64 [%rd4+64], {%rd1, %rd2}; "
    "ld.global.u32 %r9, [%rd4+52]; ld.global.u64 %rd9, [%rd4+72];",
    "ld.param.u8 %r9, [pa+3]; ld.param.s16 %rd9, [pb+6]; ld.param.v2.u32 {%r7, %r8}, [pc];",
    "ld.param.u64 %rd9, [pe+8];",
    "ld.param.s8 %r9, [pe+2]; ld.param.u16 %h9, [pe+6];",
    "mov.u64 %rd5, pe; add.u64 %rd5, %rd5, 8; ld.param.u32 %r9, [%rd5+4];",
    "atom.global.add.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "atom.global.inc.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "atom.global.dec.u32 %r9, [%rd4], %r2; ld.global.u32 %r8, [%rd4];",
    "@%p1 atom.global.cas.b64 %rd9, [%rd4], %rd1, %rd2; ld.global.u32 %r8, [%rd4+4];",
    "atom.global.cas.b16 %h9, [%rd4+2], %h1, %h2; ld.global.u32 %r8, [%rd4];",
    "atom.global.max.s64 _, [%rd4], %rd2; ld.global.u64 %rd9, [%rd4];",
    "red.global.xor.b32 [%rd4], %r3; ld.global.u32 %r9, [%rd4];",
    "{ .local .align 8 .b8 own[32]; st.local.u64 [own+8], %rd1; mov.u64 %rd5, own; ld.local.u16 %r9, [%rd5+10]; "
    "cvta.local.u64 %rd6, %rd5; isspacep.local %p9, %rd6; isspacep.global %p8, %rd6; }",
    "{ .shared .align 8 .b8 tile[32]; mov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5; cvta.to.shared.u64 %rd7, %rd6; "
    "st.shared.u32 [tile+4], %r1; ld.shared.u32 %r9, [%rd7+4]; isspacep.shared %p9, %rd6; isspacep.local %p8, %rd6; }",
    "{ .param .align 8 .b8 x[16]; st.param.u64 [x], %rd1; st.param.b64 [x+8], %rd2; st.param.u8 [x+3], %r3; "
    "st.param.u16 [x+14], %h3; ld.param.u64 %rd9, [x]; ld.param.u32 %r9, [x+12]; ld.param.s8 %r8, [x+9]; }",
};

static const char frame[] =
    ".version 8.8\n.target sm_100\n.address_size 64\n"
    ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .align 8 .b64 pc, .param .u64 pd, .param .align 1 .b8 pe[20])\n"
    "{\n"
    ".reg .b8 %%b<9>; .reg .b16 %%h<12>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; .reg .b128 %%q<3>; .reg .pred %%p<12>;\n"
    "ld.param.u64 %%rd1, [pa]; ld.param.u64 %%rd2, [pb]; ld.param.u64 %%rd3, [pc]; ld.param.u64 %%rd4, [pd];\n"
    "cvt.u32.u64 %%r1, %%rd1; cvt.u32.u64 %%r2, %%rd2; cvt.u32.u64 %%r3, %%rd3;\n"
    "cvt.u16.u64 %%h1, %%rd1; cvt.u16.u64 %%h2, %%rd2; cvt.u16.u64 %%h3, %%rd3;\n"
    "setp.lt.s32 %%p1, %%r1, %%r2; setp.lt.u32 %%p2, %%r2, %%r3;\n"
    "mov.u16 %%h9, 11; mov.u32 %%r8, 12; mov.u32 %%r9, 13; mov.u64 %%rd9, 14; mov.pred %%p8, 0; mov.pred %%p9, 1;\n"
    "%s\n"
    "st.global.u16 [%%rd4+128], %%h9; st.global.u32 [%%rd4+132], %%r8; st.global.u32 [%%rd4+136], %%r9;\n"
    "st.global.u64 [%%rd4+144], %%rd9; selp.u32 %%r8, 1, 0, %%p8; selp.u32 %%r9, 1, 0, %%p9;\n"
    "st.global.v2.u32 [%%rd4+152], {%%r8, %%r9};\n"
    "ret;\n}\n";

enum { MEMORY_BYTES = 256 };

struct params { // of the frame's kernel
    uint64_t a, b, c, memory;
    uint8_t e[20];
};

// Numbers where integer and floating-point rules change, in every width at once where possible.
static uint64_t interesting(struct rng *r)
{
    static const uint64_t edges[] = {
        0, 1, UINT64_MAX, 0x8000000000000000, 0x7fffffffffffffff, 0x80000000, 0x7fffffff, 0x8000, 0x7fff, 0xffff, 31,
        32, 33, 63, 64, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0x00800000, 0x00000001, 0x807fffff, 0x3f800000,
        0xbf800000, 0x4f000000, 0xcf000000, 0x5f000000, 0x7f7fffff, 0x3f000000, 0x3fc00000, 0x7c00, 0xfc00, 0x7e01,
        0x0400, 0x83ff, 0x3c00, 0x3c003c00, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
        0x7ff0000000000001, 0x0010000000000000, 0x000fffffffffffff, 0x8000000000000001, 0x3ff0000000000000,
        0xbff8000000000000, 0x41dfffffffc00000, 0xc1e0000000000000, 0x43e0000000000000, 0x7fefffffffffffff,
        0x7c007e00, 0x80007fff,
    };
    uint64_t v = rng_next(r), kind = rng_next(r) % 8;
    if (kind < 4) return edges[v % (sizeof edges / sizeof *edges)];
    if (kind == 4) return (uint64_t)(int64_t)(int8_t)v;
    if (kind == 5) return v >> (v % 64);
    if (kind == 6) return (v & 0x807fffff807fffff) | (0x3f80000041000000 + (v % 64 << 23)); // floats of moderate size
    return v;
}

static void begin_memory(uint8_t *memory, const struct params *p)
{
    for (unsigned k = 0; k < MEMORY_BYTES; k++) memory[k] = (uint8_t)(k * 37 + 11);
    memcpy(memory, p, 24);
}

static bool run_oracle(const struct ptx_module *m, const struct ptx_function *kernel, const struct params *p,
                       uint8_t *memory)
{
    struct oracle *o = oracle_create(m);
    oracle_map(o, EVAL_GLOBAL, memory, MEMORY_BYTES);
    struct oracle_launch launch = {.kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = p};
    bool ran = oracle_launch(o, &launch);
    oracle_destroy(o);
    return ran;
}

static bool run_lowered(struct ir_function *f, struct eval *e, const struct params *p, uint8_t *memory)
{
    memset(e, 0, sizeof *e);
    e->steps_max = 10000;
    memcpy(&e->bank[BANK_LAUNCH_PARAMS], p, sizeof *p);
    memcpy(e->memory[SPACE_GLOBAL], memory, MEMORY_BYTES);
    bool ran = eval_run(e, f, NULL);
    memcpy(memory, e->memory[SPACE_GLOBAL], MEMORY_BYTES);
    return ran;
}

static unsigned first_difference(const uint8_t *a, const uint8_t *b)
{
    unsigned k = 0;
    while (k < MEMORY_BYTES && a[k] == b[k]) k++;
    return k;
}

static void check_inputs(struct test *t, struct lowered *l, const char *row, const struct params *p)
{
    static const char *const names[] = {"%h9", "%r8", "%r9", "%r9", "%rd9", "%rd9", "%p8", "%p9"};
    uint8_t want[MEMORY_BYTES], got[MEMORY_BYTES];
    struct eval *e = heap_alloc(sizeof *e);
    begin_memory(want, p);
    begin_memory(got, p);
    bool wanted = run_oracle(l->module, l->unit->functions.data[0]->source, p, want);
    bool ran = run_lowered(l->unit->functions.data[0], e, p, got);
    CHECK_MSG(t, wanted && ran, "%s: oracle %s, evaluator %s", row, wanted ? "ran" : "failed", ran ? "ran" : e->error);
    unsigned at = first_difference(want, got);
    uint64_t w = 0, g = 0;
    if (at < MEMORY_BYTES) {
        memcpy(&w, want + (at & ~7u), 8);
        memcpy(&g, got + (at & ~7u), 8);
    }
    CHECK_MSG(t, at == MEMORY_BYTES || !wanted || !ran,
              "%s with %#" PRIx64 ", %#" PRIx64 ", %#" PRIx64 ": byte %u (%s): %#" PRIx64 ", and the oracle has %#" PRIx64,
              row, p->a, p->b, p->c, at, at >= 128 && at < 160 ? names[(at - 128) / 4] : "memory", g, w);
    free(e);
}

static void check_row(struct test *t, const char *row, unsigned tries)
{
    struct strbuf ptx = {0}, messages = {0};
    struct lowered l;
    struct rng r = {.state = test_seed(7)};
    strbuf_printf(&ptx, frame, row);
    lowered_open(&l, strbuf_text(&ptx), "k", 1);
    lowered_messages(&l, &messages);
    CHECK_MSG(t, l.unit && !lowered_fault(&l), "%s: %s", row, strbuf_text(&messages));
    for (unsigned n = 0; n < tries && l.unit && !test_failed(t); n++) {
        struct params p = {.memory = EVAL_GLOBAL, .a = interesting(&r), .b = interesting(&r), .c = interesting(&r)};
        for (unsigned k = 0; k < sizeof p.e; k++) p.e[k] = (uint8_t)rng_next(&r);
        check_inputs(t, &l, row, &p);
    }
    lowered_close(&l);
    strbuf_fini(&ptx);
    strbuf_fini(&messages);
}

#define CHECK_ROWS(t, rows)                                                                                            \
    for (size_t k = 0; k < TEST_COUNT(rows); k++) check_row((t), (rows)[k], test_is_long() ? 20000 : 400)

static void test_integer(struct test *t) { CHECK_ROWS(t, integer_rows); }
static void test_bits(struct test *t) { CHECK_ROWS(t, bit_rows); }
static void test_compare(struct test *t) { CHECK_ROWS(t, compare_rows); }
static void test_float(struct test *t) { CHECK_ROWS(t, float_rows); }
static void test_convert(struct test *t) { CHECK_ROWS(t, convert_rows); }
static void test_memory(struct test *t) { CHECK_ROWS(t, memory_rows); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"integer", test_integer}, {"bits", test_bits},       {"compare", test_compare},
        {"float", test_float},     {"convert", test_convert}, {"memory", test_memory},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
