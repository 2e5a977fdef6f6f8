// Static instructions of small bodies beside ptxas's: profile pascal beside ptxas 11.8 for sm_61, profile volta
// beside ptxas 11.8 for sm_75. The counts of ptxas were measured with its listings (nvdisasm) of the same kernels
// (compiled_body_text), less those of a kernel with a move for a body. Fails if a body is compiled to more or
// fewer instructions than the row says, or if the means over all bodies leave what is claimed.
//
// Case `measured` takes the counts again, where WARPFOLD_PTXAS names a folder with ptxas and nvdisasm of CUDA 11.
#include "base/file.h"
#include "base/str.h"
#include "compile/compiled.h"
#include "isa/profile.h"
#include "isa/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *body;
    struct {
        int ptxas, ours;
    } pascal, volta;
};

static const struct row rows[] = {
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, 1; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, 1; selp.b32 %r8, %r5, %r3, %p3; mul.lo.s32 %r9, %r8, %r3;",
     {6, 6},
     {4, 4}},
    {"setp.lt.s32 %p3, %r1, %r2; sub.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; neg.s32 %r5, %r3; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; mul.lo.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, %r3, %p3;", {5, 5}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; xor.b32 %r5, %r3, %r4; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; shl.b32 %r5, %r3, 3; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, %r1, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; mov.b32 %f11, %r3; mov.b32 %f12, %r4; add.f32 %f13, %f11, %f12; selp.f32 "
     "%f14, %f13, %f11, %p3; mov.b32 %r9, %f14;",
     {2, 2},
     {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; mov.b32 %f11, %r3; mov.b32 %f12, %r4; fma.rn.f32 %f13, %f11, %f12, %f11; "
     "selp.f32 %f14, %f13, %f11, %p3; mov.b32 %r9, %f14;",
     {2, 2},
     {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, 1; selp.b32 %r9, %r3, %r5, %p3;", {2, 2}, {2, 2}},
    {"shf.l.wrap.b32 %r5, %r1, %r1, 7; add.s32 %r9, %r5, %r2;", {1, 1}, {1, 1}},
    {"shf.l.wrap.b32 %r5, %r1, %r1, 7; add.s32 %r6, %r5, %r2; add.s32 %r9, %r6, %r3;", {2, 2}, {2, 2}},
    {"shf.l.wrap.b32 %r5, %r1, %r1, 7; add.s32 %r9, %r5, 12345678;", {1, 1}, {1, 1}},
    {"shf.r.wrap.b32 %r5, %r1, %r1, 7; add.s32 %r9, %r5, %r2;", {1, 1}, {1, 1}},
    {"shf.l.wrap.b32 %r5, %r1, %r3, 7; add.s32 %r9, %r5, %r2;", {1, 1}, {1, 1}},
    {"shr.u32 %r5, %r1, 27; add.s32 %r9, %r5, %r2;", {1, 1}, {1, 1}},
    {"shr.s32 %r5, %r1, 27; add.s32 %r9, %r5, %r2;", {2, 2}, {1, 1}},
    {"shr.u32 %r5, %r1, 31; add.s32 %r9, %r5, %r1;", {1, 1}, {1, 1}},
    {"shr.u32 %r5, %r1, 27; sub.s32 %r9, %r2, %r5;", {2, 2}, {2, 2}},
    {"shl.b32 %r5, %r1, 3; sub.s32 %r9, %r2, %r5;", {1, 1}, {1, 1}},
    {"shl.b32 %r5, %r1, 3; sub.s32 %r9, %r5, %r2;", {1, 1}, {1, 1}},
    {"shl.b32 %r5, %r1, 3; add.s32 %r6, %r2, %r5; add.s32 %r9, %r6, %r3;", {2, 2}, {2, 2}},
    {"shl.b32 %r5, %r1, 3; add.s32 %r9, %r5, 100;", {1, 1}, {1, 1}},
    {"and.b32 %r5, %r1, %r2; not.b32 %r6, %r1; and.b32 %r7, %r3, %r6; or.b32 %r9, %r5, %r7;", {1, 1}, {1, 1}},
    {"and.b32 %r5, %r2, %r1; not.b32 %r6, %r1; and.b32 %r7, %r6, %r3; xor.b32 %r9, %r5, %r7;",
     {1, 1},
     {1, 1}},
    {"and.b32 %r5, %r1, %r2; and.b32 %r6, %r1, %r3; and.b32 %r7, %r2, %r3; or.b32 %r8, %r5, %r6; or.b32 %r9, "
     "%r8, %r7;",
     {1, 1},
     {1, 1}},
    {"xor.b32 %r5, %r1, %r2; and.b32 %r6, %r5, %r3; and.b32 %r7, %r1, %r2; xor.b32 %r9, %r6, %r7;",
     {1, 1},
     {1, 1}},
    {"xor.b32 %r5, %r1, %r2; xor.b32 %r6, %r5, %r3; xor.b32 %r9, %r6, %r4;", {2, 2}, {2, 2}},
    {"shl.b32 %r5, %r1, 8; or.b32 %r6, %r5, %r2; shl.b32 %r7, %r3, 16; or.b32 %r9, %r6, %r7;",
     {3, 3},
     {3, 3}},
    {"shr.u32 %r5, %r1, 8; and.b32 %r9, %r5, 255;", {1, 1}, {2, 2}},
    {"shr.u32 %r5, %r1, 5; and.b32 %r9, %r5, 1023;", {1, 1}, {2, 2}},
    {"div.u32 %r9, %r1, %r2;", {29, 29}, {18, 17}},
    {"rem.u32 %r9, %r1, %r2;", {28, 26}, {17, 14}},
    {"div.s32 %r9, %r1, %r2;", {35, 34}, {24, 22}},
    {"rem.s32 %r9, %r1, %r2;", {33, 30}, {22, 18}},
    {"div.u32 %r5, %r1, %r2; rem.u32 %r6, %r1, %r2; xor.b32 %r9, %r5, %r6;", {32, 31}, {22, 19}},
    {"mad.lo.s32 %r9, %r1, %r2, %r3;", {3, 3}, {1, 1}},
    {"mul24.lo.s32 %r9, %r1, %r2;", {5, 5}, {3, 3}},
    {"mul.lo.s32 %r9, %r1, 12345;", {2, 2}, {1, 1}},
    {"mul.lo.s32 %r9, %r1, 3;", {2, 2}, {1, 1}},
    {"mul.lo.s32 %r9, %r1, 1000;", {2, 2}, {1, 1}},
    {"mul.hi.u32 %r9, %r1, %r2;", {5, 5}, {1, 1}},
    {"mul.wide.u32 %rd9, %r1, %r2;", {8, 7}, {1, 1}},
    {"min.s32 %r5, %r1, %r2; min.s32 %r9, %r5, %r3;", {1, 2}, {2, 2}},
    {"max.s32 %r5, %r1, 0; min.s32 %r9, %r5, 255;", {2, 2}, {2, 2}},
    {"mul.wide.s32 %rd10, %r1, 4; add.s64 %rd9, %rd10, %big;", {3, 4}, {2, 2}},
    {"mul.wide.u32 %rd10, %r1, 4; add.s64 %rd9, %rd10, %big;", {3, 2}, {2, 2}},
    {"mad.lo.s32 %r5, %r1, %r2, %r3; mul.wide.s32 %rd10, %r5, 8; add.s64 %rd9, %rd10, %big;", {6, 7}, {3, 3}},
    {"abs.s32 %r9, %r1;", {1, 1}, {1, 1}},
    {"popc.b32 %r9, %r1;", {1, 1}, {1, 1}},
    {"clz.b32 %r9, %r1;", {2, 2}, {2, 2}},
    {"brev.b32 %r9, %r1;", {1, 1}, {1, 1}},
    {"prmt.b32 %r9, %r1, %r2, 0x5410;", {1, 1}, {1, 1}},
    {"bfe.u32 %r9, %r1, 5, 7;", {1, 1}, {2, 2}},
    {"bfi.b32 %r9, %r1, %r2, 5, 7;", {1, 1}, {2, 1}},
    {"add.s64 %rd9, %rd1, %rd2;", {2, 2}, {2, 2}},
    {"mul.wide.s32 %rd10, %r1, 4; add.s64 %rd11, %rd10, %rd1; add.s64 %rd12, %rd10, %rd2; add.s64 %rd13, "
     "%rd10, %rd3; "
     "add.s64 %rd14, %rd10, %big; add.s64 %rd15, %rd10, %in; ld.global.u32 %r5, [%rd11]; ld.global.u32 %r6, "
     "[%rd12]; "
     "ld.global.u32 %r7, [%rd13]; ld.global.u32 %r8, [%rd14]; ld.global.u32 %r10, [%rd15]; xor.b32 %r5, %r5, "
     "%r6; xor.b32 %r7, "
     "%r7, %r8; xor.b32 %r5, %r5, %r7; xor.b32 %r9, %r5, %r10;",
     {20, 20},
     {14, 14}},
    {"add.s64 %rd10, %rd1, 408; add.s64 %rd11, %rd2, %rd10; add.s64 %rd12, %rd3, %rd10; add.s64 %rd13, %in, "
     "%rd10; "
     "ld.global.u32 %r5, [%rd11]; ld.global.u32 %r6, [%rd12]; ld.global.u32 %r7, [%rd13]; ld.global.u32 %r8, "
     "[%rd12+4]; "
     "xor.b32 %r5, %r5, %r6; xor.b32 %r7, %r7, %r8; xor.b32 %r9, %r5, %r7;",
     {12, 12},
     {10, 12}},
    {"setp.lt.s32 %p3, %r1, %r2; mul.lo.s32 %r5, %r3, %r4; add.s32 %r5, %r5, %r1; selp.b32 %r6, %r5, %r2, "
     "%p3; xor.b32 %r7, "
     "%r6, %r4; selp.b32 %r9, %r7, %r2, %p3;",
     {6, 5},
     {4, 3}},
    {"mul.lo.s64 %rd9, %rd1, %rd2;", {15, 13}, {4, 3}},
    {"shl.b64 %rd9, %rd1, %r1;", {2, 2}, {2, 2}},
    {"mov.b32 %f11, %r1; sin.approx.f32 %f12, %f11; mov.b32 %r9, %f12;", {2, 2}, {2, 1}},
    {"mov.b32 %f11, %r1; ex2.approx.f32 %f12, %f11; mov.b32 %r9, %f12;", {5, 5}, {4, 4}},
    {"mov.b32 %f11, %r1; ex2.approx.ftz.f32 %f12, %f11; mov.b32 %r9, %f12;", {2, 2}, {1, 1}},
    {"mov.b32 %f11, %r1; lg2.approx.f32 %f12, %f11; mov.b32 %r9, %f12;", {4, 4}, {4, 4}},
    {"mov.b32 %f11, %r1; rsqrt.approx.f32 %f12, %f11; mov.b32 %r9, %f12;", {4, 4}, {4, 4}},
    {"mov.b32 %f11, %r1; sqrt.approx.f32 %f12, %f11; mov.b32 %r9, %f12;", {4, 4}, {4, 4}},
    {"mov.b32 %f11, %r1; mov.b32 %f12, %r2; div.full.f32 %f13, %f11, %f12; mov.b32 %r9, %f13;",
     {8, 9},
     {8, 9}},
    {"mov.b32 %f11, %r1; mov.b32 %f12, %r2; div.approx.f32 %f13, %f11, %f12; mov.b32 %r9, %f13;",
     {5, 5},
     {5, 5}},
    {"mov.b32 %f11, %r1; cvt.rzi.s32.f32 %r9, %f11;", {1, 1}, {1, 1}},
    {"cvt.rn.f32.s32 %f11, %r1; mov.b32 %r9, %f11;", {1, 1}, {1, 1}},
    {"and.b32 %r5, %r1, 255; cvt.rn.f32.u32 %f11, %r5; mov.b32 %r9, %f11;", {1, 2}, {1, 2}},
    {"mov.b32 %f11, %r1; mov.b32 %f12, %r2; min.f32 %f13, %f11, %f12; max.f32 %f14, %f13, 0f00000000; "
     "mov.b32 %r9, %f14;",
     {2, 2},
     {2, 2}},
    {"mov.b32 %f11, %r1; mov.b32 %f12, %r2; abs.f32 %f13, %f11; neg.f32 %f14, %f13; add.f32 %f15, %f14, "
     "%f12; mov.b32 %r9, %f15;",
     {1, 1},
     {1, 1}},
    {"setp.lt.s32 %p3, %r1, %r2; setp.lt.s32 %p4, %r3, %r4; and.pred %p6, %p3, %p4; selp.b32 %r9, 1, 0, %p6;",
     {3, 3},
     {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; setp.lt.s32 %p4, %r3, %r4; setp.eq.s32 %p6, %r1, %r4; and.pred %p7, %p3, "
     "%p4; or.pred %p8, %p7, %p6; selp.b32 %r9, 1, 0, %p8;",
     {4, 4},
     {4, 4}},
    {"slct.s32.s32 %r9, %r1, %r2, %r3;", {1, 2}, {2, 2}},
    {"set.lt.u32.s32 %r9, %r1, %r2;", {1, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; selp.u32 %r5, 1, 0, %p3; add.s32 %r9, %r3, %r5;", {3, 3}, {3, 3}},
    {"mov.b32 %f11, %r1; mov.b32 %f12, %r2; setp.lt.f32 %p3, %f11, %f12; selp.u32 %r5, 1, 0, %p3; add.s32 "
     "%r9, %r3, %r5;",
     {3, 3},
     {3, 3}},
    {"sad.u32 %r9, %r1, %r2, %r3;", {1, 1}, {1, 1}},
    {"dp4a.s32.s32 %r9, %r1, %r2, %r3;", {1, 1}, {1, 1}},
    {"cnot.b32 %r9, %r1;", {2, 2}, {3, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; sub.s32 %r6, %r1, %r3; selp.b32 %r9, %r5, %r6, %p3;",
     {3, 3},
     {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, 7, %p3;", {3, 3}, {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, 0, %p3;", {3, 3}, {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; min.s32 %r5, %r3, %r4; selp.b32 %r9, %r5, %r3, %p3;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; cvt.rn.f32.s32 %f11, %r3; mov.b32 %r5, %f11; selp.b32 %r9, %r5, %r4, %p3;",
     {2, 2},
     {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; mov.b32 %f11, %r3; rcp.approx.ftz.f32 %f12, %f11; mov.b32 %r5, %f12; "
     "selp.b32 %r9, %r5, %r4, %p3;",
     {2, 2},
     {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; bfe.u32 %r5, %r3, 3, 9; selp.b32 %r9, %r5, %r4, %p3;", {2, 2}, {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; prmt.b32 %r5, %r3, %r4, 0x5140; selp.b32 %r9, %r5, %r4, %p3;",
     {2, 2},
     {2, 2}},
    {"add.f64 %fd5, %fd1, %fd2; selp.f64 %fd9, %fd5, %fd1, %p1;", {3, 3}, {3, 3}},
    {"add.s64 %rd5, %rd1, %rd2; selp.b64 %rd9, %rd5, %rd1, %p1;", {4, 4}, {4, 4}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; selp.b32 %r8, %r5, %r3, %p3; add.s32 %r7, %r8, %r4; "
     "xor.b32 %r9, %r7, %r8;",
     {4, 4},
     {4, 4}},
    {"add.s32 %r5, %r3, %r1; selp.b32 %r9, %r5, %n, %p1;", {2, 2}, {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, %r4; xor.b32 %r6, %r5, %r1; selp.b32 %r9, %r6, %r2, %p3;",
     {3, 3},
     {3, 3}},
    {"xor.b32 %r7, %r3, %r4; setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, 1; selp.b32 %r8, %r5, %r3, %p3; "
     "add.s32 %r9, %r8, %r7;",
     {4, 4},
     {4, 4}},
    {"setp.lt.s32 %p3, %r1, %r2; add.s32 %r5, %r3, 1; selp.b32 %r8, %r5, %r3, %p3; add.s32 %r6, %r4, 3; "
     "selp.b32 %r7, %r6, %r4, %p3; xor.b32 %r9, %r7, %r8;",
     {4, 4},
     {4, 4}},
    {"setp.lt.s32 %p3, %r1, %r2; and.b32 %r5, %r3, %r4; xor.b32 %r6, %r5, %r2; selp.b32 %r9, %r6, %r4, %p3;",
     {3, 2},
     {3, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; mad.lo.s32 %r5, %r3, %r4, %r2; selp.b32 %r9, %r5, %r3, %p3;",
     {5, 5},
     {2, 2}},
    {"setp.lt.s32 %p3, %r1, %r2; shfl.sync.down.b32 %r5, %r3, 1, 31, -1; add.s32 %r6, %r5, %r3; selp.b32 "
     "%r9, %r6, %r3, %p3;",
     {2, 3},
     {2, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; setp.lt.s32 %p4, %r3, %r4; selp.u32 %r5, 1, 0, %p4; selp.b32 %r9, %r5, %r3, "
     "%p3;",
     {3, 3},
     {3, 3}},
    {"setp.lt.s32 %p3, %r1, %r2; setp.lt.s32 %p4, %r3, %r4; selp.b32 %r5, %r1, %r2, %p4; selp.b32 %r9, %r5, "
     "%r3, %p3;",
     {3, 3},
     {3, 3}},
};

// Instructions of the body. -1: refused.
static int count_ours(struct test *t, const char *body, enum program_profile profile)
{
    struct compile_options o;
    compile_options_default(&o);
    o.check = true;
    o.profile = (uint8_t)profile;
    char *text = compiled_body_text(body);
    struct program *p = compiled_text(t, text, &o);
    char *code = p ? compiled_skeleton(p) : NULL;
    int count = code && *code ? 1 : 0;
    for (const char *c = code; c && (c = strstr(c, "; ")); c++) count++;
    if (profile == PROFILE_PASCAL) count--; // the stack pointer
    free(code);
    free(text);
    program_free(p);
    return p ? count : -1;
}

static void test_profiles(struct test *t)
{
    double sums[2] = {0};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        const struct row *r = &rows[k];
        int pascal = count_ours(t, r->body, PROFILE_PASCAL), volta = count_ours(t, r->body, PROFILE_SASS);
        CHECK_MSG(t, pascal == r->pascal.ours && volta == r->volta.ours, "%s: pascal %d, volta %d", r->body,
                  pascal, volta);
        sums[0] += log((double)r->pascal.ours / r->pascal.ptxas);
        sums[1] += log((double)r->volta.ours / r->volta.ptxas);
    }
    // Farther off than a per cent are pascal's addresses, which follow the counts of a card whose compiler was older
    // (docs/explanation/profiles.md), and remainders, without the test for a divisor of zero.
    for (unsigned k = 0; k < 2; k++) {
        double mean = exp(sums[k] / TEST_COUNT(rows));
        CHECK_MSG(t, fabs(mean - 1) < 0.03, "%s: %.3f of ptxas's instructions", k ? "volta" : "pascal", mean);
    }
}

// -- ptxas --------------------------------------------------------------------------------------------------

static const char *const frames[] = {"mov.b32 %r9, %r1;", "mov.b64 %rd9, %rd1;"};

static bool is_counted(const char *line)
{
    const char *at = strstr(line, "/*"); // "/*0008*/"
    return at && at[2] != ' ' && !strstr(at, " NOP") && !strstr(at, " DEPBAR") &&
           !strstr(at, "SHFL.IDX PT, RZ, RZ, RZ, RZ");
}

// Instructions of kernel `k` in a listing, without what follows the last EXIT.
static int count_listed(const char *listing, size_t k)
{
    char head[32];
    snprintf(head, sizeof head, "\n.text.k%zu:\n", k);
    const char *at = strstr(listing, head), *end = at ? strstr(at, "EXIT") : NULL;
    int count = 0;
    while (at && at < end) {
        const char *next = strchr(at + 1, '\n');
        char *line = heap_strndup(at + 1, next ? (size_t)(next - at - 1) : strlen(at + 1));
        count += is_counted(line);
        free(line);
        at = next;
    }
    return end ? count : -1;
}

// Listing of a module with kernels k0, k1, … of the frames, then of all rows. Heap; NULL: a failed case.
static char *listing_of(struct test *t, const char *folder, const char *arch)
{
    struct strbuf ptx = {0}, command = {0};
    char *out = NULL, *err = NULL;
    const char *why = "";
    strbuf_printf(&ptx, ".version 7.8\n.target %s\n.address_size 64\n", arch);
    for (size_t k = 0; k < 2 + TEST_COUNT(rows); k++) {
        char *text = compiled_body_text(k < 2 ? frames[k] : rows[k - 2].body),
             *name = strstr(text, ".entry k(");
        strbuf_printf(&ptx, "%.*s.entry k%zu(%s", (int)(name - (k ? strchr(text, '\n') + 1 : text)),
                      k ? strchr(text, '\n') + 1 : text, k, name + strlen(".entry k("));
        free(text);
    }
    strbuf_printf(&command, "%s/patterns.ptx", test_directory(t));
    CHECK_MSG(t, file_write(command.text, ptx.text, ptx.length, &why), "%s", why);
    strbuf_clear(&command);
    strbuf_printf(&command,
                  "cd %s && PATH=%s:$PATH && ptxas -arch=%s patterns.ptx -o patterns.cubin && nvdisasm -c "
                  "patterns.cubin",
                  test_directory(t), folder, arch);
    int status = test_command(command.text, 120, &out, &err);
    CHECK_MSG(t, status == 0, "%s", err);
    strbuf_fini(&command);
    strbuf_fini(&ptx);
    free(err);
    return out;
}

static void test_measured(struct test *t)
{
    const char *folder = getenv("WARPFOLD_PTXAS");
    if (!folder) {
        test_skip(t, "WARPFOLD_PTXAS names no folder with ptxas and nvdisasm of CUDA 11");
        return;
    }
    char *listings[2] = {listing_of(t, folder, "sm_61"), listing_of(t, folder, "sm_75")};
    for (size_t k = 0; k < TEST_COUNT(rows) && listings[0] && listings[1]; k++)
        for (unsigned p = 0; p < 2; p++) {
            size_t frame = strstr(rows[k].body, "d9, ") != NULL;
            int count = count_listed(listings[p], k + 2) - count_listed(listings[p], frame),
                said = p ? rows[k].volta.ptxas : rows[k].pascal.ptxas;
            CHECK_MSG(t, count == said, "%s, sm_%s: %d", rows[k].body, p ? "75" : "61", count);
        }
    free(listings[0]);
    free(listings[1]);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"profiles", test_profiles}, {"measured", test_measured}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
