#include "lab/categories.h"
#include "lab/measures.h"
#include "workload/workload.h"

const struct categories_group categories_groups[CATEGORIES_GROUPS] = {{"darsie-1d", "-1D"},
                                                                      {"darsie-2d", "-2D"}};

// -- kernels, programs and pairs ----------------------------------------------------------------------------

const struct workload *categories_named_kernel(const char *name, size_t i, const char **abbreviation)
{
    if (workload_is_group(name)) return workload_in_group(name, i, abbreviation);
    const struct workload *w = NULL;
    for (size_t k = 0; !i && (w = workload_in_group("all", k, abbreviation)) != NULL; k++)
        if (str_equal(w->name, name)) break;
    return w;
}

const struct workload *categories_kernel(const struct experiment *x, const char *category)
{
    const struct workload *w;
    const char *abbreviation;
    for (size_t k = 0; k < x->kernels.count; k++)
        for (size_t i = 0; (w = categories_named_kernel(x->kernels.data[k], i, &abbreviation)) != NULL; i++)
            if (str_equal(abbreviation, category) || str_equal(w->name, category)) return w;
    return NULL;
}

bool categories_is_subject(const struct experiment *x, const char *category)
{
    for (size_t i = 0; i < x->programs.list.count; i++)
        if (str_equal(x->programs.list.data[i].name, category)) return true;
    for (size_t i = 0; i < x->own.list.count; i++)
        if (str_equal(x->own.list.data[i].name, category)) return true;
    for (size_t i = 0; i < x->pairs.count; i++)
        if (str_equal(x->pairs.data[i].name, category)) return true;
    return categories_kernel(x, category);
}

bool categories_in_group(const struct experiment *x, const char *group, const char *category)
{
    if (str_equal(group, "all")) return categories_is_subject(x, category);
    const struct workload *kernel = categories_kernel(x, category), *w;
    for (size_t k = 0; kernel && (w = workload_in_group(group, k, NULL)) != NULL; k++)
        if (w == kernel) return true;
    return false;
}

bool categories_left_out(const struct experiment *x, const char *series, const char *category)
{
    for (size_t i = 0; i < x->left_out.count; i++) {
        const struct experiment_left_out *l = &x->left_out.data[i];
        const struct workload *kernel = categories_kernel(x, l->subject);
        if (str_equal(l->series, series) &&
            (str_equal(l->subject, category) || (kernel && kernel == categories_kernel(x, category))))
            return true;
    }
    return false;
}

const char *categories_without(const struct experiment *x, const char *series, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < x->left_out.count; i++)
        if (str_equal(x->left_out.data[i].series, series))
            text =
                arena_printf(arena, "%s%s %s", text, *text ? "," : " without", x->left_out.data[i].subject);
    return text;
}

// -- names of all categories --------------------------------------------------------------------------------

bool categories_have_most(const struct experiment *x)
{
    for (size_t i = 0; i < x->values.count; i++)
        if (str_equal(x->values.data[i].category, CATEGORIES_MOST)) return true;
    return false;
}

// Adds a kernel unless listed, by name if the abbreviation belongs to a different kernel (figure.c).
static void add_kernel(const struct experiment *x, struct categories *c, const struct workload *w,
                       const char *abbreviation)
{
    for (size_t i = 0; i < c->subjects.count; i++)
        if (categories_kernel(x, c->subjects.data[i]) == w) return;
    vec_push(&c->subjects, categories_kernel(x, abbreviation) == w ? abbreviation : w->name);
}

static void add_subjects(const struct experiment *x, struct categories *c)
{
    const struct workload *w;
    const char *abbreviation;
    for (size_t k = 0; k < x->kernels.count; k++)
        for (size_t i = 0; (w = categories_named_kernel(x->kernels.data[k], i, &abbreviation)) != NULL; i++)
            add_kernel(x, c, w, abbreviation);
    for (size_t i = 0; i < x->programs.list.count; i++) vec_push(&c->subjects, x->programs.list.data[i].name);
    for (size_t i = 0; i < x->pairs.count; i++) vec_push(&c->subjects, x->pairs.data[i].name);
    for (size_t i = 0; i < x->own.list.count; i++) vec_push(&c->subjects, x->own.list.data[i].name);
}

static void add_mean(struct categories *c, const struct experiment *x, const char *suffix,
                     struct arena *arena)
{
    const struct measure *m = x->by;
    const char *letter = !m || m->aggregate == MEASURE_MEAN ? "" : "G";
    vec_push(&c->means, arena_printf(arena, "%sMEAN%s", letter, suffix));
}

static size_t count_members(const struct experiment *x, const struct categories *c, const char *group)
{
    size_t count = 0;
    for (size_t i = 0; i < c->subjects.count; i++)
        count += categories_in_group(x, group, c->subjects.data[i]);
    return count;
}

// Adds the means in the order of the chart (chart_values.c). A group with all kernels stands for the mean of
// all.
static void add_means(const struct experiment *x, struct categories *c, struct arena *arena)
{
    size_t most_of_one = 0;
    for (size_t n = 0; n < CATEGORIES_GROUPS; n++) {
        size_t count = count_members(x, c, categories_groups[n].group);
        if (count > 1) add_mean(c, x, categories_groups[n].suffix, arena);
        if (count > most_of_one) most_of_one = count;
    }
    for (size_t n = 0; x->split.series && n < 2; n++)
        add_mean(c, x, arena_printf(arena, "-%s", x->split.names[n]), arena);
    if (c->subjects.count > 1 && c->subjects.count != most_of_one) add_mean(c, x, "", arena);
    if (categories_have_most(x)) vec_push(&c->means, CATEGORIES_MOST);
}

bool categories_of(const struct experiment *x, struct arena *arena, struct categories *c)
{
    *c = (struct categories){0};
    bool is_by_subject =
        (x->kind == EXPERIMENT_RUNS && !x->axes.count) || (x->kind == EXPERIMENT_STUDY && !x->rows);
    if (!is_by_subject) return false;
    add_subjects(x, c);
    add_means(x, c, arena);
    return true;
}

void categories_fini(struct categories *c)
{
    vec_fini(&c->means);
    vec_fini(&c->subjects);
}
