// Printing a module and parsing the text gives the same module: printed again, the text is the same, for
// every bundled kernel and for the module written below. Fails when the texts differ.
#include "harness/files.h"
#include "support.h"

#include <string.h>

static void check_stable(struct test *t, const char *path, const char *text, size_t length)
{
    struct strbuf messages = {0}, first = {0}, second = {0};
    struct ptx_module *m = support_parse(path, text, length, &messages), *again = NULL;
    CHECK_MSG(t, m != NULL, "%s", strbuf_text(&messages));
    if (m) {
        ptx_print_module(m, &first);
        strbuf_clear(&messages);
        again = support_parse(path, first.text, first.length, &messages);
        CHECK_MSG(t, again != NULL, "printed %s does not parse:\n%s", path, strbuf_text(&messages));
    }
    if (again) {
        ptx_print_module(again, &second);
        CHECK_MSG(t, strcmp(first.text, second.text) == 0, "%s: the second text differs", path);
        CHECK_EQ(t, again->function_count, m->function_count);
        for (uint32_t f = 0; f < m->function_count; f++)
            CHECK_EQ(t, again->functions[f]->inst_count, m->functions[f]->inst_count);
    }
    ptx_module_free(m);
    ptx_module_free(again);
    strbuf_fini(&messages);
    strbuf_fini(&first);
    strbuf_fini(&second);
}

static void check_file(struct test *t, const char *path)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    check_stable(t, path, text, length);
    free(text);
}

static void test_kernels(struct test *t)
{
    CHECK(t, test_each_file(t, "kernels/ptx/nvcc", ".ptx", check_file) > 20);
    CHECK(t, test_each_file(t, "kernels/ptx/clang", ".ptx", check_file) > 20);
}

// The fuzzer's seeds; seeds of past failures need not be valid.
static void check_seed(struct test *t, const char *path)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    struct strbuf messages = {0};
    struct ptx_module *m = support_parse(path, text, length, &messages);
    CHECK_MSG(t, m || messages.length, "%s: no module and no message", path);
    if (m) check_stable(t, path, text, length);
    ptx_module_free(m);
    strbuf_fini(&messages);
    free(text);
}

static void test_seeds(struct test *t)
{
    CHECK(t, test_each_file(t, "tests/fuzz/corpus/ptx", ".ptx", check_seed) > 10);
}

// Every valid line of the corpus, as a kernel of its own.
static void check_forms(struct test *t, const char *path)
{
    if (str_ends_with(path, "module.txt")) return;
    char *head = test_read_file(t, "tests/ptx/forms/body.head", NULL), *rest = NULL;
    char *text = test_read_file(t, path, NULL);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line != '+' && *line != '!') continue;
        struct strbuf module = {0};
        strbuf_printf(&module, "%s%s\nL1: ret; }\n", head, line + 2);
        check_stable(t, line, module.text, module.length);
        strbuf_fini(&module);
    }
    free(head);
    free(text);
}

static void test_forms(struct test *t) { test_each_file(t, "tests/ptx/forms", ".txt", check_forms); }

static void test_golden(struct test *t)
{
    struct ptx_module *m = support_module(
        t,
        ".version 8.1\n.target sm_80\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
        ".func (.reg .b32 y) twice(.reg .b32 x) { add.s32 y, x, x; ret; }\n"
        ".extern .global .f32 other[3];\n"
        ".global .align 8 .u64 table[2] = {other, generic(table)+8};\n.global .f32 other[3] = {1.0, 0.0, "
        "2.5};\n"
        ".visible .entry k(.param .u64 a, .param .align 4 .b8 s[12]) .maxntid 64\n{\n"
        ".reg .v2 .f32 v; .reg .b32 %r<4>; .reg .pred p; .reg .b64 %a; .shared .align 4 .b8 buffer[64];\n"
        "ld.param.u64 %a, [a]; ld.global.v2.f32 v, [%a+8]; mul.rn.ftz.f32 v.x, v.y, 0.5;\n"
        "loop: setp.ge.u32 p, %r1, 10; @p bra done; { .reg .f64 %r1; mov.f64 %r1, 3.0; loop: @!p bra loop; "
        "}\n"
        "call (%r2), twice, (%r1); atom.shared.add.u32 _, [buffer+4], %r2; vote.sync.any.pred p, !p, -1;\n"
        "tensormap.cp_fenceproxy; bra loop;\ndone: ret;\n}\n");
    if (!m) return;
    struct strbuf text = {0};
    ptx_print_module(m, &text);
    CHECK_GOLDEN(t, "tests/ptx/print.golden", strbuf_text(&text));
    check_stable(t, "golden", text.text, text.length);
    strbuf_fini(&text);
    ptx_module_free(m);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"kernels", test_kernels}, {"seeds", test_seeds}, {"forms", test_forms}, {"golden", test_golden}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
