// Cited files exist: in backquotes of pages (`experiments/fig1.exp`, `src/exec/fast/*.c`, `diag.h`), and in
// comments of the sources (docs/explanation/timing.md, sm/mech/tech.h). Exempt are placeholders with a word in
// capitals (kernels/NAME.cu), pages on adding a file (docs/howto/add-*, docs/tutorial/mechanism.md), and the
// names of the table `foreign`.
#include "base/file.h"
#include "base/str.h"
#include "harness/files.h"
#include "harness/test.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files outside the tree: made by a build or a command, or part of other projects.
static const char *const foreign[] = {"program_files.def",
                                      "lab/program_files.def",
                                      "files.def",
                                      "silicon/files.def", // made by make
                                      "paper.md",          // made by reproduce
                                      "StatIds.h",
                                      "inc/Config.h",
                                      "inc/MemoryMap.h", // of SIMTight
                                      "splitmix64.c",
                                      "mpfr.h",
                                      "sqlite3.h", // of other libraries
                                      "room/of/header.h",
                                      "src/a.c",
                                      "b.h"}; // examples

// Whether files match a pattern.
static bool matches(const char *pattern)
{
    glob_t found;
    int status = glob(pattern, 0, NULL, &found);
    globfree(&found);
    return status == 0;
}

// Whether a file below the folder of `citer`, or its parent, matches the name.
static bool is_near(const char *citer, const char *name)
{
    struct strbuf here = {0}, above = {0};
    const char *slash = strrchr(citer, '/');
    int folder = slash ? (int)(slash - citer) : 0;
    strbuf_printf(&here, "%.*s%s%s", folder, citer, slash ? "/" : "", name);
    strbuf_printf(&above, "%.*s%s../%s", folder, citer, slash ? "/" : "", name);
    bool found = matches(here.text) || matches(above.text);
    strbuf_fini(&here);
    strbuf_fini(&above);
    return found;
}

// Whether a name is a file from the root, from the citing file, from src/ or kernels/include/, or, by the last
// components, anywhere in the tree (list: every file, with "./" before and a newline behind). A test program's
// name lacks ".c".
static bool exists(const char *list, const char *citer, const char *name)
{
    static const char *const forms[][2] = {{"", ""}, {"", ".c"}, {"src/", ""}, {"kernels/include/", ""}};
    struct strbuf line = {0};
    strbuf_printf(&line, "/%s\n", name);
    bool found = is_near(citer, name) || strstr(list, line.text);
    for (size_t k = 0; k < TEST_COUNT(forms) && !found; k++) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s%s%s", forms[k][0], name, forms[k][1]);
        found = matches(path.text);
        strbuf_fini(&path);
    }
    for (size_t k = 0; k < TEST_COUNT(foreign); k++) found |= str_equal(name, foreign[k]);
    strbuf_fini(&line);
    return found;
}

// A placeholder has a variable, or a word of at least two capitals: tests/MODULE/test_NAME.c. Pages such as
// README.md are files.
static bool is_placeholder(const char *name)
{
    size_t length = strlen(name);
    if (strchr(name, '$')) return true;
    if (length > 3 && str_equal(name + length - 3, ".md")) return strstr(name, "NAME") != NULL;
    for (const char *p = name; *p; p++)
        if (isupper((unsigned char)p[0]) && isupper((unsigned char)p[1])) return true;
    return false;
}

// Sources, scripts and tables: names with such an ending are files.
static bool has_ending(const char *name)
{
    static const char *const endings[] = {".c", ".h", ".def", ".md", ".gpu", ".exp", ".wf", ".pml"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; dot && dot > name && k < TEST_COUNT(endings); k++)
        if (str_equal(dot, endings[k])) return true;
    return false;
}

static bool has_folder(const char *name)
{
    static const char *const folders[] = {"src/",     "tests/",   "docs/",  "experiments/", "gpus/",
                                          "kernels/", "silicon/", "tools/", "bench/",       "web/"};
    for (size_t i = 0; i < TEST_COUNT(folders); i++)
        if (str_starts_with(name, folders[i])) return true;
    return false;
}

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./*$-";

// Whether a text in backquotes names a file.
static bool is_file_name(const char *name)
{
    bool is_name = name[strspn(name, name_characters)] == 0 && (has_folder(name) || has_ending(name));
    return is_name && !is_placeholder(name);
}

// Checks the words in backquotes of a page; returns the number of files named.
static unsigned check_page(struct test *t, const char *list, const char *page)
{
    char *text = test_read_file(t, page, NULL);
    unsigned names = 0;
    for (char *at = text; (at = strchr(at, '`')) != NULL;) {
        char *name = strndup(at + 1, strcspn(at + 1, "`"));
        bool is_name = is_file_name(name);
        CHECK_MSG(t, !is_name || exists(list, page, name), "%s names `%s`, which is no file", page, name);
        names += is_name;
        at += 1 + (*name && is_name ? strlen(name) + 1 : 0);
        free(name);
    }
    free(text);
    return names;
}

// Checks a word of a comment; returns whether the word names a file.
static bool check_word(struct test *t, const char *list, const char *source, const char *word, size_t length)
{
    while (length && word[length - 1] == '.') length--;
    char *name = strndup(word, length), *bare = name;
    while (str_starts_with(bare, "../") || str_starts_with(bare, "./")) bare += strcspn(bare, "/") + 1;
    bool is_name = has_ending(bare) && *bare != '*' && *bare != '/' && !is_placeholder(bare);
    CHECK_MSG(t, !is_name || exists(list, source, bare), "%s cites %s, which is no file", source, name);
    free(name);
    return is_name;
}

// Checks the comments of a source, which begin with // in C and with # in makefiles and scripts; returns the
// number of files named.
static unsigned check_source(struct test *t, const char *list, const char *source)
{
    char *text = test_read_file(t, source, NULL);
    const char *begin = has_ending(source) ? "//" : "#";
    unsigned names = 0;
    for (const char *at = text; (at = strstr(at, begin)) != NULL;) {
        const char *end = at + strcspn(at, "\n");
        for (at += strlen(begin); at < end;) {
            at += !strchr(name_characters, *at);
            size_t length = strspn(at, name_characters);
            names += length && check_word(t, list, source, at, length);
            at += length;
        }
    }
    free(text);
    return names;
}

typedef unsigned check(struct test *t, const char *list, const char *path);

// Applies a check to the files printed by a command; returns the sum.
static unsigned check_files(struct test *t, const char *command, check *one)
{
    char *paths, *list;
    unsigned names = 0;
    CHECK_EQ(t,
             test_command(
                 "find . -type f -not -path './build*' -not -path './.git/*' -not -path '*/node_modules/*'",
                 20, &list, NULL),
             0);
    CHECK_EQ(t, test_command(command, 20, &paths, NULL), 0);
    char *rest = paths;
    for (char *path; (path = strsep(&rest, "\n")) != NULL;)
        if (*path) names += one(t, list, path);
    free(paths);
    free(list);
    return names;
}

static void test_pages(struct test *t)
{
    unsigned names =
        check_files(t,
                    "find . -name '*.md' -not -path './build*' -not -path '*/node_modules/*' -not -path "
                    "'./docs/howto/add-*' -not -path './docs/tutorial/mechanism.md'",
                    check_page);
    CHECK_MSG(t, names > 500, "%u names", names);
}

static void test_comments(struct test *t)
{
    static const char sources[] =
        "find src tests bench -name '*.[ch]' -o -name '*.def' | sed 's,^,./,'; "
        "find Makefile src tests bench tools kernels silicon -type f '(' -name '*.mk' -o "
        "-name Makefile -o -perm -u+x ')' -not -name '*.elf' | sed 's,^,./,'";
    unsigned names = check_files(t, sources, check_source);
    CHECK_MSG(t, names > 500, "%u names", names);
}

static void test_words(struct test *t)
{
    CHECK(t, is_file_name("src/exec/fast/*.c") && is_file_name("diag.h") && is_file_name("tests/api"));
    CHECK(t,
          !is_file_name("kernels/NAME.cu") && !is_file_name("l1.latency") && !is_file_name("src/ and more"));
    CHECK(t, exists("./src/sm/mech/tech.h\n", "./docs/x.md", "mech/tech.h"));
    CHECK(t, !exists("./src/sm/mech/tech.h\n", "./docs/x.md", "ch/tech.h"));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"pages", test_pages}, {"comments", test_comments}, {"words", test_words}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
