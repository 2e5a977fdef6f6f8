// Random kernels of asynchronous copies (tests/generator/copies.c). Each leaves the oracle's memory, where copies move
// their bytes at once: in functional runs with copies as early and as late as possible, timed with one and two threads of
// the host, and in a random combination of mechanisms and keys. `warpfold check` finds nothing.
//
//     build/tests/differential/test_copies case N      kernel N, with its combination
//     build/tests/differential/test_copies hunt N COUNT
#include "harness/test.h"

#include "api/warpfold.h"
#include "differential/combination.h"
#include "generator/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMED "gpu=tiny", "sim.check=1"

static const char *const ways[][6] = {
    {"exec.async=early"},
    {"exec.async=late"},
    {"exec.async=late", "compile.optimise=0"},
    {"exec.async=late", "exec.isa=general", "compile.profile=pascal"},
    {TIMED, "host.threads=1"},
    {TIMED, "host.threads=2", "lsu.copies=1"},
    {TIMED, "l1.global=1", "lsu.copies=3", "issue.dependences=encoded"},
};

static enum verdict try_ways(const char *text, struct strbuf *why)
{
    struct expectation e;
    if (!expect(text, 0, &e, why)) return INVALID;
    enum verdict v = SAME;
    for (size_t k = 0; k < TEST_COUNT(ways) && v == SAME; k++) {
        v = compare(text, &e, ways[k], NULL, why);
        if (v != SAME) strbuf_printf(why, " (%s)", ways[k][0]);
    }
    expectation_fini(&e);
    return v;
}

static enum verdict try_check(const struct generated *g, struct strbuf *why)
{
    struct wf_context *c = wf_context_create();
    struct wf_finding f;
    enum verdict v = SAME;
    wf_set(c, "compile.optimise", "0");
    struct wf_module *m = wf_check(c) == WF_OK ? wf_module_load(c, "k", g->text.text, g->text.length) : NULL;
    struct wf_kernel *k = m ? wf_kernel_find(m, "k") : NULL;
    if (!k || generated_launch(c, k, g, NULL, NULL) != WF_OK || wf_finding_at(c, 0, &f)) {
        v = DIFFERS;
        strbuf_printf(why, "check: %s%s", wf_finding_at(c, 0, &f) ? f.what : "", wf_errors(c));
    }
    wf_context_destroy(c);
    return v;
}

static enum verdict try_case(uint64_t seed, bool show, struct strbuf *why)
{
    struct generated g;
    struct combination c;
    generator_copies(seed, &g);
    combination_draw(seed, &g, &c);
    if (show) {
        struct strbuf with = {0};
        combination_write(&c, &with);
        printf("%s\nwith %s\n", g.text.text, strbuf_text(&with));
        strbuf_fini(&with);
    }
    enum verdict v = try_ways(g.text.text, why);
    if (v == SAME) v = try_check(&g, why);
    if (v == SAME) v = combination_try(g.text.text, &c, why);
    combination_fini(&c);
    generated_fini(&g);
    return v;
}

static enum verdict try_seed(uint64_t seed, struct strbuf *why) { return try_case(seed, false, why); }

static void test_kernels(struct test *t)
{
    struct hunt h = {.first = test_seed(1),
                     .count = test_is_long()    ? 20000
                              : test_is_quick() ? 20
                                                : 120,
                     .try = try_seed};
    hunt_check(t, &h, "kernel", "build/tests/differential/test_copies case");
}

static int hunt_by_hand(uint64_t first, uint64_t count)
{
    struct finding found[8];
    struct hunt h = {.first = first, .count = count, .try = try_seed, .stop_after = TEST_COUNT(found)};
    unsigned findings = hunt(&h, found, TEST_COUNT(found));
    for (unsigned k = 0; k < findings; k++)
        printf("%llu: %s %s\n", (unsigned long long)found[k].seed, verdict_name(found[k].verdict),
               found[k].why);
    printf("%llu kernels, %u findings\n", (unsigned long long)h.programs, findings);
    return findings != 0;
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"kernels", test_kernels}};
    if (argc == 4 && strcmp(argv[1], "hunt") == 0)
        return hunt_by_hand(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "case") == 0) {
        struct strbuf why = {0};
        enum verdict v = try_case(strtoull(argv[2], NULL, 10), true, &why);
        printf("%s %s\n", verdict_name(v), strbuf_text(&why));
        strbuf_fini(&why);
        return v != SAME;
    }
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
