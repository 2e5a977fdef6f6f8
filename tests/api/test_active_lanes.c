// activemask and the legacy vote and shuffle act on the active lanes and wait for no other lane. Fails where
// they wait for lanes of the other path of a branch, stopped at a barrier further down.
#include "api/warpfold.h"
#include "harness/test.h"

#include <string.h>

static const char ptx[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    " .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<4>;\n"
    " ld.param.u64 %d1, [out];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %d2, %r1, 16;\n add.s64 %d3, %d1, %d2;\n"
    " rem.u32 %r2, %r1, 3;\n setp.ne.u32 %p1, %r2, 0;\n @%p1 bra JOIN;\n"
    " activemask.b32 %r3;\n st.global.u32 [%d3], %r3;\n"
    " setp.lt.u32 %p2, %r1, 8;\n vote.ballot.b32 %r4, %p2;\n st.global.u32 [%d3+4], %r4;\n"
    " shfl.idx.b32 %r5, %r1, 3, 0x1f;\n st.global.u32 [%d3+8], %r5;\n"
    " vote.any.pred %p3, %p2;\n selp.u32 %r6, 1, 0, %p3;\n st.global.u32 [%d3+12], %r6;\n"
    "JOIN:\n bar.sync 0;\n ret;\n}\n";

static void run(struct test *t, const char *simt)
{
    struct wf_context *c = wf_context_create();
    CHECK_EQ(t, wf_set(c, "simt", simt), WF_OK);
    struct wf_module *m = wf_module_load(c, "k.ptx", ptx, strlen(ptx));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    CHECK_MSG(t, k != NULL, "%s", wf_errors(c));
    uint64_t out = wf_alloc(c, 64 * 16);
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    void *args[] = {&out};
    if (k) CHECK_MSG(t, wf_launch(k, &shape, args, 1, NULL) == WF_OK, "simt=%s: %s", simt, wf_errors(c));
    uint32_t words[64][4];
    wf_read(c, out, words, sizeof words);
    for (unsigned warp = 0; warp < 2; warp++) {
        uint32_t third = 0, low = 0;
        for (unsigned l = 0; l < 32; l++)
            if ((warp * 32 + l) % 3 == 0) {
                third |= 1u << l;
                low |= (uint32_t)(warp * 32 + l < 8) << l;
            }
        for (unsigned l = 0; l < 32; l++) {
            bool there = third >> l & 1;
            uint32_t *w = words[warp * 32 + l];
            CHECK_EQ(t, w[0], there ? third : 0);
            CHECK_EQ(t, w[1], there ? low : 0);
            if (warp == 0) CHECK_EQ(t, w[2], there ? 3 : 0); // lane 3 is active in warp 0 only
            CHECK_EQ(t, w[3], there && low);
        }
    }
    wf_context_destroy(c);
}

// The lowest member leads, on both sides of a branch; a cache policy is a value like any other.
static void test_elect(struct test *t)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out)\n{\n"
        " .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<5>;\n"
        " ld.param.u64 %d1, [out];\n mov.u32 %r1, %tid.x;\n mul.wide.u32 %d2, %r1, 8;\n add.s64 %d3, %d1, "
        "%d2;\n"
        " setp.ge.u32 %p1, %r1, 5;\n mov.u32 %r2, 0x1f;\n @%p1 mov.u32 %r2, 0xffffffe0;\n @%p1 bra HIGH;\n"
        " elect.sync %r3|%p2, %r2;\n bra.uni DONE;\nHIGH:\n elect.sync %r3|%p2, %r2;\nDONE:\n"
        " createpolicy.fractional.L2::evict_first.b64 %d4, 1.0;\n selp.u32 %r4, 1, 0, %p2;\n"
        " st.global.L2::cache_hint.v2.u32 [%d3], {%r3, %r4}, %d4;\n ret;\n}\n";
    struct wf_context *c = wf_context_create();
    struct wf_module *m = wf_module_load(c, "k.ptx", text, strlen(text));
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    CHECK_MSG(t, k != NULL, "%s", wf_errors(c));
    uint32_t words[32][2];
    uint64_t out = wf_alloc(c, sizeof words);
    struct wf_launch_config shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    void *args[] = {&out};
    if (k) CHECK_MSG(t, wf_launch(k, &shape, args, 1, NULL) == WF_OK, "%s", wf_errors(c));
    wf_read(c, out, words, sizeof words);
    for (unsigned l = 0; l < 32; l++) {
        CHECK_EQ(t, words[l][0], l < 5 ? 0 : 5);
        CHECK_EQ(t, words[l][1], l == 0 || l == 5);
    }
    wf_context_destroy(c);
}

static void test_stack(struct test *t) { run(t, "stack"); }
static void test_splits(struct test *t) { run(t, "splits"); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"stack", test_stack}, {"splits", test_splits}, {"elect", test_elect}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
