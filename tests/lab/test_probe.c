// The probes behind DARSIE's Table 3 (src/lab/probe.h): the paper's entries, and the mechanisms' own statements
// (`warpfold list features`), beside what the counters show.
#include "api/warpfold.h"
#include "base/str.h"
#include "harness/test.h"
#include "lab/probe.h"

#include <stdio.h>

enum { ROWS_MAX = 32 };

static enum probe_answer answer(struct test *t, const enum probe_answer *answers, const char *row)
{
    for (size_t k = 0; k < probe_row_count(); k++)
        if (str_equal(probe_row_at(k)->name, row)) return answers[k];
    CHECK_MSG(t, false, "no row %s", row);
    return PROBE_UNKNOWN;
}

// Statements beyond the probes.
static const struct {
    const char *tech, *feature;                       // stated, and not measured
} beyond[] = {{"scalarise", "uniform redundancy"},    // in registers; removed with scalar=on
              {"scalarise", "affine, not redundant"}, // in registers
              {"decoupled", "predicates"},            // of branches and loads, not of other guards
              {"r2d2", "uniform redundancy"},         // outside loops, and of block indices
              {"wir", "loads"}}; // behind the first reply: the probe's loads come together

// Measured, and not stated: the probe's steps repeat an operation on a value that stays, and WIR reuses the repetition.
static bool is_repeated(const char *tech, const char *feature)
{
    return str_equal(tech, "wir") &&
           (str_equal(feature, "affine, not redundant") || str_equal(feature, "predicates"));
}

static bool is_beyond(const char *tech, const char *feature)
{
    for (size_t k = 0; k < TEST_COUNT(beyond); k++)
        if (str_equal(beyond[k].tech, tech) && str_equal(beyond[k].feature, feature)) return true;
    return false;
}

// Statement and measurement agree for every mechanism and every property with a row.
static void test_statements(struct test *t)
{
    static const char *const same[] = {"uniform redundancy",
                                       "affine redundancy",
                                       "unstructured redundancy",
                                       "affine, not redundant",
                                       "before fetch",
                                       "before issue",
                                       "before execution",
                                       "loads",
                                       "predicates",
                                       "synchronisation",
                                       "lines",
                                       "room"};
    const char *name, *meaning;
    unsigned compared = 0;
    for (size_t tech = 0; wf_tech_at(tech, &name, &meaning); tech++) {
        enum probe_answer answers[ROWS_MAX];
        uint64_t bits;
        struct diag d;
        struct wf_feature f;
        diag_init(&d);
        bool good = probe_run("gtx1080ti-paper", "ptxplus", name, answers, &bits, &d);
        CHECK_MSG(t, good, "%s", name);
        diag_fini(&d);
        for (size_t k = 0; good && wf_tech_feature_at(tech, k, &f); k++)
            for (size_t n = 0; n < TEST_COUNT(same); n++) {
                if (!str_equal(f.name, same[n])) continue;
                bool is = answer(t, answers, f.name) == PROBE_YES;
                CHECK_MSG(t, is == ((f.has && !is_beyond(name, f.name)) || is_repeated(name, f.name)),
                          "%s: states %s for %s, and measured is %s", name, f.has ? "yes" : "no", f.name,
                          is ? "yes" : "no");
                compared++;
            }
    }
    CHECK_EQ(t, compared, 15 * TEST_COUNT(same));
}

// The first three rows of the paper's Table 3, as a mask: uniform, affine, unstructured. On another GPU and code, too.
static void test_paper(struct test *t)
{
    static const struct {
        const char *tech;
        bool removes[3];
    } paper[] = {{"uv", {true, false, false}},
                 {"dac", {true, true, false}},
                 {"darsie", {true, true, true}},
                 {"gscalar", {true, false, false}},
                 {"base", {false, false, false}},
                 {"uv:entries=1", {false, false, false}},
                 {"darsie:registers=0", {false, false, false}},
                 {"scalarise", {false, false, false}},
                 {"scalarise:scalar=on", {true, false, false}}};
    static const char *const machines[][2] = {{"gtx1080ti-paper", "ptxplus"}, {"tiny", "sass"}};
    for (size_t m = 0; m < TEST_COUNT(machines); m++)
        for (size_t n = 0; n < TEST_COUNT(paper); n++) {
            enum probe_answer answers[ROWS_MAX];
            uint64_t bits;
            struct diag d;
            diag_init(&d);
            CHECK(t, probe_run(machines[m][0], machines[m][1], paper[n].tech, answers, &bits, &d));
            diag_fini(&d);
            for (size_t k = 0; k < 3; k++)
                CHECK_MSG(t, (answers[k] == PROBE_YES) == paper[n].removes[k], "%s, %s: %s", machines[m][0],
                          paper[n].tech, probe_row_at(k)->name);
        }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"statements", test_statements}, {"paper", test_paper}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
