// Register allocation: pressure far above the limit, copies in cycles, and the checker itself. Every
// program is compiled with compile.check=1, so the checker replays the allocation. Results are left to
// the differential tests, run by the same compiler with 16 registers. Fails when the checker finds a
// fault, or misses a planted fault.
#include "base/str.h"
#include "compile/allocate/allocate.h"
#include "compile/compiled.h"
#include "compile/lower/lowered.h"
#include "compile/pass/passes.h"
#include "compile/select/select.h"
#include "harness/files.h"
#include "isa/program.h"
#include "ptx/ptx.h"

#include <glob.h>
#include <stdlib.h>

static struct compile_options options(unsigned max_registers)
{
    struct compile_options o;
    compile_options_default(&o);
    o.check = true;
    o.max_registers = max_registers;
    return o;
}

static void check_file(struct test *t, const char *path, unsigned limit)
{
    struct diag d;
    size_t length;
    struct strbuf messages = {0};
    struct compile_options o = options(limit);
    diag_init(&d);
    char *text = test_read_file(t, path, &length);
    struct ptx_module *m = ptx_parse(text, length, diag_add_source(&d, path, text, length), &d);
    for (uint32_t k = 0; m && k < m->function_count; k++) {
        if (!m->functions[k]->is_entry) continue;
        struct program *p = compile_kernel(m, m->functions[k], &o, &d);
        CHECK_MSG(t, p != NULL, "%s with %u registers", m->functions[k]->name, limit);
        if (p)
            CHECK_MSG(t, p->reg_count <= limit, "%s: %u registers, not %u", m->functions[k]->name,
                      p->reg_count, limit);
        if (p && p->spill_loads + p->spill_stores)
            CHECK(t, p->spill_bytes > 0 && p->local_bytes >= p->spill_bytes);
        program_free(p);
    }
    diag_format(&d, false, &messages);
    CHECK_MSG(t, !d.errors, "%s", strbuf_text(&messages));
    strbuf_fini(&messages);
    if (m) ptx_module_free(m);
    free(text);
    diag_fini(&d);
}

static void check_all(struct test *t, const char *pattern)
{
    glob_t files;
    CHECK_EQ(t, glob(pattern, 0, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++)
        for (unsigned limit = 16; limit <= 40; limit += test_is_long() ? 2 : 12)
            check_file(t, files.gl_pathv[k], limit);
    globfree(&files);
}

static void test_few_registers(struct test *t)
{
    check_all(t, "kernels/ptx/nvcc/*.ptx");
    check_all(t, "kernels/ptx/clang/*.ptx");
}

static struct program *compile_body(struct test *t, const char *body, unsigned limit)
{
    struct compile_options o = options(limit);
    char *text = compiled_body_text(body);
    struct program *p = compiled_text(t, text, &o);
    free(text);
    return p;
}

static unsigned count_ops(const struct program *p, unsigned op)
{
    unsigned count = 0;
    for (uint32_t k = 0; p && k < p->inst_count; k++) count += p->insts[k].op == op;
    return count;
}

// A sum of many loads; every load precedes the first addition.
static char *wide_body(unsigned values, const char *type, const char *reg, const char *result)
{
    struct strbuf b = {0};
    for (unsigned k = 0; k < values; k++)
        strbuf_printf(&b, "ld.volatile.global.%s %s%u, [%%rd1+%u];\n", type, reg, k + 10, 8 * k);
    strbuf_printf(&b, "add.%s %s, %s10, %s11;\n", type, result, reg, reg);
    for (unsigned k = 2; k < values; k++)
        strbuf_printf(&b, "add.%s %s, %s, %s%u;\n", type, result, result, reg, k + 10);
    return b.text;
}

static void test_spills(struct test *t)
{
    char *words = wide_body(29, "u32", "%r", "%r9"), *pairs = wide_body(29, "u64", "%rd", "%rd9");
    struct program *p = compile_body(t, words, 20), *q = compile_body(t, pairs, 24),
                   *r = compile_body(t, words, 0);
    if (p)
        CHECK_MSG(t, p->spill_stores > 5 && p->reg_count <= 20, "%u stores, %u registers", p->spill_stores,
                  p->reg_count);
    if (q)
        CHECK_MSG(t, q->spill_stores > 5 && q->reg_count <= 24, "%u stores, %u registers", q->spill_stores,
                  q->reg_count);
    if (r) CHECK_EQ(t, r->spill_stores + r->spill_loads, 0);
    if (p) CHECK_EQ(t, count_ops(p, OP_STL), p->spill_stores);
    program_free(p);
    program_free(q);
    program_free(r);
    free(words);
    free(pairs);
}

// Eleven predicates live at once: some in registers as 0 or 1, none in memory.
static void test_spilled_predicates(struct test *t)
{
    struct strbuf b = {0};
    for (unsigned k = 6; k < 17; k++)
        strbuf_printf(&b, "ld.volatile.global.u32 %%r%u, [%%rd1+%u]; setp.lt.u32 %%p%u, %%r%u, %%r1;\n",
                      k + 10, 4 * k, k, k + 10);
    for (unsigned k = 6; k < 28; k++)
        strbuf_printf(&b, "@%%p%u st.volatile.global.u32 [%%rd2+%u], %%r2;\n", k < 17 ? k : k - 11, 4 * k);
    struct program *p = compile_body(t, b.text, 0);
    if (p) {
        CHECK_EQ(t, p->pred_count, PRED_LIMIT);
        CHECK_EQ(t, p->spill_bytes, 0);
        CHECK(t, count_ops(p, OP_SEL) >= 4);
    }
    program_free(p);
    strbuf_fini(&b);
}

// Constants and parameters are recomputed at their uses, not spilled to memory.
static void test_constants_are_made_again(struct test *t)
{
    char *words = wide_body(29, "u32", "%r", "%r9");
    struct strbuf b = {0};
    strbuf_puts(&b, "mov.u32 %r5, 12345;\nL:\n");
    strbuf_puts(&b, words);
    strbuf_puts(&b, "st.volatile.global.u32 [%rd2], %r5; setp.ne.u32 %p3, %r9, 3; @%p3 bra L;\n");
    struct program *p = compile_body(t, b.text, 16);
    unsigned moves = 0;
    for (uint32_t k = 0; p && k < p->inst_count; k++)
        moves += p->insts[k].op == OP_MOV && p->insts[k].src[0].kind == OPERAND_IMM &&
                 p->insts[k].src[0].value == 12345;
    CHECK(t, moves >= 1);
    program_free(p);
    strbuf_fini(&b);
    free(words);
}

// Values that swap places in a loop: cycles of copies, with and without a register to spare.
static void test_cycles(struct test *t)
{
    static const char *const bodies[] = {
        "mov.u32 %r9, %r1; mov.u32 %r5, %r2; L: mov.u32 %r6, %r9; mov.u32 %r9, %r5; mov.u32 %r5, %r6; "
        "st.volatile.global.u32 [%rd1], %r9; st.volatile.global.u32 [%rd1+4], %r5; setp.ne.u32 %p3, %r9, "
        "%r3; @%p3 bra L;",
        "mov.u32 %r9, %r1; mov.u32 %r5, %r2; mov.u32 %r6, %r3; L: mov.u32 %r7, %r9; mov.u32 %r9, %r5; "
        "mov.u32 %r5, %r6; "
        "mov.u32 %r6, %r7; st.volatile.global.v4.u32 [%rd1], {%r9, %r5, %r6, %r9}; setp.ne.u32 %p3, %r9, "
        "%r4; @%p3 bra L;",
        "mov.pred %p5, %p1; mov.pred %p4, %p2; L: mov.pred %p3, %p5; mov.pred %p5, %p4; mov.pred %p4, %p3; "
        "@%p5 st.volatile.global.u32 [%rd1], %r1; @%p4 st.volatile.global.u32 [%rd1+4], %r1; "
        "ld.volatile.global.u32 %r5, [%rd2]; "
        "setp.ne.u32 %p6, %r5, %r3; @%p6 bra L;",
        "mov.b64 %rd9, %rd1; mov.b64 %rd5, %rd2; L: mov.b64 %rd6, %rd9; mov.b64 %rd9, %rd5; mov.b64 %rd5, "
        "%rd6; "
        "st.volatile.global.u64 [%rd3], %rd9; st.volatile.global.u64 [%rd3+8], %rd5; ld.volatile.global.u32 "
        "%r5, [%rd3]; "
        "setp.ne.u32 %p3, %r5, %r3; @%p3 bra L;",
    };
    for (size_t k = 0; k < TEST_COUNT(bodies); k++) {
        struct program *p = compile_body(t, bodies[k], 0);
        unsigned moves = count_ops(p, OP_MOV) + count_ops(p, OP_PLOP3) + count_ops(p, OP_LOP3);
        CHECK_MSG(t, moves >= 2, "%s", bodies[k]);
        program_free(p);
    }
}

// Counts moves in a loop whose variable is read late: the high word of an address needs the old value after
// the next value could be computed.
static unsigned moves_of_loop(struct test *t, enum program_profile profile)
{
    struct compile_options o;
    compile_options_default(&o);
    o.check = true;
    o.profile = (uint8_t)profile;
    char *text = compiled_body_text(
        "mov.u32 %r5, %r1; mov.u32 %r9, %r2; L: mul.wide.u32 %rd5, %r5, 4; "
        "add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r6, [%rd6]; "
        "add.u32 %r9, %r9, %r6; add.u32 %r5, %r5, %n; setp.lt.u32 %p3, %r5, %x; @%p3 bra L;");
    struct program *p = compiled_text(t, text, &o);
    free(text);
    uint32_t last = 0;
    for (uint32_t k = 0; p && k < p->inst_count; k++)
        if (p->insts[k].op == OP_BRA && p->insts[k].target <= k) last = k;
    CHECK(t, last > 0);
    unsigned moves = 0;
    for (uint32_t k = last ? p->insts[last].target : 0; k < last; k++) moves += p->insts[k].op == OP_MOV;
    program_free(p);
    return moves;
}

// ptxas for Maxwell and Pascal paid one move per iteration (docs/explanation/profiles.md).
static void test_loop_variables(struct test *t)
{
    CHECK_EQ(t, moves_of_loop(t, PROFILE_SASS), 0);
    CHECK_EQ(t, moves_of_loop(t, PROFILE_PTXPLUS), 0);
    CHECK_EQ(t, moves_of_loop(t, PROFILE_PASCAL), 1);
}

// -- the checker --------------------------------------------------------------------------------------------

struct allocated {
    struct lowered lowered;
    struct arena arena;
    struct mach_function *f;
};

static void select_text(struct test *t, struct allocated *a, const char *ptx)
{
    lowered_open(&a->lowered, ptx, NULL, 1);
    arena_init(&a->arena);
    CHECK(t, a->lowered.unit && !passes_run(a->lowered.unit));
    a->f = select_function(a->lowered.unit->functions.data[0], &a->arena);
}

static void allocate_text(struct test *t, struct allocated *a, const char *ptx, unsigned limit)
{
    select_text(t, a, ptx);
    const char *wrong = mach_allocate(a->f, limit, true);
    CHECK_MSG(t, !wrong, "%s", wrong);
}

static void allocated_close(struct allocated *a)
{
    mach_function_fini(a->f);
    arena_fini(&a->arena);
    lowered_close(&a->lowered);
}

// Puts one unit at a time into another unit's register: the checker must report any read of the unit while
// the register's owner is live. Units never read, or equal in value to the owner, may go unnoticed.
static void test_checker_sees_wrong_registers(struct test *t)
{
    char *body = wide_body(12, "u32", "%r", "%r9"), *text = compiled_body_text(body);
    struct allocated a;
    allocate_text(t, &a, text, 0);
    unsigned tried = 0, seen = 0;
    for (uint32_t u = 0; u < mach_unit_count(a.f); u++) {
        if (mach_group_of(a.f, u)->predicate || mach_group_of(a.f, u)->width != 1) continue;
        uint8_t was = a.f->reg[u];
        a.f->reg[u] = (uint8_t)(was ? 0 : 1); // R0 and R1 hold the address of the input throughout
        const char *wrong = mach_allocation_check(a.f);
        tried++;
        seen += wrong != NULL;
        a.f->reg[u] = was;
    }
    CHECK(t, !mach_allocation_check(a.f));
    CHECK_MSG(t, tried > 10 && seen * 4 > tried * 3, "%u of %u wrong registers were seen", seen, tried);
    allocated_close(&a);
    free(text);
    free(body);
}

// The same for spill slots: every load reads the first slot.
static void test_checker_sees_wrong_slots(struct test *t)
{
    char *body = wide_body(29, "u32", "%r", "%r9"), *text = compiled_body_text(body);
    struct allocated a;
    allocate_text(t, &a, text, 20);
    unsigned changed = 0;
    for (uint32_t k = 0; k < a.f->block_count; k++)
        for (struct mach_inst *i = a.f->blocks[k]->first; i; i = i->next) {
            if (i->i.op != OP_LDL || !i->i.src[0].value) continue;
            uint32_t was = i->i.src[0].value;
            i->i.src[0].value = 0;
            CHECK(t, mach_allocation_check(a.f) != NULL);
            i->i.src[0].value = was;
            changed++;
        }
    CHECK(t, changed > 3);
    allocated_close(&a);
    free(text);
    free(body);
}

// At the function's start: predicate `dst` = lut(a, b, PT). MACH_NONE: PT.
static void put_logic(struct mach_function *f, uint32_t dst, uint32_t a, uint32_t b, unsigned lut)
{
    static const struct operand pred = {.kind = OPERAND_PRED, .width = 1, .reg = PRED_TRUE};
    struct mach_inst *i = mach_inst_create(f, OP_PLOP3);
    i->i.dst[0] = i->i.dst[1] = i->i.src[0] = i->i.src[1] = i->i.src[2] = pred;
    i->i.lut = (uint8_t)lut;
    i->dst[0] = dst;
    i->src[0] = a;
    i->src[1] = b;
    mach_insert_before(f->blocks[0], f->blocks[0]->first, i);
}

// True and false, as logic of PT by two truth tables, in one register: the checker must tell them apart.
static void test_checker_sees_wrong_predicates(struct test *t)
{
    char *text = compiled_body_text("st.volatile.global.u32 [%rd2], %r1;");
    struct allocated a;
    select_text(t, &a, text);
    uint32_t yes = mach_pred(a.f), no = mach_pred(a.f), both = mach_pred(a.f);
    put_logic(a.f, both, yes, no, 0xc0);
    put_logic(a.f, no, MACH_NONE, MACH_NONE, 0x0f);
    put_logic(a.f, yes, MACH_NONE, MACH_NONE, 0xf0);
    CHECK(t, !mach_allocate(a.f, 0, true));
    a.f->reg[no] = a.f->reg[yes];
    CHECK(t, mach_allocation_check(a.f) != NULL);
    allocated_close(&a);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"few_registers", test_few_registers},
        {"spills", test_spills},
        {"spilled_predicates", test_spilled_predicates},
        {"constants_are_made_again", test_constants_are_made_again},
        {"cycles", test_cycles},
        {"loop_variables", test_loop_variables},
        {"checker_sees_wrong_registers", test_checker_sees_wrong_registers},
        {"checker_sees_wrong_slots", test_checker_sees_wrong_slots},
        {"checker_sees_wrong_predicates", test_checker_sees_wrong_predicates},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
