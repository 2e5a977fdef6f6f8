#include "lab/interval.h"

#include <math.h>
#include <string.h>

// Views with the names of tables, with the figure of the run in `bent` moved by `half`.
static const char
    *const views[] =
        {
            "CREATE TEMP TABLE bent (run TEXT, figure TEXT, half REAL)",
            "CREATE TEMP VIEW counters AS SELECT run, name, value + coalesce((SELECT half FROM bent WHERE "
            "bent.run = c.run "
            "AND bent.figure = c.name), 0) AS value FROM main.counters c",
#define BENT(column)                                                                                         \
    "r." column " + coalesce((SELECT half FROM bent WHERE bent.run = r.id AND figure = '" column             \
    "'), 0) AS " column
            "CREATE TEMP VIEW runs AS SELECT id, tech, config, settings, status, occupancy, " BENT("cycles") ", " BENT("elapsed_cycles") ", " BENT(
                "warp_instructions") ", " BENT("thread_instructions") ", " BENT("fetched") ", " BENT("skippe"
                                                                                                     "d") ","
                                                                                                          " " BENT("reused") ", " BENT(
                                                                                                              "energy_pj") " FROM main.runs r",
            "CREATE TEMP VIEW energy AS SELECT run, event, part, unit, pj_each, count * (1 + "
            "coalesce((SELECT half FROM bent "
            "WHERE bent.run = e.run AND figure = 'energy_pj') / (SELECT energy_pj FROM main.runs WHERE id = "
            "e.run), 0)) AS "
            "count FROM main.energy e",
#undef BENT
};
static const char *const ends[] = {"DROP VIEW temp.energy", "DROP VIEW temp.runs", "DROP VIEW temp.counters",
                                   "DROP TABLE temp.bent"};

static bool execute_all(struct database *db, const char *const *sql, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        sqlite3_stmt *s = database_query(db, sql[i], "");
        good &= s && sqlite3_step(s) == SQLITE_DONE;
        sqlite3_finalize(s);
    }
    return good;
}

static bool is_sampled(struct database *db, const char *run, const char *base)
{
    sqlite3_stmt *s =
        database_query(db, "SELECT 1 FROM intervals WHERE run IN (?, ?) LIMIT 1", "tt", run, base);
    bool any = s && sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return any;
}

// The measure's value with a figure moved; without a value of the SQL, the unmoved value.
static double moved(struct database *db, const struct measure *m, const char *run, const char *base,
                    double value)
{
    struct strbuf sql = {0};
    strbuf_printf(&sql, "SELECT %s FROM runs r, runs b WHERE r.id = ? AND b.id = ?", m->sql);
    sqlite3_stmt *s = database_query(db, sql.text, "tt", run, base);
    strbuf_fini(&sql);
    if (s && sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
        value = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return value;
}

static bool concerns(const struct measure *m, const char *figure)
{
    bool is_energy = str_equal(figure, "energy_pj") && strstr(m->sql, "FROM energy");
    return is_energy || strstr(m->sql, figure);
}

static bool add_moves(struct database *db, const struct measure *m, const char *run, const char *base,
                      double value, double *squares)
{
    sqlite3_stmt *s = database_query(db, "SELECT run, figure, half FROM main.intervals WHERE run IN (?, ?)",
                                     "tt", run, base);
    bool good = s != NULL;
    while (good && sqlite3_step(s) == SQLITE_ROW) {
        const char *of = (const char *)sqlite3_column_text(s, 0),
                   *figure = (const char *)sqlite3_column_text(s, 1);
        if (!concerns(m, figure)) continue;
        sqlite3_stmt *bend = database_query(db, "INSERT INTO bent VALUES (?, ?, ?)", "ttd", of, figure,
                                            sqlite3_column_double(s, 2));
        good = bend && sqlite3_step(bend) == SQLITE_DONE;
        sqlite3_finalize(bend);
        double change = good ? moved(db, m, run, base, value) - value : 0;
        *squares += change * change;
        good = good && execute_all(db, (const char *const[]){"DELETE FROM bent"}, 1);
    }
    sqlite3_finalize(s);
    return good;
}

bool interval_of(struct database *db, const struct measure *m, const char *run, const char *base,
                 double value, double *half)
{
    double squares = 0;
    *half = 0;
    if (!run || !base || !is_sampled(db, run, base)) return true;
    bool good = execute_all(db, views, sizeof views / sizeof views[0]);
    good = good && add_moves(db, m, run, base, value, &squares);
    good &= execute_all(db, ends, sizeof ends / sizeof ends[0]);
    *half = sqrt(squares);
    return good;
}
