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

// Whether the key is an option of a mechanism, darsie.entries; *option: the option's name.
static bool is_option(const char *key, const char **option)
{
    const char *point = strchr(key, '.'), *name, *meaning;
    if (!point) return false;
    *option = point + 1;
    for (size_t i = 0; wf_tech_at(i, &name, &meaning); i++)
        if (strlen(name) == (size_t)(point - key) && strncmp(name, key, strlen(name)) == 0) return true;
    return false;
}

static void put_axis(const struct experiment *x, size_t axis, size_t point, struct strbuf *out)
{
    strbuf_printf(out, "%s%s=%s", out->length ? " " : "", x->axes.data[axis].key, value_at(x, axis, point));
}

const char *sweep_settings(const struct experiment *x, size_t point, struct arena *arena)
{
    struct strbuf text = {0};
    const char *option;
    for (size_t a = 0; a < x->axes.count; a++)
        if (!is_option(x->axes.data[a].key, &option)) put_axis(x, a, point, &text);
    const char *kept = arena_strndup(arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

// Appends an option to a mechanism of a series, "darsie:rules=paper", unless it is there.
static void put_option(const char *part, size_t length, const char *option, const char *value,
                       struct strbuf *out)
{
    const char *options = memchr(part, ':', length);
    for (const char *at = options; at && at < part + length; at++)
        if ((*at == ':' || *at == ',') && str_starts_with(at + 1, option) && at[1 + strlen(option)] == '=')
            return;
    strbuf_printf(out, "%c%s=%s", options || strchr(strbuf_text(out), ':') ? ',' : ':', option, value);
}

const char *sweep_mechanisms(const struct experiment *x, const char *what, size_t point, struct arena *arena)
{
    struct strbuf text = {0};
    for (const char *part = what; *part;) {
        size_t length = strcspn(part, "+"), name = strcspn(part, ":+");
        struct strbuf one = {0};
        strbuf_write(&one, part, length);
        for (size_t a = 0; a < x->axes.count; a++) {
            const char *option, *key = x->axes.data[a].key;
            if (is_option(key, &option) && (size_t)(option - key) == name + 1 &&
                strncmp(key, part, name) == 0)
                put_option(part, length, option, value_at(x, a, point), &one);
        }
        strbuf_printf(&text, "%s%s", text.length ? "+" : "", strbuf_text(&one));
        strbuf_fini(&one);
        part += length + (part[length] == '+');
    }
    const char *kept = arena_strndup(arena, strbuf_text(&text), text.length);
    strbuf_fini(&text);
    return kept;
}

const char *sweep_line(const struct experiment *x, const char *label, size_t point, const char *subject,
                       struct arena *arena)
{
    struct strbuf text = {0}, settings = {0};
    for (size_t a = 1; a < x->axes.count; a++) put_axis(x, a, point, &settings);
    strbuf_printf(&text, "%s, %s%s%s", label, strbuf_text(&settings), settings.length ? ", " : "", subject);
    strbuf_fini(&settings);
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

// Values of an option, and a series with the mechanism.
static bool check_option(struct parser *p, const struct experiment_axis *axis, const char *option)
{
    const struct experiment *x = p->x;
    int length = (int)(option - axis->key) - 1;
    bool is_used = false, good = true;
    for (size_t s = 0; s < x->series.count; s++) {
        const char *at = x->series.data[s].what;
        for (; *at; at += strcspn(at, "+"), at += *at == '+')
            is_used |= strcspn(at, ":+") == (size_t)length && strncmp(at, axis->key, (size_t)length) == 0;
    }
    if (!is_used)
        return diag_error(p->diag, (struct loc){.source = p->loc.source},
                          "sweep = %s: no series has the mechanism %.*s", axis->key, length, axis->key);
    for (size_t i = 0; i < axis->values.count && good; i++) {
        struct wf_context *c = wf_context_create();
        const char *what =
            arena_printf(p->arena, "%.*s:%s=%s", length, axis->key, option, axis->values.data[i]);
        good = wf_tech(c, what) == WF_OK || experiment_refuse(p, c);
        wf_context_destroy(c);
    }
    return good;
}

static bool check_values(struct parser *p, const char *gpu)
{
    struct wf_context *c = wf_context_create();
    bool good = wf_gpu(c, gpu) == WF_OK || experiment_refuse(p, c);
    for (size_t a = 0; a < p->x->axes.count && good; a++) {
        const struct experiment_axis *axis = &p->x->axes.data[a];
        const char *option;
        if (is_option(axis->key, &option)) {
            good = check_option(p, axis, option);
            continue;
        }
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
