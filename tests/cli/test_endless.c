// Endless files and files of other types. Fails where a device is read past the limit of size, or
// a pipe is not read like a file.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHAPE " --kernel vecadd --grid 1 --block 32"
#define SUM   " --arg buf=f32:32:iota --arg buf=f32:32:iota --arg buf=f32:32:zero --arg s32=32 --functional"

static void test_refused(struct test *t)
{
    static const struct {
        const char *arguments;
        int status;
        const char *message;
    } rows[] = {
        {"run /dev/zero" SHAPE, 1, "error: cannot read /dev/zero: has more than 256 MiB\n"},
        {"mark /dev/zero --kernel k", 1, "error: cannot read /dev/zero: has more than 256 MiB\n"},
        {"study operands /dev/zero" SHAPE, 1, "error: cannot read /dev/zero: has more than 256 MiB\n"},
        {"study shapes $D/zero.csv", 1, "error: cannot read $D/zero.csv: has more than 256 MiB\n"},
        {"run --script /dev/zero", 1, "error: cannot read /dev/zero: has more than 256 MiB\n"},
        {"run $V" SHAPE " --gpu /dev/zero", 2,
         "error: cannot read the GPU's file /dev/zero: has more than 256 MiB\n"},
        {"run $V" SHAPE " --arg bytes=@/dev/zero", 1,
         "error: --arg 0: \"bytes=@/dev/zero\": /dev/zero has more than 256 MiB\n"},
        {"run $V" SHAPE " --arg buf=u8:16:file:/dev/zero", 1,
         "error: --arg 0: \"buf=u8:16:file:/dev/zero\": /dev/zero has more than the 16 bytes of 16 x u8\n"},
        {"run $V" SHAPE " --arg buf=u64:1000000000000000:file:/dev/zero", 1,
         "error: --arg 0: \"buf=u64:1000000000000000:file:/dev/zero\": 8000000000000000 bytes; a device has "
         "at most "
         "64 GiB\n"},
        {"run $V" SHAPE " --arg buf=u8:60000000000:file:$D/four", 1,
         "error: --arg 0: \"buf=u8:60000000000:file:$D/four\": $D/four has 4 bytes, not the 60000000000 of "
         "60000000000 x u8\n"},
        {"compare /dev/zero /dev/zero", 1,
         "error: cannot read /dev/zero: has more than 256 MiB\n"
         "error: cannot read /dev/zero: has more than 256 MiB\n"},
        {"reproduce /dev/zero --out $D/r", 1,
         "error: cannot read the experiment /dev/zero: has more than 256 MiB\n"},
        {"run /" SHAPE, 1, "error: cannot read /: is a directory\n"},
        {"run $V" SHAPE " --arg buf=u8:4:file:/", 1,
         "error: --arg 0: \"buf=u8:4:file:/\": /: is a directory\n"},
    };
    struct cli c = {.t = t};
    char path[4200];
    cli_write(&c, "four", "1234", 4);
    snprintf(path, sizeof path, "%s/zero.csv", test_directory(t));
    CHECK(t, symlink("/dev/zero", path) == 0);
    for (size_t i = 0; i < TEST_COUNT(rows); i++)
        cli_expect(&c, rows[i].arguments, rows[i].status, rows[i].message);
    cli_fini(&c);
}

// A source named by PTX is read if it is a regular file, and is missing otherwise.
static void test_sources(struct test *t)
{
    static const char *const sources[] = {"/dev/zero", "/dev/stdin", "/proc/self/fd/0", "/"};
    for (size_t i = 0; i < TEST_COUNT(sources); i++) {
        struct cli c = {.t = t};
        char text[700];
        int length =
            snprintf(text, sizeof text,
                     ".version 7.0\n.target sm_61\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                     ".reg .u64 %%d<3>; .reg .u32 %%r<3>;\n.loc 1 7 0\nld.param.u64 %%d1, [p];\n"
                     "ld.global.u32 %%r1, [%%d1+64];\nst.global.u32 [%%d1], %%r1;\nret;\n}\n"
                     ".file 1 \"%s\"\n",
                     sources[i]);
        cli_write(&c, "k.ptx", text, (size_t)length);
        cli_expect(&c,
                   "study explain $D/k.ptx --kernel k --grid 1 --block 64 --arg buf=u32:64:zero </dev/zero",
                   0, "");
        cli_fini(&c);
    }
}

// Standard input and the shell's process substitution are pipes.
static void test_pipes(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    char path[4200], command[9000], *err, *sum;
    cli_write(&c, "s.wf", "load kernels/ptx/nvcc/vecadd.ptx\n", 33);
    cli_expect(&c, "run /dev/stdin" SHAPE SUM " --dump 2=$D/a --quiet <$V", 0, "");
    cli_expect(&c,
               "run $V" SHAPE " --arg buf=f32:32:file:/dev/stdin --arg buf=f32:32:iota --arg buf=f32:32:zero "
               "--arg s32=32 --functional --dump 2=$D/b --quiet <$D/a",
               0, "");
    sum = cli_read(&c, "b", &length);
    float last = 0;
    if (sum && length == 128) memcpy(&last, sum + 124, 4);
    CHECK(t, last == 93);
    free(sum);
    snprintf(path, sizeof path, "%s", test_directory(t));
    snprintf(command, sizeof command,
             "bash -c 'cat kernels/ptx/nvcc/vecadd.ptx | %s run <(cat /dev/stdin)" SHAPE
             " --arg bytes=@<(printf 12345678) --arg buf=f32:32:file:<(cat %s/a) --arg buf=f32:32:zero --arg "
             "s32=0 "
             "--functional --quiet'",
             test_binary(), path);
    int status = test_command(command, 20, NULL, &err);
    CHECK_MSG(t, status == 0, "%d: %s", status, err);
    free(err);
    snprintf(command, sizeof command, "yes | %s run /dev/stdin" SHAPE, test_binary());
    status = test_command(command, 50, NULL, &err);
    CHECK_EQ(t, status, 1);
    CHECK_STR(t, err, "error: cannot read /dev/stdin: has more than 256 MiB\n");
    free(err);
    cli_expect(&c, "list gpus --gpu /proc/self/status", 2,
               "error: --gpu is for `warpfold list area` and `warpfold list occupancy`\n");
    cli_run(&c, "run /proc/self/status" SHAPE); // has size 0, and is read
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, c.err, "/proc/self/status:1:1: error: ");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"refused", test_refused}, {"sources", test_sources}, {"pipes", test_pipes}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
