// Study and mechanism agree on affine warps. Fails where the study removes another number of instructions
// from the warps' streams than the mechanism, under any rule of the split.
#include "harness/counter.h"
#include "harness/test.h"
#include "study/tables.h"
#include "workload/workload.h"

#include <math.h>

struct rules {
    const char *option, *key, *value; // option: of the mechanism; key, value: of the study
};
static const struct rules rules[] = {
    {"decoupled:gain=off", NULL, NULL},
    {"decoupled:gain=off,pieces=1", "study.decoupled.pieces", "1"},
    {"decoupled:gain=off,pieces=8", "study.decoupled.pieces", "8"},
    {"decoupled:gain=off,feedback=off", "study.decoupled.feedback", "off"},
    {"decoupled:gain=off,shared=off", "study.decoupled.shared", "off"},
    {"decoupled:gain=off,stores=off", "study.decoupled.stores", "off"},
    {"decoupled:gain=off,slots=off", "study.decoupled.slots", "off"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

static const struct { // kernels sensitive to some of the rules
    const char *name, *registers;
    bool differs[RULES]; // from the first rule
} kernels[] = {
    {"vecadd", "0", {false, false, false, false, false, true, false}},
    {"fastWalshTransform", "0", {false, false, true, true, true, true, false}},
    {"hotspot", "16", {false, true, false, false, true, true, true}},
};

static struct wf_context *context_of(struct test *t, const char *registers)
{
    struct wf_context *c = wf_context_create();
    CHECK(t, wf_set(c, "simt", "stack") == WF_OK && wf_set(c, "compile.profile", "ptxplus") == WF_OK &&
                 wf_set(c, "compile.max_registers", registers) == WF_OK);
    return c;
}

static void run(struct test *t, struct wf_context *c, const char *name,
                const struct workload_options *options)
{
    struct workload_result result;
    const char *near;
    const struct workload *w = workload_find(name, &near);
    CHECK_MSG(t, workload_run(w, c, options, &result) == WF_OK && result.verified, "%s: %s%s", name,
              wf_errors(c), result.first_mismatch);
}

static uint64_t said(struct test *t, const char *name, const char *registers, const struct rules *r)
{
    struct wf_context *c = context_of(t, registers);
    struct wf_study *s = wf_study_create("affine");
    struct workload_options options = {.size = WORKLOAD_SMALL};
    uint64_t removed = 0;
    if (r->key) CHECK_EQ(t, wf_set(c, r->key, r->value), WF_OK);
    CHECK_EQ(t, wf_set_study(c, s), WF_OK);
    run(t, c, name, &options);
    const struct wf_table *table = tables_find(wf_study_report(s), "kernels");
    for (size_t k = 0; table && k < table->row_count; k++)
        removed += (uint64_t)llround(tables_share(table, k, "removed") *
                                     (double)tables_cell(table, k, "warp_instructions")->count);
    wf_context_destroy(c);
    wf_study_destroy(s);
    return removed;
}

struct removed {
    struct test *t;
    uint64_t count;
};

static void add_removed(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                        const struct wf_stats *stats)
{
    struct removed *sum = context;
    (void)kernel, (void)shape;
    sum->count += counter(sum->t, stats, "decoupled.removed");
}

static uint64_t done(struct test *t, const char *name, const char *registers, const struct rules *r)
{
    struct wf_context *c = context_of(t, registers);
    struct removed removed = {t, 0};
    struct workload_options options = {
        .size = WORKLOAD_SMALL, .launched = add_removed, .launched_context = &removed};
    CHECK(t, wf_gpu(c, "tiny") == WF_OK && wf_tech(c, r->option) == WF_OK);
    run(t, c, name, &options);
    wf_context_destroy(c);
    return removed.count;
}

static void test_as_the_mechanism(struct test *t)
{
    for (size_t k = 0; k < TEST_COUNT(kernels); k++) {
        uint64_t first = 0;
        for (size_t n = 0; n < RULES; n++) {
            uint64_t removed = said(t, kernels[k].name, kernels[k].registers, &rules[n]);
            if (!n) first = removed;
            CHECK_MSG(t, removed == done(t, kernels[k].name, kernels[k].registers, &rules[n]), "%s, %s",
                      kernels[k].name, rules[n].option);
            CHECK_MSG(t, (removed != first) == kernels[k].differs[n], "%s, %s: %llu of %llu", kernels[k].name,
                      rules[n].option, (unsigned long long)removed, (unsigned long long)first);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"as_the_mechanism", test_as_the_mechanism}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
