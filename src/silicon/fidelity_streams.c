// DRAM transactions of launches moving far more than the L2 holds. The L2's content before and after such a
// launch is negligible, so simulated and measured transactions should be equal.
#include "silicon/fidelity.h"

#include <math.h>
#include <string.h>

bool fidelity_read_setting(struct database *db, const char *run, const char *key, double *value)
{
    sqlite3_stmt *s =
        database_query(db, "SELECT value FROM configs JOIN runs USING (config) WHERE runs.id = ? AND key = ?",
                       "tt", run, key);
    if (!s) return false;
    *value = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : NAN;
    sqlite3_finalize(s);
    return true;
}

bool fidelity_read_l2(struct database *db, const char *run, double *sectors)
{
    static const char *const keys[] = {"memory.partitions", "l2.slices", "l2.sets", "l2.ways",
                                       "memory.line_bytes"};
    enum { KEYS = sizeof keys / sizeof keys[0], SECTOR_BYTES = 32 };
    *sectors = 1.0 / SECTOR_BYTES;
    for (size_t i = 0; i < KEYS; i++) {
        double factor;
        if (!fidelity_read_setting(db, run, keys[i], &factor)) return false;
        *sectors *= factor;
    }
    return true;
}

double fidelity_l2s_moved(const struct fidelity_row *r)
{
    const double *m = r->point->measured;
    return fmax(m[QUANTITY_DRAM_READS], m[QUANTITY_DRAM_WRITES]) / r->l2_sectors;
}

double fidelity_dram_ratio(const struct fidelity_row *r)
{
    const double *m = r->point->measured, *o = r->ours;
    return (o[QUANTITY_DRAM_READS] + o[QUANTITY_DRAM_WRITES]) /
           (m[QUANTITY_DRAM_READS] + m[QUANTITY_DRAM_WRITES]);
}

bool fidelity_is_stream(const struct fidelity_row *r)
{
    return str_equal(r->point->class, "memory") && fidelity_l2s_moved(r) > FIDELITY_STREAM_L2S &&
           !isnan(fidelity_dram_ratio(r));
}

static struct fidelity_stream *stream_of(struct fidelity *f, const struct point *p)
{
    for (size_t i = 0; i < f->streams.count; i++) {
        struct fidelity_stream *s = &f->streams.data[i];
        if (s->set == p->set && str_equal(s->card, p->card)) return s;
    }
    vec_push(&f->streams, ((struct fidelity_stream){.set = p->set, .card = p->card}));
    return &f->streams.data[f->streams.count - 1];
}

void fidelity_add_streams(struct fidelity *f)
{
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!fidelity_is_stream(r)) continue;
        struct fidelity_stream *s = stream_of(f, r->point);
        double error = fidelity_dram_ratio(r) - 1;
        s->count++;
        s->within += fabs(error) <= FIDELITY_STREAM_PER_CENT / 100.0;
        s->error += fabs(error);
        s->bias += error;
    }
    for (size_t i = 0; i < f->streams.count; i++) {
        struct fidelity_stream *s = &f->streams.data[i];
        s->error /= (double)s->count;
        s->bias /= (double)s->count;
    }
}

// -- as text ------------------------------------------------------------------------------------------------

void fidelity_streams_sentences(const struct fidelity *f, struct strbuf *out)
{
    static const enum point_set order[] = {POINT_SECOND, POINT_TUNING};
    for (size_t o = 0; o < sizeof order / sizeof order[0]; o++)
        for (size_t i = 0; i < f->streams.count; i++) {
            const struct fidelity_stream *s = &f->streams.data[i];
            if (s->set != order[o]) continue;
            strbuf_printf(
                out,
                "%s, %s set: DRAM transactions of %zu of %zu launches of class memory that move over %d "
                "L2s are within %d %% of the card's (mean error %.1f %%, bias %+.1f %%).\n",
                s->card, point_set_names[s->set], s->within, s->count, FIDELITY_STREAM_L2S,
                FIDELITY_STREAM_PER_CENT, 100 * s->error, 100 * s->bias);
        }
}

static void add_cell(struct strbuf *out, double ours, double theirs)
{
    if (theirs > 0)
        strbuf_printf(out, " %+.1f %% |", 100 * (ours / theirs - 1));
    else
        strbuf_puts(out, " – |");
}

void fidelity_streams_markdown(const struct fidelity *f, struct strbuf *out)
{
    if (!f->streams.count) return;
    strbuf_printf(
        out,
        "\n## DRAM transactions of launches larger than the L2\n\nLaunches of class memory that on the "
        "card read or write over %d times as many sectors as the L2 of the card's file holds:\n"
        "what it had before, and what stays in it, matters little there. Ours over the card's, less "
        "1.\n\n",
        FIDELITY_STREAM_L2S);
    struct strbuf sentences = {0};
    fidelity_streams_sentences(f, &sentences);
    for (char *rest = sentences.text, *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line) strbuf_printf(out, "- %s\n", line);
    strbuf_fini(&sentences);
    strbuf_puts(out, "\n| point | set | L2s moved | read | written | both |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < f->rows.count; i++) {
        const struct fidelity_row *r = &f->rows.data[i];
        if (!fidelity_is_stream(r)) continue;
        strbuf_printf(out, "| %s | %s | %.1f |", r->point->name, point_set_names[r->point->set],
                      fidelity_l2s_moved(r));
        add_cell(out, r->ours[QUANTITY_DRAM_READS], r->point->measured[QUANTITY_DRAM_READS]);
        add_cell(out, r->ours[QUANTITY_DRAM_WRITES], r->point->measured[QUANTITY_DRAM_WRITES]);
        add_cell(out, fidelity_dram_ratio(r), 1);
        strbuf_putc(out, '\n');
    }
}
