// Runs jobs in processes of their own, several at a time, and puts what they leave into the database.
//
// A process writes its JSON beside its place and renames it, and the database takes it in one transaction;
// only then is the JSON removed. So whatever kills us, every run is in the database, or whole on disk, or has
// to be done; processes die with their parent.
#pragma once
#include "lab/database.h"

struct pool_failure { // a point's run that left no result; the next time it is tried again
    const struct job *job;
    char *why;
};

struct pool {
    const char *program; // warpfold itself
    const char *folder;  // of the results; processes run in it
    unsigned workers;
    bool progress;
    struct diag *diag;
    int interrupted;               // the signal that ended it; 0: none did
    size_t done, reused, left_out; // runs of this time; of earlier ones; that were not asked for
    VEC(struct pool_failure) failures;
};

// All jobs that the database does not have. False when it was interrupted or could not go on; what is done by
// then is kept.
bool pool_run(struct pool *p, struct database *db, const struct jobs *jobs);
void pool_fini(struct pool *p);
