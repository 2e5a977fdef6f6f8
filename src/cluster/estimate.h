// What points will take, before any has run: the warp instructions of a kernel, counted by running it without time, over the rate at
// which its GPU's view simulates, which earlier runs in the folder have shown or one small run shows now. Good for an order, and for
// a time to within a factor of two or three: mechanisms and settings change the rate, and machines differ.
#pragma once
#include "lab/database.h"

struct estimate {
    const char *folder, *program;
    const struct jobs *jobs;
    struct database *db;
    bool progress;
};

// Seconds of a core for each job, in their order, heap; 0: nothing is known of it (studies, programs, marks that have not run here).
double *estimate_seconds(const struct estimate *e);
