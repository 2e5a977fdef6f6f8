// `warpfold compare`: differences of two results, the largest first, and nothing else.
#include "cli/cli.h"

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

static void test_changes(struct test *t)
{
    struct cli c = {.t = t};
    write_text(&c, "a.json", a);
    write_text(&c, "b.json", b);
    cli_run(&c, "compare $D/a.json $D/b.json");
    CHECK_EQ(t, c.status, 0);
    static const char *const order[] = {
        "sm.warps",      "mm cycles", "-1.0%",
        "mm sm.l1.hits", "+50.0%",    "1,234,568",
        "+0.0%",         "mm gone",   "4 figures differ, 2 are equal, 1 setting differs\n"};
    const char *p = c.out;
    for (size_t i = 0; i < TEST_COUNT(order); i++) {
        const char *at = strstr(p, order[i]);
        CHECK_MSG(t, at != NULL, "no %s there in\n%s", order[i], c.out);
        if (at) p = at;
    }
    CHECK(t, !strstr(c.out, "wall_seconds") && !strstr(c.out, "zero") && !strstr(c.out, "exec.warps"));
    cli_run(&c, "compare $D/a.json $D/a.json");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, c.out, "0 figures differ, 6 are equal, 0 settings differ\n");
    cli_fini(&c);
}

// Results of warpfold itself: two runs of the same are equal, whatever the clock said.
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
              "error: $D/a.json is warpfold.bench/1, and $D/run.json is warpfold.run/1: only like can be "
              "compared\n");
    cli_run(&c, "compare $D/other.json $D/a.json");
    CHECK_STR(t, cli_errors(&c), "error: $D/other.json is no result of warpfold: write one with --json\n");
    cli_run(&c, "compare $D/broken.json $D/a.json");
    CHECK_EQ(t, c.status, 1);
    CHECK_STR(t, cli_errors(&c),
              "$D/broken.json:2:11: error: no JSON: a value is expected here\n      \"a\": [1,]\n"
              "              ^\n");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"changes", test_changes}, {"runs", test_runs}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
