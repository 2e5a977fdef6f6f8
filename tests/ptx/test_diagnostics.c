// Messages for wrong input: diagnostics/NAME.ptx gives NAME.golden, several errors per file, each with a
// location. Fails when a message or location differs.
#include "harness/files.h"
#include "support.h"

#include <string.h>

static void check_file(struct test *t, const char *path)
{
    size_t length;
    char *text = test_read_file(t, path, &length);
    struct strbuf messages = {0}, golden = {0};
    struct ptx_module *m = support_parse(path, text, length, &messages);
    CHECK_MSG(t, m == NULL, "%s was taken", path);
    strbuf_printf(&golden, "%.*s.golden", (int)(strlen(path) - 4), path);
    CHECK_GOLDEN(t, golden.text, strbuf_text(&messages));
    ptx_module_free(m);
    strbuf_fini(&messages);
    strbuf_fini(&golden);
    free(text);
}

static void test_messages(struct test *t)
{
    CHECK_EQ(t, test_each_file(t, "tests/ptx/diagnostics", ".ptx", check_file), 12);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"messages", test_messages}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
