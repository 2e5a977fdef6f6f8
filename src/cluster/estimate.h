// What points will take, before any has run: the warp instructions of a subject, counted by running it without time, over the rate at
// which its view and its mechanism simulate it. The rate is that of runs in the folder's database where it has some; else a small run
// shows it; and where measuring takes too long, the others' average does. Good for an order, and for a time to within the factor that
// is returned: settings change the rate, and machines differ.
#pragma once
#include "lab/database.h"

struct estimate {
    const char *folder, *program;
    const struct jobs *jobs;
    struct database *db;
    bool progress;
    double factor; // out: all of it will take from 1/factor to factor times the sum
};

// Seconds of a core for each job, in their order, heap; 0: nothing is known of it.
double *estimate_seconds(struct estimate *e);
