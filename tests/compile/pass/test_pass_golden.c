// Before and after: each file NAME.ir holds a small function. The first line names the pass to run
// ("late": after legalisation) and the expected effect. NAME.after holds the function after the
// pass and the removal of dead values. Fails when the printed function differs from the file.
#include "compile/ir/make.h"
#include "compile/ir/read.h"
#include "compile/pass/passes.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool pass_function(struct ir_function *f, const struct pass_context *c);

static pass_function *pass_by_name(const char *name, size_t length)
{
    static const struct {
        const char *name;
        pass_function *run;
    } passes[] = {
#define PASS(function, text, meaning) {text, function},
#include "compile/pass/passes.def"
#undef PASS
    };
    for (size_t k = 0; k < TEST_COUNT(passes); k++)
        if (strlen(passes[k].name) == length && !strncmp(passes[k].name, name, length)) return passes[k].run;
    return NULL;
}

static void run_case(struct test *t, const char *path, const char *text)
{
    struct ir_unit *u = make_unit();
    const char *why, *head = text + 2; // "; simplify late: …"
    pass_function *run = pass_by_name(head, strcspn(head, " :"));
    struct pass_context c = {.late = !strncmp(head + strcspn(head, " :"), " late", 5)},
                        dead = {.late = c.late};
    struct ir_function *f = ir_read(u, strchr(text, '\n') + 1, &why);
    CHECK_MSG(t, run, "%s: no such pass", path);
    CHECK_MSG(t, f, "%s: %s", path, why);
    if (f && run) {
        CHECK_MSG(t, run(f, &c), "%s: nothing changed", path);
        if ((why = ir_verify(f))) test_fail(t, __FILE__, __LINE__, "%s: %s", path, why);
        pass_dead(f, &dead);
        ir_number(f);
        struct strbuf out = {0};
        char golden[256];
        strbuf_write(&out, text, strcspn(text, "\n") + 1);
        ir_print(f, &out);
        snprintf(golden, sizeof golden, "%.*s.after", (int)strlen(path) - 3, path);
        CHECK_GOLDEN(t, golden, strbuf_text(&out));
        strbuf_fini(&out);
    }
    make_unit_free(u);
}

static void check_file(struct test *t, const char *path)
{
    char *text = test_read_file(t, path, NULL);
    run_case(t, path, text);
    free(text);
}

static void test_golden(struct test *t)
{
    CHECK(t, test_each_file(t, "tests/compile/pass", ".ir", check_file) >= 10);
}

// Reading printed text gives the same function.
static void test_reads_back(struct test *t)
{
    static const char text[] = "function f v0:32, v1:64\n"
                               "block0:\n"
                               "  v2:32 = load.u8.shared [v0 + 4]\n"
                               "  p3 = setp.ltu.f32.ftz v2, v0\n"
                               "  v4:32 = load.b32.global [v1 - 8] @!p3 old v2\n"
                               "  v5:32 = sreg sr_tid.x\n"
                               "  v6:64 = bank c[0][0x160]\n"
                               "  branch p3, block1, block2\n"
                               "block1: ; from block0, block1\n"
                               "  v7:32 = phi block0: 5, block1: v8\n"
                               "  v8:32 = lop3.0x96 v7, v4, v5\n"
                               "  branch p3, block1, block2\n"
                               "block2: ; from block0, block1\n"
                               "  v9:32 = phi block0: v0, block1: v8\n"
                               "  return v9\n";
    struct ir_unit *u = make_unit();
    const char *why;
    struct ir_function *f = ir_read(u, text, &why);
    CHECK_MSG(t, f, "%s", why);
    struct strbuf out = {0};
    if (f) ir_print(f, &out);
    CHECK_STR(t, strbuf_text(&out), text);
    strbuf_fini(&out);
    make_unit_free(u);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"reads_back", test_reads_back}, {"golden", test_golden}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
