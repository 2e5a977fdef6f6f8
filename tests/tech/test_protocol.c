// Counter-examples to rules as they once were, as kernels: the first two were found by the model of
// docs/model.
#include "harness/settings.h"

#include <stdlib.h>
#include <string.h>

static const char *const options[] = {
    ":watchdog=0",
    ":watchdog=0,branch-sync=parting,early=on,predicates=on,full=wait,evict=on",
    ":watchdog=0,branch-sync=off",
    ":watchdog=0,entries=1",
    ":watchdog=0,registers=2",
    ":watchdog=0,on-store=overlap",
    ":watchdog=0,on-store=overlap,early=on,full=wait,evict=on"};

static void run(struct test *t, const char *gpu, const char *option, const char *file, const char *arguments)
{
    char command[500], *out, *err;
    snprintf(command, sizeof command,
             "%s run tests/tech/protocol/%s --kernel k --grid 1 --block 32,4 %s --gpu %s --tech darsie%s "
             "--verify --quiet",
             test_binary(), file, arguments, gpu, option);
    int status = test_command(command, 60, &out, &err);
    CHECK_MSG(t, status == 0, "%s with darsie%s on %s: exit %d\n%s", file, option, gpu, status, err);
    free(out);
    free(err);
}

static void with_all(struct test *t, const char *file, const char *arguments)
{
    for (size_t k = 0; k < TEST_COUNT(options); k++) {
        run(t, "tiny", options[k], file, arguments);
        run(t, "gtx1080ti", options[k], file, arguments);
    }
}

static void test_exit_loop(struct test *t)
{
    with_all(t, "exit-loop.ptx", "--arg buf=u32:128:zero --arg u32=20 --arg buf=u32:60000:zero");
}

static void test_off_path(struct test *t)
{
    with_all(t, "off-path.ptx", "--arg buf=u32:256:zero --arg buf=u32:1:zero --arg buf=u32:40000:zero");
}

static void test_own_memory(struct test *t)
{
    with_all(t, "own-memory.ptx",
             "--arg buf=u32:128:zero --arg buf=u32:1:zero --arg u32=3 --arg u32=3 --arg u32=20");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"a loop that is left by an exit", test_exit_loop},
                                             {"values of warps off the path", test_off_path},
                                             {"what a warp has stored to local memory", test_own_memory}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
