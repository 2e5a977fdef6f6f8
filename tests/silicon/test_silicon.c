// `warpfold reproduce` on measured points: results, choice of points, repetition, changed settings, refused
// lists, and the page. Fails where a result differs from the run's own figures.
#include "base/csv.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "tests/silicon/list/points.csv"

// Head of a list, and a point x up to its clocks; {1} and {3} stand for parts of a clocks word.
#define CLOCKS                                                                                               \
    "point,set,card,class,application,kernel,grid,block,settings,counted,cycles,instructions,dram_reads,"    \
    "dram_writes,l2_reads,l2_writes,elsewhere,source,licence,note,script,clocks\n"                           \
    "x,clocks,tiny,memory,,,,,gpu.core_mhz={1},all,,,,,,,x.csv?a={3}#t_ms,,,,"

// silicon.csv of a folder in $D.
static struct csv read_result(struct cli *c, const char *name)
{
    struct csv csv;
    const char *why;
    size_t length = 0, line;
    char *text = cli_read(c, name, &length);
    CHECK_MSG(c->t, csv_parse(&csv, text ? text : "", length, &why, &line), "%s: %s", name, why);
    free(text);
    return csv;
}

static const char *cell(struct test *t, const struct csv *csv, const char *point, const char *column)
{
    size_t at = 0;
    CHECK_MSG(t, csv_column(csv, column, &at), "no column %s", column);
    for (size_t i = 0; i < csv->rows.count; i++)
        if (str_equal(csv->rows.data[i][0], point)) return csv->rows.data[i][at];
    CHECK_MSG(t, false, "no point %s", point);
    return "";
}

// Compares a row of silicon.csv with the launches of a run made by the test.
static void check_run(struct cli *c, const struct csv *csv, const char *point, const char *settings,
                      double each, bool last)
{
    char command[300];
    snprintf(command, sizeof command,
             "run --script tests/silicon/list/points/%s.wf --gpu tiny %s --json - --quiet", point, settings);
    cli_run(c, command);
    CHECK_EQ(c->t, c->status, 0);
    const char *from = strstr(c->out, "\"launches\": [");
    double cycles = 0, instructions = 0, all = 0;
    for (const char *p = from; p && (p = strstr(p, "\"cycles\": ")) != NULL; p++) {
        const char *executed = strstr(p, "\"warp_instructions\": ");
        if (!executed || strstr(p, "\"account\"") == NULL) break;
        cycles = strtod(p + strlen("\"cycles\": "), NULL) + (last ? 0 : cycles);
        instructions = strtod(executed + strlen("\"warp_instructions\": "), NULL) + (last ? 0 : instructions);
        all++;
    }
    CHECK(c->t, all > 0 && cycles > 0);
    double divide = each != 0 ? each : 1;
    CHECK(c->t, strtod(cell(c->t, csv, point, "cycles"), NULL) == cycles / divide);
    CHECK(c->t, strtod(cell(c->t, csv, point, "instructions"), NULL) == instructions / divide);
}

static void test_runs(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce " LIST " --out $D/out --measurements tests/silicon/list/measurements");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "over 2 of 4 points. The tuning set: ");
    CHECK_HAS(t, c.out, "7 runs, 0 done before");
    struct csv csv = read_result(&c, "out/silicon.csv");
    CHECK_EQ(t, csv.rows.count, 7);
    check_run(&c, &csv, "all", "--set sm.warps=16", 0, false);
    check_run(&c, &csv, "last", "", 0, true);
    check_run(&c, &csv, "mean", "", 2, false);
    // L2 reads by the last of three equal launches: above zero, and below 1.5 times the mean launch.
    double last = strtod(cell(t, &csv, "last", "l2_reads"), NULL),
           mean = strtod(cell(t, &csv, "mean", "l2_reads"), NULL);
    CHECK_MSG(t, last > 0 && last < 1.5 * mean, "%g sectors, in the mean of the same %g", last, mean);
    CHECK_HAS(t, cell(t, &csv, "broken", "trouble"), "no kernel 'nothing'");
    CHECK_HAS(t, cell(t, &csv, "nowhere", "trouble"), "refused: no GPU \"no-such-gpu\"");
    CHECK_STR(t, cell(t, &csv, "hidden", "card_cycles"), "333");
    CHECK(t, cli_exists(&c, "out/fidelity.md") && !cli_exists(&c, "out/paper.md"));
    csv_fini(&csv);
    // Repetition: only points without a result are run again.
    cli_run(&c, "reproduce " LIST " --out $D/out");
    CHECK_HAS(t, c.out, "7 runs, 6 done before");
    CHECK_HAS(t, c.out, "hidden: not measured: figures not redistributable");
    cli_fini(&c);
}

// Variants of a kernel are compared by rank alone. Without `:variants` in the command they are not run.
static void test_variants(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce tests/silicon/list/variants.csv:variants --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "\n4 runs, 0 done before");
    struct csv csv = read_result(&c, "out/silicon.csv");
    double few = strtod(cell(t, &csv, "few", "cycles"), NULL),
           more = strtod(cell(t, &csv, "more", "cycles"), NULL),
           slow = strtod(cell(t, &csv, "slow", "cycles"), NULL);
    CHECK_STR(t, cell(t, &csv, "few", "error"), "");
    csv_fini(&csv);
    // The card's order is more, few, slow; in simulation the slow core needs the fewest cycles.
    CHECK_MSG(t, slow < more && more < few, "%g, %g and %g cycles", slow, more, few);
    CHECK_HAS(t, c.out,
              "sums on tiny: 3 of 4 variants compared, correlation of ranks -0.500, of logarithms -0.");
    CHECK_HAS(t, c.out, "; warpfold's fastest takes 67 % longer than the card's fastest.\n");
    CHECK(t, !strstr(c.out, "The tuning set"));
    size_t length;
    char *page = cli_read(&c, "out/report.html", &length);
    CHECK_HAS(t, page, "\"point\": \"unknown\",\"card\": \"tiny\",\"cycles\": ");
    CHECK_HAS(t, page, "\"ranks\": \"sums on tiny: 3 of 4 variants");
    free(page);
    cli_run(&c, "reproduce tests/silicon/list/variants.csv --out $D/out");
    CHECK_HAS(t, c.out, "\n1 run, 0 done before");
    CHECK(t, !strstr(c.out, "How variants rank"));
    cli_fini(&c);
}

// A launch at several clocks: a point a clock, run by one script, chosen by name or as a set. Only the change
// of time is compared; the card's times follow core^-1 memory^-1.
static void test_clocks(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce tests/silicon/list/clocks.csv:clocks --out $D/out --measurements "
                "tests/silicon/list/measurements");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "\n3 runs, 0 done before");
    CHECK_HAS(t, c.out, "too much or too little in the mean of 1 launches, the memory's ");
    CHECK(t, !strstr(c.out, "The tuning set"));
    struct csv csv = read_result(&c, "out/silicon.csv");
    CHECK_STR(t, cell(t, &csv, "quick-500-1000", "card_cycles"), "4000000");
    CHECK_STR(t, cell(t, &csv, "quick-1000-2000", "card_cycles"), "2000000");
    CHECK_STR(t, cell(t, &csv, "quick-1000-2000", "error"), "");
    double slow = strtod(cell(t, &csv, "quick-500-1000", "cycles"), NULL) / 500,
           fast = strtod(cell(t, &csv, "quick-1000-1000", "cycles"), NULL) / 1000;
    csv_fini(&csv);
    char want[200];
    snprintf(want, sizeof want, "quick   tiny       3  %+.2f   -1.00", log(fast / slow) / log(2));
    CHECK_HAS(t, c.out, want);
    static const char head[] = "\"series\": \"quick\",\"card\": \"tiny\",\"clocks\": 3,\"core\": {\"ours\": ";
    size_t length;
    char *page = cli_read(&c, "out/report.html", &length), *at = page ? strstr(page, head) : NULL;
    CHECK(t, at && fabs(strtod(at + strlen(head), NULL) - log(fast / slow) / log(2)) < 1e-6);
    CHECK_HAS(t, page, "\"answers\": \"tiny: the core's clock counts ");
    free(page);
    cli_run(&c, "reproduce tests/silicon/list/clocks.csv:quick --out $D/out"); // without measurements
    CHECK_HAS(t, c.out, "\ntiny: not measured.\n");
    CHECK_HAS(t, c.out, "\n3 runs, 3 done before");
    cli_run(&c, "reproduce tests/silicon/list/clocks.csv:quick-500-1000 --out $D/out");
    CHECK_HAS(t, c.out, "quick   tiny       1     -       -       -       -\n");
    cli_run(&c, "reproduce tests/silicon/list/clocks.csv --out $D/out"); // without the set's name
    CHECK_HAS(t, c.out, "\n1 run, 0 done before");
    CHECK_HAS(t, c.out, "over 1 of 1 points.");
    CHECK(t, !strstr(c.out, "clocks, d log"));
    cli_fini(&c);
}

static void check_points(struct cli *c, const char *words, const char *names)
{
    char command[200];
    struct strbuf got = {0};
    snprintf(command, sizeof command, "reproduce " LIST ":%s --out $D/out --quiet", words);
    cli_run(c, command);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
    struct csv csv = read_result(c, "out/silicon.csv");
    for (size_t i = 0; i < csv.rows.count; i++)
        strbuf_printf(&got, "%s%s", i ? " " : "", csv.rows.data[i][0]);
    CHECK_STR(c->t, strbuf_text(&got), names);
    strbuf_fini(&got);
    csv_fini(&csv);
}

// Words of one kind widen the choice, words of different kinds narrow it.
static void test_choice(struct test *t)
{
    struct cli c = {.t = t};
    check_points(&c, "tuning", "all last mean");
    check_points(&c, "memory,compute", "all last mean second nowhere");
    check_points(&c, "second,compute,memory,tiny", "second");
    check_points(&c, "last,mean,memory", "last");
    check_points(&c, "mean " LIST ":last,mean", "mean last");
    cli_fini(&c);
}

// A point left out is not run and is reported; its result of an earlier call counts.
static void test_left_out(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce " LIST ":tuning,-last --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "last: left out, as asked");
    CHECK_HAS(t, c.out, "3 runs, 0 done before, 1 left out;");
    struct csv csv = read_result(&c, "out/silicon.csv");
    CHECK_STR(t, cell(t, &csv, "last", "cycles"), "");
    CHECK(t, atof(cell(t, &csv, "mean", "cycles")) > 0);
    csv_fini(&csv);
    cli_run(&c, "reproduce " LIST ":last --out $D/out --quiet");
    cli_run(&c, "reproduce " LIST ":-last --out $D/out");
    CHECK(t, !strstr(c.out, "left out"));
    csv = read_result(&c, "out/silicon.csv");
    CHECK(t, atof(cell(t, &csv, "last", "cycles")) > 0);
    csv_fini(&csv);
    cli_run(&c, "reproduce " LIST ":-lst --out $D/out");
    CHECK_HAS(t, c.err, "\"lst\"; did you mean \"last\"?");
    cli_fini(&c);
}

// --set follows the point's own settings, --gpu replaces its card; the output names both.
static void test_changed(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "reproduce " LIST ":all --set sm.warps=8 --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "Not as the list says: with sm.warps=8.");
    cli_run(&c, "reproduce " LIST ":all --gpu gtx1080ti --out $D/out");
    CHECK_HAS(t, c.out, "Not as the list says: on gtx1080ti.");
    sqlite3 *db = lab_open(t, "out");
    CHECK_EQ(t,
             (int)lab_query(t, db,
                            "SELECT count(*) FROM silicon WHERE changed = 'sm.warps=8' OR gpu = 'gtx1080ti'"),
             2); // each try keeps its row
    CHECK_EQ(
        t,
        (int)lab_query(t, db,
                       "SELECT value FROM configs JOIN runs USING (config) WHERE key = 'sm.warps' AND gpu = "
                       "'tiny'"),
        8);
    sqlite3_close(db);
    cli_fini(&c);
}

// A row of --measurements with settings replaces the settings of its point, too: a card of one's own has other
// clocks.
static void test_measured(struct test *t)
{
    struct cli c = {.t = t};
    static const char rows[] = "point,settings,cycles\nall,sm.warps=8,7000\nlast,,8000\n";
    cli_write(&c, "measured.csv", rows, sizeof rows - 1);
    cli_run(&c, "reproduce " LIST ":all,last --measurements $D/measured.csv --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    struct csv csv = read_result(&c, "out/silicon.csv");
    CHECK_STR(t, cell(t, &csv, "all", "settings"), "sm.warps=8");
    CHECK_STR(t, cell(t, &csv, "all", "card_cycles"), "7000");
    CHECK(t, !strstr(cell(t, &csv, "last", "settings"), "sm.warps"));
    CHECK_STR(t, cell(t, &csv, "last", "card_cycles"), "8000");
    check_run(&c, &csv, "all", "--set sm.warps=8", 0, false);
    csv_fini(&csv);
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *list, *arguments;
        int status;
        const char *says;
    } rows[] = {
        {NULL, LIST ":tunign", 1, "no point, set, card or class \"tunign\"; did you mean \"tuning\"?"},
        {NULL, LIST ":tuning,latency", 1, "no point matches every word"},
        {NULL, "fig6 --set sm.warps=8", 2, "--set is for points of silicon"},
        {NULL, LIST " --set sm.warps", 2, "--set sm.warps: write KEY=VALUE"},
        {NULL, LIST " --measurements $D/none", 1, "cannot read"},
        {NULL, LIST " --measurements $D/list.csv", 1, "fewer fields than heads"},
        {"point,settings,cycles\nall,sm.warps,7\n", LIST " --measurements $D/list.csv", 1,
         "point all: settings are KEY=VALUE words, not \"sm.warps\""},
        {"point,set\nx,tuning\n", "$D/list.csv", 1, "no column card"},
        {"", "$D/list.csv", 1, "no column point"},
        {CLOCKS ",500/1000/low 500\n", "$D/list.csv:clocks", 1,
         "point x: clocks are CORE/DRAM words, in MHz"},
        {CLOCKS ",500/1000\n", "$D/list.csv:clocks", 1, "point x: {1} to {4} are parts of the clocks' words"},
        {CLOCKS ",500/1000/1/2/3\n", "$D/list.csv:clocks", 1, "point x: clocks are CORE/DRAM words, in MHz"},
        {CLOCKS ",\n", "$D/list.csv:clocks", 1, "point x: of set clocks, and without clocks"},
        {CLOCKS ",500/1000/a 500/1000/b\n", "$D/list.csv:clocks", 1,
         "point x: a second row with the same name"},
    };
    struct cli c = {.t = t};
    cli_write(&c, "list.csv", "a,b\n1\n", 6);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        char command[300];
        if (rows[i].list) cli_write(&c, "list.csv", rows[i].list, strlen(rows[i].list));
        snprintf(command, sizeof command, "reproduce %s --out $D/out --quiet", rows[i].arguments);
        cli_run(&c, command);
        CHECK_MSG(t, c.status == rows[i].status, "%s: %d", rows[i].arguments, c.status);
        CHECK_HAS(t, c.err, rows[i].says);
        CHECK(t, !cli_exists(&c, "out"));
    }
    cli_fini(&c);
}

// A valid list with one wrong cell.
static void test_rows(struct test *t)
{
    static const char *const wrong[][3] = {
        {"all,tuning", "all,tunin", "point all: set \"tunin\": must be tuning, second, clocks"},
        {"tiny,memory", "tiny,memry", "no class \"memry\""},
        {"sm.warps=16,all", "sm.warps,all", "settings are KEY=VALUE words"},
        {"sm.warps=16,all", "sm.warps=16,some", "counted \"some\": must be all, last or mean"},
        {",1000,600", ",many,600", "cycles \"many\" is no measured number"},
        {"last,tuning", "all,tuning", "point all: a second row with the same name"},
        {"all,tuning", "../all,tuning", "a point's name is letters"}};
    struct cli c = {.t = t};
    char *list;
    CHECK_EQ(t, test_command("cat " LIST, 5, &list, NULL), 0);
    for (size_t i = 0; i < TEST_COUNT(wrong); i++) {
        struct strbuf text = {0};
        char *at = strstr(list, wrong[i][0]);
        strbuf_write(&text, list, (size_t)(at - list));
        strbuf_printf(&text, "%s%s", wrong[i][1], at + strlen(wrong[i][0]));
        cli_write(&c, "list.csv", text.text, text.length);
        cli_run(&c, "reproduce $D/list.csv --out $D/out");
        CHECK_EQ(t, c.status, 1);
        CHECK_HAS(t, c.err, wrong[i][2]);
        strbuf_fini(&text);
    }
    free(list);
    cli_fini(&c);
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)) != NULL; text++) n++;
    return n;
}

// The page of points alone: a mark for each compared point, in different styles for the two sets.
static void test_drawn(struct test *t)
{
    if (!test_has_tool("chromium")) {
        test_skip_tool(t, "chromium");
        return;
    }
    struct cli c = {.t = t};
    char command[900], *out;
    const char *folder = test_directory(t);
    cli_run(&c, "reproduce " LIST " --measurements tests/silicon/list/measurements --quiet --out $D/out");
    CHECK_EQ(t, c.status, 0);
    snprintf(command, sizeof command,
             "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
             "--disable-component-update --disable-sync --user-data-dir=%s/profile --dump-dom "
             "file://%s/out/report.html",
             folder, folder);
    CHECK_EQ(t, test_command(command, 60, &out, NULL), 0);
    CHECK_HAS(t, out, "data-ready=\"yes\"");
    const char *drawing = strstr(out, "aria-label=\"simulated against measured cycles\""),
               *tuning = strstr(out, "aria-description=\"tuning set\""),
               *second = strstr(out, "aria-description=\"second set\"");
    CHECK(t, drawing && tuning && second && tuning < second);
    if (tuning && second) {
        char *first = strndup(tuning, (size_t)(second - tuning)), *rest = strndup(second, 4000);
        char *end = strstr(rest, "</g>");
        if (end) *end = 0;
        CHECK_EQ(t, count(first, "<circle"), 3);
        CHECK_EQ(t, count(rest, "<circle"), 2);
        free(first);
        free(rest);
    }
    CHECK_HAS(t, out, "broken: </b>");
    free(out);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"runs", test_runs},         {"clocks", test_clocks},
                                             {"variants", test_variants}, {"choice", test_choice},
                                             {"left_out", test_left_out}, {"changed", test_changed},
                                             {"measured", test_measured}, {"refused", test_refused},
                                             {"rows", test_rows},         {"drawn", test_drawn}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
