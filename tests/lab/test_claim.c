// Claims of experiments: the grammar, the meaning of each order, and the report of the outcome. Fails where a
// claim is read or judged wrongly.
#include "api/warpfold.h"
#include "base/arena.h"
#include "base/str.h"
#include "lab/claim.h"
#include "lab/lab.h"
#include "lab/measures.h"

#include <stdlib.h>
#include <string.h>

static void test_grammar(struct test *t)
{
    struct arena a;
    struct claim c;
    const char *why;
    arena_init(&a);
    CHECK(t, claim_parse("GMEAN-2D on tiny : A, free > B at LIB >= 50% within 2%", &a, &c, &why));
    CHECK_STR(t, c.category, "GMEAN-2D");
    CHECK_STR(t, c.gpu, "tiny");
    CHECK(t, c.within == 0.02);
    CHECK_EQ(t, c.terms.count, 3);
    CHECK_EQ(t, c.orders.count, 2);
    CHECK_STR(t, c.terms.data[0].series, "A, free");
    CHECK(t, !c.terms.data[0].category);
    CHECK_STR(t, c.terms.data[1].series, "B");
    CHECK_STR(t, c.terms.data[1].category, "LIB");
    CHECK(t, !c.terms.data[2].series && c.terms.data[2].number == 0.5);
    CHECK(t, c.orders.data[0] == CLAIM_ABOVE && c.orders.data[1] == CLAIM_AT_LEAST);
    claim_fini(&c);
    // Labels may contain the signs of orders.
    CHECK(t, claim_parse("all : full=wait <= a>b", &a, &c, &why));
    CHECK_STR(t, c.terms.data[0].series, "full=wait");
    CHECK_STR(t, c.terms.data[1].series, "a>b");
    claim_fini(&c);
    // The paper's value of the neighbouring series.
    CHECK(t, claim_parse("all : A ~ paper within 2%", &a, &c, &why));
    CHECK(t, !c.terms.data[0].is_paper && c.terms.data[1].is_paper && !c.terms.data[1].series);
    CHECK_EQ(t, claim_paper_of(1), 0);
    claim_fini(&c);
    CHECK(t, claim_parse("MM : paper < A", &a, &c, &why));
    CHECK(t, c.terms.data[0].is_paper && claim_paper_of(0) == 1);
    claim_fini(&c);
    static const char *const broken[] = {"",
                                         "A > B",
                                         ": A > B",
                                         "MM : A",
                                         "MM on : A > B",
                                         "MM : A ~ B within little",
                                         "MM : 3 ~ paper",
                                         "MM : paper ~ paper",
                                         "MM : paper"};
    for (size_t i = 0; i < TEST_COUNT(broken); i++) {
        CHECK_MSG(t, !claim_parse(broken[i], &a, &c, &why), "\"%s\" is taken for a claim", broken[i]);
        claim_fini(&c);
    }
    arena_fini(&a);
}

static void test_orders(struct test *t)
{
    static const struct {
        enum claim_order order;
        double left, right;
        bool holds;
    } cases[] = {{CLAIM_ABOVE, 1.1, 1, true},      {CLAIM_ABOVE, 1, 1, false},
                 {CLAIM_BELOW, 0.9, 1, true},      {CLAIM_BELOW, 1, 1, false},
                 {CLAIM_AT_LEAST, 0.995, 1, true}, {CLAIM_AT_LEAST, 0.98, 1, false},
                 {CLAIM_AT_MOST, 1.005, 1, true},  {CLAIM_AT_MOST, 1.02, 1, false},
                 {CLAIM_ABOUT, 1.04, 1, true},     {CLAIM_ABOUT, 0.94, 1, false}};
    for (size_t i = 0; i < TEST_COUNT(cases); i++)
        CHECK_MSG(t, claim_holds(cases[i].order, cases[i].left, cases[i].right, 0.05) == cases[i].holds,
                  "%g is %s %g", cases[i].left, claim_order_words(cases[i].order), cases[i].right);
}

// Every SM counter in the SQL of a measure exists.
static void test_measures(struct test *t)
{
    const struct measure *m;
    for (size_t i = 0; (m = measure_at(i)) != NULL; i++)
        for (const char *at = m->sql; (at = strstr(at, "'sm.")) != NULL; at++) {
            size_t length = strcspn(at + 1, "'");
            bool known = at[length] == '%'; // a pattern
            struct wf_counter counter;
            for (size_t k = 0; wf_counter_at(k, &counter); k++)
                known |= strlen(counter.name) == length && strncmp(counter.name, at + 1, length) == 0;
            CHECK_MSG(t, known, "%s is made of %.*s, which no run counts", m->name, (int)length, at + 1);
        }
}

// A contradicted claim is reported with its numbers, beside the figure and in the Markdown page.
static void test_outcome(struct test *t)
{
    struct cli c = {.t = t};
    struct strbuf text = {0};
    size_t length;
    strbuf_printf(&text, "%s%s", lab_experiment,
                  "claim = MM : DARSIE > 9\nclaim = matrixMul : DARSIE > 0.01\nclaim = VA : DARSIE at "
                  "matrixMul > 0.01\nclaim = all : DARSIE > "
                  "0.01\nclaim = MM : absent > DARSIE\n"
                  "claim = MM : DARSIE ~ paper within 0.001\n"
                  "claim = MM : DARSIE ~ paper within 9\nclaim = all : DARSIE ~ paper within 9\n"
                  "claim = MM on gtx1080ti-paper : DARSIE > 9\n");
    lab_write(&c, "claims.exp", text.text);
    cli_run(&c, "reproduce $D/claims.exp --size small --out $D/out");
    CHECK_MSG(t, c.status == 0, "%s", c.err);
    char *page = cli_read(&c, "out/paper.md", &length);
    sqlite3 *db = lab_open(t, "out");
    strbuf_clear(&text);
    strbuf_printf(
        &text, "MM: DARSIE %.3f is not above 9.000",
        lab_query(
            t, db,
            "SELECT value FROM points WHERE category = 'MM' AND series = 'DARSIE' AND profile = 'volta'"));
    CHECK_HAS(t, c.out, text.text);
    CHECK_HAS(t, page, text.text);
    strbuf_clear(&text); // a kernel's name means the category of the kernel's abbreviation
    strbuf_printf(
        &text, "| claims | tiny, volta, small | held | matrixMul: DARSIE %.3f is above 0.010 |",
        lab_query(
            t, db,
            "SELECT value FROM points WHERE category = 'MM' AND series = 'DARSIE' AND profile = 'volta'"));
    CHECK_HAS(t, page, text.text);
    CHECK_HAS(t, page, "| claims | tiny, volta, small | held | VA: DARSIE at matrixMul ");
    CHECK_HAS(t, page,
              "| claims | tiny, volta, small | held | all : DARSIE > 0.01, in all of 3 comparisons |");
    CHECK_HAS(t, page,
              "| claims | tiny, volta, small | open | MM : absent > DARSIE: not completely measured |");
    // Claims against the paper's value: a miss, a hit, and kernels without a value.
    CHECK_HAS(t, c.out, " is not within 0.001 of paper 1.300");
    CHECK_HAS(t, page, " is within 9 of paper 1.300 |");
    CHECK_HAS(t, page, "open | all : DARSIE ~ paper within 9: not completely measured |");
    unsigned contradicted = 0;
    for (const char *p = c.out; (p = strstr(p, "not as expected: ")) != NULL; p++) contradicted++;
    CHECK_EQ(t, contradicted, 4); // two a view; the last claim is for another GPU
    CHECK_HAS(t, c.out, "kernels: VA is vecadd, MM is matrixMul\n");
    sqlite3_close(db);
    free(page);
    strbuf_fini(&text);
    cli_fini(&c);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"grammar", test_grammar},
                                             {"orders", test_orders},
                                             {"measures", test_measures},
                                             {"outcome", test_outcome}};
    return test_main(argc, argv, cases, TEST_COUNT(cases));
}
