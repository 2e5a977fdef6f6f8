// SPIN searches the model of decoupled streams (docs/explanation/model/decoupled.pml). With every rule, each warp ends,
// dequeues its own entries in order, reads memory's values, and leaves no line locked and no queue filled.
// Without any single rule SPIN finds an error, except for three rules that the model's page calls unneeded.
#include "model/spin.h"

#define MODEL "decoupled"

// Operations of the programs, as numbered in the model.
#define OPS_LOADS    "-DOPS=3"              // LOAD LOAD_BOTH
#define OPS_ANSWERS  "-DOPS=81 -DFIRST=16"  // LOAD ASKED BARRIER; first an ASKED
#define OPS_SPINS    "-DOPS=153 -DFIRST=16" // LOAD KNOWN ASKED SPIN; likewise
#define OPS_BARRIERS "-DOPS=69"             // LOAD STORE BARRIER
#define OPS_TOLD     "-DOPS=24 -DFIRST=16"  // KNOWN ASKED; first an ASKED
#define OPS_FENCES   "-DOPS=517"            // LOAD STORE FENCE
#define OPS_WAITING  "-DOPS=65"             // LOAD BARRIER
#define OPS_BRANCHES "-DOPS=121"            // LOAD KNOWN ASKED LEAVE BARRIER
#define OPS_SHARED   "-DOPS=71"             // LOAD LOAD_BOTH STORE BARRIER
#define OPS_WAITS    "-DOPS=155"            // LOAD LOAD_BOTH KNOWN ASKED SPIN
#define OPS_BLOCKS   "-DOPS=251"            // every operation but STORE, OWN and FENCE
#define OPS_LINES    "-DOPS=263"            // LOAD LOAD_BOTH STORE OWN
#define TIGHT        "-DATQ=1 -DPWAQ=1 "

// clang-format off
static const struct spin_configuration configurations[] = {
    {"default",      "-DLENGTH=2", false},
    {"three-steps",  "-DLENGTH=3", true},
    {"tight",        "-DLENGTH=3 " TIGHT "-DREQUESTS=1", true},
    {"wide",         "-DLENGTH=3 -DTOLD=2 -DPWPQ=2", true},
    {"branches",     "-DLENGTH=4 " OPS_BRANCHES, true},
    {"barriers",     "-DLENGTH=5 " TIGHT OPS_ANSWERS, true},
    {"spins",        "-DLENGTH=5 " TIGHT OPS_SPINS, true},
    {"three-warps",  "-DLENGTH=2 -DSLOTS=3 -DWARPS=3", true},
    {"blocks",       "-DLENGTH=3 -DWARPS=1 -DBLOCKS=3 " TIGHT OPS_BLOCKS, true},
    {"batches",      "-DLENGTH=3 -DWARPS=1 -DBLOCKS=3 -DBATCH_WAIT " TIGHT OPS_BLOCKS, true},
    {"later-blocks", "-DLENGTH=4 -DWARPS=1 -DLATER -DBATCH_WAIT " TIGHT OPS_WAITS, true},
    {"named",        "-DLENGTH=3 -DMEETS_AHEAD=0", true},
    {"late",         "-DLENGTH=3 -DLATE", true},
    {"join",         "-DLENGTH=3 -DJOIN " OPS_SHARED, true},
    {"evictions",    "-DLENGTH=3 -DEVICTIONS " OPS_LINES, true},
    {"astray",       "-DLENGTH=2 -DASTRAY", true},
    {"early-data",   "-DLENGTH=3 -DEARLY_DATA", true},
    {"yields",       "-DLENGTH=3 -DYIELDS", true},
};
// clang-format on

static void test_all_rules(struct test *t)
{
    spin_check_configurations(t, MODEL, configurations, TEST_COUNT(configurations));
}

#define FOREVER   "invalid end state"
#define OVERFLOWS "assertion violated (entries"
#define NO_ROOM   "assertion violated (warp[w].predicates"
#define UNTOLD    "assertion violated (warp[h].told_count"
#define OTHERS    "assertion violated ( !(found)||((address["
#define LOST      "assertion violated (found||ok)"
#define LOCKED    "assertion violated (m=="
#define GONE      "assertion violated (warp[w].state"
#define LEFT      "assertion violated ( !(warp[d].addresses)"
#define OLD       "assertion violated  !(way[y].stale)"
#define BEFORE    "assertion violated  !(address[k].stale)"
#define UNORDERED "assertion violated  !(address[k].wrong)"

// clang-format off
static const struct spin_broken rules[] = {
    {"ONE_WAY",           "-DLENGTH=2",                             FOREVER,   false},
    {"AT_ISSUE",          "-DLENGTH=2",                             BEFORE,    false},
    {"MEETING",           "-DLENGTH=5 " TIGHT OPS_ANSWERS,          FOREVER,   true},
    {"MAY_WAIT",          "-DLENGTH=5 " TIGHT OPS_SPINS,            FOREVER,   true},
    {"STARTED",           "-DLENGTH=4 -DLATE " TIGHT OPS_WAITING, FOREVER,   true},
    {"UNLOCKABLE",        "-DLENGTH=2",                             FOREVER,   true},
    {"LETTING_GO",        "-DLENGTH=2",                             LOCKED,    true},
    {"INVALIDATION",      "-DLENGTH=2",                             OLD,       true},
    {"PLACE",             "-DLENGTH=3 -DATQ=1 -DOPS=1",             OVERFLOWS, true},
    {"ROOM",              "-DLENGTH=2",                             NO_ROOM,   true},
    {"IN_ORDER",          "-DLENGTH=3 " OPS_LOADS,                  OTHERS,    true},
    {"TOKENS",            "-DLENGTH=2",                             FOREVER,   true},
    {"TOLD_ONCE",         "-DLENGTH=4 " OPS_TOLD,                   LOST,      false},
    {"TOLD_ROOM",         "-DLENGTH=2",                             UNTOLD,    true},
    {"BATCHES",           "-DLENGTH=2 -DBATCH_WAIT",                LOST,      true},
    {"FORGOTTEN_TUPLES",  "-DLENGTH=2 -DASTRAY",                    GONE,      true},
    {"FORGOTTEN_RECORDS", "-DLENGTH=2 -DASTRAY",                    LEFT,      true},
    {"WAKING",            "-DLENGTH=2",                             FOREVER,   true},
    {"WAKING_BY_ORDER",   "-DLENGTH=2",                             FOREVER,   true},
    {"LOOK_WHEN_ASKED",   "-DLENGTH=2",                             FOREVER,   true},
    {"PASSED",            "-DLENGTH=3 -DEARLY_DATA " OPS_BARRIERS,  UNORDERED, true},
    {"FENCES",            "-DLENGTH=3 -DEARLY_DATA -DWITHOUT_PASSED " OPS_FENCES, UNORDERED, true},
    // Rules that only save time, or are unneeded: loads read memory at issue, or a second rule has the same
    // effect.
    {"PASSED",            "-DLENGTH=3",                             NULL,      true},
    {"FENCES",            "-DLENGTH=3 -DEARLY_DATA",                NULL,      true},
    {"PASSING_BY",        "-DLENGTH=3",                             NULL,      true},
    {"PASSING_BY",        "-DLENGTH=5 " TIGHT OPS_ANSWERS,          NULL,      true},
};
// clang-format on

static void test_each_rule(struct test *t) { spin_check_broken(t, MODEL, rules, TEST_COUNT(rules)); }

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"all_rules", test_all_rules}, {"each_rule", test_each_rule}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
