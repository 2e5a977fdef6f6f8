// tools/pointing-words counts words of comments, or (-s) words of string literals of two words or more.
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] = "#include \"this one.h\"\n"
                             "// A longer comment with which, that and \"these words\".\n"
                             "f(\"those two of %s\\n\", \"which\", \"key.all\", 'x'); // a string \"of it\"\n"
                             "f(\"a \\\"quoted\\\" warp, 5 % of all\");\n";

// Runs the tool with `options` on a C file of `source` and on a table of the same text. Returns the output, heap.
static char *count(struct test *t, const char *options)
{
    struct strbuf command = {0};
    struct strbuf path = {0};
    char *out;
    strbuf_printf(&path, "%s/room", test_directory(t));
    strbuf_printf(
        &command,
        "mkdir -p %s && cat >%s/x.c <<'END' && cp %s/x.c %s/x.def && tools/pointing-words %s %s\n%sEND\n",
        path.text, path.text, path.text, path.text, options, path.text, source);
    CHECK_EQ(t, test_command(command.text, 60, &out, NULL), 0);
    strbuf_fini(&command);
    strbuf_fini(&path);
    return out;
}

static void test_comments(struct test *t)
{
    char *out = count(t, "");
    CHECK_HAS(t, out, "all                                           18      4  22.2\n");
    free(out);
}

static void test_strings(struct test *t)
{
    char *out = count(t, "-s");
    CHECK_HAS(t, out, "all                                           16      4  25.0\n");
    CHECK_HAS(t, out, "x.def");
    free(out);
    out = count(t, "-s -l");
    CHECK_STR(t, out, "");
    free(out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"comments", test_comments}, {"strings", test_strings}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
