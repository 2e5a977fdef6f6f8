// Pairs of random programs at a time on one chip, in random combinations. Each leaves the oracle's
// memory, whether the programs share SMs or have separate SMs. Beside some pairs a third program fails
// (faults, waits for ever, or exceeds a limit) and must not change the pair's memory. Fails when a byte
// differs, a program of the pair faults, or the third program does not fail.
//
//     build/tests/differential/test_together pair N      pair N, with its combination
#include "harness/test.h"

#include "base/rng.h"
#include "differential/combination.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                   \
    ".reg .u64 %a;\n.reg .u32 %x;\n.reg .pred %q;\nld.param.u64 %a, [p];\n"

static const char *const breakers[] = {
    HEAD "mov.u64 %a, 16;\nld.global.u32 %x, [%a];\nst.global.u32 [%a], %x;\nret;\n}\n", // a fault
    HEAD "mov.u32 %x, %tid.x;\nand.b32 %x, %x, 1;\nsetp.eq.u32 %q, %x, 0;\n@%q bra done;\nld.global.u32 %x, "
         "[%a+4194304];\n"
         "done:\nst.global.u32 [%a], %x;\nret;\n}\n", // of some lanes
    HEAD "again:\nld.volatile.global.u32 %x, [%a];\nsetp.eq.u32 %q, %x, 0;\n@%q bra "
         "again;\nret;\n}\n", // no end
    HEAD "mov.u32 %x, %tid.x;\nsetp.lt.u32 %q, %x, 32;\n@%q bra one;\nbar.sync 1, "
         "96;\none:\nbar.sync 2, 96;\nret;\n}\n",
    HEAD "mov.u32 %x, 0;\nagain:\nadd.u32 %x, %x, 1;\nst.volatile.global.u32 [%a], %x;\nbra "
         "again;\n}\n", // a limit
};

// Only barriers order threads: no block then waits for a block without room.
static bool is_suitable(const struct generated *g) { return !g->order && !g->undefined; }

static bool go_together(const struct generated *a, const struct generated *b)
{
    return a->warp == b->warp && a->splits == b->splits;
}

static uint64_t next_suitable(uint64_t seed, const struct generated *with, struct generated *g)
{
    for (;; seed++) {
        combination_program(seed, g);
        if (is_suitable(g) && (!with || go_together(with, g))) return seed;
        generated_fini(g);
    }
}

static enum verdict try_pair(uint64_t seed, bool show, struct strbuf *why)
{
    struct generated g[2];
    struct combination c;
    struct rng r;
    rng_init(&r, seed ^ 0x70637468);
    next_suitable(next_suitable(1000 * seed, NULL, &g[0]) + 1, &g[0], &g[1]);
    const char *texts[] = {g[0].text.text, g[1].text.text};
    unsigned breaker = rng_below(&r, 3 * sizeof breakers / sizeof breakers[0]);
    bool breaks = breaker < sizeof breakers / sizeof breakers[0];
    combination_draw(seed, &g[0], &c);
    struct strbuf places = {0};
    strbuf_printf(&places, "host.places=%u", rng_below(&r, 1000000));
    vec_push(&c.parts, places.text);
    if (show) {
        struct strbuf with = {0};
        combination_write(&c, &with);
        printf("%s\n%s\n%s\nbreaker %d, with %s\n", texts[0], texts[1], breaks ? breakers[breaker] : "",
               breaks ? (int)breaker : -1, strbuf_text(&with));
        strbuf_fini(&with);
    }
    enum verdict v = combination_try_together(texts, 2, breaks ? breakers[breaker] : NULL, &c, why);
    combination_fini(&c);
    for (unsigned k = 0; k < 2; k++) generated_fini(&g[k]);
    return v;
}

static enum verdict try_seed(uint64_t seed, struct strbuf *why) { return try_pair(seed, false, why); }

static void test_programs(struct test *t)
{
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 5000
                              : test_is_quick() ? 50
                                                : 300,
                     .try = try_seed};
    hunt_check(t, &h, "pair", "build/tests/differential/test_together pair");
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}};
    if (argc == 3 && strcmp(argv[1], "pair") == 0) {
        struct strbuf why = {0};
        enum verdict v = try_pair(strtoull(argv[2], NULL, 10), true, &why);
        printf("%s %s\n", verdict_name(v), strbuf_text(&why));
        strbuf_fini(&why);
        return v != SAME;
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
