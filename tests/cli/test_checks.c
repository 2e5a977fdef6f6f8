// Checks of program errors: races of bytes, races between warps in a functional run, lanes outside
// their member masks, accesses out of bounds within a GPU's page. Fails where an error is missed, or
// a correct program is reported.
#include "base/str.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void run(struct cli *c, const char *arguments)
{
    struct strbuf line = {0};
    strbuf_printf(&line, "run tests/cli/checks.ptx --quiet %s", arguments);
    cli_run(c, line.text);
    strbuf_fini(&line);
}

// Threads writing bytes and half-words of their own do not race; a thread reading its neighbour's byte races.
static void test_bytes(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const modes[] = {"", "--set simt=stack", "--set compile.optimise=0"};
    for (size_t k = 0; k < TEST_COUNT(modes); k++) {
        struct strbuf line = {0};
        strbuf_printf(&line, "--grid 1 --kernel bytes --block 64 --arg buf=u8:64:zero --set check.races=1 %s",
                      modes[k]);
        run(&c, line.text);
        CHECK_EQ(t, c.status, 0);
        CHECK_STR(t, c.err, "");
        strbuf_fini(&line);
    }
    run(&c, "--grid 1 --kernel racing_bytes --block 64 --arg buf=u8:64:zero --set check.races=1");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "error: race in kernel racing_bytes on shared address 0x");
    // Records of finished blocks leave room for later blocks.
    run(&c, "--grid 500 --kernel late --block 64 --arg buf=u32:64:zero --set check.races=1");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "error: race in kernel late on global address 0x");
    cli_fini(&c);
}

// Lanes with one place after another, with places apart and with one place are compared together: of a race the report
// names the lanes. So it does after more records than are kept.
static void test_patterns(struct test *t)
{
    struct cli c = {.t = t};
    static const struct {
        unsigned step, from, loads, writer;
    } cases[] = {{1, 9, 0, 9},  {1, 31, 0, 31}, {3, 12, 0, 4},   {3, 0, 0, 0},
                 {0, 0, 0, 31}, {8, 80, 0, 10}, {1, 9, 80000, 9}};
    for (size_t k = 0; k < TEST_COUNT(cases); k++) {
        struct strbuf line = {0}, want = {0};
        strbuf_printf(&line,
                      "--grid 1 --kernel patterns --block 64 --arg buf=u32:64:zero --arg u32=%u --arg u32=%u "
                      "--arg u32=%u --set check.races=1",
                      cases[k].step, cases[k].from, cases[k].loads);
        strbuf_printf(&want, "shared address 0x%x", 4 * cases[k].from);
        run(&c, line.text);
        CHECK_EQ(t, c.status, 3);
        CHECK_HAS(t, c.err, want.text);
        want.length = 0;
        strbuf_printf(&want, "write by thread (%u,0,0) of block (0,0,0)", cases[k].writer);
        CHECK_HAS(t, c.err, want.text);
        CHECK_HAS(t, c.err, "read by thread (37,0,0) of block (0,0,0)");
        strbuf_fini(&line);
        strbuf_fini(&want);
    }
    run(&c, "--grid 1 --kernel patterns --block 64 --arg buf=u32:64:zero --arg u32=3 --arg u32=1 --arg u32=0 "
            "--set check.races=1");
    CHECK_EQ(t, c.status, 0);
    cli_fini(&c);
}

// The read of kernel joined and the fence of kernel fenced stand where diverged lanes meet again, in a warp
// without all of its lanes (16 threads; a thread that has left).
static void test_hint_at_joins(struct cli *c)
{
    static const char *const profiles[] = {"volta", "ptxplus", "pascal"};
    for (size_t k = 0; k < TEST_COUNT(profiles); k++) {
        struct strbuf line = {0};
        strbuf_printf(&line, "--functional --grid 2 --arg buf=u32:64:zero --set compile.profile=%s",
                      profiles[k]);
        size_t common = line.length;
        strbuf_puts(&line, " --kernel joined --block 48");
        run(c, line.text);
        CHECK_HAS(c->t, c->err, "kernel joined: reads shared address 0x0, also used by warp 0 of the block");
        line.length = common;
        strbuf_puts(&line, " --kernel fenced --block 64");
        run(c, line.text);
        CHECK_STR(c->t, c->err, "");
        strbuf_fini(&line);
    }
}

// Without a barrier, a functional run warns of values depending on the order of warps. With a barrier, and in
// timed runs (a legal order on a GPU), no warning.
static void test_hint(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, "--functional --grid 2 --kernel warps --block 64 --arg buf=u32:64:zero --arg u32=0");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.err,
              "warning: kernel warps: writes shared address 0x80, also used by warp 0 of the block without a "
              "barrier between");
    CHECK_HAS(t, c.err, "a functional run executes warps in turn");
    run(&c, "--functional --grid 2 --kernel warps --block 64 --arg buf=u32:64:zero --arg u32=1 --json -");
    CHECK_STR(t, c.err, "");
    CHECK_STR(t, cli_json(c.out, "warnings"), "[]");
    run(&c, "--functional --grid 2 --kernel warps --block 32 --arg buf=u32:64:zero --arg u32=0");
    CHECK_STR(t, c.err, ""); // one warp
    run(&c, "--gpu tiny --grid 2 --kernel warps --block 64 --arg buf=u32:64:zero --arg u32=0");
    CHECK_STR(t, c.err, "");
    run(&c, "--functional --grid 2 --kernel flag --block 64 --arg buf=u32:64:zero --arg u32=0");
    CHECK_STR(t, c.err, ""); // all warps write the same value
    run(&c, "--functional --grid 2 --kernel flag --block 64 --arg buf=u32:64:zero --arg u32=1");
    CHECK_HAS(t, c.err, "warning: kernel flag: writes shared address 0x0, also used by warp 0 of the block");
    test_hint_at_joins(&c);
    cli_fini(&c);
}

static void test_members(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const ways[] = {"--functional", "--gpu tiny", "--functional --set simt=stack",
                                       "--gpu tiny --threads 2 --set exec.isa=general"};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) {
        struct strbuf line = {0};
        strbuf_printf(&line, "%s --grid 2 --kernel vote --block 32 --arg buf=u32:32:zero", ways[k]);
        size_t common = line.length;
        strbuf_puts(&line, " --arg u32=0xffffffff");
        run(&c, line.text);
        CHECK_STR(t, c.err, "");
        line.length = common;
        strbuf_puts(&line, " --arg u32=0xffff");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 0);
        CHECK_HAS(t, c.err, "warning: kernel vote: lane 16 is missing in its own member mask 0x0000ffff");
        CHECK_HAS(t, c.err, "by thread (16,0,0) of block (");
        CHECK_HAS(t, c.err, "and 1 more; check.members=stop");
        strbuf_puts(&line, " --set check.members=ignore");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 0);
        CHECK_STR(t, c.err, "");
        strbuf_puts(&line, " --set check.members=stop");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 3);
        CHECK_HAS(t, c.err, "error: kernel vote: lane 16 is missing in its own member mask 0x0000ffff");
        strbuf_fini(&line);
    }
    cli_fini(&c);
}

// 64 threads from element 960 of 1000 on: 24 beyond the end, but within CUDA's page. With check.bounds=warn,
// memory is the same under every engine.
static void test_bounds(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const ways[] = {"--functional", "--gpu tiny", "--functional --set exec.isa=general",
                                       "--gpu gtx1080ti-paper --threads 2"};
    for (size_t k = 0; k < TEST_COUNT(ways); k++) {
        struct strbuf line = {0};
        strbuf_printf(&line,
                      "%s --set compile.optimise=0 --grid 1 --kernel shifted --block 64 --arg "
                      "buf=u32:1000:iota --arg buf=u32:64:zero "
                      "--dump 1=$D/out",
                      ways[k]);
        size_t common = line.length;
        strbuf_puts(&line, " --arg u32=960");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 3);
        CHECK_HAS(t, c.err, "out-of-bounds global read of 4 bytes");
        strbuf_puts(&line, " --set check.bounds=warn --json $D/json");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 0);
        CHECK_HAS(t, c.err, "warning: kernel shifted: out-of-bounds global read of 4 bytes");
        CHECK_HAS(t, c.err, "by thread (40,0,0) of block (");
        CHECK_HAS(t, c.err, "is just past the end of argument 0 (4000 bytes at 0x10000000)");
        size_t length;
        uint32_t *out = (uint32_t *)(void *)cli_read(&c, "out", &length);
        for (unsigned n = 0; out && n < 64; n++) CHECK_EQ(t, out[n], n < 40 ? 2 * (960 + n + 1) : 2);
        free(out);
        char *json = cli_read(&c, "json", &length);
        CHECK_HAS(t, json ? json : "", "\"name\": \"bounds\"");
        CHECK_HAS(t, json ? json : "", "\"count\": 96"); // four accesses of 24 threads
        free(json);
        strbuf_puts(&line, " --set check.bounds=ignore");
        run(&c, line.text);
        CHECK_EQ(t, c.status, 0);
        CHECK_STR(t, c.err, "");
        line.length = common;
        strbuf_puts(&line, " --arg u32=100000000 --set check.bounds=ignore"); // not mapped on any GPU
        run(&c, line.text);
        CHECK_EQ(t, c.status, 3);
        strbuf_fini(&line);
    }
    cli_fini(&c);
}

// The report of an endless launch shows the warps of one SM, and says that other SMs are stuck, too.
static void test_forever(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, "--grid 3 --block 64 --kernel forever --arg buf=u32:1:zero");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "error: kernel forever will never end: since cycle ");
    CHECK_HAS(t, c.err, "SM 0, block (0,0,0), warp 1: ");
    CHECK_HAS(t, c.err, "and 2 more SMs with unfinished blocks\n");
    run(&c, "--grid 1 --block 64 --kernel forever --arg buf=u32:1:zero");
    CHECK(t, strstr(c.err, "more SM") == NULL);
    cli_fini(&c);
}

// The cycles in a report are the cycles counted by the limit: from the first possible start of a block on.
static void test_cycles_of_reports(struct test *t)
{
    static const struct {
        const char *limit, *gpu;
        unsigned most;
    } rows[] = {{"200", "gtx1080ti", 200}, {"20000", "gtx1080ti", 20000}, {"200", "tiny", 200}};
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct strbuf line = {0};
        strbuf_printf(&line,
                      "--grid 2 --block 64 --kernel forever --arg buf=u32:1:zero --gpu %s --max-cycles %s",
                      rows[k].gpu, rows[k].limit);
        run(&c, line.text);
        CHECK_EQ(t, c.status, 3);
        const char *at = c.err;
        bool has_latency = rows[k].gpu[0] == 'g';
        CHECK_EQ(t,
                 strstr(c.err,
                        "\n  cycles count from when the first block could start, 5100 after the launch "
                        "(gpu.launch_latency)\n") != NULL,
                 has_latency);
        while ((at = strstr(at, "since cycle ")) != NULL) {
            at += strlen("since cycle ");
            CHECK_MSG(t, strtoul(at, NULL, 10) <= rows[k].most, "%s", c.err);
        }
        strbuf_fini(&line);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"bytes", test_bytes},
                                             {"patterns", test_patterns},
                                             {"hint", test_hint},
                                             {"members", test_members},
                                             {"bounds", test_bounds},
                                             {"forever", test_forever},
                                             {"cycles of reports", test_cycles_of_reports}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
