// Cycles and energy as charts: the bars of a figure's runs, cut into parts. Heights equal the bars of the
// figures of time and energy, so a stack can be compared with a bar.
#include "api/warpfold.h"
#include "lab/chart.h"
#include "lab/measures.h"

#include <math.h>
#include <string.h>

struct cost {
    const char *name, *title, *axis;
    const char *whole; // SQL expression over a run r and the base run b: height of the bar of r
    const char *parts; // SQL: (part, amount) of run ?
};

static const struct cost costs[CHART_COSTS] = {
    [CHART_CYCLES_SPENT] = {"cycles", "Where the cycles went", "cycles relative to base",
                            "1.0 * r.cycles / b.cycles",
                            "SELECT substr(name, 10), value FROM counters WHERE run = ? AND name LIKE "
                            "'sm.slots.%'"},
    [CHART_ENERGY] = {"energy", "Where the energy went", "energy relative to base",
                      "r.energy_pj / b.energy_pj",
                      "SELECT part, sum(count * pj_each) FROM energy WHERE run = ? GROUP BY part"},
    [CHART_WORK] = {"work", "Where the energy of work went", "energy of work relative to base",
                    MEASURE_ENERGY_OF("r", MEASURE_WORK) " / " MEASURE_ENERGY_OF("b", MEASURE_WORK),
                    "SELECT part, sum(count * pj_each) FROM energy WHERE run = ? AND " MEASURE_WORK
                    " GROUP BY part"}};

struct stacking {
    const struct cost *cost;
    const struct jobs *jobs;
    struct database *db;
    struct chart *chart;
    struct chart_view *view;
};

// Adds a series for every part listed by the library: uses of issue slots, or parts of energy.
static void add_parts(const struct stacking *k, enum chart_cost cost)
{
    struct wf_slot slot;
    const char *part, *meaning;
    for (size_t i = 0; cost == CHART_CYCLES_SPENT && wf_slot_at(i, &slot); i++)
        vec_push(&k->view->series, (struct chart_series){slot.name, CHART_NUMBER, slot.meaning});
    for (size_t i = 0; cost != CHART_CYCLES_SPENT && wf_energy_part_at(i, &part, &meaning); i++)
        vec_push(&k->view->series, (struct chart_series){part, CHART_NUMBER, meaning});
}

static double height_of(const struct stacking *k, const char *run, const char *base)
{
    struct strbuf sql = {0};
    strbuf_printf(
        &sql,
        "SELECT %s FROM runs r, runs b WHERE r.id = ? AND b.id = ? AND r.status = 'ok' AND b.status "
        "= 'ok'",
        k->cost->whole);
    sqlite3_stmt *s = database_query(k->db, sql.text, "tt", run, base);
    double height = s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL
                        ? sqlite3_column_double(s, 0)
                        : NAN;
    sqlite3_finalize(s);
    strbuf_fini(&sql);
    return height;
}

// Adds one bar: every part of an amount other than 0, with its share of the height. No values if the run or
// the base is missing or not ok. False: a database error.
static bool add_bar(const struct stacking *k, size_t category, size_t bar, const char *run, const char *base)
{
    double height = height_of(k, run, base), sum = 0;
    size_t first = k->view->values.count;
    sqlite3_stmt *s = database_query(k->db, k->cost->parts, "t", run);
    while (s && !isnan(height) && sqlite3_step(s) == SQLITE_ROW) {
        size_t part = 0;
        while (part < k->view->series.count &&
               !str_equal(k->view->series.data[part].name, (const char *)sqlite3_column_text(s, 0)))
            part++;
        double amount = sqlite3_column_double(s, 1);
        sum += amount;
        if (part == k->view->series.count || amount == 0) continue;
        vec_push(&k->view->values, (struct chart_value){.category = category,
                                                        .bar = bar,
                                                        .series = part,
                                                        .value = amount,
                                                        .paper = NAN,
                                                        .run = run,
                                                        .base = base});
    }
    sqlite3_finalize(s);
    for (size_t i = first; i < k->view->values.count; i++) k->view->values.data[i].value *= height / sum;
    return s != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct chart_value *x = a, *y = b;
    if (x->category != y->category) return x->category < y->category ? -1 : 1;
    if (x->bar != y->bar) return x->bar < y->bar ? -1 : 1;
    return (x->series > y->series) - (x->series < y->series);
}

// Drops series (parts) without a value in any bar of the view: a structure missing in the GPU, a reason for
// which no kernel stalls.
static void drop_unused(struct chart_view *v)
{
    size_t kept = 0;
    for (size_t s = 0; s < v->series.count; s++) {
        bool used = false;
        for (size_t i = 0; i < v->values.count; i++) {
            if (v->values.data[i].series != s) continue;
            v->values.data[i].series = kept; // kept <= s: no later s meets this value again
            used = true;
        }
        if (used) v->series.data[kept++] = v->series.data[s];
    }
    v->series.count = kept;
}

// True: the series equals the experiment's base of comparison in mechanism, settings and GPU, and has no base
// of its own.
static bool is_base(const struct experiment *x, const struct experiment_series *s)
{
    const char *gpu = s->gpu ? s->gpu : "", *base_gpu = x->base.gpu ? x->base.gpu : "";
    return !s->over && str_equal(s->what, x->base.what) && str_equal(s->settings, x->base.settings) &&
           str_equal(gpu, base_gpu);
}

// Index of the bar for an experiment's series. Bar 0: the base of comparison, and a series equal to the base.
static size_t bar_of(const struct experiment *x, size_t series)
{
    size_t bar = 1;
    for (size_t s = 0; s <= series; s++) {
        bool first = is_base(x, &x->series.data[s]);
        if (s == series) return first ? 0 : bar;
        bar += !first;
    }
    return bar;
}

static bool stack_view(const struct stacking *k, const struct figure *f, size_t view)
{
    const struct experiment *x = f->experiment;
    bool good = true;
    vec_push(&k->view->bars, x->base.label ? x->base.label : "base");
    for (size_t s = 0; s < x->series.count; s++)
        if (bar_of(x, s)) vec_push(&k->view->bars, x->series.data[s].label);
    for (size_t i = 0; i < f->cells.count && good; i++) {
        const struct figure_cell *c = &f->cells.data[i];
        if (c->view != view) continue;
        const char *base = k->jobs->list.data[c->base].id;
        while (k->view->categories.count <= c->category_order) vec_push(&k->view->categories, c->category);
        if (c->series == 0) good = add_bar(k, c->category_order, 0, base, base);
        size_t bar = bar_of(x, c->series);
        if (bar && good) good = add_bar(k, c->category_order, bar, k->jobs->list.data[c->job].id, base);
    }
    if (k->view->values.count)
        qsort(k->view->values.data, k->view->values.count, sizeof k->view->values.data[0], by_place);
    drop_unused(k->view);
    return good;
}

bool chart_cost(struct chart *c, enum chart_cost cost, const struct figure *f, const struct jobs *jobs,
                struct database *db)
{
    const struct experiment *x = f->experiment;
    bool good = true;
    *c = (struct chart){.experiment = x,
                        .name = costs[cost].name,
                        .title = costs[cost].title,
                        .source = x->source,
                        .show = "stack",
                        .size = f->size,
                        .categories = CHART_KERNELS,
                        .line = 1};
    arena_init(&c->arena);
    c->axis = chart_axis(x, costs[cost].axis, &c->arena);
    vec_reserve(&c->views, x->views.count);
    for (size_t v = 0; v < x->views.count && good; v++) {
        vec_push(&c->views,
                 (struct chart_view){.gpu = x->views.data[v].gpu, .profile = x->views.data[v].profile});
        struct stacking k = {&costs[cost], jobs, db, c, &vec_last(&c->views)};
        add_parts(&k, cost);
        good = stack_view(&k, f, v);
    }
    return good;
}
