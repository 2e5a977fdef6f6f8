// `warpfold run -- PROGRAM`: whole programs with the runtime as a shared library. The programs are built by the host's
// compiler from a fat binary made by hand and, where nvcc is, by nvcc.
#include "base/file.h"
#include "base/str.h"
#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 };

static const char *runtimes(void) // folder of the shared libraries
{
    static char folder[4096];
    snprintf(folder, sizeof folder, "%s", test_binary());
    snprintf(strrchr(folder, '/'), 16, "/cudart");
    return folder;
}

// False, and the case is skipped: this build has no shared libraries (src/cudart/rules.mk).
static bool has_runtimes(struct test *t)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/libcudart.so.13", runtimes());
    if (access(path, R_OK) == 0) return true;
    test_skip(t, "a build with a sanitizer has no shared libraries");
    return false;
}

// Builds programs/words.c, once a case; NULL: no compiler, or no library.
static const char *words(struct test *t)
{
    static char path[4096];
    struct strbuf command = {0};
    char *out, *err;
    snprintf(path, sizeof path, "%s/words", test_directory(t));
    if (access(path, X_OK) == 0) return path;
    strbuf_printf(
        &command,
        "cc -std=c17 -D_GNU_SOURCE -Isrc -Itests tests/cudart/programs/words.c tests/cudart/fat.c -o %s "
        "%s/libcudart.so.13",
        path, runtimes());
    int status = test_command(strbuf_text(&command), LIMIT_S, &out, &err);
    CHECK_MSG(t, status == 0, "%s", err);
    free(out);
    free(err);
    strbuf_fini(&command);
    return status == 0 ? path : NULL;
}

// `warpfold COMMAND OPTIONS -- words WORDS`, with variables before.
static int command(struct test *t, const char *variables, const char *name, const char *options,
                   const char *doing, char **out, char **err)
{
    const char *program = words(t);
    struct strbuf command = {0};
    *out = *err = NULL;
    if (!program) return -1;
    strbuf_printf(&command, "%s %s %s %s -- %s %s", variables, test_binary(), name, options, program, doing);
    int status = test_command(strbuf_text(&command), LIMIT_S, out, err);
    strbuf_fini(&command);
    return status;
}

static int run(struct test *t, const char *variables, const char *options, const char *doing, char **out,
               char **err)
{
    return command(t, variables, "run", options, doing, out, err);
}

// Runs functionally, and compares status and stdout; stderr has the part.
static void check(struct test *t, const char *options, const char *doing, int status, const char *stdout_text,
                  const char *stderr_part)
{
    char *out, *err;
    CHECK_EQ(t, run(t, "", options, doing, &out, &err), status);
    CHECK_STR(t, out, stdout_text);
    CHECK_HAS(t, err, stderr_part);
    free(out);
    free(err);
}

static void test_status(struct test *t)
{
    if (!has_runtimes(t)) return;
    check(t, "--functional", "launch", 0, "count 12, cudaSuccess\n", "count ");
    check(t, "--functional --quiet", "launch launch", 0, "count 12, cudaSuccess\ncount 17, cudaSuccess\n",
          "");
    check(t, "--functional", "launch exit=7", 7, "count 12, cudaSuccess\n", "");
    check(t, "--functional", "signal", 137, "", "");
    check(t, "--functional", "say notice", 0, "kernel says 12\ncudaSuccess\n", "");
    check(t, "--functional", "leave", 9, "", "");
    check(t, "--functional", "fork", 0, "count 12, cudaSuccess\ncount 12, cudaSuccess\n", "");
}

// A program that asks for no error after a failed launch, and ends with 0, ends with 3; any other status is the program's.
static void test_faults(struct test *t)
{
    if (!has_runtimes(t)) return;
    check(t, "--functional", "fault", 3, "", "0x0 is a null pointer");
    check(t, "--functional", "fault notice", 0, "cudaErrorIllegalAddress\n", "store_at");
    check(t, "--functional", "fault exit=5", 5, "", "store_at");
    check(t, "--functional", "absent absent", 0, "cudaErrorNotSupported\ncudaErrorNotSupported\n",
          "cudaGraphicsMapResources is not there");
    char *out, *err;
    CHECK_EQ(t, run(t, "NO_PTX=1", "--functional", "launch", &out, &err), 0);
    CHECK_STR(t, out, "count -1, cudaErrorNoKernelImageForDevice\n");
    CHECK_HAS(t, err, "nvcc -gencode arch=compute_75,code=[sm_75,compute_75]");
    free(out);
    free(err);
}

static void test_timed(struct test *t)
{
    if (!has_runtimes(t)) return;
    check(t, "--gpu tiny", "time", 0, "time passes, cudaSuccess\n", "cycles");
    check(t, "--functional", "time", 0, "time passes, cudaSuccess\n", "count");
    check(t, "--gpu tiny --tech darsie --verify", "lots", 0, "", "next_word");
    check(t, "--functional", "shared", 0, "shared 233472, a block 232448\n", "");
    check(t, "--gpu titanv", "shared", 0, "shared 98304, a block 98304\n", "");
    check(t, "--gpu a100", "shared", 0, "shared 167936, a block 166912\n", "");
    check(t, "--gpu gtx1080ti", "rates", 0, "single over double 32\n", "");
    check(t, "--gpu titanv", "rates", 0, "single over double 2\n", "");
    check(t, "--gpu tiny --max-cycles 1", "launch", 0, "count -1, cudaErrorLaunchTimeout\n", "max-cycles");
}

static void test_check(struct test *t)
{
    static const struct {
        const char *options, *words;
        int status;
        const char *out, *err;
    } cases[] = {
        {"", "launch lots", 0, "count 12, cudaSuccess\n", "nothing found in 6 launches"},
        {"--gpu titanv", "copies", 0, "word 42\n", "nothing found in 3 launches"},
        {"", "unset", 1, "word 1\n", "unwritten read: read of 4 bytes of global memory never written"},
        {"--quiet", "unset", 1, "word 1\n", ""},
        {"", "unset exit=7", 7, "word 1\n", "of add_byte"},
        {"", "fault", 1, "", "out of bounds"},
        {"--kernel count", "launch", 2, "", "--kernel is for a kernel or a script"},
        {"--bench vecadd", "launch", 2, "", "--bench is for a kernel or a script"},
    };
    if (!has_runtimes(t)) return;
    for (size_t i = 0; i < TEST_COUNT(cases); i++) {
        char *out, *err;
        int status = command(t, "", "check", cases[i].options, cases[i].words, &out, &err);
        CHECK_MSG(t, status == cases[i].status, "%s %s: %d, %s", cases[i].options, cases[i].words, status,
                  err);
        CHECK_STR(t, out, cases[i].out);
        CHECK_HAS(t, err, cases[i].err);
        if (!*cases[i].err) CHECK_STR(t, err, "");
        free(out);
        free(err);
    }
}

// Every launch is in the JSON; launches that are not chosen have no cycles.
static void test_json(struct test *t)
{
    if (!has_runtimes(t)) return;
    char *out, *err, *json = NULL;
    const char *why;
    size_t length;
    struct strbuf options = {0};
    strbuf_printf(&options, "--gpu tiny --quiet --kernel count --launches 2-3 --json %s/r.json",
                  test_directory(t));
    CHECK_EQ(t, run(t, "", strbuf_text(&options), "lots", &out, &err), 0);
    CHECK_STR(t, err, "");
    strbuf_clear(&options);
    strbuf_printf(&options, "%s/r.json", test_directory(t));
    CHECK(t, file_read(strbuf_text(&options), &json, &length, &why));
    unsigned launches = 0, untimed = 0;
    for (const char *at = json ? strstr(json, "\"launches\"") : NULL;
         at && (at = strstr(at, "\"elapsed_cycles\"")); at++) {
        launches++;
        untimed += strncmp(at, "\"elapsed_cycles\": null", 22) == 0 ||
                   strncmp(at, "\"elapsed_cycles\":null", 21) == 0;
    }
    CHECK_EQ(t, launches, 5);
    CHECK_EQ(t, untimed, 3);
    strbuf_fini(&options);
    free(json);
    free(out);
    free(err);
}

// `warpfold profile -- PROGRAM`: the program's output once, its status, a page, and rules measured by what-if runs of the
// program in its first folder.
static void test_profile(struct test *t)
{
    if (!has_runtimes(t)) return;
    const char *program = words(t), *folder = test_directory(t);
    struct strbuf command = {0};
    char *out, *err, *json = NULL, *page = NULL;
    const char *why;
    size_t length;
    strbuf_printf(
        &command,
        "%s profile --gpu tiny --kernel count --launches 2-3 --out %s/p.html --json %s/p.json -- %s "
        "launch lots exit=7",
        test_binary(), folder, folder, program ? program : "none");
    CHECK_EQ(t, test_command(strbuf_text(&command), LIMIT_S, &out, &err), 7);
    CHECK_STR(t, out, "count 12, cudaSuccess\n");
    CHECK_HAS(t, err, "kernel count is limited by ");
    strbuf_clear(&command);
    strbuf_printf(&command, "%s/p.json", folder);
    CHECK(t, file_read(strbuf_text(&command), &json, &length, &why));
    CHECK_HAS(t, json ? json : "", "\"state\": \"measured\"");
    CHECK(t, !strstr(json ? json : "", "\"state\": \"failed\""));
    strbuf_clear(&command);
    strbuf_printf(&command, "%s/p.html", folder);
    CHECK(t, file_read(strbuf_text(&command), &page, &length, &why));
    CHECK_HAS(t, page ? page : "", "<title>warpfold: profile</title>");
    free(json);
    free(page);
    free(out);
    free(err);
    strbuf_fini(&command);
}

static void test_refusals(struct test *t)
{
    if (!has_runtimes(t)) return;
    static const struct {
        const char *words, *message;
        int status;
    } cases[] = {
        {"run --", "name a program", 2},
        {"run -- /nonexistent", "cannot run /nonexistent", 1},
        {"run --grid 1 -- true", "--grid is for a kernel or a script", 2},
        {"run --json - -- true", "stdout is the program's", 2},
        {"run --launches 3-2 -- true", "--launches 3-2", 2},
        {"run --functional -- true", "", 0},
        {"run --functional -- false", "", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf command = {0};
        char *out, *err;
        strbuf_printf(&command, "%s %s", test_binary(), cases[i].words);
        CHECK_EQ(t, test_command(strbuf_text(&command), LIMIT_S, &out, &err), cases[i].status);
        CHECK_HAS(t, err, cases[i].message);
        strbuf_fini(&command);
        free(out);
        free(err);
    }
    char *out, *err;
    CHECK_EQ(t, run(t, "", "--gpu nosuch", "launch", &out, &err), 2);
    CHECK_HAS(t, err, "nosuch");
    free(out);
    free(err);
}

static const char *nvcc(void)
{
    static const char at[] = "/usr/local/cuda/bin/nvcc";
    return test_has_tool("nvcc") ? "nvcc" : access(at, X_OK) == 0 ? at : NULL;
}

// The program of NVIDIA's compiler: host functions of kernels, relocatable code, a default stream per thread, static linking.
static void test_nvcc(struct test *t)
{
    static const char *const forms[] = {"-cudart shared", "-cudart shared -rdc=true",
                                        "-cudart shared -default-stream per-thread", "-cudart static"};
    if (!has_runtimes(t)) return;
    if (!nvcc()) {
        test_skip(t, "nvcc is not installed");
        return;
    }
    for (size_t i = 0; i < (test_is_quick() ? 1 : sizeof forms / sizeof *forms); i++) {
        bool is_static = i == 3;
        struct strbuf command = {0};
        char *out, *err;
        const char *program = test_directory(t);
        strbuf_printf(&command,
                      "%s %s -o %s/p tests/cudart/programs/whole.cu tests/cudart/programs/other.cu && %s run "
                      "--functional --quiet -- %s/p",
                      nvcc(), forms[i], program, test_binary(), program);
        CHECK_EQ(t, test_command(strbuf_text(&command), LIMIT_S, &out, &err), is_static ? 1 : 0);
        CHECK_STR(t, out, is_static ? "" : "whole: 0 wrong\n");
        if (is_static) CHECK_HAS(t, err, "link it with nvcc -cudart shared");
        strbuf_fini(&command);
        free(out);
        free(err);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"status", test_status}, {"faults", test_faults},   {"timed", test_timed},       {"json", test_json},
        {"check", test_check},   {"profile", test_profile}, {"refusals", test_refusals}, {"nvcc", test_nvcc}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
