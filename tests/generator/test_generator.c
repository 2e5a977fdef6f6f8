// Generated kernels parse, are accepted by ptxas, and are well defined: the oracle's strict mode finds no
// fault. Fails when a kernel has undefined behaviour, ptxas rejects it, or one seed gives two texts.
#include "harness/files.h"
#include "harness/test.h"

#include "generator/generator.h"
#include "oracle/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN_AT = 0x10000000, OUT_AT = 0x20000000, ACC_AT = 0x30000000 };

static uint64_t run_strictly(struct test *t, uint64_t seed)
{
    struct generated g;
    struct diag d;
    struct strbuf text = {0};
    uint64_t steps = 0;
    generator_make(seed, NULL, &g);
    diag_init(&d);
    uint32_t source = diag_add_source(&d, "generated.ptx", g.text.text, g.text.length);
    struct ptx_module *m = ptx_parse(g.text.text, g.text.length, source, &d);
    diag_format(&d, false, &text);
    CHECK_MSG(t, m, "seed %llu: %s", (unsigned long long)seed, strbuf_text(&text));
    if (m) {
        uint32_t threads = g.block[0] * g.block[1] * g.block[2],
                 all = threads * g.grid[0] * g.grid[1] * g.grid[2];
        uint8_t *in = heap_alloc(GENERATOR_IN_BYTES), *out = heap_alloc((size_t)all * GENERATOR_OUT_BYTES);
        uint8_t acc[GENERATOR_ACC_BYTES] = {0}, params[GENERATOR_PARAMS_MAX];
        struct oracle *o = oracle_create(m);
        struct oracle_launch l = {
            .kernel = ptx_find_entry(m, "k", &d), .params = params, .max_steps = 20000000, .strict = true};
        memcpy(l.grid, g.grid, sizeof l.grid);
        memcpy(l.block, g.block, sizeof l.block);
        generator_input(seed, in);
        generator_params(&g, IN_AT, OUT_AT, ACC_AT, params);
        oracle_map(o, IN_AT, in, GENERATOR_IN_BYTES);
        oracle_map(o, OUT_AT, out, (uint64_t)all * GENERATOR_OUT_BYTES);
        oracle_map(o, ACC_AT, acc, sizeof acc);
        CHECK_MSG(t, oracle_launch(o, &l), "seed %llu: %s", (unsigned long long)seed, oracle_error(o));
        steps = oracle_steps(o);
        oracle_destroy(o);
        ptx_module_free(m);
        free(in);
        free(out);
    }
    strbuf_fini(&text);
    diag_fini(&d);
    generated_fini(&g);
    return steps;
}

static void test_well_defined(struct test *t)
{
    uint64_t first = test_seed(1), count = test_is_long() ? 5000 : 150, steps = 0;
    for (uint64_t s = first; s < first + count; s++) steps += run_strictly(t, s);
    CHECK(t, steps > 1000 * count); // kernels execute more than a few instructions
}

static void test_same_seed_same_text(struct test *t)
{
    struct generated a, b, back;
    generator_make(42, NULL, &a);
    generator_make(42, NULL, &b);
    CHECK_STR(t, a.text.text, b.text.text);
    CHECK(t, generated_read(a.text.text, &back));
    CHECK(t, memcmp(back.block, a.block, sizeof a.block) == 0 && back.seed == 42 && back.lanes == a.lanes);
    generated_fini(&a);
    generated_fini(&b);
}

static void test_ptxas_agrees(struct test *t)
{
    if (!test_has_tool("ptxas")) {
        test_skip(t, "ptxas is not installed; it comes with the CUDA toolkit and is not needed otherwise");
        return;
    }
    const char *folder = test_directory(t);
    for (uint64_t s = 1; s <= (test_is_long() ? 200 : 12); s++) {
        struct generated g;
        char path[512], command[1200], *out = NULL, *err = NULL;
        generator_make(s, NULL, &g);
        snprintf(path, sizeof path, "%s/g.ptx", folder);
        test_write_file(t, path, g.text.text, g.text.length);
        snprintf(command, sizeof command, "ptxas -O0 -arch=sm_80 %s -o %s/g.cubin", path, folder);
        int status = test_command(command, 60, &out, &err);
        CHECK_MSG(t, status == 0, "seed %llu: ptxas: %s", (unsigned long long)s, err ? err : "");
        free(out);
        free(err);
        generated_fini(&g);
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"same seed, same text", test_same_seed_same_text},
                                             {"well defined", test_well_defined},
                                             {"ptxas agrees", test_ptxas_agrees}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
