// DARSIE's Figure 6: the marks of the matrix multiplication's loop in the papers' style of code (profile
// ptxplus). Block indices are definitely redundant. threadIdx.x is conditionally redundant, and through
// shift and add so are the shared addresses computed from it and the loads at these addresses. Loads from
// global memory and the multiply-adds are vector instructions. "Thus, the unrolled loop in the program
// contains 2 redundant instructions and one true vector operation" (4.2). Fails when an instruction of
// the loop has another mark than in the figure.
#include "api/impl.h"
#include "harness/test.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "isa/sregs.h"

enum { STEPS = 32 }; // of the unrolled loop

struct figure {
    struct wf_context *context;
    const struct program *program;
    struct marks *marks;
    uint32_t first, last; // of the loop
};

static bool open_figure(struct test *t, struct figure *f, const char *profile)
{
    *f = (struct figure){.context = wf_context_create()};
    wf_set(f->context, "compile.profile", profile);
    struct wf_module *m = wf_module_load_file(f->context, "kernels/ptx/nvcc/matrixMul.ptx");
    struct wf_kernel *k = m ? wf_kernel_find(m, "matrix_mul") : NULL;
    CHECK_MSG(t, k != NULL, "%s", wf_errors(f->context));
    if (!k) return false;
    f->program = k->program;
    struct mark_rules rules;
    mark_rules_default(&rules);
    f->marks = marks_compute(f->program, &rules);
    for (uint32_t n = 0; n < f->program->inst_count; n++)
        if (f->program->insts[n].op == OP_BRA && f->program->insts[n].target < n) {
            f->first = f->program->insts[n].target;
            f->last = n;
        }
    CHECK(t, f->last > f->first);
    return true;
}

static void close_figure(struct figure *f)
{
    marks_free(f->marks);
    wf_context_destroy(f->context);
}

static bool loads_shared(const struct inst *i)
{
    bool operand = false;
    for (unsigned k = 0; k < 4; k++) operand |= i->src[k].kind == OPERAND_SHARED;
    return i->op == OP_LDS || (i->op == OP_MOV && operand);
}

static void check_kind(struct test *t, const struct figure *f, uint32_t n, enum mark_kind want)
{
    enum mark_kind got = (enum mark_kind)f->marks->marks[n].kind;
    struct strbuf text = {0};
    program_print_inst(f->program, n, &text);
    CHECK_MSG(t, got == want, "0x%04x %s is %s, not %s", n * PC_STEP, strbuf_text(&text), mark_kind_name(got),
              mark_kind_name(want));
    strbuf_fini(&text);
}

static void check_sources(struct test *t, const struct figure *f)
{
    for (uint32_t n = 0; n < f->program->inst_count; n++) {
        const struct inst *i = &f->program->insts[n];
        if (i->op != OP_S2R) continue;
        if (i->src[0].reg == SREG_CTAID_X || i->src[0].reg == SREG_CTAID_Y)
            check_kind(t, f, n, MARK_REDUNDANT);
        if (i->src[0].reg == SREG_TID_X) check_kind(t, f, n, MARK_CONDITIONAL);
        if (i->src[0].reg == SREG_TID_Y) check_kind(t, f, n, MARK_VECTOR);
    }
}

static void test_papers_code(struct test *t)
{
    struct figure f;
    if (!open_figure(t, &f, "ptxplus")) return;
    check_sources(t, &f);
    unsigned adds = 0, loads = 0, multiplies = 0, global = 0;
    for (uint32_t n = 0; n < f.program->inst_count; n++) {
        const struct inst *i = &f.program->insts[n];
        const struct mark *m = &f.marks->marks[n];
        bool inside = n >= f.first && n <= f.last;
        // Addresses of the column of B: above the loop while registers last, the remaining addresses
        // inside.
        if (i->op == OP_IADD3 && m->kind == MARK_CONDITIONAL && m->pattern.class == MARK_AFFINE &&
            n <= f.last)
            adds++;
        if (!inside) continue;
        if (loads_shared(i)) check_kind(t, &f, n, MARK_CONDITIONAL), loads++;
        if (i->op == OP_FFMA) check_kind(t, &f, n, MARK_VECTOR), multiplies++;
        if (i->op == OP_LDG) check_kind(t, &f, n, MARK_VECTOR), global++;
        if (loads_shared(i)) CHECK_EQ(t, m->pattern.class, MARK_UNSTRUCTURED);
    }
    // mov.u32 $r0, s[$ofs3]; add.u32 $ofs4, $ofs3, …; mad.f32 $r10, s[$ofs2 + …], $r0, $r10
    CHECK_EQ(t, loads, STEPS);
    CHECK_EQ(t, adds, STEPS);
    CHECK_EQ(t, multiplies, STEPS);
    CHECK_EQ(t, global, 2);
    close_figure(&f);
}

static void test_todays_code(struct test *t)
{
    struct figure f;
    if (!open_figure(t, &f, "sass")) return;
    check_sources(t, &f);
    unsigned columns = 0, multiplies = 0;
    for (uint32_t n = f.first; n <= f.last; n++) {
        const struct inst *i = &f.program->insts[n];
        if (i->op == OP_FFMA) check_kind(t, &f, n, MARK_VECTOR), multiplies++;
        if (i->op == OP_LDG) check_kind(t, &f, n, MARK_VECTOR);
        columns += i->op == OP_LDS && f.marks->marks[n].kind == MARK_CONDITIONAL;
    }
    // The additions are immediate offsets in this profile; a single load per step remains.
    CHECK_EQ(t, columns, STEPS);
    CHECK_EQ(t, multiplies, STEPS);
    close_figure(&f);
}

static void test_promotion(struct test *t)
{
    static const struct {
        uint32_t block[3];
        enum mark_kind conditional;
    } shapes[] = {{{32, 32, 1}, MARK_REDUNDANT}, {{16, 16, 1}, MARK_REDUNDANT}, {{256, 1, 1}, MARK_VECTOR}};
    for (unsigned paper = 0; paper < 2; paper++) {
        struct figure f;
        if (!open_figure(t, &f, "ptxplus")) return;
        struct mark_rules rules = f.marks->rules;
        rules.paper = paper != 0;
        for (size_t s = 0; s < TEST_COUNT(shapes); s++) {
            unsigned met = mark_conditions_met(&rules, shapes[s].block);
            for (uint32_t n = 0; n < f.program->inst_count; n++) {
                const struct mark *m = &f.marks->marks[n];
                enum mark_kind want =
                    m->kind == MARK_CONDITIONAL ? shapes[s].conditional : (enum mark_kind)m->kind;
                CHECK_EQ(t, mark_promoted(m, met), want);
            }
        }
        close_figure(&f);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"papers_code", test_papers_code}, {"todays_code", test_todays_code}, {"promotion", test_promotion}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
