// What the tests of `warpfold reproduce` share: an experiment that takes a second, and what a database holds.
#pragma once
#include "cli/cli.h"

#include <sqlite3.h>

extern const char lab_experiment[]; // 3 kernels, 2 views, 5 mechanisms, one of which does not exist
enum { LAB_RUNS = 30, LAB_REFUSED = 6 };

void lab_write(struct cli *c, const char *name, const char *experiment); // $D/name
// An experiment of these lines behind a head is refused, with these words on stderr.
struct lab_refused {
    const char *lines, *error;
};
void lab_check_refused(struct test *t, const char *head, const struct lab_refused *rows, size_t count);
// results.db of a folder in $D, to read.
sqlite3 *lab_open(struct test *t, const char *folder);
double lab_query(struct test *t, sqlite3 *db,
                 const char *sql); // the first column of the first row; NAN: none
// Everything in a folder's database but wall-clock columns. Heap.
char *lab_dump(struct test *t, const char *folder);
// lab_experiment is run in $D/clean; its lab_dump. Heap.
char *lab_clean(struct cli *c);
