// `warpfold reproduce` from outside: the database holds the results of the runs, and plain SQL over it yields
// the figures. Fails where they differ, or where an unusable file is overwritten.
#include "base/str.h"
#include "lab/lab.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// Three figures recomputed from table `runs` alone, without warpfold's SQL.
static void test_figures(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const figures[][2] = {
        {"speedup", "CAST(base.cycles AS REAL) / own.cycles"},
        {"reduction",
         "(base.warp_instructions - own.warp_instructions) / CAST(base.warp_instructions AS REAL)"},
        {"energy",
         "(SELECT total(count * pj_each) FROM energy WHERE run = own.id) / (SELECT total(count * pj_each) "
         "FROM energy WHERE run = base.id)"}};
    for (size_t i = 0; i < TEST_COUNT(figures); i++) {
        struct strbuf text = {0}, sql = {0};
        char arguments[200], name[20], folder[20];
        strbuf_puts(&text, lab_experiment);
        char *measure = strstr(text.text, "speedup\n");
        strbuf_puts(&sql, measure + strlen("speedup\n"));
        text.length = (size_t)(measure - text.text);
        text.text[text.length] = 0;
        strbuf_printf(&text, "%s\n%s", figures[i][0], sql.text);
        snprintf(name, sizeof name, "%s.exp", figures[i][0]);
        snprintf(folder, sizeof folder, "out%zu", i);
        cli_write(&c, name, text.text, text.length);
        snprintf(arguments, sizeof arguments, "reproduce $D/%s --size small --out $D/%s", name, folder);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        CHECK_HAS(t, c.out, "not measured: no-such-mechanism (refused: no mechanism \"no-such-mechanism\"");
        CHECK_HAS(t, c.out, "GMEAN");
        sqlite3 *db = lab_open(t, folder);
        strbuf_clear(&sql);
        strbuf_printf(
            &sql,
            "SELECT count(*) FROM points JOIN runs own ON own.id = points.run JOIN runs base ON base.subject "
            "= own.subject AND base.profile = own.profile AND base.tech = 'base' AND base.settings = '' "
            "WHERE own.status = 'ok' AND abs(points.value - %s) < 1e-12",
            figures[i][1]);
        CHECK_EQ(t, (int)lab_query(t, db, sql.text), 18); // 3 kernels, 2 views, 3 working series
        CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE value IS NULL"),
                 8); // 3 kernels and the mean
        CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs"), 30);
        CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE status = 'refused'"), 6);
        CHECK(t, lab_query(t, db, "SELECT paper FROM points WHERE category = 'MM' AND series = 'DARSIE'") ==
                     1.3);
        // Provenance: every run has its status, command and settings.
        CHECK_EQ(t,
                 (int)lab_query(
                     t, db,
                     "SELECT count(*) FROM runs JOIN configs USING (config) WHERE status = 'ok' AND key = "
                     "'compile.profile' AND value = profile AND length(kernel_hash) = 16"),
                 24);
        sqlite3_close(db);
        strbuf_fini(&text);
        strbuf_fini(&sql);
    }
    cli_fini(&c);
}

// A base defined by the experiment, and series on other GPUs than the view's.
static void test_bases(struct test *t)
{
    static const char experiment[] =
        "title = bases\n"
        "measure = speedup\n"
        "kernels = darsie-1d hotspot\n"
        "views = tiny/sass\n"
        "base = uv with issue.scheduler=lrr\n"
        "series = DARSIE : darsie\n"
        "series = card : base with issue.scheduler=gto on gtx1080ti-paper\n"
        "series = itself : uv with issue.scheduler=lrr\n"
        "series = beside : darsie with shared.latency=48 over base with shared.latency=48 on tiny\n"
        "paper = DARSIE | MAX = 2\n";
    struct cli c = {.t = t};
    lab_write(&c, "bases.exp", experiment);
    cli_run(&c, "reproduce $D/bases.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "speedup over uv with issue.scheduler=lrr");
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs"), 30); // 6 kernels
    CHECK_EQ(
        t,
        (int)lab_query(
            t, db,
            "SELECT count(*) FROM points p JOIN runs own ON own.id = p.run JOIN runs base ON base.id = "
            "p.base "
            "WHERE p.series = 'beside' AND own.tech = 'darsie' AND base.tech = 'base' AND own.settings = "
            "'shared.latency=48' AND base.settings = 'shared.latency=48' AND own.gpu = 'tiny' AND base.gpu = "
            "'tiny' AND "
            "abs(p.value - 1.0 * base.cycles / own.cycles) < 1e-12"),
        6);
    static const char *const own[] =
        {"own.tech = 'darsie' AND own.gpu = 'tiny' AND own.settings = ''",
         "own.tech = 'base' AND own.gpu = 'gtx1080ti-paper' AND own.settings = 'issue.scheduler=gto'",
         "own.tech = 'uv' AND own.gpu = 'tiny' AND own.settings = 'issue.scheduler=lrr'"},
                             *const names[] = {"DARSIE", "card", "itself"};
    for (size_t i = 0; i < TEST_COUNT(own); i++) {
        char sql[600];
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM points p, runs own, runs base WHERE own.subject = base.subject AND p.run = "
            "own.id AND base.tech = 'uv' AND base.settings = 'issue.scheduler=lrr' AND %s AND p.series = "
            "'%s' "
            "AND abs(p.value - 1.0 * base.cycles / own.cycles) < 1e-12",
            own[i], names[i]);
        CHECK_EQ(t, (int)lab_query(t, db, sql), 6);
    }
    CHECK(t, lab_query(t, db,
                       "SELECT max(value) FROM points WHERE series = 'DARSIE' AND category NOT LIKE '%M%'") ==
                 lab_query(t, db, "SELECT value FROM points WHERE series = 'DARSIE' AND category = 'MAX'"));
    CHECK(t, lab_query(t, db, "SELECT paper FROM points WHERE series = 'DARSIE' AND category = 'MAX'") == 2);
    sqlite3_close(db);
    cli_fini(&c);
}

// A series may name the size of its inputs, which is no setting of the run.
static void test_sizes(struct test *t)
{
    static const char experiment[] =
        "title = sizes\nmeasure = speedup\nkernels = hotspot\nviews = gtx1080ti-paper/ptxplus\n"
        "series = small : darsie\n"
        "series = slice : darsie with size=slice over base with size=slice gpu.slice=7\n";
    struct cli c = {.t = t};
    lab_write(&c, "sizes.exp", experiment);
    cli_run(&c, "reproduce $D/sizes.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs"), 4);
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM runs WHERE size = 'slice' AND settings = 'gpu.slice=7' AND "
                            "command LIKE '%--size slice %' AND command NOT LIKE '%size=%'"),
             2);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE size = 'small' AND settings = ''"), 2);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT value > 1.2 FROM points WHERE series = 'slice' LIMIT 1"), 1);
    sqlite3_close(db);
    cli_fini(&c);
}

// A kernel that does not fit a series' machine: no mean, unless the experiment leaves the kernel out by name. Another
// series' mean stays, and table, page of values and notes say what was left out.
static void test_left_out(struct test *t)
{
    static const char text[] = "title = few registers\n"
                               "measure = speedup\n"
                               "kernels = vecadd reduction matrixMul\n"
                               "views = tiny/sass\n"
                               "series = DARSIE : darsie\n"
                               "series = few : darsie with sm.registers=8192\n%s"
                               "paper = few | MAX = 2\n"
                               "claim = GMEAN : few > 0\n";
    for (unsigned n = 0; n < 2; n++) {
        struct cli c = {.t = t};
        struct strbuf experiment = {0};
        size_t length;
        strbuf_printf(&experiment, text, n ? "leave-out = few : matrixMul\n" : "");
        lab_write(&c, "few.exp", experiment.text);
        cli_run(&c, "reproduce $D/few.exp --size small --out $D/out");
        sqlite3 *db = lab_open(t, "out");
        static const char sql[] = "SELECT count(*) FROM points p WHERE category = 'GMEAN' AND abs(value - "
                                  "(SELECT exp(avg(ln(q.value))) FROM "
                                  "points q WHERE q.series = p.series AND q.run IS NOT NULL AND q.category "
                                  "NOT LIKE '%MM%')) < 1e-12 AND "
                                  "series = 'few'";
        CHECK_EQ(t,
                 (int)lab_query(t, db, "SELECT count(*) FROM points WHERE category = 'GMEAN' AND value > 0"),
                 n ? 2 : 1);
        CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE category = 'MAX' AND value > 0"),
                 n ? 2 : 1);
        CHECK_EQ(t, (int)lab_query(t, db, sql), n ? 1 : 0);
        sqlite3_close(db);
        char *page = cli_read(&c, "out/paper.md", &length);
        CHECK(t, (strstr(page, " without matrixMul |") != NULL) == (n == 1));
        CHECK(t, (strstr(c.out, "note: The means of few are without matrixMul.") != NULL) == (n == 1));
        CHECK_HAS(t, page, n ? "held" : "open");
        free(page);
        strbuf_fini(&experiment);
        cli_fini(&c);
    }
}

// `registers = code`: the paper's registers per thread limit the code, too, and not only the blocks of an SM.
static void test_registers(struct test *t)
{
    struct cli c = {.t = t};
    static const char head[] = "title = registers\nmeasure = speedup\ngroup = warpman\nkernels = warpman\n"
                               "views = gtx480-warpman/ptxplus\nseries = A : warpman\n";
    for (unsigned code = 0; code < 2; code++) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%sregisters = %s\n", head, code ? "code" : "dispatch");
        lab_write(&c, "registers.exp", text.text);
        cli_run(&c, "reproduce $D/registers.exp --size small --only kernel=pathfinder256 --out $D/out");
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        strbuf_fini(&text);
    }
    // A kernel named alone has the registers of the experiment's group, in a timed study, too.
    lab_write(&c, "study.exp",
              "title = warps\nkind = study\nshow = table\nstudy = warps\ntable = kernels\ngroup = warpman\n"
              "kernels = pathfinder256\nviews = gtx480-warpman/ptxplus\nseries = A : rtru\n");
    cli_run(&c, "reproduce $D/study.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE settings LIKE 'launch.registers=13%'"),
             4);
    CHECK_EQ(
        t,
        (int)lab_query(t, db, "SELECT count(*) FROM runs WHERE settings LIKE '%compile.max_registers=13%'"),
        2);
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM runs WHERE kind = 'study' AND command LIKE '%--set "
                            "launch.registers=13%'"),
             1);
    sqlite3_close(db);
    cli_fini(&c);
}

// Kernels split in two classes by the values of one series, with a mean over each class.
static void test_split(struct test *t)
{
    static const char experiment[] = "title = classes\n"
                                     "measure = speedup\n"
                                     "kernels = vecadd matrixMul reduction nqueens\n"
                                     "views = tiny/sass\n"
                                     "series = DARSIE : darsie\n"
                                     "series = at hand : base with memory.perfect=1\n"
                                     "split = at hand | LIMIT : waits / computes\n"
                                     "paper = DARSIE | GMEAN-waits = 2\n"
                                     "claim = GMEAN-waits : at hand > 1\n"
                                     "claim = GMEAN-computes : DARSIE > 100\n";
    static const char *const limits[] = {"1.5", "0"}; // no kernel is below the second
    for (size_t n = 0; n < TEST_COUNT(limits); n++) {
        struct cli c = {.t = t};
        struct strbuf text = {0}, sql = {0};
        size_t length;
        const char *at = strstr(experiment, "LIMIT");
        strbuf_printf(&text, "%.*s%s%s", (int)(at - experiment), experiment, limits[n], at + strlen("LIMIT"));
        lab_write(&c, "split.exp", text.text);
        cli_run(&c, "reproduce $D/split.exp --size small --out $D/out");
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        sqlite3 *db = lab_open(t, "out");
        for (size_t k = 0; k < 2 - n; k++) {
            strbuf_clear(&sql);
            strbuf_printf(
                &sql,
                "SELECT abs(value - (SELECT exp(avg(ln(p.value))) FROM points p WHERE p.series = 'DARSIE' "
                "AND p.run IS NOT NULL AND (SELECT h.value FROM points h WHERE h.category = p.category AND "
                "h.series = 'at hand') %s %s)) FROM points WHERE series = 'DARSIE' AND category = 'GMEAN-%s'",
                k ? "<" : ">=", limits[n], k ? "computes" : "waits");
            CHECK(t, lab_query(t, db, sql.text) < 1e-12);
        }
        CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE category = 'GMEAN-computes'"),
                 n ? 0 : 2);
        CHECK(t, lab_query(t, db,
                           "SELECT paper FROM points WHERE series = 'DARSIE' AND category = 'GMEAN-waits'") ==
                     2);
        sqlite3_close(db);
        char *page = cli_read(&c, "out/paper.md", &length);
        CHECK_HAS(t, page, "## Means by class");
        CHECK_HAS(t, page,
                  n ? "waits, where at hand is 0 or more: VA, MM, reduction, nqueens. computes: none."
                    : "waits, where at hand is 1.5 or more: ");
        CHECK_HAS(t, page, n ? "open" : "contradicted");
        free(page);
        strbuf_fini(&text);
        strbuf_fini(&sql);
        cli_fini(&c);
    }
}

// A kernel without loads has no value for the share of loads; the mean is over the other kernels. The
// mean of a refused run is NULL.
static void test_nothing(struct test *t)
{
    static const char experiment[] = "title = loads\n"
                                     "measure = loads_decoupled\n"
                                     "kernels = vecadd spmv mandelbrot\n"
                                     "views = gtx480/ptxplus\n"
                                     "series = DAC : decoupled\n"
                                     "series = none : no-such-mechanism\n";
    struct cli c = {.t = t};
    lab_write(&c, "nothing.exp", experiment);
    cli_run(&c, "reproduce $D/nothing.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE series = 'DAC' AND value IS NULL"),
             1);
    CHECK(t, lab_query(t, db,
                       "SELECT abs(value - (SELECT avg(value) FROM points WHERE series = 'DAC' AND run IS "
                       "NOT NULL)) FROM "
                       "points WHERE series = 'DAC' AND category = 'MEAN'") < 1e-12);
    CHECK(t, lab_query(t, db,
                       "SELECT value IS NULL FROM points WHERE series = 'none' AND category = 'MEAN'") == 1);
    sqlite3_close(db);
    cli_fini(&c);
}

// Counters of value 0 have rows: a measure adds them, and a query finds them. vecadd hits no line of L1.
static void test_zero(struct test *t)
{
    static const char experiment[] = "title = misses\n"
                                     "measure = l1_misses\n"
                                     "kernels = vecadd\n"
                                     "views = gtx480/ptxplus\n"
                                     "series = GPU : base\n";
    struct cli c = {.t = t};
    lab_write(&c, "zero.exp", experiment);
    cli_run(&c, "reproduce $D/zero.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(
        t, (int)lab_query(t, db, "SELECT count(*) FROM counters WHERE name = 'sm.l1.hits' AND value = 0"), 1);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE value = 1"), 1);
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM counters WHERE name LIKE 'darsie.%'"), 0);
    sqlite3_close(db);
    cli_fini(&c);
}

// A kernel that fails leaves out the means over its own group and over all kernels, not the mean of another
// group. matrixMul's block of 32 warps does not fit the SM.
static void test_failed_kernel(struct test *t)
{
    static const char experiment[] = "title = few warps\n"
                                     "measure = ipc\n"
                                     "kernels = LIB fastWalshTransform hotspot matrixMul\n"
                                     "views = tiny/sass\n"
                                     "series = few : base with sm.warps=16\n";
    struct cli c = {.t = t};
    lab_write(&c, "few.exp", experiment);
    cli_run(&c, "reproduce $D/few.exp --size small --out $D/out");
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, "SELECT count(*) FROM points WHERE run IS NOT NULL AND value IS NULL"),
             1);
    CHECK(t,
          lab_query(
              t, db,
              "SELECT coalesce(abs(value - (SELECT exp(avg(ln(value))) FROM points WHERE category IN ('LIB', "
              "'FW'))), 1) FROM points WHERE category = 'GMEAN-1D'") < 1e-12);
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM points WHERE category IN ('GMEAN-2D', 'GMEAN') AND value "
                            "IS NULL"),
             2);
    sqlite3_close(db);
    cli_fini(&c);
}

// A part of the kernels: the mean and the maximum say of how many, and the paper's, of all, do not stand beside.
static void test_part(struct test *t)
{
    static const char experiment[] = "title = few warps\n"
                                     "measure = speedup\n"
                                     "kernels = vecadd matrixMul LIB\n"
                                     "views = tiny/sass\n"
                                     "series = few : base with sm.warps=32\n"
                                     "paper = few | GMEAN = 1.5\n"
                                     "paper = few | MAX = 2.5\n"
                                     "paper = few | LIB = 3.5\n"
                                     "headline = Few warps : run {few | GMEAN} times as fast\n"
                                     "claim = GMEAN : few < 100\n";
    static const char papers[] = "SELECT count(paper) FROM points WHERE run IS NULL";
    struct cli c = {.t = t};
    size_t length;
    lab_write(&c, "few.exp", experiment);
    cli_run(&c, "reproduce $D/few.exp --size small --out $D/out --only kernel=vecadd,LIB");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "\nGMEAN of 2 of 3 kernels ");
    CHECK_HAS(t, c.out, "\nMAX of 2 of 3 kernels ");
    CHECK_HAS(t, c.out, "3.500"); // one kernel's value has the paper's beside
    CHECK(t, !strstr(c.out, "1.500") && !strstr(c.out, "2.500"));
    char *page = cli_read(&c, "out/paper.md", &length), *report = cli_read(&c, "out/report.html", &length);
    CHECK_HAS(t, page, " of 2 of 3 kernels |");
    CHECK_HAS(t, page, "GMEAN : few < 100: not completely measured");
    CHECK(t, report && strstr(report, ", mean of 2 of 3 kernels"));
    free(page);
    free(report);
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, papers), 0);
    sqlite3_close(db);
    cli_run(&c, "reproduce $D/few.exp --size small --out $D/out --only kernel=LIB,matrixMul,vecadd");
    CHECK_HAS(t, c.out, "\nGMEAN ");
    db = lab_open(t, "out");
    CHECK_EQ(t, (int)lab_query(t, db, papers), 2);
    sqlite3_close(db);
    cli_fini(&c);
}

// An experiment's own size holds without --size; further views are run when named. Below each kernel stand grid,
// waves and occupancy of the runs.
static void test_by_name(struct test *t)
{
    static const char experiment[] = "title = by name\n"
                                     "measure = speedup\n"
                                     "kernels = vecadd matrixMul\n"
                                     "default-size = small\n"
                                     "shapes = yes\n"
                                     "views = tiny/sass\n"
                                     "more-views = tiny/ptxplus tiny/pascal\n"
                                     "series = two : base with issue.schedulers=2\n";
    static const struct {
        const char *options, *size, *profiles;
        int runs;
    } rows[] = {{"", "small", "volta", 4},
                {" --only view=tiny/ptxplus", "small", "ptxplus", 4},
                {" --only view=tiny/sass,tiny/pascal", "small", "pascal,volta", 8}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct cli c = {.t = t};
        char command[200], sql[300];
        size_t length;
        lab_write(&c, "named.exp", experiment);
        snprintf(command, sizeof command, "reproduce $D/named.exp --out $D/out%zu%s", k, rows[k].options);
        cli_run(&c, command);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        snprintf(command, sizeof command, "out%zu", k);
        sqlite3 *db = lab_open(t, command);
        snprintf(sql, sizeof sql,
                 "SELECT count(*) = %d AND min(size) = '%s' AND max(size) = '%s' AND (SELECT "
                 "group_concat(profile, ',') FROM (SELECT DISTINCT profile FROM runs ORDER BY 1)) = '%s' "
                 "FROM runs",
                 rows[k].runs, rows[k].size, rows[k].size, rows[k].profiles);
        CHECK_EQ(t, (int)lab_query(t, db, sql), 1);
        double waves = lab_query(t, db,
                                 "SELECT waves FROM runs WHERE subject = 'vecadd' AND settings = '' LIMIT 1"),
               blocks = lab_query(t, db,
                                  "SELECT CAST(grid AS INTEGER) FROM runs WHERE subject = 'vecadd' LIMIT 1"),
               occupancy =
                   lab_query(t, db, "SELECT occupancy FROM runs WHERE subject = 'vecadd' AND settings <> ''");
        sqlite3_close(db);
        CHECK(t, blocks > 1 && waves > 0);
        snprintf(sql, sizeof sql, "\n  grid %.0f, %.2f waves; occupancy   %.2f\n", blocks, waves, occupancy);
        CHECK_HAS(t, c.out, sql);
        snprintf(command, sizeof command, "out%zu/paper.md", k);
        char *page = cli_read(&c, command, &length);
        snprintf(sql, sizeof sql, "\n| VA | grid %.0f, %.2f waves | %.2f |\n", blocks, waves, occupancy);
        CHECK_HAS(t, page, sql);
        free(page);
        cli_fini(&c);
    }
}

// -- refused input ------------------------------------------------------------------------------------------

static void test_broken_files(struct test *t)
{
    static const char *const files[] = {
        "",
        "title = x\nkind = runs\n",
        "title = x\nkind = pictures\n",
        "title = x\ntitel = y\n",
        "title = x\ntitle = y\n",
        "title\n",
        "title =\n",
        "title = x\nmeasure = speedupp\n",
        "title = x\nkernels = vecad\n",
        "title = x\nviews = gtx1080ti-paper\n",
        "title = x\nseries = DARSIE\n",
        "title = x\nseries = A : darsie\npaper = A = 3\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\npaper = B | GMEAN = 3\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nclaim = MM : B > 3\n",
        ("title = x\nmeasure = speedup\nkernels = darsie-2d\nseries = A : darsie\n"
         "claim = GMEAN-2E : A > 1\n"),
        ("title = x\nmeasure = speedup\nkernels = darsie-2d\nseries = A : darsie\nclaim = GMEAN : A > 1\n"),
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nclaim = GMEAN : A > 1\n",
        ("title = x\nmeasure = speedup\nkernels = vecadd matrixMul\nseries = A : darsie\n"
         "claim = all : A at GMEAN-1D > 1\n"),
        "title = x\nclaim = MM\n",
        "title = x\nclaim = MM : A ~ B within reach\n",
        "title = x\nheadline = no more than a subject\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nheadline = A : is {B | MM}\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nsplit = A above 2\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nsplit = A | many : B / C\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nsplit = B | 2 : B / C\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nleave-out = vecadd\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nleave-out = B : vecadd\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\nleave-out = A : matrixMul\n",
        "title = x\nsize = huge\n",
        "title = x\nsize = \033[31msmall\n",
        ("title = x\nsize = paper\nmeasure = speedup\nkernels = spmv\nviews = tiny/sass\n"
         "series = A : darsie\n"),
        "title = x\nkind = study\nkernels = vecadd\nseries = A : b\n",
        "title = x\nkind = marks\nfile = fig3.ptx\nseries = A : mark\n",
        "title = x\nkind = time\nmeasure = ipc\nkernels = vecadd\nseries = A : base\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nviews = gtx1080ty/sass\nseries = A : uv\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nsettings = sm.wraps=3\nseries = A : uv\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : uv with sm.warps=many\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : uv with size=huge\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : uv on gtx1080ty\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nbase = uw\nseries = A : uv\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : uv over uw\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : uv over base with sm.wraps=3\n",
        "title = x\nkind = settings\nseries = A : sm.warps over base\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nbase = uv with sm.wraps=3\nseries = A : uv\n",
        "title = x\nkind = settings\nbase = uv\nseries = A : sm.warps\n",
        "title = x\nmeasure = time\nprograms = VecAdd\nbase = uv\nseries = A : simtight-rfc\n",
        "title = x\nkind = settings\nseries = A : sm.wraps\n",
        "title = x\nkind = storage\nmechanism = no-such\nkernels = vecadd\nseries = A : bits\n",
        "title = x\nkind = study\nstudy = reduncy\ntable = t\nkernels = vecadd\nseries = A : b\n",
        "title = x\nkind = study\nstudy = redundancy\ntable = t\nrows = r\nfile = no.ptx\nseries = A : b\n",
    };
    struct cli c = {.t = t};
    struct strbuf all = {0};
    for (size_t i = 0; i < TEST_COUNT(files); i++) {
        lab_write(&c, "broken.exp", files[i]);
        cli_run(&c, "reproduce $D/broken.exp --out $D/out");
        CHECK_EQ(t, c.status, 1);
        CHECK(t, !cli_exists(&c, "out"));
        strbuf_printf(&all, "---\n%s--- says\n%s", files[i], cli_errors(&c));
    }
    static const char *const commands[] = {"reproduce fig88",
                                           "reproduce nothing-of-the-kind",
                                           "reproduce fig8 --size big",
                                           "reproduce fig8 --processes 0",
                                           "reproduce $D/absent.exp",
                                           "reproduce fig8 --out $D/broken.exp",
                                           "reproduce fig8 --out $D/a/b",
                                           "reproduce table2 --out /proc/nothing",
                                           "reproduce table2 --out $D/odd",
                                           "reproduce $D/ --out $D/out",
                                           "reproduce $D/table.exp --size small --out $D/table",
                                           "reproduce $D/column.exp --size small --out $D/table"};
    lab_write(&c, "table.exp",
              "title = x\nkind = study\nstudy = redundancy\ntable = workload\nkernels = vecadd\nseries = A : "
              "block\n");
    lab_write(&c, "column.exp",
              "title = x\nkind = study\nstudy = redundancy\ntable = workloads\nkernels = vecadd\nseries = A "
              ": blocks\n");
    char odd[700];
    snprintf(odd, sizeof odd, "mkdir -p %s/odd/results.db", test_directory(t));
    CHECK_EQ(t, test_command(odd, 10, NULL, NULL), 0);
    for (size_t i = 0; i < TEST_COUNT(commands); i++) {
        cli_run(&c, commands[i]);
        strbuf_printf(&all, "--- %s: status %d\n%s", commands[i], c.status, cli_errors(&c));
    }
    CHECK_GOLDEN(t, "tests/lab/broken.golden", strbuf_text(&all));
    strbuf_fini(&all);
    cli_fini(&c);
}

// Every damaged database is refused, and its bytes stay the same.
static void check_refused(struct cli *c, const char *says)
{
    size_t before_length, after_length;
    char *before = cli_read(c, "out/results.db", &before_length);
    cli_run(c, "reproduce $D/small.exp --size small --out $D/out --quiet");
    CHECK_EQ(c->t, c->status, 1);
    CHECK_HAS(c->t, c->err, says);
    char *after = cli_read(c, "out/results.db", &after_length);
    CHECK_MSG(c->t,
              before && after && before_length == after_length && memcmp(before, after, before_length) == 0,
              "the database was changed where it should say: %s", says);
    free(before);
    free(after);
}

static void change(struct test *t, const char *sql)
{
    char path[600];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/out/results.db", test_directory(t));
    CHECK(t, sqlite3_open(path, &db) == SQLITE_OK && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
}

static void test_databases(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    lab_write(&c, "small.exp", lab_experiment);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    change(t, "UPDATE meta SET value = '8' WHERE key = 'schema'");
    check_refused(&c, "has schema 8; warpfold");
    change(
        t,
        "UPDATE meta SET value = '7' WHERE key = 'schema'; UPDATE meta SET value = 'x' WHERE key = 'build'");
    check_refused(&c, "was made by a different build of warpfold (x; now ");
    change(t, "DROP TABLE meta");
    check_refused(&c, "is a database, but not of results");
    char *bytes = cli_read(&c, "out/results.db", &length);
    CHECK(t, bytes && length > 8192);
    for (size_t i = 4096; bytes && i < length; i++) bytes[i] = (char)(i * 37);
    cli_write(&c, "out/results.db", bytes, length);
    check_refused(&c, "is not a database, or a broken database");
    cli_write(&c, "out/results.db", "this is a letter, and no database at all", 40);
    check_refused(&c, "is not a database, or a broken database");
    free(bytes);
    cli_fini(&c);
}

// Two processes at once in one folder would do every run twice, so the second is refused.
static void test_lock(struct test *t)
{
    struct cli c = {.t = t};
    char path[600];
    lab_write(&c, "small.exp", lab_experiment);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out --quiet");
    CHECK_EQ(t, c.status, 0);
    snprintf(path, sizeof path, "%s/out/lock", test_directory(t));
    int lock = open(path, O_RDWR | O_CLOEXEC);
    CHECK(t, lock >= 0 && flock(lock, LOCK_EX) == 0);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out --quiet");
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, c.err, "another warpfold reproduce is at work in ");
    close(lock);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "30 runs, 30 done before");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"figures", test_figures},     {"bases", test_bases},       {"sizes", test_sizes},
        {"split", test_split},         {"left_out", test_left_out}, {"registers", test_registers},
        {"nothing", test_nothing},     {"zero", test_zero},         {"failed kernel", test_failed_kernel},
        {"part", test_part},           {"by_name", test_by_name},   {"broken_files", test_broken_files},
        {"databases", test_databases}, {"lock", test_lock}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
