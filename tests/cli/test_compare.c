// `warpfold compare`: differences of two results, largest first. Fails where a difference is missing
// or a wall-clock figure counts.
#include "base/str.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void write_text(struct cli *c, const char *name, const char *text)
{
    cli_write(c, name, text, strlen(text));
}

static const char a[] =
    "{\"schema\": \"warpfold.bench/1\", \"wall_seconds\": 1, \"config\": {\"sm.warps\": 64, \"simt\": "
    "\"splits\"}, \"workloads\": [{\"workload\": \"mm\", \"cycles\": 1000, \"wall_seconds\": 3, "
    "\"counters\": {\"sm.l1.hits\": 10, \"sm.l1.misses\": 1234567, \"exec.warps\": 8, \"gone\": 3}}]}";
static const char b[] =
    "{\"schema\": \"warpfold.bench/1\", \"wall_seconds\": 2, \"config\": {\"sm.warps\": 32, \"simt\": "
    "\"splits\"}, \"workloads\": [{\"workload\": \"mm\", \"cycles\": 990, \"wall_seconds\": 4, "
    "\"counters\": {\"sm.l1.hits\": 15, \"sm.l1.misses\": 1234568, \"exec.warps\": 8, \"zero\": 0}}]}";

// stdout with $D in place of the case's folder, for comparison. Columns are as wide as the folder's name, so
// runs of blanks in a row become one blank.
static const char *cli_output(struct cli *c)
{
    struct strbuf out = {0};
    const char *folder = test_directory(c->t);
    for (const char *p = c->out; *p;) {
        if (str_starts_with(p, folder)) {
            strbuf_puts(&out, "$D");
            p += strlen(folder);
        } else if (*p == ' ' || *p == '-') {
            strbuf_putc(&out, *p);
            p += p[1] == *p ? strspn(p, p[0] == ' ' ? " " : "-") : 1;
        } else
            strbuf_putc(&out, *p++);
    }
    free(c->out);
    return c->out = out.text;
}

static void test_changes(struct test *t)
{
    struct cli c = {.t = t};
    write_text(&c, "a.json", a);
    write_text(&c, "b.json", b);
    struct strbuf other = {0}; // of another kernel
    strbuf_puts(&other, a);
    memcpy(strstr(other.text, "\"mm\""), "\"xx\"", 4);
    write_text(&c, "other.json", other.text);
    strbuf_fini(&other);
    cli_run(&c, "compare $D/a.json $D/b.json");
    CHECK_EQ(t, c.status, 0);
    CHECK_GOLDEN(t, "tests/cli/compare.golden", cli_output(&c));
    cli_run(&c, "compare $D/a.json $D/a.json");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, c.out, "0 figures differ, 6 are equal, 0 settings differ\n");
    cli_run(&c, "compare $D/a.json $D/other.json");
    CHECK_HAS(t, c.out, "10 figures differ (5 only in the first, 5 only in the second), 0 are equal");
    cli_fini(&c);
}

// Two runs of the same command are equal, regardless of wall-clock figures.
static void test_runs(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "bench matrixMul --size small --json $D/1.json --quiet");
    cli_run(&c, "bench matrixMul --size small --json $D/2.json --quiet");
    cli_run(&c, "bench matrixMul --size small --set shared.latency=100 --json $D/3.json --quiet");
    cli_run(&c, "compare $D/1.json $D/2.json");
    CHECK_HAS(t, c.out, "0 figures differ");
    cli_run(&c, "compare $D/1.json $D/3.json");
    CHECK_HAS(t, c.out, "shared.latency");
    CHECK_HAS(t, c.out, "matrixMul cycles");
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    struct cli c = {.t = t};
    write_text(&c, "a.json", a);
    write_text(&c, "run.json", "{\"schema\": \"warpfold.run/1\"}");
    write_text(&c, "other.json", "{\"x\": 1}");
    write_text(&c, "broken.json", "{\n  \"a\": [1,]\n}");
    cli_run(&c, "compare $D/a.json $D/run.json");
    CHECK_EQ(t, c.status, 1);
    CHECK_STR(t, cli_errors(&c),
              "error: $D/a.json is warpfold.bench/1, and $D/run.json is warpfold.run/1: give two results of "
              "the same command\n");
    cli_run(&c, "compare $D/other.json $D/a.json");
    CHECK_STR(t, cli_errors(&c),
              "error: $D/other.json is not a result of warpfold: write a result with --json\n");
    write_text(&c, "empty.json", "");
    cli_run(&c, "compare $D/a.json $D/empty.json");
    CHECK_STR(t, cli_errors(&c), "$D/empty.json:1:1: error: not valid JSON: expected a value\n    \n    ^\n");
    cli_run(&c, "compare $D/a.json $D/absent.json");
    CHECK_STR(t, cli_errors(&c), "error: cannot read $D/absent.json: No such file or directory\n");
    cli_run(&c, "compare $D/a.json");
    CHECK_EQ(t, c.status, 2);
    cli_run(&c, "compare $D/broken.json $D/a.json");
    CHECK_EQ(t, c.status, 1);
    CHECK_STR(t, cli_errors(&c),
              "$D/broken.json:2:11: error: not valid JSON: expected a value\n      \"a\": [1,]\n"
              "              ^\n");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"changes", test_changes}, {"runs", test_runs}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
