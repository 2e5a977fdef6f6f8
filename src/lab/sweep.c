#include "lab/sweep.h"
#include "api/warpfold.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 1000000 }; // limit per experiment, against typing errors

// -- the product --------------------------------------------------------------------------------------------

size_t sweep_steps(const struct experiment *x) { return x->axes.count ? x->axes.data[0].values.count : 0; }

size_t sweep_points(const struct experiment *x)
{
    size_t points = 1;
    for (size_t a = 0; a < x->axes.count && points <= POINTS_MOST; a++)
        points *= x->axes.data[a].values.count;
    return points;
}

static const char *value_at(const struct experiment *x, size_t axis, size_t point)
{
    for (size_t a = 0; a < axis; a++) point /= x->axes.data[a].values.count;
    return x->axes.data[axis].values.data[point % x->axes.data[axis].values.count];
}

const char *sweep_value(const struct experiment *x, size_t point) { return value_at(x, 0, point); }

static void put_settings(const struct experiment *x, size_t first, size_t point, struct strbuf *out)
{
    for (size_t a = first; a < x->axes.count; a++)
        strbuf_printf(out, "%s%s=%s", a > first ? " " : "", x->axes.data[a].key, value_at(x, a, point));
}

const char *sweep_settings(const struct experiment *x, size_t point, struct arena *arena)
{
    struct strbuf text = {0};
    put_settings(x, 0, point, &text);
    const char *kept = arena_strndup(arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

const char *sweep_line(const struct experiment *x, const char *label, size_t point, const char *subject,
                       struct arena *arena)
{
    struct strbuf text = {0};
    strbuf_printf(&text, "%s, ", label);
    put_settings(x, 1, point, &text);
    strbuf_printf(&text, "%s%s", x->axes.count > 1 ? ", " : "", subject);
    const char *kept = arena_strndup(arena, text.text, text.length);
    strbuf_fini(&text);
    return kept;
}

// -- in the file --------------------------------------------------------------------------------------------

bool sweep_add(struct parser *p, char *value)
{
    char *values = experiment_cut(value, ':');
    struct experiment_axis axis = {.key = str_trim(value)};
    for (char *word; values && (word = strsep(&values, " \t\n")) != NULL;)
        if (*word) vec_push(&axis.values, word);
    vec_push(&p->x->axes, axis);
    if (!*axis.key || strpbrk(axis.key, " \t=") || !axis.values.count)
        return diag_error(p->diag, p->loc, "a sweep is KEY : VALUE VALUE …");
    for (size_t a = 0; a + 1 < p->x->axes.count; a++)
        if (str_equal(p->x->axes.data[a].key, axis.key))
            return diag_error(p->diag, p->loc, "%s is swept twice", axis.key);
    return true;
}

// Checks the values of the first axis: ascending numbers, without the suffixes K, M and G of sizes.
static bool check_first(struct parser *p, const struct experiment_axis *axis)
{
    double last = 0, value;
    for (size_t i = 0; i < axis->values.count; i++) {
        if (!str_to_f64(axis->values.data[i], &value) || (i && !(value > last)))
            return diag_error(p->diag, (struct loc){.source = p->loc.source},
                              "sweep = %s: values of the first axis must be numbers and increase, "
                              "unlike \"%s\"",
                              axis->key, axis->values.data[i]);
        last = value;
    }
    return true;
}

static bool check_values(struct parser *p, const char *gpu)
{
    struct wf_context *c = wf_context_create();
    bool good = wf_gpu(c, gpu) == WF_OK || experiment_refuse(p, c);
    for (size_t a = 0; a < p->x->axes.count && good; a++) {
        const struct experiment_axis *axis = &p->x->axes.data[a];
        if (own_is_word(axis->key)) {
            good = own_check_word(&p->x->own, axis->key, p->diag, (struct loc){.source = p->loc.source});
            continue;
        }
        for (size_t i = 0; i < axis->values.count && good; i++)
            good = wf_set(c, axis->key, axis->values.data[i]) == WF_OK || experiment_refuse(p, c);
    }
    wf_context_destroy(c);
    return good;
}

bool sweep_check(struct parser *p)
{
    const struct experiment *x = p->x;
    struct loc whole = {.source = p->loc.source};
    if (!x->axes.count) return true;
    if (x->kind != EXPERIMENT_RUNS) return diag_error(p->diag, whole, "sweep is for timed runs");
    if (x->claims.count || x->values.count || x->subject)
        return diag_error(
            p->diag, whole,
            "claim, paper and headline need single values of kernels, absent from an experiment "
            "with a sweep");
    if (!check_first(p, &x->axes.data[0])) return false;
    if (sweep_points(x) > POINTS_MOST)
        return diag_error(p->diag, whole, "the sweep has more than %d points", POINTS_MOST);
    for (size_t v = 0; v < x->views.count; v++)
        if (!check_values(p, x->views.data[v].gpu)) return false;
    return true;
}
