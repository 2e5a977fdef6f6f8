// Whole kernels down to the listing: golden files for a few kernels, and properties of branches, frames
// and reconvergence points that hold for any code. Fails when a listing differs from its golden file, or
// a property is violated.
#include "base/str.h"
#include "compile/compiled.h"
#include "harness/files.h"
#include "isa/inst.h"
#include "isa/isa.h"
#include "isa/profile.h"
#include "isa/program.h"

#include <stdlib.h>
#include <string.h>

static struct compile_options options(enum program_profile profile)
{
    struct compile_options o;
    compile_options_default(&o);
    o.check = true;
    o.profile = (uint8_t)profile;
    return o;
}

static const char kernel_loop[] = // sum of a[i] * b[i] over a grid's stride
    ".visible .entry dot(.param .u64 a, .param .u64 b, .param .u64 out, .param .u32 n)\n"
    "{\n"
    "    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
    "    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %tid.x; mov.f32 %f1, 0f00000000; setp.ge.u32 %p1, %r2, %r1; @%p1 bra END;\n"
    "LOOP:\n"
    "    mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;\n"
    "    ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd6]; fma.rn.f32 %f1, %f2, %f3, %f1;\n"
    "    add.u32 %r2, %r2, 32; setp.lt.u32 %p2, %r2, %r1; @%p2 bra LOOP;\n"
    "END:\n"
    "    mov.u32 %r3, %tid.x; mul.wide.u32 %rd7, %r3, 4; add.u64 %rd8, %rd3, %rd7; st.global.f32 [%rd8], "
    "%f1; ret;\n"
    "}\n";

static const char kernel_call[] = // recursion, a frame, saved registers
    ".func (.reg .u32 %out) fib(.reg .u32 %n);\n"
    ".func (.reg .u32 %out) fib(.reg .u32 %n)\n"
    "{\n"
    "    .reg .b32 %r<6>; .reg .pred %p;\n"
    "    mov.u32 %out, %n; setp.lt.u32 %p, %n, 2; @%p bra DONE;\n"
    "    sub.u32 %r1, %n, 1; call (%r2), fib, (%r1); sub.u32 %r3, %n, 2; call (%r4), fib, (%r3); add.u32 "
    "%out, %r2, %r4;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n"
    ".visible .entry calls(.param .u64 out, .param .u32 n)\n"
    "{\n"
    "    .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; call (%r2), fib, (%r1); st.global.u32 [%rd1], %r2; "
    "ret;\n"
    "}\n";

static const char kernel_switch[] =
    ".visible .entry jumps(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; mov.u32 %r2, 0; setp.gt.u32 %p, %r1, 2; @%p "
    "bra E;\n"
    "    T: .branchtargets A, B, C;\n"
    "    brx.idx %r1, T;\n"
    "A:  st.global.u32 [%rd1+4], %r1; bra E;\n"
    "B:  st.global.u32 [%rd1+8], %r1; atom.global.add.u32 %r3, [%rd1], 3; st.global.u32 [%rd1+12], %r3;\n"
    "C:  st.global.u32 [%rd1+16], %r1;\n"
    "E:  bar.sync 0; st.global.u32 [%rd1+20], %r2; ret;\n"
    "}\n";

static void check_listing(struct test *t, const char *ptx, enum program_profile profile, const char *golden)
{
    struct compile_options o = options(profile);
    struct program *p = compiled_text(t, ptx, &o);
    struct strbuf out = {0};
    if (!p) return;
    program_print(p, &out);
    CHECK_GOLDEN(t, golden, strbuf_text(&out));
    strbuf_fini(&out);
    program_free(p);
}

static void test_listings(struct test *t)
{
    check_listing(t, kernel_loop, PROFILE_SASS, "tests/compile/emit/listings/loop.sass");
    check_listing(t, kernel_loop, PROFILE_PTXPLUS, "tests/compile/emit/listings/loop.ptxplus");
    check_listing(t, kernel_call, PROFILE_SASS, "tests/compile/emit/listings/call.sass");
    check_listing(t, kernel_switch, PROFILE_SASS, "tests/compile/emit/listings/switch.sass");
}

// The bundled matrix product in both profiles: the longest loop worth reading as a listing.
static void test_matrix_mul(struct test *t)
{
    char *text = test_read_file(t, "kernels/ptx/nvcc/matrixMul.ptx", NULL);
    check_listing(t, text, PROFILE_SASS, "tests/compile/emit/listings/matrixMul.sass");
    check_listing(t, text, PROFILE_PTXPLUS, "tests/compile/emit/listings/matrixMul.ptxplus");
    free(text);
}

static void test_same_code_every_time(struct test *t)
{
    struct compile_options o = options(PROFILE_SASS);
    struct strbuf first = {0}, second = {0};
    struct program *p = compiled_text(t, kernel_call, &o), *q = compiled_text(t, kernel_call, &o);
    if (p && q) {
        program_print(p, &first);
        program_print(q, &second);
        CHECK_STR(t, strbuf_text(&second), strbuf_text(&first));
    }
    strbuf_fini(&first);
    strbuf_fini(&second);
    program_free(p);
    program_free(q);
}

static void test_stack(struct test *t)
{
    struct compile_options o = options(PROFILE_SASS);
    o.stack_bytes = 4096;
    struct program *p = compiled_text(t, kernel_call, &o);
    if (p) {
        CHECK(t, p->stack_unbounded);
        CHECK_EQ(t, p->stack_bytes, 4096);
        CHECK_EQ(t, p->function_count, 2);
    }
    program_free(p);
}

// A branch with one side leaving the kernel becomes a guarded EXIT.
static void test_early_exit(struct test *t)
{
    struct compile_options o = options(PROFILE_SASS);
    struct program *p =
        compiled_text(t,
                      ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
                      ".reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p;\n"
                      "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
                      "setp.ge.u32 %p, %r2, %r1; @%p bra E; st.global.u32 [%rd1], %r2;\nE: ret;\n}\n",
                      &o);
    bool guarded = false;
    for (uint32_t k = 0; p && k < p->inst_count; k++) {
        guarded |= p->insts[k].op == OP_EXIT && p->insts[k].guard != PRED_TRUE;
        CHECK(t, p->insts[k].op != OP_BRA);
    }
    bool predicated = p && p->inst_count && !guarded; // or the store itself is guarded
    CHECK(t, guarded || predicated);
    program_free(p);
}

// The reconvergence point of a branch is the place where its sides join.
static void test_reconvergence(struct test *t)
{
    struct compile_options o = options(PROFILE_SASS);
    o.optimise = 0;
    struct program *p = compiled_text(t, kernel_loop, &o);
    unsigned branches = 0;
    for (uint32_t k = 0; p && k < p->inst_count; k++) {
        const struct inst *i = &p->insts[k];
        if (i->op != OP_BRA || i->guard == PRED_TRUE) continue;
        branches++;
        if (i->target <= k)
            CHECK_EQ(t, i->reconverge, k + 1); // lanes that leave the loop wait behind the branch
        else
            CHECK_EQ(t, i->reconverge, i->target);
    }
    CHECK_EQ(t, branches, 2);
    program_free(p);
}

// A load past the last parameter stays a load and faults at run time; a load inside becomes a constant
// operand.
static void test_past_parameters(struct test *t)
{
    static const struct {
        const char *type;
        unsigned offset;
        bool is_load;
    } rows[] = {{"u32", 8, false}, {"u32", 12, false},   {"u64", 8, false},
                {"u64", 12, true}, {"u32", 16, true},    {"u64", 16, true},
                {"u8", 16, true},  {"v2.u32", 12, true}, {"v2.u32", 8, false}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct strbuf text = {0}, listing = {0};
        bool is_wide = strstr(rows[k].type, "64"), is_pair = rows[k].type[0] == 'v';
        strbuf_printf(
            &text,
            ".visible .entry k(.param .u64 out, .param .u32 last)\n{\n    .reg .b32 %%r<3>;\n    .reg .b64 "
            "%%rd<4>;\n    ld.param.u64 %%rd1, [out];\n    ld.param.%s %s, [last+%d];\n    st.global.%s "
            "[%%rd1], %s;\n    ret;\n}\n",
            rows[k].type,
            is_pair   ? "{%r1, %r2}"
            : is_wide ? "%rd2"
                      : "%r1",
            (int)rows[k].offset - 8,
            is_pair   ? "v2.u32"
            : is_wide ? "u64"
                      : "u32",
            is_pair   ? "{%r1, %r2}"
            : is_wide ? "%rd2"
                      : "%r1");
        struct compile_options o = options(PROFILE_SASS);
        o.check = true;
        struct program *p = compiled_text(t, text.text, &o);
        if (p) {
            program_print(p, &listing);
            CHECK_MSG(t, (strstr(listing.text, "LDC") != NULL) == rows[k].is_load, "%s at %u:\n%s",
                      rows[k].type, rows[k].offset, listing.text);
            program_free(p);
        }
        strbuf_fini(&text);
        strbuf_fini(&listing);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"listings", test_listings},
        {"matrix_mul", test_matrix_mul},
        {"same_code_every_time", test_same_code_every_time},
        {"stack", test_stack},
        {"early_exit", test_early_exit},
        {"reconvergence", test_reconvergence},
        {"past_parameters", test_past_parameters},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
