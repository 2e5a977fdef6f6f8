// Machine code selected for small bodies, profile sass: one row per pattern. A row's code excludes loads
// of the body's operands and stores of its results (compile/compiled.h). Fails when the selected code
// differs from the row's.
#include "base/str.h"
#include "compile/compiled.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const char *body, *code;
};

// How every kernel of profile pascal begins.
static const char stack_top[] = "MOV R, c[0x0][0x28]; ";

static void check_rows(struct test *t, const struct row *rows, size_t count, enum program_profile profile)
{
    for (size_t k = 0; k < count; k++) {
        struct compile_options o;
        compile_options_default(&o);
        o.check = true;
        o.profile = (uint8_t)profile;
        char *text = compiled_body_text(rows[k].body);
        struct program *p = compiled_text(t, text, &o);
        char *code = p ? compiled_skeleton(p) : NULL;
        const char *own = code && str_starts_with(code, stack_top) ? code + strlen(stack_top) : code;
        if (code && strcmp(own, rows[k].code))
            test_fail(t, __FILE__, __LINE__, "%s\n        gives %s\n          not %s", rows[k].body, own,
                      rows[k].code);
        free(code);
        free(text);
        program_free(p);
    }
}

static const struct row sums[] = {
    {"add.u32 %r9, %r1, %r2;", "IADD3 R, R, R, RZ"},
    {"add.u32 %r9, %r1, 100;", "IADD3 R, R, 0x64, RZ"},
    {"add.u32 %r9, %r1, %n;", "IADD3 R, R, c[0x0][0x168], RZ"},
    {"sub.u32 %r9, %r1, %r2;", "IADD3 R, R, -R, RZ"},
    {"sub.u32 %r9, 7, %r2;", "IADD3 R, -R, 0x7, RZ"},
    {"sub.u32 %r9, %n, %r2;", "IADD3 R, -R, c[0x0][0x168], RZ"},
    {"neg.s32 %r9, %r1;", "IADD3 R, -R, RZ, RZ"},
    {"add.u32 %r5, %r1, %r2; add.u32 %r9, %r5, %r3;", "IADD3 R, R, R, R"},
    {"add.u32 %r5, %r1, %r2; sub.u32 %r9, %r5, %r3;", "IADD3 R, -R, R, R"},
    {"add.u32 %r5, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r9, %r5, %r6;",
     "IADD3 R, R, R, RZ; IADD3 R, R, R, R"},
    {"add.u32 %r5, %r1, %n; add.u32 %r9, %r5, %x;",
     "IADD3 R, R, c[0x0][0x168], RZ; IADD3 R, R, c[0x0][0x16c], RZ"},
    {"not.b32 %r5, %r1; add.u32 %r9, %r5, %r2;", "IADD3 R, R, -R, 0xffffffff"},
    {"shl.b32 %r5, %r1, 3; add.u32 %r9, %r5, %r2;", "LEA R, R, R, 0x3"},
    {"shl.b32 %r5, %r1, 3; add.u32 %r9, %r5, 100;", "LEA R, R, 0x64, 0x3"},
    {"shl.b32 %r5, %r1, 3; add.u32 %r9, %r5, %n;", "LEA R, R, c[0x0][0x168], 0x3"},
    {"shf.l.wrap.b32 %r5, %r1, %r1, 7; add.u32 %r9, %r5, %r2;", "LEA.HI R, R, R, R, 0x7"},
    {"shf.r.wrap.b32 %r5, %r1, %r3, 7; add.u32 %r9, %r2, %r5;", "LEA.HI R, R, R, R, 0x19"},
    {"shr.u32 %r5, %r1, 27; add.u32 %r9, %r5, %r2;", "LEA.HI R, R, R, RZ, 0x5"},
    {"shr.s32 %r5, %r1, 27; add.u32 %r9, %r5, %n;", "LEA.HI.SX32 R, R, c[0x0][0x168], 0x5"},
    {"shr.u32 %r5, %r1, 27; sub.u32 %r9, %r2, %r5;", "SHR.U32 R, R, 0x1b; IADD3 R, R, -R, RZ"},
    {"shf.l.wrap.b32 %r5, %r1, %r1, 7; add.u32 %r6, %r5, %r2; add.u32 %r9, %r6, %r3;",
     "SHF.L.W.U32 R, R, 0x7, R; IADD3 R, R, R, R"},
    {"mad.lo.u32 %r9, %r1, %r2, %r3;", "IMAD R, R, R, R"},
    {"mul.lo.u32 %r9, %r1, 12;", "IMAD R, R, 0xc, RZ"},
    {"mul.hi.u32 %r9, %r1, %r2;", "IMAD.HI.U32 R, R, R, RZ"},
    {"mul.wide.s32 %rd9, %r1, 4;", "IMAD.WIDE R, R, 0x4, RZ"},
    {"mul.wide.s32 %rd5, %r1, 4; add.s64 %rd9, %rd5, %big;", "MOV R, 0x4; IMAD.WIDE R, R, R, c[0x0][0x170]"},
    {"cvt.u64.u32 %rd5, %r1; shl.b64 %rd6, %rd5, 2; add.u64 %rd9, %rd6, %big;",
     "MOV R, 0x4; IMAD.WIDE.U32 R, R, R, c[0x0][0x170]"},
    {"shl.b64 %rd5, %rd1, 3; add.u64 %rd9, %rd5, %rd2;", "LEA R, P, R, R, 0x3; LEA.HI.X R, R, R, R, 0x3, P"},
    {"add.u64 %rd9, %rd1, %rd2;", "IADD3 R, P, R, R, RZ; IADD3.X R, R, R, RZ, P"},
    {"sub.u64 %rd9, %rd1, 5;", "IADD3 R, P, R, 0xfffffffb, RZ; IADD3.X R, R, 0xffffffff, RZ, P"},
    {"mul.lo.u64 %rd9, %rd1, %rd2;", "IMAD.WIDE.U32 R, R, R, RZ; IMAD R, R, R, R; IMAD R, R, R, R"},
    {"neg.s64 %rd9, %rd1;", "IADD3 R, P, RZ, -R, RZ; IADD3.X R, RZ, ~R, RZ, P"},
};

static const struct row logic[] = {
    {"and.b32 %r9, %r1, 255;", "LOP3.LUT R, R, 0xff, RZ, 0xc0"},
    {"not.b32 %r9, %r1;", "LOP3.LUT R, R, RZ, RZ, 0xf"},
    {"and.b32 %r5, %r1, %r2; or.b32 %r9, %r5, %r3;", "LOP3.LUT R, R, R, R, 0xf8"},
    {"xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3; xor.b32 %r9, %r6, %r2;", "LOP3.LUT R, R, R, R, 0xb8"},
    {"and.b32 %r5, %r1, %r2; xor.b32 %r6, %r4, %r5; and.b32 %r7, %r3, %r2; xor.b32 %r9, %r6, %r7;",
     "LOP3.LUT R, R, R, R, 0x78; LOP3.LUT R, R, R, R, 0x78"},
    {"not.b32 %r5, %r1; and.b32 %r6, %r5, %r2; or.b32 %r9, %r6, 15;", "LOP3.LUT R, R, 0xf, R, 0xdc"},
    // a choice by bits, and a majority: four leaves on the way to three
    {"and.b32 %r5, %r1, %r2; not.b32 %r6, %r1; and.b32 %r7, %r3, %r6; or.b32 %r9, %r5, %r7;",
     "LOP3.LUT R, R, R, R, 0xe2"},
    {"and.b32 %r5, %r1, %r2; and.b32 %r6, %r1, %r3; and.b32 %r7, %r2, %r3; or.b32 %r8, %r5, %r6; "
     "or.b32 %r9, %r8, %r7;",
     "LOP3.LUT R, R, R, R, 0xe8"},
    {"and.b32 %r5, %r1, 7; setp.ne.u32 %p5, %r5, 0;", "LOP3.LUT RZ, P, R, 0x7, RZ, 0xc0"},
    {"and.b32 %r5, %r1, 7; setp.eq.u32 %p5, %r5, 0;", "LOP3.LUT RZ, P, R, 0x7, RZ, 0xc0"},
    {"and.b32 %r9, %r1, 7; setp.eq.u32 %p5, %r9, 0;", "LOP3.LUT R, P, R, 0x7, RZ, 0xc0"},
    {"and.pred %p5, %p1, %p2;", "PLOP3.LUT P, PT, P, P, PT, 0xc0, 0x0"},
    {"not.pred %p3, %p1; and.pred %p4, %p3, %p2; or.pred %p5, %p4, %p1;",
     "PLOP3.LUT P, PT, P, P, PT, 0xfc, 0x0"},
    {"and.b64 %rd9, %rd1, 0xff00000000;", "MOV R, RZ; LOP3.LUT R, R, 0xff, RZ, 0xc0"},
    {"shl.b32 %r9, %r1, %r2;", "SHL R, R, R"},
    {"shr.s32 %r9, %r1, 3;", "SHR R, R, 0x3"},
    {"shl.b64 %rd9, %rd1, %r1;", "SHF.L.U64 R, R, R, R; SHL R, R, R"},
    {"shf.l.wrap.b32 %r9, %r1, %r2, 5;", "SHF.L.W.U32 R, R, 0x5, R"},
    {"bfe.u32 %r9, %r1, 8, 4;", "SHR.U32 R, R, 0x8; LOP3.LUT R, R, 0xf, RZ, 0xc0"},
    {"bfe.u32 %r9, %r1, 8, 16;", "PRMT R, R, 0x7721, RZ"},
    {"bfe.s32 %r9, %r1, 20, 12;", "SHR R, R, 0x14"},
    {"bfe.s32 %r9, %r1, 0, 5;", "SGXT R, R, 0x5"},
    {"shr.u32 %r5, %r1, 5; and.b32 %r9, %r5, 1023;", "SHR.U32 R, R, 0x5; LOP3.LUT R, R, 0x3ff, RZ, 0xc0"},
    {"bfe.u32 %r9, %r1, %r2, 4;", "BFE.U32 R, R, R, 0x4"},
    {"bfi.b32 %r9, %r1, %r2, 8, 4;", "BFI R, R, 0x408, R"},
    {"bfi.b32 %r9, %r1, %r2, 16, 8;", "PRMT R, R, 0x7054, R"},
    {"bfi.b32 %r9, %r1, %r2, %r3, %r4;", "PRMT R, R, 0x4440, RZ; PRMT R, R, 0x2240, R; BFI R, R, R, R"},
    {"prmt.b32 %r9, %r1, %r2, 0x5410;", "PRMT R, R, 0x5410, R"},
    {"cvt.s32.s8 %r9, %r1;", "PRMT R, R, 0x8880, RZ"},
    {"cvt.u32.u16 %r9, %r1;", "LOP3.LUT R, R, 0xffff, RZ, 0xc0"},
    {"popc.b64 %r9, %rd1;", "POPC R, R; POPC R, R; IADD3 R, R, R, RZ"},
};

static const struct row compares[] = {
    {"setp.lt.s32 %p5, %r1, %r2;", "ISETP.LT.AND P, PT, R, R, PT"},
    {"setp.lt.u32 %p5, %r1, 5;", "ISETP.LT.U32.AND P, PT, R, 0x5, PT"},
    {"setp.lt.u32 %p5, 5, %r1;", "ISETP.GT.U32.AND P, PT, R, 0x5, PT"},
    {"setp.lt.s32 %p3, %r1, %r2; and.pred %p5, %p3, %p1;", "ISETP.LT.AND P, PT, R, R, P"},
    {"setp.lt.s32 %p3, %r1, %r2; setp.ge.s32 %p4, %r3, %n; or.pred %p5, %p3, %p4;",
     "ISETP.GE.AND P, PT, R, c[0x0][0x168], PT; ISETP.LT.OR P, PT, R, R, P"},
    {"setp.lt.f32 %p3, %f1, %f2; not.pred %p4, %p3; and.pred %p5, %p4, %p1;", "FSETP.GEU.AND P, PT, R, R, P"},
    {"setp.lt.s64 %p5, %rd1, %rd2;", "ISETP.LT.U32.AND P, PT, R, R, PT; ISETP.LT.AND.EX P, PT, R, R, PT, P"},
    {"setp.eq.u64 %p5, %rd1, 0;",
     "ISETP.EQ.U32.AND P, PT, R, RZ, PT; ISETP.EQ.U32.AND.EX P, PT, R, RZ, PT, P"},
    {"setp.ltu.f32 %p5, %f1, 1.5;", "FSETP.LTU.AND P, PT, R, 1.5, PT"},
    {"setp.gt.f64 %p5, %fd1, 2.0;", "DSETP.GT.AND P, PT, R, 2.0, PT"},
    {"abs.f32 %f5, %f1; setp.lt.ftz.f32 %p5, %f5, %f2;", "FSETP.LT.FTZ.AND P, PT, |R|, R, PT"},
    {"selp.u32 %r9, %r1, %r2, %p1;", "SEL R, R, R, P"},
    {"selp.u32 %r9, 5, %r2, %p1;", "SEL R, R, 0x5, !P"},
    {"selp.b64 %rd9, %rd1, %rd2, %p1;", "SEL R, R, R, P; SEL R, R, R, P"},
    {"min.s32 %r9, %r1, 10;", "IMNMX R, R, 0xa, PT"},
    {"max.f32 %f9, %f1, %f2;", "FMNMX R, R, R, !PT"},
};

// Selects of an instruction's result: the instruction under a guard, if the register of the other value is free
// behind it. As ptxas 11.8 has them for sm_70, but for the order.
static const struct row guarded[] = {
    {"add.u32 %r5, %r1, 1; selp.b32 %r9, %r5, %r1, %p1;", "@P IADD3 R, R, 0x1, RZ"},
    {"add.u32 %r5, %r1, 1; selp.b32 %r9, %r1, %r5, %p1;", "@!P IADD3 R, R, 0x1, RZ"},
    {"add.u32 %r5, %r1, %r2; selp.b32 %r9, %r5, %r3, %p1;", "@P IADD3 R, R, R, RZ"},
    {"not.pred %p3, %p1; mul.lo.u32 %r5, %r1, %r2; selp.b32 %r9, %r5, %r1, %p3;", "@!P IMAD R, R, R, RZ"},
    {"fma.rn.f32 %f5, %f1, %f2, %f3; selp.f32 %f9, %f5, %f1, %p1;", "@P FFMA R, R, R, R"},
    {"selp.b32 %r5, %r1, %r2, %p1; selp.b32 %r9, %r5, %r3, %p2;", "@P SEL R, R, R, P"},
    {"add.u32 %r5, %r1, %r2; sub.u32 %r6, %r1, %r3; selp.b32 %r9, %r5, %r6, %p1;",
     "IADD3 R, R, R, RZ; @!P IADD3 R, R, -R, RZ"},
    // the other value is read later, is no register, or the instruction is not the last of one result
    {"add.u32 %r5, %r1, 1; selp.b32 %r6, %r5, %r1, %p1; mul.lo.u32 %r9, %r6, %r1;",
     "IADD3 R, R, 0x1, RZ; SEL R, R, R, P; IMAD R, R, R, RZ"},
    {"add.u32 %r5, %r1, %r2; selp.b32 %r9, %r5, 7, %p1;", "IADD3 R, R, R, RZ; SEL R, R, 0x7, P"},
    {"add.u32 %r5, %r1, %r2; selp.b32 %r9, %r5, %n, %p1;", "IADD3 R, R, R, RZ; SEL R, R, c[0x0][0x168], P"},
    {"add.u64 %rd5, %rd1, %rd2; selp.b64 %rd9, %rd5, %rd1, %p1;",
     "IADD3 R, P, R, R, RZ; IADD3.X R, R, R, RZ, P; SEL R, R, R, P; SEL R, R, R, P"},
};

static const struct row floats[] = {
    {"add.f32 %f9, %f1, %f2;", "FADD R, R, R"},
    {"sub.f32 %f9, %f1, %f2;", "FADD R, R, -R"},
    {"neg.f32 %f5, %f1; fma.rn.f32 %f9, %f5, %f2, %f3;", "FFMA R, -R, R, R"},
    {"fma.rn.ftz.f32 %f9, %f1, 2.5, %f2;", "FFMA.FTZ R, R, 2.5, R"},
    {"fma.rn.f32 %f9, %f1, %f2, 2.5;", "FFMA R, R, R, 2.5"},
    {"abs.f32 %f5, %f1; add.sat.f32 %f9, %f5, %f2;", "FADD.SAT R, R, |R|"},
    {"neg.f32 %f9, %f1;", "LOP3.LUT R, R, 0x80000000, RZ, 0x3c"},
    {"mul.rz.f32 %f9, %f1, %f2;", "FMUL.RZ R, R, R"},
    {"rcp.approx.ftz.f32 %f9, %f1;", "MUFU.RCP.FTZ R, R"},
    {"lg2.approx.f32 %f9, %f1;",
     "FSETP.LT.AND P, PT, |R|, 1.1754944e-38, PT; @P FMUL R, R, 16777216.0; MUFU.LG2.FTZ R, R; "
     "@P FADD R, R, -24.0"},
    {"ex2.approx.f32 %f9, %f1;",
     "FSETP.LT.AND P, PT, R, -126.0, PT; @P FMUL R, R, 0.5; MUFU.EX2.FTZ R, R; @P FMUL R, R, R"},
    {"neg.f32 %f5, %f1; rsqrt.approx.f32 %f9, %f5;",
     "FADD R, -R, -RZ; FSETP.LT.AND P, PT, |R|, 1.1754944e-38, PT; @P FMUL R, R, 16777216.0; "
     "MUFU.RSQ.FTZ R, R; @P FMUL R, R, 4096.0"},
    {"div.approx.f32 %f9, %f1, %f2;",
     "FSETP.LT.AND P, PT, |R|, 1.1754944e-38, PT; @P FMUL R, R, 16777216.0; @P FMUL R, R, 16777216.0; "
     "MUFU.RCP.FTZ R, R; FMUL R, R, R"},
    {"add.f64 %fd9, %fd1, 0.5;", "DADD R, R, 0.5"},
    {"fma.rn.f64 %fd9, %fd1, 0.1, %fd2;", "DFMA R, R, c[0x2][0x0], R"},
    {"fma.rn.f64 %fd5, %fd1, 0.1, 0.3; fma.rn.f64 %fd9, %fd5, 0.1, 0.3;",
     "MOV R, c[0x2][0x0]; MOV R, c[0x2][0x4]; DFMA R, R, R, c[0x2][0x8]; DFMA R, R, R, c[0x2][0x8]"},
    {"neg.f64 %fd5, %fd1; mul.f64 %fd9, %fd5, %fd2;", "DMUL R, R, -R"},
    {"neg.f64 %fd9, %fd1;", "LOP3.LUT R, R, 0x80000000, RZ, 0x3c"},
    {"cvt.f64.f32 %fd9, %f1;", "F2F.F64.F32 R, R"},
    {"cvt.rzi.s32.f32 %r9, %f1;", "F2I.S32.F32.TRUNC R, R"},
    {"cvt.rn.f32.u32 %f9, %r1;", "I2F.F32.U32 R, R"},
    {"cvt.rmi.f32.f32 %f9, %f1;", "FRND.F32.FLOOR R, R"},
    {"cvt.rn.f16x2.f32 %r9, %f1, %f2;", "F2FP.F16 R, R, R"},
    {"fma.rn.f16x2 %r9, %r1, %r2, %r3;", "HFMA2.F16 R, R, R, R"},
    {"mov.b32 {%h1, %h2}, %r1; cvt.rn.f16x2.e5m2x2 %r9, %h1;", "F2FP.UNPACK.F16.E5M2 R, R"},
};

static const struct row memory[] = {
    {"ld.global.u32 %r9, [%rd1+16];", "LDG.E R, [R+0x10]"},
    {"add.u64 %rd5, %rd1, 40; ld.global.u32 %r9, [%rd5+16];", "LDG.E R, [R+0x38]"},
    {"ld.global.u8 %r5, [%rd1]; add.u32 %r9, %r5, 1;", "LDG.E.U8 R, [R]; IADD3 R, R, 0x1, RZ"},
    {"ld.global.s8 %r9, [%rd1];", "LDG.E.S8 R, [R]"},
    {"ld.global.nc.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1]; add.u32 %r9, %r5, %r8;",
     "LDG.E.128.CONSTANT R, [R]; IADD3 R, R, R, RZ"},
    {"ld.global.v2.u16 {%h1, %h2}, [%rd1]; cvt.u32.u16 %r9, %h2;", "LDG.E R, [R]; SHR.U32 R, R, 0x10"},
    {"shl.b32 %r5, %r1, 2; mov.u32 %r6, tile; add.u32 %r7, %r6, %r5; ld.shared.u32 %r9, [%r7+8];",
     "SHL R, R, 0x2; LDS R, [R+0x8]"},
    {"ld.shared.u32 %r9, [tile+64];", "LDS R, [0x40]"},
    {"st.global.v2.u32 [%rd1], {%r1, %r2};", "STG.E.64 [R], R"},
    {"st.shared.u32 [tile], 0;", "STS [0x0], RZ"},
    {"atom.global.add.u32 %r9, [%rd1], %r1;", "ATOMG.E.ADD.U32.STRONG.GPU R, [R], R"},
    {"red.global.add.f32 [%rd1], %f1;", "RED.E.GLOBAL.ADD.F32.STRONG.GPU [R], R"},
    {"atom.shared.cas.b32 %r9, [tile+4], %r1, %r2;", "ATOMS.CAS.U32.STRONG.GPU R, [0x4], R, R"},
    {"@%p1 st.global.u32 [%rd1], %r1;", "@P STG.E [R], R"},
    {"mov.u32 %r9, 5; @!%p1 ld.global.u32 %r9, [%rd1];", "MOV R, 0x5; @!P LDG.E R, [R]"},
    {"shfl.sync.bfly.b32 %r9|%p5, %r1, 16, 31, -1;", "SHFL.BFLY R, P, R, 0x10, 0x1f, 0xffffffff"},
    {"vote.sync.ballot.b32 %r9, %p1, -1;", "VOTE R, P, 0xffffffff"},
};

static const struct row ptxplus[] = {
    {"add.u32 %r5, %r1, %r2; add.u32 %r9, %r5, %r3;", "IADD3 R, R, R, RZ; IADD3 R, R, R, RZ"},
    {"shl.b32 %r5, %r1, 3; add.u32 %r9, %r5, %r2;", "SHL R, R, 0x3; IADD3 R, R, R, RZ"},
    {"ld.shared.f32 %f5, [%r1]; fma.rn.f32 %f9, %f5, %f2, %f1;", "FFMA R, R, s[R], R"},
    {"ld.shared.f32 %f5, [%r1]; ld.shared.f32 %f6, [%r2+4]; fma.rn.f32 %f9, %f5, %f6, %f1;",
     "MOV R, s[R]; FFMA R, R, s[R+0x4], R"},
    {"ld.shared.u32 %r5, [%r1+512]; add.u32 %r9, %r5, 1;",
     "IADD3 R, R, 0x200, RZ; MOV R, s[R]; IADD3 R, R, 0x1, RZ"},
    {"ld.shared.v2.u32 {%r5, %r6}, [%r1]; sub.u32 %r9, %r5, %r6;",
     "MOV R, s[R]; MOV R, s[R+0x4]; IADD3 R, R, -R, RZ"},
    {"ld.shared.u32 %r5, [%r1]; st.shared.u32 [%r2], 0; add.u32 %r9, %r5, 1;",
     "MOV R, s[R]; STS [R], RZ; IADD3 R, R, 0x1, RZ"},
    {"ld.shared.u32 %r5, [%r1]; add.u32 %r6, %r5, 1; add.u32 %r9, %r6, %r5;",
     "MOV R, s[R]; IADD3 R, R, R, RZ; IADD3 R, R, 0x1, RZ"},
    {"ld.shared.u16 %r9, [%r1+512];", "IADD3 R, R, 0x200, RZ; LDS.U16 R, [R]"},
    {"and.b32 %r5, %r1, %r2; or.b32 %r9, %r5, %r3;",
     "LOP3.LUT R, R, R, RZ, 0xc0; LOP3.LUT R, R, R, RZ, 0xfc"},
    {"setp.lt.s32 %p3, %r1, %r2; and.pred %p5, %p3, %p1;",
     "ISETP.LT.AND P, PT, R, R, PT; PLOP3.LUT P, PT, P, P, PT, 0xc0, 0x0"},
};

// Sequences inferred from instruction counts of vecadd, quasirandomGenerator and other programs on a GTX
// 1080 Ti.
static const struct row pascal[] = {
    {"mad.lo.u32 %r9, %r1, %r2, %r3;",
     "XMAD.MRG.U16.U16 R, R, R.H1, RZ; XMAD.U16.U16 R, R, R, R; XMAD.PSL.CBCC.U16.U16 R, R.H1, R.H1, R"},
    {"mul.lo.u32 %r9, %r1, 12;", "XMAD.U16.U16 R, R, 0xc, RZ; XMAD.PSL.U16.U16 R, R.H1, 0xc, R"},
    {"mul.lo.u32 %r9, %r1, 0x20003;",
     "XMAD.U16.U16 R, R, 0x3, RZ; XMAD.PSL.U16.U16 R, R.H1, 0x3, R; XMAD.PSL.U16.U16 R, R, 0x2, R"},
    {"mad.lo.u32 %r9, %r1, 8, %r2;", "LEA R, R, R, 0x3"},
    {"and.b32 %r5, %r1, 255; mul.lo.u32 %r9, %r5, 12;",
     "LOP3.LUT R, R, 0xff, RZ, 0xc0; XMAD.U16.U16 R, R, 0xc, RZ"},
    {"and.b32 %r5, %r1, 255; mul.lo.u32 %r9, %r5, %r2;",
     "LOP3.LUT R, R, 0xff, RZ, 0xc0; XMAD.U16.U16 R, R, R, RZ; XMAD.PSL.U16.U16 R, R.H1, R, R"},
    {"mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r9, %r5, %r6, %r1;",
     "S2R R, SR_CTAID.X; XMAD.MRG.U16.U16 R, R, c[0x0][0x0].H1, RZ; XMAD.U16.U16 R, R, c[0x0][0x0], R; "
     "XMAD.PSL.CBCC.U16.U16 R, R.H1, R.H1, R"},
    {"mul.hi.u32 %r9, %r1, %r2;",
     "XMAD.U16.U16 R, R, R, RZ; XMAD.U16.U16 R, R, R.H1, RZ; XMAD.U16.U16 R, R.H1, R.H1, RZ; "
     "XMAD.CHI.U16.U16 R, R.H1, R, R; IADD3.RS.U32 R, R, R, R"},
    {"mul.wide.s32 %rd9, %r1, 4;", "SHL R, R, 0x2; SHR R, R, 0x1e"},
    {"mul.wide.s32 %rd5, %r1, 4; add.s64 %rd9, %rd5, %big;",
     "SHL R, R, 0x2; SHR R, R, 0x1e; IADD3 R, P, R, c[0x0][0x170], RZ; IADD3.X R, R, c[0x0][0x174], RZ, P"},
    {"mul.wide.u32 %rd5, %r1, 4; add.s64 %rd9, %rd5, %big;",
     "LEA R, P, R, c[0x0][0x170], 0x2; LEA.HI.X R, R, c[0x0][0x174], RZ, 0x2, P"},
    {"mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd5, %big; add.s64 %rd7, %rd5, %rd1; xor.b64 %rd9, %rd6, "
     "%rd7;",
     "SHL R, R, 0x2; SHR.U32 R, R, 0x1e; IADD3 R, P, R, c[0x0][0x170], RZ; IADD3 R, P, R, R, RZ; "
     "IADD3.X R, R, c[0x0][0x174], RZ, P; IADD3.X R, R, R, RZ, P; LOP3.LUT R, R, R, RZ, 0x3c; "
     "LOP3.LUT R, R, R, RZ, 0x3c"},
    {"mul.wide.s32 %rd9, %r1, 12;",
     "XMAD.U16.U16 R, R, 0xc, RZ; XMAD.CHI.S16.U16 R, R.H1, 0xc, R; XMAD.PSL.U16.U16 R, R.H1, 0xc, R; "
     "SHR R, R, 0x10"},
    {"shl.b32 %r5, %r1, 28; shr.s32 %r9, %r5, 31;", "BFE R, R, 0x3, 0x1"},
    {"sin.approx.ftz.f32 %f9, %f1;", "RRO.SINCOS R, R; MUFU.SIN.FTZ R, R"},
    {"ex2.approx.ftz.f32 %f9, %f1;", "RRO.EX2 R, R; MUFU.EX2.FTZ R, R"},
    {"sin.approx.ftz.f32 %f5, %f1; cos.approx.ftz.f32 %f6, %f1; add.f32 %f9, %f5, %f6;",
     "RRO.SINCOS R, R; MUFU.SIN.FTZ R, R; MUFU.COS.FTZ R, R; FADD R, R, R"},
    {"fma.rn.f32 %f9, %f1, 0f3F000000, %f2;", "FFMA R, R, 0.5, R"},
    {"fma.rn.f32 %f9, %f1, 0f3F333333, %f2;", "MOV R, 0x3f333333; FFMA R, R, R, R"},
    {"fma.rn.f32 %f9, %f1, %f2, 0f3F000000;", "MOV R, 0x3f000000; FFMA R, R, R, R"},
    {"mul.f32 %f9, %f1, 0f3F333333;", "FMUL R, R, 0.7"},
    {"min.f32 %f9, %f1, 0f3F333333;", "MOV R, 0x3f333333; FMNMX R, R, R, PT"},
    {"add.u32 %r5, %r1, %r2; add.u32 %r9, %r5, 524288;", "IADD3 R, R, R, 0x80000"},
};

static void test_sums(struct test *t) { check_rows(t, sums, TEST_COUNT(sums), PROFILE_SASS); }
static void test_logic(struct test *t) { check_rows(t, logic, TEST_COUNT(logic), PROFILE_SASS); }
static void test_guarded(struct test *t) { check_rows(t, guarded, TEST_COUNT(guarded), PROFILE_SASS); }
static void test_compares(struct test *t) { check_rows(t, compares, TEST_COUNT(compares), PROFILE_SASS); }
static void test_floats(struct test *t) { check_rows(t, floats, TEST_COUNT(floats), PROFILE_SASS); }
static void test_memory(struct test *t) { check_rows(t, memory, TEST_COUNT(memory), PROFILE_SASS); }
static void test_pascal(struct test *t) { check_rows(t, pascal, TEST_COUNT(pascal), PROFILE_PASCAL); }
static void test_ptxplus(struct test *t) { check_rows(t, ptxplus, TEST_COUNT(ptxplus), PROFILE_PTXPLUS); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sums", test_sums},         {"logic", test_logic},
                                             {"compares", test_compares}, {"guarded", test_guarded},
                                             {"floats", test_floats},     {"memory", test_memory},
                                             {"ptxplus", test_ptxplus},   {"pascal", test_pascal}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
