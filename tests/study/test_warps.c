// Lifetimes of warps: the ratio for lifetimes printed in Xiang's dissertation, and the timed study against a
// mechanism's counters of the same sums.
#include "harness/bundled.h"
#include "harness/counter.h"
#include "harness/settings.h"
#include "study/tables.h"
#include "study/warps.h"
#include "workload/workload.h"

#include "api/warpfold.h"
#include "base/str.h"

#include <math.h>

// Figures 21 and 26. Block 0 of the ray tracer lacks its fifth warp: the text has no number. Block 0 of the
// stencil is given as 24 idle warps and 8 others.
static void test_ratio(struct test *t)
{
    static const uint64_t ray[] = {5645, 5646, 6731, 6762, 24318, 24332};
    uint64_t stencil[32];
    for (unsigned k = 0; k < 32; k++) stencil[k] = k < 24 ? 1568 : 24000;
    CHECK_EQ(t, lround(1000 * warps_rtru(ray, TEST_COUNT(ray))), 497);
    CHECK_EQ(t, lround(1000 * warps_rtru(stencil, TEST_COUNT(stencil))), 701);
    static const uint64_t even[] = {7, 7, 7}, none[] = {0, 0};
    CHECK(t, warps_rtru(even, 3) == 0 && warps_rtru(none, 2) == 0 && warps_rtru(NULL, 0) == 0);
}

struct sums {
    struct test *t;
    uint64_t held, lost, cycles, instructions;
};

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    struct sums *s = context;
    (void)kernel, (void)shape;
    s->cycles += stats->cycles;
    s->instructions += stats->warp_instructions;
    s->held += counter_if_used(s->t, stats, "warpman.held");
    s->lost += counter_if_used(s->t, stats, "warpman.lost");
}

static struct sums run(struct test *t, const char *name, const char *tech, struct wf_study *study,
                       unsigned threads)
{
    struct sums s = {.t = t};
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_gpu(c, "gtx480-warpman") == WF_OK && wf_tech(c, tech) == WF_OK);
    settings_apply(t, c, "gpu.sm_count=3");
    wf_set_threads(c, threads);
    if (study) CHECK_EQ(t, wf_set_study(c, study), WF_OK);
    bundled_run(t, c, name, add, &s);
    wf_context_destroy(c);
    return s;
}

static uint64_t sum_of(const struct wf_table *table, const char *column)
{
    uint64_t sum = 0;
    for (size_t c = 0; c < table->column_count; c++)
        for (size_t r = 0; r < table->row_count && str_equal(table->columns[c].name, column); r++)
            sum += table->cells[r * table->column_count + c].count;
    return sum;
}

static const char *const kernels[] = {"rayTrace", "nqueens", "SRADv1", "bfs"};

// Lost warp time by block and the number of warps equal the mechanism's counters, for any number of host
// threads. The study changes no cycle.
static void test_sums(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(kernels); k++) {
        struct sums alone = run(t, kernels[k], "warpman:variant=base", NULL, 1);
        for (unsigned threads = 1; threads < 4; threads += 2) {
            struct wf_study *study = wf_study_create("warps");
            struct sums s = run(t, kernels[k], "warpman:variant=base", study, threads);
            const struct wf_study_results *report = wf_study_report(study);
            const struct wf_table *table = tables_find(report, "kernels");
            CHECK_EQ(t, sum_of(table, "held"), s.held);
            CHECK_EQ(t, sum_of(table, "lost"), s.lost);
            CHECK_EQ(t, sum_of(tables_find(report, "histogram"), "warps"), sum_of(table, "warps"));
            CHECK(t, s.held > s.lost && s.lost && s.lost == alone.lost && s.cycles == alone.cycles);
            wf_study_destroy(study);
        }
    }
}

// Allocated by block, the warps of block 0 begin together; allocated by warp, some begin later.
static void test_lifetimes(struct test *t)
{
    static const char *const techs[] = {"base", "warpman:variant=spatial"};
    for (size_t k = 0; k < TEST_COUNT(techs); k++) {
        struct wf_study *study = wf_study_create("warps");
        struct sums s = run(t, "rayTrace", techs[k], study, 1);
        const struct wf_table *table = tables_find(wf_study_report(study), "lifetimes");
        CHECK_EQ(t, table->row_count, 6);
        CHECK_EQ(t, sum_of(table, "start"), 0);
        CHECK_EQ(t, sum_of(table, "warp"), 0 + 1 + 2 + 3 + 4 + 5);
        CHECK(t, sum_of(table, "instructions") < s.instructions);
        wf_study_destroy(study);
    }
}

// A study of timed launches is refused for functional runs.
static void test_refused(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct wf_study *study = wf_study_create("warps");
    struct workload_options options = {.size = WORKLOAD_SMALL};
    struct workload_result r;
    const char *near;
    CHECK(t, wf_study_times(study) && wf_set_study(c, study) == WF_OK);
    CHECK_EQ(t, workload_run(workload_find("vecadd", &near), c, &options, &r), WF_BAD_INPUT);
    CHECK_HAS(t, wf_errors(c), "study warps needs timed launches; a functional run has no time");
    wf_context_destroy(c);
    c = wf_context_create();
    CHECK_EQ(t, wf_tech(c, "uv+gscalar+rfcache+silicon-sync"), WF_OK);
    CHECK_EQ(t, wf_set_study(c, study), WF_BAD_USAGE);
    CHECK_EQ(t, wf_tech(c, "uv"), WF_OK);
    CHECK_EQ(t, wf_set_study(c, study), WF_OK);
    CHECK_EQ(t, wf_tech(c, "uv+gscalar+rfcache+silicon-sync"), WF_BAD_USAGE);
    wf_study_destroy(study);
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"ratio", test_ratio}, {"sums", test_sums}, {"lifetimes", test_lifetimes}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
