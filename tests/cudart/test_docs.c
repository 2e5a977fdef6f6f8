// docs/reference/cuda-runtime.md is src/cudart/runtime.def as a page: UPDATE_GOLDEN=1 rewrites the page. Fails when the page is
// stale, or a row names a file without the function.
#include "base/file.h"
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum libraries { BOTH, CUDA13, CUDA11 };
enum row_kind { ROW_PRESENT, ROW_TWIN, ROW_ABSENT };

static const struct row {
    enum row_kind kind;
    const char *name, *file;
    enum libraries libraries;
} rows[] = {
#define PRESENT(name, file, libraries)                       {ROW_PRESENT, #name, #file, libraries},
#define TWIN(name, suffix, libraries, parameters, arguments) {ROW_TWIN, #name #suffix, "twins.c", libraries},
#define ABSENT(name, libraries)                              {ROW_ABSENT, #name, "absent.c", libraries},
#include "cudart/runtime.def"
};

static void list(enum row_kind kind, struct strbuf *out)
{
    static const char *const notes[] = {"", " (13)", " (11)"};
    const char *separator = "";
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        if (rows[i].kind != kind) continue;
        strbuf_printf(out, "%s`%s`%s", separator, rows[i].name, notes[rows[i].libraries]);
        separator = ", ";
    }
    strbuf_puts(out, ".\n");
}

static void test_page(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(&page, "# Functions of the CUDA runtime\n\n"
                       "Made from `src/cudart/runtime.def` by `UPDATE_GOLDEN=1 "
                       "build/tests/cudart/test_docs`. A program with the "
                       "runtime in place: [cuda-programs.md](../howto/cuda-programs.md). (13), (11): only in "
                       "`libcudart.so.13` or `libcudart.so.11.0`.\n\n## Present\n\n");
    list(ROW_PRESENT, &page);
    strbuf_puts(&page, "\n## For a default stream per thread\n\n");
    list(ROW_TWIN, &page);
    strbuf_puts(&page,
                "\n## Absent\n\nEach says its name once, and returns 801 (`cudaErrorNotSupported`).\n\n");
    list(ROW_ABSENT, &page);
    CHECK_GOLDEN(t, "docs/reference/cuda-runtime.md", strbuf_text(&page));
    strbuf_fini(&page);
}

static void test_files(struct test *t)
{
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        if (rows[i].kind != ROW_PRESENT) continue;
        struct strbuf path = {0}, call = {0};
        char *text = NULL;
        size_t length;
        const char *why;
        strbuf_printf(&path, "src/cudart/%s", rows[i].file);
        strbuf_printf(&call, "%s(", rows[i].name);
        CHECK_MSG(t, file_read(strbuf_text(&path), &text, &length, &why) && strstr(text, strbuf_text(&call)),
                  "%s is not in %s", rows[i].name, strbuf_text(&path));
        free(text);
        strbuf_fini(&path);
        strbuf_fini(&call);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"page", test_page}, {"files", test_files}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
