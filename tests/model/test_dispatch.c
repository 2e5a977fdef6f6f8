// SPIN searches the model of dispatch by warp (docs/explanation/model/warpman.pml). With every rule, each warp ends, no
// warp is lost or dispatched twice, and a barrier ends when every warp of the block has arrived. Without
// any single rule SPIN finds an error.
#include "model/spin.h"

#define MODEL "warpman"

static const struct spin_configuration configurations[] = {
    {"default", "", false},
    {"four-blocks", "-DBLOCKS=4", true},
    {"three-warps", "-DWARPS=3 -DPLACES=4 -DBLOCKS=2", true},
    {"three-steps", "-DLENGTH=3", true},
    {"two-sms", "-DPLACES_1=3", true},
    {"meet", "-DPLACES_1=4 -DOPS=47", true}, // BARRIER SPIN LOAD LEAVE MEET: the three blocks fit by block
    {"three-three", "-DWARPS=3 -DPLACES=4 -DBLOCKS=2 -DLENGTH=3", true},
    {"nine-warps", "-DWARPS=3 -DPLACES=5 -DLENGTH=1", true},
};

static void test_all_rules(struct test *t)
{
    spin_check_configurations(t, MODEL, configurations, TEST_COUNT(configurations));
}

#define LOST    "assertion violated (count"
#define UNREAD  "assertion violated (((warp[k].state"
#define OTHERS  "assertion violated (owner"
#define FOREVER "invalid end state"

// clang-format off
static const struct spin_broken rules[] = {
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

static void test_each_rule(struct test *t) { spin_check_broken(t, MODEL, rules, TEST_COUNT(rules)); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"all_rules", test_all_rules}, {"each_rule", test_each_rule}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
