// valgrind finds no error and no leak in a sample of whole runs: launches, scripts, failures, bad input. The
// long form runs every bundled kernel at small size.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALGRIND                                                                                             \
    "valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all "

static void check_clean(struct test *t, const char *arguments, int want_status)
{
    char command[2000], *err;
    snprintf(command, sizeof command, VALGRIND "%s %s >/dev/null", test_binary(), arguments);
    int status = test_command(command, test_is_long() ? 3000 : 200, NULL, &err);
    CHECK_MSG(t, status == want_status && !strstr(err, "\n==") && strncmp(err, "==", 2) != 0,
              "%s\nends with status %d:\n%s", command, status, err);
    free(err);
}

static bool is_possible(struct test *t)
{
    if (strstr(test_binary(), "-asan/") || strstr(test_binary(), "-tsan/")) {
        test_skip(t, "a sanitizer build does not run under valgrind");
        return false;
    }
    if (test_has_tool("valgrind")) return true;
    test_skip_tool(t, "valgrind");
    return false;
}

static void test_runs(struct test *t)
{
    if (!is_possible(t)) return;
    check_clean(t, "bench vecadd matrixMul nqueens convolutionTexture --size small", 0);
    check_clean(t, "bench vecadd --size small --gpu tiny --tech darsie --json -", 0);
    check_clean(t,
                "run tests/api/kernels.ptx --kernel scale --grid 1 --block 96 --arg buf=f32:64:rand:1 --arg "
                "buf=f32:64:zero --arg f32=1 --arg "
                "u32=64 --verify --json - --set check.races=1",
                0);
    check_clean(t,
                "run tests/api/kernels.ptx --kernel operate --grid 1 --block 32 --arg buf=u32:32:zero --arg "
                "u32=3 --set simt=stack",
                0);
    check_clean(t, "mark kernels/ptx/nvcc/spmv.ptx --kernel spmv_vector", 0);
    if (test_is_long()) check_clean(t, "bench --size small", 0);
    if (test_is_long()) check_clean(t, "bench --size small --ptx clang --set compile.profile=ptxplus", 0);
}

static void test_failures(struct test *t)
{
    if (!is_possible(t)) return;
    check_clean(t,
                "run tests/api/kernels.ptx --kernel past_the_end --grid 1 --block 1 --arg buf=u32:10:zero "
                "--arg u32=10",
                3);
    check_clean(t, "run tests/api/kernels.ptx --kernel tensor --grid 1 --block 1 --arg u64=0", 1);
    check_clean(t, "run README.md --kernel x --grid 1 --block 1", 1);
    check_clean(t,
                "run tests/api/kernels.ptx --kernel count --grid 1 --block 1 --arg buf=u33:1:zero --arg "
                "bytes=00 --arg bytes=01",
                1);
    check_clean(t, "run --script README.md", 1);
    check_clean(t, "run --grud 3 --set a=b", 2);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"runs", test_runs}, {"failures", test_failures}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
