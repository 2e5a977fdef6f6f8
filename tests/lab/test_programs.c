// Experiments on programs for RISC-V: SIMTight's figures at small inputs, each program's own test of its results passed, and
// what is refused.
#include "base/str.h"
#include "lab/lab.h"

#include <string.h>

static void test_figures(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce simtight --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "GMEAN");
    sqlite3 *db = lab_open(t, "out");
    CHECK(t, lab_query(t, db, "SELECT count(*) FROM runs") > 100);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE status <> 'ok' OR kind <> 'program'"),
             0);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE outcome IS NOT 'yes'"), 0);
    // A small VecAdd is over before its vectors are first counted.
    CHECK_EQ(
        t,
        (int)lab_query(
            t, db,
            "SELECT count(*) FROM points WHERE value IS NULL AND run IS NOT NULL AND category <> 'VecAdd'"),
        0);
    // Beats depend on programs and rules alone: those of the paper's machine without its scalar pipeline.
    CHECK(t, lab_query(t, db,
                       "SELECT sum(value) FROM counters JOIN runs ON run = id WHERE name = "
                       "'simtight.load_beats' AND gpu = "
                       "'simtight' AND profile = 'rv32e' AND settings = ''") >
                 lab_query(t, db,
                           "SELECT sum(value) FROM counters JOIN runs ON run = id WHERE name = "
                           "'simtight.load_beats' AND gpu "
                           "= 'simtight' AND profile = 'rv32i' AND settings = ''"));
    sqlite3_close(db);
    cli_fini(&c);
}

// Keys of every type: numbers, words, and yes or no.
static void test_settings(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce st_fig5 --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "clock, MHz                204\nregisters                 plain\n");
    CHECK_HAS(t, c.out, "scalar pipeline           no\nstack cache, lines        0\n");
    CHECK_HAS(t, c.out, "scalar pipeline           yes\nstack cache, lines        2048\n");
    CHECK(t, !strchr(c.out, '?'));
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct lab_refused rows[] = {
        {"programs = VecAd\nseries = a : simtight\n", "no program \"VecAd\"; did you mean \"VecAdd\"?"},
        {"programs = MatMulFloat\nviews = simtight/rv32e\nseries = a : simtight\n", "has no form rv32e"},
        {"programs = VecAdd\nseries = a : simtigh\n", "did you mean \"simtight\"?"},
        {"programs = VecAdd\nkernels = vecadd\nseries = a : simtight\n", "kernels or programs, not both"},
        {"programs = VecAdd\ninput = 0g\nseries = a : simtight\n", "each two hexadecimal digits"},
        {"programs = no/such.elf\nseries = a : simtight\n", "cannot find the program no/such.elf"},
    };
    lab_check_refused(t, "title = x\nkind = runs\nmeasure = speedup\n", rows, TEST_COUNT(rows));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"figures", test_figures}, {"settings", test_settings}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
