// Counter-examples to earlier rules, as kernels. The model of docs/explanation/model found the first two.
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

// `launch`: block, arguments, settings. `status`: the right exit status.
static void run(struct test *t, const char *gpu, const char *option, const char *file, const char *launch,
                int status)
{
    char command[500], *out, *err;
    snprintf(command, sizeof command,
             "%s run tests/tech/protocol/%s --kernel k --grid 1 %s --gpu %s --tech darsie%s --verify --quiet",
             test_binary(), file, launch, gpu, option);
    int got = test_command(command, 60, &out, &err);
    CHECK_MSG(t, got == status, "%s with darsie%s on %s: exit %d\n%s", file, option, gpu, got, err);
    free(out);
    free(err);
}

static void with_all(struct test *t, const char *file, const char *launch)
{
    for (size_t k = 0; k < TEST_COUNT(options); k++) {
        run(t, "tiny", options[k], file, launch, 0);
        run(t, "gtx1080ti-paper", options[k], file, launch, 0);
    }
}

static void test_exit_loop(struct test *t)
{
    with_all(t, "exit-loop.ptx", "--block 32,4 --arg buf=u32:128:zero --arg u32=20 --arg buf=u32:60000:zero");
}

static void test_off_path(struct test *t)
{
    with_all(t, "off-path.ptx",
             "--block 32,4 --arg buf=u32:256:zero --arg buf=u32:1:zero --arg buf=u32:40000:zero");
}

static void test_own_memory(struct test *t)
{
    with_all(t, "own-memory.ptx",
             "--block 32,4 --arg buf=u32:128:zero --arg buf=u32:1:zero --arg u32=3 --arg u32=3 --arg u32=20");
}

// An entry led by part of a warp records the version of the register that keeps the other lanes. The number
// alone is soon reused by another version.
static void test_old_lanes(struct test *t)
{
    enum { BROKEN = 1 << 13 }; // RULE_VERSIONS
#define SETTINGS "--set mark.warp_classes=1 --set simt=stack --set compile.optimise=0"
#define FOURS                                                                                                \
    SETTINGS " --set warp.size=4 --arg buf=u32:256:zero --arg buf=u32:4096:zero --arg u32=4 --arg u32=2"
    static const struct {
        const char *gpu, *launch;
    } shapes[] = {
        {"tiny", "--block 256,4 --set fetch.ibuffer=1 " SETTINGS
                 " --arg buf=u32:2048:zero --arg buf=u32:40000:zero --arg u32=32 --arg u32=16"},
        {"tiny", "--block 32,4 " FOURS},
        {"tiny", "--block 8,16 " FOURS},
        {"gtx1080ti-paper", "--block 32,4 " FOURS},
        {"gtx1080ti", "--block 8,16 " FOURS},
    };
    static const char *const ways[] = {"branch-sync=first,pending=private", "branch-sync=first",
                                       "branch-sync=off"};
    for (size_t k = 0; k < TEST_COUNT(shapes); k++)
        for (size_t n = 0; n < TEST_COUNT(ways); n++) {
            char option[120];
            snprintf(option, sizeof option, ":watchdog=0,diverged=on,%s", ways[n]);
            run(t, shapes[k].gpu, option, "old-lanes.ptx", shapes[k].launch, 0);
            snprintf(option, sizeof option, ":watchdog=0,diverged=on,%s,broken=%d", ways[n], BROKEN);
            run(t, shapes[k].gpu, option, "old-lanes.ptx", shapes[k].launch, 4);
        }
#undef FOURS
#undef SETTINGS
}

// A register without users is not free while a reply to it is under way. The model's books detect a read of
// the next value before its arrival.
static void test_late_reply(struct test *t)
{
    enum { BROKEN = 1 << 14 }; // RULE_REPLIES
#define SETTINGS "--set mark.warp_classes=1 --set simt=stack --set compile.optimise=0 --set sim.check=1"
    static const struct {
        const char *option, *launch;
    } shapes[] = {
        {":watchdog=0,early=on", "--block 8,4 " SETTINGS " --set warp.size=4 --arg buf=u32:64:zero "
                                 "--arg buf=u32:40000:zero --arg u32=4 --arg u32=0"},
        {":watchdog=0,early=on,branch-sync=first",
         "--block 64,4 " SETTINGS
         " --arg buf=u32:512:zero --arg buf=u32:40000:zero --arg u32=32 --arg u32=0"},
    };
#undef SETTINGS
    static const char *const gpus[] = {"tiny", "gtx1080ti-paper"};
    for (size_t k = 0; k < TEST_COUNT(shapes) * TEST_COUNT(gpus); k++) {
        size_t shape = k / TEST_COUNT(gpus);
        const char *gpu = gpus[k % TEST_COUNT(gpus)];
        char option[100];
        run(t, gpu, shapes[shape].option, "late-reply.ptx", shapes[shape].launch, 0);
        snprintf(option, sizeof option, "%s,broken=%d", shapes[shape].option, BROKEN);
        run(t, gpu, option, "late-reply.ptx", shapes[shape].launch, 3);
    }
}

// A warp's own value stays in the warp's own register, and an atomic may still write the register.
static void test_late_atomic(struct test *t)
{
    static const char *const launch =
        "--block 32,4 --set compile.disable=convert --arg buf=u32:256:zero --arg buf=u32:80000:zero "
        "--arg buf=u32:1:zero --arg u32=0";
    for (size_t k = 0; k < TEST_COUNT(options); k++) run(t, "tiny", options[k], "late-atomic.ptx", launch, 0);
    run(t, "tiny", ":watchdog=0,branch-sync=first", "late-atomic.ptx", launch, 0);
    run(t, "gtx1080ti-paper", ":watchdog=0,branch-sync=first", "late-atomic.ptx", launch, 0);
}

// Lanes not written by part of a warp keep the warp's own value, if the register held one.
static void test_own_lanes(struct test *t)
{
    static const char *const launch =
        "--block 32,2 --set compile.optimise=0 --set simt=stack --arg buf=u32:256:zero "
        "--arg buf=u32:180000:zero --arg buf=u32:1:zero";
    run(t, "tiny", ":watchdog=0,diverged=on,branch-sync=first", "own-lanes.ptx", launch, 0);
    run(t, "gtx1080ti-paper", ":watchdog=0,diverged=on,branch-sync=first", "own-lanes.ptx", launch, 0);
    run(t, "tiny", ":watchdog=0,diverged=on,branch-sync=first,broken=1", "own-lanes.ptx", launch,
        4); // RULE_POISON
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"a loop that is left by an exit", test_exit_loop},
        {"values of warps off the path", test_off_path},
        {"what a warp has stored to local memory", test_own_memory},
        {"lanes of a register that is another's", test_old_lanes},
        {"a reply to a register that is free", test_late_reply},
        {"an atomic's reply behind a skipped instruction", test_late_atomic},
        {"a warp's own value in lanes that are not written", test_own_lanes}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
