// Headlines. Every number is a value of a chart or a count. A headline with a missing measurement is left
// out.
#include "lab/headline.h"
#include "lab/categories.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_piece(struct headline *h, enum headline_kind kind, const char *text, size_t length)
{
    if (!length) return;
    vec_push(&h->pieces, (struct headline_piece){kind, arena_strndup(&h->arena, text, length)});
}

static void add_words(struct headline *h, const char *words)
{
    add_piece(h, HEADLINE_WORDS, words, strlen(words));
}

// Short, as in running text: "1.12", "17 %", "0.4 %", "3075".
static void add_number(struct headline *h, enum headline_kind kind, enum chart_format format, double value)
{
    char text[40];
    if (format == CHART_SHARE)
        snprintf(text, sizeof text, fabs(value) < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * value);
    else
        snprintf(text, sizeof text, format == CHART_PLAIN ? "%.0f" : "%.2f", value);
    add_piece(h, kind, text, strlen(text));
}

// -- an experiment's own words ------------------------------------------------------------------------------

// The value named by "SERIES | CATEGORY"; NULL: no such value, or not measured.
static const struct chart_value *named_value(const struct chart_view *v, const char *name, size_t length)
{
    char text[200];
    if (length >= sizeof text) return NULL;
    memcpy(text, name, length);
    text[length] = 0;
    char *bar = strchr(text, '|');
    if (!bar) return NULL;
    *bar++ = 0;
    const struct chart_value *p = chart_find(v, str_trim(bar), str_trim(text));
    return p && !isnan(p->value) ? p : NULL;
}

// -- the kernels of a mean ----------------------------------------------------------------------------------

enum { NAMES_MOST = 16 }; // a mean over more kernels has no names beside

struct members { // of the category named first in a headline
    bool is_mean;
    size_t count, small; // small: fewer blocks than the chip holds at once, in the run of comparison
    const char *noun;    // "kernels"
    struct strbuf names; // "MM, HS"
};

// Group of the kernels in a mean by its name: "GMEAN-2D".
static const char *group_of(const char *mean)
{
    for (size_t i = 0; i < CATEGORIES_GROUPS; i++)
        if (str_ends_with(mean, categories_groups[i].suffix)) return categories_groups[i].group;
    return "all";
}

static struct members members_none(const struct chart *c)
{
    return (struct members){.noun = c->experiment->programs.list.count ? "programs" : "kernels"};
}

// The members of the view's category number `at`.
static void members_of(struct members *m, const struct chart *c, const struct chart_view *v, size_t at)
{
    const char *category = v->categories.data[at];
    m->is_mean = !categories_is_subject(c->experiment, category);
    for (size_t i = 0; i < v->categories.count; i++) {
        const char *name = v->categories.data[i];
        bool is_one = m->is_mean ? categories_is_subject(c->experiment, name) &&
                                       categories_in_group(c->experiment, group_of(category), name)
                                 : i == at;
        if (!is_one) continue;
        m->count++;
        m->small += i < v->waves.count && v->waves.data[i] > 0 && v->waves.data[i] < 1;
        strbuf_printf(&m->names, "%s%s", m->names.length ? ", " : "", name);
    }
}

static void find_members(struct members *m, const struct chart *c, const struct chart_view *v)
{
    const char *open = strchr(c->experiment->predicate, '{'), *close = open ? strchr(open, '}') : NULL;
    const struct chart_value *p = close ? named_value(v, open + 1, (size_t)(close - open - 1)) : NULL;
    *m = members_none(c);
    if (p) members_of(m, c, v, p->category);
}

// Behind a number: most kernels fill less than the chip.
static void add_smallness(struct headline *h, const struct members *m)
{
    if (2 * m->small > m->count && m->count > 1)
        add_words(h, arena_printf(&h->arena,
                                  " (inputs too small: %zu of %zu %s have fewer blocks than the chip holds)",
                                  m->small, m->count, m->noun));
    else if (2 * m->small > m->count)
        add_words(h, " (input too small: fewer blocks than the chip holds)");
}

static void add_members(struct headline *h, const struct members *m)
{
    if (!m->is_mean || !m->count) return;
    add_words(h, arena_printf(&h->arena, " The mean is of %zu %s", m->count, m->noun));
    add_words(h, m->count > NAMES_MOST ? "." : arena_printf(&h->arena, ": %s.", strbuf_text(&m->names)));
}

// Writes the predicate with its values; m: the members of the first value's category, told behind the value if
// their inputs are too small; NULL: nothing told. False: a value is missing. Headline NULL: check only.
static bool write_predicate(struct headline *h, const struct chart_view *v, const char *text,
                            const struct members *m)
{
    for (const char *open; (open = strchr(text, '{')) != NULL;) {
        const char *close = strchr(open, '}');
        const struct chart_value *p = close ? named_value(v, open + 1, (size_t)(close - open - 1)) : NULL;
        if (!p) return false;
        if (h) {
            enum chart_format format = v->series.data[p->series].format;
            add_piece(h, HEADLINE_WORDS, text, (size_t)(open - text));
            add_number(h, HEADLINE_VALUE, format, p->value);
            if (!isnan(p->paper)) add_number(h, HEADLINE_PAPER, format, p->paper);
            if (m) add_smallness(h, m);
            m = NULL;
        }
        text = close + 1;
    }
    if (h) add_words(h, text);
    return true;
}

// The chart's view of a GPU and profile, if the experiment has a headline with all values measured; otherwise
// NULL.
static const struct chart_view *speaking_view(const struct chart *c, const char *gpu, const char *profile)
{
    const struct chart_view *v = c->experiment->subject ? chart_view_of(c, gpu, profile) : NULL;
    return v && write_predicate(NULL, v, c->experiment->predicate, NULL) ? v : NULL;
}

// "DARSIE removes 10 %, runs at 1.2 and saves 7 %. UV runs at …": consecutive headlines with one subject
// share a sentence.
static void add_sentences(struct headline *h, const struct charts *charts, const char *gpu,
                          const char *profile)
{
    const struct chart *before = NULL;
    struct members shown = {0}, m; // shown: of the first headline
    for (size_t i = 0; i < charts->list.count; i++) {
        const struct chart *c = &charts->list.data[i], *after = NULL;
        const struct chart_view *v = speaking_view(c, gpu, profile);
        if (!v) continue;
        for (size_t k = i + 1; k < charts->list.count && !after; k++)
            if (speaking_view(&charts->list.data[k], gpu, profile)) after = &charts->list.data[k];
        bool same = before && str_equal(before->experiment->subject, c->experiment->subject),
             goes_on = after && str_equal(after->experiment->subject, c->experiment->subject);
        if (!same) add_words(h, before ? ". " : "");
        if (!same) add_words(h, c->experiment->subject);
        add_words(h, !same ? " " : goes_on ? ", " : " and ");
        find_members(&m, c, v);
        bool is_known = before && str_equal(strbuf_text(&m.names), strbuf_text(&shown.names));
        write_predicate(h, v, c->experiment->predicate, is_known ? NULL : &m);
        if (before) strbuf_fini(&m.names);
        if (!before) shown = m;
        before = c;
    }
    if (before) add_words(h, ".");
    add_members(h, &shown);
    strbuf_fini(&shown.names);
}

// -- experiments without a headline -------------------------------------------------------------------------

// *category: the last category, and *subjects: the number of kernels, programs and pairs in the view. True:
// one subject, or the last category is a mean.
static bool whole_category(const struct chart *c, const struct chart_view *v, size_t *category,
                           size_t *subjects)
{
    *subjects = 0;
    for (size_t i = 0; i < v->categories.count; i++)
        *subjects += categories_is_subject(c->experiment, v->categories.data[i]);
    *category = v->categories.count - 1;
    return *subjects &&
           (*subjects == 1 || !categories_is_subject(c->experiment, v->categories.data[*category]));
}

static void add_extremes(struct headline *h, const struct chart *c, const struct chart_view *v,
                         size_t category, size_t kernels)
{
    const struct chart_value *high = NULL, *low = NULL;
    size_t count = 0;
    struct members m = members_none(c);
    const char *part = figure_part_of(c->experiment, "all", c->size, kernels, &h->arena);
    for (size_t i = 0; i < v->values.count; i++) {
        const struct chart_value *p = &v->values.data[i];
        if (p->category != category || isnan(p->value)) continue;
        if (!high || p->value > high->value) high = p;
        if (!low || p->value < low->value) low = p;
        count++;
    }
    if (!count) return;
    members_of(&m, c, v, category);
    add_words(h, arena_printf(&h->arena, "%c%s", toupper((unsigned char)*c->axis), c->axis + 1));
    if (kernels > 1) {
        add_words(h, *part ? arena_printf(&h->arena, ", mean%s", part)
                           : arena_printf(&h->arena, ", mean of %zu %s", kernels, m.noun));
        if (m.count && m.count <= NAMES_MOST)
            add_words(h, arena_printf(&h->arena, " (%s)", strbuf_text(&m.names)));
    }
    add_words(h, arena_printf(&h->arena, ": %s ", v->series.data[high->series].name));
    add_number(h, HEADLINE_VALUE, v->series.data[high->series].format, high->value);
    add_smallness(h, &m);
    if (count > 1) {
        add_words(
            h, arena_printf(&h->arena, ", the highest of %zu; %s ", count, v->series.data[low->series].name));
        add_number(h, HEADLINE_VALUE, v->series.data[low->series].format, low->value);
        add_words(h, ", the lowest");
    }
    add_words(h, ".");
    strbuf_fini(&m.names);
}

// -- the whole headline -------------------------------------------------------------------------------------

static const char *outputs_text(struct arena *a, const struct headline_outputs *o)
{
    if (o->equal < o->compared)
        return arena_printf(a, "%" PRIu64 " of %" PRIu64 " outputs %s not the CPU's.", o->compared - o->equal,
                            o->compared, o->compared - o->equal == 1 ? "is" : "are");
    if (o->compared == 1) return "The output is verified against the CPU's.";
    if (o->compared == 2) return "Both outputs are verified against the CPU's.";
    return arena_printf(a, "All %" PRIu64 " outputs are verified against the CPU's.", o->compared);
}

static void add_outputs(struct headline *h, const struct headline_outputs *o)
{
    if (!o->compared) return;
    if (h->pieces.count) add_words(h, " ");
    add_words(h, outputs_text(&h->arena, o));
    if (o->refused)
        add_words(h, arena_printf(&h->arena, " %" PRIu64 " %s refused.", o->refused,
                                  o->refused == 1 ? "run was" : "runs were"));
}

void headline_make(struct headline *h, const struct charts *charts, const char *gpu, const char *profile,
                   const struct headline_outputs *outputs)
{
    *h = (struct headline){0};
    arena_init(&h->arena);
    add_sentences(h, charts, gpu, profile);
    for (size_t i = 0; i < charts->list.count && !h->pieces.count; i++) {
        const struct chart *c = &charts->list.data[i];
        const struct chart_view *v = c->categories == CHART_KERNELS ? chart_view_of(c, gpu, profile) : NULL;
        size_t category, kernels;
        if (v && whole_category(c, v, &category, &kernels)) add_extremes(h, c, v, category, kernels);
    }
    add_outputs(h, outputs);
}

void headline_fini(struct headline *h)
{
    vec_fini(&h->pieces);
    arena_fini(&h->arena);
}
