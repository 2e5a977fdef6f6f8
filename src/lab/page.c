#include "lab/page.h"
#include "api/warpfold.h"
#include "base/json.h"
#include "lab/measures.h"
#include "report/fields.h"
#include "workload/workload.h"

#include <string.h>

extern const char lab_page[];
__asm__(".pushsection .rodata\n.global lab_page\nlab_page:\n.incbin \"web/dist/report.html\"\n.byte "
        "0\n.popsection\n");

// -- rows as JSON
// -------------------------------------------------------------------------------------------------------

static void write_value(struct json *j, sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: json_i64(j, sqlite3_column_int64(s, column)); break;
    case SQLITE_FLOAT: json_f64(j, sqlite3_column_double(s, column)); break;
    default: json_string(j, (const char *)sqlite3_column_text(s, column)); break;
    }
}

// The columns of a row as members, from the given one on.
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

// Rows as an array of objects.
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

// Rows of (key, value) as an object.
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

// -- figures
// -----------------------------------------------------------------------------------------------------------

static bool write_figure(struct json *j, const struct figure *f, struct database *db)
{
    const struct experiment *x = f->experiment;
    const struct measure *m = x->measure ? measure_find(x->measure) : NULL;
    bool share = m ? strstr(m->axis, "share") != NULL : x->kind == EXPERIMENT_STUDY && !x->rows, good = true;
    json_open_object(j);
    report_text(j, "name", x->name);
    report_text(j, "title", x->title);
    report_text(j, "source", *x->source ? x->source : NULL);
    report_text(j, "kind", x->kind == EXPERIMENT_TIME ? "time" : "values");
    report_text(j, "show", x->show);
    report_text(j, "measure", x->measure);
    report_text(j, "axis", m ? m->axis : share ? "share of warp instructions" : "");
    report_text(j, "format", share ? "share" : "number");
    write_texts(j, "expect", x->expects.data, x->expects.count);
    write_texts(j, "notes", x->notes.data, x->notes.count);
    json_key(j, "views");
    json_open_array(j);
    for (size_t i = 0; i < x->views.count && good; i++) {
        const struct experiment_view *v = &x->views.data[i];
        json_open_object(j);
        report_text(j, "gpu", v->gpu);
        report_text(j, "profile", v->profile);
        good = write_rows(
            j, "points", db,
            database_query(db,
                           "SELECT category_order AS \"order\", series_order AS seriesOrder, category, "
                           "series, value, text, run, base, paper FROM points WHERE experiment = ? AND "
                           "size = ? AND gpu = ? AND profile = ? ORDER BY 1, 2",
                           "tttt", x->name, f->size, v->gpu, v->profile));
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
    return good;
}

// -- runs
// --------------------------------------------------------------------------------------------------------------

// The runs that points of these figures come from.
static bool choose_runs(const struct figure *figures, size_t count, struct database *db)
{
    bool good =
        database_do(db, "CREATE TEMP TABLE IF NOT EXISTS shown (id TEXT PRIMARY KEY) WITHOUT ROWID", "") &&
        database_do(db, "DELETE FROM shown", "");
    for (size_t i = 0; i < count && good; i++)
        good = database_do(
            db,
            "INSERT OR IGNORE INTO shown SELECT run FROM points WHERE experiment = ?1 AND size = ?2 AND run "
            "IS NOT NULL UNION SELECT base FROM points WHERE experiment = ?1 AND size = ?2 AND base IS NOT "
            "NULL",
            "tt", figures[i].experiment->name, figures[i].size);
    return good;
}

// The paper's name of a kernel and its place among them.
static size_t place_of(const char *subject, const char **label)
{
    const struct workload *w;
    size_t i = 0;
    for (const char *group = "darsie"; group; group = group[0] == 'd' ? "all" : NULL)
        for (size_t k = 0; (w = workload_in_group(group, k, label)) != NULL; k++, i++)
            if (str_equal(w->name, subject)) return i;
    *label = subject;
    return i;
}

static bool write_runs(struct json *j, struct database *db)
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT id, subject, command, kind, size, gpu, profile, tech, settings, seed, "
                       "kernel_hash, version, config, status, message, outcome, launches, cycles, "
                       "warp_instructions, thread_instructions, fetched, skipped, reused, occupancy, "
                       "energy_pj, storage_bits, source FROM runs JOIN shown USING (id) ORDER BY id",
                       "");
    bool good = true;
    json_key(j, "runs");
    json_open_object(j);
    while (good && s && sqlite3_step(s) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(s, 0), *label;
        size_t order = place_of((const char *)sqlite3_column_text(s, 1), &label);
        json_key(j, id);
        json_open_object(j);
        write_row(j, s, 0);
        report_text(j, "label", label);
        report_u64(j, "order", order);
        good =
            write_pairs(
                j, "slots", db,
                database_query(db,
                               "SELECT substr(name, 10), value FROM counters WHERE run = ? AND name LIKE "
                               "'sm.slots.%'",
                               "t", id)) &&
            write_pairs(j, "energy", db,
                        database_query(
                            db, "SELECT part, sum(count * pj_each) FROM energy WHERE run = ? GROUP BY part",
                            "t", id));
        json_close_object(j);
    }
    json_close_object(j);
    return finish(db, s) && good;
}

// The first configuration whole, of the others what differs from it.
static bool write_configs(struct json *j, struct database *db)
{
    static const char first[] = "(SELECT min(config) FROM runs JOIN shown USING (id))";
    struct strbuf sql = {0};
    json_key(j, "configs");
    json_open_object(j);
    strbuf_printf(&sql, "SELECT key, value FROM configs WHERE config = %s", first);
    bool good = write_pairs(j, "first", db, database_query(db, sql.text, ""));
    json_key(j, "others");
    json_open_object(j);
    strbuf_clear(&sql);
    strbuf_printf(
        &sql, "SELECT DISTINCT config FROM runs JOIN shown USING (id) WHERE config <> %s ORDER BY 1", first);
    sqlite3_stmt *s = database_query(db, sql.text, "");
    strbuf_clear(&sql);
    strbuf_printf(&sql,
                  "SELECT a.key, a.value FROM configs a JOIN configs b ON b.config = %s AND b.key = a.key "
                  "WHERE a.config = "
                  "? AND a.value <> b.value",
                  first);
    while (good && s && sqlite3_step(s) == SQLITE_ROW) {
        const char *config = (const char *)sqlite3_column_text(s, 0);
        good = write_pairs(j, config, db, database_query(db, sql.text, "t", config));
    }
    sqlite3_finalize(s);
    strbuf_fini(&sql);
    json_close_object(j);
    json_close_object(j);
    return good;
}

// -- redundancy over the sources
// ---------------------------------------------------------------------------------------

static bool write_heat(struct json *j, struct database *db)
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT r.id, r.subject, r.profile, r.size FROM runs r JOIN shown USING (id) WHERE "
                       "r.kind = 'study' AND r.status = 'ok' AND r.command LIKE 'study redundancy --bench%' "
                       "ORDER BY r.subject, r.profile",
                       "");
    bool good = true;
    json_key(j, "heat");
    json_open_array(j);
    while (good && s && sqlite3_step(s) == SQLITE_ROW) {
        const char *subject = (const char *)sqlite3_column_text(s, 1), *near;
        const struct workload *w = workload_find(subject, &near);
        if (!w) continue;
        char pattern[80];
        snprintf(pattern, sizeof pattern, "%s.cu:", subject);
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

static void write_names(struct json *j)
{
    struct wf_slot slot;
    const char *part, *meaning;
    json_key(j, "slots");
    json_open_array(j);
    for (size_t i = 0; wf_slot_at(i, &slot); i++) {
        json_open_object(j);
        report_text(j, "name", slot.name);
        report_text(j, "meaning", slot.meaning);
        json_close_object(j);
    }
    json_close_array(j);
    json_key(j, "parts");
    json_open_array(j);
    for (size_t i = 0; wf_energy_part_at(i, &part, &meaning); i++) {
        json_open_object(j);
        report_text(j, "name", part);
        report_text(j, "meaning", meaning);
        json_close_object(j);
    }
    json_close_array(j);
}

bool page_write(const struct figure *figures, size_t count, struct database *db, struct strbuf *out)
{
    static const char mark[] = "@DATA@";
    const char *place = strstr(lab_page, mark);
    struct strbuf text = {0};
    struct json j;
    bool good = choose_runs(figures, count, db);
    json_init(&j, &text);
    json_open_object(&j);
    report_text(&j, "version", WF_VERSION);
    json_key(&j, "figures");
    json_open_array(&j);
    for (size_t i = 0; i < count && good; i++) good = write_figure(&j, &figures[i], db);
    json_close_array(&j);
    good = good && write_runs(&j, db) && write_configs(&j, db) && write_heat(&j, db);
    write_names(&j);
    json_close_object(&j);
    strbuf_write(out, lab_page, (size_t)(place - lab_page));
    // In a script element "</" would end it, and indentation is for readers of text.
    for (const char *p = strbuf_text(&text); *p; p++) {
        if (*p == '\n')
            p += strspn(p, "\n ") - 1;
        else if (*p == '<')
            strbuf_puts(out, "\\u003c");
        else
            strbuf_putc(out, *p);
    }
    strbuf_puts(out, place + strlen(mark));
    strbuf_fini(&text);
    return good;
}
