// `bench`, `mix` and `inject` over a kernel or a script of the user's own. Fails where the launches differ from those of
// `run`, a mix does not replay the bytes, or a flipped bit goes unnoticed.
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char axpy[] =
    "'$V --kernel vecadd --grid 4 --block 64 --arg buf=f32:256:iota --arg buf=f32:256:iota --arg "
    "buf=f32:256:zero --arg u32=256'";

static void run(struct cli *c, const char *before, const char *behind)
{
    char arguments[1000];
    snprintf(arguments, sizeof arguments, "%s %s %s", before, axpy, behind);
    cli_run(c, arguments);
    CHECK_MSG(c->t, c->status == 0, "%s", c->err);
}

static void write_script(struct cli *c)
{
    char text[5000];
    snprintf(text, sizeof text,
             "load %s/kernels/ptx/nvcc/stencil3d.ptx\nbuffer now f32:4096:rand:1\nbuffer next f32:4096:zero\n"
             "repeat 3\nlaunch stencil3d 2,2,4 8,8,4 now next s32=16 s32=16 s32=16 f32=0.4 f32=0.1\n"
             "copy now next\nend\nfree now\n",
             getenv("PWD"));
    cli_write(c, "relax.wf", text, strlen(text));
}

static void test_bench(struct test *t)
{
    struct cli c = {.t = t};
    write_script(&c);
    cli_run(&c, "run --script $D/relax.wf --gpu tiny --json $D/run.json --quiet");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    run(&c, "bench $D/relax.wf", "--gpu tiny --verify --json $D/bench.json");
    CHECK_HAS(t, c.out, "relax");
    CHECK_HAS(t, c.out, "vecadd");
    size_t length;
    char *alone = cli_read(&c, "run.json", &length), *bench = cli_read(&c, "bench.json", &length);
    CHECK(t, alone && bench);
    if (alone && bench) CHECK_STR(t, cli_json(bench, "cycles"), cli_json(alone, "cycles"));
    free(alone);
    free(bench);
    cli_fini(&c);
}

static void test_mix(struct test *t)
{
    struct cli c = {.t = t};
    write_script(&c);
    run(&c, "mix $D/relax.wf", "--gpu tiny --place all --json $D/mix.json");
    CHECK_HAS(t, c.out, "relax");
    size_t length;
    char *json = cli_read(&c, "mix.json", &length);
    CHECK(t, json && strstr(json, "\"different_bytes\": 0") && !strstr(json, "\"compared_bytes\": 0,"));
    free(json);
    run(&c, "mix matrixMul", "--gpu tiny --size small --place all");
    cli_fini(&c);
}

static void test_inject(struct test *t)
{
    struct cli c = {.t = t};
    run(&c, "inject", "--gpu tiny --tech uv --count 60 --out $D/campaign --json $D/inject.json");
    size_t length;
    char *json = cli_read(&c, "inject.json", &length);
    CHECK(t, json && strstr(json, "\"kernel\": \"vecadd\""));
    CHECK(t, json && strtoul(cli_json(json, "silent"), NULL, 10) > 0);
    free(json);
    CHECK(t, cli_exists(&c, "campaign/vecadd.journal"));
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *arguments;
        int status;
        const char *error;
    } rows[] = {{"bench '$V --gpu tiny'", 1, "--gpu stands outside the quotes"},
                {"bench '-- ./program 5'", 1, "a program launches its kernels in a process of its own"},
                {"bench '$V --gird 4'", 1, "run has no option --gird; did you mean --grid?"},
                {"mix no.wf", 1, "no.wf"},
                {"bench '$V --kernel no --grid 1 --block 1'", 1, "no kernel 'no'"}};
    struct cli c = {.t = t};
    for (size_t i = 0; i < TEST_COUNT(rows); i++) {
        cli_run(&c, rows[i].arguments);
        CHECK_MSG(t, c.status == rows[i].status, "%s: status %d", rows[i].arguments, c.status);
        CHECK_HAS(t, c.err, rows[i].error);
    }
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"bench", test_bench}, {"mix", test_mix}, {"inject", test_inject}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
