// The checker in the API: leaks of a context, invalid frees, and a launch whose faults are findings. Fails where a finding is
// missing, where a freed allocation leaks, and where a faulty access fails the launch.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"

#include <string.h>

static const char text[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p)\n{\n"
    "    .reg .u32 %r<3>;\n    .reg .u64 %d<4>;\n"
    "    ld.param.u64 %d1, [p];\n    cvta.to.global.u64 %d1, %d1;\n"
    "    mov.u32 %r1, %tid.x;\n    mul.wide.u32 %d2, %r1, 4;\n    add.u64 %d3, %d1, %d2;\n"
    "    ld.global.u32 %r2, [%d3];\n    add.u32 %r2, %r2, 1;\n"
    "    st.global.u32 [%d3], %r2;\n    ret;\n}\n";

static size_t count_of(struct wf_context *c, const char *kind)
{
    struct wf_finding f;
    size_t count = 0;
    for (size_t i = 0; wf_finding_at(c, i, &f); i++) count += str_equal(f.kind, kind);
    return count;
}

static void test_host(struct test *t)
{
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_check(c), WF_OK);
    uint64_t kept = wf_alloc_named(c, 256, "kept"), freed = wf_alloc(c, 256);
    CHECK_EQ(t, wf_free(c, freed), WF_OK);
    wf_check_leaks(c);
    CHECK_EQ(t, count_of(c, "leak"), 1);
    CHECK_EQ(t, wf_free(c, freed), WF_OK); // a finding, no failure
    CHECK_EQ(t, wf_free(c, kept + 4), WF_OK);
    CHECK_EQ(t, count_of(c, "invalid free"), 2);
    wf_context_destroy(c);
}

// Of 32 threads, the last 16 are outside the allocation, and nothing of the rest was written but one word.
static void test_launch(struct test *t)
{
    struct wf_context *c = wf_context_create();
    struct wf_finding f;
    struct wf_stats stats;
    const uint32_t one = 1;
    uint32_t read[16];
    CHECK_EQ(t, wf_check(c), WF_OK);
    struct wf_module *m = wf_module_load(c, "add.ptx", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "add") : NULL;
    CHECK_MSG(t, k != NULL, "%s", wf_errors(c));
    uint64_t words = wf_alloc(c, sizeof read);
    wf_write(c, words, &one, sizeof one);
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (k) CHECK_EQ(t, wf_launch(k, &shape, (void *[]){&words}, 1, &stats), WF_OK);
    CHECK_EQ(t, count_of(c, "unwritten read"), 1);
    CHECK_EQ(t, count_of(c, "out of bounds"), 2); // the load and the store
    for (size_t i = 0; wf_finding_at(c, i, &f); i++) {
        bool is_store = f.places[0].ptx_line == 15;
        CHECK_EQ(t, f.places[0].ptx_line, is_store ? 15 : 13);
        CHECK_EQ(t, f.count, str_equal(f.kind, "unwritten read") ? 15 : 16);
    }
    CHECK_EQ(t, wf_read(c, words, read, sizeof read), WF_OK);
    CHECK_EQ(t, read[0], 2);
    CHECK_EQ(t, read[15], 1);
    wf_context_destroy(c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"host", test_host}, {"launch", test_launch}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
