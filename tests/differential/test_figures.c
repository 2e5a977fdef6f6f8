// Figures do not depend on the way of simulating. One to three random programs at a time, each in its own
// stream, run twice in a random combination. The second run has other host threads, another build of the
// interpreter, idle spans stepped through, internal checks on, or a timeline. Fails when any figure of the
// JSON differs between the runs, or any byte of memory is wrong in either.
//
//     build/tests/differential/test_figures case N      the case of seed N, with its combination
#include "harness/test.h"

#include "base/rng.h"
#include "differential/combination.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 4, PROGRAMS_MAX = 3 };

static const char *const settings[] = {"host.threads=3",   "exec.isa=portable", "sim.skip_idle=0",
                                       "sim.skip_idle=1",  "sim.check=1",       "sim.stall=0",
                                       "host.threads=200", "host.watch=1"};

// Beside other programs, a program must not wait for its own blocks by more than barriers: blocks could
// lack room.
static bool goes_with(const struct generated *first, const struct generated *g, unsigned count)
{
    if (count > 1 && (g->order || g->undefined)) return false;
    return g == first || (first->warp == g->warp && first->splits == g->splits);
}

static void choose_programs(uint64_t seed, struct generated *programs, unsigned count)
{
    uint64_t at = 1000 * seed;
    for (unsigned k = 0; k < count; k++)
        for (;; generated_fini(&programs[k])) {
            combination_program(at++, &programs[k]);
            if (goes_with(programs, &programs[k], count)) break;
        }
}

static void add(struct combination *c, const char *part, const char *value)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s", part, value);
    vec_push(&c->parts, text.text);
}

static bool is_timed(const struct combination *c)
{
    for (size_t k = 0; k < c->parts.count; k++)
        if (str_starts_with(c->parts.data[k], "gpu=")) return true;
    return false;
}

static enum verdict try_case(uint64_t seed, bool show, struct strbuf *why)
{
    struct generated g[PROGRAMS_MAX];
    struct combination c;
    struct rng r;
    char places[16];
    const char *texts[PROGRAMS_MAX];
    rng_init(&r, seed ^ 0xf197e5);
    unsigned count = 1 + rng_below(&r, PROGRAMS_MAX);
    choose_programs(seed, g, count);
    for (unsigned k = 0; k < count; k++) texts[k] = g[k].text.text;
    combination_draw(seed, &g[0], &c);
    snprintf(places, sizeof places, "%u", count > 1 ? rng_below(&r, 1000000) : 0);
    add(&c, "host.places=", places);
    add(&c, "host.again=",
        is_timed(&c) ? settings[rng_below(&r, sizeof settings / sizeof settings[0])] : "exec.isa=portable");
    if (show) {
        struct strbuf with = {0};
        combination_write(&c, &with);
        for (unsigned k = 0; k < count; k++) printf("%s\n", texts[k]);
        printf("with %s\n", strbuf_text(&with));
        strbuf_fini(&with);
    }
    enum verdict v = combination_try_together(texts, count, NULL, &c, why);
    combination_fini(&c);
    for (unsigned k = 0; k < count; k++) generated_fini(&g[k]);
    return v;
}

static enum verdict try_seed(uint64_t seed, struct strbuf *why) { return try_case(seed, false, why); }

static void test_programs(struct test *t)
{
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 20000
                              : test_is_quick() ? 50
                                                : 400,
                     .try = try_seed};
    hunt_check(t, &h, "case", "build/tests/differential/test_figures case");
}

static int hunt_from(uint64_t first, uint64_t cases)
{
    struct finding found[FINDINGS];
    struct hunt h = {.first = first, .count = cases, .try = try_seed, .stop_after = FINDINGS};
    unsigned count = hunt(&h, found, FINDINGS);
    printf("  cases %llu to %llu\n", (unsigned long long)h.first,
           (unsigned long long)(h.first + h.programs - 1));
    for (unsigned k = 0; k < count; k++)
        printf("case %llu: %s: %s\n", (unsigned long long)found[k].seed, verdict_name(found[k].verdict),
               found[k].why);
    return count != 0;
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"programs", test_programs}};
    if (argc == 4 && strcmp(argv[1], "hunt") == 0)
        return hunt_from(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "case") == 0) {
        struct strbuf why = {0};
        enum verdict v = try_case(strtoull(argv[2], NULL, 10), true, &why);
        printf("%s %s\n", verdict_name(v), strbuf_text(&why));
        strbuf_fini(&why);
        return v != SAME;
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
