// Shared by the tests of `warpfold reproduce`: an experiment of one second, and access to its database.
#pragma once
#include "cli/cli.h"

#include <sqlite3.h>

extern const char lab_experiment[]; // 3 kernels, 2 views, 5 mechanisms, including an unknown mechanism
enum { LAB_RUNS = 30, LAB_REFUSED = 6 };

void lab_write(struct cli *c, const char *name, const char *experiment); // $D/name
// Lines behind a common head, refused with `error` on stderr.
struct lab_refused {
    const char *lines, *error;
};
void lab_check_refused(struct test *t, const char *head, const struct lab_refused *rows, size_t count);
// Opens results.db of a folder in $D for reading.
sqlite3 *lab_open(struct test *t, const char *folder);
double lab_query(struct test *t, sqlite3 *db,
                 const char *sql); // the first column of the first row; NAN: no row
// All contents of a folder's database except wall-clock columns. Heap.
char *lab_dump(struct test *t, const char *folder);
// Runs lab_experiment in $D/clean and returns its lab_dump. Heap.
char *lab_clean(struct cli *c);
