#include "silicon/fidelity.h"
#include "report/measured.h"

#include <math.h>
#include <string.h>

// -- simulated values ---------------------------------------------------------------------------------------

// SQL queries for one number of a run, by the launches that count: all, the last, or the mean. ?1 is the
// run's id, ?2 a counter's name; %s is a column.
static const char *const column_sql[] = {
    [POINT_ALL] = "SELECT %s FROM runs WHERE id = ?1",
    [POINT_LAST] = "SELECT %s FROM launches WHERE run = ?1 ORDER BY ordinal DESC LIMIT 1",
    [POINT_MEAN] = "SELECT 1.0 * %s / launches FROM runs WHERE id = ?1"};
static const char *const counter_sql[] = {
    [POINT_ALL] = "SELECT total(value) FROM counters WHERE run = ?1 AND name = ?2",
    [POINT_LAST] = "SELECT total(value) FROM samples WHERE run = ?1 AND counter = ?2 AND launch = (SELECT "
                   "max(ordinal) FROM launches WHERE run = ?1)",
    [POINT_MEAN] =
        "SELECT total(value) / (SELECT launches FROM runs WHERE id = ?1) FROM counters WHERE run = ?1 "
        "AND name = ?2"};

static bool read_ours(struct database *db, const struct point *p, const char *run, enum quantity q,
                      double *value)
{
    const char *counter = quantity_info[q].counter;
    char sql[300];
    if (counter)
        snprintf(sql, sizeof sql, "%s", counter_sql[p->counted]);
    else
        snprintf(sql, sizeof sql, column_sql[p->counted],
                 q == QUANTITY_CYCLES ? "elapsed_cycles" : "warp_instructions");
    sqlite3_stmt *s = database_query(db, sql, counter ? "tt" : "t", run, counter);
    if (!s) return false;
    *value = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL
                 ? sqlite3_column_double(s, 0)
                 : NAN;
    sqlite3_finalize(s);
    return true;
}

static const char *failure_of(const struct pool *pool, const struct job *job)
{
    for (size_t i = 0; i < pool->failures.count; i++)
        if (pool->failures.data[i].job == job) return pool->failures.data[i].why;
    return NULL;
}

// *trouble: why a run has no figures in the database; NULL: the figures exist. False: the database is not
// readable.
static bool read_trouble(struct fidelity *f, const struct pool *pool, struct database *db,
                         const struct job *job, const char **trouble)
{
    *trouble = failure_of(pool, job);
    if (*trouble) return true;
    sqlite3_stmt *s = database_query(db, "SELECT status, message FROM runs WHERE id = ?", "t", job->id);
    if (!s) return false;
    *trouble = job->left_out ? "left out, as asked" : "not run";
    if (sqlite3_step(s) == SQLITE_ROW) {
        const char *status = (const char *)sqlite3_column_text(s, 0),
                   *message = (const char *)sqlite3_column_text(s, 1);
        *trouble = str_equal(status, "ok")
                       ? NULL
                       : arena_printf(&f->arena, "%s: %s", status, message ? message : "no reason");
    }
    sqlite3_finalize(s);
    return true;
}

static bool read_kind(struct database *db, const struct job *job, const char **kind)
{
    sqlite3_stmt *s = database_query(db, "SELECT limited_by FROM runs WHERE id = ?", "t", job->id);
    if (!s) return false;
    bool is_known = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL;
    *kind = is_known ? measured_kind((const char *)sqlite3_column_text(s, 0)) : NULL;
    sqlite3_finalize(s);
    return true;
}

static bool read_row(struct fidelity *f, const struct point *p, const struct job *job,
                     const struct pool *pool, struct database *db)
{
    struct fidelity_row r = {.point = p, .job = job, .l2_sectors = NAN, .core_mhz = NAN, .dram_mhz = NAN};
    bool good = read_trouble(f, pool, db, job, &r.trouble);
    for (unsigned q = 0; q < QUANTITIES && good; q++) {
        r.ours[q] = NAN;
        if (!r.trouble) good = read_ours(db, p, job->id, (enum quantity)q, &r.ours[q]);
    }
    if (good && !r.trouble)
        good = read_kind(db, job, &r.kind) && fidelity_read_l2(db, job->id, &r.l2_sectors) &&
               fidelity_read_setting(db, job->id, "gpu.core_mhz", &r.core_mhz) &&
               fidelity_read_setting(db, job->id, "dram.mhz", &r.dram_mhz);
    vec_push(&f->rows, r);
    return good;
}

double fidelity_ratio(const struct fidelity_row *r, enum quantity q)
{
    return r->point->measured[q] > 0 && point_stands_alone(r->point) ? r->ours[q] / r->point->measured[q]
                                                                     : NAN;
}

double fidelity_ipc(const double figures[QUANTITIES])
{
    return figures[QUANTITY_INSTRUCTIONS] / figures[QUANTITY_CYCLES];
}

bool fidelity_is_compared(const struct fidelity_row *r) { return fidelity_ratio(r, QUANTITY_CYCLES) > 0; }

// -- groups -------------------------------------------------------------------------------------------------

struct pairs {
    VEC(double) ours, theirs;
};

static void add_pair(struct pairs *p, double ours, double theirs)
{
    if (!(ours > 0) || !(theirs > 0)) return;
    vec_push(&p->ours, ours);
    vec_push(&p->theirs, theirs);
}

static struct accuracy take_accuracy(struct pairs *p)
{
    struct accuracy a = accuracy_of(p->ours.data, p->theirs.data, p->ours.count);
    vec_fini(&p->ours);
    vec_fini(&p->theirs);
    return a;
}

struct traffic {
    double ours, theirs;
};

static void add_traffic(struct traffic *t, const struct fidelity_row *r, enum quantity reads,
                        enum quantity writes)
{
    double ours = r->ours[reads] + r->ours[writes],
           theirs = r->point->measured[reads] + r->point->measured[writes];
    if (isnan(ours) || isnan(theirs)) return;
    t->ours += ours;
    t->theirs += theirs;
}

static double off_by(const struct traffic *t) { return t->theirs > 0 ? t->ours / t->theirs - 1 : NAN; }

static bool is_of(const struct point *p, enum point_set set, const char *card, const char *class)
{
    return p->set == set && (!card || str_equal(p->card, card)) && (!class || str_equal(p->class, class));
}

static void add_group(struct fidelity *f, enum point_set set, const char *card, const char *class)
{
    struct fidelity_group g = {.set = set, .card = card, .class = class};
    struct pairs cycles = {0}, instructions = {0};
    struct traffic dram = {0}, l2 = {0};
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!is_of(r->point, set, card, class)) continue;
        g.points++;
        add_pair(&cycles, r->ours[QUANTITY_CYCLES], r->point->measured[QUANTITY_CYCLES]);
        add_pair(&instructions, r->ours[QUANTITY_INSTRUCTIONS], r->point->measured[QUANTITY_INSTRUCTIONS]);
        add_traffic(&dram, r, QUANTITY_DRAM_READS, QUANTITY_DRAM_WRITES);
        add_traffic(&l2, r, QUANTITY_L2_READS, QUANTITY_L2_WRITES);
    }
    g.cycles = take_accuracy(&cycles);
    g.instructions = take_accuracy(&instructions);
    g.dram = off_by(&dram);
    g.l2 = off_by(&l2);
    if (g.points) vec_push(&f->groups, g);
}

static void add_kind(struct fidelity *f, const char *card, const char *kind)
{
    struct fidelity_kind k = {.card = card, .kind = kind};
    struct pairs cycles = {0};
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!is_of(r->point, POINT_SECOND, card, NULL) || !r->kind || !str_equal(r->kind, kind) ||
            !fidelity_is_compared(r))
            continue;
        add_pair(&cycles, r->ours[QUANTITY_CYCLES], r->point->measured[QUANTITY_CYCLES]);
        k.alike += str_equal(r->point->class, kind);
    }
    k.cycles = take_accuracy(&cycles);
    if (k.cycles.count) vec_push(&f->kinds, k);
}

static void add_rival(struct fidelity *f, enum point_set set, const char *card, size_t model)
{
    struct fidelity_rival v = {.set = set, .card = card, .name = f->points->models.data[model]};
    struct pairs theirs = {0}, ours = {0};
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        double measured = r->point->measured[QUANTITY_CYCLES];
        if (!is_of(r->point, set, card, NULL) || !fidelity_is_compared(r)) continue;
        add_pair(&theirs, r->point->models[model], measured);
        if (r->point->models[model] > 0) add_pair(&ours, r->ours[QUANTITY_CYCLES], measured);
    }
    v.theirs = take_accuracy(&theirs);
    v.ours = take_accuracy(&ours);
    if (v.theirs.count) vec_push(&f->rivals, v);
}

struct words {
    VEC(const char *) list; // distinct words, in order of first occurrence
};

static void add_word(struct words *w, const char *word)
{
    for (size_t i = 0; i < w->list.count; i++)
        if (str_equal(w->list.data[i], word)) return;
    vec_push(&w->list, word);
}

// Adds the groups of sets tuning and second: for every card the classes and the whole card, then all cards
// together. Adds the other simulators by set and card, and the second set by kind.
static void add_groups(struct fidelity *f)
{
    struct words cards = {0}, classes = {0};
    for (size_t i = 0; i < f->rows.count; i++) {
        add_word(&cards, f->rows.data[i].point->card);
        add_word(&classes, f->rows.data[i].point->class);
    }
    static const enum point_set sets[] = {POINT_TUNING, POINT_SECOND};
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        enum point_set set = sets[s];
        for (size_t c = 0; c < cards.list.count; c++) {
            for (size_t k = 0; k < classes.list.count; k++)
                add_group(f, set, cards.list.data[c], classes.list.data[k]);
            add_group(f, set, cards.list.data[c], NULL);
            for (size_t m = 0; m < f->points->models.count; m++) add_rival(f, set, cards.list.data[c], m);
        }
        add_group(f, set, NULL, NULL);
    }
    for (size_t c = 0; c < cards.list.count; c++)
        for (size_t k = 0; measured_kind_at(k); k++) add_kind(f, cards.list.data[c], measured_kind_at(k));
    vec_fini(&cards.list);
    vec_fini(&classes.list);
}

bool fidelity_make(struct fidelity *f, const struct points *points, const size_t *runs,
                   const struct jobs *jobs, const struct pool *pool, struct database *db)
{
    bool good = true;
    *f = (struct fidelity){.points = points, .unlike = "", .changed = ""};
    arena_init(&f->arena);
    for (size_t i = 0; i < points->list.count && good; i++)
        good = read_row(f, &points->list.data[i], &jobs->list.data[runs[i]], pool, db);
    add_groups(f);
    fidelity_add_streams(f);
    elasticity_add(f);
    ranks_add(f);
    return good;
}

void fidelity_fini(struct fidelity *f)
{
    vec_fini(&f->rows);
    vec_fini(&f->groups);
    vec_fini(&f->kinds);
    vec_fini(&f->rivals);
    vec_fini(&f->streams);
    vec_fini(&f->elasticities);
    vec_fini(&f->rankings);
    arena_fini(&f->arena);
}

void fidelity_measured(const struct fidelity *f, struct strbuf *out)
{
    strbuf_puts(out, "// MEASURED(GPU, kind, launches, error): see report/measured.h. Written by `warpfold "
                     "reproduce silicon` "
                     "(measured.def\n// among its results) and copied here by `make fidelity`.\n");
    for (size_t i = 0; i < f->kinds.count; i++) {
        const struct fidelity_kind *k = &f->kinds.data[i];
        strbuf_printf(out, "MEASURED(\"%s\", \"%s\", %zu, %.3f)\n", k->card, k->kind, k->cycles.count,
                      k->cycles.error);
    }
}

// -- the database -------------------------------------------------------------------------------------------

static bool store_row(const struct fidelity *f, const struct fidelity_row *r, struct database *db)
{
    const struct point *p = r->point;
    const double *o = r->ours, *m = p->measured;
    return database_do(db,
                       "INSERT OR REPLACE INTO silicon VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                       "?, ?, ?, ?, ?, ?)",
                       "tttttttttdddddddddddd", p->name, r->job->gpu, r->job->settings, f->changed,
                       point_set_names[p->set], p->card, p->class, r->job->id, r->trouble, o[QUANTITY_CYCLES],
                       m[QUANTITY_CYCLES], o[QUANTITY_INSTRUCTIONS], m[QUANTITY_INSTRUCTIONS],
                       o[QUANTITY_DRAM_READS], m[QUANTITY_DRAM_READS], o[QUANTITY_DRAM_WRITES],
                       m[QUANTITY_DRAM_WRITES], o[QUANTITY_L2_READS], m[QUANTITY_L2_READS],
                       o[QUANTITY_L2_WRITES], m[QUANTITY_L2_WRITES]);
}

bool fidelity_store(const struct fidelity *f, struct database *db)
{
    if (!database_begin(db)) return false;
    bool good = true;
    for (size_t i = 0; i < f->rows.count && good; i++) good = store_row(f, &f->rows.data[i], db);
    good = good && database_commit(db);
    if (!good) database_rollback(db);
    return good;
}
