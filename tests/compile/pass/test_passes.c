// Every pass, alone and together, on random functions: results, stores and the order of effects stay the
// same. Conversely, a pass broken on purpose is caught. Fails when an outcome changes, or a broken pass
// goes unnoticed.
#include "compile/compile.h"
#include "compile/ir/eval.h"
#include "compile/ir/make.h"
#include "compile/ir/random.h"
#include "compile/pass/passes.h"
#include "harness/test.h"
#include "isa/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INPUTS = 4 };

struct outcome {
    uint64_t result, trace;
    uint8_t shared[EVAL_BYTES], global[EVAL_BYTES];
    const char *error;
};

static void run(struct ir_function *f, uint64_t seed, struct outcome *out)
{
    struct rng r;
    rng_init(&r, seed);
    struct eval *e = heap_alloc(sizeof *e);
    for (unsigned s = 0; s < 5; s++)
        for (unsigned k = 0; k < EVAL_BYTES && s != SPACE_LOCAL; k += 8) // local memory begins as zeros
            memcpy(&e->memory[s][k], &(uint64_t){rng_next(&r)}, 8);
    for (unsigned k = 0; k < EVAL_BYTES; k += 8) memcpy(&e->bank[k], &(uint64_t){rng_next(&r)}, 8);
    for (unsigned k = 0; k < SREG_COUNT; k++)
        e->sregs[k] = (uint32_t)rng_below(&r, 64) & (k < SREG_NTID_X ? 31 : 63);
    for (unsigned k = SREG_NTID_X; k <= SREG_NTID_Z; k++) e->sregs[k] = 32;
    uint64_t params[5];
    for (unsigned k = 0; k < 5; k++) params[k] = rng_next(&r) >> (rng_below(&r, 2) ? 0 : rng_below(&r, 60));
    eval_run(e, f, params);
    out->result = e->results[0];
    out->trace = e->trace;
    out->error = e->error;
    memcpy(out->shared, e->memory[SPACE_SHARED], EVAL_BYTES);
    memcpy(out->global, e->memory[SPACE_GLOBAL], EVAL_BYTES);
    free(e);
}

static bool equal(const struct outcome *a, const struct outcome *b)
{
    return a->result == b->result && a->trace == b->trace && !a->error == !b->error &&
           !memcmp(a->shared, b->shared, EVAL_BYTES) && !memcmp(a->global, b->global, EVAL_BYTES);
}

static void show(struct ir_function *f, const char *title)
{
    struct strbuf text = {0};
    ir_print(f, &text);
    printf("---- %s\n%s", title, strbuf_text(&text));
    strbuf_fini(&text);
}

// Makes the function of a seed, runs the passes, compares behaviour. False on a difference. quiet: no
// report.
static bool survives(struct test *t, uint64_t seed, uint32_t disabled, uint32_t broken, unsigned size,
                     bool quiet)
{
    struct ir_unit *u = make_unit();
    struct compile_options *o = (struct compile_options *)(uintptr_t)u->options;
    o->disabled_passes = disabled;
    o->broken_passes = broken;
    struct rng r;
    rng_init(&r, seed);
    struct ir_function *f = random_function(u, &r, size);
    struct outcome *before = heap_alloc(INPUTS * sizeof *before), *after = heap_alloc(sizeof *after);
    const char *wrong = ir_verify(f);
    if (wrong) test_fail(t, __FILE__, __LINE__, "generator, seed %" PRIu64 ": %s", seed, wrong);
    for (unsigned k = 0; k < INPUTS && !wrong; k++) run(f, seed * 31 + k, &before[k]);
    struct strbuf text = {0};
    ir_print(f, &text);
    if (!wrong) wrong = passes_run(u);
    bool same = !wrong;
    for (unsigned k = 0; k < INPUTS && same; k++) {
        run(f, seed * 31 + k, after);
        same = before[k].error || equal(&before[k], after);
    }
    if (!same && !quiet) {
        test_fail(t, __FILE__, __LINE__, "seed %" PRIu64 ", size %u, disabled 0x%x: %s", seed, size, disabled,
                  wrong ? wrong : "another result");
        if (getenv("SHOW")) {
            printf("---- before\n%s", strbuf_text(&text));
            show(f, "after");
        }
    }
    strbuf_fini(&text);
    free(before);
    free(after);
    make_unit_free(u);
    return same;
}

static unsigned pass_count(void)
{
    unsigned n = 0;
    while (compile_pass_name(n)) n++;
    return n;
}

static void test_each_alone(struct test *t)
{
    uint64_t count = test_is_long() ? 3000 : 100, seed = test_seed(1);
    for (unsigned pass = 0; pass < pass_count(); pass++)
        for (uint64_t k = 0; k < count && !test_failed(t); k++)
            survives(t, seed + k + pass * 100000, ~(1u << pass), 0, 40, false);
}

static void test_all_together(struct test *t)
{
    uint64_t count = test_is_long() ? 30000 : 500, seed = test_seed(1000000);
    for (uint64_t k = 0; k < count && !test_failed(t); k++)
        survives(t, seed + k, 0, 0, 20 + (unsigned)(k % 100), false);
}

static void test_broken_is_caught(struct test *t)
{
    for (unsigned pass = 0; pass < pass_count(); pass++) {
        bool caught = false;
        for (uint64_t k = 0; k < 1000 && !caught; k++)
            caught = !survives(t, test_seed(2000000) + k, 0, 1u << pass, 60, true);
        CHECK_MSG(t, caught, "a broken \"%s\" went unnoticed", compile_pass_name(pass));
    }
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"each_alone", test_each_alone},
        {"all_together", test_all_together},
        {"broken_is_caught", test_broken_is_caught},
    };
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
