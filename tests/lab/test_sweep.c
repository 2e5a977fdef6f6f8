// Sweeps: a point is the same run as a series with the same settings; lines and means match plain SQL; --only
// runs parts of a sweep. Fails where a swept value differs from a single run.
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "title = a sweep\nkind = runs\nmeasure = speedup\nviews = tiny/sass\n";

static void write_experiment(struct cli *c, const char *name, const char *lines)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s", head, lines);
    lab_write(c, name, text);
}

// The swept runs equal runs requested one by one; the base is swept, too.
static void test_points(struct test *t)
{
    struct cli c = {.t = t};
    write_experiment(
        &c, "swept.exp",
        "kernels = vecadd matrixMul\nseries = DARSIE : darsie\nseries = LRR : base with "
        "issue.scheduler=lrr\nsweep = issue.schedulers : 1 2 4\nsweep = shared.latency : 24 48\n");
    cli_run(&c, "reproduce $D/swept.exp --size small --out $D/swept");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "issue.schedulers");
    CHECK_HAS(t, c.out, "LRR, shared.latency=48, GMEAN");
    sqlite3 *db = lab_open(t, "swept");
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs"), 2 * 6 * 3);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM points"), 2 * 6 * 3);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(DISTINCT cycles) > 8 FROM runs"), 1);
    CHECK_EQ(
        t,
        lab_query(t, db,
                  "SELECT count(*) FROM points p JOIN runs r ON r.id = p.run JOIN runs b ON b.id = p.base "
                  "WHERE abs(p.value - 1.0 * b.cycles / r.cycles) > 1e-12 OR b.tech <> 'base' OR "
                  "r.settings NOT LIKE '%issue.schedulers=' || p.category || '%' OR b.settings NOT LIKE "
                  "'issue.schedulers=' || p.category || '%' OR (p.series LIKE '%shared.latency=24%') <> "
                  "(b.settings LIKE '%shared.latency=24%')"),
        0);
    CHECK_EQ(
        t,
        lab_query(t, db,
                  "SELECT count(*) FROM points m WHERE run IS NULL AND abs(value - (SELECT "
                  "exp(avg(ln(value))) FROM points p WHERE run IS NOT NULL AND p.category = m.category AND "
                  "p.series LIKE replace(m.series, 'GMEAN', '%'))) < 1e-12"),
        2 * 2 * 3);
    sqlite3_close(db);
    write_experiment(&c, "single.exp",
                     "kernels = matrixMul\nseries = one : darsie with issue.schedulers=4 shared.latency=48\n"
                     "base = base with issue.schedulers=4 shared.latency=48\n");
    cli_run(&c, "reproduce $D/single.exp --size small --out $D/swept");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "2 runs, 2 done before");
    cli_fini(&c);
}

static void test_only(struct test *t)
{
    static const struct {
        const char *only, *said;
    } parts[] = {{"--only issue.schedulers=2", "12 runs,"},
                 {"--only kernel=MM --only shared.latency=24", "9 runs,"},
                 {"--only kernel=matrixMul,vecadd --only issue.schedulers=1,4", "24 runs,"},
                 {"--only series=LRR --only view=tiny/sass --only kernel=vecadd", "12 runs,"},
                 {"--only view=tiny/volta --only kernel=vecadd --only shared.latency=48", "9 runs,"}};
    struct cli c = {.t = t};
    write_experiment(
        &c, "swept.exp",
        "kernels = vecadd matrixMul\nseries = DARSIE : darsie\nseries = LRR : base with "
        "issue.scheduler=lrr\nsweep = issue.schedulers : 1 2 4\nsweep = shared.latency : 24 48\n");
    for (size_t i = 0; i < TEST_COUNT(parts); i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "reproduce $D/swept.exp --size small --out $D/only %s",
                 parts[i].only);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        CHECK_HAS(t, c.out, parts[i].said);
    }
    cli_expect(&c, "reproduce $D/swept.exp --size small --out $D/no --only shared.latency=24,17", 2,
               "error: --only shared.latency=24,17: no experiment has \"17\"\n");
    cli_expect(&c, "reproduce $D/swept.exp --size small --out $D/no --only kernel=LIB", 2,
               "error: --only kernel=LIB: no experiment has \"LIB\"\n");
    cli_expect(&c, "reproduce $D/swept.exp --size small --out $D/no --only issue.width", 2,
               "error: --only issue.width: write WHAT=NAME[,NAME…], with WHAT a swept key, or kernel, "
               "program, series or view\n");
    CHECK(t, !cli_exists(&c, "no"));
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *lines, *message;
    } refused[] = {
        {"sweep = issue.schedulers 1 2\n", "a sweep is KEY : VALUE VALUE …"},
        {"sweep = issue.schedulers :\n", "a sweep is KEY : VALUE VALUE …"},
        {"sweep = issue.schedulers : 1 2\nsweep = issue.schedulers : 4\n", "is swept twice"},
        {"sweep = issue.scheduler : lrr gto\n", "numbers and increase, unlike \"lrr\""},
        {"sweep = issue.schedulers : 4 2\n", "numbers and increase, unlike \"2\""},
        {"sweep = issue.schedulers : 4 400\n", "issue.schedulers"},
        {"sweep = issue.nothing : 4\n", "issue.nothing"},
        {"sweep = issue.schedulers : 1 2\nclaim = VA : DARSIE > 1\n", "claim, paper and headline"}};
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        char text[300];
        snprintf(text, sizeof text, "kernels = vecadd\nseries = DARSIE : darsie\n%s", refused[i].lines);
        write_experiment(&c, "refused.exp", text);
        cli_run(&c, "reproduce $D/refused.exp --size small --out $D/no");
        CHECK_MSG(t, c.status == 1, "%s: status %d", refused[i].lines, c.status);
        CHECK_HAS(t, c.err, refused[i].message);
    }
    CHECK(t, !cli_exists(&c, "no"));
    cli_fini(&c);
}

// RISC-V programs are swept like kernels.
static void test_programs(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "programs.exp",
              "title = a sweep\nkind = runs\nmeasure = speedup\nviews = simtight/rv32i\nprograms = VecAdd\n"
              "series = compressed : simtight-rfc\nsweep = simt.dram_latency : 30 300\n");
    cli_run(&c, "reproduce $D/programs.exp --size small --out $D/programs");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "4 runs,");
    sqlite3 *db = lab_open(t, "programs");
    CHECK_EQ(
        t,
        lab_query(t, db,
                  "SELECT count(*) FROM points p JOIN runs r ON r.id = p.run JOIN runs b ON b.id = p.base "
                  "WHERE p.value = 1.0 * b.cycles / r.cycles AND r.gpu <> b.gpu"),
        2);
    CHECK_EQ(t, lab_query(t, db, "SELECT count(DISTINCT cycles) FROM runs"), 4);
    sqlite3_close(db);
    cli_fini(&c);
}

// An option of a mechanism as an axis: series with the mechanism change, others and the base stay.
static void test_options(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    write_experiment(&c, "options.exp",
                     "kernels = matrixMul\nseries = A : darsie:registers=16\nseries = B : uv\n"
                     "series = C : warpman+darsie\nseries = D : darsie:entries=8\n"
                     "sweep = darsie.entries : 2 4\n");
    cli_run(&c, "reproduce $D/options.exp --size small --out $D/options");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "options");
    CHECK_EQ(t, lab_query(t, db, "SELECT count(*) FROM runs"), 7); // base, two of A and C, B, D
    CHECK_EQ(t,
             lab_query(t, db,
                       "SELECT count(*) FROM points p JOIN runs r ON r.id = p.run WHERE r.tech = CASE "
                       "substr(p.series, 1, 1) WHEN 'A' THEN 'darsie:registers=16,entries=' || p.category "
                       "WHEN 'B' THEN 'uv' WHEN 'C' THEN 'warpman+darsie:entries=' || p.category ELSE "
                       "'darsie:entries=8' END"),
             8);
    sqlite3_close(db);
    char *csv = cli_read(&c, "options/options-runs.csv", &length);
    CHECK_HAS(t, csv, "mechanism,darsie.entries,speedup");
    CHECK_HAS(t, csv, "\"darsie:registers=16,entries=4\",4,");
    CHECK_HAS(t, csv, "B,uv,,");
    free(csv);
    write_experiment(&c, "nobody.exp",
                     "kernels = matrixMul\nseries = B : uv\nsweep = darsie.entries : 2 4\n");
    cli_run(&c, "reproduce $D/nobody.exp --out $D/options");
    CHECK_HAS(t, c.err, "no series has the mechanism darsie");
    write_experiment(&c, "wrong.exp", "kernels = matrixMul\nseries = B : uv\nsweep = uv.entrys : 2 4\n");
    cli_run(&c, "reproduce $D/wrong.exp --out $D/options");
    CHECK_HAS(t, c.err, "uv has no option \"entrys\"; did you mean \"entries\"?");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"points", test_points},
                                             {"only", test_only},
                                             {"refused", test_refused},
                                             {"programs", test_programs},
                                             {"options", test_options}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
