#include "lab/figure.h"
#include "api/warpfold.h"
#include "lab/measures.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void figure_fini(struct figure *f) { vec_fini(&f->cells); }

// -- which runs
// -----------------------------------------------------------------------------------------------------------

struct kernel {
    const char *name, *abbreviation;
};
struct kernel_list {
    VEC(struct kernel) all;
};

static void add_kernel(struct kernel_list *list, const struct workload *w, const char *abbreviation)
{
    for (size_t i = 0; i < list->all.count; i++)
        if (str_equal(list->all.data[i].name, w->name)) return;
    vec_push(&list->all, (struct kernel){w->name, abbreviation});
}

// The kernels of an experiment, groups resolved, none twice.
static struct kernel_list kernels_of(const struct experiment *x)
{
    struct kernel_list list = {0};
    for (size_t k = 0; k < x->kernels.count; k++) {
        const char *name = x->kernels.data[k], *abbreviation;
        const struct workload *w;
        if (workload_is_group(name))
            for (size_t i = 0; (w = workload_in_group(name, i, &abbreviation)) != NULL; i++)
                add_kernel(&list, w, abbreviation);
        else
            for (size_t i = 0; (w = workload_in_group("all", i, &abbreviation)) != NULL; i++)
                if (str_equal(w->name, name)) add_kernel(&list, w, abbreviation);
    }
    return list;
}

static void add(struct figure *f, size_t view, size_t category_order, const char *category, size_t series,
                size_t job, size_t base)
{
    vec_push(&f->cells, (struct figure_cell){view, category_order, series, category, job, base});
}

static void plan_runs(struct figure *f, struct jobs *jobs, const struct kernel_list *kernels, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    for (size_t k = 0; k < kernels->all.count; k++)
        for (size_t s = 0; s < x->series.count; s++) {
            const struct experiment_series *series = &x->series.data[s];
            const char *name = kernels->all.data[k].name;
            size_t base = jobs_bench(jobs, x, name, f->size, v, "base", ""),
                   job = jobs_bench(jobs, x, name, f->size, v, series->what, series->settings);
            add(f, view, k, kernels->all.data[k].abbreviation, s, job, base);
        }
}

static void plan_study(struct figure *f, struct jobs *jobs, const struct kernel_list *kernels, size_t view)
{
    const struct experiment *x = f->experiment;
    const struct experiment_view *v = &x->views.data[view];
    if (x->file || x->together) {
        struct strbuf names = {0};
        for (size_t k = 0; k < kernels->all.count; k++)
            strbuf_printf(&names, "%s%s", k ? "," : "", kernels->all.data[k].name);
        const char *kept = x->file ? NULL : arena_strndup(&jobs->arena, names.text, names.length);
        strbuf_fini(&names);
        add(f, view, 0, "", 0, jobs_study(jobs, x, kept, f->size, v), NO_JOB);
        return;
    }
    for (size_t k = 0; k < kernels->all.count; k++) {
        size_t job = jobs_study(jobs, x, kernels->all.data[k].name, f->size, v);
        for (size_t s = 0; s < (x->rows ? 1 : x->series.count); s++)
            add(f, view, k, kernels->all.data[k].abbreviation, s, job, NO_JOB);
    }
}

void figure_plan(struct figure *f, const struct experiment *x, const char *size, struct jobs *jobs)
{
    *f = (struct figure){.experiment = x, .size = x->size ? x->size : size};
    struct kernel_list kernels = kernels_of(x);
    for (size_t v = 0; v < x->views.count; v++) switch (x->kind) {
        case EXPERIMENT_RUNS:
        case EXPERIMENT_TIME: plan_runs(f, jobs, &kernels, v); break;
        case EXPERIMENT_STUDY: plan_study(f, jobs, &kernels, v); break;
        case EXPERIMENT_MARKS:
            add(f, v, 0, "", 0, jobs_marks(jobs, x, kernels.all.data[0].name, &x->views.data[v]), NO_JOB);
            break;
        case EXPERIMENT_STORAGE:
            add(f, v, 0, "", 0,
                jobs_bench(jobs, x, kernels.all.data[0].name, f->size, &x->views.data[v], x->mechanism, ""),
                NO_JOB);
            break;
        case EXPERIMENT_SETTINGS:
        case EXPERIMENT_FEATURES:
        case EXPERIMENT_KERNELS: add(f, v, 0, "", 0, NO_JOB, NO_JOB); break;
        }
    vec_fini(&kernels.all);
}

// -- points
// ------------------------------------------------------------------------------------------------------------

struct point {
    size_t category_order, series_order;
    const char *category, *series;
    double value;     // NAN: none
    const char *text; // NULL: none
    const char *run, *base;
};

struct filling {
    const struct figure *figure;
    const struct experiment_view *view;
    const struct jobs *jobs;
    struct database *db;
};

static double paper_value(const struct experiment *x, const char *series, const char *category)
{
    for (size_t i = 0; i < x->values.count; i++)
        if (str_equal(x->values.data[i].series, series) && str_equal(x->values.data[i].category, category))
            return x->values.data[i].value;
    return NAN;
}

static bool write_point(const struct filling *fill, const struct point *p)
{
    const struct figure *f = fill->figure;
    return database_do(fill->db, "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                       "ttttiittdtttd", f->experiment->name, f->size, fill->view->gpu, fill->view->profile,
                       (int64_t)p->category_order, (int64_t)p->series_order, p->category, p->series, p->value,
                       p->text, p->run, p->base, paper_value(f->experiment, p->series, p->category));
}

static const char *id_of(const struct filling *fill, size_t job)
{
    return job == NO_JOB ? NULL : fill->jobs->list.data[job].id;
}

static const char *text_of(sqlite3_stmt *s, int column)
{
    return (const char *)sqlite3_column_text(s, column);
}

static double number_of(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

// The value of a run beside its base, by the measure's SQL. NAN: one of them was refused or failed.
static bool measure_run(const struct filling *fill, const struct figure_cell *c, double *value)
{
    struct strbuf sql = {0};
    strbuf_printf(&sql,
                  "SELECT %s FROM runs r, runs b WHERE r.id = ? AND b.id = ? AND r.status = 'ok' AND "
                  "b.status = 'ok'",
                  measure_find(fill->figure->experiment->measure)->sql);
    sqlite3_stmt *s = database_query(fill->db, sql.text, "tt", id_of(fill, c->job), id_of(fill, c->base));
    strbuf_fini(&sql);
    *value = s && sqlite3_step(s) == SQLITE_ROW ? number_of(s, 0) : NAN;
    sqlite3_finalize(s);
    return s != NULL;
}

static bool study_value(const struct filling *fill, const struct figure_cell *c, double *value)
{
    const struct experiment *x = fill->figure->experiment;
    sqlite3_stmt *s = database_query(
        fill->db, "SELECT number FROM cells WHERE run = ? AND tab = ? AND line = 0 AND field = ?", "ttt",
        id_of(fill, c->job), x->table, x->series.data[c->series].what);
    *value = s && sqlite3_step(s) == SQLITE_ROW ? number_of(s, 0) : NAN;
    sqlite3_finalize(s);
    return s != NULL;
}

// Points that are one value of one run each, and the means over the groups of kernels.
static bool fill_values(const struct filling *fill, size_t view)
{
    static const struct {
        const char *group, *suffix;
    } means[] = {{"darsie-1d", "-1D"}, {"darsie-2d", "-2D"}, {"all", ""}};
    enum { MEANS = sizeof means / sizeof means[0], KERNELS_MAX = 64 };
    const struct figure *f = fill->figure;
    const struct experiment *x = f->experiment;
    const struct measure *m = x->measure ? measure_find(x->measure) : NULL;
    static const struct measure plain = {.aggregate = MEASURE_MEAN};
    if (!m) m = &plain;
    size_t categories = 0;
    for (size_t i = 0; i < f->cells.count; i++)
        if (f->cells.data[i].category_order >= categories) categories = f->cells.data[i].category_order + 1;
    for (size_t s = 0; s < x->series.count; s++) {
        double values[MEANS][KERNELS_MAX];
        size_t counts[MEANS] = {0};
        bool missing = false;
        for (size_t i = 0; i < f->cells.count; i++) {
            const struct figure_cell *c = &f->cells.data[i];
            if (c->view != view || c->series != s) continue;
            struct point p = {.category_order = c->category_order,
                              .series_order = s,
                              .category = c->category,
                              .series = x->series.data[s].label,
                              .run = id_of(fill, c->job),
                              .base = id_of(fill, c->base)};
            if (!(x->kind == EXPERIMENT_RUNS ? measure_run(fill, c, &p.value)
                                             : study_value(fill, c, &p.value)) ||
                !write_point(fill, &p))
                return false;
            missing |= isnan(p.value) != 0;
            for (size_t n = 0; n < MEANS && counts[n] < KERNELS_MAX; n++) {
                const char *abbreviation;
                for (size_t k = 0; workload_in_group(means[n].group, k, &abbreviation); k++)
                    if (str_equal(abbreviation, c->category)) values[n][counts[n]++] = p.value;
            }
        }
        for (size_t n = 0, order = categories; n < MEANS; n++, order++) {
            char name[16];
            bool others = n == 2 && (counts[0] == counts[2] || counts[1] == counts[2]);
            snprintf(name, sizeof name, "%sMEAN%s", m->aggregate == MEASURE_MEAN ? "" : "G", means[n].suffix);
            struct point p = {.category_order = order,
                              .series_order = s,
                              .category = name,
                              .series = x->series.data[s].label,
                              .value = missing ? NAN : measure_mean(m, values[n], counts[n])};
            if (counts[n] > 1 && !others && !write_point(fill, &p)) return false;
        }
    }
    return true;
}

// A table of which each row is a category and each series a column.
static bool fill_table(const struct filling *fill, const struct figure_cell *c, const char *table,
                       const char *rows, size_t *category)
{
    const struct experiment *x = fill->figure->experiment;
    const char *id = id_of(fill, c->job);
    size_t first = *category, most = first;
    for (size_t n = 0; n < x->series.count; n++) {
        sqlite3_stmt *s = database_query(
            fill->db,
            "SELECT a.text, b.text, b.number FROM cells a LEFT JOIN cells b ON b.run = a.run AND b.tab = "
            "a.tab AND "
            "b.line = a.line AND b.field = ? WHERE a.run = ? AND a.tab = ? AND a.field = ? ORDER BY a.line",
            "tttt", x->series.data[n].what, id, table, rows);
        if (!s) return false;
        size_t order = first;
        bool good = true;
        while (good && sqlite3_step(s) == SQLITE_ROW) {
            struct point p = {.category_order = order++,
                              .series_order = n,
                              .category = text_of(s, 0),
                              .series = x->series.data[n].label,
                              .value = number_of(s, 2),
                              .text = text_of(s, 1),
                              .run = id};
            good = write_point(fill, &p);
        }
        sqlite3_finalize(s);
        if (!good) return false;
        if (order > most) most = order;
    }
    *category = most;
    return true;
}

// Structures of a mechanism: what the paper counts, what it leaves out, and sums.
static bool fill_storage(const struct filling *fill, const struct figure_cell *c)
{
    static const char sql[] =
        "WITH s AS (SELECT * FROM storage WHERE run = ?1), all_rows AS ("
        "SELECT ordinal AS place, structure AS name, bits FROM s WHERE in_paper "
        "UNION ALL SELECT 100, 'sum of these', sum(bits) FROM s WHERE in_paper "
        "UNION ALL SELECT 101 + ordinal, structure || ' (not in the paper)', bits FROM s WHERE NOT in_paper "
        "UNION ALL SELECT 200, 'sum of all', sum(bits) FROM s) "
        "SELECT name, bits, bits / 8.0, bits / (32.0 * (SELECT value FROM configs JOIN runs USING (config) "
        "WHERE "
        "id = ?1 AND key = 'sm.registers')) FROM all_rows WHERE bits IS NOT NULL ORDER BY place";
    static const char *const columns[] = {"bits", "bytes", "share of registers"};
    sqlite3_stmt *s = database_query(fill->db, sql, "t", id_of(fill, c->job));
    bool good = s != NULL;
    for (size_t row = 0; good && sqlite3_step(s) == SQLITE_ROW; row++)
        for (size_t n = 0; n < 3 && good; n++) {
            struct point p = {.category_order = row,
                              .series_order = n,
                              .category = text_of(s, 0),
                              .series = columns[n],
                              .value = number_of(s, (int)n + 1),
                              .run = id_of(fill, c->job)};
            good = write_point(fill, &p);
        }
    sqlite3_finalize(s);
    return good;
}

// What the GPU of the view is configured as; a series is a key, and a row.
static bool fill_settings(const struct filling *fill)
{
    const struct experiment *x = fill->figure->experiment;
    struct wf_context *c = wf_context_create();
    struct arena arena;
    const char *why;
    size_t offset;
    arena_init(&arena);
    wf_gpu(c, fill->view->gpu);
    const char *text = wf_config_json(c);
    const struct json_value *config = json_parse(text, strlen(text), &arena, &why, &offset);
    bool good = true;
    for (size_t n = 0; n < x->series.count && good; n++) {
        const struct json_value *v = json_member(config, x->series.data[n].what);
        struct point p = {.category_order = n,
                          .category = x->series.data[n].label,
                          .series = "setting",
                          .value = json_is_number(v) ? json_number(v) : NAN,
                          .text = json_is_number(v) ? NULL
                                  : v && v->text    ? v->text
                                                    : "?"};
        good = write_point(fill, &p);
    }
    arena_fini(&arena);
    wf_context_destroy(c);
    return good;
}

static bool fill_kernels(const struct filling *fill)
{
    struct kernel_list kernels = kernels_of(fill->figure->experiment);
    bool good = true;
    for (size_t k = 0; k < kernels.all.count && good; k++) {
        const char *near;
        const struct workload *w = workload_find(kernels.all.data[k].name, &near);
        char block[40];
        snprintf(block, sizeof block, w->block[2] > 1 ? "(%u,%u,%u)" : "(%u,%u)", w->block[0], w->block[1],
                 w->block[2]);
        const char *const cells[][2] = {{"name", w->name}, {"block", block}, {"what it is", w->title}};
        for (size_t n = 0; n < 3 && good; n++) {
            struct point p = {.category_order = k,
                              .series_order = n,
                              .category = kernels.all.data[k].abbreviation,
                              .series = cells[n][0],
                              .value = NAN,
                              .text = cells[n][1]};
            good = write_point(fill, &p);
        }
    }
    vec_fini(&kernels.all);
    return good;
}

static bool fill_features(const struct filling *fill)
{
    const struct experiment *x = fill->figure->experiment;
    bool good = true;
    for (size_t n = 0; n < x->series.count && good; n++) {
        const char *name, *meaning;
        size_t tech = 0;
        while (wf_tech_at(tech, &name, &meaning) && !str_equal(name, x->series.data[n].what)) tech++;
        struct wf_feature f;
        for (size_t k = 0; good && wf_tech_feature_at(tech, k, &f); k++) {
            struct point p = {.category_order = k,
                              .series_order = n,
                              .category = f.name,
                              .series = x->series.data[n].label,
                              .value = NAN,
                              .text = f.has ? "yes" : "no"};
            good = write_point(fill, &p);
        }
    }
    return good;
}

// Executed warp instructions a cycle over a run's time; the category is the cycle.
static bool fill_time(const struct filling *fill, size_t view)
{
    static const char sql[] =
        "SELECT cast(sum(finish - start) OVER (ORDER BY launch, start) AS TEXT), value * 1.0 / (finish - "
        "start) FROM "
        "(SELECT launch, start, finish, max(CASE WHEN counter = 'sm.issue.issued' THEN value ELSE 0 END) AS "
        "value "
        "FROM samples WHERE run = ? GROUP BY launch, start, finish) ORDER BY launch, start";
    const struct figure *f = fill->figure;
    for (size_t i = 0; i < f->cells.count; i++) {
        const struct figure_cell *c = &f->cells.data[i];
        if (c->view != view) continue;
        sqlite3_stmt *s = database_query(fill->db, sql, "t", id_of(fill, c->job));
        bool good = s != NULL;
        for (size_t n = 0; good && sqlite3_step(s) == SQLITE_ROW; n++) {
            struct point p = {.category_order = n,
                              .series_order = c->series,
                              .category = text_of(s, 0),
                              .series = f->experiment->series.data[c->series].label,
                              .value = number_of(s, 1),
                              .run = id_of(fill, c->job)};
            good = write_point(fill, &p);
        }
        sqlite3_finalize(s);
        if (!good) return false;
    }
    return true;
}

static bool fill_view(const struct filling *fill, size_t view)
{
    const struct figure *f = fill->figure;
    const struct experiment *x = f->experiment;
    size_t category = 0;
    switch (x->kind) {
    case EXPERIMENT_RUNS: return fill_values(fill, view);
    case EXPERIMENT_TIME: return fill_time(fill, view);
    case EXPERIMENT_SETTINGS: return fill_settings(fill);
    case EXPERIMENT_KERNELS: return fill_kernels(fill);
    case EXPERIMENT_FEATURES: return fill_features(fill);
    case EXPERIMENT_STUDY:
        if (!x->rows) return fill_values(fill, view);
        break;
    case EXPERIMENT_MARKS:
    case EXPERIMENT_STORAGE: break;
    }
    for (size_t i = 0; i < f->cells.count; i++) {
        const struct figure_cell *c = &f->cells.data[i];
        if (c->view != view) continue;
        bool good = x->kind == EXPERIMENT_STORAGE ? fill_storage(fill, c)
                    : x->kind == EXPERIMENT_MARKS ? fill_table(fill, c, "listing", "instruction", &category)
                                                  : fill_table(fill, c, x->table, x->rows, &category);
        if (!good) return false;
    }
    return true;
}

// A study's runs have the table, and of its columns all that the figure shows.
static bool check_columns(const struct figure *f, const struct jobs *jobs, struct database *db)
{
    const struct experiment *x = f->experiment;
    const char *table = x->kind == EXPERIMENT_MARKS ? "listing" : x->table;
    bool good = true;
    if (!f->cells.count || (x->kind != EXPERIMENT_STUDY && x->kind != EXPERIMENT_MARKS)) return true;
    const char *run = jobs->list.data[f->cells.data[0].job].id;
    for (size_t i = 0; i < x->series.count + (x->rows != NULL) && good; i++) {
        const char *column = i < x->series.count ? x->series.data[i].what : x->rows;
        sqlite3_stmt *s = database_query(
            db,
            "SELECT (SELECT count(*) FROM cells WHERE run = ?1 AND tab = ?2 AND field = ?3), r.status, "
            "(SELECT group_concat(name, ', ') FROM (SELECT DISTINCT CASE WHEN EXISTS (SELECT 1 FROM cells "
            "WHERE run = ?1 AND tab = ?2) THEN CASE WHEN tab = ?2 THEN field END ELSE tab END AS name FROM "
            "cells WHERE run = ?1 ORDER BY 1)) FROM runs r WHERE id = ?1",
            "ttt", run, table, column);
        good = s != NULL;
        if (good && sqlite3_step(s) == SQLITE_ROW && str_equal(text_of(s, 1), "ok") &&
            !sqlite3_column_int(s, 0))
            good = diag_error(db->diag, loc_none(),
                              "experiment %s: no table \"%s\" with a column \"%s\"; there are %s", x->name,
                              table, column, text_of(s, 2) ? text_of(s, 2) : "none");
        sqlite3_finalize(s);
    }
    return good;
}

bool figure_fill(const struct figure *f, const struct jobs *jobs, struct database *db)
{
    if (!check_columns(f, jobs, db) || !database_begin(db)) return false;
    bool good = database_do(db, "DELETE FROM points WHERE experiment = ? AND size = ?", "tt",
                            f->experiment->name, f->size);
    for (size_t v = 0; v < f->experiment->views.count && good; v++) {
        struct filling fill = {f, &f->experiment->views.data[v], jobs, db};
        good = fill_view(&fill, v);
    }
    good = good && database_commit(db);
    if (!good) database_rollback(db);
    return good;
}
