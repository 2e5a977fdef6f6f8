// The embedded files of silicon/: every script and every PTX of the tree, unpacked, and no other name.
#include "base/packed.h"
#include "harness/test.h"
#include "silicon/point.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

// Compares a file of the tree with the embedded file, whose name has no "silicon/" and no ending of packed files.
static void check_file(struct test *t, const char *path)
{
    struct strbuf name = {0};
    char *text = NULL, *expected = NULL;
    size_t length = 0, expected_length = 0;
    const char *why;
    strbuf_puts(&name, path + strlen("silicon/"));
    if (str_ends_with(name.text, PACKED_ENDING)) name.text[name.length - strlen(PACKED_ENDING)] = 0;
    CHECK(t, packed_read_file(path, &expected, &expected_length, &why));
    bool good = silicon_file(name.text, &text, &length) && length == expected_length && !text[length] &&
                memcmp(text, expected, length) == 0;
    CHECK_MSG(t, good, "%s is not embedded as in the tree", name.text);
    free(text);
    free(expected);
    strbuf_fini(&name);
}

static void check_files(struct test *t, const char *pattern, size_t least)
{
    glob_t found = {0};
    CHECK(t, glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc >= least);
    for (size_t i = 0; i < found.gl_pathc; i++) check_file(t, found.gl_pathv[i]);
    globfree(&found);
}

static void test_tree(struct test *t)
{
    check_files(t, "silicon/points/*.wf", 100);
    check_files(t, "silicon/ptx/*" PACKED_ENDING, 100);
    check_files(t, "silicon/points.csv", 1);
}

static void test_unknown(struct test *t)
{
    char *text = NULL;
    size_t length;
    CHECK(t, !silicon_file("ptx/nowhere.ptx", &text, &length) && !text);
    CHECK(t, !silicon_file("", &text, &length) && !text);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"tree", test_tree}, {"unknown", test_unknown}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
