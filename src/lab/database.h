// The results database (schema.sql): opening, checking, and storing results of runs.
#pragma once
#include "base/diag.h"
#include "base/json_read.h"
#include "lab/job.h"

#include <sqlite3.h>

enum { DATABASE_SCHEMA = 7 };

struct prepared { // cached statement: a run has hundreds of rows, and preparing costs more than inserting
    const char *sql;
    sqlite3_stmt *statement;
};

struct database {
    sqlite3 *handle;
    VEC(struct prepared) prepared;
    struct origins *origins; // bundled GPUs' configurations (settings.h); heap
    char *path;
    bool sound;        // checked: a results database of this build
    struct diag *diag; // destination of errors
};

// Opens the database, creating a missing file. False and an error: the file cannot be opened or created, or
// is not a sound results database of this schema, made by the same `build`. An existing file then stays
// unchanged.
bool database_open(struct database *db, const char *path, const char *build, struct diag *d);
void database_close(struct database *db);

// Executes a statement; false and an error on failure. `sql`: a literal, prepared once. `types`: of the
// values; t text, i int64_t, d double.
bool database_do(struct database *db, const char *sql, const char *types, ...);
// A statement to step through, with values as in database_do. NULL and an error on failure. End with
// sqlite3_finalize.
sqlite3_stmt *database_query(struct database *db, const char *sql, const char *types, ...);
bool database_begin(struct database *db);
bool database_commit(struct database *db);
void database_rollback(struct database *db);

bool database_has_run(struct database *db, const char *id);
// Stores the whole result of a run, or nothing on failure.
bool database_add_run(struct database *db, const struct job *job, const struct json_value *result);
// Stores a run as refused, with a message: for example, because this build lacks the mechanism.
bool database_add_refused(struct database *db, const struct job *job, const char *message);
