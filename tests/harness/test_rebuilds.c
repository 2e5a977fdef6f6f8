// tools/check-rebuilds: a table or header included by more than a third of the C files is reported, however
// indirect the includes are; base is exempt.
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <stdlib.h>

enum { FILES = 9 };

// Writes nine C files of a room; `users` of them include ROOM/y.h, which includes ROOM/x.h, which includes
// ROOM/x.def. Returns the exit status of the tool; out: its output, heap.
static int check(struct test *t, const char *room, unsigned users, char **out)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "rm -rf %s/tree && mkdir -p %s/tree/src/%s %s/tree/tests", test_directory(t),
                  test_directory(t), room, test_directory(t));
    test_command(text.text, 60, NULL, NULL);
    for (unsigned k = 0; k < FILES + 3; k++) {
        struct strbuf path = {0};
        static const char *const headers[] = {"x.def", "x.h", "y.h"}, *const included[] = {NULL, "x.def",
                                                                                           "x.h"};
        const char *next = k < 3 ? included[k] : k - 3 < users ? "y.h" : NULL;
        strbuf_printf(&path, "%s/tree/src/%s/", test_directory(t), room);
        if (k < 3) strbuf_printf(&path, "%s", headers[k]);
        if (k >= 3) strbuf_printf(&path, "%u.c", k);
        text.length = 0;
        if (next) strbuf_printf(&text, "#include \"%s/%s\"\n", room, next);
        test_write_text(t, path.text, next ? text.text : "");
        strbuf_fini(&path);
    }
    text.length = 0;
    strbuf_printf(&text, "tools/check-rebuilds %s/tree", test_directory(t));
    int status = test_command(text.text, 60, out, NULL);
    strbuf_fini(&text);
    return status;
}

static void test_third(struct test *t)
{
    char *out;
    CHECK_EQ(t, check(t, "isa", FILES / 3, &out), 0);
    CHECK_HAS(t, out, "more than a third of 9 objects");
    free(out);
    CHECK_EQ(t, check(t, "isa", FILES / 3 + 1, &out), 1);
    CHECK_HAS(t, out, "src/isa/x.def: a change rebuilds 4 of 9 objects");
    CHECK_HAS(t, out, "src/isa/x.h: a change rebuilds 4 of 9 objects");
    CHECK_HAS(t, out, "src/isa/y.h: a change rebuilds 4 of 9 objects");
    free(out);
}

static void test_base(struct test *t)
{
    char *out;
    CHECK_EQ(t, check(t, "base", FILES, &out), 0);
    free(out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"third", test_third}, {"base", test_base}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
