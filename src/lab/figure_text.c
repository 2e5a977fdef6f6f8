// A figure's points as tables for a terminal, and as CSV.
#include "lab/figure.h"
#include "lab/measures.h"
#include "report/table.h"

#include <math.h>
#include <string.h>

static bool is_share(const struct experiment *x)
{
    const struct measure *m = x->measure ? measure_find(x->measure) : NULL;
    return (x->kind == EXPERIMENT_STUDY && !x->rows) || (m && strstr(m->axis, "share"));
}

static void add_number(struct table *t, const struct experiment *x, double value, const char *series)
{
    if (isnan(value))
        table_add(t, "-");
    else if (str_starts_with(series, "share") || is_share(x))
        table_add(t, "%.1f%%", 100 * value);
    else if (x->kind != EXPERIMENT_RUNS && value == floor(value) && fabs(value) < 1e15)
        table_add(t, "%.0f", value);
    else
        table_add(t, "%.3f", value);
}

// The points of a view by category; under a category with values of the paper, a row of those.
static bool add_rows(struct table *t, const struct figure *f, struct database *db,
                     const struct experiment_view *v, char *const *heads)
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT category_order, category, series, value, text, paper, count(paper) OVER "
                       "(PARTITION BY category_order) FROM points WHERE experiment = ? AND size = ? AND "
                       "gpu = ? AND profile = ? ORDER BY category_order, series_order",
                       "tttt", f->experiment->name, f->size, v->gpu, v->profile);
    if (!s) return false;
    int64_t row = -1;
    double papers[64];
    size_t filled = 0;
    bool has_paper = false;
    for (;;) {
        bool more = sqlite3_step(s) == SQLITE_ROW;
        if (!more || sqlite3_column_int64(s, 0) != row) {
            for (; row >= 0 && filled + 1 < t->columns; filled++) table_add(t, "-");
            if (has_paper) {
                table_add(t, "  paper");
                for (size_t n = 0; n + 1 < t->columns; n++)
                    add_number(t, f->experiment, n < filled ? papers[n] : NAN, heads[n + 1]);
            }
            if (!more) break;
            row = sqlite3_column_int64(s, 0);
            filled = 0;
            has_paper = sqlite3_column_int64(s, 6) != 0;
            table_add(t, "%s", (const char *)sqlite3_column_text(s, 1));
        }
        double value = sqlite3_column_type(s, 3) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 3);
        if (filled < 64)
            papers[filled] = sqlite3_column_type(s, 5) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 5);
        const char *text = (const char *)sqlite3_column_text(s, 4);
        if (++filled >= t->columns) continue;
        if (text)
            table_add(t, "%s", text);
        else
            add_number(t, f->experiment, value, (const char *)sqlite3_column_text(s, 2));
    }
    sqlite3_finalize(s);
    return true;
}

// The labels of the series, as the points have them. Heap.
static size_t heads_of(const struct figure *f, struct database *db, const struct experiment_view *v,
                       char *heads[64])
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT DISTINCT series_order, series FROM points WHERE experiment = ? AND size "
                       "= ? AND gpu = ? AND profile = ? ORDER BY series_order",
                       "tttt", f->experiment->name, f->size, v->gpu, v->profile);
    size_t count = 0;
    heads[count++] = heap_strdup("");
    while (s && count < 64 && sqlite3_step(s) == SQLITE_ROW)
        heads[count++] = heap_strdup((const char *)sqlite3_column_text(s, 1));
    sqlite3_finalize(s);
    return count;
}

// Why points are missing: what was refused, or did not give the reference's values.
static void add_refusals(const struct figure *f, struct database *db, struct strbuf *out)
{
    sqlite3_stmt *s = database_query(
        db,
        "SELECT DISTINCT coalesce(r.tech, r.kind), r.status, coalesce(r.message, r.subject) FROM points p "
        "JOIN runs r ON r.id = p.run WHERE p.experiment = ? AND p.size = ? AND r.status "
        "<> 'ok' ORDER BY 1, 2, 3",
        "tt", f->experiment->name, f->size);
    while (s && sqlite3_step(s) == SQLITE_ROW)
        strbuf_printf(out, "not measured: %s (%s: %s)\n", (const char *)sqlite3_column_text(s, 0),
                      (const char *)sqlite3_column_text(s, 1), (const char *)sqlite3_column_text(s, 2));
    sqlite3_finalize(s);
}

bool figure_table(const struct figure *f, struct database *db, bool colour, struct strbuf *out)
{
    const struct experiment *x = f->experiment;
    const struct measure *m = x->measure ? measure_find(x->measure) : NULL;
    strbuf_printf(out, "%s%s%s%s%s%s\n", x->source, *x->source ? ": " : "", x->title, m ? " (" : "",
                  m ? m->axis : "", m ? ")" : "");
    for (size_t i = 0; i < x->views.count; i++) {
        const struct experiment_view *v = &x->views.data[i];
        char *heads[64];
        size_t count = heads_of(f, db, v, heads);
        if (x->views.count > 1 || x->kind == EXPERIMENT_RUNS)
            strbuf_printf(out, "on %s, profile %s, %s inputs\n", v->gpu, v->profile, f->size);
        struct table t;
        table_init(&t, (const char *const *)heads, count);
        bool good = add_rows(&t, f, db, v, heads);
        table_print(&t, colour, out);
        table_fini(&t);
        for (size_t n = 0; n < count; n++) free(heads[n]);
        if (!good) return false;
    }
    add_refusals(f, db, out);
    for (size_t i = 0; i < x->notes.count; i++) strbuf_printf(out, "note: %s\n", x->notes.data[i]);
    return true;
}

static void add_csv_text(struct strbuf *out, const char *text)
{
    if (!text) return;
    if (!strpbrk(text, ",\"\n")) {
        strbuf_puts(out, text);
        return;
    }
    strbuf_putc(out, '"');
    for (; *text; text++) strbuf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    strbuf_putc(out, '"');
}

bool figure_csv(const struct figure *f, struct database *db, struct strbuf *out)
{
    sqlite3_stmt *s =
        database_query(db,
                       "SELECT gpu, profile, category, series, coalesce(text, value), paper, run, base "
                       "FROM points WHERE experiment = ? AND size = ? ORDER BY gpu, profile, "
                       "category_order, series_order",
                       "tt", f->experiment->name, f->size);
    if (!s) return false;
    strbuf_puts(out, "gpu,profile,category,series,value,paper,run,base\n");
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int n = 0; n < 8; n++) {
            add_csv_text(out, (const char *)sqlite3_column_text(s, n));
            strbuf_putc(out, n < 7 ? ',' : '\n');
        }
    sqlite3_finalize(s);
    return true;
}

static void add_markdown(struct strbuf *out, const struct experiment *x, sqlite3_stmt *s, int column,
                         const char *series)
{
    double value = sqlite3_column_double(s, column);
    if (sqlite3_column_type(s, column) == SQLITE_NULL)
        strbuf_puts(out, " not measured |");
    else if (str_starts_with(series, "share") || is_share(x))
        strbuf_printf(out, " %.1f %% |", 100 * value);
    else if (value == floor(value) && x->kind != EXPERIMENT_RUNS)
        strbuf_printf(out, " %.0f |", value);
    else
        strbuf_printf(out, x->kind == EXPERIMENT_RUNS ? " %.2f |" : " %.3g |", value);
}

// The means of an experiment's series, whether or not the paper's text gives them.
static bool add_means(const struct figure *f, struct database *db, struct strbuf *out)
{
    const struct experiment *x = f->experiment;
    sqlite3_stmt *s = database_query(
        db,
        "SELECT gpu, profile, series, max(CASE WHEN category LIKE '%MEAN-1D' THEN value END), max(CASE WHEN "
        "category LIKE '%MEAN-2D' THEN value END), max(CASE WHEN category LIKE '%MEAN' THEN value END) FROM "
        "points WHERE experiment = ? AND size = ? AND category LIKE '%MEAN%' GROUP BY gpu, profile, "
        "series_order ORDER BY gpu, profile, series_order",
        "tt", x->name, f->size);
    if (!s) return false;
    while (sqlite3_step(s) == SQLITE_ROW) {
        const char *series = (const char *)sqlite3_column_text(s, 2);
        strbuf_printf(out, "| %s | %s | %s, %s, %s | %s |", x->name, measure_find(x->measure)->axis,
                      (const char *)sqlite3_column_text(s, 0), (const char *)sqlite3_column_text(s, 1),
                      f->size, series);
        for (int n = 3; n < 6; n++)
            if (sqlite3_column_type(s, n) == SQLITE_NULL)
                strbuf_puts(out, " |");
            else
                add_markdown(out, x, s, n, series);
        strbuf_putc(out, '\n');
    }
    sqlite3_finalize(s);
    return true;
}

bool figure_papers(const struct figure *figures, size_t count, struct database *db, struct strbuf *out)
{
    strbuf_puts(
        out,
        "# Measured beside the paper\n\nMade by `warpfold reproduce` (docs/experiments.md); every value that "
        "the "
        "paper's text gives, and what the same experiment\nmeasures here. Deviations are explained where the "
        "mechanism is (docs/techniques/), those of energy in docs/energy.md.\n\n| where | what | kernel or "
        "row | "
        "GPU, profile, inputs | measured | paper |\n"
        "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const struct experiment *x = figures[i].experiment;
        sqlite3_stmt *s = database_query(
            db,
            "SELECT series, category, gpu, profile, value, paper FROM points WHERE experiment = "
            "? AND size = ? AND paper IS NOT NULL ORDER BY category_order, series_order, gpu, "
            "profile",
            "tt", x->name, figures[i].size);
        if (!s) return false;
        while (sqlite3_step(s) == SQLITE_ROW) {
            const char *series = (const char *)sqlite3_column_text(s, 0);
            strbuf_printf(out, "| %s | %s: %s | %s | %s, %s, %s |", x->source, x->title, series,
                          (const char *)sqlite3_column_text(s, 1), (const char *)sqlite3_column_text(s, 2),
                          (const char *)sqlite3_column_text(s, 3), figures[i].size);
            add_markdown(out, x, s, 4, series);
            add_markdown(out, x, s, 5, series);
            strbuf_putc(out, '\n');
        }
        sqlite3_finalize(s);
    }
    strbuf_puts(out, "\n## All means\n\nOver the kernels whose blocks have one dimension, over those whose "
                     "blocks have two, "
                     "and over all: geometric means of ratios;\nof shares as docs/experiments.md says.\n\n"
                     "| experiment | what | GPU, profile, inputs | bar | 1D | 2D | all |\n"
                     "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        if (figures[i].experiment->kind == EXPERIMENT_RUNS && !add_means(&figures[i], db, out)) return false;
    return true;
}
