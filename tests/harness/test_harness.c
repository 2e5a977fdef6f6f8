// The tests' own tools: a failure, a crash, a hang and a skip must each be seen and counted by
// tools/run-tests.
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

static void test_hang(struct test *t)
{
    write_program(t, "hang", "echo begin slow; sleep 60");
    char *out = run_programs(t, "-t 1 ./tests/m/hang", 1);
    CHECK_HAS(t, out, "FAILED m/hang slow: the program ran past its limit of 1 s\n");
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
    CHECK_EQ(t, test_command("sleep 60 & sleep 60", 1, &out, NULL), -1);
    free(out);
    CHECK_EQ(t, test_command("kill -9 $$", 10, NULL, NULL), -1);
    // More than a pipe holds, on both ends.
    CHECK_EQ(t,
             test_command("head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y >&2",
                          20, &out, &err),
             0);
    CHECK_EQ(t, strlen(out), 300000);
    CHECK_EQ(t, strlen(err), 300000);
    free(out);
    free(err);
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
                                             {"hang", test_hang},
                                             {"command_captures", test_command_captures},
                                             {"tools", test_tools}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
