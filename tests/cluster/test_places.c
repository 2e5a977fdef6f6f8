// Bad surroundings of a plan: a full or read-only folder, a wrong clock, no Slurm, a folder of a foreign
// plan. Fails where a worker loses a point or destroys data instead of waiting or refusing. Full and
// read-only folders are file systems mounted by the test, which needs a right not every user has.
#include "base/str.h"
#include "cluster/points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static const char no_disk[] = "file systems cannot be mounted here";

static void plan_small(struct cli *c, const char *folder)
{
    char arguments[160];
    snprintf(arguments, sizeof arguments, "reproduce $D/small.exp --size small --out $D/%s --submit hand",
             folder);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

// Workers without room, at their start or during a run, wait for room; no point fails for lack of it.
static void test_full(struct test *t)
{
    struct cli c = {.t = t};
    char path[600], filler[620];
    if (!disks_begin() || !disk_mount(t, "full", 8, path)) {
        test_skip(t, no_disk);
        return;
    }
    char *clean = lab_clean(&c);
    plan_small(&c, "full");
    snprintf(filler, sizeof filler, "%s/filler", path);
    disk_fill(t, filler);
    pid_t worker = worker_start(t, "full", "2", "60");
    sleep_for(0.5);
    CHECK_EQ(t, status_number(&c, "full", "done"), 0);
    unlink(filler);
    sleep_for(1.2);
    disk_fill(t, filler);
    sleep_for(0.5);
    unlink(filler);
    CHECK_EQ(t, process_wait(worker), 0);
    CHECK_EQ(t, status_number(&c, "full", "failed tries"), 0);
    plan_collect(&c, "full");
    check_same(t, "full", clean, "a full folder");
    umount2(path, MNT_DETACH);
    free(clean);
    cli_fini(&c);
}

static void test_read_only(struct test *t)
{
    struct cli c = {.t = t};
    char path[600];
    if (!disks_begin() || !disk_mount(t, "fixed", 8, path)) {
        test_skip(t, no_disk);
        return;
    }
    lab_write(&c, "small.exp", lab_experiment);
    plan_small(&c, "fixed");
    CHECK_EQ(t, mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    CHECK_EQ(t, status_number(&c, "fixed", "waiting"), 30);
    cli_expect(&c, "worker $D/fixed", 1,
               "error: cannot write into $D/fixed/workers: Read-only file system\n");
    static const char collected[] = "error: cannot write into the folder $D/fixed: Read-only file system\n";
    cli_expect(&c, "reproduce --collect $D/fixed", 1, collected);
    cli_expect(&c, "reproduce $D/small.exp --size small --out $D/fixed --submit hand", 1, collected);
    umount2(path, MNT_DETACH);
    cli_fini(&c);
}

// -- clocks -------------------------------------------------------------------------------------------------

// Builds a library for LD_PRELOAD that changes functions of the C library.
static bool make_library(struct test *t, const char *source, char path[600])
{
    struct cli c = {.t = t};
    char command[1900];
    cli_write(&c, "library.c", source, strlen(source));
    snprintf(path, 600, "%s/library.so", test_directory(t));
    snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s/library.c", path, test_directory(t));
    if (test_command(command, 30, NULL, NULL) == 0) return true;
    test_skip_tool(t, "cc");
    return false;
}

// A library whose clock is an hour ahead of the machine's.
static bool make_clock(struct test *t, char path[600])
{
    static const char source[] = "#define _GNU_SOURCE\n"
                                 "#include <sys/syscall.h>\n"
                                 "#include <sys/time.h>\n"
                                 "#include <time.h>\n"
                                 "#include <unistd.h>\n"
                                 "int clock_gettime(clockid_t c, struct timespec *t)\n"
                                 "{\n"
                                 "    long result = syscall(SYS_clock_gettime, c, t);\n"
                                 "    if (c == CLOCK_REALTIME) t->tv_sec += 3600;\n"
                                 "    return (int)result;\n"
                                 "}\n"
                                 "time_t time(time_t *t)\n"
                                 "{\n"
                                 "    struct timespec now;\n"
                                 "    clock_gettime(CLOCK_REALTIME, &now);\n"
                                 "    if (t) *t = now.tv_sec;\n"
                                 "    return now.tv_sec;\n"
                                 "}\n";
    return make_library(t, source, path);
}

// Time is told by one clock: a worker with a fast clock takes over no claim, and --status reports when things
// happened. The lease is shorter than the hour, and longer than the delay of a heartbeat on a busy machine.
static void test_clock(struct test *t)
{
    struct cli c = {.t = t};
    char library[600];
    if (!make_clock(t, library)) return;
    char *clean = lab_clean(&c);
    plan_small(&c, "clock");
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    setenv("LD_PRELOAD", library, 1);
    pid_t ahead = worker_start(t, "clock", "1", "600");
    unsetenv("LD_PRELOAD");
    pid_t right = worker_start(t, "clock", "1", "600");
    wait_for_work(&c, "clock");
    setenv("LD_PRELOAD", library, 1);
    cli_run(&c, "reproduce --status $D/clock");
    CHECK_MSG(t, !strstr(c.out, " min") && !strstr(c.out, " h "), "an hour ago: %s", c.out);
    unsetenv("LD_PRELOAD");
    CHECK_EQ(t, process_wait(ahead), 0);
    CHECK_EQ(t, process_wait(right), 0);
    unsetenv("ASAN_OPTIONS");
    CHECK_EQ(t, status_number(&c, "clock", "from vanished workers"), 0);
    CHECK_EQ(t, status_number(&c, "clock", "points run twice"), 0);
    plan_collect(&c, "clock");
    check_same(t, "clock", clean, "a clock an hour ahead");
    free(clean);
    cli_fini(&c);
}

// A file system loses its handle for a moment, just when a point is done: the worker tries again and
// does not wait for its own claim.
static void test_stale(struct test *t)
{
    static const char source[] = "#define _GNU_SOURCE\n"
                                 "#include <errno.h>\n"
                                 "#include <string.h>\n"
                                 "#include <sys/syscall.h>\n"
                                 "#include <unistd.h>\n"
                                 "static int refused;\n"
                                 "int renameat(int a, const char *from, int b, const char *to)\n"
                                 "{\n"
                                 "    size_t n = strlen(to);\n"
                                 "    if (n > 5 && strcmp(to + n - 5, \".done\") == 0 && refused++ < 2) {\n"
                                 "        errno = ESTALE;\n"
                                 "        return -1;\n"
                                 "    }\n"
                                 "    return (int)syscall(SYS_renameat2, a, from, b, to, 0);\n"
                                 "}\n";
    struct cli c = {.t = t};
    char library[600];
    if (!make_library(t, source, library)) return;
    lab_write(&c, "small.exp", lab_experiment);
    plan_small(&c, "stale");
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    setenv("LD_PRELOAD", library, 1);
    cli_run(&c, "worker $D/stale --processes 2");
    unsetenv("LD_PRELOAD");
    unsetenv("ASAN_OPTIONS");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "30 points run, 0 tries failed");
    CHECK_HAS(t, c.err, "worker: waits for ");
    CHECK_HAS(t, c.err, "/stale, and tries again every second: Stale file handle\n");
    CHECK_EQ(t, status_number(&c, "stale", "done"), 30);
    cli_fini(&c);
}

// -- folders of other plans ---------------------------------------------------------------------------------

static void check_unchanged(struct cli *c, const char *name, const char *before, size_t length)
{
    size_t now;
    char *text = cli_read(c, name, &now);
    CHECK_MSG(c->t, text && now == length && memcmp(text, before, length) == 0, "%s has changed", name);
    free(text);
}

static void test_no_slurm(struct test *t)
{
    struct cli c = {.t = t};
    lab_write(&c, "small.exp", lab_experiment);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    cli_expect(&c, "reproduce $D/small.exp --size small --out $D/none --submit slurm --quiet", 1,
               "error: no program sbatch: this machine cannot submit to Slurm\n");
    setenv("PATH", path, 1);
    CHECK_EQ(t, status_number(&c, "none", "waiting"), 30);
    cli_run(&c, "reproduce --cancel $D/none");
    CHECK_STR(t, c.out, "no jobs were submitted from this folder\n");
    free(path);
    cli_fini(&c);
}

// The folder of another plan or another build: an error of one line; the plan
// and the database stay unchanged.
static void test_others(struct test *t)
{
    struct cli c = {.t = t};
    char command[700];
    size_t plan_length;
    lab_write(&c, "small.exp", lab_experiment);
    lab_write(&c, "other.exp",
              "title = another\nkind = runs\nmeasure = speedup\nkernels = vecadd\nviews = tiny/sass\n"
              "series = D : darsie\n");
    plan_small(&c, "out");
    cli_run(&c, "worker $D/out --quiet");
    plan_collect(&c, "out");
    char *plan = cli_read(&c, "out/plan", &plan_length), *rows = lab_dump(t, "out");
    cli_expect(&c, "reproduce $D/other.exp --size small --out $D/out --submit hand", 1,
               "error: $D/out has a different plan, of 30 points instead of 2: give a different --out\n");
    check_unchanged(&c, "out/plan", plan, plan_length);
    check_same(t, "out", rows, "a different plan");
    snprintf(command, sizeof command, "sed -i 's/^build ..../build 0000/' %s/out/plan", test_directory(t));
    CHECK_EQ(t, test_command(command, 10, NULL, NULL), 0);
    static const char *const tried[] = {"worker $D/out", "reproduce --collect $D/out",
                                        "reproduce $D/small.exp --size small --out $D/out --submit hand"};
    for (size_t i = 0; i < TEST_COUNT(tried); i++) {
        cli_run(&c, tried[i]);
        CHECK_EQ(t, c.status, 1);
        CHECK_HAS(t, c.err, "was made by a different build of warpfold (0000");
        CHECK_MSG(t, strchr(c.err, '\n') == c.err + strlen(c.err) - 1, "no one line: %s", c.err);
        check_same(t, "out", rows, "another build");
    }
    free(plan);
    free(rows);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"full", test_full},         {"read only", test_read_only},
                                             {"clock", test_clock},       {"stale", test_stale},
                                             {"no slurm", test_no_slurm}, {"others", test_others}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
