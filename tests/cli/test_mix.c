// `warpfold mix`: printed and written results, and refused input.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static void test_results(struct test *t)
{
    struct cli c = {.t = t};
    cli_run(&c, "mix storeGPU vecadd --size small --gpu gtx285 --json $D/a.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_HAS(t, c.out, "storeGPU  0 to 14");
    CHECK_HAS(t, c.out, "vecadd    15 to 29");
    CHECK_HAS(t, c.out, "weighted speedup");
    size_t length;
    char *json = cli_read(&c, "a.json", &length);
    CHECK(t, json != NULL);
    if (json) {
        CHECK_STR(t, cli_json(json, "schema"), "\"warpfold.mix/1\"");
        CHECK_STR(t, cli_json(json, "status"), "\"ok\"");
        CHECK_STR(t, cli_json(json, "placement"), "\"split\"");
        CHECK_STR(t, cli_json(json, "different_bytes"), "0");
        CHECK(t, strtod(cli_json(json, "weighted_speedup"), NULL) > 0.5);
        CHECK(t, strtod(cli_json(json, "fairness"), NULL) > 0.5);
    }
    free(json);
    cli_run(&c,
            "mix vecadd storeGPU --size small --gpu docs/examples/big-little.gpu --place big,4-11 --quiet "
            "--reference gtx285,gtx480 --json -");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_STR(t, cli_json(c.out, "reference"), "\"gtx285\"");
    CHECK_STR(t, cli_json(c.out, "placement"), "\"big,4-11\"");
    CHECK_STR(t, cli_json(c.out, "sm_count"), "4");
    cli_run(&c, "mix vecadd storeGPU --size small --gpu gtx285 --place split --reference gtx480 --json -");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    CHECK_MSG(t, strstr(c.out, "\"first_sm\": 15"), "halves of this GPU, not of the reference");
    cli_run(&c, "mix nqueens dxtc --size small --gpu gpu-h --registers 0,32 --quiet --json $D/r.json");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    json = cli_read(&c, "r.json", &length);
    const char *second = json ? strstr(json, "\"dxtc\"") : NULL;
    CHECK_MSG(t, second && strstr(second, "\"warps_on_sm\": 16"), "eight blocks of two warps");
    free(json);
    cli_run(&c, "mix vecadd --gpu tiny --size small --quiet");
    CHECK_MSG(t, c.status == 0 && !*c.out, "%s", c.err);
    cli_fini(&c);
}

static void test_refused(struct test *t)
{
    static const struct {
        const char *arguments;
        int status;
        const char *errors;
    } rows[] = {
        {"mix", 2,
         "error: name 1 to 8 kernels: bundled (`warpfold list kernels`), scripts, or \"k.cu --grid …\"\n"},
        {"mix vecadd scan --size small --gpu tiny --set check.races=1", 2,
         "error: check.races=1: mix needs a timed run, and the race detector needs a functional run\n"},
        {"mix vecad --size small", 1, "error: no bundled kernel \"vecad\"; did you mean \"vecadd\"?\n"},
        {"mix vecadd vecadd --reference tiny,tiny,tiny", 2,
         "error: --reference tiny,tiny,tiny: name a single GPU, or a GPU per kernel for 2 kernels\n"},
        {"mix vecadd vecadd --registers 16", 2,
         "error: --registers 16: give a number from 0 to 255 for every one of the 2 kernels\n"},
        {"mix vecadd vecadd --registers 16,0,8", 2,
         "error: --registers 16,0,8: give a number from 0 to 255 for every one of the 2 kernels\n"},
        {"mix vecadd vecadd --registers 16,256", 2,
         "error: --registers 16,256: give a number from 0 to 255 for every one of the 2 kernels\n"},
        {"mix vecadd vecadd --size small --gpu tiny --place split", 2,
         "error: --place split: 1 SM for 2 kernels\n"},
        {"mix vecadd vecadd --size small --gpu gtx285 --place steer", 2,
         "error: --place steer: the GPU has no classes of SMs named ilp and tlp\n"},
        {"mix vecadd vecadd --size small --gpu gtx285 --place all,5-3", 2,
         "error: --place all,5-3: \"5-3\" must be a class of the GPU's SMs, a range FIRST-LAST or all\n"},
        {"mix vecadd vecadd --size small --gpu gtx285 --place 0-3", 2,
         "error: --place 0-3: 1 places for 2 kernels\n"},
        {"mix vecadd vecadd --size small --gpu gtx285 --place 0-3,4-30", 1,
         "error: stream vecadd has SMs 4 to 30, and gtx285 has SMs 0 to 29\n"},
    };
    struct cli c = {.t = t};
    for (size_t k = 0; k < TEST_COUNT(rows); k++)
        cli_expect(&c, rows[k].arguments, rows[k].status, rows[k].errors);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"results", test_results}, {"refused", test_refused}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
