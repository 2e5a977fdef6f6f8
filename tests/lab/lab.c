#include "lab/lab.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char lab_experiment[] = "title = a test\n"
                              "kind = runs\n"
                              "measure = speedup\n"
                              "kernels = vecadd\n"
                              "  matrixMul reduction\n"
                              "views = tiny/sass tiny/ptxplus\n"
                              "series = DARSIE : darsie\n"
                              "series = ports : darsie:read-ports=1\n"
                              "series = absent : no-such-mechanism\n"
                              "series = LRR : base with issue.scheduler=lrr\n"
                              "paper = DARSIE | MM = 130%\n"
                              "expect = nothing\n";

void lab_write(struct cli *c, const char *name, const char *experiment)
{
    cli_write(c, name, experiment, strlen(experiment));
}

sqlite3 *lab_open(struct test *t, const char *folder)
{
    char path[600];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/%s/results.db", test_directory(t), folder);
    CHECK_MSG(t, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, "no %s", path);
    return db;
}

double lab_query(struct test *t, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    CHECK_MSG(t, sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    double value = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : NAN;
    sqlite3_finalize(s);
    return value;
}

static void add_rows(sqlite3 *db, const char *table, struct strbuf *out)
{
    sqlite3_stmt *s = NULL;
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table); // tables WITHOUT ROWID: rows in order of the key
    sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        strbuf_puts(out, table);
        for (int i = 0; i < sqlite3_column_count(s); i++)
            if (!str_starts_with(sqlite3_column_name(s, i), "wall_")) {
                const char *text = (const char *)sqlite3_column_text(s, i);
                strbuf_printf(out, "|%s", text ? text : "-");
            }
        strbuf_putc(out, '\n');
    }
    sqlite3_finalize(s);
}

char *lab_dump(struct test *t, const char *folder)
{
    struct strbuf out = {0};
    sqlite3 *db = lab_open(t, folder);
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", -1, &s, NULL);
    while (s && sqlite3_step(s) == SQLITE_ROW) add_rows(db, (const char *)sqlite3_column_text(s, 0), &out);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return out.text ? out.text : strdup("");
}

char *lab_clean(struct cli *c)
{
    lab_write(c, "small.exp", lab_experiment);
    cli_run(c, "reproduce $D/small.exp --size small --out $D/clean --quiet");
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
    char *clean = lab_dump(c->t, "clean");
    CHECK(c->t, strlen(clean) > 10000);
    return clean;
}

void lab_check_refused(struct test *t, const char *head, const struct lab_refused *rows, size_t count)
{
    struct cli c = {.t = t};
    for (size_t k = 0; k < count; k++) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s%s", head, rows[k].lines);
        cli_write(&c, "x.exp", text.text, text.length);
        cli_run(&c, "reproduce $D/x.exp --size small --out $D/refused");
        CHECK_EQ(t, c.status, 1);
        CHECK_HAS(t, c.err, rows[k].error);
        strbuf_fini(&text);
    }
    cli_fini(&c);
}
