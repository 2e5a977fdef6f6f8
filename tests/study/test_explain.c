// The report for a kernel's author. Each kernel is made to need one piece of advice. Fails where the advice
// or a line is wrong, or a figure differs from `redundancy`.
#include "base/str.h"
#include "harness/bundled.h"
#include "harness/test.h"
#include "study/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct wf_study *explain(struct test *t, const char *body)
{
    return tables_watch(t, "explain", body, (const uint32_t[]){8, 16, 1}); // four warps
}

static void test_advice(struct test *t)
{
    static const struct {
        const char *body, *advice, *what, *from, *line;
    } rows[] = {
        {"ld.global.u32 %a0, [%in];\nadd.u32 %sum, %sum, %a0;\n", "__constant__",
         "global memory; the same value", "global memory, argument 0", "kernel.ptx:22"},
        {"mul.wide.u32 %d, %tx, 4;\nadd.u64 %d, %d, %in;\nld.global.u32 %a0, [%d];\nadd.u32 %sum, %sum, "
         "%a0;\n",
         "every warp of a block loads the same words", "global memory; a value per lane", "threadIdx.x",
         "kernel.ptx:24"},
        {"mul.lo.u32 %a0, %tx, 4;\nmov.u32 %a1, tile;\nadd.u32 %a1, %a0, %a1;\nld.shared.u32 %a2, [%a1];\n"
         "ld.shared.u32 %a3, [%a1+32];\nadd.u32 %sum, %a2, %sum;\nadd.u32 %sum, %a3, %sum;\n",
         "keep the word in a register", "shared memory; a value per lane", "threadIdx.x, shared memory",
         "kernel.ptx:25-26"},
        {"div.u32 %a0, 1000000, %n;\nadd.u32 %sum, %sum, %a0;\n", "pass the value as an argument",
         "arithmetic", "argument 2", "kernel.ptx:22"},
        {"mul.lo.u32 %a0, %tx, %tx;\nxor.b32 %a1, %a0, 77;\nmul.lo.u32 %a2, %a1, %a0;\nadd.u32 %sum, %sum, "
         "%a2;\n",
         "depends on the column", "integer arithmetic; 33 % the same value", "threadIdx.x",
         "kernel.ptx:15-27"},
        {"mov.u32 %a0, %ctaid.x;\nmul.lo.u32 %a1, %a0, %a0;\nxor.b32 %a2, %a1, 77;\nmul.lo.u32 %a3, %a2, "
         "%a1;\n"
         "add.u32 %sum, %sum, %a3;\n",
         "scalarise", "integer arithmetic; the same value", "blockIdx", "kernel.ptx:15-28"},
        {"mov.u32 %i, 0;\nL:\nbar.sync 0;\nld.shared.u32 %a0, [tile];\nadd.u32 %sum, %sum, %a0;\n"
         "add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 20;\n@%p bra L;\n",
         "hoist", "shared memory; the same value", "shared memory", "kernel.ptx:25"},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct wf_study *s = explain(t, rows[k].body);
        const struct wf_table *lines = tables_find(wf_study_report(s), "lines");
        size_t row = 0;
        while (row < lines->row_count && !str_equal(tables_text(lines, row, "line"), rows[k].line)) row++;
        CHECK_MSG(t, row < lines->row_count, "row %zu: no line %s", k, rows[k].line);
        if (row == lines->row_count) row = 0;
        CHECK_MSG(t, strstr(tables_text(lines, row, "do"), rows[k].advice), "row %zu: \"%s\", not \"%s\"", k,
                  tables_text(lines, row, "do"), rows[k].advice);
        CHECK_MSG(t, strstr(tables_text(lines, row, "what"), rows[k].what), "row %zu: \"%s\"", k,
                  tables_text(lines, row, "what"));
        CHECK_MSG(t, str_starts_with(tables_text(lines, row, "from"), rows[k].from), "row %zu: \"%s\"", k,
                  tables_text(lines, row, "from"));
        CHECK_MSG(t, str_starts_with(tables_text(lines, row, "why"), "provable"), "row %zu: \"%s\"", k,
                  tables_text(lines, row, "why"));
        wf_study_destroy(s);
    }
}

// Values equal only because of this run's data are reported so, and no advice counts on them.
static void test_accidents(struct test *t)
{
    struct wf_study *s = explain(t, "shr.u32 %a1, %ty, 4;\nxor.b32 %a2, %a1, 5;\n"
                                    "add.u32 %a3, %a2, 5;\nadd.u32 %sum, %sum, %a3;\n");
    const struct wf_table *lines = tables_find(wf_study_report(s), "lines");
    bool seen = false;
    for (size_t row = 0; row < lines->row_count; row++) {
        if (!strstr(tables_text(lines, row, "why"), "happened in this run")) continue;
        seen = true;
        CHECK(t, strstr(tables_text(lines, row, "why"), "threadIdx.y"));
        CHECK(t, tables_share(lines, row, "saves") < 0.9 * 0.75 * tables_share(lines, row, "repeated"));
    }
    CHECK(t, seen);
    wf_study_destroy(s);
}

static struct wf_study *watch(struct test *t, const char *study, const char *workload)
{
    struct wf_context *c = wf_context_create();
    struct wf_study *s = wf_study_create(study);
    wf_set_study(c, s);
    bundled_run(t, c, workload, NULL, NULL);
    wf_context_destroy(c);
    return s;
}

static void test_figures(struct test *t)
{
    struct wf_study *s = watch(t, "explain", "matrixMul"), *r = watch(t, "redundancy", "matrixMul");
    const struct wf_study_results *page = wf_study_report(s), *truth = wf_study_report(r);
    const struct wf_table *kernel = tables_find(page, "kernels"), *lines = tables_find(page, "lines");
    const struct wf_table *shapes = tables_find(page, "shapes"), *redundant = tables_find(truth, "kernels");
    CHECK(t, fabs(tables_share(kernel, 0, "repeated") - tables_share(redundant, 0, "block")) < 1e-12);
    CHECK(t, fabs(tables_share(kernel, 0, "saving") - tables_share(redundant, 0, "saving")) < 1e-12);
    double saving = 0;
    for (size_t row = 0; row < lines->row_count; row++) {
        double f = tables_share(lines, row, "repeated");
        CHECK(t, fabs(tables_share(lines, row, "saving") - f * (1 - 1 / 32.0)) < 1e-9); // 32 warps
        saving += tables_share(lines, row, "saving");
    }
    CHECK(t, saving <= tables_share(kernel, 0, "saving") + 1e-9 &&
                 saving > 0.9 * tables_share(kernel, 0, "saving"));
    CHECK_STR(t, tables_text(lines, 0, "line"), "matrixMul.cu:23"); // the inner loop
    CHECK(t, strstr(tables_text(lines, 0, "source"), "tile_a[ty][k] * tile_b[k][tx]"));
    CHECK(t, strstr(tables_text(lines, 0, "do"), "shared memory"));
    for (size_t row = 0; row < shapes->row_count; row++) { // x divides the warp size, or does not
        unsigned x = (unsigned)strtoul(tables_text(shapes, row, "block"), NULL, 10);
        CHECK_EQ(t, tables_share(shapes, row, "marked") > 0.3, x <= 32);
        CHECK_EQ(t, !!*tables_text(shapes, row, "launched"), x == 32);
    }
    wf_study_destroy(s);
    wf_study_destroy(r);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"advice", test_advice}, {"accidents", test_accidents}, {"figures", test_figures}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
