// docs/reference/cuda-runtime.md is src/cudart/runtime.def as a page, and cuda-libraries.md the tables of the driver, cuBLAS and
// cuRAND: UPDATE_GOLDEN=1 rewrites the pages. Fails when a page is stale, or a row names a file without the function.
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

// Names of the libraries: present, with a twin for a default stream per thread, with 64-bit sizes, absent.
enum library_kind { LIBRARY_PRESENT, LIBRARY_TWIN, LIBRARY_ABSENT };
struct library_row {
    enum library_kind kind;
    const char *name;
};

#define TWIN_NONE(name)
#define TWIN_PTSZ(name)                                 {LIBRARY_TWIN, #name "_ptsz"},
#define TWIN_PTDS(name)                                 {LIBRARY_TWIN, #name "_ptds"},
#define CALL(name, twin, since, need, parameters, call) {LIBRARY_PRESENT, #name}, TWIN_##twin(name)
#define OWN(name, twin, since, need, parameters, call)  CALL(name, twin, since, need, parameters, call)
#undef ABSENT
#define ABSENT(name) {LIBRARY_ABSENT, #name},
static const struct library_row driver_rows[] = {
#include "cudart/driver/driver.def"
};
#define ROUTINE(name, parameters, call)  {LIBRARY_PRESENT, NAME(name)}, {LIBRARY_TWIN, NAME(name) "_64"},
#define FUNCTION(name, parameters, call) {LIBRARY_PRESENT, #name},
#define TEXT(name, call)                 {LIBRARY_PRESENT, #name},
#define NAME(name)                       #name
#define INT                              int
static const struct library_row blas_rows[] = {
#include "cumath/blas/routines.def"

#include "cumath/blas/handle.def"
};
static const struct library_row rand_rows[] = {
#include "cumath/rand/curand.def"
};

static void list_library(const struct library_row *row, size_t count, enum library_kind kind,
                         const char *before, struct strbuf *out)
{
    const char *separator = before;
    for (size_t i = 0; i < count; i++) {
        if (row[i].kind != kind || str_starts_with(row[i].name, "warpfold")) continue;
        strbuf_printf(out, "%s`%s`", separator, row[i].name);
        separator = ", ";
    }
    strbuf_puts(out, ".\n");
}

static void put_library(const char *title, const struct library_row *rows_of, size_t count, const char *twins,
                        const char *absent, struct strbuf *page)
{
    strbuf_printf(page, "\n## %s\n\n", title);
    list_library(rows_of, count, LIBRARY_PRESENT, "", page);
    if (twins) list_library(rows_of, count, LIBRARY_TWIN, twins, page);
    list_library(rows_of, count, LIBRARY_ABSENT, absent, page);
}

static void test_libraries(struct test *t)
{
    struct strbuf page = {0};
    strbuf_puts(
        &page,
        "# Functions of the CUDA driver, cuBLAS and cuRAND\n\n"
        "Made from `src/cudart/driver/driver.def`, `src/cumath/blas/*.def` and `src/cumath/rand/curand.def` "
        "by "
        "`UPDATE_GOLDEN=1 build/tests/cudart/test_docs`. Use, and what differs from NVIDIA's libraries: "
        "[cuda-programs.md](../howto/cuda-programs.md#libraries). The runtime: "
        "[cuda-runtime.md](cuda-runtime.md). An absent function says its name once.\n");
    put_library(
        "The driver API, `libcuda.so.1`", driver_rows, TEST_COUNT(driver_rows),
        "\nFor a default stream per thread: ", "\nAbsent, error 801 (`CUDA_ERROR_NOT_SUPPORTED`): ", &page);
    put_library("cuBLAS, `libcublas.so.13`, `.so.12`, `.so.11`", blas_rows, TEST_COUNT(blas_rows),
                "\nWith 64-bit sizes: ", "\nAbsent, `CUBLAS_STATUS_NOT_SUPPORTED`: ", &page);
    put_library("cuRAND's host interface, `libcurand.so.10`", rand_rows, TEST_COUNT(rand_rows), NULL,
                "\nAbsent, `CURAND_STATUS_TYPE_ERROR`: ", &page);
    CHECK_GOLDEN(t, "docs/reference/cuda-libraries.md", strbuf_text(&page));
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
    static const struct test_case cases[] = {
        {"page", test_page}, {"libraries", test_libraries}, {"files", test_files}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
