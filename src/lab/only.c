// Option --only: experiments keep the named values of an axis, kernels, programs, series or views.
#include "base/str.h"
#include "lab/categories.h"
#include "lab/experiment.h"
#include "lab/figure.h"

#include <string.h>

struct name {
    const char *text;
    bool found;
};

struct only {
    VEC(struct name) names;
    struct arena *arena;
};

static bool is_among(struct only *o, const char *text)
{
    for (size_t i = 0; i < o->names.count; i++)
        if (str_equal(o->names.data[i].text, text)) return o->names.data[i].found = true;
    return false;
}

static bool is_named(struct only *o, const struct experiment_view *v)
{
    return is_among(o, v->said) || is_among(o, arena_printf(o->arena, "%s/%s", v->gpu, v->profile));
}

// Keeps the named views, of those that the file gives without a name, too (more-views). Without a match, the name
// may belong to another experiment, and all views stay.
static void keep_views(struct experiment *x, struct only *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->views.count; i++)
        if (is_named(o, &x->views.data[i])) x->views.data[kept++] = x->views.data[i];
    size_t own = kept;
    for (size_t i = 0; i < x->more_views.count; i++) {
        if (!is_named(o, &x->more_views.data[i])) continue;
        if (kept == own) x->views.count = own; // the first of more-views: the views not named are gone
        vec_push(&x->views, x->more_views.data[i]);
        kept++;
    }
    if (!kept) return;
    x->views.count = kept;
    x->more_views.count = 0;
}

static void keep_series(struct experiment *x, struct only *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->series.count; i++)
        if (is_among(o, x->series.data[i].label)) x->series.data[kept++] = x->series.data[i];
    if (kept) x->series.count = kept;
}

static void keep_programs(struct experiment *x, struct only *o)
{
    struct program_subjects *all = &x->programs;
    size_t kept = 0;
    for (size_t i = 0; i < all->list.count; i++)
        if (is_among(o, all->list.data[i].name)) all->list.data[kept++] = all->list.data[i];
    if (!kept) return;
    x->programs_left_out += all->list.count - kept;
    all->list.count = kept;
}

// Selects the named kernels and runs of the user's own; figure.c leaves out the others.
static void keep_kernels(struct experiment *x, struct only *o)
{
    for (size_t i = 0; i < o->names.count; i++) {
        const struct workload *w = categories_kernel(x, o->names.data[i].text);
        if (!w) continue;
        o->names.data[i].found = true;
        vec_push(&x->only, w->name);
    }
    for (size_t i = 0; i < x->own.list.count; i++)
        if (is_among(o, x->own.list.data[i].name)) vec_push(&x->only, x->own.list.data[i].name);
}

static void keep_values(struct experiment_axis *axis, struct only *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < axis->values.count; i++)
        if (is_among(o, axis->values.data[i])) axis->values.data[kept++] = axis->values.data[i];
    if (kept) axis->values.count = kept;
}

static void keep(struct experiment *x, const char *what, struct only *o)
{
    static const struct {
        const char *what;
        void (*keep)(struct experiment *x, struct only *o);
    } parts[] = {
        {"kernel", keep_kernels}, {"program", keep_programs}, {"series", keep_series}, {"view", keep_views}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (str_equal(parts[i].what, what)) parts[i].keep(x, o);
    for (size_t a = 0; a < x->axes.count; a++)
        if (str_equal(x->axes.data[a].key + strspn(x->axes.data[a].key, "$-"),
                      what)) // $N is N, --grid is grid
            keep_values(&x->axes.data[a], o);
}

static bool is_found(const struct only *o, const char *text, struct diag *d)
{
    for (size_t i = 0; i < o->names.count; i++)
        if (!o->names.data[i].found)
            return diag_error(d, loc_none(), "--only %s: no experiment has \"%s\"", text,
                              o->names.data[i].text);
    return true;
}

bool experiments_keep_only(struct experiments *e, const char *text, struct diag *d)
{
    struct only o = {.arena = &e->arena};
    char *what = arena_strndup(&e->arena, text, strlen(text)), *names = strchr(what, '=');
    if (!names || !names[1])
        return diag_error(d, loc_none(),
                          "--only %s: write WHAT=NAME[,NAME…], with WHAT a swept key, or kernel, "
                          "program, series or view",
                          text);
    *names++ = 0;
    for (char *name; (name = strsep(&names, ",")) != NULL;) vec_push(&o.names, (struct name){name, false});
    for (size_t i = 0; i < e->list.count; i++) keep(&e->list.data[i], what, &o);
    bool good = is_found(&o, text, d);
    vec_fini(&o.names);
    return good;
}
