// Computes the values of a figure's chart, by kind of experiment, from the runs in the database.
#include "api/warpfold.h"
#include "lab/categories.h"
#include "lab/chart.h"
#include "lab/interval.h"
#include "lab/measures.h"
#include "lab/probe.h"
#include "workload/workload.h"

#include <math.h>
#include <string.h>

struct filling {
    const struct figure *figure;
    const struct experiment *experiment;
    const struct jobs *jobs;
    struct database *db;
    struct chart *chart;
    struct chart_view *view;
    size_t index; // of the view
};

// -- common to all kinds ------------------------------------------------------------------------------------

static const char *id_of(const struct filling *fill, size_t job)
{
    return job == NO_JOB ? NULL : fill->jobs->list.data[job].id;
}

// A text column, copied to the chart's arena; NULL stays NULL.
static const char *text_of(const struct filling *fill, sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? arena_strndup(&fill->chart->arena, text, strlen(text)) : NULL;
}

static double number_of(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_NULL ? NAN : sqlite3_column_double(s, column);
}

static void name_category(const struct filling *fill, size_t category, const char *name)
{
    while (fill->view->categories.count <= category) vec_push(&fill->view->categories, "");
    fill->view->categories.data[category] = name;
}

static void add_series(const struct filling *fill, const char *name)
{
    vec_push(&fill->view->series, (struct chart_series){.name = name});
}

static double paper_value(const struct experiment *x, const char *series, const char *category)
{
    for (size_t i = 0; i < x->values.count; i++)
        if (str_equal(x->values.data[i].series, series) && str_equal(x->values.data[i].category, category))
            return x->values.data[i].value;
    return NAN;
}

// Adds a chart value, and the paper's value beside; the value's category and series must have names already.
static void add_value(const struct filling *fill, struct chart_value value)
{
    const struct chart_view *v = fill->view;
    value.paper =
        paper_value(fill->experiment, v->series.data[value.series].name, v->categories.data[value.category]);
    vec_push(&fill->view->values, value);
}

// -- a value of a run, and means ----------------------------------------------------------------------------

// The measure's value for a cell's run and base run. *value is NAN unless both have status ok. *nothing: both
// are ok, but the measure's SQL gives NULL, mostly for a denominator of 0. False: a database error.
static bool measure_run(const struct filling *fill, const struct figure_cell *c, double *value, bool *nothing)
{
    struct strbuf sql = {0};
    strbuf_printf(&sql,
                  "SELECT %s FROM runs r, runs b WHERE r.id = ? AND b.id = ? AND r.status = 'ok' AND "
                  "b.status = 'ok'",
                  fill->experiment->by->sql);
    sqlite3_stmt *s = database_query(fill->db, sql.text, "tt", id_of(fill, c->job), id_of(fill, c->base));
    strbuf_fini(&sql);
    bool are_there = s && sqlite3_step(s) == SQLITE_ROW;
    *value = are_there ? number_of(s, 0) : NAN;
    *nothing = are_there && isnan(*value);
    sqlite3_finalize(s);
    return s != NULL;
}

// Sets the waves of the value's category and, with option shapes, the value's occupancy and the category's shape, from the
// cell's run and base run.
static bool note_shape(const struct filling *fill, const struct figure_cell *c, struct chart_value *value)
{
    sqlite3_stmt *s = database_query(fill->db,
                                     "SELECT r.occupancy, b.grid, b.waves FROM runs r, runs b WHERE r.id = ? "
                                     "AND b.id = ? AND b.waves IS NOT NULL",
                                     "tt", value->run, value->base);
    if (s && sqlite3_step(s) == SQLITE_ROW) {
        if (fill->experiment->shapes) value->occupancy = sqlite3_column_double(s, 0);
        while (fill->view->waves.count <= c->category_order) vec_push(&fill->view->waves, 0);
        fill->view->waves.data[c->category_order] = sqlite3_column_double(s, 2);
    }
    if (s && sqlite3_data_count(s) && fill->experiment->shapes) {
        while (fill->view->shapes.count <= c->category_order) vec_push(&fill->view->shapes, NULL);
        fill->view->shapes.data[c->category_order] =
            arena_printf(&fill->chart->arena, "grid %s, %.2f waves", (const char *)sqlite3_column_text(s, 1),
                         sqlite3_column_double(s, 2));
    }
    sqlite3_finalize(s);
    return s != NULL;
}

static bool study_value(const struct filling *fill, const struct figure_cell *c, double *value)
{
    const struct experiment *x = fill->experiment;
    sqlite3_stmt *s = database_query(
        fill->db, "SELECT number FROM cells WHERE run = ? AND tab = ? AND line = 0 AND field = ?", "ttt",
        id_of(fill, c->job), x->table, x->series.data[c->series].what);
    *value = s && sqlite3_step(s) == SQLITE_ROW ? number_of(s, 0) : NAN;
    sqlite3_finalize(s);
    return s != NULL;
}

// Half-width of a mean: every value is moved by its half-width in turn, and the changes add in squares.
static double error_of_mean(const struct measure *m, double *values, const double *errors, size_t count)
{
    double mean = measure_mean(m, values, count), squares = 0;
    for (size_t i = 0; i < count; i++) {
        if (errors[i] <= 0) continue;
        values[i] += errors[i];
        double change = measure_mean(m, values, count) - mean;
        values[i] -= errors[i];
        squares += change * change;
    }
    return sqrt(squares);
}

static bool is_left_out(const struct filling *fill, const struct chart_value *p)
{
    return categories_left_out(fill->experiment, fill->view->series.data[p->series].name,
                               fill->view->categories.data[p->category]);
}

// The mean of a series over the categories below `categories` with in[category] set, without values marked
// `nothing` and those left out by the experiment. NAN: one of these values is not measured, or no values are left. *error: half-width of its interval.
static double mean_of(const struct filling *fill, const struct measure *m, const bool *in, size_t categories,
                      size_t series, double *error)
{
    const struct chart_view *v = fill->view;
    VEC(double) values = {0}, errors = {0};
    for (size_t i = 0; i < v->values.count; i++) {
        const struct chart_value *p = &v->values.data[i];
        if (p->series != series || p->category >= categories || !in[p->category] || p->nothing ||
            is_left_out(fill, p))
            continue;
        vec_push(&values, p->value);
        vec_push(&errors, p->error);
    }
    double mean = measure_mean(m, values.data, values.count);
    *error = error_of_mean(m, values.data, errors.data, values.count);
    vec_fini(&values);
    vec_fini(&errors);
    return mean;
}

// Adds the category MAX with the highest value of every series, if the paper gives a value for MAX. NAN: any
// value of the series not left out is NAN, or the series has none. part: from figure_part_of.
static void add_most(const struct filling *fill, size_t categories, const char *part)
{
    const struct chart_view *v = fill->view;
    size_t category = v->categories.count, count = v->values.count;
    if (!categories_have_most(fill->experiment)) return;
    name_category(fill, category, arena_printf(&fill->chart->arena, "%s%s", CATEGORIES_MOST, part));
    for (size_t s = 0; s < v->series.count; s++) {
        double high = -INFINITY;
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            const struct chart_value *p = &v->values.data[i];
            if (p->series != s || p->category >= categories || is_left_out(fill, p)) continue;
            high = isnan(p->value) || isnan(high) ? NAN : fmax(high, p->value);
            any = true;
        }
        add_value(fill, (struct chart_value){.category = category, .series = s, .value = any ? high : NAN});
    }
}

struct averaging { // a mean over some of the categories
    const struct measure *measure;
    size_t categories;
    bool *in;
};

// Adds a category with the mean of every series over the categories in a->in, named MEAN or GMEAN with the suffix.
// The name says if --only left out kernels (part, from figure_part_of): then the paper's mean, over all kernels,
// does not stand beside.
static void add_mean(const struct filling *fill, const struct averaging *a, const char *suffix,
                     const char *part)
{
    size_t category = fill->view->categories.count;
    const char *letter = a->measure->aggregate == MEASURE_MEAN ? "" : "G";
    name_category(fill, category, arena_printf(&fill->chart->arena, "%sMEAN%s%s", letter, suffix, part));
    for (size_t s = 0; s < fill->experiment->series.count; s++) {
        struct chart_value value = {.category = category, .series = s};
        value.value = mean_of(fill, a->measure, a->in, a->categories, s, &value.error);
        add_value(fill, value);
    }
}

static size_t find_group(const struct filling *fill, const struct averaging *a, const char *group)
{
    size_t count = 0;
    for (size_t k = 0; k < a->categories; k++) {
        a->in[k] = categories_in_group(fill->experiment, group, fill->view->categories.data[k]);
        count += a->in[k];
    }
    return count;
}

static size_t find_class(const struct filling *fill, const struct averaging *a, unsigned class)
{
    size_t count = 0;
    for (size_t k = 0; k < a->categories; k++) {
        a->in[k] = chart_class_of(fill->experiment, fill->view, fill->view->categories.data[k]) == class;
        count += a->in[k];
    }
    return count;
}

static const char *part_of(const struct filling *fill, const char *group, size_t count)
{
    return figure_part_of(fill->experiment, group, fill->figure->size, count, &fill->chart->arena);
}

// Adds the means over the classes of the split, if the class of every category is known. part: from
// figure_part_of, for all kernels; the classes of kernels left out are not known.
static void add_means_of_classes(const struct filling *fill, const struct averaging *a, const char *part)
{
    const struct experiment *x = fill->experiment;
    if (!x->split.series || find_class(fill, a, CHART_NO_CLASS)) return;
    for (unsigned c = 0; c < CHART_CLASSES; c++)
        if (find_class(fill, a, c))
            add_mean(fill, a, arena_printf(&fill->chart->arena, "-%s", x->split.names[c]), part);
}

static void add_means(const struct filling *fill)
{
    static const struct measure plain = {.aggregate = MEASURE_MEAN};
    const struct experiment *x = fill->experiment;
    struct averaging a = {.measure = x->by ? x->by : &plain, .categories = fill->view->categories.count};
    size_t most_of_one = 0;
    a.in = ARENA_ARRAY(&fill->chart->arena, bool, a.categories + 1);
    const char *part = part_of(fill, "all", find_group(fill, &a, "all"));
    add_most(fill, a.categories, part);
    for (size_t n = 0; n < CATEGORIES_GROUPS; n++) {
        const struct categories_group *g = &categories_groups[n];
        size_t count = find_group(fill, &a, g->group);
        if (count > 1) add_mean(fill, &a, g->suffix, part_of(fill, g->group, count));
        if (count > most_of_one) most_of_one = count;
    }
    add_means_of_classes(fill, &a, part);
    size_t count = find_group(fill, &a, "all");
    if (count > 1 && count != most_of_one)
        add_mean(fill, &a, "", part); // otherwise a group has the same kernels
}

// Fills a view whose values come from one run each (and a base run). Adds means: over the subjects of a
// sweep, otherwise over groups of kernels.
static bool fill_values(const struct filling *fill)
{
    const struct figure *f = fill->figure;
    bool good = true;
    for (size_t i = 0; i < f->cells.count && good; i++) {
        const struct figure_cell *c = &f->cells.data[i];
        if (c->view != fill->index) continue;
        struct chart_value value = {.category = c->category_order,
                                    .series = c->series,
                                    .run = id_of(fill, c->job),
                                    .base = id_of(fill, c->base)};
        bool is_run = fill->experiment->kind == EXPERIMENT_RUNS;
        good =
            is_run ? measure_run(fill, c, &value.value, &value.nothing) : study_value(fill, c, &value.value);
        if (good && is_run) good = note_shape(fill, c, &value);
        if (good && is_run && !isnan(value.value))
            good =
                interval_of(fill->db, fill->experiment->by, value.run, value.base, value.value, &value.error);
        name_category(fill, c->category_order, c->category);
        add_value(fill, value);
    }
    if (good && f->experiment->axes.count)
        chart_mean_lines(fill->view, f);
    else if (good)
        add_means(fill);
    return good;
}

// -- tables -------------------------------------------------------------------------------------------------

// Adds a run's result table behind the rows of earlier runs. Table rows become categories; the columns named
// by the experiment's series become series.
static bool fill_table(const struct filling *fill, const struct figure_cell *c, const char *table,
                       const char *rows)
{
    const struct experiment *x = fill->experiment;
    const char *id = id_of(fill, c->job);
    size_t first = fill->view->categories.count;
    for (size_t n = 0; n < x->series.count; n++) {
        sqlite3_stmt *s = database_query(
            fill->db,
            "SELECT coalesce(a.text, CAST(CAST(a.number AS INTEGER) AS TEXT)), b.text, b.number FROM cells a "
            "LEFT JOIN cells b ON b.run = a.run AND b.tab = "
            "a.tab AND "
            "b.line = a.line AND b.field = ? WHERE a.run = ? AND a.tab = ? AND a.field = ? ORDER BY a.line",
            "tttt", x->series.data[n].what, id, table, rows);
        if (!s) return false;
        for (size_t category = first; sqlite3_step(s) == SQLITE_ROW; category++) {
            name_category(fill, category, text_of(fill, s, 0));
            add_value(fill, (struct chart_value){.category = category,
                                                 .series = n,
                                                 .value = number_of(s, 2),
                                                 .text = text_of(fill, s, 1),
                                                 .run = id});
        }
        sqlite3_finalize(s);
    }
    return true;
}

// Fills the view with a mechanism's storage: the structures counted by the paper and their sum, structures
// left out by the paper, and the sum of all.
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
    sqlite3_stmt *s = database_query(fill->db, sql, "t", id_of(fill, c->job));
    for (size_t row = 0; s && sqlite3_step(s) == SQLITE_ROW; row++) {
        name_category(fill, row, text_of(fill, s, 0));
        for (size_t n = 0; n < fill->view->series.count; n++)
            add_value(fill, (struct chart_value){.category = row,
                                                 .series = n,
                                                 .value = number_of(s, (int)n + 1),
                                                 .run = id_of(fill, c->job)});
    }
    sqlite3_finalize(s);
    return s != NULL;
}

// A setting as a word: a string, yes or no. NULL: a number, or no single value.
static const char *setting_word(const struct json_value *v)
{
    switch (v->type) {
    case JSON_TRUE: return "yes";
    case JSON_FALSE: return "no";
    case JSON_STRING: return v->text;
    case JSON_NULL:
    case JSON_NUMBER:
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    return NULL;
}

// Fills the view with settings of its GPU: one category (row) for every series of the experiment, whose
// `what` is a setting's key.
static void fill_settings(const struct filling *fill)
{
    const struct experiment *x = fill->experiment;
    struct wf_context *c = wf_context_create();
    struct arena arena;
    const char *why;
    size_t offset;
    arena_init(&arena);
    wf_gpu(c, fill->view->gpu);
    const char *text = wf_config_json(c);
    const struct json_value *config = json_parse(text, strlen(text), &arena, &why, &offset);
    for (size_t n = 0; n < x->series.count; n++) {
        const struct json_value *v = json_member(config, x->series.data[n].what);
        const char *word = setting_word(v);
        name_category(fill, n, x->series.data[n].label);
        add_value(fill, (struct chart_value){
                            .category = n,
                            .value = word ? NAN : json_number(v),
                            .text = word ? arena_strndup(&fill->chart->arena, word, strlen(word)) : NULL});
    }
    arena_fini(&arena);
    wf_context_destroy(c);
}

static void fill_kernels(const struct filling *fill)
{
    for (size_t k = 0; k < fill->figure->cells.count; k++) {
        const struct figure_cell *c = &fill->figure->cells.data[k];
        if (c->view != fill->index) continue;
        const struct workload *w = categories_kernel(fill->experiment, c->category);
        const char *block = arena_printf(&fill->chart->arena, w->block[2] > 1 ? "(%u,%u,%u)" : "(%u,%u)",
                                         w->block[0], w->block[1], w->block[2]);
        const char *const words[] = {w->name, block, w->title};
        name_category(fill, c->category_order, c->category);
        for (size_t n = 0; n < 3; n++)
            add_value(fill, (struct chart_value){
                                .category = c->category_order, .series = n, .value = NAN, .text = words[n]});
    }
}

// "yes", "no", or "-" where no run shows the property; with the paper's entry where it differs.
static const char *answer_text(const struct filling *fill, enum probe_answer answer, double paper)
{
    static const char *const words[] = {[PROBE_NO] = "no", [PROBE_YES] = "yes", [PROBE_UNKNOWN] = "-"};
    bool agrees = isnan(paper) || (answer != PROBE_UNKNOWN && (answer == PROBE_YES) == (paper > 0));
    if (agrees) return words[answer];
    return arena_printf(&fill->chart->arena, "%s (paper: %s)", words[answer], paper > 0 ? "yes" : "no");
}

// Runs the probes of every mechanism. A mechanism that the library lacks, or whose probes fail, has no column.
static void fill_features(const struct filling *fill)
{
    const struct experiment *x = fill->experiment;
    enum { ROWS_MAX = 32 };
    enum probe_answer answers[ROWS_MAX];
    size_t rows = probe_row_count();
    for (size_t k = 0; k < rows; k++) name_category(fill, k, probe_row_at(k)->name);
    name_category(fill, rows, "storage");
    for (size_t n = 0; n < x->series.count; n++) {
        struct diag d;
        uint64_t bits;
        diag_init(&d);
        bool good = probe_run(x->views.data[fill->index].gpu, x->views.data[fill->index].profile,
                              x->series.data[n].what, answers, &bits, &d);
        diag_fini(&d);
        if (!good) continue;
        for (size_t k = 0; k < rows; k++)
            add_value(fill, (struct chart_value){
                                .category = k,
                                .series = n,
                                .value = answers[k] == PROBE_UNKNOWN ? NAN : answers[k] == PROBE_YES,
                                .text = answer_text(
                                    fill, answers[k],
                                    paper_value(x, x->series.data[n].label, probe_row_at(k)->name))});
        add_value(fill, (struct chart_value){.category = rows,
                                             .series = n,
                                             .value = NAN,
                                             .text = arena_printf(&fill->chart->arena, "%llu B",
                                                                  (unsigned long long)(bits + 7) / 8)});
    }
}

// -- over time ----------------------------------------------------------------------------------------------

struct sample {
    int64_t cycle;
    struct chart_value value;
};

static int by_cycle(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return (x->value.series > y->value.series) - (x->value.series < y->value.series);
}

// Fills the view with issued warp instructions per cycle over the time of each run. A category is the end of
// a sample of any run: the sum of the run's sample lengths so far, in cycles, without time between launches.
static bool fill_time(const struct filling *fill)
{
    static const char sql[] =
        "SELECT sum(finish - start) OVER (ORDER BY launch, start), value * 1.0 / (finish - start) FROM "
        "(SELECT launch, start, finish, max(CASE WHEN counter = 'sm.issue.issued' THEN value ELSE 0 END) AS "
        "value "
        "FROM samples WHERE run = ? GROUP BY launch, start, finish) ORDER BY launch, start";
    const struct figure *f = fill->figure;
    VEC(struct sample) samples = {0};
    bool good = true;
    for (size_t i = 0; i < f->cells.count && good; i++) {
        const struct figure_cell *c = &f->cells.data[i];
        if (c->view != fill->index) continue;
        const char *run = id_of(fill, c->job);
        sqlite3_stmt *s = database_query(fill->db, sql, "t", run);
        good = s != NULL;
        while (good && sqlite3_step(s) == SQLITE_ROW)
            vec_push(&samples, (struct sample){sqlite3_column_int64(s, 0),
                                               {.series = c->series, .value = number_of(s, 1), .run = run}});
        sqlite3_finalize(s);
    }
    if (samples.count) qsort(samples.data, samples.count, sizeof samples.data[0], by_cycle);
    for (size_t i = 0; i < samples.count; i++) {
        struct sample *sample = &samples.data[i];
        size_t count = fill->view->categories.count;
        if (!i || sample->cycle != samples.data[i - 1].cycle)
            name_category(fill, count++, arena_printf(&fill->chart->arena, "%lld", (long long)sample->cycle));
        sample->value.category = count - 1;
        add_value(fill, sample->value);
    }
    vec_fini(&samples);
    return good;
}

// -- a whole chart ------------------------------------------------------------------------------------------

static void name_series(const struct filling *fill)
{
    static const char *const storage[] = {"bits", "bytes", "share of registers", NULL},
                             *const settings[] = {"setting", NULL},
                             *const kernels[] = {"name", "block", "what it is", NULL};
    const struct experiment *x = fill->experiment;
    if (x->axes.count) {
        chart_name_lines(fill->chart, fill->view, fill->figure);
        return;
    }
    const char *const *names = x->kind == EXPERIMENT_STORAGE    ? storage
                               : x->kind == EXPERIMENT_SETTINGS ? settings
                               : x->kind == EXPERIMENT_KERNELS  ? kernels
                                                                : NULL;
    for (; names && *names; names++) add_series(fill, *names);
    for (size_t i = 0; !names && i < x->series.count; i++) add_series(fill, x->series.data[i].label);
}

// Number format of a series. Shares print in per cent. Other values of timed runs print as ratios, or as
// counts if all are whole numbers and one exceeds 99; values of other kinds print as counts. A sweep has one
// format.
static enum chart_format format_of(const struct filling *fill, size_t series)
{
    const struct experiment *x = fill->experiment;
    const struct measure *m = x->by;
    const struct chart_view *v = fill->view;
    bool whole = true, large = false;
    if (str_starts_with(v->series.data[series].name, "share") || (m && strstr(m->axis, "share")) ||
        (x->kind == EXPERIMENT_STUDY && !x->rows) || str_equal(x->show, "map"))
        return CHART_SHARE;
    if (x->kind != EXPERIMENT_RUNS && x->kind != EXPERIMENT_TIME) return CHART_PLAIN;
    for (size_t i = 0; i < v->values.count; i++) {
        const struct chart_value *p = &v->values.data[i];
        if ((p->series != series && !x->axes.count) || isnan(p->value) || !p->run) continue;
        whole &= p->value == floor(p->value);
        large |= p->value > 99;
    }
    return whole && large ? CHART_PLAIN : CHART_NUMBER;
}

static int by_place(const void *a, const void *b)
{
    const struct chart_value *x = a, *y = b;
    if (x->category != y->category) return x->category < y->category ? -1 : 1;
    return (x->series > y->series) - (x->series < y->series);
}

static bool fill_cells(const struct filling *fill)
{
    const struct experiment *x = fill->experiment;
    bool good = true;
    for (size_t i = 0; i < fill->figure->cells.count && good; i++) {
        const struct figure_cell *c = &fill->figure->cells.data[i];
        if (c->view != fill->index) continue;
        good = x->kind == EXPERIMENT_STORAGE ? fill_storage(fill, c)
               : x->kind == EXPERIMENT_MARKS ? fill_table(fill, c, "listing", "instruction")
                                             : fill_table(fill, c, x->table, x->rows);
    }
    return good;
}

static bool fill_view(const struct filling *fill)
{
    const struct experiment *x = fill->experiment;
    struct chart_view *v = fill->view;
    bool good = true;
    name_series(fill);
    vec_push(&v->bars, "");
    switch (x->kind) {
    case EXPERIMENT_RUNS: good = fill_values(fill); break;
    case EXPERIMENT_TIME: good = fill_time(fill); break;
    case EXPERIMENT_SETTINGS: fill_settings(fill); break;
    case EXPERIMENT_KERNELS: fill_kernels(fill); break;
    case EXPERIMENT_FEATURES: fill_features(fill); break;
    case EXPERIMENT_STUDY: good = x->rows ? fill_cells(fill) : fill_values(fill); break;
    case EXPERIMENT_MARKS:
    case EXPERIMENT_STORAGE: good = fill_cells(fill); break;
    }
    if (v->values.count) qsort(v->values.data, v->values.count, sizeof v->values.data[0], by_place);
    for (size_t s = 0; s < v->series.count; s++)
        v->series.data[s].format = s && x->axes.count ? v->series.data[0].format : format_of(fill, s);
    return good;
}

// Studies and listings of `warpfold mark`: checks the result of the first cell's run, if ok. False and an
// error: the result lacks the table or a column named by the experiment, or the database fails.
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
        if (good && sqlite3_step(s) == SQLITE_ROW &&
            str_equal((const char *)sqlite3_column_text(s, 1), "ok") && !sqlite3_column_int(s, 0)) {
            const char *names = (const char *)sqlite3_column_text(s, 2);
            good = diag_error(db->diag, loc_none(),
                              "experiment %s: no table \"%s\" with a column \"%s\"; must be one of %s",
                              x->name, table, column, names ? names : "none");
        }
        sqlite3_finalize(s);
    }
    return good;
}

// Collects distinct messages of the figure's runs with a status other than ok: refused, failed, mismatch.
static bool find_missing(const struct filling *fill)
{
    const struct figure *f = fill->figure;
    sqlite3_stmt *s = NULL;
    bool good = true;
    for (size_t i = 0; i < f->cells.count && good; i++) {
        if (f->cells.data[i].job == NO_JOB) continue;
        s = database_query(fill->db,
                           "SELECT printf('%s (%s: %s)', coalesce(tech, kind), status, coalesce(message, "
                           "subject)) FROM runs WHERE id = ? AND status <> 'ok'",
                           "t", id_of(fill, f->cells.data[i].job));
        good = s != NULL;
        const char *why = s && sqlite3_step(s) == SQLITE_ROW ? text_of(fill, s, 0) : NULL;
        for (size_t k = 0; why && k < fill->chart->missing.count; k++)
            if (str_equal(fill->chart->missing.data[k], why)) why = NULL;
        if (why) vec_push(&fill->chart->missing, why);
        sqlite3_finalize(s);
    }
    return good;
}

bool chart_make(struct chart *c, const struct figure *f, const struct jobs *jobs, struct database *db)
{
    const struct experiment *x = f->experiment;
    const struct measure *m = x->by;
    bool by_kernel = x->kind == EXPERIMENT_RUNS || (x->kind == EXPERIMENT_STUDY && !x->rows);
    *c = (struct chart){.experiment = x,
                        .name = x->name,
                        .title = x->title,
                        .source = x->source,
                        .axis = by_kernel ? "share of warp instructions" : "",
                        .show = x->show,
                        .size = f->size,
                        .categories = x->axes.count                ? CHART_STEPS
                                      : x->kind == EXPERIMENT_TIME ? CHART_CYCLES
                                      : by_kernel                  ? CHART_KERNELS
                                                                   : CHART_ROWS,
                        .across = x->axes.count                ? x->axes.data[0].key
                                  : x->kind == EXPERIMENT_TIME ? "core cycles"
                                                               : NULL,
                        .line = m && str_ends_with(m->axis, " base") ? 1 : 0,
                        .every_view = x->kind == EXPERIMENT_KERNELS || x->kind == EXPERIMENT_FEATURES};
    arena_init(&c->arena);
    if (m) c->axis = chart_axis(x, m->axis, &c->arena);
    struct filling fill = {f, x, jobs, db, c, NULL, 0};
    bool good = check_columns(f, jobs, db) && find_missing(&fill);
    vec_reserve(&c->views, x->views.count);
    for (; fill.index < x->views.count && good; fill.index++) {
        const struct experiment_view *v = &x->views.data[fill.index];
        vec_push(&c->views, (struct chart_view){.gpu = v->gpu, .profile = v->profile});
        fill.view = &vec_last(&c->views);
        good = fill_view(&fill);
    }
    if (good) chart_judge(c);
    return good;
}
