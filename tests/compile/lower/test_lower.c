// Lowering PTX to SSA: golden text for every family of instructions, the bundled kernels, refused
// programs with their messages, layouts, source lines. Fails when a text differs from its golden file, or
// an executable instruction is in no family.
#include "compile/compile.h"
#include "compile/lower/impl.h"
#include "compile/lower/lowered.h"
#include "harness/files.h"
#include "harness/test.h"
#include "isa/program.h"

#include <string.h>

static void check_family(struct test *t, const char *name)
{
    struct strbuf path = {0}, golden = {0}, text = {0};
    struct lowered l;
    strbuf_printf(&path, "tests/compile/lower/%s.ptx", name);
    strbuf_printf(&golden, "tests/compile/lower/%s.golden", name);
    lowered_open_file(&l, strbuf_text(&path), NULL, 1);
    lowered_print_all(&l, &text);
    CHECK_MSG(t, !strstr(strbuf_text(&text), "UNSOUND"), "%s", strstr(strbuf_text(&text), "UNSOUND"));
    CHECK_GOLDEN(t, strbuf_text(&golden), strbuf_text(&text));
    lowered_close(&l);
    strbuf_fini(&path);
    strbuf_fini(&golden);
    strbuf_fini(&text);
}

static void test_integer(struct test *t) { check_family(t, "integer"); }
static void test_bits(struct test *t) { check_family(t, "bits"); }
static void test_float(struct test *t) { check_family(t, "float"); }
static void test_compare(struct test *t) { check_family(t, "compare"); }
static void test_convert(struct test *t) { check_family(t, "convert"); }
static void test_move(struct test *t) { check_family(t, "move"); }
static void test_memory(struct test *t) { check_family(t, "memory"); }
static void test_warp(struct test *t) { check_family(t, "warp"); }
static void test_legacy(struct test *t) { check_family(t, "legacy"); }
static void test_control(struct test *t) { check_family(t, "control"); }
static void test_call(struct test *t) { check_family(t, "call"); }
static void test_wide(struct test *t) { check_family(t, "wide"); }
static void test_matrix(struct test *t) { check_family(t, "matrix"); }
static void test_cluster(struct test *t) { check_family(t, "cluster"); }
static void test_warpgroup(struct test *t) { check_family(t, "warpgroup"); }

// The families above name every executable instruction, and each instruction has a body.
static void test_coverage(struct test *t)
{
    static const char *const families[] = {"integer", "bits",   "float",   "compare",  "convert",
                                           "move",    "memory", "warp",    "legacy",   "control",
                                           "call",    "matrix", "cluster", "warpgroup"};
    static const struct {
        enum ptx_op op;
        bool runs;
    } ops[] = {
#define RUN                          true
#define REFUSE                       false
#define PTX(name, mnemonic, support) {PTX_OP_##name, support},
#include "ptx/ptx.def"
#undef PTX
#undef RUN
#undef REFUSE
    };
    bool seen[PTX_OP_COUNT] = {0};
    for (size_t n = 0; n < TEST_COUNT(families); n++) {
        struct strbuf path = {0};
        struct lowered l;
        strbuf_printf(&path, "tests/compile/lower/%s.ptx", families[n]);
        lowered_open_file(&l, strbuf_text(&path), NULL, 0);
        for (uint32_t k = 0; l.module && k < l.module->function_count; k++)
            for (uint32_t i = 0; i < l.module->functions[k]->inst_count; i++)
                seen[l.module->functions[k]->insts[i].op] = true;
        lowered_close(&l);
        strbuf_fini(&path);
    }
    for (size_t k = 0; k < TEST_COUNT(ops); k++) {
        enum ptx_op op = ops[k].op;
        bool ends_block = op == PTX_OP_BRA || op == PTX_OP_BRX || op == PTX_OP_RET || op == PTX_OP_EXIT;
        CHECK_MSG(t, !ops[k].runs || seen[op], "%s is in no family's test", ptx_op_name(op));
        CHECK_MSG(t, (lower_bodies[op] != NULL) == (ops[k].runs && !ends_block), "%s and its body",
                  ptx_op_name(op));
    }
}

static void check_sound(struct test *t, const char *path, unsigned optimise)
{
    struct lowered l;
    lowered_open_file(&l, path, NULL, optimise);
    uint32_t kernels = 0;
    for (uint32_t k = 0; l.module && k < l.module->function_count; k++) {
        if (!l.module->functions[k]->is_entry) continue;
        kernels++;
        lowered_kernel(&l, l.module->functions[k]);
        const char *wrong = lowered_fault(&l);
        CHECK_MSG(t, !wrong, "%s: %s", path, wrong);
    }
    CHECK_MSG(t, kernels, "%s has no kernel", path);
    lowered_close(&l);
}

static void check_file(struct test *t, const char *path)
{
    check_sound(t, path, 0);
    check_sound(t, path, 1);
}

static void test_bundled(struct test *t)
{
    CHECK(t, test_each_file(t, "kernels/ptx/nvcc", ".ptx", check_file) +
                     test_each_file(t, "kernels/ptx/clang", ".ptx", check_file) >=
                 40);
}

// -- refusals -----------------------------------------------------------------------------------------------

static void test_refused(struct test *t)
{
    static const struct {
        const char *ptx, *place, *message;
    } cases[] = {
        {".visible .entry k()\n{\n    .reg .b32 %r<9>;\n    vadd.u32.u32.u32 %r1, %r2, %r3;\n    ret;\n}\n",
         "test.ptx:7:5: error: ", "kernel 'k' uses vadd.u32.u32.u32, not executed by warpfold"},
        {".func f()\n{\n    trap;\n    stackrestore.u32 %r1;\n    ret;\n}\n"
         ".visible .entry k()\n{\n    call f;\n    ret;\n}\n",
         "test.ptx:7:5: error: ", "reached from the kernel through 'f'"},
        {".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
         ".visible .entry k()\n{\n    .param .b64 r; .param .b64 n;\n    call (r), malloc, (n);\n    "
         "ret;\n}\n",
         "test.ptx:8:",
         "kernel 'k' calls 'malloc' without a body in the module; of external functions "
         "warpfold provides vprintf, __assertfail, malloc and free"},
        {".extern .global .u32 far;\n.visible .entry k()\n{\n    .reg .b32 %r<9>;\n    ld.global.u32 %r1, "
         "[far];\n"
         "    ret;\n}\n",
         NULL, NULL},
        {".visible .entry k()\n{\n    .shared .b8 big[20000000];\n    .reg .b32 %r<2>;\n    ld.shared.u32 "
         "%r1, [big];\n"
         "    ret;\n}\n",
         "test.ptx:4:", "kernel 'k' has 20000000 bytes of shared variables"},
        {".visible .entry k()\n{\n    .local .b8 big[20000000];\n    .reg .b32 %r<2>;\n    ld.local.u32 %r1, "
         "[big];\n"
         "    ret;\n}\n",
         "test.ptx:8:5", "more than 16 MiB of local memory"},
    };
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct lowered l;
        struct strbuf text = {0};
        lowered_open(&l, cases[k].ptx, "k", 1);
        lowered_messages(&l, &text);
        CHECK_MSG(t, l.module, "case %zu: %s", k, strbuf_text(&text));
        if (cases[k].message) {
            CHECK(t, !l.unit);
            CHECK_HAS(t, strbuf_text(&text), cases[k].place);
            CHECK_HAS(t, strbuf_text(&text), cases[k].message);
        } else {
            CHECK(t, l.unit != NULL); // the loader reports the error, with every module in view
        }
        strbuf_fini(&text);
        lowered_close(&l);
    }
}

// Unreachable code is not compiled, and a refused kernel does not affect another kernel of the module.
static void test_unreached(struct test *t)
{
    static const char ptx[] =
        ".visible .entry good()\n{\n    .reg .b32 %r<9>;\n    bra over;\n"
        "    vadd.u32.u32.u32 %r1, %r2, %r3;\nover:\n    ret;\n}\n"
        ".visible .entry bad()\n{\n    .reg .b32 %r<9>;\n    vadd.u32.u32.u32 %r1, %r2, %r3;\n"
        "    ret;\n}\n";
    struct lowered l;
    lowered_open(&l, ptx, "good", 1);
    CHECK(t, l.unit && !lowered_fault(&l));
    CHECK_EQ(t, l.diag.errors, 0);
    lowered_close(&l);
    lowered_open(&l, ptx, "bad", 1);
    CHECK(t, !l.unit);
    CHECK_EQ(t, l.diag.errors, 1);
    lowered_close(&l);
}

// -- the program's description ------------------------------------------------------------------------------

static void test_layout(struct test *t)
{
    static const char ptx[] =
        ".const .align 1 .b8 tag[3];\n.const .align 8 .u64 wide_one;\n"
        ".shared .align 4 .b8 unused[64];\n.shared .align 4 .b8 used[6];\n"
        ".extern .shared .align 32 .b8 dynamic[];\n"
        ".visible .entry k(.param .u8 a, .param .f64 b, .param .align 16 .b8 c[20])\n"
        ".maxntid 16, 8\n{\n    .const .align 2 .u16 inner;\n    .shared .align 8 .b8 own[8];\n"
        "    .reg .b64 %rd<9>;\n    mov.u64 %rd1, used;\n    mov.u64 %rd2, own;\n"
        "    mov.u64 %rd3, dynamic;\n    bar.sync 3;\n    ret;\n}\n";
    struct lowered l;
    lowered_open(&l, ptx, NULL, 1);
    CHECK(t, l.unit != NULL);
    if (l.unit) {
        const struct program *p = l.unit->program;
        CHECK_EQ(t, compile_const_layout(l.module, l.module->variables[0]), 0);
        CHECK_EQ(t, compile_const_layout(l.module, l.module->variables[1]), 8);
        CHECK_EQ(t, compile_const_bytes(l.module), 18);
        CHECK_EQ(t, p->shared_bytes, 16); // used at 0, own at 8
        CHECK_EQ(t, p->dynamic_align, 32);
        CHECK_STR(t, p->name, "k");
        CHECK_EQ(t, p->param_count, 3);
        CHECK_EQ(t, p->params[0].type, TYPE_U8);
        CHECK_EQ(t, p->params[1].offset, 8);
        CHECK_EQ(t, p->params[2].type, TYPE_NONE);
        CHECK_EQ(t, p->params[2].offset, 16);
        CHECK_EQ(t, p->params[2].size_bytes, 20);
        CHECK_EQ(t, p->param_bytes, 36);
        CHECK_EQ(t, p->max_threads[0], 16);
        CHECK_EQ(t, p->max_threads[2], 1);
        CHECK_EQ(t, p->barrier_count, 4);
        CHECK(t, !p->uses_atomics && !p->uses_clock && !p->uses_printf && !p->uses_textures);
    }
    lowered_close(&l);
}

// A function kept in initialised data is compiled, callable and named by a symbol.
static void test_function_tables(struct test *t)
{
    static const char ptx[] =
        ".func f()\n{\n    ret;\n}\n.func g()\n{\n    ret;\n}\n"
        ".global .u64 table[2] = {g, f};\n"
        ".visible .entry k()\n{\n    .reg .b64 %rd<9>;\n    ld.global.u64 %rd1, [table];\n"
        "    p: .callprototype _ ();\n    call %rd1, p;\n    ret;\n}\n";
    struct lowered l;
    lowered_open(&l, ptx, NULL, 1);
    CHECK(t, l.unit && !lowered_fault(&l));
    if (l.unit) {
        const struct program *p = l.unit->program;
        CHECK_EQ(t, l.unit->functions.count, 3);
        CHECK_EQ(t, p->symbol_count, 3);
        for (uint32_t k = 1; k < p->symbol_count; k++) {
            CHECK_EQ(t, p->symbols[k].kind, SYMBOL_FUNCTION);
            CHECK_STR(t, l.unit->functions.data[p->symbols[k].value]->name, p->symbols[k].name);
        }
    }
    lowered_close(&l);
}

// Lines keep the calls of inlined code: calls in the PTX's own chains, and calls inlined by this compiler.
static void test_lines(struct test *t)
{
    static const char ptx[] =
        ".func (.reg .b32 r) f(.reg .b32 a)\n{\n    .loc 1 7 3\n    add.u32 r, a, 1;\n    ret;\n}\n"
        ".visible .entry k(.param .u32 p)\n{\n    .reg .b32 %r<9>;\n    .loc 1 20 1\n"
        "    ld.param.u32 %r1, [p];\n    .loc 1 21 1\n    call (%r2), f, (%r1);\n"
        "    .loc 2 22 1\n    add.u32 %r3, %r2, %r2;\n    ret;\n}\n"
        ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n";
    struct lowered l;
    lowered_open(&l, ptx, NULL, 1);
    CHECK(t, l.unit && !lowered_fault(&l));
    unsigned adds = 0;
    for (struct ir_block *b = l.unit ? l.unit->functions.data[0]->first_block : NULL; b; b = b->next) {
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (i->op != IR_ADD) continue;
            const struct program *p = l.unit->program;
            CHECK_EQ(t, p->line_sets[i->lines].count, 1);
            const struct program_line *line = &p->line_table[p->line_sets[i->lines].lines[0]];
            CHECK_EQ(t, line->line, adds ? 22 : 7);
            CHECK_STR(t, p->files[line->file], adds ? "b.cuh" : "a.cu");
            if (!adds) {
                CHECK_STR(t, line->function, "f");
                CHECK_EQ(t, p->line_table[line->inlined_at].line, 21);
            }
            adds++;
        }
    }
    CHECK_EQ(t, adds, 2);
    lowered_close(&l);
}

// -- size ---------------------------------------------------------------------------------------------------

// A chain of diamonds, each with a value live across the whole chain: a recursive construction would
// recurse as deep as the chain.
static void chain_of_diamonds(struct strbuf *ptx, unsigned count)
{
    strbuf_puts(
        ptx,
        ".visible .entry k(.param .u32 p, .param .u64 q)\n{\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<2>;\n"
        "    .reg .pred %p<2>;\n    ld.param.u32 %r1, [p];\n    ld.param.u64 %rd1, [q];\n"
        "    setp.eq.u32 %p1, %r1, 0;\n    mov.u32 %r2, 0;\n    @%p1 mov.u32 %r3, 5;\n");
    for (unsigned k = 0; k < count; k++)
        strbuf_printf(ptx, "    @%%p1 bra L%u;\n    add.u32 %%r2, %%r2, %u;\nL%u:\n", k, k, k);
    strbuf_puts(ptx, "    add.u32 %r2, %r2, %r3;\n    st.global.u32 [%rd1], %r2;\n    ret;\n}\n");
}

static void test_deep(struct test *t)
{
    struct strbuf ptx = {0};
    struct lowered l;
    unsigned count = test_is_long() ? 40000 : 10000;
    chain_of_diamonds(&ptx, count);
    lowered_open(&l, strbuf_text(&ptx), NULL, 1);
    const char *wrong = lowered_fault(&l);
    CHECK_MSG(t, !wrong, "%s", wrong);
    uint32_t phis = 0;
    for (struct ir_block *b = l.unit ? l.unit->functions.data[0]->first_block : NULL; b; b = b->next)
        for (struct ir_inst *i = b->first; i && i->op == IR_PHI; i = i->next) phis++;
    CHECK_EQ(t, phis, count); // one phi for r2 at each join, no phi for unchanged variables
    lowered_close(&l);
    strbuf_fini(&ptx);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"integer", test_integer},
        {"bits", test_bits},
        {"float", test_float},
        {"compare", test_compare},
        {"convert", test_convert},
        {"move", test_move},
        {"memory", test_memory},
        {"warp", test_warp},
        {"legacy", test_legacy},
        {"control", test_control},
        {"call", test_call},
        {"wide", test_wide},
        {"cluster", test_cluster},
        {"warpgroup", test_warpgroup},
        {"matrix", test_matrix},
        {"coverage", test_coverage},
        {"bundled", test_bundled},
        {"refused", test_refused},
        {"unreached", test_unreached},
        {"layout", test_layout},
        {"function_tables", test_function_tables},
        {"lines", test_lines},
        {"deep", test_deep},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
