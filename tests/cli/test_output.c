// Lost output and colliding outputs: full disks, closed descriptors, pipes without readers, one path in
// several spellings. Fails where output is lost without an error, or two outputs go to one file.
#include "cli/cli.h"
#include "harness/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAUNCH                                                                                               \
    "$V --kernel vecadd --grid 4 --block 256 --arg buf=f32:1000:iota --arg buf=f32:1000:rand:7 --arg "       \
    "buf=f32:1000:zero --arg s32=1000"
#define RUN   "run " LAUNCH " --functional"
#define HELLO "run $K --kernel hello --grid 1 --block 2 --functional --quiet"

// Every command, with its own output.
static void test_lost(struct test *t)
{
    static const char *const commands[] = {"",
                                           "--help",
                                           "--version",
                                           "--man",
                                           "--completion",
                                           "run --help",
                                           "list gpus",
                                           "list techs",
                                           "list kernels",
                                           "list inputs",
                                           "list studies",
                                           "list counters",
                                           "list experiments",
                                           "list keys",
                                           "list features",
                                           "list claims",
                                           "list area",
                                           RUN,
                                           RUN " --json -",
                                           HELLO,
                                           "run " LAUNCH " --gpu tiny --energy",
                                           "mark $V --kernel vecadd",
                                           "mark $V --kernel vecadd --json -",
                                           "study operands " LAUNCH,
                                           "study operands --bench vecadd --size small --json -",
                                           "bench vecadd --size small --functional",
                                           "bench vecadd --size small --functional --json -",
                                           "compare $D/a.json $D/a.json",
                                           "reproduce fig6 --out $D/results"};
    struct cli c = {.t = t};
    cli_run(&c, RUN " --quiet --json $D/a.json");
    for (size_t i = 0; i < TEST_COUNT(commands); i++) {
        char arguments[600];
        snprintf(arguments, sizeof arguments, "%s >/dev/full", commands[i]);
        cli_expect(&c, arguments, 1, "error: cannot write to stdout: No space left on device\n");
        snprintf(arguments, sizeof arguments, "%s >&-", commands[i]);
        cli_expect(&c, arguments, 1, "error: cannot write to stdout: Bad file descriptor\n");
    }
    cli_fini(&c);
}

// Without messages no loss; a lost message is a failure.
static void test_messages(struct test *t)
{
    struct cli c = {.t = t};
    cli_expect(&c, RUN " --quiet >/dev/full", 0, "");
    cli_expect(&c, RUN " --quiet >&- 2>&-", 0, "");
    cli_expect(&c, "run $V --kernel none --grid 1 --block 1 2>&-", 1, "");
    cli_expect(&c, "run --frobnicate 2>/dev/full", 2, "");
    cli_expect(
        &c,
        "run tests/cli/checks.ptx --kernel vote --grid 1 --block 32 --arg buf=u32:32:zero --arg u32=0xffff "
        "--functional --quiet 2>/dev/full", // a warning
        1, "");
    cli_expect(&c, HELLO " --json - 2>/dev/full", 1, ""); // kernels print to stderr with --json -
    cli_fini(&c);
}

// With SIGPIPE ignored, the program finds the broken pipe by itself. The pipe has no reader from the start.
static void test_broken_pipe(struct test *t)
{
    char command[500], *err;
    snprintf(command, sizeof command,
             "trap '' PIPE; mkfifo %s/pipe; exec 3<>%s/pipe; exec 4>%s/pipe; exec 3>&-; "
             "%s list keys >&4; echo $? >&2",
             test_directory(t), test_directory(t), test_directory(t), test_binary());
    CHECK_EQ(t, test_command(command, 20, NULL, &err), 0);
    CHECK_STR(t, err, "error: cannot write to stdout: Broken pipe\n1\n");
    free(err);
}

// An output file never gets the descriptor of stdout.
static void test_closed(struct test *t)
{
    static const char *const closed[] = {" <&-", " <&- >&-", " <&- >&- 2>&-"};
    for (size_t i = 0; i < TEST_COUNT(closed); i++) {
        struct cli c = {.t = t};
        char arguments[400];
        size_t length;
        snprintf(arguments, sizeof arguments, RUN " --json $D/run.json --dump 2=$D/sum.bin%s", closed[i]);
        cli_run(&c, arguments);
        CHECK_EQ(t, c.status, i ? 1 : 0);
        char *json = cli_read(&c, "run.json", &length), *sum = cli_read(&c, "sum.bin", &length);
        CHECK(t, json && json[0] == '{' && json[strlen(json) - 2] == '}' && !strstr(json, "error:"));
        CHECK(t, sum && length == 4000);
        free(json);
        free(sum);
        cli_fini(&c);
    }
    struct cli c = {.t = t};
    cli_expect(&c, "run /dev/stdin --kernel k --grid 1 --block 1 <&-", 1,
               "error: cannot read /dev/stdin: is a directory\n");
    cli_fini(&c);
}

// If one result cannot be written, no result is written.
static void test_together(struct test *t)
{
    struct cli c = {.t = t};
    cli_expect(&c, RUN " --dump 2=$D/sum.bin --json - >/dev/full", 1,
               "error: cannot write to stdout: No space left on device\n");
    cli_expect(&c, RUN " --dump 2=$D/sum.bin --json /dev/full", 1,
               "error: cannot write /dev/full: No space left on device\n");
    cli_expect(&c, "bench vecadd --size small --timeline $D/t.json --json - >/dev/full", 1,
               "error: cannot write to stdout: No space left on device\n");
    CHECK_EQ(t, cli_files(&c), 0);
    cli_fini(&c);
}

struct row {
    const char *arguments, *message;
};

// One path for two outputs: refused before the run.
static void test_one_path(struct test *t)
{
    static const struct row rows[] = {
        {RUN " --json $D/a --dump 0=$D/a", "error: --dump $D/a: --json $D/a writes the same file\n"},
        {RUN " --json $D/a --dump 0=$D/./a", "error: --dump $D/./a: --json $D/a writes the same file\n"},
        {RUN " --json $D/a --dump 0=$D/in/../a",
         "error: --dump $D/in/../a: --json $D/a writes the same file\n"},
        {RUN " --dump 0=$D/a --dump 1=$D/a", "error: --dump $D/a: --dump $D/a writes the same file\n"},
        {RUN " --dump 0=$D/old --dump 1=$D/hard",
         "error: --dump $D/hard: --dump $D/old writes the same file\n"},
        {RUN " --dump 0=$D/old --dump 1=$D/soft",
         "error: --dump $D/soft: --dump $D/old writes the same file\n"},
        {RUN " --dump 0=$D/b --dump 1=$D/dangling",
         "error: --dump $D/dangling: --dump $D/b writes the same file\n"},
        {RUN " --json - --dump 0=/dev/stdout", "error: --dump /dev/stdout: --json - writes the same file\n"},
        {RUN " --json $D/old --dump 0=/dev/stdout >>$D/old",
         "error: --dump /dev/stdout: --json $D/old writes the same file\n"},
        {"run " LAUNCH " --gpu tiny --json $D/a --timeline $D/a",
         "error: --timeline $D/a: --json $D/a writes the same file\n"},
        {"bench vecadd --size small --json $D/a --timeline $D/in/../a",
         "error: --timeline $D/in/../a: --json $D/a writes the same file\n"},
        {"run $D/k.ptx --kernel vecadd --grid 1 --block 1 --json $D/k.ptx",
         "error: $D/k.ptx is read, and --json $D/k.ptx writes the same file\n"},
        {"run $D/k.ptx --kernel vecadd --grid 1 --block 1 --dump 0=$D/in/../k.ptx",
         "error: $D/k.ptx is read, and --dump $D/in/../k.ptx writes the same file\n"},
        {"mark $D/k.ptx --kernel vecadd --json $D/k.ptx",
         "error: $D/k.ptx is read, and --json $D/k.ptx writes the same file\n"},
        {"study operands $D/k.ptx --kernel vecadd --grid 1 --block 1 --json $D/k.ptx",
         "error: $D/k.ptx is read, and --json $D/k.ptx writes the same file\n"},
        {"run $V --kernel vecadd --grid 1 --block 1 --arg buf=u8:3:file:$D/old --dump 0=$D/soft",
         "error: $D/old is read, and --dump $D/soft writes the same file\n"},
        {"run $V --kernel vecadd --grid 1 --block 1 --arg bytes=@$D/old --json $D/hard",
         "error: $D/old is read, and --json $D/hard writes the same file\n"},
        {"run " LAUNCH " --gpu $D/g.gpu --json $D/g.gpu",
         "error: cannot write $D/g.gpu: this run reads $D/g.gpu\n"},
        {"run --script $D/twice.wf", "$D/twice.wf:4:8: error: dump $D/./x: dump $D/x writes the same file\n"
                                     "    dump b ./x\n           ^~~\n"},
        {"run --script $D/once.wf --json $D/once.wf",
         "error: $D/once.wf is read, and --json $D/once.wf writes the same file\n"},
    };
    struct cli c = {.t = t};
    char path[2][4200];
    const char *folder = test_directory(t);
    snprintf(path[0], sizeof path[0], "%s/in", folder);
    mkdir(path[0], 0777);
    cli_write(&c, "old", "old", 3);
    size_t length;
    char *ptx = test_read_file(t, "kernels/ptx/nvcc/vecadd.ptx", &length);
    cli_write(&c, "k.ptx", ptx, length);
    cli_write(&c, "g.gpu", "issue.width = 1\n", 16);
    cli_write(&c, "once.wf", "load k.ptx\n", 11);
    cli_write(&c, "twice.wf", "load k.ptx\nbuffer b f32:4:zero\ndump b x\ndump b ./x\n", 50);
    static const char *const links[][2] = {{"old", "soft"}, {"b", "dangling"}};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path[0], sizeof path[0], "%s/%s", folder, links[i][1]);
        CHECK(t, symlink(links[i][0], path[0]) == 0);
    }
    snprintf(path[0], sizeof path[0], "%s/old", folder);
    snprintf(path[1], sizeof path[1], "%s/hard", folder);
    CHECK(t, link(path[0], path[1]) == 0);
    unsigned files = cli_files(&c);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        cli_expect(&c, rows[i].arguments, 1, rows[i].message);
        CHECK_MSG(t, !*c.out, "warpfold %s\n    prints %s", rows[i].arguments, c.out);
        CHECK_MSG(t, cli_files(&c) == files, "warpfold %s\n    leaves files", rows[i].arguments);
    }
    char *old = cli_read(&c, "old", &length), *kept = cli_read(&c, "k.ptx", &length);
    CHECK_STR(t, old ? old : "", "old");
    CHECK_STR(t, kept ? kept : "", ptx);
    free(old);
    free(kept);
    free(ptx);
    cli_fini(&c);
}

// /dev/null may be shared, and a regular file as stdout keeps its contents.
static void test_shared(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    cli_expect(&c, RUN " --quiet --json /dev/null --dump 0=/dev/null --dump 1=/dev/null", 0, "");
    cli_expect(&c, RUN " --json - --dump 0=/dev/null >/dev/null", 0, "");
    cli_expect(&c, "mark $V --kernel vecadd --json /dev/stdout >$D/out", 0, "");
    char *text = cli_read(&c, "out", &length);
    CHECK(t, text && text[0] == '{' && text[length - 2] == '}');
    free(text);
    cli_expect(&c, RUN " --json $D/out >>$D/out", 0, "");
    text = cli_read(&c, "out", &length);
    CHECK(t, text && text[0] == '{');
    CHECK_HAS(t, text ? text : "", "warpfold.run/1");
    CHECK_HAS(t, text ? text : "", "argument 2  f32[1000] changed");
    free(text);
    CHECK_EQ(t, cli_files(&c), 1);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"lost", test_lost},     {"messages", test_messages}, {"broken_pipe", test_broken_pipe},
        {"closed", test_closed}, {"together", test_together}, {"one_path", test_one_path},
        {"shared", test_shared}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
