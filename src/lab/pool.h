// Runs jobs in several processes at a time and stores the results in the database.
//
// A process writes its JSON under a temporary name and renames it. The database takes the JSON in one
// transaction, and only afterwards is the file removed. After any crash, a run is in the database, or
// complete on disk, or still to be done. Processes die with their parent.
#pragma once
#include "lab/database.h"

struct pool_failure { // a job of kind "run" (jobs_script) without a result, retried by the next pool_run
    const struct job *job;
    char *why;
};

struct pool {
    const char *program; // path of warpfold
    const char *folder;  // of the results; working directory of the processes
    unsigned workers;
    bool progress;
    struct diag *diag;
    // Called between runs, seldom enough to take a twentieth of the time, with runs stored since the last call; NULL:
    // no calls. False: an error, which ends the pool.
    bool (*grown)(void *context);
    void *grown_context;
    int interrupted; // the signal that interrupted the pool; 0: not interrupted
    // done: finished or failed runs. reused: runs found in the database, or as JSON left by an earlier pool.
    // left_out: unstored jobs with job.left_out
    size_t done, reused, left_out;
    VEC(struct pool_failure) failures;
};

// Runs all jobs missing in the database, except jobs with left_out. False: interrupted or unable to continue;
// finished runs are kept.
bool pool_run(struct pool *p, struct database *db, const struct jobs *jobs);
void pool_fini(struct pool *p);
