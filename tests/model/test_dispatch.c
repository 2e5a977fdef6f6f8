// SPIN searches the model of dispatch by warp (docs/model/warpman.pml): with all rules every warp ends, nothing is lost or given
// twice, and a barrier is over when all of the block have come to it. Without any one of them something is wrong.
#include "model/spin.h"

#include <stdio.h>
#include <string.h>

#define MODEL "warpman"

static const struct {
    const char *name, *defines;
    bool is_long;
} configurations[] = {
    {"default", "", false},
    {"four-blocks", "-DBLOCKS=4", true},
    {"three-warps", "-DWARPS=3 -DPLACES=4 -DBLOCKS=2", true},
    {"three-steps", "-DLENGTH=3", true},
    {"two-sms", "-DPLACES_1=3", true},
    {"meet", "-DPLACES_1=4 -DOPS=47", true}, // BARRIER SPIN LOAD LEAVE MEET: all three blocks fit by block
    {"three-three", "-DWARPS=3 -DPLACES=4 -DBLOCKS=2 -DLENGTH=3", true},
    {"nine-warps", "-DWARPS=3 -DPLACES=5 -DLENGTH=1", true},
};

static void test_all_rules(struct test *t)
{
    if (!spin_is_there(t)) return;
    for (size_t k = 0; k < TEST_COUNT(configurations); k++) {
        struct spin_search s;
        bool is_long = configurations[k].is_long;
        if (is_long && !test_is_long()) continue;
        if (!spin_check(t, MODEL, configurations[k].name, configurations[k].defines, is_long, &s)) continue;
        CHECK_MSG(t, !s.has_error, "%s: %s", configurations[k].defines, s.what);
        printf("  %-12s %9llu states, %10llu transitions, %5.0f MB\n", configurations[k].name, s.states,
               s.transitions, s.megabytes);
    }
}

#define LOST    "assertion violated (count"
#define UNREAD  "assertion violated (((warp[k].state"
#define OTHERS  "assertion violated (owner"
#define FOREVER "invalid end state"

// clang-format off
static const struct {
    const char *name, *defines, *wrong;
    bool is_long;
} rules[] = {
    {"ONE_PARTIAL",   "-DWARPS=3 -DPLACES=5",  FOREVER, false},
    {"UNSTARTED",     "",                      UNREAD,  false},
    {"OUTSTANDING",   "",                      OTHERS,  false},
    {"NO_OVERTAKING", "",                      FOREVER, false},
    {"ALONE",         "",                      FOREVER, true},
    {"WHOLE_FIRST",   "-DPLACES_1=4 -DOPS=32", FOREVER, true}, // MEET
    {"INCLUSIVE",     "",                      FOREVER, true},
    {"ONCE",          "",                      LOST,    true},
};
// clang-format on

static void test_each_rule(struct test *t)
{
    if (!spin_is_there(t)) return;
    for (size_t k = 0; k < TEST_COUNT(rules); k++) {
        struct spin_search s;
        char defines[200];
        if (rules[k].is_long && !test_is_long()) continue;
        snprintf(defines, sizeof defines, "-DWITHOUT_%s %s", rules[k].name, rules[k].defines);
        if (!spin_check(t, MODEL, rules[k].name, defines, false, &s)) continue;
        CHECK_MSG(t, s.has_error && !strncmp(s.what, rules[k].wrong, strlen(rules[k].wrong)),
                  "without %s: %s, not %s", rules[k].name, s.has_error ? s.what : "nothing wrong",
                  rules[k].wrong);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"all_rules", test_all_rules}, {"each_rule", test_each_rule}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
