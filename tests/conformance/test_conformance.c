// Rows against their rules: on the oracle, and on the engine in every profile, with and without the
// optimiser, with every build of the interpreter available on the host. Fails when a result breaks its
// rule.
#include "harness/files.h"
#include "harness/test.h"

#include "base/str.h"
#include "conformance/conformance.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name;
    void (*make)(struct rows *);
} parts[] = {{"integer", rows_integer},
             {"select", rows_select},
             {"real", rows_real},
             {"approximate", rows_approximate},
             {"convert", rows_convert}};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void all_rows(struct rows *rows)
{
    *rows = (struct rows){0};
    for (int k = 0; k < PARTS; k++) parts[k].make(rows);
}

// Keeps every eighth row in quick runs, every row otherwise.
static void thin_out(struct rows *rows)
{
    size_t kept = 0;
    for (size_t k = 0; test_is_quick() && k < rows->list.count; k += 8)
        rows->list.data[kept++] = rows->list.data[k];
    if (kept) rows->list.count = kept;
}

static void test_oracle(struct test *t)
{
    struct rows rows;
    all_rows(&rows);
    printf("  %zu rows\n", rows.list.count);
    CHECK(t, rows.list.count > 2000);
    thin_out(&rows);
    run_rows_oracle(t, &rows);
    vec_fini(&rows.list);
}

static void with(struct test *t, const struct configuration *c)
{
    struct rows rows;
    all_rows(&rows);
    thin_out(&rows);
    run_rows(t, &rows, c);
    vec_fini(&rows.list);
}

static void test_sass(struct test *t) { with(t, &(struct configuration){"sass", {NULL}}); }
static void test_plain(struct test *t)
{
    with(t, &(struct configuration){"plain", {"compile.optimise", "0"}});
}
static void test_ptxplus(struct test *t)
{
    with(t, &(struct configuration){"ptxplus", {"compile.profile", "ptxplus"}});
}
static void test_ptxplus_plain(struct test *t)
{
    with(t,
         &(struct configuration){"ptxplus plain", {"compile.profile", "ptxplus", "compile.optimise", "0"}});
}

static void test_pascal(struct test *t)
{
    with(t, &(struct configuration){"pascal", {"compile.profile", "pascal"}});
}
static void test_pascal_plain(struct test *t)
{
    with(t, &(struct configuration){"pascal plain", {"compile.profile", "pascal", "compile.optimise", "0"}});
}

// The rows are PTX: NVIDIA's own assembler accepts the rows.
static void test_ptxas(struct test *t)
{
    if (!test_has_tool("ptxas")) {
        test_skip(t, "ptxas is not installed; it comes with the CUDA toolkit and is not needed otherwise");
        return;
    }
    for (int k = 0; k < PARTS; k++) {
        struct rows rows = {0};
        struct strbuf text = {0};
        const char *folder = test_directory(t);
        char path[512], command[1200], *out = NULL, *err = NULL;
        parts[k].make(&rows);
        write_rows(&rows, test_is_long() ? 1 : 16, &text);
        snprintf(path, sizeof path, "%s/%s.ptx", folder, parts[k].name);
        test_write_file(t, path, text.text, text.length);
        snprintf(command, sizeof command, "ptxas -O0 -arch=sm_90 %s -o %s/x.cubin", path, folder);
        CHECK_MSG(t, test_command(command, 250, &out, &err) == 0, "%s: %.600s", parts[k].name,
                  err ? err : "");
        free(out);
        free(err);
        strbuf_fini(&text);
        vec_fini(&rows.list);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"oracle", test_oracle},
                                             {"sass", test_sass},
                                             {"plain", test_plain},
                                             {"ptxplus", test_ptxplus},
                                             {"ptxplus-plain", test_ptxplus_plain},
                                             {"pascal", test_pascal},
                                             {"pascal-plain", test_pascal_plain},
                                             {"ptxas", test_ptxas}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
