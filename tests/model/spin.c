#include "model/spin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS "docs/explanation/model/"

// The instructions of the programs, as in the model.
#define OPS_STRAIGHT "-DCONTROLS=0 -DOPS=6"                  // INC KEPT_INC
#define OPS_STORES   "-DCONTROLS=1 -DOPS=74"                 // INC LOAD STORE
#define OPS_LOADS    "-DCONTROLS=0 -DOPS=10 -DENVIRONMENT"   // INC LOAD
#define OPS_SPLITS   "-DCONTROLS=1 -DOPS=8202 -DENVIRONMENT" // INC LOAD SPLIT
#define OPS_KEPT     "-DCONTROLS=1 -DOPS=78 -DFIRST=3"       // INC KEPT_INC LOAD STORE; first a LOAD
#define OPS_RETURNS  "-DCONTROLS=2 -DOPS=138 -DENVIRONMENT -DFIRST=13" // INC LOAD BARRIER; first a SPLIT
#define OPS_LOOPS    "-DCONTROLS=2 -DOPS=330"                          // INC LOAD STORE BRANCH_ALL
#define OPS_PLACES   "-DCONTROLS=4 -DOPS=386 -DFIRST=9" // INC BARRIER BRANCH_ALL; first a BRANCH_ODD
#define OPS_JOINS    "-DCONTROLS=2 -DOPS=642 -DFIRST=0" // INC BARRIER BRANCH_ODD; first a SET
#define OPS_EXITS    "-DCONTROLS=2 -DOPS=5122"          // INC JUMP EXIT_LATE
#define OPS_ENDS     "-DCONTROLS=2 -DOPS=2307"          // SET INC BRANCH_ALL EXIT_ODD
#define OPS_SHEDS    "-DCONTROLS=1 -DOPS=16387"         // SET INC SHED
#define OPS_SETS     "-DCONTROLS=2 -DOPS=291 -DPOOL=1"  // SET INC OWN BRANCH_ALL
#define OPS_PARTS    "-DCONTROLS=1 -DOPS=8737"          // SET OWN BRANCH_ODD SPLIT

#define OPS_WAYS    "-DCONTROLS=1 -DOPS=514 -DBRANCH_FIRST" // INC BRANCH_ODD
#define OPS_REPLIES "-DCONTROLS=2 -DOPS=321 -DFIRST=3"      // SET STORE BRANCH_ALL; first a LOAD
#define OPS_HALVES  "-DCONTROLS=1 -DDIVERGED -DBRANCH_FIRST -DOPS=65537 -DFIRST=17" // SET HALF; first a CLASS
#define OPS_KEEPS                                                                                            \
    "-DCONTROLS=2 -DDIVERGED -DBRANCH_FIRST -DOPS=65603 -DFIRST=3" // SET INC STORE HALF; first a LOAD

// INC LOAD; first a LOAD
#define OPS_REPLACED "-DCONTROLS=0 -DOPS=10 -DENVIRONMENT -DFIRST=3 -DFULL_REPLACE"

#define VALUE    "assertion violated"
#define DEADLOCK "invalid end state"

// clang-format off
const struct spin_rule spin_rules[] = {
    {"WRITTEN_BACK",      "-DLENGTH=3 -DCONTROLS=1 -DOPS=3",     VALUE,    10, false},
    {"READERS",           "-DLENGTH=5 " OPS_STRAIGHT,            VALUE,    7,  false},
    {"HOLDING",           "-DLENGTH=4 " OPS_STORES,              VALUE,    6,  false},
    {"POISON",            "-DLENGTH=4 " OPS_STORES,              VALUE,    0,  false},
    {"POISON_OF_KEPT",    "-DLENGTH=5 " OPS_KEPT,                VALUE,    0,  true},
    {"POISON_OFF_PATH",   "-DLENGTH=6 " OPS_RETURNS,             VALUE,    0,  true},
    {"DROPPED_STATE",     "-DLENGTH=4 " OPS_STORES,              VALUE,    SPIN_KEPT, false},
    {"DROPS_AT_STORES",   "-DLENGTH=4 " OPS_STORES,              VALUE,    SPIN_KEPT, false},
    {"PASSED_MASK",       "-DLENGTH=4 " OPS_SPLITS,              VALUE,    SPIN_KEPT, false},
    {"KEEPING_ENTRIES",   "-DLENGTH=4 -DPOOL=4 " OPS_LOADS,      VALUE,    SPIN_KEPT, true},
    {"CLEARING",          "-DLENGTH=5 " OPS_LOOPS,               VALUE,    3,  false},
    {"JUMPS_AS_BRANCHES", "-DLENGTH=4 " OPS_EXITS,               VALUE,    SPIN_KEPT, false},
    {"TAG",               "-DLENGTH=4 -DPARTING -DAHEAD=3 " OPS_EXITS, VALUE, 2,       false},
    {"WHOLE",             "-DLENGTH=4 " OPS_SHEDS,               VALUE,    SPIN_KEPT, false},
    {"COPY_OUT",          "-DLENGTH=4 " OPS_PARTS,               VALUE,    SPIN_KEPT, false},
    {"WAYS",              "-DLENGTH=5 " OPS_WAYS,                VALUE,    11, false},
    {"VERSIONS",          "-DLENGTH=4 " OPS_HALVES,              VALUE,    13, false},
    {"REPLIES",           "-DLENGTH=5 -DEARLY " OPS_REPLIES,     VALUE,    14, true},
    {"POISON_OF_PARTS",   "-DLENGTH=6 " OPS_KEEPS,               VALUE,    0,  true},
    {"LOADS_KEPT",        "-DLENGTH=4 -DPOOL=3 " OPS_REPLACED,   VALUE,    16, false},
    {"SOUND_MARKS",       "-DLENGTH=6 " OPS_JOINS,               VALUE,    SPIN_MARKS, true},
    {"SAME_PLACE",        "-DLENGTH=5 " OPS_PLACES,              DEADLOCK, 5,  false},
    {"MAJORITY",          "-DLENGTH=5 " OPS_PLACES,              DEADLOCK, SPIN_KEPT, false},
    {"RECHECK",           "-DLENGTH=4 " OPS_ENDS,                DEADLOCK, SPIN_KEPT, false},
    {"BEYOND",            "-DLENGTH=5 " OPS_SETS,                DEADLOCK, SPIN_KEPT, false},
    {NULL, NULL, NULL, 0, false},
};
// clang-format on

bool spin_is_there(struct test *t)
{
    if (test_has_tool("spin") && test_has_tool("cc")) return true;
    test_skip_tool(t, test_has_tool("spin") ? "cc" : "spin");
    return false;
}

// SPIN writes numbers of nine digits and more with an exponent.
static void read_number(const char *text, const char *behind, unsigned long long *value)
{
    const char *at = strstr(text, behind);
    if (!at) return;
    while (at > text && at[-1] != '\n') at--;
    *value = (unsigned long long)strtod(at, NULL);
}

static void read_error(const char *text, struct spin_search *s)
{
    const char *at = strstr(text, "pan:1: ");
    s->has_error = at != NULL;
    if (!at) return;
    const char *depth = strstr(at, " (at depth");
    size_t length = depth ? (size_t)(depth - at) - 7 : strcspn(at + 7, "\n");
    snprintf(s->what, sizeof s->what, "%.*s", (int)(length < 100 ? length : 100), at + 7);
}

bool spin_check(struct test *t, const char *model, const char *name, const char *defines, bool is_big,
                struct spin_search *s)
{
    char command[1200], *out, *err;
    *s = (struct spin_search){0};
    snprintf(s->folder, sizeof s->folder, "%s/%s", test_directory(t), name);
    // Files are named by the model's: a link keeps the trail in the folder.
    snprintf(command, sizeof command,
             "here=$PWD && mkdir -p '%s' && cd '%s' && ln -s \"$here/" MODELS
             "%s.pml\" model.pml && spin -a %s model.pml && "
             "cc %s -w -DSAFETY -DNOREDUCE -DMEMLIM=8000 -o pan pan.c && ./pan -m20000",
             s->folder, s->folder, model, defines,
             is_big ? "-O2" : "-O0"); // compiling takes longer than a small search
    int status = test_command(command, is_big ? 3000 : 300, &out, &err);
    read_number(out, " states, stored", &s->states);
    read_number(out, " transitions (= ", &s->transitions);
    const char *memory = strstr(out, "total actual memory usage");
    while (memory && memory > out && memory[-1] != '\n') memory--;
    if (memory) s->megabytes = strtod(memory, NULL);
    read_error(out, s);
    s->complete = s->has_error || (strstr(out, "errors: 0") && !strstr(out, "Search not completed") &&
                                   !strstr(out, "max search depth too small"));
    CHECK_MSG(t, status >= 0 && s->complete, "%s: SPIN did not come to an end (status %d)\n%.2000s\n%.2000s",
              name, status, out, err);
    free(out);
    free(err);
    return s->complete;
}

void spin_check_configurations(struct test *t, const char *model, const struct spin_configuration *all,
                               size_t count)
{
    if (!spin_is_there(t)) return;
    for (size_t k = 0; k < count; k++) {
        struct spin_search s;
        if (all[k].is_long && !test_is_long()) continue;
        if (!spin_check(t, model, all[k].name, all[k].defines, all[k].is_long, &s)) continue;
        CHECK_MSG(t, !s.has_error, "%s: %s", all[k].defines, s.what);
        printf("  %-12s %9llu states, %10llu transitions, %5.0f MB\n", all[k].name, s.states, s.transitions,
               s.megabytes);
    }
}

void spin_check_broken(struct test *t, const char *model, const struct spin_broken *all, size_t count)
{
    if (!spin_is_there(t)) return;
    for (size_t k = 0; k < count; k++) {
        struct spin_search s;
        char defines[200], name[60];
        const char *wrong = all[k].wrong;
        if (all[k].is_long && !test_is_long()) continue;
        snprintf(defines, sizeof defines, "-DWITHOUT_%s %s", all[k].name, all[k].defines);
        snprintf(name, sizeof name, "%s-%zu", all[k].name, k);
        if (!spin_check(t, model, name, defines, !wrong, &s)) continue;
        bool as_told = wrong ? s.has_error && !strncmp(s.what, wrong, strlen(wrong)) : !s.has_error;
        CHECK_MSG(t, as_told, "without %s: %s, not %s", all[k].name, s.has_error ? s.what : "nothing wrong",
                  wrong ? wrong : "nothing");
    }
}

static char *printed(struct test *t, const char *command)
{
    char *out, *err;
    int status = test_command(command, 60, &out, &err);
    CHECK_MSG(t, status >= 0 && strstr(out, "program 0"), "%s\n%.1000s", command, err);
    free(err);
    return out;
}

char *spin_trail(struct test *t, const char *defines, const struct spin_search *s)
{
    char command[1000];
    snprintf(command, sizeof command, "cd '%s' && spin -t -T %s model.pml", s->folder, defines);
    return printed(t, command);
}

char *spin_random(struct test *t, const char *defines, unsigned seed)
{
    char command[1000];
    const char *folder = test_directory(t); // SPIN writes files to its working directory
    snprintf(command, sizeof command,
             "ln -sf \"$PWD/" MODELS
             "darsie.pml\" '%s/model.pml' && cd '%s' && spin -T -u20000 -n%u %s model.pml",
             folder, folder, seed, defines);
    return printed(t, command);
}
