#include "lab/database.h"
#include "api/warpfold.h"
#include "base/hash.h"
#include "lab/settings.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

extern const char lab_schema[];
__asm__(".pushsection .rodata\n.global lab_schema\nlab_schema:\n.incbin \"src/lab/schema.sql\"\n.byte 0\n"
        ".popsection\n");

static bool fail(struct database *db, const char *doing)
{
    return diag_error(db->diag, loc_none(), "cannot %s %s: %s", doing, db->path, sqlite3_errmsg(db->handle));
}

// -- statements ---------------------------------------------------------------------------------------------

// Binds values to a statement's parameters, with `types` as in database_do. lives: SQLITE_STATIC for texts
// valid until the statement has been stepped through, otherwise SQLITE_TRANSIENT.
static bool bind(sqlite3_stmt *s, const char *types, va_list values, sqlite3_destructor_type lives)
{
    bool good = true;
    for (int i = 1; *types; types++, i++) {
        int code = SQLITE_MISUSE;
        if (*types == 't') code = sqlite3_bind_text(s, i, va_arg(values, const char *), -1, lives);
        if (*types == 'i') code = sqlite3_bind_int64(s, i, va_arg(values, int64_t));
        if (*types == 'd') code = sqlite3_bind_double(s, i, va_arg(values, double)); // NaN becomes NULL
        good &= code == SQLITE_OK;
    }
    return good;
}

// Prepares a statement once per literal and keeps it until the database is closed. `sql` must stay at its
// address; the statement must not be in use by another caller. NULL: not preparable.
static sqlite3_stmt *prepare_once(struct database *db, const char *sql)
{
    struct prepared new = {.sql = sql};
    for (size_t i = 0; i < db->prepared.count; i++)
        if (db->prepared.data[i].sql == sql) return db->prepared.data[i].statement;
    if (sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &new.statement, NULL) == SQLITE_OK)
        vec_push(&db->prepared, new);
    return new.statement;
}

sqlite3_stmt *database_query(struct database *db, const char *sql, const char *types, ...)
{
    va_list values;
    sqlite3_stmt *s = NULL;
    va_start(values, types);
    bool good = sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) == SQLITE_OK &&
                bind(s, types, values, SQLITE_TRANSIENT);
    va_end(values);
    if (good) return s;
    fail(db, "use");
    sqlite3_finalize(s);
    return NULL;
}

bool database_do(struct database *db, const char *sql, const char *types, ...)
{
    va_list values;
    sqlite3_stmt *s = prepare_once(db, sql);
    va_start(values, types);
    bool good = s && bind(s, types, values, SQLITE_STATIC);
    va_end(values);
    if (!good) return fail(db, "use");
    int code = sqlite3_step(s);
    good = code == SQLITE_DONE || code == SQLITE_ROW || fail(db, "write");
    sqlite3_reset(s);
    return good;
}

bool database_begin(struct database *db) { return database_do(db, "BEGIN IMMEDIATE", ""); }
bool database_commit(struct database *db) { return database_do(db, "COMMIT", ""); }
void database_rollback(struct database *db) { sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL); }

// -- opening ------------------------------------------------------------------------------------------------

// The first column of a query's first row as text, on the heap. NULL: an error, no row, or a NULL column.
static char *single(struct database *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW &&
        sqlite3_column_text(s, 0))
        text = heap_strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return text;
}

static bool create(struct database *db, const char *build)
{
    char schema[16];
    snprintf(schema, sizeof schema, "%d", DATABASE_SCHEMA);
    if (!database_begin(db)) return false;
    bool good = sqlite3_exec(db->handle, lab_schema, NULL, NULL, NULL) == SQLITE_OK || fail(db, "write");
    static const char add[] = "INSERT INTO meta VALUES (?, ?)";
    good = good && database_do(db, add, "tt", "schema", schema) &&
           database_do(db, add, "tt", "version", WF_VERSION) && database_do(db, add, "tt", "build", build) &&
           database_commit(db);
    if (!good) database_rollback(db);
    return good;
}

static bool check(struct database *db, const char *build)
{
    char *sound = single(db, "PRAGMA quick_check(1)"),
         *schema = single(db, "SELECT value FROM meta WHERE key = 'schema'"),
         *made_by = single(db, "SELECT value FROM meta WHERE key = 'build'");
    bool good = false;
    static const char advice[] = "move the file away, or give a different --out";
    if (!sound || !str_equal(sound, "ok"))
        diag_error(db->diag, loc_none(), "%s is not a database, or a broken database (%s): %s", db->path,
                   sound ? sound : sqlite3_errmsg(db->handle), advice);
    else if (!schema || !made_by)
        diag_error(db->diag, loc_none(), "%s is a database, but not of results: %s", db->path, advice);
    else if (strtol(schema, NULL, 10) != DATABASE_SCHEMA)
        diag_error(db->diag, loc_none(), "%s has schema %s; warpfold %s reads schema %d: %s", db->path,
                   schema, WF_VERSION, DATABASE_SCHEMA, advice);
    else if (!str_equal(made_by, build))
        diag_error(db->diag, loc_none(),
                   "%s was made by a different build of warpfold (%s; now %s), and results may differ: %s",
                   db->path, made_by, build, advice);
    else
        good = true;
    free(sound);
    free(schema);
    free(made_by);
    return good;
}

bool database_open(struct database *db, const char *path, const char *build, struct diag *d)
{
    *db = (struct database){.path = heap_strdup(path), .diag = d};
    if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        fail(db, "open");
    else {
        sqlite3_busy_timeout(db->handle, 10000);
        char *tables = single(db, "SELECT count(*) FROM sqlite_master");
        bool empty = tables && str_equal(tables, "0");
        free(tables);
        db->sound = empty ? create(db, build) : check(db, build);
        // A commit survives a killed process without waiting for the disk. A power failure may lose the last
        // runs.
        if (db->sound)
            sqlite3_exec(db->handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", NULL, NULL,
                         NULL);
    }
    if (!db->sound) {
        database_close(db);
        return false;
    }
    return true;
}

void database_close(struct database *db)
{
    for (size_t i = 0; i < db->prepared.count; i++) sqlite3_finalize(db->prepared.data[i].statement);
    vec_fini(&db->prepared);
    settings_fini(db);
    // Leaves the database as a single file without a write-ahead log, readable on read-only file systems.
    if (db->sound) sqlite3_exec(db->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(db->handle);
    free(db->path);
    *db = (struct database){0};
}

// -- runs ---------------------------------------------------------------------------------------------------

bool database_has_run(struct database *db, const char *id)
{
    sqlite3_stmt *s = prepare_once(db, "SELECT 1 FROM runs WHERE id = ?");
    bool has =
        s && sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_reset(s);
    return has;
}

static bool add_row(struct database *db, const struct job *j, const char *status, const char *message)
{
    return database_do(
        db,
        "INSERT INTO runs (id, command, kind, subject, source, size, gpu, profile, tech, settings, "
        "seed, kernel_hash, version, status, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, "
        "?, ?, ?)",
        "tttttttttttttt", j->id, j->command, j->kind, j->subject, j->source, j->size, j->gpu, j->profile,
        j->tech, j->settings, j->kernel_hash, WF_VERSION, status, message);
}

bool database_add_refused(struct database *db, const struct job *j, const char *message)
{
    return add_row(db, j, "refused", message);
}

// A member of a run's result, as text for a database column; the column's type converts to a number. NULL: no
// such member, or neither a text nor a number.
static const char *figure(const struct json_value *result, const char *member)
{
    const struct json_value *v = json_member(result, member);
    return v ? v->text : NULL;
}

static bool add_config(struct database *db, const struct job *j, const struct json_value *config)
{
    char name[17];
    if (!config || config->type != JSON_OBJECT) return true;
    return settings_store(db, config, name) &&
           database_do(db, "UPDATE runs SET config = ? WHERE id = ?", "tt", name, j->id);
}

// Stores the names of a run's counters, once for all runs with the same counters.
static bool add_counter_names(struct database *db, const struct job *j, const struct json_value *counters)
{
    struct strbuf all = {0};
    char counted[17];
    for (const struct json_value *v = counters->first; v; v = v->next) strbuf_printf(&all, "%s\n", v->key);
    snprintf(counted, sizeof counted, "%016llx",
             (unsigned long long)hash_bytes(strbuf_text(&all), all.length, 0));
    strbuf_fini(&all);
    bool good = database_do(db, "UPDATE runs SET counted = ? WHERE id = ?", "tt", counted, j->id);
    sqlite3_stmt *s =
        database_query(db, "SELECT 1 FROM counter_names WHERE counted = ? LIMIT 1", "t", counted);
    bool known = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    for (const struct json_value *v = counters->first; v && good && !known; v = v->next)
        good = database_do(db, "INSERT INTO counter_names VALUES (?, ?)", "tt", counted, v->key);
    return good;
}

static bool add_counters(struct database *db, const struct job *j, const struct json_value *counters)
{
    if (!counters) return true;
    bool good = add_counter_names(db, j, counters);
    for (const struct json_value *v = counters->first; v && good; v = v->next)
        if (json_unsigned(v))
            good = database_do(db, "INSERT INTO counter_values VALUES (?, ?, ?)", "tti", j->id, v->key,
                               (int64_t)json_unsigned(v));
    return good;
}

static bool add_energy(struct database *db, const struct job *j, const struct json_value *energy)
{
    const struct json_value *events = json_member(energy, "events");
    bool good = true;
    for (const struct json_value *e = events ? events->first : NULL; e && good; e = e->next)
        good = database_do(db, "INSERT INTO energy VALUES (?, ?, ?, ?, ?, ?)", "ttttid", j->id,
                           json_text(json_member(e, "event")), json_text(json_member(e, "part")),
                           json_text(json_member(e, "unit")), (int64_t)json_unsigned(json_member(e, "count")),
                           json_number(json_member(e, "pj_each")));
    if (!events) return good;
    return good &&
           database_do(db,
                       "UPDATE runs SET energy_pj = (SELECT sum(count * pj_each) FROM energy WHERE run = "
                       "?1) WHERE id = ?1",
                       "t", j->id);
}

static bool add_storage(struct database *db, const struct job *j, const struct json_value *storage)
{
    bool good = true;
    int64_t ordinal = 0;
    for (const struct json_value *s = storage ? storage->first : NULL; s && good; s = s->next)
        good = database_do(db, "INSERT INTO storage VALUES (?, ?, ?, ?, ?, ?)", "tittii", j->id, ordinal++,
                           json_text(json_member(s, "tech")), json_text(json_member(s, "structure")),
                           (int64_t)json_unsigned(json_member(s, "bits")),
                           (int64_t)json_is_true(json_member(s, "in_paper")));
    return good;
}

static bool add_samples(struct database *db, const struct job *j, const struct json_value *samples)
{
    bool good = true;
    for (const struct json_value *s = samples ? samples->first : NULL; s && good; s = s->next) {
        const struct json_value *counters = json_member(s, "counters");
        for (const struct json_value *c = counters ? counters->first : NULL; c && good; c = c->next)
            if (json_unsigned(c))
                good = database_do(db, "INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)", "tiiiti", j->id,
                                   (int64_t)json_unsigned(json_member(s, "launch")),
                                   (int64_t)json_unsigned(json_member(s, "from")),
                                   (int64_t)json_unsigned(json_member(s, "to")), c->key,
                                   (int64_t)json_unsigned(c));
    }
    return good;
}

static bool add_table(struct database *db, const struct job *j, const char *name,
                      const struct json_value *rows)
{
    bool good = true;
    int64_t line = 0;
    for (const struct json_value *row = rows->first; row && good; row = row->next, line++)
        for (const struct json_value *c = row->first; c && good; c = c->next) {
            if (c->type == JSON_NULL || c->type == JSON_OBJECT || c->type == JSON_ARRAY) continue;
            good = json_is_number(c) ? database_do(db, "INSERT INTO cells VALUES (?, ?, ?, ?, NULL, ?)",
                                                   "ttitd", j->id, name, line, c->key, json_number(c))
                                     : database_do(db, "INSERT INTO cells VALUES (?, ?, ?, ?, ?, NULL)",
                                                   "ttitt", j->id, name, line, c->key,
                                                   c->text                ? c->text
                                                   : c->type == JSON_TRUE ? "true"
                                                                          : "false");
        }
    return good;
}

// Stores the half-widths of a sampled run's figures, under the names of columns and counters. errors NULL: exact.
static bool add_intervals(struct database *db, const struct job *j, const struct json_value *errors)
{
    static const char ending[] = "_warp_instructions"; // fetched_warp_instructions is column fetched
    bool good = true;
    for (const struct json_value *v = errors ? errors->first : NULL; v && good; v = v->next) {
        size_t length = strlen(v->key) - (str_ends_with(v->key, ending) ? strlen(ending) : 0);
        char *figure_name = heap_strndup(v->key, length);
        if (json_number(v) > 0)
            good = database_do(db, "INSERT INTO intervals VALUES (?, ?, ?)", "ttd", j->id, figure_name,
                               json_number(v));
        free(figure_name);
    }
    return good;
}

static const char *last_limit(const struct json_value *v)
{
    const struct json_value *limits = json_member(v, "limits"), *last = limits ? limits->first : NULL;
    while (last && last->next) last = last->next;
    return json_text(json_member(last, "limited_by"));
}

// Sets columns of a run from members of its result, NULL for absent members. Adds the run's counters and
// energy.
static bool set_figures(struct database *db, const struct job *j, const struct json_value *v)
{
    return database_do(
               db,
               "UPDATE runs SET outcome = ?, output_hash = ?, launches = ?, cycles = ?, "
               "elapsed_cycles = ?, warp_instructions = ?, thread_instructions = ?, fetched = ?, "
               "skipped = ?, reused = ?, occupancy = ?, storage_bits = ?, wall_seconds = ?, limited_by = ? "
               "WHERE id = ?",
               "ttttttttttttttt", figure(v, "outcome"), figure(v, "output_hash"), figure(v, "launches"),
               figure(v, "cycles"), figure(v, "elapsed_cycles"), figure(v, "warp_instructions"),
               figure(v, "thread_instructions"), figure(v, "fetched_warp_instructions"),
               figure(v, "skipped_warp_instructions"), figure(v, "reused_warp_instructions"),
               figure(v, "occupancy"), figure(v, "storage_bits"), figure(v, "wall_seconds"), last_limit(v),
               j->id) &&
           add_counters(db, j, json_member(v, "counters")) && add_energy(db, j, json_member(v, "energy")) &&
           add_intervals(db, j, json_member(json_member(v, "sample"), "errors"));
}

// Sets the grid ("43x43") and the waves of a run from the kernel with most warp instructions.
static bool set_shape(struct database *db, const struct job *j, const struct json_value *kernels)
{
    const struct json_value *most = kernels ? kernels->first : NULL;
    struct strbuf grid = {0};
    static const char figure_name[] = "warp_instructions";
    for (const struct json_value *k = most; k; k = k->next)
        if (json_number(json_member(k, figure_name)) > json_number(json_member(most, figure_name))) most = k;
    if (!most) return true;
    unsigned extents[3] = {1, 1, 1}, count = 0, shown = 1;
    const struct json_value *extent = json_member(most, "grid");
    for (const struct json_value *e = extent ? extent->first : NULL; e && count < 3; e = e->next)
        extents[count++] = (unsigned)json_unsigned(e);
    for (unsigned i = 1; i < 3; i++)
        if (extents[i] > 1) shown = i + 1;
    for (unsigned i = 0; i < shown; i++) strbuf_printf(&grid, "%s%u", i ? "x" : "", extents[i]);
    bool good = database_do(db, "UPDATE runs SET grid = ?, waves = ? WHERE id = ?", "ttt", strbuf_text(&grid),
                            figure(most, "waves"), j->id);
    strbuf_fini(&grid);
    return good;
}

static bool add_bench(struct database *db, const struct job *j, const struct json_value *result)
{
    const struct json_value *workloads = json_member(result, "workloads"),
                            *w = workloads ? workloads->first : NULL;
    const char *outcome = json_text(json_member(w, "outcome"));
    return add_row(db, j, str_equal(outcome ? outcome : "", "yes") ? "ok" : "failed", NULL) &&
           set_figures(db, j, w) && set_shape(db, j, json_member(w, "kernels")) &&
           add_storage(db, j, json_member(w, "storage")) && add_samples(db, j, json_member(w, "samples"));
}

// Stores a run of several kernels together (a mix): overall figures as cells of table `mix`, and a row of
// table `workloads` per kernel.
static bool add_mix(struct database *db, const struct job *j, const struct json_value *result)
{
    static const char *const figures[] = {"weighted_speedup", "throughput", "turnaround", "fairness"};
    const char *status = json_text(json_member(result, "status"));
    const struct json_value *workloads = json_member(result, "workloads");
    bool good = add_row(db, j, status && str_equal(status, "ok") ? "ok" : "failed", NULL) &&
                database_do(db, "UPDATE runs SET energy_pj = ?, wall_seconds = ? WHERE id = ?", "ttt",
                            figure(result, "energy_pj"), figure(result, "wall_seconds"), j->id);
    for (size_t k = 0; k < sizeof figures / sizeof figures[0] && good; k++)
        good = database_do(db, "INSERT INTO cells VALUES (?, 'mix', 0, ?, NULL, ?)", "ttd", j->id, figures[k],
                           json_number(json_member(result, figures[k])));
    return good && (!workloads || add_table(db, j, "workloads", workloads));
}

static bool add_launches(struct database *db, const struct job *j, const struct json_value *launches)
{
    bool good = true;
    int64_t ordinal = 0;
    for (const struct json_value *l = launches ? launches->first : NULL; l && good; l = l->next)
        good =
            database_do(db, "INSERT INTO launches VALUES (?, ?, ?, ?, ?, ?)", "titiii", j->id, ordinal++,
                        json_text(json_member(l, "kernel")), (int64_t)json_unsigned(json_member(l, "cycles")),
                        (int64_t)json_unsigned(json_member(l, "elapsed_cycles")),
                        (int64_t)json_unsigned(json_member(l, "warp_instructions")));
    return good &&
           database_do(db,
                       "UPDATE runs SET launches = (SELECT count(*) FROM launches WHERE run = ?1) WHERE "
                       "id = ?1",
                       "t", j->id);
}

// The first line of a text, on the heap; NULL stays NULL.
static char *first_line(const char *text) { return text ? heap_strndup(text, strcspn(text, "\n")) : NULL; }

static bool add_script(struct database *db, const struct job *j, const struct json_value *result)
{
    const char *status = json_text(json_member(result, "status"));
    char *message = first_line(json_text(json_member(result, "fault")));
    bool good = add_row(db, j, status && str_equal(status, "ok") ? "ok" : "failed", message) &&
                set_figures(db, j, result) && add_launches(db, j, json_member(result, "launches")) &&
                add_samples(db, j, json_member(result, "samples"));
    free(message);
    return good;
}

// True: the console output contains the word, in upper or lower case. Programs report self-tests on the
// console in free words; a program's run whose console contains "fail" gets status failed.
static bool says(const char *console, const char *word)
{
    size_t length = strlen(word);
    for (; *console; console++)
        if (strncasecmp(console, word, length) == 0) return true;
    return false;
}

// A run of the user's own: a kernel, a script or a program.
static bool add_own(struct database *db, const struct job *j, const struct json_value *result)
{
    return add_script(db, j, result) && set_shape(db, j, json_member(result, "kernels")) &&
           add_storage(db, j, json_member(result, "storage"));
}

static bool add_program(struct database *db, const struct job *j, const struct json_value *result)
{
    const char *status = json_text(json_member(result, "status")),
               *console = json_text(json_member(json_member(result, "host"), "console"));
    if (!console) console = "";
    bool ran = status && str_equal(status, "ok"), failed = says(console, "fail");
    char *message = first_line(ran ? console : json_text(json_member(result, "fault")));
    bool good = add_row(db, j, ran && !failed ? "ok" : "failed", ran && !failed ? NULL : message) &&
                set_figures(db, j, result) && add_launches(db, j, json_member(result, "launches")) &&
                add_storage(db, j, json_member(result, "storage"));
    if (good && ran && (failed || says(console, "passed")))
        good =
            database_do(db, "UPDATE runs SET outcome = ? WHERE id = ?", "tt", failed ? "NO" : "yes", j->id);
    free(message);
    return good;
}

static bool add_study(struct database *db, const struct job *j, const struct json_value *result)
{
    const char *status = json_text(json_member(result, "status"));
    const struct json_value *tables = json_member(result, "tables");
    bool good = add_row(db, j, status ? status : "failed", NULL) &&
                database_do(db, "UPDATE runs SET warp_instructions = ?, wall_seconds = ? WHERE id = ?", "ttt",
                            figure(result, "warp_instructions"), figure(result, "wall_seconds"), j->id);
    for (const struct json_value *t = tables ? tables->first : NULL; t && good; t = t->next)
        good = add_table(db, j, t->key, t);
    return good;
}

static bool add_marks(struct database *db, const struct job *j, const struct json_value *result)
{
    const struct json_value *listing = json_member(result, "listing");
    return add_row(db, j, "ok", NULL) && (!listing || add_table(db, j, "listing", listing));
}

bool database_add_run(struct database *db, const struct job *j, const struct json_value *result)
{
    // A savepoint is a transaction, or a part of an open transaction over many runs.
    if (!database_do(db, "SAVEPOINT run", "")) return false;
    bool good = str_equal(j->kind, "bench")     ? add_bench(db, j, result)
                : str_equal(j->kind, "program") ? add_program(db, j, result)
                : str_equal(j->kind, "mix")     ? add_mix(db, j, result)
                : str_equal(j->kind, "study")   ? add_study(db, j, result)
                : str_equal(j->kind, "run")     ? add_script(db, j, result)
                : str_equal(j->kind, "own")     ? add_own(db, j, result)
                                                : add_marks(db, j, result);
    good = good && add_config(db, j, json_member(result, "config")) && database_do(db, "RELEASE run", "");
    if (!good) sqlite3_exec(db->handle, "ROLLBACK TO run; RELEASE run", NULL, NULL, NULL);
    return good;
}
