// Mechanisms without a common exclusive claim go together. Each pair of the registry is either refused
// with the name of the claim, or leaves random programs' memory as the oracle's. The same holds for each
// registered mechanism with a test-only mechanism (tech/extra.h) before or behind it. Fails when the
// registry accepts or refuses a pair against its claims, or when memory is wrong.
//
// Investigate a failing pair with build/tests/differential/test_combinations shrink.
#include "harness/test.h"

#include "api/warpfold.h"
#include "differential/combination.h"
#include "tech/extra.h"
#include "tech/registry.h"

#include <stdio.h>
#include <string.h>

enum { FINDINGS = 4 };

struct pair {
    const struct tech *techs[2]; // by registry
    const struct tech *extra;    // in place of the second
    bool above;                  // `extra` stands before the first
};

static bool registered_at(size_t n, struct pair *p)
{
    for (size_t i = 0; tech_at_index(i); i++)
        for (size_t k = i + 1; tech_at_index(k); k++, n--) {
            if (n) continue;
            *p = (struct pair){.techs = {tech_at_index(i), tech_at_index(k)}};
            return true;
        }
    return false;
}

static bool with_extra_at(size_t n, struct pair *p)
{
    for (size_t i = 0; tech_at_index(i); i++)
        for (size_t k = 0; extra_techs[k / 2]; k++, n--) {
            if (n) continue;
            *p = (struct pair){.techs = {tech_at_index(i)}, .extra = extra_techs[k / 2], .above = k % 2};
            return true;
        }
    return false;
}

typedef bool (*pair_at)(size_t n, struct pair *p);

static size_t count_of(pair_at at)
{
    struct pair p;
    size_t count = 0;
    while (at(count, &p)) count++;
    return count;
}

// Names of the exclusive claims common to both mechanisms.
static void overlap(const struct pair *p, struct strbuf *names)
{
    const struct tech_claim_info *claim;
    const struct tech *second = p->extra ? p->extra : p->techs[1];
    for (size_t k = 0; (claim = tech_claim_at(k)); k++)
        if (claim->is_exclusive && (p->techs[0]->claims & second->claims) >> k & 1)
            strbuf_printf(names, "%s%s", names->length ? ", " : "", claim->name);
}

static bool is_refused(const struct pair *p)
{
    struct strbuf names = {0};
    overlap(p, &names);
    bool refused = names.length;
    strbuf_fini(&names);
    return refused;
}

static void test_refused(struct test *t)
{
    struct pair p;
    unsigned refused = 0;
    for (size_t n = 0; registered_at(n, &p); n++)
        for (unsigned first = 0; first < 2; first++) {
            struct wf_context *c = wf_context_create();
            struct strbuf text = {0}, expected = {0}, names = {0};
            strbuf_printf(&text, "%s+%s", p.techs[first]->name, p.techs[!first]->name);
            overlap(&p, &names);
            strbuf_printf(&expected, "%s and %s do not go together: both claim %s;", p.techs[first]->name,
                          p.techs[!first]->name, strbuf_text(&names));
            bool accepted = wf_tech(c, strbuf_text(&text)) == WF_OK;
            CHECK_MSG(t, accepted == !names.length, "%s: %s", strbuf_text(&text), wf_errors(c));
            if (!accepted) CHECK_HAS(t, wf_errors(c), strbuf_text(&expected));
            refused += !accepted;
            strbuf_fini(&text);
            strbuf_fini(&expected);
            strbuf_fini(&names);
            wf_context_destroy(c);
        }
    printf("  %u of %zu pairs are refused\n", refused / 2, count_of(registered_at));
}

// -- accepted pairs ----------------------------------------------------------------------------------------

static void make(uint64_t seed, const struct pair *p, struct generated *g, struct combination *c)
{
    char more[100];
    combination_program(seed, g);
    combination_draw_with(seed, g, p->techs, p->extra ? 1 : 2, c);
    if (!p->extra) return;
    combination_stay_in_lanes(c);
    snprintf(more, sizeof more, "%s=%s", p->above ? "above" : "below", p->extra->name);
    vec_push(&c->parts, strdup(more));
    if (p->extra->claims & CLAIMS(L1_LINES))
        vec_push(&c->parts, strdup("l1.global=1")); // else few lines come
}

// Number `number`: pair number modulo the number of pairs; returns the program's seed, number / pairs.
static uint64_t locate(pair_at at, uint64_t number, struct pair *p)
{
    size_t count = count_of(at);
    at(number % count, p);
    return number / count;
}

static enum verdict try_pair(pair_at at, uint64_t number, struct strbuf *why)
{
    struct pair p;
    struct generated g;
    struct combination c;
    uint64_t seed = locate(at, number, &p);
    if (is_refused(&p)) return SAME;
    make(seed, &p, &g, &c);
    enum verdict v = combination_try(g.text.text, &c, why);
    combination_fini(&c);
    generated_fini(&g);
    return v;
}

static enum verdict try_registered(uint64_t number, struct strbuf *why)
{
    return try_pair(registered_at, number, why);
}

static enum verdict try_with_extra(uint64_t number, struct strbuf *why)
{
    return try_pair(with_extra_at, number, why);
}

static void report(struct test *t, pair_at at, const struct finding *f)
{
    struct pair p;
    struct generated g;
    struct combination c;
    struct strbuf with = {0};
    uint64_t seed = locate(at, f->seed, &p);
    make(seed, &p, &g, &c);
    combination_write(&c, &with);
    test_fail(
        t, __FILE__, __LINE__,
        "program %llu: %s: %s\n    build/tests/differential/test_combinations shrink --seed %llu --with "
        "\"%s\"",
        (unsigned long long)seed, verdict_name(f->verdict), f->why, (unsigned long long)seed,
        strbuf_text(&with));
    strbuf_fini(&with);
    combination_fini(&c);
    generated_fini(&g);
}

static void hunt_pairs(struct test *t, pair_at at, enum verdict (*try)(uint64_t, struct strbuf *),
                       uint64_t programs)
{
    struct finding found[FINDINGS];
    size_t pairs = count_of(at);
    struct hunt h = {
        .first = pairs * test_seed(1), .count = pairs * programs, .try = try, .stop_after = FINDINGS - 1};
    unsigned count = hunt(&h, found, FINDINGS);
    printf("  %zu pairs, %llu programs each\n", pairs, (unsigned long long)programs);
    for (unsigned k = 0; k < count; k++) report(t, at, &found[k]);
    CHECK(t, count || h.programs == h.count);
}

static void test_registered(struct test *t)
{
    hunt_pairs(t, registered_at, try_registered, test_is_long() ? 1000 : test_is_quick() ? 15 : 75);
}

static void test_with_extra(struct test *t)
{
    hunt_pairs(t, with_extra_at, try_with_extra, test_is_long() ? 1000 : test_is_quick() ? 4 : 20);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"refused", test_refused}, {"registered", test_registered}, {"with extra", test_with_extra}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
