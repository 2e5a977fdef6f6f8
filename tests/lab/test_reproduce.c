// `warpfold reproduce` from outside: the database holds what the runs gave, whatever interrupts them; the
// figures follow from it by plain SQL; and what cannot be used is refused and left as it is.
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char small[] = "title = a test\n"
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

static void write_experiment(struct cli *c, const char *name, const char *text)
{
    cli_write(c, name, text, strlen(text));
}

static void add_rows(sqlite3 *db, const char *table, struct strbuf *out)
{
    sqlite3_stmt *s = NULL;
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table); // tables without rowid: in order of their key
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

static sqlite3 *open_database(struct test *t, const char *folder)
{
    char path[600];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/%s/results.db", test_directory(t), folder);
    CHECK(t, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
    return db;
}

// Everything in the database but wall-clock columns. Heap.
static char *dump(struct test *t, const char *folder)
{
    struct strbuf out = {0};
    sqlite3 *db = open_database(t, folder);
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", -1, &s, NULL);
    while (s && sqlite3_step(s) == SQLITE_ROW) add_rows(db, (const char *)sqlite3_column_text(s, 0), &out);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return out.text ? out.text : strdup("");
}

static double query(struct test *t, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    CHECK_MSG(t, sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
    double value = s && sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : NAN;
    sqlite3_finalize(s);
    return value;
}

// Three figures over again, from table `runs` alone and without warpfold's own SQL.
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
        strbuf_puts(&text, small);
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
        sqlite3 *db = open_database(t, folder);
        strbuf_clear(&sql);
        strbuf_printf(
            &sql,
            "SELECT count(*) FROM points JOIN runs own ON own.id = points.run JOIN runs base ON base.subject "
            "= own.subject AND base.profile = own.profile AND base.tech = 'base' AND base.settings = '' "
            "WHERE own.status = 'ok' AND abs(points.value - %s) < 1e-12",
            figures[i][1]);
        CHECK_EQ(t, (int)query(t, db, sql.text), 18); // 3 kernels, 2 views, 3 series that can run
        CHECK_EQ(t, (int)query(t, db, "SELECT count(*) FROM points WHERE value IS NULL"),
                 8); // 3 kernels and the mean
        CHECK_EQ(t, (int)query(t, db, "SELECT count(*) FROM runs"), 30);
        CHECK_EQ(t, (int)query(t, db, "SELECT count(*) FROM runs WHERE status = 'refused'"), 6);
        CHECK(t, query(t, db, "SELECT paper FROM points WHERE category = 'MM' AND series = 'DARSIE'") == 1.3);
        // Provenance: every run says what it was, and its settings are there.
        CHECK_EQ(
            t,
            (int)query(t, db,
                       "SELECT count(*) FROM runs JOIN configs USING (config) WHERE status = 'ok' AND key = "
                       "'compile.profile' AND value = profile AND length(kernel_hash) = 16"),
            24);
        sqlite3_close(db);
        strbuf_fini(&text);
        strbuf_fini(&sql);
    }
    cli_fini(&c);
}

// -- interruptions
// ------------------------------------------------------------------------------------------------------

// Starts it, and ends it with a signal after a while; false when it ended by itself.
static bool start_and_kill(struct test *t, const char *arguments, int signal, unsigned milliseconds)
{
    char command[1200];
    snprintf(command, sizeof command, "exec %s %s >/dev/null 2>&1", test_binary(), arguments);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    nanosleep(&(struct timespec){milliseconds / 1000, (long)(milliseconds % 1000) * 1000000}, NULL);
    kill(child, signal);
    int status;
    waitpid(child, &status, 0);
    CHECK_MSG(t, WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "status %d after signal %d", status,
              signal);
    return WIFSIGNALED(status);
}

static void test_interrupted(struct test *t)
{
    struct cli c = {.t = t};
    char arguments[700];
    write_experiment(&c, "small.exp", small);
    const char *folder = test_directory(t);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/clean --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *clean = dump(t, "clean");
    CHECK(t, strlen(clean) > 10000);
    struct rng r;
    rng_init(&r, test_seed(7));
    unsigned rounds = test_is_long() ? 20 : test_is_quick() ? 1 : 3, interrupted = 0;
    for (unsigned round = 0; round < rounds; round++) {
        static const int signals[] = {SIGKILL, SIGINT, SIGTERM};
        char out[20];
        snprintf(out, sizeof out, "out%u", round);
        snprintf(arguments, sizeof arguments,
                 "reproduce %s/small.exp --size small --out %s/%s --quiet --processes %u", folder, folder,
                 out, 1 + round % 3);
        for (unsigned again = 0; again < 6; again++)
            interrupted +=
                start_and_kill(t, arguments, signals[rng_next(&r) % 3], 5 + (unsigned)(rng_next(&r) % 60));
        struct strbuf finish = {0};
        strbuf_printf(&finish, "reproduce $D/small.exp --size small --out $D/%s --quiet", out);
        cli_run(&c, finish.text);
        strbuf_fini(&finish);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        char *got = dump(t, out);
        CHECK_MSG(t, strcmp(got, clean) == 0, "round %u differs from the clean run", round);
        free(got);
    }
    CHECK(t, interrupted > rounds);
    free(clean);
    cli_fini(&c);
}

// What a run left before we were killed is taken as it is; what it had not finished writing is not. And a
// run's command, given again in the results' folder, gives what the database has.
static void test_left_over(struct test *t)
{
    struct cli c = {.t = t};
    char id[20] = "", words[400] = "", command[1600], *clean, *got;
    const char *folder = test_directory(t);
    write_experiment(&c, "small.exp", small);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/clean --quiet");
    clean = dump(t, "clean");
    sqlite3 *db = open_database(t, "clean");
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT id, command FROM runs WHERE tech = 'darsie' AND subject = 'matrixMul'", -1,
                       &s, NULL);
    if (sqlite3_step(s) == SQLITE_ROW) {
        snprintf(id, sizeof id, "%s", (const char *)sqlite3_column_text(s, 0));
        snprintf(words, sizeof words, "%s", (const char *)sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    static const char *const endings[] = {"; true", "; truncate -s 500 runs/*.json",
                                          "; mv runs/*.json runs/x.json.1.part"};
    for (unsigned i = 0; i < TEST_COUNT(endings); i++) {
        char out[20], arguments[120];
        snprintf(out, sizeof out, "out%u", i);
        snprintf(command, sizeof command,
                 "mkdir -p %s/%s/runs; cd %s/%s; %s %s --json runs/%s.json --quiet%s", folder, out, folder,
                 out, test_binary(), words, id, endings[i]);
        CHECK_EQ(t, test_command(command, 60, NULL, NULL), 0);
        snprintf(arguments, sizeof arguments, "reproduce $D/small.exp --size small --out $D/%s", out);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        CHECK_HAS(t, c.out, i == 0 ? "30 runs, 1 of them done before" : "30 runs, 0 of them done before");
        got = dump(t, out);
        CHECK_MSG(t, strcmp(got, clean) == 0, "case %u differs from the clean run", i);
        free(got);
        snprintf(command, sizeof command, "ls %s/%s/runs | grep -c .", folder, out);
        CHECK_EQ(t, test_command(command, 10, NULL, NULL), 1); // nothing is left there
    }
    free(clean);
    cli_fini(&c);
}

// A disk that is full at different moments: files may not grow beyond a limit.
static void test_full_disk(struct test *t)
{
    struct cli c = {.t = t};
    write_experiment(&c, "small.exp", small);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/clean --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *clean = dump(t, "clean"), command[1500], *err;
    const char *folder = test_directory(t);
    static const unsigned limits[] = {0, 8, 40, 100, 200, 400}; // of 512 bytes
    unsigned failed = 0;
    for (size_t i = 0; i < TEST_COUNT(limits); i++) {
        snprintf(command, sizeof command,
                 "trap '' XFSZ; ulimit -f %u; %s reproduce %s/small.exp --size small --out %s/full --quiet",
                 limits[i], test_binary(), folder, folder);
        int status = test_command(command, 60, NULL, &err);
        CHECK_MSG(t, status == 0 || (status == 1 && strstr(err, "error: ")), "limit %u: status %d, %s",
                  limits[i], status, err);
        failed += status == 1;
        free(err);
    }
    CHECK(t, failed >= 3);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/full --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *got = dump(t, "full");
    CHECK_MSG(t, strcmp(got, clean) == 0, "what a full disk left differs from the clean run");
    free(got);
    free(clean);
    cli_fini(&c);
}

// -- what is refused
// -----------------------------------------------------------------------------------------------------

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
        "title = x\nviews = gtx1080ti\n",
        "title = x\nseries = DARSIE\n",
        "title = x\nseries = A : darsie\npaper = A = 3\n",
        "title = x\nmeasure = speedup\nkernels = vecadd\nseries = A : darsie\npaper = B | GMEAN = 3\n",
        "title = x\nsize = huge\n",
        "title = x\nkind = study\nkernels = vecadd\nseries = A : b\n",
    };
    struct cli c = {.t = t};
    struct strbuf all = {0};
    for (size_t i = 0; i < TEST_COUNT(files); i++) {
        write_experiment(&c, "broken.exp", files[i]);
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
                                           "reproduce fig8 --out $D/a/b"};
    for (size_t i = 0; i < TEST_COUNT(commands); i++) {
        cli_run(&c, commands[i]);
        strbuf_printf(&all, "--- %s: status %d\n%s", commands[i], c.status, cli_errors(&c));
    }
    CHECK_GOLDEN(t, "tests/lab/broken.golden", strbuf_text(&all));
    strbuf_fini(&all);
    cli_fini(&c);
}

// Every one of these databases is refused, and has the same bytes afterwards.
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
    write_experiment(&c, "small.exp", small);
    cli_run(&c, "reproduce $D/small.exp --size small --out $D/out --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    change(t, "UPDATE meta SET value = '7' WHERE key = 'schema'");
    check_refused(&c, "has schema 7; this is warpfold");
    change(
        t,
        "UPDATE meta SET value = '1' WHERE key = 'schema'; UPDATE meta SET value = 'x' WHERE key = 'build'");
    check_refused(&c, "was made by another build of warpfold (x; this is ");
    change(t, "DROP TABLE meta");
    check_refused(&c, "is a database, but not of results");
    char *bytes = cli_read(&c, "out/results.db", &length);
    CHECK(t, bytes && length > 8192);
    for (size_t i = 4096; bytes && i < length; i++) bytes[i] = (char)(i * 37);
    cli_write(&c, "out/results.db", bytes, length);
    check_refused(&c, "is no database, or a broken one");
    cli_write(&c, "out/results.db", "this is a letter, and no database at all", 40);
    check_refused(&c, "is no database, or a broken one");
    free(bytes);
    cli_fini(&c);
}

// Two at once in one folder would do every run twice.
static void test_lock(struct test *t)
{
    struct cli c = {.t = t};
    char path[600];
    write_experiment(&c, "small.exp", small);
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
    CHECK_HAS(t, c.out, "30 runs, 30 of them done before");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"figures", test_figures},
                                             {"interrupted", test_interrupted},
                                             {"left_over", test_left_over},
                                             {"full_disk", test_full_disk},
                                             {"broken_files", test_broken_files},
                                             {"databases", test_databases},
                                             {"lock", test_lock}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
