#include "lab/page.h"
#include "api/warpfold.h"
#include "base/json.h"
#include "lab/categories.h"
#include "lab/headline.h"
#include "report/fields.h"
#include "workload/workload.h"

#include <math.h>
#include <string.h>

extern const char lab_page[];
__asm__(".pushsection .rodata\n.global lab_page\nlab_page:\n.incbin \"web/dist/report.html\"\n.byte "
        "0\n.popsection\n");

// -- rows as JSON -------------------------------------------------------------------------------------------

static void write_value(struct json *j, sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: json_i64(j, sqlite3_column_int64(s, column)); break;
    case SQLITE_FLOAT: json_f64(j, sqlite3_column_double(s, column)); break;
    default: json_string(j, (const char *)sqlite3_column_text(s, column)); break;
    }
}

// Writes the columns of a row, from column `from` on, as members of the open object, named like the columns.
static void write_row(struct json *j, sqlite3_stmt *s, int from)
{
    for (int i = from; i < sqlite3_column_count(s); i++) {
        json_key(j, sqlite3_column_name(s, i));
        write_value(j, s, i);
    }
}

static bool finish(struct database *db, sqlite3_stmt *s)
{
    bool good = s && (sqlite3_errcode(db->handle) == SQLITE_DONE || sqlite3_errcode(db->handle) == SQLITE_OK);
    sqlite3_finalize(s);
    return good;
}

// Writes rows as an array of objects.
static bool write_rows(struct json *j, const char *key, struct database *db, sqlite3_stmt *s)
{
    json_key(j, key);
    json_open_array(j);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        json_open_object(j);
        write_row(j, s, 0);
        json_close_object(j);
    }
    json_close_array(j);
    return finish(db, s);
}

// Writes rows of (key, value) as an object.
static bool write_pairs(struct json *j, const char *key, struct database *db, sqlite3_stmt *s)
{
    json_key(j, key);
    json_open_object(j);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        json_key(j, (const char *)sqlite3_column_text(s, 0));
        write_value(j, s, 1);
    }
    json_close_object(j);
    return finish(db, s);
}

static void write_texts(struct json *j, const char *key, const char *const *texts, size_t count)
{
    json_key(j, key);
    json_open_array(j);
    for (size_t i = 0; i < count; i++) json_string(j, texts[i]);
    json_close_array(j);
}

// -- charts -------------------------------------------------------------------------------------------------

// Writes [category, bar, series, value, text, paper, run, base], without trailing nulls. `bar`: index
// of a bar in the category (chart.h). is_part: the value is a part of a stacked bar; without run and base.
static void write_value_of(struct json *j, const struct chart_value *p, bool is_part)
{
    const char *run = is_part ? NULL : p->run, *base = is_part ? NULL : p->base;
    unsigned fields = base ? 8 : run ? 7 : !isnan(p->paper) ? 6 : p->text ? 5 : 4;
    json_open_array(j);
    json_u64(j, p->category);
    json_u64(j, p->bar);
    json_u64(j, p->series);
    json_f64(j, is_part ? round(p->value * 1e6) / 1e6 : p->value); // parts are only drawn, and are numerous
    if (fields > 4) json_string(j, p->text);
    if (fields > 5) json_f64(j, p->paper);
    if (fields > 6) json_string(j, run);
    if (fields > 7) json_string(j, base);
    json_close_array(j);
}

static void write_series(struct json *j, const struct chart_series *s)
{
    static const char *const formats[] = {
        [CHART_NUMBER] = "number", [CHART_SHARE] = "share", [CHART_PLAIN] = "plain"};
    json_open_object(j);
    report_text(j, "name", s->name);
    report_text(j, "format", formats[s->format]);
    if (s->meaning) report_text(j, "meaning", s->meaning);
    json_close_object(j);
}

static void write_finding(struct json *j, const struct chart_finding *f)
{
    static const char *const verdicts[] = {
        [CHART_HELD] = "held", [CHART_CONTRADICTED] = "contradicted", [CHART_OPEN] = "open"};
    json_open_object(j);
    report_text(j, "verdict", verdicts[f->verdict]);
    report_text(j, "text", f->text);
    json_close_object(j);
}

static void write_view(struct json *j, const struct chart_view *v)
{
    bool in_parts = v->bars.count > 1;
    json_open_object(j);
    report_text(j, "gpu", v->gpu);
    report_text(j, "profile", v->profile);
    write_texts(j, "categories", v->categories.data, v->categories.count);
    write_texts(j, "bars", v->bars.data, v->bars.count);
    json_key(j, "series");
    json_open_array(j);
    for (size_t i = 0; i < v->series.count; i++) write_series(j, &v->series.data[i]);
    json_close_array(j);
    json_key(j, "values");
    json_open_array(j);
    for (size_t i = 0; i < v->values.count; i++) write_value_of(j, &v->values.data[i], in_parts);
    json_close_array(j);
    json_key(j, "findings");
    json_open_array(j);
    for (size_t i = 0; i < v->findings.count; i++) write_finding(j, &v->findings.data[i]);
    json_close_array(j);
    json_close_object(j);
}

static void write_chart(struct json *j, const struct chart *c)
{
    static const char *const categories[] = {[CHART_KERNELS] = "kernels",
                                             [CHART_ROWS] = "rows",
                                             [CHART_CYCLES] = "cycles",
                                             [CHART_STEPS] = "steps"};
    const struct experiment *x = c->experiment;
    json_open_object(j);
    report_text(j, "name", c->name);
    report_text(j, "experiment", x->name);
    report_text(j, "title", c->title);
    report_text(j, "source", *c->source ? c->source : NULL);
    report_text(j, "of", x->title);
    report_text(j, "show", c->show);
    report_text(j, "axis", c->axis);
    report_text(j, "size", c->size);
    report_text(j, "across", c->across);
    report_text(j, "categories", categories[c->categories]);
    report_f64(j, "line", c->line);
    json_key(j, "everyView");
    json_bool(j, c->every_view);
    write_texts(j, "expect", x->expects.data, x->expects.count);
    write_texts(j, "notes", x->notes.data, x->notes.count);
    write_texts(j, "missing", c->missing.data, c->missing.count);
    json_key(j, "views");
    json_open_array(j);
    for (size_t i = 0; i < c->views.count; i++) write_view(j, &c->views.data[i]);
    json_close_array(j);
    json_close_object(j);
}

// -- cycles and energy --------------------------------------------------------------------------------------

static bool has_job(const struct figure *f, size_t job)
{
    for (size_t i = 0; i < f->cells.count; i++)
        if (f->cells.data[i].job == job || f->cells.data[i].base == job) return true;
    return false;
}

static bool has_all_of(const struct figure *f, const struct figure *other)
{
    for (size_t i = 0; i < other->cells.count; i++)
        if (!has_job(f, other->cells.data[i].job)) return false;
    return true;
}

// True: figure i, of timed runs of kernels, gets stacked charts of cycles and energy. False for figures of
// other kinds, pairs or sweeps. False also if another figure shows the same runs and more, or an earlier
// figure the same runs.
static bool has_costs(const struct figure *figures, size_t count, size_t i)
{
    const struct experiment *x = figures[i].experiment;
    // RISC-V programs have no issue slots and no energy; a pair has two kernels with slots and energy; a
    // sweep has too many runs.
    if (x->kind != EXPERIMENT_RUNS || x->programs.list.count || x->pairs.count || x->axes.count) return false;
    for (size_t k = 0; k < count; k++)
        if (k != i && figures[k].experiment->kind == EXPERIMENT_RUNS && !figures[k].experiment->axes.count &&
            has_all_of(&figures[k], &figures[i]) && (k < i || !has_all_of(&figures[i], &figures[k])))
            return false;
    return true;
}

static bool write_costs(struct json *j, const struct page *page, struct database *db)
{
    bool good = true;
    json_key(j, "costs");
    json_open_array(j);
    for (unsigned cost = 0; cost < CHART_COSTS && good; cost++) {
        json_open_array(j);
        for (size_t i = 0; i < page->count && good; i++) {
            struct chart c;
            if (!has_costs(page->figures, page->count, i)) continue;
            good = chart_cost(&c, (enum chart_cost)cost, &page->figures[i], page->jobs, db);
            if (good) write_chart(j, &c);
            chart_fini(&c);
        }
        json_close_array(j);
    }
    json_close_array(j);
    return good;
}

// -- views and results --------------------------------------------------------------------------------------

static void write_headline(struct json *j, const struct page *page, const struct chart_view *v,
                           const struct headline_outputs *outputs)
{
    static const char *const kinds[] = {
        [HEADLINE_WORDS] = "words", [HEADLINE_VALUE] = "value", [HEADLINE_PAPER] = "paper"};
    struct headline h;
    headline_make(&h, page->charts, v->gpu, v->profile, outputs);
    json_key(j, "headline");
    json_open_array(j);
    for (size_t i = 0; i < h.pieces.count; i++) {
        json_open_object(j);
        report_text(j, kinds[h.pieces.data[i].kind], h.pieces.data[i].text);
        json_close_object(j);
    }
    json_close_array(j);
    headline_fini(&h);
}

// Writes each GPU and profile of the charts once, with a headline, in the order of the experiments.
static void write_views(struct json *j, const struct page *page, const struct headline_outputs *outputs)
{
    VEC(const struct chart_view *) seen = {0};
    json_key(j, "views");
    json_open_array(j);
    for (size_t i = 0; i < page->charts->list.count; i++) {
        const struct chart *c = &page->charts->list.data[i];
        for (size_t n = 0; n < c->views.count; n++) {
            const struct chart_view *v = &c->views.data[n];
            bool known = false;
            for (size_t k = 0; k < seen.count; k++)
                known |= str_equal(seen.data[k]->gpu, v->gpu) && str_equal(seen.data[k]->profile, v->profile);
            if (known) continue;
            vec_push(&seen, v);
            json_open_object(j);
            report_text(j, "gpu", v->gpu);
            report_text(j, "profile", v->profile);
            write_headline(j, page, v, outputs);
            json_close_object(j);
        }
    }
    json_close_array(j);
    vec_fini(&seen);
}

static bool count_outputs(struct database *db, struct headline_outputs *o)
{
    sqlite3_stmt *s = database_query(
        db,
        "SELECT total(status IN ('ok', 'mismatch', 'failed')), total(status = 'ok' AND outcome = 'yes'), "
        "total(status = 'refused') FROM runs JOIN shown USING (id) WHERE kind IN ('bench', 'program')",
        "");
    while (s && sqlite3_step(s) == SQLITE_ROW)
        *o = (struct headline_outputs){(uint64_t)sqlite3_column_int64(s, 0),
                                       (uint64_t)sqlite3_column_int64(s, 1),
                                       (uint64_t)sqlite3_column_int64(s, 2)};
    return finish(db, s);
}

// -- kernels ------------------------------------------------------------------------------------------------

// The bundled kernel of the chart's category named `label`. NULL: no such category, or no bundled kernel.
static const struct workload *called(const struct chart *c, const char *label)
{
    if (c->categories != CHART_KERNELS || !c->views.count) return NULL;
    for (size_t k = 0; k < c->views.data[0].categories.count; k++)
        if (str_equal(c->views.data[0].categories.data[k], label))
            return categories_kernel(c->experiment, label);
    return NULL;
}

// True: the chart is the first to use the label for the kernel, and no chart uses the label for another
// kernel. An ambiguous label gets no explanation.
static bool introduces(const struct page *page, size_t chart, const struct workload *w, const char *label)
{
    for (size_t i = 0; i < page->charts->list.count; i++) {
        const struct workload *other = called(&page->charts->list.data[i], label);
        if (other && (other != w || i < chart)) return false;
    }
    return called(&page->charts->list.data[chart], label) == w;
}

// Writes the names behind the charts' abbreviations.
static void write_kernels(struct json *j, const struct page *page)
{
    const struct workload *w;
    json_key(j, "kernels");
    json_open_array(j);
    for (size_t i = 0; (w = workload_at(i)) != NULL; i++)
        for (size_t n = 0; n < page->charts->list.count; n++) {
            const struct chart *c = &page->charts->list.data[n];
            for (size_t k = 0; c->views.count && k < c->views.data[0].categories.count; k++) {
                const char *label = c->views.data[0].categories.data[k];
                if (!introduces(page, n, w, label)) continue;
                json_open_object(j);
                report_text(j, "label", label);
                report_text(j, "name", w->name);
                report_text(j, "title", w->title);
                json_close_object(j);
            }
        }
    json_close_array(j);
}

// -- runs ---------------------------------------------------------------------------------------------------

#define LISTED "5000" // most runs listed in the page, so browsers stay quick; results.db has every run

static bool show_run(struct database *db, int64_t *place, const char *id)
{
    return !id || database_do(db, "INSERT OR IGNORE INTO shown VALUES (?, ?)", "ti", id, (*place)++);
}

// Collects the runs behind values of the charts and of page->parts in table `shown`, in order of first use.
static bool choose_runs(const struct page *page, struct database *db)
{
    int64_t place = 0;
    const struct charts *charts = page->charts;
    bool good =
        database_do(db, "DROP TABLE IF EXISTS temp.shown", "") &&
        database_do(db, "CREATE TEMP TABLE shown (id TEXT PRIMARY KEY, place INTEGER) WITHOUT ROWID", "");
    for (size_t i = 0; i < charts->list.count; i++) {
        const struct chart *c = &charts->list.data[i];
        for (size_t n = 0; n < c->views.count; n++)
            for (size_t k = 0; k < c->views.data[n].values.count && good; k++)
                good = show_run(db, &place, c->views.data[n].values.data[k].base) &&
                       show_run(db, &place, c->views.data[n].values.data[k].run);
    }
    for (const struct page_part *p = page->parts; p < page->parts + page->part_count; p++) {
        const char *id;
        for (size_t i = 0; good && (id = p->run_at(p->context, i)) != NULL; i++)
            good = show_run(db, &place, id);
    }
    return good;
}

static bool write_runs(struct json *j, struct database *db)
{
    sqlite3_stmt *s = database_query(
        db,
        "SELECT id, subject, command, kind, size, gpu, profile, tech, settings, seed, "
        "kernel_hash, version, config, status, message, outcome, launches, cycles, "
        "warp_instructions, thread_instructions, fetched, skipped, reused, grid, waves, occupancy, "
        "energy_pj, storage_bits, source FROM runs JOIN shown USING (id) ORDER BY place LIMIT " LISTED,
        "");
    json_key(j, "runs");
    json_open_array(j);
    while (s && sqlite3_step(s) == SQLITE_ROW) {
        json_open_object(j);
        write_row(j, s, 0);
        json_close_object(j);
    }
    json_close_array(j);
    if (!finish(db, s)) return false;
    s = database_query(db, "SELECT count(*) FROM runs JOIN shown USING (id)", "");
    while (s && sqlite3_step(s) == SQLITE_ROW)
        report_u64(j, "runCount", (uint64_t)sqlite3_column_int64(s, 0));
    return finish(db, s);
}

#define LISTED_RUNS "(SELECT config, place FROM runs JOIN shown USING (id) ORDER BY place LIMIT " LISTED ")"

// Writes the other configurations of listed runs, each as differences from the first configuration.
static bool write_others(struct json *j, struct database *db, const char *first)
{
    sqlite3_stmt *s = database_query(
        db, "SELECT DISTINCT config FROM " LISTED_RUNS " WHERE config <> ? ORDER BY 1", "t", first);
    bool good = true;
    while (good && s && sqlite3_step(s) == SQLITE_ROW) {
        const char *config = (const char *)sqlite3_column_text(s, 0);
        good = write_pairs(
            j, config, db,
            database_query(db,
                           "SELECT a.key, a.value FROM configs a JOIN configs b ON b.config = ? AND "
                           "b.key = a.key WHERE a.config = ? AND a.value <> b.value",
                           "tt", first, config));
    }
    sqlite3_finalize(s);
    return good;
}

// Writes the first configuration of the listed runs in full, and the others as differences from the first.
static bool write_configs(struct json *j, struct database *db)
{
    sqlite3_stmt *s =
        database_query(db, "SELECT config FROM " LISTED_RUNS " WHERE config IS NOT NULL LIMIT 1", "");
    const char *first = s && sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : "";
    json_key(j, "configs");
    json_open_object(j);
    bool good = write_pairs(
        j, "first", db, database_query(db, "SELECT key, value FROM configs WHERE config = ?", "t", first));
    json_key(j, "others");
    json_open_object(j);
    good = good && write_others(j, db, first);
    json_close_object(j);
    json_close_object(j);
    sqlite3_finalize(s);
    return good;
}

// -- redundancy over the sources ----------------------------------------------------------------------------

static bool write_heat(struct json *j, struct database *db)
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT r.id, r.subject, r.profile, r.size FROM runs r JOIN shown USING (id) WHERE "
                       "r.kind = 'study' AND r.status = 'ok' AND r.command LIKE 'study redundancy --bench%' "
                       "ORDER BY shown.place",
                       "");
    bool good = true;
    json_key(j, "heat");
    json_open_array(j);
    while (good && s && sqlite3_step(s) == SQLITE_ROW) {
        const char *subject = (const char *)sqlite3_column_text(s, 1), *near;
        const struct workload *w = workload_find(subject, &near);
        if (!w) continue;
        char pattern[80];
        snprintf(pattern, sizeof pattern, "%s.cu:", w->file);
        json_open_object(j);
        report_text(j, "kernel", subject);
        report_text(j, "profile", (const char *)sqlite3_column_text(s, 2));
        report_text(j, "size", (const char *)sqlite3_column_text(s, 3));
        report_text(j, "source", w->source);
        // Kernels of one file may share lines.
        good = write_rows(
            j, "lines", db,
            database_query(db,
                           "SELECT cast(substr(l.text, length(?1) + 1) AS INTEGER) AS line, "
                           "sum(n.number) AS warp_instructions, sum(b.number * n.number) / sum(n.number) "
                           "AS block, sum(s.number * n.number) / sum(n.number) AS saving FROM cells l "
                           "JOIN cells n ON n.run = l.run AND n.tab = l.tab AND n.line = l.line AND "
                           "n.field = 'warp_instructions' JOIN cells b ON b.run = l.run AND b.tab = l.tab "
                           "AND b.line = l.line AND b.field = 'block' JOIN cells s ON s.run = l.run AND "
                           "s.tab = l.tab AND s.line = l.line AND s.field = 'saving' WHERE l.run = ?2 AND "
                           "l.tab = 'lines' AND l.field = 'line' AND substr(l.text, 1, length(?1)) = ?1 "
                           "GROUP BY 1 ORDER BY 1",
                           "tt", pattern, (const char *)sqlite3_column_text(s, 0)));
        json_close_object(j);
    }
    json_close_array(j);
    return finish(db, s) && good;
}

// -- mechanisms ---------------------------------------------------------------------------------------------

// The label of the first series of timed runs with the mechanism; NULL: no such series.
static const char *label_of(const struct page *page, const char *tech)
{
    size_t length = strlen(tech);
    for (size_t i = 0; i < page->charts->list.count; i++) {
        const struct experiment *x = page->charts->list.data[i].experiment;
        for (size_t k = 0; x->kind == EXPERIMENT_RUNS && k < x->series.count; k++) {
            const char *what = x->series.data[k].what;
            if (str_starts_with(what, tech) && (!what[length] || strchr(":,+", what[length])))
                return x->series.data[k].label;
        }
    }
    return NULL;
}

static void write_mechanisms(struct json *j, const struct page *page)
{
    const char *name, *meaning;
    json_key(j, "mechanisms");
    json_open_array(j);
    for (size_t k = 0; wf_tech_at(k, &name, &meaning); k++) {
        const char *label = label_of(page, name);
        if (!label) continue;
        json_open_object(j);
        report_text(j, "label", label);
        report_text(j, "name", name);
        report_text(j, "meaning", meaning);
        json_close_object(j);
    }
    json_close_array(j);
}

// -- the page -----------------------------------------------------------------------------------------------

static bool write_data(struct json *j, const struct page *page, struct database *db)
{
    struct headline_outputs outputs = {0};
    bool good = choose_runs(page, db) && count_outputs(db, &outputs);
    json_open_object(j);
    report_text(j, "version", WF_VERSION);
    report_text(j, "size", page->size);
    write_views(j, page, &outputs);
    write_mechanisms(j, page);
    write_kernels(j, page);
    for (size_t i = 0; i < page->part_count; i++) page->parts[i].write(j, page->parts[i].context);
    json_key(j, "figures");
    json_open_array(j);
    for (size_t i = 0; i < page->charts->list.count; i++) write_chart(j, &page->charts->list.data[i]);
    json_close_array(j);
    good = good && write_costs(j, page, db) && write_runs(j, db) && write_configs(j, db) && write_heat(j, db);
    json_close_object(j);
    return good;
}

// Writes the template up to the data. The page of unfinished runs says so, and looks again for itself.
static void write_head(const struct page *page, const char *template, size_t length, struct strbuf *out)
{
    static const char body[] = "<body>";
    const char *at = page->runs_missing ? strstr(template, body) : NULL;
    size_t before = at ? (size_t)(at - template) + strlen(body) : 0;
    strbuf_write(out, template, before);
    if (at)
        strbuf_printf(
            out,
            "<meta http-equiv=\"refresh\" content=\"30\"><p role=\"status\" "
            "style=\"padding:1em\">Unfinished: "
            "%zu of %zu runs are done; missing values follow. The page looks again every 30 seconds.</p>",
            page->runs - page->runs_missing, page->runs);
    strbuf_write(out, template + before, length - before);
}

bool page_write(const struct page *page, struct database *db, struct strbuf *out)
{
    static const char mark[] = "@DATA@";
    const char *place = strstr(lab_page, mark);
    struct strbuf text = {0};
    struct json j;
    json_init(&j, &text);
    bool good = write_data(&j, page, db);
    write_head(page, lab_page, (size_t)(place - lab_page), out);
    json_embed(out, strbuf_text(&text));
    strbuf_puts(out, place + strlen(mark));
    strbuf_fini(&text);
    return good;
}
