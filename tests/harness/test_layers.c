// tools/check-layers: includes pointing up or to a sibling are found at any depth of
// folders, and valid includes pass.
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

// A source file at `path`, in a folder of the test, with an include of `header`. Returns the tool's exit
// status; out: its output, heap.
static int check(struct test *t, const char *path, const char *header, char **out)
{
    struct strbuf command = {0};
    strbuf_printf(&command,
                  "cd %s && rm -rf tree && mkdir -p tree/$(dirname %s) && echo '#include \"%s\"' >tree/%s && "
                  "cd - >/dev/null && tools/check-layers %s/tree",
                  test_directory(t), path, header, path, test_directory(t));
    int status = test_command(command.text, 60, out, NULL);
    strbuf_fini(&command);
    return status;
}

static void test_wrong(struct test *t)
{
    static const char *const wrong[][3] = {
        {"isa/x.c", "api/warpfold.h", "isa/ must not include api/"},
        {"isa/far/down/x.h", "api/warpfold.h", "isa/ must not include api/"},
        {"study/x.c", "tech/duel.h", "study/ must not include tech/"},
        {"isa/x.def", "tech/uv/uv.h", "isa/ must not include tech/"},
        {"compile/lower/x.c", "compile/pass/fold.h", "compile/lower/ must not include compile/pass/"},
        {"compile/select/x.c", "compile/schedule/x.h", "compile/select/ must not include compile/schedule/"},
        {"exec/x.c", "compile/ir/ir.h", "exec/ must not include compile/ir/"},
        {"compile/ir/x.c", "exec/launch.h", "compile/ir/ must not include exec/"},
        {"isa/x.c", "x.h", "is not written from src/"},
        {"isa/x.c", "nowhere/x.h", "no layer has \"nowhere/x.h\""},
        {"nowhere/x.c", "isa/isa.h", "no layer has this file"},
    };
    for (size_t k = 0; k < TEST_COUNT(wrong); k++) {
        struct strbuf place = {0};
        char *out;
        CHECK_EQ(t, check(t, wrong[k][0], wrong[k][1], &out), 1);
        strbuf_printf(&place, "tree/%s:1: error: ", wrong[k][0]);
        CHECK_HAS(t, out, place.text);
        CHECK_HAS(t, out, wrong[k][2]);
        free(out);
        strbuf_fini(&place);
    }
}

static void test_right(struct test *t)
{
    static const char *const right[][2] = {{"isa/x.c", "base/diag.h"},
                                           {"isa/far/x.c", "isa/isa.h"},
                                           {"tech/uv/x.c", "tech/duel/y.h"},
                                           {"compile/x.c", "ptx/ptx.h"},
                                           {"compile/lower/x.c", "ptx/ptx.h"},
                                           {"compile/emit/x.c", "compile/schedule/x.h"},
                                           {"compile/x.c", "compile/emit/emit.h"},
                                           {"sm/mech/x.c", "sm/issue/issue.h"}};
    for (size_t k = 0; k < TEST_COUNT(right); k++) {
        char *out;
        CHECK_EQ(t, check(t, right[k][0], right[k][1], &out), 0);
        CHECK_STR(t, out, "layers: includes only point down\n");
        free(out);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"wrong", test_wrong}, {"right", test_right}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
