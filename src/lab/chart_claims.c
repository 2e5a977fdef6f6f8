// Judges an experiment's claims, chains such as `DARSIE > UV > 1.0`. The terms are series, numbers and the
// paper's values; neighbouring terms are compared in every category of the claim.
#include "lab/categories.h"
#include "lab/chart.h"
#include "workload/workload.h"

#include <math.h>

struct judging {
    const struct experiment *experiment;
    const struct chart_view *view;
    const struct claim *claim;
    const char *category; // judged last
    size_t pairs, wrong, missing;
    struct strbuf text; // contradictions in words
};

// Number format for printing a term of the claim: the format of the term's series. For a number or `paper`:
// the format of the next term with a series, the first term following the last.
static enum chart_format format_beside(const struct judging *j, size_t term)
{
    for (size_t n = 0; n < j->claim->terms.count; n++) {
        const char *series = j->claim->terms.data[(term + n) % j->claim->terms.count].series;
        for (size_t s = 0; series && s < j->view->series.count; s++)
            if (str_equal(j->view->series.data[s].name, series)) return j->view->series.data[s].format;
    }
    return CHART_NUMBER;
}

// The view's category with the kernel of the name, for a claim with the kernel's name in place of the
// abbreviation; NULL: no such category.
static const char *category_of_kernel(const struct judging *j, const char *name)
{
    const struct workload *kernel = categories_kernel(j->experiment, name);
    for (size_t i = 0; kernel && i < j->view->categories.count; i++)
        if (categories_kernel(j->experiment, j->view->categories.data[i]) == kernel)
            return j->view->categories.data[i];
    return NULL;
}

static double term_value(const struct judging *j, size_t term, const char *category)
{
    bool is_paper = j->claim->terms.data[term].is_paper;
    const struct claim_term *t = &j->claim->terms.data[is_paper ? claim_paper_of(term) : term];
    if (!t->series) return t->number;
    if (t->category) category = t->category;
    const struct chart_value *v = chart_find(j->view, category, t->series);
    if (!v && (category = category_of_kernel(j, category)) != NULL)
        v = chart_find(j->view, category, t->series);
    return !v ? NAN : is_paper ? v->paper : v->value;
}

// Appends a term with its value: "DARSIE 1.120", "DARSIE at LIB 0.560", "50.0%". exact: with more digits, for
// two different values that print alike.
static void add_term(const struct judging *j, size_t term, double value, bool exact, struct strbuf *out)
{
    const struct claim_term *t = &j->claim->terms.data[term];
    enum chart_format format = format_beside(j, term);
    if (t->series || t->is_paper) strbuf_printf(out, "%s ", t->is_paper ? "paper" : t->series);
    if (t->category) strbuf_printf(out, "at %s ", t->category);
    if (!exact)
        chart_add_number(out, format, value);
    else if (format == CHART_SHARE)
        strbuf_printf(out, "%.4f%%", 100 * value);
    else
        strbuf_printf(out, "%.6f", value);
}

// "DARSIE 1.120 is not above DAC-IDEAL 1.172"
static void add_pair(const struct judging *j, size_t left, const char *category, bool held,
                     struct strbuf *out)
{
    double a = term_value(j, left, category), b = term_value(j, left + 1, category);
    enum claim_order order = j->claim->orders.data[left];
    enum chart_format format = format_beside(j, left);
    struct strbuf texts[2] = {{0}};
    chart_add_number(&texts[0], format, a);
    chart_add_number(&texts[1], format, b);
    bool exact = a != b && str_equal(texts[0].text, texts[1].text);
    add_term(j, left, a, exact, out);
    strbuf_puts(out, held ? " is " : " is not ");
    if (order == CLAIM_ABOUT) {
        bool share = format == CHART_SHARE;
        strbuf_printf(out, "within %g%s of ", share ? 100 * j->claim->within : j->claim->within,
                      share ? "%" : "");
    } else {
        strbuf_printf(out, "%s ", claim_order_words(order));
    }
    add_term(j, left + 1, b, exact, out);
    strbuf_fini(&texts[0]);
    strbuf_fini(&texts[1]);
}

static void judge_category(struct judging *j, const char *category)
{
    enum { NAMED = 3 }; // contradictions written out
    j->category = category;
    for (size_t i = 0; i < j->claim->orders.count; i++) {
        double left = term_value(j, i, category), right = term_value(j, i + 1, category);
        j->pairs++;
        if (isnan(left) || isnan(right)) {
            j->missing++;
        } else if (!claim_holds(j->claim->orders.data[i], left, right, j->claim->within)) {
            if (j->wrong++ >= NAMED) continue;
            strbuf_printf(&j->text, "%s%s: ", j->wrong > 1 ? "; " : "", category);
            add_pair(j, i, category, false, &j->text);
        }
    }
}

// True: the claim names the category, the category's kernel, or a group containing the category's kernel,
// program or pair.
static bool is_meant(const struct judging *j, const char *category)
{
    const char *claimed = j->claim->category;
    const struct workload *kernel = categories_kernel(j->experiment, claimed);
    return categories_in_group(j->experiment, claimed, category) || str_equal(claimed, category) ||
           (kernel && kernel == categories_kernel(j->experiment, category));
}

static void add_held(const struct judging *j, struct strbuf *out)
{
    const struct claim *c = j->claim;
    for (size_t i = 0; i < c->orders.count; i++) {
        strbuf_printf(out, "%s%s", i ? "; " : c->category, i ? "" : ": ");
        add_pair(j, i, j->category, true, out);
    }
}

static struct chart_finding judge(struct chart *chart, const struct chart_view *v, const struct claim *claim)
{
    struct judging j = {.experiment = chart->experiment, .view = v, .claim = claim};
    for (size_t i = 0; i < v->categories.count; i++)
        if (is_meant(&j, v->categories.data[i])) judge_category(&j, v->categories.data[i]);
    struct chart_finding finding = {j.wrong                 ? CHART_CONTRADICTED
                                    : j.missing || !j.pairs ? CHART_OPEN
                                                            : CHART_HELD,
                                    NULL};
    switch (finding.verdict) {
    case CHART_CONTRADICTED:
        if (j.pairs > 1) strbuf_printf(&j.text, " (%zu of %zu comparisons)", j.wrong, j.pairs);
        break;
    case CHART_OPEN: strbuf_printf(&j.text, "%s: not completely measured", claim->text); break;
    case CHART_HELD:
        if (workload_is_group(claim->category))
            strbuf_printf(&j.text, "%s, in all of %zu comparisons", claim->text, j.pairs);
        else
            add_held(&j, &j.text);
        break;
    }
    finding.text = arena_strndup(&chart->arena, strbuf_text(&j.text), j.text.length);
    strbuf_fini(&j.text);
    return finding;
}

void chart_judge(struct chart *c)
{
    const struct experiment *x = c->experiment;
    for (size_t i = 0; i < c->views.count; i++) {
        struct chart_view *v = &c->views.data[i];
        for (size_t n = 0; n < x->claims.count; n++) {
            const struct claim *claim = &x->claims.data[n];
            if (!claim->gpu || str_equal(claim->gpu, v->gpu)) vec_push(&v->findings, judge(c, v, claim));
        }
    }
}
