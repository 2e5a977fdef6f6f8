// Kernels waiting for memory: words written by other launches, or by no launch. Fails where a wait never
// ends, or the report lacks the awaited word.
#include "api/warpfold.h"
#include "base/str.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// -- two streams --------------------------------------------------------------------------------------------

// Runs a script of `lines`, after a head loading the kernels.
static void run_script(struct cli *c, const char *lines, const char *options)
{
    struct strbuf text = {0}, arguments = {0};
    char here[4000];
    if (!getcwd(here, sizeof here)) abort();
    strbuf_printf(&text,
                  "load %s/tests/cli/waits.ptx\nbuffer a u32:4:zero\nstream one\nstream two\n%s"
                  "dump a a.bin\n",
                  here, lines);
    cli_write(c, "s.wf", text.text, text.length);
    strbuf_printf(&arguments, "run --script $D/s.wf --quiet --json $D/run.json %s", options);
    cli_run(c, arguments.text);
    strbuf_fini(&text);
    strbuf_fini(&arguments);
}

static void check_json(struct cli *c, const char *status)
{
    size_t length;
    char *json = cli_read(c, "run.json", &length);
    CHECK_STR(c->t, json ? cli_json(json, "status") : "", status);
    CHECK(c->t, json && length > 2 && strcmp(json + length - 2, "}\n") == 0);
    free(json);
}

static const char *const ways[] = {"--gpu tiny", "--functional", "--gpu tiny --verify",
                                   "--functional --set check.races=1", "--functional --set exec.isa=general"};

// Launches of two streams needing each other's stores: side by side on a chip, by turns in a functional run.
static void test_together(struct test *t)
{
    static const struct {
        const char *lines;
        uint32_t left[2];
    } rows[] = {
        {"launch meet 1 32 a a+4 stream=one\nlaunch meet 1 32 a+4 a stream=two\n", {1, 1}},
        {"launch meet 2 64 a a+4 stream=one\nlaunch meet 3 128 a+4 a stream=two\n", {1, 1}},
        {"launch follow 1 32 a a+4 stream=one\nlaunch meet 1 32 a+4 a stream=two\n", {1, 1}},
        {"launch turns 1 32 a u32=0 stream=one\nlaunch turns 1 32 a u32=1 stream=two\n", {100, 0}},
        {"launch counting 1 32 a a+8 stream=one\nlaunch meet 1 32 a a stream=two\n", {1, 0}},
        {"launch bounded 1 32 a a+8 u64=1000000000 stream=one\nlaunch meet 1 32 a a stream=two\n", {1, 0}},
        {"launch sleeping 1 32 a u32=100 stream=one\nlaunch meet 1 32 a a stream=two\n", {1, 0}},
    };
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        for (size_t n = 0; n < TEST_COUNT(ways); n++) {
            run_script(&c, rows[k].lines, ways[n]);
            CHECK_MSG(t, c.status == 0, "%s%s: status %d, %s", rows[k].lines, ways[n], c.status, c.err);
            if (strstr(ways[n], "--verify") && strstr(rows[k].lines, "a+8")) // number of waiting instructions
                CHECK_HAS(t, c.err,
                          "may depend on execution order (launches that wait for each other); memory is not "
                          "compared");
            size_t length;
            uint32_t *left = (uint32_t *)(void *)cli_read(&c, "a.bin", &length);
            for (unsigned w = 0; left && w < 2; w++) CHECK_EQ(t, left[w], rows[k].left[w]);
            free(left);
            check_json(&c, "\"ok\"");
        }
    cli_fini(&c);
}

// Both launches wait for the other before their own store.
static void test_apart(struct test *t)
{
    static const char lines[] = "launch follow 1 32 a a+4 stream=one\nlaunch follow 1 32 a+4 a stream=two\n";
    struct cli c = {.t = t};
    for (size_t n = 0; n < TEST_COUNT(ways); n++) {
        run_script(&c, lines, ways[n]);
        CHECK_EQ(t, c.status, 3);
        CHECK_HAS(t, c.err, "s.wf:5:1: error: kernel follow will never end: since ");
        CHECK_HAS(t, c.err, "s.wf:6:1: error: kernel follow will never end: since ");
        CHECK_HAS(t, c.err, "warp 0");
        CHECK_HAS(t, c.err, "waits.ptx:");
        CHECK_HAS(t, c.err,
                  "; reads global 0x10000004 (4 bytes: 0x0), 4 bytes into a (16 bytes at 0x10000000)");
        if (strstr(ways[n], "--functional"))
            CHECK_HAS(t, c.err, "\n  kernel follow of stream two waits as well\n");
        check_json(&c, "\"failed\"");
        CHECK(t, !cli_exists(&c, "a.bin"));
    }
    cli_fini(&c);
}

// The store to the flag is queued behind the waiting kernel.
static void test_behind(struct test *t)
{
    static const char lines[] =
        "launch sleeping 1 32 a u32=100 stream=one\nlaunch meet 1 32 a a stream=one\n";
    struct cli c = {.t = t};
    for (size_t n = 0; n < TEST_COUNT(ways); n++) {
        run_script(&c, lines, ways[n]);
        CHECK_EQ(t, c.status, 3);
        CHECK_HAS(t, c.err, "s.wf:5:1: error: kernel sleeping will never end: since ");
        if (strstr(ways[n], "--functional"))
            CHECK_HAS(t, c.err,
                      "\n  kernel meet of stream one has not begun: waits for the end of kernel sleeping of "
                      "stream one\n");
        check_json(&c, "\"failed\"");
    }
    cli_fini(&c);
}

// The report names a launch without room on the chip.
static void test_no_room(struct test *t)
{
    struct cli c = {.t = t};
    run_script(&c, "launch busy 64 1024 a+8 u64=1000000 stream=one\nlaunch meet 1 32 a a stream=two\n",
               "--gpu tiny --max-cycles 3000");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err,
              "kernel meet stopped: the limit of 3000 cycles (--max-cycles) is reached, 0 of 1 blocks have "
              "ended\n  no block has started: other launches have the room\n");
    cli_fini(&c);
}

// A study runs launches in sequence.
static void test_studied(struct test *t)
{
    struct cli c = {.t = t};
    char command[400];
    run_script(&c, "launch meet 1 32 a a+4 stream=one\nlaunch meet 1 32 a+4 a stream=two\n", "--functional");
    CHECK_EQ(t, c.status, 0);
    snprintf(command, sizeof command, "study redundancy --script $D/s.wf");
    cli_run(&c, command);
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "s.wf:5:1: error: kernel meet will never end: since ");
    CHECK_HAS(t, c.err,
              "\n  kernel meet of stream two has not begun: a study watches launches one at a time\n");
    cli_fini(&c);
}

// -- one kernel ---------------------------------------------------------------------------------------------

static void run(struct cli *c, const char *kernel, const char *options)
{
    struct strbuf line = {0};
    strbuf_printf(&line,
                  "run tests/cli/waits.ptx --kernel %s --grid 2 --block 64 --quiet --json $D/run.json %s",
                  kernel, options);
    cli_run(c, line.text);
    strbuf_fini(&line);
}

#define FLAG " --arg buf=u32:1:zero"
#define OUT  " --arg buf=u64:1:zero"

// A warp met asleep is reported as asleep, not at a barrier: a sleep far longer than the limit of cycles.
static void test_asleep(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, "sleeping", FLAG " --arg u32=1000000 --gpu tiny --max-cycles 20000");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "warp 0: waits for the end of a sleep since cycle ");
    CHECK_HAS(t, c.err, "(NANOSLEEP ");
    cli_fini(&c);
}

static void test_alone(struct test *t)
{
    static const struct {
        const char *kernel, *arguments;
    } rows[] = {{"sleeping", FLAG " --arg u32=1000"}, {"counting", FLAG OUT}};
    static const char *const how[] = {"--functional", "--gpu tiny", "--gpu tiny --verify",
                                      "--gpu gtx1080ti --threads 2"};
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        for (size_t n = 0; n < TEST_COUNT(how); n++) {
            struct strbuf options = {0};
            strbuf_printf(&options, "%s %s", rows[k].arguments, how[n]);
            run(&c, rows[k].kernel, options.text);
            CHECK_EQ(t, c.status, 3);
            CHECK_HAS(t, c.err, " will never end: since ");
            CHECK_HAS(t, c.err, "; goes round pc 0x00");
            CHECK_HAS(
                t, c.err,
                "; reads global 0x10000000 (4 bytes: 0x0), 0 bytes into argument 0 (4 bytes at 0x10000000)");
            check_json(&c, "\"failed\"");
            strbuf_fini(&options);
        }
    cli_fini(&c);
}

// A time-out is legal and of unknown length: the run waits as long as the user's patience.
static void test_patience(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, "bounded", FLAG OUT " --arg u64=0x4000000000000000 --functional --set exec.patience=2000000");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "error: kernel bounded stopped: for ");
    CHECK_HAS(t, c.err, "(exec.patience=2000000; 0 waits for ever)");
    CHECK_HAS(t, c.err, "; reads global 0x10000000 (4 bytes: 0x0)");
    check_json(&c, "\"failed\"");
    run(&c, "bounded", FLAG OUT " --arg u64=0x4000000000000000 --gpu tiny --set sim.patience=400000");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "(sim.patience=400000; 0 waits for ever)");
    CHECK_HAS(t, c.err, "; reads global 0x10000000 (4 bytes: 0x0)");
    check_json(&c, "\"failed\"");
    // A wait satisfied in time, and a loop over registers alone taking many times as long.
    run(&c, "bounded", FLAG OUT " --arg u64=100000 --functional");
    CHECK_EQ(t, c.status, 0);
    run(&c, "bounded", FLAG OUT " --arg u64=1000 --gpu tiny --set sim.patience=400000");
    CHECK_EQ(t, c.status, 0);
    run(&c, "busy", OUT " --arg u64=1000000 --functional --set exec.patience=100000");
    CHECK_EQ(t, c.status, 0);
    run(&c, "busy", OUT " --arg u64=100000 --gpu tiny --set sim.patience=100000");
    CHECK_EQ(t, c.status, 0);
    cli_fini(&c);
}

// No mechanism lets spinning warps spin forever.
static void test_mechanisms(struct test *t)
{
    struct cli c = {.t = t};
    const char *name, *meaning;
    for (size_t k = 0; wf_tech_at(k, &name, &meaning); k++) {
        struct strbuf options = {0};
        strbuf_printf(&options,
                      FLAG OUT " --gpu tiny --tech %s --set sim.patience=1000000 --max-cycles 20000000",
                      name);
        run(&c, "counting", options.text);
        CHECK_EQ(t, c.status, 3);
        bool says =
            strstr(c.err, " will never end: since ") || strstr(c.err, "(sim.patience=1000000; 0 waits");
        CHECK_MSG(t, says, "%s: %s", name, c.err);
        check_json(&c, "\"failed\"");
        strbuf_fini(&options);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"together", test_together}, {"apart", test_apart},       {"behind", test_behind},
        {"no room", test_no_room},   {"studied", test_studied},   {"asleep", test_asleep},
        {"alone", test_alone},       {"patience", test_patience}, {"mechanisms", test_mechanisms}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
