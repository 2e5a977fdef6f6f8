// --timeline and report.interval on the command line: files written, and refused uses.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VECADD                                                                                               \
    "run $V --kernel vecadd --gpu tiny --grid 4 --block 64 --arg buf=f32:256:iota --arg buf=f32:256:iota "   \
    "--arg buf=f32:256:zero --arg s32=256"

static void has(struct test *t, struct cli *c, const char *name, const char *part)
{
    size_t length;
    char *text = cli_read(c, name, &length);
    CHECK_MSG(t, text != NULL, "no %s: %s", name, c->err);
    CHECK_HAS(t, text ? text : "", part);
    free(text);
}

static void test_formats(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --timeline $D/t.json --json $D/run.json --verify");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_STR(t, c.err, "");
    CHECK_EQ(t, cli_files(&c), 2);
    has(t, &c, "t.json", "\"traceEvents\":[");
    has(t, &c, "t.json", "\"cat\":\"launch\",\"name\":\"vecadd\",\"args\":{\"grid\":\"4,1,1\"");
    has(t, &c, "t.json", "\"name\":\"EXIT\",\"args\":{\"pc\":\"0x0060\",\"source\":\"vecadd.cu:8\"");
    has(t, &c, "t.json", "\"name\":\"waits for memory\"");
    cli_run(&c, VECADD " --timeline $D/t.konata --quiet");
    CHECK_MSG(t, c.status == 0 && !*c.out, "%s", c.err);
    has(t, &c, "t.konata", "Kanata\t0004\nC=\t");
    has(t, &c, "t.konata", "\tSM 0 warp 00 0x0060: EXIT\n");
    cli_fini(&c);
}

static void test_bench(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "bench scan --size small --gpu tiny --timeline $D/t.json --json $D/b.json --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_EQ(t, cli_files(&c), 2);
    has(t, &c, "t.json", "\"name\":\"at a barrier\"");
    cli_run(&c, "bench scan vecadd --size small --timeline $D/u.json");
    CHECK_EQ(t, c.status, 2);
    CHECK_STR(t, cli_errors(&c), "error: --timeline $D/u.json: name a single kernel\n");
    CHECK(t, !cli_exists(&c, "u.json"));
    cli_run(&c, "bench scan --size small --timeline $D/none/t.json --json $D/c.json");
    CHECK_EQ(t, c.status, 1);
    CHECK_HAS(t, cli_errors(&c), "error: cannot write $D/none/t.json: ");
    CHECK_EQ(t, cli_files(&c), 2);
    cli_fini(&c);
}

// The timeline of a stopped run ends at the stop.
static void test_stopped(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --max-cycles 400 --timeline $D/t.json");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "the limit of 400 cycles");
    has(t, &c, "t.json", "\"name\":\"constant cache miss\"");
    cli_fini(&c);
}

static void test_limit(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --timeline $D/t.json --set timeline.limit=50 --quiet");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, cli_errors(&c), "warning: $D/t.json ends at cycle ");
    CHECK_HAS(t, cli_errors(&c),
              ", full with timeline.limit=50 entries; choose a part with timeline.from, .to, .sm and .warps");
    has(t, &c, "t.json", "\"truncated\":true");
    cli_fini(&c);
}

// Launches of a script follow each other in the timeline; the timeline is requested before the first launch.
static void test_script(struct test *t)
{
    struct cli c = {.t = t};
    static const char head[] = "buffer a f32:64:iota\nbuffer b f32:64:iota\nbuffer c f32:64:zero\n";
    static const char launch[] = "launch vecadd 1 64 a b c s32=64\n";
    char here[400];
    char text[900];
    CHECK(t, getcwd(here, sizeof here) != NULL);
    snprintf(text, sizeof text, "load %s/kernels/ptx/nvcc/vecadd.ptx\n%s%s%s", here, head, launch, launch);
    cli_write(&c, "two.wf", text, strlen(text));
    cli_run(&c, "run --script $D/two.wf --gpu tiny --timeline $D/t.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    has(t, &c, "t.json", "block (0,0,0) warp 1\",\"args\":{\"launch\":1}");
    snprintf(text, sizeof text, "load %s/kernels/ptx/nvcc/vecadd.ptx\n%s%sset timeline.from=5\n%s", here,
             head, launch, launch);
    cli_write(&c, "late.wf", text, strlen(text));
    cli_run(&c, "run --script $D/late.wf --gpu tiny --timeline $D/late.json");
    CHECK(t, c.status != 0 && !cli_exists(&c, "late.json"));
    CHECK_HAS(t, c.err, "timeline.from must be set before the first watched launch");
    cli_fini(&c);
}

// Streams carry the script's names.
static void test_streams(struct test *t)
{
    struct cli c = {.t = t};
    char here[400], text[900];
    CHECK(t, getcwd(here, sizeof here) != NULL);
    snprintf(text, sizeof text,
             "load %s/kernels/ptx/nvcc/vecadd.ptx\nbuffer a f32:64:iota\nbuffer b f32:64:zero\n"
             "buffer c f32:64:zero\nstream one\nstream two\nlaunch vecadd 1 64 a a b s32=64 stream=one\n"
             "launch vecadd 1 64 a a c s32=64 stream=two\nlaunch vecadd 1 64 a b c s32=64\n",
             here);
    cli_write(&c, "three.wf", text, strlen(text));
    cli_run(&c, "run --script $D/three.wf --gpu tiny --quiet --timeline $D/t.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    has(t, &c, "t.json", "\"thread_name\",\"args\":{\"name\":\"stream two\"}");
    has(t, &c, "t.json", "\"SM 0, stream one: vecadd\"");
    has(t, &c, "t.json", "\"SM 0, default stream: vecadd\"");
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *arguments;
        int status;
        const char *error;
    } rows[] = {
        {" --set timeline.warps=64", 2,
         "error: timeline.warps=64: must be all, or numbers and ranges from 0 to 63 separated by commas, "
         "as in "
         "0,4-7\n"},
        {" --set timeline.sm=3-1", 2,
         "error: timeline.sm=3-1: must be all, or numbers and ranges from 0 to 255 separated by commas, as "
         "in "
         "0,4-7\n"},
        {" --set timeline.sm=", 2, "error: timeline.sm="},
        {" --set timeline.sm=3-99", 1, "error: timeline.sm=3-99: the SMs of tiny are 0 to "},
        {" --set timeline.limit=0", 2, "error: timeline.limit=0: "},
        {" --set timeline.to=5 --set timeline.from=5", 2,
         "error: timeline.from=5: must be less than timeline.to=5\n"},
        {" --set check.races=1", 1,
         "error: a timeline shows cycles; a run with check.races=1 has no cycles\n"},
    };
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        struct cli c = {.t = t};
        char arguments[500];
        snprintf(arguments, sizeof arguments, VECADD " --timeline $D/t.json%s", rows[i].arguments);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status == rows[i].status, "%s: %d, %s", rows[i].arguments, c.status, c.err);
        CHECK_HAS(t, cli_errors(&c), rows[i].error);
        CHECK_EQ(t, cli_files(&c), 0);
        cli_fini(&c);
    }
    struct cli c = {.t = t};
    cli_run(&c, "run $V --kernel vecadd --grid 1 --block 32 --arg u64=0 --arg u64=0 --arg u64=0 --arg s32=0 "
                "--functional --timeline $D/t.json");
    CHECK_EQ(t, c.status, 2);
    CHECK_STR(t, cli_errors(&c),
              "error: --timeline $D/t.json: a timeline shows cycles, and --functional has no cycles\n");
    cli_fini(&c);
}

static void test_samples(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --set report.interval=500 --json -");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out,
              "\"samples\": [\n    {\n      \"launch\": 0,\n      \"from\": 0,\n      \"to\": 500,\n");
    CHECK_HAS(t, c.out, "\"from\": 500,\n      \"to\": 1000,\n");
    // A mechanism's own counters have no samples.
    cli_run(&c, VECADD " --set report.interval=500 --tech darsie --json -");
    const char *samples = strstr(c.out, "\"samples\": [");
    CHECK(t, samples && strstr(samples, "\"sm.issue.issued\"") && !strstr(samples, "darsie."));
    cli_run(&c, VECADD " --json -");
    CHECK_STR(t, cli_json(c.out, "samples"), "null");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"formats", test_formats}, {"bench", test_bench},
                                             {"stopped", test_stopped}, {"limit", test_limit},
                                             {"script", test_script},   {"streams", test_streams},
                                             {"refused", test_refused}, {"samples", test_samples}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
