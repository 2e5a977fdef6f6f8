// tools/csv-table: a row a series and a column a category, of one view; a missing view is named in the error.
#include "base/str.h"
#include "cli/cli.h"

static const char csv[] = "gpu,profile,category,series,value,paper,run,base\n"
                          "big,sass,MM,plain,1.234,,a,b\n"
                          "big,sass,BP,plain,0.5,1.1,a,b\n"
                          "big,sass,MM,\"both, late\",2,,a,b\n"
                          "big,volta,MM,plain,9,,a,b\n"
                          "big,volta,BP,plain,yes,,a,b\n";

// Runs the tool on `csv` with `arguments` after the file's name.
static void csv_table(struct cli *c, const char *arguments)
{
    struct strbuf command = {0};
    cli_fini(c);
    cli_write(c, "one.csv", csv, sizeof csv - 1);
    strbuf_printf(&command, "tools/csv-table %s/one.csv %s", test_directory(c->t), arguments);
    c->status = test_command(command.text, 20, &c->out, &c->err);
    strbuf_fini(&command);
}

static void test_view(struct test *t)
{
    struct cli c = {.t = t};
    csv_table(&c, "big sass");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, c.out, "| | MM | BP |\n|---|---:|---:|\n| plain | 1.23 | 0.50 |\n| both, late | 2.00 | |\n");
    csv_table(&c, "big volta %.1f 100");
    CHECK_STR(t, c.out, "| | MM | BP |\n|---|---:|---:|\n| plain | 900.0 | yes |\n");
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    struct cli c = {.t = t};
    csv_table(&c, "small sass");
    CHECK_EQ(t, c.status, 1);
    CHECK_STR(t, c.out, "");
    CHECK_HAS(t, c.err, "one.csv has no view small/sass");
    csv_table(&c, "big");
    CHECK_EQ(t, c.status, 2);
    CHECK_HAS(t, c.err, "tools/csv-table FILE.csv GPU PROFILE");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"view", test_view}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
