// Experiments on RISC-V programs: SIMTight's figures at small inputs. Fails where a program's own check of
// its results fails, or a bad experiment is accepted.
#include "base/str.h"
#include "lab/categories.h"
#include "lab/figure.h"
#include "lab/lab.h"

#include <string.h>
#include <sys/stat.h>

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
    // A small VecAdd ends before the first count of its vectors.
    CHECK_EQ(
        t,
        (int)lab_query(
            t, db,
            "SELECT count(*) FROM points WHERE value IS NULL AND run IS NOT NULL AND category <> 'VecAdd'"),
        0);
    // Load beats depend on programs and memory rules alone: rv32e programs load more than rv32i programs.
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

// Keys of every type: numbers, words, booleans.
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

// Whether a claim compares the series with a value, on either side, in the category.
static bool has_claim(const struct experiment *x, const struct experiment_value *v)
{
    for (size_t n = 0; n < x->claims.count; n++) {
        const struct claim *c = &x->claims.data[n];
        bool is_meant =
            str_equal(c->category, v->category) || categories_in_group(x, c->category, v->category);
        for (size_t i = 0; is_meant && i < c->orders.count; i++) {
            const char *left = c->terms.data[i].series, *right = c->terms.data[i + 1].series;
            bool is_of = (left && str_equal(left, v->series)) || (right && str_equal(right, v->series));
            if (is_of && c->orders.data[i] == CLAIM_ABOUT) return true;
        }
    }
    return false;
}

// Every value of SIMTight's paper has a claim with a tolerance, so a miss is visible. Exempt: figures about a
// cause, with the paper's values in a column.
static void test_claims(struct test *t)
{
    struct experiments all;
    struct diag d;
    unsigned values = 0;
    diag_init(&d);
    experiments_init(&all);
    CHECK(t, experiments_add(&all, "simtight", &d));
    for (size_t k = 0; k < all.list.count; k++) {
        const struct experiment *x = &all.list.data[k];
        if (strstr(x->source, "cause")) continue;
        for (size_t n = 0; n < x->values.count; n++, values++)
            CHECK_MSG(t, has_claim(x, &x->values.data[n]), "%s: nothing is claimed of %s | %s", x->name,
                      x->values.data[n].series, x->values.data[n].category);
    }
    CHECK(t, values > 90);
    experiments_fini(&all);
    diag_fini(&d);
}

// Copies a bundled program's file into $D under another name.
static void give(struct cli *c, const char *file, const char *name)
{
    size_t length;
    const char *bytes = program_file(file, &length);
    CHECK_MSG(c->t, bytes, "%s", file);
    if (bytes) cli_write(c, name, bytes, length);
}

// Beats of BitonicLa with 16 registers over those with 32.
static double beats(struct cli *c, const char *folder)
{
    sqlite3 *db = lab_open(c->t, folder);
    double value = lab_query(c->t, db,
                             "SELECT value FROM points WHERE category = 'BitonicLa' AND series = 'RV32E' AND "
                             "run IS NOT NULL");
    sqlite3_close(db);
    return value;
}

// --programs: files of a folder under the bundled programs' names, or the public suite's, are run in place of
// the bundled programs, from copies in the results' folder.
static void test_folder(struct test *t)
{
    static const char line[] =
        "reproduce st_rv32e_beats --only program=BitonicLa --size small --programs $D/mine";
    struct cli c = {.t = t};
    char mine[4096], command[256];
    snprintf(mine, sizeof mine, "%s/mine", test_directory(t));
    CHECK(t, mkdir(mine, 0777) == 0);
    snprintf(mine, sizeof mine, "%s/mine/rv32e", test_directory(t));
    CHECK(t, mkdir(mine, 0777) == 0);
    snprintf(command, sizeof command, "%s --out $D/as_bundled", line);

    cli_expect(&c, command, 1,
               "error: --programs: st_rv32e_beats runs BitonicLa, and there is no $D/mine/BitonicLa.elf or "
               "$D/mine/BitonicSortLarge.elf\n");
    give(&c, "BitonicLa.elf", "mine/BitonicSortLarge.elf");
    cli_expect(&c, command, 1,
               "error: --programs: st_rv32e_beats runs BitonicLa, and there is no $D/mine/BitonicLa.elf or "
               "$D/mine/rv32e/BitonicSortLarge.elf\n");
    give(&c, "rv32e-BitonicLa.elf", "mine/rv32e/BitonicSortLarge.elf");
    cli_run(&c, command);
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "mine, not the bundled ones.");
    cli_run(&c, "reproduce st_rv32e_beats --only program=BitonicLa --size small --out $D/bundled");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK(t, !strstr(c.out, "not the bundled ones"));
    double bundled = beats(&c, "bundled");
    CHECK(t, bundled > 1.2);
    CHECK(t, beats(&c, "as_bundled") == bundled);

    // The file with 32 registers in the place of that with 16: no difference of beats. The bundled name goes
    // before the public one.
    give(&c, "BitonicLa.elf", "mine/BitonicLa.elf");
    give(&c, "BitonicLa.elf", "mine/rv32e/BitonicLa.elf");
    snprintf(command, sizeof command, "%s --out $D/swapped", line);
    cli_run(&c, command);
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK(t, beats(&c, "swapped") == 1);

    cli_expect(&c, "reproduce fig1 --programs $D/mine --out $D/none", 1,
               "error: --programs: none of the experiments runs bundled RISC-V programs\n");
    cli_expect(&c, "reproduce st_fig6 --programs $D/nowhere --out $D/none", 1,
               "error: --programs: cannot find the folder $D/nowhere\n");
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct lab_refused rows[] = {
        {"programs = VecAd\nseries = a : simtight\n", "no program \"VecAd\"; did you mean \"VecAdd\"?"},
        {"programs = MatMulFloat\nviews = simtight/rv32e\nseries = a : simtight\n", "has no form rv32e"},
        {"programs = VecAdd\nseries = a : simtigh\n", "did you mean \"simtight\"?"},
        {"programs = VecAdd\nkernels = vecadd\nseries = a : simtight\n", "kernels or programs, not both"},
        {"programs = VecAdd\ninput = 0g\nseries = a : simtight\n", "must be bytes of two hexadecimal digits"},
        {"programs = no/such.elf\nseries = a : simtight\n", "cannot find the program no/such.elf"},
    };
    lab_check_refused(t, "title = x\nkind = runs\nmeasure = speedup\n", rows, TEST_COUNT(rows));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"figures", test_figures},
                                             {"settings", test_settings},
                                             {"claims", test_claims},
                                             {"folder", test_folder},
                                             {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
