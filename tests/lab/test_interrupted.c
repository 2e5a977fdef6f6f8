// `warpfold reproduce` interrupted at random moments. Fails where the same command, given again, ends with
// other results than one clean run. Moments are drawn over the processor time, or the disk space, of a clean
// run: twenty of each kind in the long form, a few in the short form.
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "lab/lab.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned moments(void) { return test_is_long() ? 20 : test_is_quick() ? 1 : 2; }

static void check_same(struct test *t, const char *folder, const char *clean, const char *what,
                       unsigned moment)
{
    char *got = lab_dump(t, folder);
    CHECK_MSG(t, strcmp(got, clean) == 0, "%s, moment %u: the database is not that of a clean run", what,
              moment);
    free(got);
}

// One process or several: equal databases and equal output files.
static void test_twice(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const files[] = {"report.html", "paper.md", "small.csv"};
    char *clean = lab_clean(&c);
    for (unsigned processes = 1; processes <= 5; processes += 2) {
        char arguments[120];
        snprintf(arguments, sizeof arguments,
                 "reproduce $D/small.exp --size small --out $D/%u --processes %u --quiet", processes,
                 processes);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        snprintf(arguments, sizeof arguments, "%u", processes);
        check_same(t, arguments, clean, "processes", processes);
        for (size_t i = 0; i < TEST_COUNT(files); i++) {
            char path[2][40];
            size_t length[2];
            snprintf(path[0], sizeof path[0], "clean/%s", files[i]);
            snprintf(path[1], sizeof path[1], "%u/%s", processes, files[i]);
            char *a = cli_read(&c, path[0], &length[0]), *b = cli_read(&c, path[1], &length[1]);
            CHECK_MSG(t, a && b && length[0] == length[1] && memcmp(a, b, length[0]) == 0,
                      "%s differs with %u processes", files[i], processes);
            free(a);
            free(b);
        }
    }
    free(clean);
    cli_fini(&c);
}

// All of the paper's experiments on small inputs, with one process and with three. Three figures, with
// means, are recomputed in plain SQL.
static void test_paper(struct test *t)
{
    if (!test_is_long()) return;
    char command[1400], *one;
    for (unsigned processes = 1; processes <= 3; processes += 2) {
        snprintf(command, sizeof command,
                 "%s reproduce darsie --size small --quiet --out %s/%u --processes %u", test_binary(),
                 test_directory(t), processes, processes);
        CHECK_EQ(t, test_command(command, 1200, NULL, NULL), 0);
    }
    one = lab_dump(t, "1");
    check_same(t, "3", one, "processes", 3);
    free(one);
    static const char *const figures[][2] = {
        {"fig8", "1.0 * b.cycles / r.cycles"},
        {"fig11", "(SELECT sum(count * pj_each) FROM energy WHERE run = r.id) / (SELECT sum(count * pj_each) "
                  "FROM energy WHERE "
                  "run = b.id)"},
        {"fig1", "(SELECT number FROM cells WHERE run = r.id AND tab = 'workloads' AND field = CASE p.series "
                 "WHEN 'threadblock' "
                 "THEN 'block' ELSE p.series END)"}};
    sqlite3 *db = lab_open(t, "1");
    for (size_t i = 0; i < TEST_COUNT(figures); i++) {
        struct strbuf sql = {0};
        bool ratio = i < 2;
        strbuf_printf(
            &sql,
            "WITH v AS (SELECT p.*, %s AS own FROM points p JOIN runs r ON r.id = p.run LEFT JOIN runs b ON "
            "b.id = "
            "p.base WHERE p.experiment = '%s'), m AS (SELECT gpu, profile, series, %s(avg(%s(own))) AS mean, "
            "count(*) AS n FROM v GROUP BY 1, 2, 3) SELECT (SELECT count(*) FROM v WHERE abs(own - value) > "
            "1e-12 OR "
            "own IS NULL) + (SELECT count(*) FROM m JOIN points p USING (gpu, profile, series) WHERE "
            "p.experiment = "
            "'%s' AND category = '%sMEAN' AND abs(mean - value) > 1e-9) + (SELECT count(*) FROM m WHERE n <> "
            "13)",
            figures[i][1], figures[i][0], ratio ? "exp" : "", ratio ? "ln" : "", figures[i][0],
            ratio ? "G" : "");
        CHECK_MSG(t, lab_query(t, db, sql.text) == 0, "%s differs from what SQL makes of its runs",
                  figures[i][0]);
        strbuf_clear(&sql);
        strbuf_printf(&sql, "SELECT count(*) FROM points WHERE experiment = '%s'", figures[i][0]);
        CHECK(t, lab_query(t, db, sql.text) > 80);
        strbuf_fini(&sql);
    }
    sqlite3_close(db);
}

// -- signals ------------------------------------------------------------------------------------------------

// Starts the experiment and sends a signal after `seconds` of processor time, to the process alone or to its
// group (like a terminal). True: the signal ended the process.
static bool start_and_signal(struct test *t, const char *folder, unsigned processes, int signal, bool group,
                             double seconds)
{
    char experiment[600], out[600], count[12];
    snprintf(experiment, sizeof experiment, "%s/small.exp", test_directory(t));
    snprintf(out, sizeof out, "%s/%s", test_directory(t), folder);
    snprintf(count, sizeof count, "%u", processes);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        setpgid(0, 0);
        for (int fd = 0; fd < 3; fd++) dup2(null, fd);
        execl(test_binary(), "warpfold", "reproduce", experiment, "--size", "small", "--out", out, "--quiet",
              "--processes", count, (char *)NULL);
        _exit(127);
    }
    setpgid(child, child); // in parent and child, whichever runs first
    test_let_run(child, seconds);
    kill(group ? -child : child, signal);
    int status;
    waitpid(child, &status, 0);
    CHECK_MSG(t, WIFSIGNALED(status) ? WTERMSIG(status) == signal : WEXITSTATUS(status) == 0,
              "status 0x%x after signal %d", (unsigned)status, signal);
    return WIFSIGNALED(status);
}

static unsigned files_in(struct test *t, const char *folder, const char *ending)
{
    char path[600];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s/%s", test_directory(t), folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        count += e->d_name[0] != '.' && str_ends_with(e->d_name, ending);
    if (d) closedir(d);
    return count;
}

static void test_signals(struct test *t)
{
    static const int signals[] = {SIGINT, SIGKILL, SIGTERM};
    struct cli c = {.t = t};
    struct test_time start = test_now();
    char *clean = lab_clean(&c);
    double whole = test_since(start).processor;
    struct rng r;
    rng_init(&r, test_seed(7));
    unsigned interrupted = 0;
    for (unsigned moment = 0; moment < moments() * TEST_COUNT(signals); moment++) {
        char folder[20], arguments[120], runs[30];
        snprintf(folder, sizeof folder, "out%u", moment);
        // Interrupts up to three more times.
        for (unsigned again = 0; again < 3; again++)
            interrupted += start_and_signal(t, folder, 1 + (unsigned)(rng_next(&r) % 3),
                                            signals[moment % TEST_COUNT(signals)], rng_next(&r) % 2 != 0,
                                            whole * (double)(rng_next(&r) % 1000) / 1000);
        snprintf(arguments, sizeof arguments, "reproduce $D/small.exp --size small --out $D/%s --quiet",
                 folder);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        check_same(t, folder, clean, "signals", moment);
        snprintf(runs, sizeof runs, "%s/runs", folder);
        CHECK_EQ(t, files_in(t, runs, ""),
                 0); // every result is in the database, and no half-written file is left
        CHECK_EQ(t, files_in(t, folder, ".part"), 0);
    }
    CHECK_MSG(t, interrupted >= moments(), "%u interrupted", interrupted);
    free(clean);
    cli_fini(&c);
}

// -- full disks ---------------------------------------------------------------------------------------------

// Command prefix for a private mount: as root, or for any user with user name
// spaces; NULL: neither is allowed.
static const char *mount_place(struct test *t)
{
    static const char *const ways[] = {"unshare -m", "unshare -Urm"};
    for (size_t i = 0; i < TEST_COUNT(ways); i++) {
        char command[700];
        snprintf(command, sizeof command, "%s sh -c 'mount -t tmpfs none %s && umount %s' 2>/dev/null",
                 ways[i], test_directory(t), test_directory(t));
        if (test_command(command, 20, NULL, NULL) == 0) return ways[i];
    }
    return NULL;
}

// The results' folder is a file system full after some kilobytes; unwritten data is lost. Then the file
// system grows, and the same command continues.
static void test_full_disk(struct test *t)
{
    const char *place = mount_place(t), *folder = test_directory(t);
    if (!place) {
        test_skip(t, "no tmpfs may be mounted here (case file_limit is a substitute)");
        return;
    }
    struct cli c = {.t = t};
    char *clean = lab_clean(&c), *out, command[4000];
    snprintf(command, sizeof command, "du -sk %s/clean", folder);
    CHECK_EQ(t, test_command(command, 10, &out, NULL), 0);
    unsigned whole = (unsigned)strtoul(out, NULL, 10);
    CHECK_MSG(t, whole > 100, "%s", out);
    free(out);
    struct rng r;
    rng_init(&r, test_seed(8));
    unsigned failed = 0;
    for (unsigned moment = 0; moment < moments(); moment++) {
        unsigned first = 4 + (unsigned)(rng_next(&r) % whole),
                 second = first + (unsigned)(rng_next(&r) % whole);
        snprintf(command, sizeof command,
                 "mkdir -p %1$s/disk %1$s/out%2$u; %3$s sh -c 'D=%1$s; "
                 "again() { %4$s reproduce $D/small.exp --size small --out $D/disk/out --quiet; }; "
                 "mount -t tmpfs -o size=%5$uk none $D/disk; again; echo $?; "
                 "mount -o remount,size=%6$uk $D/disk; again; echo $?; "
                 "mount -o remount,size=64m $D/disk; again; echo $?; cp $D/disk/out/results.db $D/out%2$u'",
                 folder, moment, place, test_binary(), first, second);
        char *err;
        CHECK_EQ(t, test_command(command, 120, &out, &err), 0);
        int status[3] = {-1, -1, -1};
        sscanf(out, "%d %d %d", &status[0], &status[1], &status[2]);
        for (unsigned i = 0; i < 2; i++) {
            CHECK_MSG(t, status[i] == 0 || (status[i] == 1 && strstr(err, "error: ")),
                      "%u of %u kB: status %d, %s", i ? second : first, whole, status[i], err);
            failed += status[i] == 1;
        }
        CHECK_MSG(t, status[2] == 0, "with space enough: status %d, %s", status[2], err);
        free(out);
        free(err);
        snprintf(command, sizeof command, "out%u", moment);
        check_same(t, command, clean, "full disk", moment);
    }
    CHECK_MSG(t, failed >= moments() / 2 + 1, "%u failures", failed);
    free(clean);
    cli_fini(&c);
}

// The same without the right to mount: a limit on file size.
static void test_file_limit(struct test *t)
{
    struct cli c = {.t = t};
    char *clean = lab_clean(&c), command[1500], *err;
    const char *folder = test_directory(t);
    static const unsigned limits[] = {0, 8, 40, 100, 200, 400}; // in blocks of 512 bytes
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
    check_same(t, "full", clean, "file limit", 0);
    free(clean);
    cli_fini(&c);
}

// -- left-over files ----------------------------------------------------------------------------------------

// A complete result left by a killed run is used, an incomplete one is not. A run's command, given again in
// the results' folder, reproduces the database's result.
static void test_left_over(struct test *t)
{
    struct cli c = {.t = t};
    char id[20] = "", words[400] = "", command[1600], *clean = lab_clean(&c);
    const char *folder = test_directory(t);
    sqlite3 *db = lab_open(t, "clean");
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT id, command FROM runs WHERE tech = 'darsie' AND subject = 'matrixMul'", -1,
                       &s, NULL);
    if (sqlite3_step(s) == SQLITE_ROW) {
        snprintf(id, sizeof id, "%s", (const char *)sqlite3_column_text(s, 0));
        snprintf(words, sizeof words, "%s", (const char *)sqlite3_column_text(s, 1));
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    static const char *const endings[] = {
        "; true", "; truncate -s 500 runs/*.json",
        "; mv runs/*.json runs/x.json.1.part; touch report.html.1.part small.csv.22.part"};
    for (unsigned i = 0; i < TEST_COUNT(endings); i++) {
        char out[20], arguments[120], runs[30];
        snprintf(out, sizeof out, "out%u", i);
        snprintf(command, sizeof command,
                 "mkdir -p %s/%s/runs; cd %s/%s; touch own.part; %s %s --json runs/%s.json --quiet%s", folder,
                 out, folder, out, test_binary(), words, id, endings[i]);
        CHECK_EQ(t, test_command(command, 60, NULL, NULL), 0);
        snprintf(arguments, sizeof arguments, "reproduce $D/small.exp --size small --out $D/%s", out);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        CHECK_HAS(t, c.out, i == 0 ? "30 runs, 1 done before" : "30 runs, 0 done before");
        check_same(t, out, clean, "left over", i);
        snprintf(runs, sizeof runs, "%s/runs", out);
        CHECK_EQ(t, files_in(t, runs, ""), 0);
        CHECK_EQ(t, files_in(t, out, ".part"), 1); // own.part is not warpfold's file
    }
    free(clean);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"twice", test_twice},           {"paper", test_paper},
                                             {"signals", test_signals},       {"full_disk", test_full_disk},
                                             {"file_limit", test_file_limit}, {"left_over", test_left_over}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
