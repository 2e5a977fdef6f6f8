// Experiments on pairs of kernels: runs, values shown in figures, and refused input.
#include "base/str.h"
#include "lab/experiment.h"
#include "lab/lab.h"

#include <string.h>

#define HEAD "title = x\nkind = runs\ngroup = ilp\nviews = gtx285/ptxplus\n"

static void test_figure(struct test *t)
{
    static const char text[] = HEAD "measure = weighted\npairs = nqueens256 scanLarge + vecadd\n"
                                    "reference = gtx285,gtx480\nbase = base with place=split\n"
                                    "series = all : base with place=all gpu.dispatch=even\n"
                                    "series = same : base with place=split\nclaim = all : same ~ 1\n";
    struct cli c = {.t = t};
    cli_write(&c, "x.exp", text, strlen(text));
    cli_run(&c, "reproduce $D/x.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs"), 4); // base and `same` are one run
    CHECK_EQ(t,
             (int)lab_query(
                 t, db, "SELECT count(*) FROM runs WHERE kind = 'mix' AND status = 'ok' AND energy_pj > 0"),
             4);
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM runs WHERE command LIKE '%--place split%' AND command LIKE "
                            "'%--reference gtx285,gtx480%'"),
             2);
    CHECK_EQ(
        t,
        (int)lab_query(t, db,
                       "SELECT count(*) FROM runs WHERE command LIKE '%scanLarge vecadd --registers 16,0 %'"),
        2); // of the group
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM points WHERE category IN ('NQU+vecadd', 'Scan+vecadd') AND "
                            "series = 'same' AND value = 1"),
             2);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE category = 'GMEAN' AND value > 0.3"),
             2);
    CHECK_EQ(
        t, (int)lab_query(t, db, "SELECT count(*) FROM cells WHERE tab = 'workloads' AND field = 'workload'"),
        8);
    CHECK_EQ(
        t,
        (int)lab_query(t, db, "SELECT count(*) FROM cells WHERE field = 'different_bytes' AND number <> 0"),
        0);
    sqlite3_close(db);
    cli_fini(&c);
}

// Names of pairs have the group's abbreviations, wherever the line with the group stands.
static void test_names(struct test *t)
{
    static const char *const texts[] = {
        "title = x\nkind = runs\ngroup = ilp\npairs = nqueens256 + vecadd\nmeasure = weighted\n"
        "views = gtx285/ptxplus\nseries = a : base\n",
        "title = x\nkind = runs\npairs = nqueens256 + vecadd\nmeasure = weighted\n"
        "views = gtx285/ptxplus\nseries = a : base\ngroup = ilp\n"};
    for (size_t i = 0; i < TEST_COUNT(texts); i++) {
        struct experiments x;
        struct diag d;
        diag_init(&d);
        experiments_init(&x);
        CHECK(t, experiments_add_text(&x, "x", texts[i], strlen(texts[i]), &d));
        CHECK_STR(t, x.list.data[0].pairs.data[0].name, "NQU+vecadd");
        experiments_fini(&x);
        diag_fini(&d);
    }
}

static void test_refused(struct test *t)
{
    static const struct lab_refused rows[] = {
        {"pairs = nqueens vecadd\n", "are no pairs; write KERNEL... + KERNEL..."},
        {"pairs = nqeens + vecadd\n", "no bundled kernel \"nqeens\"; did you mean \"nqueens\"?"},
        {"pairs = nqueens + vecadd\nkernels = vecadd\n", "kernels, programs or pairs, not several"},
        {"pairs = nqueens + vecadd\nsweep = l2.sets : 64 128\n", "not pairs, for a sweep"},
        {"kernels = vecadd\nreference = gtx285\n", "pairs: a reference is for pairs"},
        {"kernels = vecadd\nsettings = place=all\n", "unknown key \"place\""},
    };
    lab_check_refused(t, HEAD "measure = weighted\nseries = a : base\n", rows, TEST_COUNT(rows));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"figure", test_figure}, {"names", test_names}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
