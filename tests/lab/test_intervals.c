// An experiment of sampled runs: half-widths in the database and behind values and means of the table. The values of
// the same experiment without sampling lie inside.
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY                                                                                                 \
    "title = x\nkind = runs\nmeasure = speedup\nkernels = bitonicSort floydWarshall\n"                       \
    "views = tiny/sass\nseries = DARSIE : darsie\n"

// The first number, and the number behind ±, of the table's line that begins with `name`.
static void read_row(struct test *t, const char *out, const char *name, double *value, double *half)
{
    const char *row = strstr(out, name), *between = row ? strstr(row, " \u00b1 ") : NULL;
    const char *end = row ? strchr(row + 1, '\n') : NULL;
    *value = row ? strtod(row + strlen(name), NULL) : NAN;
    *half = between && between < end ? strtod(between + strlen(" \u00b1 "), NULL) : 0;
    CHECK_MSG(t, row, "no row %s in\n%s", name, out);
}

static void test_experiment(struct test *t)
{
    static const char *const rows[] = {"\nFWS", "\nbitonicSort", "\nGMEAN-2D", "\nGMEAN"};
    struct cli whole = {.t = t}, part = {.t = t};
    double value, half, estimate, of_part;
    unsigned estimated = 0;
    cli_write(&whole, "whole.exp", BODY, strlen(BODY));
    cli_write(&whole, "part.exp", BODY "settings = sample=launches\n",
              strlen(BODY "settings = sample=launches\n"));
    cli_run(&whole, "reproduce $D/whole.exp --size small --out $D/whole");
    CHECK_MSG(t, whole.status == 0, "%s", whole.err);
    cli_run(&part, "reproduce $D/part.exp --size small --out $D/part");
    CHECK_MSG(t, part.status == 0, "%s", part.err);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        if (!strstr(whole.out, rows[i])) continue;
        read_row(t, whole.out, rows[i], &value, &half);
        read_row(t, part.out, rows[i], &estimate, &of_part);
        CHECK(t, half == 0);
        estimated += of_part > 0;
        CHECK_MSG(t, fabs(value - estimate) <= of_part + 0.001, "%s: %g, not %g +- %g", rows[i], estimate,
                  value, of_part);
    }
    CHECK(t, estimated >= 2); // a kernel and the mean
    sqlite3 *db = lab_open(t, "part");
    CHECK(t, lab_query(t, db, "SELECT count(*) FROM intervals WHERE figure = 'cycles' AND half > 0") >= 2);
    CHECK(t, lab_query(t, db,
                       "SELECT count(*) FROM intervals WHERE figure LIKE 'exec.%' AND run IN (SELECT id FROM "
                       "runs WHERE tech = 'base')") == 0);
    sqlite3_close(db);
    cli_fini(&whole);
    cli_fini(&part);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"experiment", test_experiment}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
