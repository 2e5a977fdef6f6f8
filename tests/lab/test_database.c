// Results without the usual members: the run has a row, with NULL for figures the result lacks.
#include "harness/test.h"
#include "lab/database.h"

#include <string.h>

static const char build[] = "0123456789abcdef";

static bool add(struct database *db, const char *kind, const char *text)
{
    struct job j = {.id = "3e2a588bdd06374a", .command = "bench bfs", .kind = kind, .subject = "bfs"};
    struct arena arena;
    const char *why;
    size_t offset;
    arena_init(&arena);
    const struct json_value *v = json_parse(text, strlen(text), &arena, &why, &offset);
    bool good = v && database_add_run(db, &j, v);
    arena_fini(&arena);
    return good;
}

static int64_t number(struct database *db, const char *sql)
{
    sqlite3_stmt *s = database_query(db, sql, "");
    int64_t value = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_finalize(s);
    return value;
}

static void test_missing(struct test *t)
{
    static const struct {
        const char *kind, *text, *sql; // sql: gives 1 afterwards
    } rows[] = {
        {"bench", "{}", "SELECT count(*) FROM runs WHERE status = 'failed' AND cycles IS NULL"},
        {"bench", "{\"config\": [{\"x\": 1}]}", "SELECT count(*) FROM runs WHERE config IS NULL"},
        {"bench", "{\"config\": {}}", "SELECT count(*) FROM runs WHERE config IS NOT NULL"},
        {"mix", "{}", "SELECT count(*) FROM runs WHERE status = 'failed'"},
        {"study", "[]", "SELECT count(*) FROM runs WHERE status = 'failed'"},
        {"mark", "null", "SELECT count(*) FROM runs WHERE status = 'ok'"},
        {"run", "{\"launches\": [{}]}", "SELECT launches FROM runs"},
        {"program", "{\"host\": {\"console\": 1}}", "SELECT count(*) FROM runs WHERE status = 'failed'"},
        {"bench", "{\"workloads\": [{\"outcome\": \"yes\", \"storage\": [{\"tech\": \"darsie\"}]}]}",
         "SELECT count(*) FROM storage WHERE tech = 'darsie' AND structure IS NULL AND in_paper = 0"},
        {"bench", "{\"workloads\": [{\"outcome\": \"yes\", \"samples\": [{\"counters\": {\"x\": 1}}]}]}",
         "SELECT count(*) FROM samples WHERE counter = 'x'"},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct database db;
        struct diag d;
        struct strbuf said = {0};
        diag_init(&d);
        CHECK(t, database_open(&db, ":memory:", build, &d));
        bool good = add(&db, rows[i].kind, rows[i].text);
        diag_format(&d, false, &said);
        CHECK_MSG(t, good, "%s %s: %s", rows[i].kind, rows[i].text, strbuf_text(&said));
        CHECK_MSG(t, number(&db, rows[i].sql) == 1, "%s %s", rows[i].kind, rows[i].text);
        database_close(&db);
        strbuf_fini(&said);
        diag_fini(&d);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"missing", test_missing}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
