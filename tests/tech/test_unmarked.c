// An unmarked program on hardware with a mechanism that needs marks: the same bytes, and nothing is skipped.
// Marked, some of the program is skipped.
#include "harness/bundled.h"
#include "harness/test.h"
#include "workload/workload.h"

static void add(void *context, struct wf_kernel *kernel, const struct wf_launch_config *shape,
                const struct wf_stats *stats)
{
    uint64_t *skipped = context;
    (void)kernel, (void)shape;
    *skipped += stats->skipped == WF_UNKNOWN ? 0 : stats->skipped;
}

static void run(struct test *t, const struct workload *w, const char *rules, const char *tech,
                uint64_t *output, uint64_t *skipped)
{
    struct wf_context *c = wf_context_create();
    *skipped = 0;
    bool set =
        wf_set(c, "mark.rules", rules) == WF_OK && wf_gpu(c, "tiny") == WF_OK && wf_tech(c, tech) == WF_OK;
    CHECK_MSG(t, set, "%s", wf_errors(c));
    *output = bundled_run(t, c, w->name, add, skipped).output_hash;
    wf_context_destroy(c);
}

static void test_unmarked(struct test *t)
{
    const char *const names[] = {"matrixMul", "hotspot", "pathfinder"};
    for (size_t k = 0; k < TEST_COUNT(names); k++) {
        const char *nearest;
        const struct workload *w = workload_find(names[k], &nearest);
        uint64_t base, output, skipped;
        run(t, w, "sound", "base", &base, &skipped);
        run(t, w, "none", "darsie", &output, &skipped);
        CHECK_EQ(t, output, base);
        CHECK_EQ(t, skipped, 0);
        run(t, w, "sound", "darsie", &output, &skipped);
        CHECK_EQ(t, output, base);
        CHECK(t, skipped > 0);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"unmarked", test_unmarked}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
