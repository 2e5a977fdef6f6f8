// CUDA C on the command line: ten kernels in the styles of public code, from the text to numbers, with clang and
// warpfold's own headers. Fails where a style does not compile, a result is wrong, or an error does not name the way out.
#include "base/str.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F "tests/cli/cuda/"

// False, and the case is skipped.
static bool has_clang(struct test *t)
{
    if (test_command("clang --version", 60, NULL, NULL) == 0) return true;
    test_skip_tool(t, "clang");
    return false;
}

static void test_styles(struct test *t)
{
    static const struct {
        const char *words, *out;
    } rows[] = {
        {F "template.cu --kernel 'axpy<float, 2>' --grid 2 --block 4 --arg f32=2 --arg buf=f32:16:iota --arg "
           "buf=f32:16:const:1",
         "f32[16] changed: 1 3 5 7 9 11"},
        {F "template.cu --kernel 'axpy<double,1>' --grid 1 --block 4 --arg f64=2 --arg buf=f64:4:iota --arg "
           "buf=f64:4:zero",
         "f64[4] changed: 0 2 4 6"},
        {F "shared.cu --grid 2,2 --block 16,16 --arg buf=f32:1024:iota --arg buf=f32:1024:zero --arg s32=32",
         "f32[1024] changed: 0 32 64 96"},
        {F
         "constant.cu --grid 1 --block 32 --arg buf=f32:32:iota --arg buf=f32:32:zero --arg s32=32 --symbol "
         "weights=buf=f32:4:const:0.25",
         "f32[32] changed: 1.5 2.5 3.5"},
        {F "printf.cu --grid 2 --block 32 --arg s32=7", "block 1 of 2 says 7\n"},
        {F "math.cu --grid 1 --block 4 --arg buf=f32:4:zero --arg buf=f64:4:zero", "f64[4] changed: 0 1.312"},
        {F "groups.cu --grid 1 --block 64 --arg buf=s32:64:iota --arg buf=s32:1:zero",
         "s32[1] changed: 2016\n"},
        {F "vectors.cu --grid 2 --block 32 --arg buf=f32:256:iota --arg buf=f32:256:const:1 --arg s32=64",
         "f32[256] changed: 1 2 3"},
        {F "shuffle.cu --grid 2 --block 64 --arg buf=s32:256:const:1 --arg buf=s32:2:zero --arg s32=256",
         "s32[2] changed: 128 128\n"},
        {F "atomics.cu --kernel histogram --grid 2 --block 64 --shared 1024 --arg buf=u8:512:iota --arg "
           "buf=u32:256:zero --arg u64=512",
         "u32[256] changed: 2 2 2"},
        {"--script $D/half.wf", "s.also"}};
    struct cli c = {.t = t};
    char script[4096];
    if (!has_clang(t)) return;
    snprintf(script, sizeof script,
             "load %s/tests/cli/cuda/half.cu\nbuffer x f16:4:iota\nbuffer b bf16:4:const:0.5\nbuffer s.also "
             "f32:4:zero\n"
             "launch scale 1 32 x b struct=f16:1.5,s32:4,ptr:s.also\n",
             getenv("PWD"));
    cli_write(&c, "half.wf", script, strlen(script));
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct strbuf arguments = {0};
        strbuf_printf(&arguments, "run %s --functional", rows[i].words);
        cli_run(&c, strbuf_text(&arguments));
        strbuf_fini(&arguments);
        CHECK_MSG(t, c.status == 0, "%s: %s", rows[i].words, c.err);
        CHECK_HAS(t, c.out, rows[i].out);
        CHECK_HAS(t, c.err, ".cu: compiled to PTX of sm_80 by ");
    }
    CHECK_HAS(t, c.out, "x  f16[4] changed: 0 1.5 3 4.5\n");
    CHECK_HAS(t, c.out, "s.also  f32[4] changed: 0.5 2 3.5 5\n");
    cli_fini(&c);
}

// An instance that the file does not make; timed, verified, checked, marked, and compiled to a file.
static void test_commands(struct test *t)
{
    static const char launch[] =
        "docs/examples/axpy.cu --kernel 'axpy<float, 2>' --grid 4 --block 64 --arg s32=512 "
        "--arg f32=2 --arg buf=f32:512:iota --arg buf=f32:512:zero";
    static const struct {
        const char *command, *options, *out;
    } rows[] = {{"run", "--gpu tiny --verify", "verified: "},
                {"check", "", "nothing"},
                {"study redundancy", "", "saving"},
                {"profile", "--gpu tiny --out $D/p.html", "axpy"}};
    struct cli c = {.t = t};
    if (!has_clang(t)) return;
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct strbuf arguments = {0};
        strbuf_printf(&arguments, "%s %s %s", rows[i].command, launch, rows[i].options);
        cli_run(&c, strbuf_text(&arguments));
        strbuf_fini(&arguments);
        CHECK_MSG(t, c.status == 0, "%s: %s", rows[i].command, c.err);
        CHECK_HAS(t, c.out, rows[i].out);
    }
    cli_run(&c, "mark " F "shuffle.cu");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "shuffle.cu:");
    cli_run(&c, "compile docs/examples/axpy.cu -o $D/axpy.ptx --kernel 'axpy<float, 2>' --cc -DUNUSED=1");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "axpy.ptx: axpy(u32, f32, u64, u64)\n");
    cli_run(&c, "run $D/axpy.ptx --grid 4 --block 64 --arg s32=512 --arg f32=2 --arg buf=f32:512:iota --arg "
                "buf=f32:512:zero --functional");
    CHECK_HAS(t, c.out, "f32[512] changed: 0 2 4 6");
    cli_fini(&c);
}

static void test_errors(struct test *t)
{
    static const struct {
        const char *arguments;
        int status;
        const char *error;
    } rows[] = {{"run " F "atomics.cu --grid 1 --block 32", 1,
                 "name a kernel: the module has 'histogram', 'largest'"},
                {"run " F "atomics.cu --kernel histogrm --grid 1 --block 32", 1, "did you mean 'histogram'?"},
                {"run " F "template.cu --kernel axpy --grid 1 --block 32", 1, "'axpy<double, 1>'"},
                {"run " F "shared.cu", 2,
                 "run needs --grid and --block for kernel transpose; its parameters, in order: u64 or a "
                 "pointer (--arg "
                 "buf=TYPE:COUNT:INIT), u64 or a pointer (--arg buf=TYPE:COUNT:INIT), u32 (--arg u32=...)"},
                {"run $D/bad.cu", 1, "bad.cu:1:"},
                {"run $D/none.cu", 1, "cannot read $D/none.cu: No such file or directory"},
                {"compile $D/none.ptx", 2, "compile takes a file of CUDA C, FILE.cu"},
                {"run --files $D " F "shared.cu", 2, "--files is for a program"}};
    struct cli c = {.t = t};
    if (!has_clang(t)) return;
    cli_write(&c, "bad.cu", "__global__ void k() { x = 1; }\n", strlen("__global__ void k() { x = 1; }\n"));
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        cli_run(&c, rows[i].arguments);
        CHECK_MSG(t, c.status == rows[i].status, "%s: status %d", rows[i].arguments, c.status);
        CHECK_HAS(t, cli_errors(&c), rows[i].error);
    }
    cli_fini(&c);
}

// Without a compiler in PATH: what to install.
static void test_no_compiler(struct test *t)
{
    char command[5000], *out, *err;
    snprintf(command, sizeof command, "PATH=/nonexistent %s run " F "shared.cu", test_binary());
    CHECK_EQ(t, test_command(command, 60, &out, &err), 1);
    CHECK_HAS(t, err,
              "no clang in PATH to compile CUDA C; install clang (Debian, Ubuntu: apt-get install clang");
    free(out);
    free(err);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"styles", test_styles},
                                             {"commands", test_commands},
                                             {"errors", test_errors},
                                             {"no_compiler", test_no_compiler}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
