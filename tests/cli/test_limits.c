// What `run` says of a kernel's limit: a kernel for each limit (limits.cu), and shares and rates beside the counters
// and settings that they follow from. Fails where a kernel is given another cause, or a share is of another peak.
#include "cli/cli.h"
#include "report/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMITS "run tests/cli/limits.ptx --kernel "

static const struct limit {
    const char *arguments, *by, *occupancy_limit;
    double occupancy_most;
} limits[] = {
    {"stream --grid 1024 --block 256 --arg buf=f32:1048576:rand:1 --arg buf=f32:1048576:zero",
     "DRAM bandwidth", "warps", 1},
    {"columns --grid 64 --block 256 --arg buf=f32:1048576:rand:1 --arg buf=f32:1048576:zero --arg s32=64",
     "uncoalesced accesses", "grid", 0.375},
    {"conflicts --grid 224 --block 256 --arg buf=f32:57344:zero", "bank conflicts", "warps", 1},
    {"conflicts --grid 224 --block 256 --shared 20000 --arg buf=f32:57344:zero", "bank conflicts",
     "shared memory", 0.5},
    {"conflicts --grid 224 --block 256 --set launch.registers=64 --arg buf=f32:57344:zero", "bank conflicts",
     "registers", 0.5},
    {"doubles --grid 224 --block 256 --arg buf=f64:57344:zero --arg f64=0.5", "doubles", "warps", 1},
    {"chase --grid 896 --block 32 --arg buf=s32:4096:iota --arg buf=s32:28672:zero", "memory latency",
     "blocks", 0.5},
    {"chase --grid 56 --block 32 --arg buf=s32:4096:iota --arg buf=s32:4096:zero", "too few warps", "grid",
     0.03125},
    {"chase --grid 2 --block 32 --arg buf=s32:4096:iota --arg buf=s32:4096:zero", "too few blocks", "grid",
     0.015625},
};

static void run(struct cli *c, const char *arguments, const char *more)
{
    char text[400];
    snprintf(text, sizeof text, LIMITS "%s --quiet --json - %s", arguments, more);
    cli_run(c, text);
    CHECK_EQ(c->t, c->status, 0);
}

// The value of a key behind `from`, a text in the JSON.
static const char *value_behind(const struct cli *c, const char *from, const char *key)
{
    const char *at = strstr(c->out, from);
    return at ? cli_json(at, key) : "";
}

static double number(const struct cli *c, const char *from, const char *key)
{
    return strtod(value_behind(c, from, key), NULL);
}

static void check_near(struct test *t, double got, double want, double within)
{
    CHECK_MSG(t, fabs(got - want) <= within, "%.9g is not %.9g within %.3g", got, want, within);
}

static void test_causes(struct test *t)
{
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(limits); i++) {
        char by[64], limit[64];
        run(&c, limits[i].arguments, "--gpu gtx1080ti");
        snprintf(by, sizeof by, "\"%s\"", limits[i].by);
        snprintf(limit, sizeof limit, "\"%s\"", limits[i].occupancy_limit);
        CHECK_STR(t, value_behind(&c, "\"limits\"", "limited_by"), by);
        CHECK_STR(t, value_behind(&c, "\"limits\"", "occupancy_limit"), limit);
        check_near(t, number(&c, "\"limits\"", "occupancy_most"), limits[i].occupancy_most, 1e-9);
    }
    cli_fini(&c);
}

// Shares by hand, from counters, cycles and settings of the same run.
static void test_shares(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, limits[0].arguments, "--gpu gtx1080ti");
    double cycles = number(&c, "{", "cycles"), mhz = number(&c, "{", "gpu.core_mhz"),
           seconds = cycles / mhz / 1e6;
    double bytes = 32 * (number(&c, "{", "dram.reads") + number(&c, "{", "dram.writes"));
    double peak = number(&c, "{", "memory.partitions") * number(&c, "{", "dram.bus_bytes") *
                  number(&c, "{", "dram.rate") * number(&c, "{", "dram.mhz") * 1e6;
    CHECK(t, bytes > 0 && peak > 1e11);
    check_near(t, number(&c, "\"limits\"", "seconds"), seconds, 1e-8 * seconds);
    check_near(t, number(&c, "\"limits\"", "dram_bytes_per_second"), bytes / seconds, 1e-6 * bytes / seconds);
    check_near(t, number(&c, "\"limits\"", "dram"), bytes / seconds / peak, 1e-6);
    // Four additions of a thread.
    check_near(t, number(&c, "\"limits\"", "float_operations_per_second"), 4 * 1024 * 256 / seconds, 1e3);
    double slots = number(&c, "{", "sm.issue.issued") /
                   (cycles * number(&c, "{", "gpu.sm_count") * number(&c, "{", "issue.schedulers"));
    check_near(t, number(&c, "\"limits\"", "issue"), slots, 1e-9);
    cli_fini(&c);
}

static void test_absent(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, limits[0].arguments, "--functional");
    CHECK_STR(t, cli_json(c.out, "limits"), "null");
    cli_expect(
        &c,
        "run $V --kernel vecadd --grid 4 --block 256 --arg buf=f32:1000:iota --arg buf=f32:1000:rand:7 --arg "
        "buf=f32:1000:zero --arg s32=1000 --functional --lines",
        2, "error: --lines: lines are ranked by time, and --functional has no time\n");
    cli_fini(&c);
}

// The error on measured launches that are limited alike, beside the cycles and in the JSON; none for a GPU that is no
// measured card, or is changed by more than clocks.
static void test_measured(struct test *t)
{
    struct cli c = {.t = t};
    const struct measured *m = measured_of("gtx1080ti", "memory latency");
    char text[200];
    CHECK(t, m && m->launches > 5 && m->error > 0.05 && m->error < 0.3);
    if (!m) return;
    CHECK_STR(t, m->kind, "latency");
    CHECK(t, !measured_of("gtx480", "memory latency"));
    static const char chase[] =
        "chase --grid 896 --block 32 --arg buf=s32:4096:iota --arg buf=s32:28672:zero";
    run(&c, chase, "--gpu gtx1080ti --set gpu.core_mhz=1200");
    CHECK_STR(t, value_behind(&c, "\"limits\"", "kind"), "\"latency\"");
    check_near(t, number(&c, "\"limits\"", "measured_launches"), m->launches, 0);
    check_near(t, number(&c, "\"limits\"", "measured_error"), m->error, 1e-9);
    static const char *const others[] = {"--gpu gtx1080ti --set l1.mshrs=64",
                                         "--gpu gtx1080ti --set compile.profile=ptxplus",
                                         "--gpu gtx1080ti --set gpu.slice=7", "--gpu gtx480"};
    for (size_t i = 0; i < TEST_COUNT(others); i++) {
        run(&c, chase, others[i]);
        CHECK_STR(t, value_behind(&c, "\"limits\"", "measured_launches"), "null");
        CHECK_STR(t, value_behind(&c, "\"limits\"", "measured_error"), "null");
    }
    snprintf(text, sizeof text,
             "cycles beside a real card's: off by %.0f %% in the mean of %u launches limited by latency that "
             "nothing was "
             "tuned on (gtx1080ti, no mechanism)\n",
             100 * m->error, m->launches);
    cli_run(&c, LIMITS
            "chase --grid 896 --block 32 --arg buf=s32:4096:iota --arg buf=s32:28672:zero --gpu gtx1080ti "
            "--tech darsie");
    CHECK_HAS(t, c.out, text);
    cli_run(&c, LIMITS
            "chase --grid 896 --block 32 --arg buf=s32:4096:iota --arg buf=s32:28672:zero --gpu gtx480");
    CHECK_HAS(t, c.out,
              "cycles beside a real card's: not validated for launches limited by latency (gtx480)\n");
    cli_fini(&c);
}

static void test_lines(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, LIMITS "conflicts --grid 224 --block 256 --arg buf=f32:57344:zero --gpu gtx1080ti --lines");
    const char *table = strstr(c.out, "slots, %  of these\n");
    CHECK_EQ(t, c.status, 0);
    CHECK(t, table != NULL);
    if (!table) return;
    CHECK_HAS(t, table, "conflicts  limits.ptx:");
    CHECK_HAS(t, table, "  unit_busy ");
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"causes", test_causes},
                                             {"shares", test_shares},
                                             {"absent", test_absent},
                                             {"measured", test_measured},
                                             {"lines", test_lines}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
