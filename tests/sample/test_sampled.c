// Sampled runs against whole runs: equal bytes and counts of executed instructions, cycles inside the interval,
// refusals by name, and scripts resumed from checkpoints.
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A script in the case's folder, with $HERE replaced by the root of the repository.
static void write_script(struct cli *c, const char *text)
{
    char here[4000], *out = malloc(strlen(text) + 5000);
    const char *mark = strstr(text, "$HERE");
    if (!getcwd(here, sizeof here)) abort();
    sprintf(out, "%.*s%s%s", (int)(mark - text), text, here, mark + strlen("$HERE"));
    cli_write(c, "s.wf", out, strlen(out));
    free(out);
}

static double number(const char *json, const char *key) { return strtod(cli_json(json, key), NULL); }

// Half-width of the cycles: "cycles" behind "errors".
static double half_of(const char *json)
{
    const char *errors = strstr(json, "\"errors\"");
    return errors ? number(errors, "cycles") : -1;
}

static void same_file(struct cli *c, const char *one, const char *other)
{
    size_t n, m;
    char *a = cli_read(c, one, &n), *b = cli_read(c, other, &m);
    CHECK(c->t, a && b && n == m && memcmp(a, b, n) == 0);
    free(a);
    free(b);
}

// Cycles of both runs, instructions equal, the whole run's cycles inside the sampled run's interval.
static void compare(struct cli *c, const char *whole, const char *sampled)
{
    double cycles = number(whole, "cycles"), estimate = number(sampled, "cycles"), half = half_of(sampled);
    CHECK(c->t, half > 0);
    CHECK_MSG(c->t, fabs(cycles - estimate) <= half, "%g cycles, estimated %g +- %g", cycles, estimate, half);
    CHECK_MSG(c->t, fabs(cycles - estimate) <= 0.03 * cycles, "%g cycles, estimated %g", cycles, estimate);
    static const char *const exact[] = {"warp_instructions", "thread_instructions", "exec.global_loads",
                                        "exec.blocks"};
    for (size_t i = 0; i < TEST_COUNT(exact); i++) {
        double want = number(whole, exact[i]), got = number(sampled, exact[i]);
        CHECK_MSG(c->t, want == got, "%s: %g, not %g", exact[i], got, want);
    }
}

static void run_both(struct cli *c, const char *option)
{
    char arguments[400];
    cli_run(c, "run --script $D/s.wf --gpu tiny --dump out=$D/whole.bin --json $D/whole.json --quiet");
    CHECK_MSG(c->t, c->status == 0, "status %d\n%s", c->status, c->err);
    snprintf(arguments, sizeof arguments,
             "run --script $D/s.wf --gpu tiny --dump out=$D/part.bin --json $D/part.json --quiet %s", option);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "status %d\n%s", c->status, c->err);
    size_t n;
    char *whole = cli_read(c, "whole.json", &n), *part = cli_read(c, "part.json", &n);
    if (whole && part) compare(c, whole, part);
    same_file(c, "whole.bin", "part.bin");
    free(whole);
    free(part);
}

#define BOX                                                                                                  \
    "load $HERE/kernels/ptx/nvcc/stencil3d.ptx\nbuffer now f32:262144:rand:1\nbuffer out f32:262144:zero\n"  \
    "launch stencil3d 8,8,16 8,8,4 now out s32=64 s32=64 s32=64 f32=0.4 f32=0.1\n"

static void test_blocks(struct test *t)
{
    struct cli c = {.t = t};
    size_t n;
    write_script(&c, BOX);
    run_both(&c, "--sample=blocks");
    char *part = cli_read(&c, "part.json", &n);
    CHECK(t, part && number(part, "timed_blocks") < 512 && number(part, "blocks") == 1024);
    free(part);
    cli_fini(&c);
}

#define STEPS                                                                                                \
    "load $HERE/kernels/ptx/nvcc/stencil3d.ptx\nbuffer now f32:32768:rand:1\nbuffer out f32:32768:zero\n"    \
    "repeat 12\n launch stencil3d 4,4,8 8,8,4 now out s32=32 s32=32 s32=32 f32=0.4 f32=0.1\n swap now "      \
    "out\nend\n"

static void test_launches(struct test *t)
{
    struct cli c = {.t = t};
    size_t n;
    write_script(&c, STEPS);
    run_both(&c, "--sample=launches");
    char *part = cli_read(&c, "part.json", &n);
    CHECK(t, part && number(part, "timed_launches") < 6);
    free(part);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --sample=launches");
    CHECK_HAS(t, c.out, " \u00b1 ");
    CHECK_HAS(t, c.out, "of 12 launches");
    cli_fini(&c);
}

// Equal settings give equal bytes of JSON, apart from the host's time.
static void test_same(struct test *t)
{
    struct cli c = {.t = t};
    size_t n;
    double cycles[2];
    write_script(&c, STEPS);
    for (unsigned i = 0; i < 2; i++) {
        cli_run(&c, i ? "run --script $D/s.wf --gpu tiny --sample --threads 2 --json $D/x.json --quiet"
                      : "run --script $D/s.wf --gpu tiny --sample --json $D/x.json --quiet");
        char *json = cli_read(&c, "x.json", &n);
        cycles[i] = json ? number(json, "cycles") : -1;
        free(json);
    }
    CHECK(t, cycles[0] == cycles[1] && cycles[0] > 0);
    cli_fini(&c);
}

static void test_refusals(struct test *t)
{
    static const struct {
        const char *options, *says;
    } rows[] = {
        {"--sample=blocks --tech darsie", "mechanism darsie"},
        {"--sample --timeline $D/t.json", "a timeline"},
        {"--sample --verify", "verification"},
        {"--sample --set report.interval=100", "report.interval"},
        {"--sample --functional", "--sample"},
        {"--sample=some", "both"},
    };
    struct cli c = {.t = t};
    char arguments[300];
    write_script(&c, STEPS);
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        snprintf(arguments, sizeof arguments, "run --script $D/s.wf %s", rows[i].options);
        cli_run(&c, arguments);
        CHECK_MSG(t, c.status != 0, "%s is accepted", rows[i].options);
        CHECK_HAS(t, c.err, rows[i].says);
    }
    cli_fini(&c);
}

// A kernel that waits for a flag in global memory is timed whole, and the table says why.
static void test_persistent(struct test *t)
{
    static const char ptx[] =
        ".version 6.4\n.target sm_60\n.address_size 64\n.visible .entry spin(.param .u64 p) {\n"
        ".reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .pred %p1;\n"
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %ctaid.x;\n"
        "AGAIN: ld.volatile.global.u32 %r2, [%rd2];\nsetp.ne.u32 %p1, %r2, %r1;\n@%p1 bra AGAIN;\n"
        "add.u32 %r3, %r2, 1;\nst.volatile.global.u32 [%rd2], %r3;\nret;\n}\n";
    struct cli c = {.t = t};
    cli_write(&c, "spin.ptx", ptx, strlen(ptx));
    cli_run(&c, "run $D/spin.ptx --kernel spin --grid 64 --block 1 --arg buf=u32:1:zero --gpu tiny --sample");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "spin is timed whole: a volatile or ordered load");
    cli_fini(&c);
}

// Kernels and settings that are timed whole, with the reason in the table.
static void test_whole(struct test *t)
{
    static const char tickets[] =
        ".version 6.4\n.target sm_60\n.address_size 64\n.visible .entry tickets(.param .u64 p) {\n"
        ".reg .u64 %rd<4>; .reg .u32 %r<4>;\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "atom.global.add.u32 %r1, [%rd2], 1;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd2, %rd3;\n"
        "st.global.u32 [%rd3+4], %r1;\nret;\n}\n";
    struct cli c = {.t = t};
    cli_write(&c, "t.ptx", tickets, strlen(tickets));
    cli_run(&c, "run $D/t.ptx --kernel tickets --grid 512 --block 1 --arg buf=u32:1000:zero --gpu tiny "
                "--sample=blocks");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "tickets is timed whole: atomics with results");
    write_script(&c, STEPS);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --sample --set gpu.keep_caches=1");
    CHECK_HAS(t, c.out, "stencil3d is timed whole: caches keep data");
    CHECK_HAS(t, c.out, "12 of 12 launches");
    cli_fini(&c);
}

// A mechanism: launches are sampled, blocks are not.
static void test_mechanism(struct test *t)
{
    struct cli c = {.t = t};
    size_t n;
    write_script(&c, STEPS);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --tech darsie --json $D/a.json --dump out=$D/a.bin --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --tech darsie --json $D/b.json --dump out=$D/b.bin --quiet "
                "--sample");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *a = cli_read(&c, "a.json", &n), *b = cli_read(&c, "b.json", &n);
    if (a && b) {
        CHECK(t, number(b, "timed_launches") < 12);
        CHECK(t, fabs(number(a, "cycles") / number(b, "cycles") - 1) < 0.03);
        CHECK(t, fabs(number(a, "skipped_warp_instructions") - number(b, "skipped_warp_instructions")) <=
                     0.03 * number(a, "skipped_warp_instructions"));
    }
    same_file(&c, "a.bin", "b.bin");
    free(a);
    free(b);
    cli_fini(&c);
}

// The same steps in two parts. A setting of the chip between the parts makes a new chip, without open rows of DRAM.
#define STEP " launch stencil3d 4,4,8 8,8,4 now out s32=32 s32=32 s32=32 f32=0.4 f32=0.1\n swap now out\n"
#define PARTS                                                                                                \
    "load $HERE/kernels/ptx/nvcc/stencil3d.ptx\nbuffer now f32:32768:rand:1\nbuffer out f32:32768:zero\n"    \
    "repeat 7\n" STEP "end\nset dram.latency=101\nrepeat 5\n" STEP "end\n"

// The figures of launch 8 on are those of the whole run, and so are the bytes at the end. Files of another script
// and cut files are refused.
static void test_checkpoint(struct test *t)
{
    struct cli c = {.t = t};
    size_t n;
    write_script(&c, PARTS);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --checkpoint $D/at8 --checkpoint-at 8 --dump out=$D/a.bin "
                "--json $D/a.json --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    cli_run(&c,
            "run --script $D/s.wf --gpu tiny --resume $D/at8 --dump out=$D/b.bin --json $D/b.json --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    same_file(&c, "a.bin", "b.bin");
    char *a = cli_read(&c, "a.json", &n), *b = cli_read(&c, "b.json", &n);
    const char *x = a ? strstr(a, "\"launches\": [") : NULL, *y = b ? strstr(b, "\"launches\": [") : NULL;
    for (unsigned i = 0; i < 7 && x; i++) x = strstr(x, "\"kernel\"") + 1;
    for (unsigned i = 0; i < 5 && x && y; i++) {
        x = strstr(x, "\"kernel\"") + 1;
        y = strstr(y, "\"kernel\"") + 1;
        CHECK_MSG(t, number(x, "cycles") == number(y, "cycles"), "launch %u: %g, %g", 8 + i,
                  number(x, "cycles"), number(y, "cycles"));
        CHECK(t, number(x, "warp_instructions") == number(y, "warp_instructions"));
    }
    CHECK(t, y && !strstr(y + 1, "\"kernel\": \"_Z"));
    free(a);
    free(b);
    char *bytes = cli_read(&c, "at8", &n);
    if (bytes) cli_write(&c, "cut", bytes, n - 100);
    free(bytes);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --resume $D/cut");
    CHECK(t, c.status == 1);
    CHECK_HAS(t, c.err, "cut short");
    write_script(&c, "# another\n" STEPS);
    cli_run(&c, "run --script $D/s.wf --gpu tiny --resume $D/at8");
    CHECK(t, c.status == 1);
    CHECK_HAS(t, c.err, "another script or program");
    cli_run(&c, "run --script $D/s.wf --gpu tiny --checkpoint $D/at99 --checkpoint-at 99");
    CHECK(t, c.status == 1 && !cli_exists(&c, "at99"));
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"blocks", test_blocks},         {"launches", test_launches},     {"same", test_same},
        {"refusals", test_refusals},     {"persistent", test_persistent}, {"mechanism", test_mechanism},
        {"checkpoint", test_checkpoint}, {"whole", test_whole},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
