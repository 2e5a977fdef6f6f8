// Recall of the marks: the study `marks` over the bundled kernels, five runs with other inputs, both
// profiles. Writes docs/results/recall.md (UPDATE_GOLDEN=1); fails where recall is below the required share.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"
#include "study/tables.h"
#include "workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 5 };
static const double must_reach = 0.85;

static struct wf_study *watch_runs(struct test *t, const struct workload *w, const char *profile,
                                   enum workload_size size)
{
    struct wf_study *s = wf_study_create("marks");
    for (unsigned run = 0; run < RUNS; run++) {
        struct wf_context *c = wf_context_create();
        struct workload_options options = {.size = size, .seed = 7919 * run};
        struct workload_result result;
        CHECK(t, wf_set(c, "compile.profile", profile) == WF_OK && wf_set_study(c, s) == WF_OK);
        wf_study_group(s, w->name);
        enum wf_status status = workload_run(w, c, &options, &result);
        CHECK_MSG(t, status == WF_OK, "%s, inputs %u: %s%s", w->name, run, wf_errors(c),
                  result.first_mismatch);
        wf_context_destroy(c);
    }
    return s;
}

struct page {
    struct strbuf recall, misses;
    double logs;
    unsigned count;
};

static void print_cell(struct strbuf *out, const struct wf_cell *c)
{
    strbuf_puts(out, " ");
    if (c->kind == WF_CELL_COUNT) strbuf_printf(out, "%llu", (unsigned long long)c->count);
    if (c->kind == WF_CELL_SHARE) strbuf_printf(out, "%.1f %%", 100 * c->number);
    if (c->kind == WF_CELL_TEXT) strbuf_printf(out, "%s", c->text);
    strbuf_puts(out, " |");
}

static void add_rows(struct strbuf *out, const char *profile, const struct wf_table *t,
                     const char *const *columns)
{
    for (size_t row = 0; row < t->row_count; row++) {
        strbuf_printf(out, "| %s |", profile);
        for (size_t k = 0; columns[k]; k++) print_cell(out, tables_cell(t, row, columns[k]));
        strbuf_putc(out, '\n');
    }
}

// Recall of a workload, over the executions of all its kernels.
static double recall_of(const struct wf_table *t)
{
    double repeated = 0, caught = 0;
    for (size_t row = 0; row < t->row_count; row++) {
        double executions = (double)tables_cell(t, row, "executions")->count;
        repeated += executions * tables_share(t, row, "repeated");
        caught += executions * tables_share(t, row, "caught");
    }
    return repeated > 0 ? caught / repeated : NAN;
}

static void add_workload(struct test *t, struct page *p, const struct workload *w, const char *profile,
                         enum workload_size size)
{
    static const char *const columns[] = {"workload", "kernel", "block",  "executions", "marked",
                                          "repeated", "caught", "recall", NULL};
    static const char *const reasons[] = {"workload", "kernel",  "because", "missed",
                                          "accident", "example", "line",    NULL};
    struct wf_study *s = watch_runs(t, w, profile, size);
    const struct wf_study_results *r = wf_study_report(s);
    CHECK_MSG(t, r->status == WF_OK, "%s: %s", w->name, r->failure_count ? r->failures[0] : "");
    const struct wf_table *kernels = tables_find(r, "kernels"), *misses = tables_find(r, "misses");
    add_rows(&p->recall, profile, kernels, columns);
    add_rows(&p->misses, profile, misses, reasons);
    double recall = recall_of(kernels);
    if (!isnan(recall) && w->block[1] > 1 && w->block[2] == 1) {
        p->logs += log(recall > 0 ? recall : 1e-9);
        p->count++;
    }
    wf_study_destroy(s);
}

static void test_recall(struct test *t)
{
    static const char *const profiles[] = {"sass", "ptxplus"};
    struct strbuf out = {0};
    struct page page = {0};
    strbuf_puts(
        &out,
        "# What the marks catch\n\nMade by `UPDATE_GOLDEN=1 build/tests/study/test_recall`: every bundled "
        "kernel at small size, five runs with inputs of their own.\n*Repeated* executions had equal operands "
        "and equal results in two or more warps of a block after equal histories, in all five runs\n"
        "(docs/explanation/soundness.md); instructions that must happen for every warp (stores, barriers, "
        "branches) do "
        "not count. *Marked*: of\ninstructions whose mark says redundant in blocks of that shape; these are "
        "more than the repeated where warps part and do not\ncorrespond. *Recall*: of the repeated, the "
        "marked.\n\n");
    for (unsigned k = 0; k < 2; k++) {
        page.logs = 0;
        page.count = 0;
        for (size_t i = 0; workload_at(i); i++)
            add_workload(t, &page, workload_at(i), profiles[k], WORKLOAD_SMALL);
        double mean = exp(page.logs / page.count);
        strbuf_printf(
            &out,
            "Profile `%s`: %.1f %% in geometric mean over the %u workloads with two-dimensional blocks.\n\n",
            profiles[k], 100 * mean, page.count);
        printf("  %s: %.1f %% of what is repeated in two-dimensional blocks\n", profiles[k], 100 * mean);
        CHECK_MSG(t, mean >= must_reach, "profile %s: the marks catch %.1f %%", profiles[k], 100 * mean);
    }
    strbuf_puts(&out,
                "| profile | workload | kernel | block | executions | marked | repeated | caught | recall "
                "|\n|---|---|---|---|---|---|---|---|---|\n");
    strbuf_write(&out, page.recall.text, page.recall.length);
    strbuf_puts(&out, "\n## Misses by reason\n\n*Because*: what the chain of reasons behind the mark ends "
                      "in. *Accident*: how "
                      "many of the missed executions computed their equal\nvalues from unequal ones, told by "
                      "ghost names: a "
                      "carry that no warp has, a comparison that all pass, a product with zero. No\nanalysis "
                      "of where values "
                      "come from can know those; what is left was in reach.\n\n"
                      "| profile | workload | kernel | because | missed | accident | example | line "
                      "|\n|---|---|---|---|---|---|---|---|\n");
    strbuf_write(&out, page.misses.text, page.misses.length);
    CHECK_GOLDEN(t, "docs/results/recall.md", strbuf_text(&out));
    strbuf_fini(&page.recall);
    strbuf_fini(&page.misses);
    strbuf_fini(&out);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"recall", test_recall}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
