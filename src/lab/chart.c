// Charts as data: functions shared by all output forms, and storing values in table `points` of the database.
#include "lab/chart.h"
#include "lab/categories.h"

#include <math.h>
#include <string.h>

void chart_fini(struct chart *c)
{
    for (size_t i = 0; i < c->views.count; i++) {
        struct chart_view *v = &c->views.data[i];
        vec_fini(&v->categories);
        vec_fini(&v->shapes);
        vec_fini(&v->waves);
        vec_fini(&v->bars);
        vec_fini(&v->series);
        vec_fini(&v->values);
        vec_fini(&v->findings);
    }
    vec_fini(&c->views);
    vec_fini(&c->missing);
    arena_fini(&c->arena);
}

const char *chart_axis(const struct experiment *x, const char *axis, struct arena *arena)
{
    static const char end[] = " base";
    if (!x->base.label || !str_ends_with(axis, end)) return axis;
    return arena_printf(arena, "%.*s %s", (int)(strlen(axis) - strlen(end)), axis, x->base.label);
}

void charts_fini(struct charts *c)
{
    for (size_t i = 0; i < c->list.count; i++) chart_fini(&c->list.data[i]);
    vec_fini(&c->list);
}

const struct chart_view *chart_view_of(const struct chart *c, const char *gpu, const char *profile)
{
    for (size_t i = 0; i < c->views.count; i++) {
        const struct chart_view *v = &c->views.data[i];
        if (c->every_view || (str_equal(v->gpu, gpu) && str_equal(v->profile, profile))) return v;
    }
    return NULL;
}

const struct chart_value *chart_find(const struct chart_view *v, const char *category, const char *series)
{
    for (size_t i = 0; i < v->values.count; i++) {
        const struct chart_value *value = &v->values.data[i];
        if (str_equal(v->series.data[value->series].name, series) &&
            str_equal(v->categories.data[value->category], category))
            return value;
    }
    return NULL;
}

unsigned chart_class_of(const struct experiment *x, const struct chart_view *v, const char *category)
{
    const struct experiment_split *s = &x->split;
    const struct chart_value *value =
        s->series && categories_is_subject(x, category) ? chart_find(v, category, s->series) : NULL;
    if (!value || isnan(value->value)) return CHART_NO_CLASS;
    return value->value >= s->limit ? 0 : 1;
}

void chart_add_number(struct strbuf *out, enum chart_format format, double value)
{
    if (isnan(value))
        strbuf_puts(out, "-");
    else if (format == CHART_SHARE)
        strbuf_printf(out, "%.1f%%", 100 * value);
    else if (format == CHART_PLAIN && value == floor(value) && fabs(value) < 1e15)
        strbuf_printf(out, "%.0f", value);
    else
        strbuf_printf(out, "%.3f", value);
}

static bool store_view(const struct chart *c, const struct chart_view *v, struct database *db)
{
    bool good = true;
    for (size_t i = 0; i < v->values.count && good; i++) {
        const struct chart_value *p = &v->values.data[i];
        good = database_do(db, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           "ttttiittdtttd", c->name, c->size, v->gpu, v->profile, (int64_t)p->category,
                           (int64_t)p->series, v->categories.data[p->category],
                           v->series.data[p->series].name, p->value, p->text, p->run, p->base, p->paper);
    }
    return good;
}

bool chart_store(const struct chart *c, struct database *db)
{
    if (!database_begin(db)) return false;
    bool good =
        database_do(db, "DELETE FROM points WHERE experiment = ? AND size = ?", "tt", c->name, c->size);
    for (size_t i = 0; i < c->views.count && good; i++) good = store_view(c, &c->views.data[i], db);
    good = good && database_commit(db);
    if (!good) database_rollback(db);
    return good;
}
