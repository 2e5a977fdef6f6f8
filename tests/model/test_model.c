// SPIN searches DARSIE's model of docs/explanation/model: with every rule no program goes wrong. test_replay.c covers
// the model without a rule.
#include "model/spin.h"

#include <stdio.h>

// Every program up to a length, in every choice left open by the defines.
static const struct {
    const char *name, *defines;
    enum { QUICK, NORMAL, LONG } form;
} configurations[] = {
    {"three", "-DLENGTH=3 -DENVIRONMENT", QUICK},
    {"one-control", "-DLENGTH=4 -DCONTROLS=1", NORMAL},
    {"options-three", "-DLENGTH=3 -DENVIRONMENT -DPARTING -DEARLY -DEVICT -DFULL_WAIT", NORMAL},
    {"first-three", "-DLENGTH=3 -DBRANCH_FIRST -DPENDING_PRIVATE", NORMAL},
    {"stop-three", "-DLENGTH=3 -DENVIRONMENT -DGIVE_UP", NORMAL},
    {"replace-three", "-DLENGTH=3 -DENVIRONMENT -DFULL_REPLACE -DENTRIES=1", NORMAL},
    // SET HALF; first a CLASS
    {"halves-four", "-DLENGTH=4 -DCONTROLS=1 -DOPS=65537 -DFIRST=17 -DDIVERGED -DBRANCH_FIRST", NORMAL},
    {"default", "-DLENGTH=4", LONG},
    {"environment", "-DLENGTH=4 -DENVIRONMENT", LONG},
    {"tight", "-DLENGTH=4 -DENVIRONMENT -DENTRIES=1 -DPOOL=1", LONG},
    {"last-is-odd", "-DLENGTH=4 -DENVIRONMENT -DODD=2", LONG},
    {"parting", "-DLENGTH=4 -DPARTING", LONG},
    {"options", "-DLENGTH=4 -DCONTROLS=1 -DPARTING -DEARLY -DEVICT -DFULL_WAIT", LONG},
    {"scarce", "-DLENGTH=5 -DCONTROLS=0 -DPOOL=1 -DENTRIES=1 -DEARLY -DEVICT -DFULL_WAIT", LONG},
    {"stop", "-DLENGTH=4 -DCONTROLS=1 -DGIVE_UP", LONG},
    {"stop-early", "-DLENGTH=4 -DCONTROLS=1 -DOPS=202 -DGIVE_UP -DEARLY", LONG}, // INC LOAD STORE BARRIER
    // INC LOAD STORE BARRIER
    {"replace", "-DLENGTH=4 -DCONTROLS=1 -DOPS=202 -DENVIRONMENT -DFULL_REPLACE -DENTRIES=1", LONG},
    {"replace-loops", "-DLENGTH=4 -DFULL_REPLACE -DPOOL=3 -DOPS=330", LONG}, // INC LOAD STORE BRANCH_ALL
    {"replace-five", "-DLENGTH=5 -DCONTROLS=1 -DFULL_REPLACE -DPOOL=3 -DOPS=74", LONG}, // INC LOAD STORE
    {"replace-first", "-DLENGTH=4 -DCONTROLS=0 -DFULL_REPLACE -DENTRIES=1 -DBRANCH_FIRST -DEARLY", LONG},
    {"replace-first-store",
     "-DLENGTH=4 -DCONTROLS=1 -DOPS=74 -DFULL_REPLACE -DENTRIES=1 -DBRANCH_FIRST -DEARLY", LONG},
    {"first", "-DLENGTH=4 -DCONTROLS=1 -DBRANCH_FIRST -DPENDING_PRIVATE", LONG},
    // SET INC KEPT_INC LOAD KEPT_LOAD HALF CLASS
    {"halves", "-DLENGTH=4 -DCONTROLS=1 -DOPS=196639 -DDIVERGED -DBRANCH_FIRST -DPENDING_PRIVATE", LONG},
    // SET INC HALF; first a CLASS
    {"halves-scarce",
     "-DLENGTH=5 -DCONTROLS=2 -DOPS=65539 -DFIRST=17 -DDIVERGED -DBRANCH_FIRST -DEARLY -DEVICT "
     "-DFULL_WAIT",
     LONG},
    {"register", "-DLENGTH=5 -DPOOL=1 -DOPS=399", LONG},      // SET INC KEPT_INC LOAD BARRIER BRANCH_ALL
    {"returns", "-DLENGTH=5 -DENVIRONMENT -DOPS=8906", LONG}, // INC LOAD STORE BARRIER BRANCH_ODD SPLIT
};

static void test_all_rules(struct test *t)
{
    if (!spin_is_there(t)) return;
    for (size_t k = 0; k < TEST_COUNT(configurations); k++) {
        struct spin_search s;
        bool wanted = configurations[k].form == QUICK ||
                      (configurations[k].form == NORMAL && !test_is_quick()) || test_is_long();
        if (!wanted || !spin_check(t, "darsie", configurations[k].name, configurations[k].defines, true, &s))
            continue;
        CHECK_MSG(t, !s.has_error, "%s: %s", configurations[k].defines, s.what);
        printf("  %-13s %10llu states, %11llu transitions, %5.0f MB\n", configurations[k].name, s.states,
               s.transitions, s.megabytes);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"all_rules", test_all_rules}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
