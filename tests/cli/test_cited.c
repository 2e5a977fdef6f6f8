// Files named by pages in backquotes exist: `experiments/fig1.exp`, `src/exec/fast/*.c`. Exempt are
// placeholders for a reader's file (NAME, MODULE) and pages on adding a file (docs/howto/add-*, docs/tutorial/mechanism.md).
#include "base/file.h"
#include "base/str.h"
#include "harness/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool matches(const char *pattern)
{
    glob_t found;
    int status = glob(pattern, 0, NULL, &found);
    globfree(&found);
    return status == 0;
}

// Looks from the root of the repository and from the page's folder; a test program's name lacks ".c".
static bool exists(const char *page, const char *name)
{
    struct strbuf here = {0}, source = {0};
    strbuf_printf(&here, "%.*s/%s", (int)(strrchr(page, '/') - page), page, name);
    strbuf_printf(&source, "%s.c", name);
    bool found = matches(name) || matches(here.text) || matches(source.text);
    strbuf_fini(&here);
    strbuf_fini(&source);
    return found;
}

static bool is_file_name(const char *name)
{
    static const char *const folders[] = {"src/",     "tests/",   "docs/",  "experiments/", "gpus/",
                                          "kernels/", "silicon/", "tools/", "bench/",       "web/"};
    if (strpbrk(name, " \n<{") || strstr(name, "NAME") || strstr(name, "MODULE")) return false;
    for (size_t i = 0; i < TEST_COUNT(folders); i++)
        if (str_starts_with(name, folders[i])) return true;
    return false;
}

// Checks the words in backquotes of a page; returns the number of files named.
static unsigned check_page(struct test *t, const char *page)
{
    char *text = NULL, *at;
    size_t length;
    const char *why = "";
    unsigned names = 0;
    CHECK_MSG(t, file_read(page, &text, &length, &why), "%s: %s", page, why);
    for (at = text; at && (at = strchr(at, '`')) != NULL;) {
        char *name = strndup(at + 1, strcspn(at + 1, "`"));
        if (is_file_name(name)) {
            CHECK_MSG(t, exists(page, name), "%s names `%s`, which is no file", page, name);
            names++;
        }
        at += 1 + (*name && is_file_name(name) ? strlen(name) + 1 : 0);
        free(name);
    }
    free(text);
    return names;
}

static void test_cited(struct test *t)
{
    char *pages;
    unsigned names = 0;
    static const char command[] = "find . -name '*.md' -not -path './build*' -not -path '*/node_modules/*' "
                                  "-not -path './docs/howto/add-*' -not -path './docs/tutorial/mechanism.md'";
    CHECK_EQ(t, test_command(command, 20, &pages, NULL), 0);
    char *rest = pages;
    for (char *page; (page = strsep(&rest, "\n")) != NULL;)
        if (*page) names += check_page(t, page);
    CHECK_MSG(t, names > 200, "%u names", names);
    free(pages);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"cited", test_cited}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
