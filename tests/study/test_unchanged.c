// A study changes nothing. Fails where, with a study watching, a bundled kernel leaves other bytes or a
// launch has other counters than without a study.
#include "base/hash.h"
#include "harness/bundled.h"
#include "harness/test.h"
#include "workload/workload.h"

struct trace { // of a run's launches
    uint64_t hash, launches;
};

static void add_launch(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                       const struct wf_stats *stats)
{
    struct trace *x = context;
    (void)kernel;
    x->launches++;
    x->hash = hash_bytes(shape->grid, sizeof shape->grid, x->hash);
    for (size_t i = 0; i < stats->counter_count; i++)
        x->hash = hash_bytes(&stats->counters[i].value, 8, x->hash);
}

static void run(struct test *t, const struct workload *w, const char *study, const char *simt, bool timed,
                struct trace *x, uint64_t *output, uint64_t *instructions)
{
    struct wf_context *c = wf_context_create();
    struct wf_study *s = study ? wf_study_create(study) : NULL;
    *x = (struct trace){0};
    if (timed) CHECK_EQ(t, wf_gpu(c, "tiny"), WF_OK);
    wf_set(c, "simt", simt);
    wf_set_study(c, s);
    struct workload_result result = bundled_run(t, c, w->name, add_launch, x);
    *output = result.output_hash;
    *instructions = result.warp_instructions;
    if (s) CHECK_EQ(t, wf_study_report(s)->status, WF_OK);
    wf_context_destroy(c);
    wf_study_destroy(s);
}

static bool is_timed(const char *study)
{
    struct wf_study *s = wf_study_create(study);
    bool timed = wf_study_times(s);
    wf_study_destroy(s);
    return timed;
}

// Runs one workload in `turns`; studies of timed launches take fewer.
static void unchanged(struct test *t, const char *simt, bool timed, size_t turns)
{
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i += turns) {
        struct trace plain, watched;
        uint64_t output[2], instructions[2];
        const char *study, *meaning;
        run(t, w, NULL, simt, timed, &plain, &output[0], &instructions[0]);
        CHECK(t, plain.launches && instructions[0]);
        for (size_t k = 0; wf_study_at(k, &study, &meaning); k++) {
            if (is_timed(study) != timed) continue;
            run(t, w, study, simt, timed, &watched, &output[1], &instructions[1]);
            CHECK_MSG(t, output[0] == output[1], "%s under %s: other bytes", w->name, study);
            CHECK_MSG(t, plain.hash == watched.hash && plain.launches == watched.launches,
                      "%s under %s: other counters (%llu warp instructions, %llu)", w->name, study,
                      (unsigned long long)instructions[0], (unsigned long long)instructions[1]);
        }
    }
}

static void test_splits(struct test *t) { unchanged(t, "splits", false, 1); }
static void test_stack(struct test *t) { unchanged(t, "stack", false, 1); }
static void test_timed(struct test *t) { unchanged(t, "splits", true, 3); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"splits", test_splits}, {"stack", test_stack}, {"timed", test_timed}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
