// Measures as expressions: values against SQL of the test's own, and refused names with the nearest known name.
#include "lab/lab.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *measure, *sql; // of runs r and b
} rows[] = {{"l2.misses / instructions",
             "1.0 * (SELECT value FROM counters WHERE run = r.id AND name = 'memory.l2_misses') / "
             "r.warp_instructions"},
            {"100 * (cycles - base.cycles) / base.cycles", "100.0 * (r.cycles - b.cycles) / b.cycles"},
            {"-energy_pj/1e6 + 2", "-r.energy_pj / 1e6 + 2"},
            {"cycles / gpu.core_mhz",
             "1.0 * r.cycles / (SELECT value FROM configs WHERE config = r.config AND key = "
             "'gpu.core_mhz')"},
            {"ipc * cycles", "r.warp_instructions"}};

static void test_values(struct test *t)
{
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        char text[600], sql[900];
        snprintf(text, sizeof text,
                 "title = t\nkind = runs\nmeasure = %s\nviews = tiny/sass\nkernels = vecadd reduction\n"
                 "series = LRR : base with issue.scheduler=lrr\n",
                 rows[i].measure);
        lab_write(&c, "m.exp", text);
        cli_run(&c, "reproduce $D/m.exp --size small --out $D/m");
        CHECK_MSG(t, c.status == 0, "%s: %s", rows[i].measure, c.err);
        sqlite3 *db = lab_open(t, "m");
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM points p JOIN runs r ON r.id = p.run JOIN runs b ON b.id = p.base WHERE "
            "abs(p.value - (%s)) < 1e-9 * abs(p.value)",
            rows[i].sql);
        CHECK_EQ(t, lab_query(t, db, sql), 2);
        sqlite3_close(db);
    }
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *measure, *error;
    } refused[] = {{"speedupp", "no measure \"speedupp\"; did you mean \"speedup\"?"},
                   {"l2.mises / instructions", "no measure, counter or key \"l2.mises\""},
                   {"l2.miss / cycles", "did you mean \"l2.misses\"?"},
                   {"memory.l2_mises / cycles", "did you mean \"memory.l2_misses\"?"},
                   {"cycles / base.speedup", "base.speedup is no figure of a run"},
                   {"cycles / (2", "a bracket is not closed"},
                   {"cycles + ", "a name, a number or a bracket is missing"}};
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(refused); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "title = t\nkind = runs\nmeasure = %s\nkernels = vecadd\nseries = b : base\n",
                 refused[i].measure);
        lab_write(&c, "m.exp", text);
        cli_run(&c, "reproduce $D/m.exp --size small --out $D/no");
        CHECK_EQ(t, c.status, 1);
        CHECK_HAS(t, c.err, refused[i].error);
    }
    cli_run(&c, "list measures");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "speedup");
    CHECK_HAS(t, c.out, "thread_instructions");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"values", test_values}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
