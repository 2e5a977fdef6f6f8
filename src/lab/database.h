// The results database (schema.sql): opened, checked, and given what runs left.
#pragma once
#include "base/diag.h"
#include "base/json_read.h"
#include "lab/job.h"

#include <sqlite3.h>

enum { DATABASE_SCHEMA = 3 };

struct prepared { // a run has hundreds of rows, and to prepare a statement costs more than to insert one
    const char *sql;
    sqlite3_stmt *statement;
};

struct database {
    sqlite3 *handle;
    VEC(struct prepared) prepared;
    struct origins *origins; // of configurations (settings.h)
    char *path;
    bool sound;        // it is ours to write
    struct diag *diag; // where errors go
};

// Makes the file when there is none. False and an error, and the file as it was, when it is no results
// database, is broken, is of a newer schema, or was made by another build.
bool database_open(struct database *db, const char *path, const char *build, struct diag *d);
void database_close(struct database *db);

// True when it has succeeded; otherwise there is an error. `sql`: a literal, which is prepared once. `types`: t text, i int64_t, d
// double, of the values.
bool database_do(struct database *db, const char *sql, const char *types, ...);
// A statement to step through with the same values; NULL and an error on failure. sqlite3_finalize it.
sqlite3_stmt *database_query(struct database *db, const char *sql, const char *types, ...);
bool database_begin(struct database *db);
bool database_commit(struct database *db);
void database_rollback(struct database *db);

bool database_has_run(struct database *db, const char *id);
// What a run left, all of it or nothing.
bool database_add_run(struct database *db, const struct job *job, const struct json_value *result);
// A run that was refused: this build has no such mechanism, say.
bool database_add_refused(struct database *db, const struct job *job, const char *message);
