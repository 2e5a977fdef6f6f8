// Each extension of the marks marks its own pattern and nothing else, and is sound over all bundled kernels.
#include "base/str.h"
#include "harness/bundled.h"
#include "study/tables.h"
#include "workload/workload.h"

static const char *const extensions[] = {"tid_y", "laneid", "tid_x_mod", "warp_classes"};

static void test_each_alone(struct test *t)
{
    static const struct {
        const char *body, *adds; // NULL: no extension
        uint32_t block[3];
        double saves; // share of the added executions saved: 1 - 1/W for W agreeing warps
    } rows[] = {
        {"xor.b32 %a0, %ty, 5;\nadd.u32 %sum, %sum, %a0;\n", "tid_y", {8, 4, 4}, 3.0 / 4},
        {"xor.b32 %a0, %ty, 5;\nadd.u32 %sum, %sum, %a0;\n", NULL, {8, 8, 2}, 0},
        {"mov.u32 %a0, %laneid;\nxor.b32 %a1, %a0, 5;\nadd.u32 %sum, %sum, %a1;\n",
         "laneid",
         {256, 1, 1},
         7.0 / 8},
        {"and.b32 %a0, %tx, 31;\nxor.b32 %a1, %a0, 5;\nadd.u32 %sum, %sum, %a1;\n",
         "tid_x_mod",
         {128, 1, 1},
         3.0 / 4},
        {"and.b32 %a0, %tx, 15;\nxor.b32 %a1, %a0, 5;\nadd.u32 %sum, %sum, %a1;\n",
         "tid_x_mod",
         {128, 1, 1},
         3.0 / 4},
        {"and.b32 %a0, %tx, 31;\nxor.b32 %a1, %a0, 5;\nadd.u32 %sum, %sum, %a1;\n", NULL, {48, 2, 1}, 0},
        {"xor.b32 %a0, %tx, 5;\nadd.u32 %sum, %sum, %a0;\n", "warp_classes", {64, 4, 1}, 3.0 / 4},
        {"xor.b32 %a0, %tx, 5;\nadd.u32 %sum, %sum, %a0;\n", NULL, {256, 1, 1}, 0},
        // marked without any extension
        {"xor.b32 %a0, %tx, 5;\nadd.u32 %sum, %sum, %a0;\n", NULL, {16, 8, 1}, 0},
    };
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct wf_study *s = tables_watch(t, "extensions", rows[k].body, rows[k].block);
        const struct wf_study_results *r = wf_study_report(s);
        const struct wf_table *statics = tables_find(r, "static"), *dynamics = tables_find(r, "dynamic");
        CHECK_MSG(t, r->status == WF_OK, "row %zu: %s", k, r->failure_count ? r->failures[0] : "");
        for (size_t e = 0; e < TEST_COUNT(extensions); e++) {
            bool named = rows[k].adds && str_equal(rows[k].adds, extensions[e]);
            bool flat = rows[k].block[1] * rows[k].block[2] == 1; // %ty is 0 in a flat block
            bool adds = named || (flat && str_equal(extensions[e], "tid_y"));
            double marked = tables_share(statics, 0, extensions[e]),
                   saved = tables_share(dynamics, 0, extensions[e]);
            CHECK_MSG(t, (marked > 0) == adds, "row %zu: %s marks %.3f more", k, extensions[e], marked);
            CHECK_MSG(t, (saved > 0) == adds, "row %zu: %s saves %.3f more", k, extensions[e], saved);
            if (!named) continue; // every warp executes every instruction once
            double all = tables_share(statics, 0, "all");
            CHECK(t, all >= marked);
            CHECK_MSG(t, saved > marked * rows[k].saves - 1e-9 && saved < marked * rows[k].saves + 1e-9,
                      "row %zu: marks %.4f, saves %.4f", k, marked, saved);
        }
        wf_study_destroy(s);
    }
}

static void test_bundled_kernels(struct test *t)
{
    double none = 0, all = 0, grid = 0;
    const struct workload *w;
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++) {
        struct wf_context *c = wf_context_create();
        struct wf_study *s = wf_study_create("extensions");
        wf_set_study(c, s);
        wf_study_group(s, w->name);
        struct workload_result result = bundled_run(t, c, w->name, NULL, NULL);
        const struct wf_study_results *r = wf_study_report(s);
        const struct wf_table *dynamics = tables_find(r, "dynamic");
        CHECK_MSG(t, r->status == WF_OK, "%s: %s", w->name, r->failure_count ? r->failures[0] : "");
        CHECK_EQ(t, tables_cell(dynamics, 0, "warp_instructions")->count, result.warp_instructions);
        none += tables_share(dynamics, 0, "none");
        all += tables_share(dynamics, 0, "all");
        grid += tables_share(dynamics, 0, "grid");
        wf_context_destroy(c);
        wf_study_destroy(s);
    }
    CHECK(t, none > 1 && all > 0 && grid > 1);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"each_alone", test_each_alone},
                                             {"bundled_kernels", test_bundled_kernels}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
