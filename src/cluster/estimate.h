// Run times of points, estimated before the first run. A run of the same size in the folder's database gives
// the time. Otherwise the estimate divides a subject's warp instructions, counted in a functional run, by a
// simulation rate. The rate comes from runs in the database, else from a small run, else (after a failure or
// a time limit) from an average. The estimates order the points and give a total time within the returned
// factor. Settings and machines change the rate.
#pragma once
#include "lab/database.h"

struct estimate {
    const char *folder, *program;
    const struct jobs *jobs;
    struct database *db;
    bool progress;
    double most_seconds; // limit of processor seconds for all small runs together
    double factor;       // out: the total is expected within this factor of the sum of the estimates
};

// Seconds of one core per job, in the jobs' order, heap. 0: unknown.
double *estimate_seconds(struct estimate *e);
