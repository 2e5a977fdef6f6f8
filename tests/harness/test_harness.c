// The tests' own tools: tools/run-tests must see and count a failure, a crash, a hang and a skip.
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A fake test program: a shell script in DIRECTORY/tests/m/.
static void write_program(struct test *t, const char *name, const char *body)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/tests", test_directory(t));
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/tests/m", test_directory(t));
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/tests/m/%s", test_directory(t), name);
    FILE *f = fopen(path, "w");
    CHECK(t, f != NULL);
    if (!f) return;
    fprintf(f, "#!/bin/sh\n%s\n", body);
    fclose(f);
    chmod(path, 0755);
}

static char *run_programs(struct test *t, const char *arguments, int want_status)
{
    char command[16384], *out;
    snprintf(command, sizeof command, "cd %s && %s/tools/run-tests %s", test_directory(t), getenv("PWD"),
             arguments);
    CHECK_EQ(t, test_command(command, 30, &out, NULL), want_status);
    return out;
}

static void test_sums(struct test *t)
{
    write_program(t, "good",
                  "echo begin a; echo pass a 0.1; echo begin b; echo skip b 0.0 no GPU here; exit 0");
    write_program(t, "bad", "echo begin c; echo '  x.c:1: broken'; echo fail c 0.2; exit 1");
    char *out = run_programs(t, "./tests/m/good ./tests/m/bad", 1);
    CHECK_HAS(t, out, "FAILED m/bad c\n  x.c:1: broken\n");
    CHECK_HAS(t, out, "skipped m/good b: no GPU here\n");
    CHECK_HAS(t, out, "\n1 passed, 1 failed, 1 skipped\n");
    free(out);
    out = run_programs(t, "./tests/m/good", 0);
    CHECK_HAS(t, out, "\n1 passed, 0 failed, 1 skipped\n");
    free(out);
}

static void test_crash(struct test *t)
{
    write_program(t, "crash", "echo begin a; echo pass a 0.1; echo begin b; echo almost; kill -SEGV $$");
    char *out = run_programs(t, "./tests/m/crash", 1);
    CHECK_HAS(t, out, "FAILED m/crash b: the program died of signal 11\n");
    CHECK_HAS(t, out, "almost");
    CHECK_HAS(t, out, "\n1 passed, 1 failed, 0 skipped\n");
    free(out);
    write_program(t, "gone", "exec /nonexistent");
    out = run_programs(t, "./tests/m/gone", 1);
    CHECK_HAS(t, out, "FAILED m/gone (start)");
    CHECK_HAS(t, out, "\n0 passed, 1 failed, 0 skipped\n");
    free(out);
}

// A limit is processor time; a waiting program is ended by the wall clock, after twenty
// times the limit or the time of -w.
static void test_limits(struct test *t)
{
    write_program(t, "busy", "echo begin slow; while :; do :; done");
    write_program(t, "patient", "echo begin waits; sleep 3; echo pass waits 3.0");
    write_program(t, "hang", "echo begin stuck; sleep 60");
    write_program(t, "parent",
                  "echo begin a; for i in 1 2 3; do sh -c 'ulimit -t 1; while :; do :; done'; "
                  "done; echo pass a 3.0");
    char *out = run_programs(t, "-j 2 -t 1 ./tests/m/busy ./tests/m/patient", 1);
    CHECK_HAS(t, out, "FAILED m/busy slow: the program ran past its limit of 1 s of processor time\n");
    CHECK_HAS(t, out, "\n1 passed, 1 failed, 0 skipped\n");
    free(out);
    out = run_programs(t, "-t 1 -w 2 ./tests/m/hang", 1);
    CHECK_HAS(t, out, "FAILED m/hang stuck: the program ran past 2 s on the clock\n");
    free(out);
    out = run_programs(t, "-t 2 ./tests/m/parent", 1);
    CHECK_HAS(t, out,
              "FAILED m/parent (all): the program and its children took 3 s of processor time, more "
              "than 2 s\n");
    free(out);
}

// Without a terminal, a line for each program of two seconds or more, or with a
// failure; on a terminal no lines.
static void test_progress(struct test *t)
{
    write_program(t, "quick", "echo begin a; echo pass a 0.0");
    write_program(t, "slow", "echo begin a; sleep 2; echo pass a 2.0");
    write_program(t, "bad", "echo begin c; echo fail c 0.2; exit 1");
    static const char programs[] = "./tests/m/quick ./tests/m/slow ./tests/m/bad";
    char arguments[200], *out;
    snprintf(arguments, sizeof arguments, "-j 1 %s", programs);
    out = run_programs(t, arguments, 1);
    CHECK_HAS(t, out, "3 test programs, 1 at a time\n2 of 3: m/slow 2.");
    CHECK_HAS(t, out, " s\n3 of 3: m/bad 0.");
    CHECK_HAS(t, out, " s, failed\nFAILED m/bad c\n");
    CHECK(t, !strstr(out, "m/quick"));
    free(out);
    if (!test_has_tool("script")) {
        test_skip_tool(t, "script");
        return;
    }
    char command[16384]; // script: gives a terminal
    snprintf(command, sizeof command, "cd %s && script -qec '%s/tools/run-tests -j 1 %s' /dev/null",
             test_directory(t), getenv("PWD"), programs);
    CHECK_EQ(t, test_command(command, 30, &out, NULL), 1);
    CHECK_HAS(t, out, "\r\033[Kslow ");
    CHECK_HAS(t, out, "FAILED m/bad c");
    CHECK(t, !strstr(out, " of 3: "));
    free(out);
}

static void test_command_captures(struct test *t)
{
    char *out, *err;
    CHECK_EQ(t, test_command("echo out; echo err >&2; exit 7", 10, &out, &err), 7);
    CHECK_STR(t, out, "out\n");
    CHECK_STR(t, err, "err\n");
    free(out);
    free(err);
    CHECK_EQ(t, test_command("sleep 60 & sleep 60", 0, &out, NULL), -1);
    free(out);
    CHECK_EQ(t, test_command("kill -9 $$", 10, NULL, NULL), -1);
    // More than a pipe's buffer, on both outputs.
    CHECK_EQ(t,
             test_command("head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y >&2",
                          20, &out, &err),
             0);
    CHECK_EQ(t, strlen(out), 300000);
    CHECK_EQ(t, strlen(err), 300000);
    free(out);
    free(err);
}

// A command may wait longer than its limit, but may not compute longer, in the shell or in a child.
static void test_command_limits(struct test *t)
{
    static const char *const busy[] = {"while :; do :; done", "sh -c 'while :; do :; done'; exit $?"};
    CHECK_EQ(t, test_command("sleep 2.5", 1, NULL, NULL), 0);
    for (size_t i = 0; i < TEST_COUNT(busy); i++) {
        struct test_time start = test_now();
        CHECK_EQ(t, test_command(busy[i], 1, NULL, NULL), -1);
        CHECK_MSG(t, test_since(start).processor < 4, "%.1f s", test_since(start).processor);
    }
}

static void test_tools(struct test *t)
{
    CHECK(t, test_has_tool("sh"));
    CHECK(t, !test_has_tool("no-such-tool-anywhere"));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"sums", test_sums},
                                             {"crash", test_crash},
                                             {"limits", test_limits},
                                             {"progress", test_progress},
                                             {"command_captures", test_command_captures},
                                             {"command_limits", test_command_limits},
                                             {"tools", test_tools}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
