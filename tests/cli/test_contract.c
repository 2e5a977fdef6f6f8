// The contract of the command line for successful runs and failing programs: results, dumps, JSON, exit
// status. Fails where an output, a status or two equal runs differ.
#include "base/str.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECADD                                                                                               \
    "run $V --kernel vecadd --grid 4 --block 256 --arg buf=f32:1000:iota --arg buf=f32:1000:rand:7 --arg "   \
    "buf=f32:1000:zero --arg s32=1000"

static void test_vecadd(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --functional --dump 2=$D/sum.bin --dump 1=$D/b.bin --json $D/run.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_STR(t, c.err, "");
    CHECK_HAS(t, c.out, "vecadd");
    CHECK_HAS(t, c.out, "argument 2  f32[1000] changed: 0.");
    CHECK_HAS(t, c.out, "argument 0  f32[1000] unchanged: 0 1 2 3 4 5 ...\n");
    size_t length = 0, json_length;
    float *sum = (float *)(void *)cli_read(&c, "sum.bin", &length),
          *b = (float *)(void *)cli_read(&c, "b.bin", &length);
    CHECK(t, sum && b && length == 4000);
    for (int i = 0; sum && b && i < 1000; i++) CHECK(t, sum[i] == (float)i + b[i] && b[i] >= 0 && b[i] < 1);
    char *json = cli_read(&c, "run.json", &json_length);
    static const char *const expected[][2] = {{"schema", "\"warpfold.run/1\""},
                                              {"version", "\"0.1.0\""},
                                              {"status", "\"ok\""},
                                              {"kernel", "\"vecadd\""},
                                              {"gpu", "null"},
                                              {"tech", "\"base\""},
                                              {"cycles", "null"},
                                              {"fetched_warp_instructions", "null"},
                                              {"skipped_warp_instructions", "null"},
                                              {"reused_warp_instructions", "null"},
                                              {"ipc", "null"},
                                              {"occupancy", "null"},
                                              {"shared_bytes", "0"},
                                              {"verified", "null"},
                                              {"verify_mismatches", "null"},
                                              {"energy", "null"},
                                              {"storage_bits", "null"},
                                              {"warp.size", "32"},
                                              {"compile.profile", "\"pascal\""},
                                              {"exec.blocks", "4"},
                                              {"exec.warps", "32"}};
    for (size_t i = 0; json && i < TEST_COUNT(expected); i++)
        CHECK_MSG(t, strcmp(cli_json(json, expected[i][0]), expected[i][1]) == 0, "%s is %s", expected[i][0],
                  cli_json(json, expected[i][0]));
    static const char *const present[] = {"grid",
                                          "block",
                                          "warp_instructions",
                                          "thread_instructions",
                                          "registers",
                                          "wall_seconds",
                                          "simulated_warp_instructions_per_second",
                                          "config",
                                          "counters"};
    for (size_t i = 0; json && i < TEST_COUNT(present); i++)
        CHECK_MSG(t, *cli_json(json, present[i]), "no %s", present[i]);
    free(sum);
    free(b);
    free(json);
    cli_fini(&c);
}

// Without --functional a run is timed, on gtx1080ti by default.
static void test_timed(struct test *t)
{
    static const char *const gpus[][2] = {{"", "\"gtx1080ti\""}, {" --gpu tiny", "\"tiny\""}};
    for (size_t g = 0; g < TEST_COUNT(gpus); g++) {
        struct cli c = {.t = t};
        char arguments[300];
        snprintf(arguments, sizeof arguments, VECADD " --json -%s", gpus[g][0]);
        cli_run(&c, arguments);
        CHECK(t, c.status == 0);
        CHECK_STR(t, cli_json(c.out, "gpu"), gpus[g][1]);
        double cycles = atof(cli_json(c.out, "cycles")),
               executed = atof(cli_json(c.out, "warp_instructions")), ipc = atof(cli_json(c.out, "ipc"));
        CHECK(t, cycles > 100 && executed > 0);
        CHECK_MSG(t, ipc > executed / cycles - 1e-6 && ipc < executed / cycles + 1e-6, "IPC %g", ipc);
        CHECK(t, atof(cli_json(c.out, "occupancy")) > 0 && atof(cli_json(c.out, "occupancy")) <= 1);
        CHECK(t, atof(cli_json(c.out, "fetched_warp_instructions")) >= executed);
        CHECK_STR(t, cli_json(c.out, "skipped_warp_instructions"), "0");
        cli_fini(&c);
    }
}

// stdout holds JSON alone; kernels print to stderr.
static void test_json_to_stdout(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "run $K --kernel hello --grid 1 --block 2 --json -");
    CHECK_EQ(t, c.status, 0);
    CHECK(t, c.out[0] == '{' && c.out[strlen(c.out) - 2] == '}');
    CHECK_STR(t, c.err, "thread 0 of block\nthread 1 of block\n");
    cli_run(&c, "run $K --kernel hello --grid 1 --block 2 --quiet");
    CHECK_STR(t, c.out, "thread 0 of block\nthread 1 of block\n");
    CHECK_STR(t, c.err, "");
    cli_fini(&c);
}

static void test_spelling(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "run --kernel=by_value --grid=1 --block=1,1,1 --arg=bytes=0100000002000000ffffffff "
                "--arg=buf=u32:4:zero --dump=1=$D/o --quiet -- $K");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_STR(t, c.out, "");
    size_t length;
    unsigned *words = (unsigned *)(void *)cli_read(&c, "o", &length);
    CHECK(t,
          words && length == 16 && words[0] == 1 && words[1] == 2 && words[2] == 0xffffffff && words[3] == 0);
    free(words);
    cli_run(&c, "run $K --kernel _Z5scalePKfPffi --grid 1 --block 32 --arg buf=f32:4:iota --arg "
                "buf=f32:4:zero --arg f32=1 --arg u32=4 "
                "--symbol factor=f32=10 --functional --tech base --threads 1 --dump factor=$D/factor --dump "
                "1=$D/o --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    float *values = (float *)(void *)cli_read(&c, "o", &length);
    CHECK(t, values && values[3] == 31);
    free(values);
    values = (float *)(void *)cli_read(&c, "factor", &length);
    CHECK(t, values && length == 4 && values[0] == 10);
    free(values);
    cli_fini(&c);
}

// Failing programs: status 3, complete JSON with the failure, no dumps.
static void test_failures(struct test *t)
{
    struct cli c = {.t = t};
    size_t length;
    cli_run(&c, "run $K --kernel past_the_end --grid 1 --block 1 --arg buf=u32:10:zero --arg u32=10 --json "
                "$D/run.json --dump 0=$D/out.bin");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "argument 0");
    CHECK_HAS(t, c.err, "past_the_end");
    char *json = cli_read(&c, "run.json", &length);
    CHECK_STR(t, json ? cli_json(json, "status") : "", "\"failed\"");
    CHECK(t, json && strlen(cli_json(json, "fault")) > 20);
    CHECK(t, json && atoll(cli_json(json, "warp_instructions")) > 0);
    CHECK(t, !cli_exists(&c, "out.bin"));
    free(json);
    cli_run(&c, "run $K --kernel trapped --grid 1 --block 1");
    CHECK_EQ(t, c.status, 3);
    cli_run(&c, "run $K --kernel forever --grid 1 --block 1 --set exec.max_warp_instructions=5000");
    CHECK_EQ(t, c.status, 3);
    cli_fini(&c);
}

static void test_verify(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --verify --json $D/run.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "verified: ");
    size_t length;
    char *json = cli_read(&c, "run.json", &length);
    CHECK_STR(t, json ? cli_json(json, "verified") : "", "true");
    CHECK_STR(t, json ? cli_json(json, "verify_mismatches") : "", "0");
    free(json);
    cli_fini(&c);
}

// A load without a use is removed by the optimiser. Unoptimised code may fault at it; --verify counts the
// fault as no difference of results.
static void test_verify_dropped_load(struct test *t)
{
    static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                               ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r; .reg .b64 %d;\n"
                               "ld.param.u64 %d, [out];\nld.global.u32 %r, [%d+16777216];\nmov.u32 %r, 7;\n"
                               "st.global.u32 [%d], %r;\nret;\n}\n";
    struct cli c = {.t = t};
    cli_write(&c, "dropped.ptx", text, sizeof text - 1);
    cli_run(&c, "run $D/dropped.ptx --kernel k --grid 1 --block 1 --arg buf=u32:1:zero --gpu tiny");
    CHECK_EQ(t, c.status, 0);
    cli_run(&c, "run $D/dropped.ptx --kernel k --grid 1 --block 1 --arg buf=u32:1:zero --gpu tiny --verify "
                "--json $D/dropped.json");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "--verify: the program fails when nothing is optimised:");
    CHECK_HAS(t, c.err, "out-of-bounds global read of 4 bytes");
    size_t length;
    char *json = cli_read(&c, "dropped.json", &length);
    CHECK_STR(t, json ? cli_json(json, "status") : "", "\"failed\"");
    CHECK_STR(t, json ? cli_json(json, "verified") : "", "null");
    CHECK_HAS(t, json ? cli_json(json, "fault") : "", "out-of-bounds");
    free(json);
    cli_fini(&c);
}

// Two runs may differ in wall-clock figures alone.
static void test_determinism(struct test *t)
{
    struct cli c = {.t = t};
    char *first = NULL;
    for (int i = 0; i < 2; i++) {
        cli_run(&c, VECADD " --json -");
        for (char *p = c.out;
             (p = strstr(p, "_second")) != NULL;) { // takes out what was measured by the clock
            char *end = p + strcspn(p, "\n");
            memmove(p, end, strlen(end) + 1);
        }
        if (i)
            CHECK_STR(t, c.out, first);
        else
            first = strdup(c.out);
    }
    free(first);
    cli_fini(&c);
}

// Least processor time and least time on the clock of `tries` runs of a command.
static struct test_time least_time(struct test *t, const char *command, int tries, double enough_s)
{
    struct test_time best = {1, 1};
    for (int i = 0; i < tries && !test_is_within(best, enough_s); i++) {
        struct test_time start = test_now();
        CHECK_EQ(t, test_command(command, 60, NULL, NULL), 0);
        struct test_time used = test_since(start);
        if (used.processor < best.processor) best.processor = used.processor;
        if (used.wall < best.wall) best.wall = used.wall;
    }
    return best;
}

// A tiny kernel takes under 20 ms of processor time from start to end, beyond what a program takes that does nothing (a virtual
// machine may ask 3 ms for it); best of many tries. No shell stays beside either.
static void test_start(struct test *t)
{
    static const double limit_s = 0.02;
    if (!strstr(test_binary(), "/build/warpfold")) {
        test_skip(t, "times are promised for the release build");
        return;
    }
    struct strbuf command = {0};
    strbuf_printf(&command,
                  "exec %s run kernels/ptx/nvcc/vecadd.ptx --kernel vecadd --grid 4 --block 256 --arg "
                  "buf=f32:1000:iota "
                  "--arg buf=f32:1000:rand:7 --arg buf=f32:1000:zero --arg s32=1000 --quiet",
                  test_binary());
    struct test_time nothing = least_time(t, "exec true", 20, 0),
                     best = least_time(t, strbuf_text(&command), 40, limit_s / 2);
    struct test_time more = {best.processor - nothing.processor, best.wall - nothing.wall};
    CHECK_MSG(t, test_is_within(more, limit_s), "%.1f ms of processor time, %.1f ms on the clock",
              1e3 * more.processor, 1e3 * more.wall);
    strbuf_fini(&command);
}

static void test_races(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "run $K --kernel racy --grid 1 --block 64 --arg buf=u32:1:zero --set check.races=1 --json -");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "note: check.races=1: the run is functional, with no cycles\n");
    CHECK_HAS(t, c.err, "error: race in kernel racy on global address 0x");
    CHECK(t, atoll(cli_json(c.out, "races")) > 0);
    CHECK_STR(t, cli_json(c.out, "status"), "\"failed\"");
    CHECK_STR(t, cli_json(c.out, "fault"), "null");
    CHECK_STR(t, cli_json(c.out, "gpu"), "null");
    CHECK_STR(t, cli_json(c.out, "cycles"), "null");
    CHECK(t, strstr(cli_json(c.out, "race"), "race in kernel racy") != NULL);
    cli_run(
        &c,
        "run $K --kernel racy --grid 1 --block 64 --arg buf=u32:1:zero --set check.races=1 --gpu tiny --tech "
        "darsie --dump 0=$D/racy.bin");
    CHECK_EQ(t, c.status, 3);
    CHECK_HAS(t, c.err, "note: check.races=1: the run is functional, with no cycles and no mechanism\n");
    CHECK_HAS(t, c.out, "argument 0  u32[1] changed: "); // the run has completed
    CHECK(t, cli_exists(&c, "racy.bin"));
    cli_run(&c, VECADD " --functional --set check.races=1 --json -");
    CHECK_STR(t, c.err, "");
    cli_run(&c, VECADD " --set check.races=1 --json -");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, c.err, "note: check.races=1: the run is functional, with no cycles\n");
    CHECK_STR(t, cli_json(c.out, "status"), "\"ok\"");
    CHECK_STR(t, cli_json(c.out, "races"), "0");
    CHECK_STR(t, cli_json(c.out, "race"), "null");
    cli_fini(&c);
}

// Cell of the table's first row under a head. Heads contain single blanks;
// columns are two or more blanks apart.
static const char *cell(const char *table, const char *head)
{
    static char text[40];
    const char *row = strchr(table, '\n'), *at = strstr(table, head);
    *text = 0;
    if (!row || !at || at > row) return text;
    unsigned column = 0;
    for (const char *p = table; p < at; p++) column += p[0] == ' ' && p[1] == ' ' && p[2] != ' ';
    const char *p = row + 1;
    for (; column; column--) {
        p = strstr(p, "  ");
        p += strspn(p, " ");
    }
    snprintf(text, sizeof text, "%.*s", (int)strcspn(p, "\n"), p);
    if (strstr(text, "  ")) *strstr(text, "  ") = 0;
    return text;
}

// GPU time is cycles over the core clock; host time has a column of its own. A
// functional run has host time alone.
static void test_table(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, VECADD " --gpu tiny --set gpu.core_mhz=1000");
    char wanted[40];
    double cycles = 0;
    for (const char *p = cell(c.out, "cycles"); *p; p++)
        if (*p != ',') cycles = 10 * cycles + *p - '0';
    snprintf(wanted, sizeof wanted, "%.2f us", cycles / 1000);
    CHECK(t, cycles > 1000);
    CHECK_STR(t, cell(c.out, "kernel time"), wanted);
    double seconds = strtod(cell(c.out, "host seconds"), NULL);
    CHECK_MSG(t, seconds > 0 && seconds < 100, "%s", c.out);
    cli_run(&c, VECADD " --functional");
    CHECK_HAS(t, c.out, "  host seconds  ");
    CHECK(t, !strstr(c.out, "kernel time"));
    cli_fini(&c);
}

// `help COMMAND` is `COMMAND --help`.
static void test_help(struct test *t)
{
    static const char *const commands[] = {"run", "mark", "bench", "list"};
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(commands); i++) {
        char arguments[40];
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        cli_run(&c, arguments);
        char *wanted = strdup(c.out);
        snprintf(arguments, sizeof arguments, "help %s", commands[i]);
        cli_run(&c, arguments);
        CHECK_EQ(t, c.status, 0);
        CHECK_STR(t, c.out, wanted);
        free(wanted);
    }
    cli_fini(&c);
}

static void test_screens(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const texts[] = {
        "",        "--help",   "run --help", "bench --help", "mark --help", "list --help", "run -h",
        "mark -h", "study -h", "bench -h",   "reproduce -h", "compare -h",  "list -h",     "-h"};
    for (size_t i = 0; i < TEST_COUNT(texts); i++) {
        cli_run(&c, texts[i]);
        CHECK_EQ(t, c.status, 0);
        CHECK_STR(t, c.err, "");
        unsigned lines = 0;
        for (const char *p = c.out; *p; p++) lines += *p == '\n';
        CHECK_MSG(t, lines > 5 && lines <= 40, "warpfold %s prints %u lines", texts[i], lines);
    }
    cli_run(&c, "--version");
    CHECK_STR(t, c.out, "warpfold 0.1.0\n");
    cli_fini(&c);
}

static void test_lists(struct test *t)
{
    struct cli c = {.t = t};
    static const char *const lists[][2] = {{"studies", "operands"},
                                           {"keys", "memory.size"},
                                           {"gpus", "gtx1080ti"},
                                           {"techs", "base"},
                                           {"kernels", "matrixMul"},
                                           {"counters", "exec.warp_instructions"},
                                           {"experiments", "DARSIE, Figure 8"}};
    for (size_t i = 0; i < TEST_COUNT(lists); i++) {
        char arguments[40];
        snprintf(arguments, sizeof arguments, "list %s", lists[i][0]);
        cli_run(&c, arguments);
        CHECK_EQ(t, c.status, 0);
        CHECK_HAS(t, c.out, lists[i][1]);
    }
    cli_fini(&c);
}

static void test_mark(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "mark $V --kernel vecadd");
    CHECK_EQ(t, c.status, 0);
    CHECK_HAS(t, c.out, "FADD");
    CHECK_HAS(t, c.out, "LDG");
    CHECK_HAS(t, c.out, "EXIT");
    cli_run(&c, "mark $V --kernel vecadd --json -");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, cli_json(c.out, "schema"), "\"warpfold.mark/1\"");
    CHECK_STR(t, cli_json(c.out, "kernel"), "\"vecadd\"");
    CHECK_HAS(t, c.out, "FADD");
    cli_fini(&c);
}

static void test_bench(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "bench vecadd matrixMul --size small --verify --json $D/bench.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "matrixMul");
    CHECK_HAS(t, c.out, "sum, geometric mean");
    size_t length;
    char *json = cli_read(&c, "bench.json", &length);
    CHECK_STR(t, json ? cli_json(json, "schema") : "", "\"warpfold.bench/1\"");
    CHECK_STR(t, json ? cli_json(json, "verified") : "", "true");
    CHECK_STR(t, json ? cli_json(json, "workload") : "", "\"vecadd\"");
    free(json);
    cli_run(&c, "bench vecadd --size small --ptx clang --json -");
    CHECK_EQ(t, c.status, 0);
    CHECK_STR(t, cli_json(c.out, "ptx"), "\"clang\"");
    cli_fini(&c);
}

// Savings of a mechanism are reported by instruction.
static void test_saved(struct test *t)
{
    static const struct {
        const char *tech, *key, *total;
    } rows[] = {{"dac", "\"skipped\": ", "skipped_warp_instructions"},
                {"uv", "\"reused\": ", "reused_warp_instructions"}};
    for (size_t k = 0; k < TEST_COUNT(rows); k++) {
        struct cli c = {.t = t};
        char command[500];
        size_t length;
        snprintf(command, sizeof command, VECADD " --gpu tiny --tech %s --json $D/run.json", rows[k].tech);
        cli_run(&c, command);
        CHECK_MSG(t, c.status == 0, "%s", c.err);
        char *json = cli_read(&c, "run.json", &length);
        unsigned long long sum = 0, total = json ? strtoull(cli_json(json, rows[k].total), NULL, 10) : 0;
        for (const char *at = json; at && (at = strstr(at, rows[k].key)); at++)
            sum += strtoull(at + strlen(rows[k].key), NULL, 10);
        CHECK(t, total > 0);
        CHECK_EQ(t, sum, total);
        free(json);
        cli_fini(&c);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"vecadd", test_vecadd},
                                             {"json_to_stdout", test_json_to_stdout},
                                             {"spelling", test_spelling},
                                             {"failures", test_failures},
                                             {"verify", test_verify},
                                             {"verify_dropped_load", test_verify_dropped_load},
                                             {"determinism", test_determinism},
                                             {"start", test_start},
                                             {"races", test_races},
                                             {"table", test_table},
                                             {"help", test_help},
                                             {"screens", test_screens},
                                             {"lists", test_lists},
                                             {"timed", test_timed},
                                             {"mark", test_mark},
                                             {"bench", test_bench},
                                             {"saved", test_saved}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
