// A worker: claims points of a plan, longest expected first, runs each in a process of its own, and commits what it leaves.
//
// A process writes DIR/committed/ID.WHO.part, which gets a checksum (result.h) and is renamed to ID.json when it has ended: equal
// runs leave equal results, so whoever renames last does no harm. A run that was refused leaves ID.refused, one that failed
// ID.failed, with the message.
//
// What goes wrong with the place and not with the point (no room, a quota, a stale handle) is no failure: the worker hands the point
// back, waits, and tries again. A point that was lost three times (token.h) is given up. Whoever waits says for what.
//
// What is missing in the folder is put back where that does no harm: a point's token, once it has not been seen for a while
// (claims.h), and DIR/committed, whose results `--collect` finds to be lost. Otherwise the worker ends with an error.
#pragma once
#include "cluster/plan.h"

enum { WORKER_PROCESSES_MOST = 64 };

struct worker_order {
    int (*run)(
        int argc,
        char **
            argv); // warpfold itself, with its name before its words; it is called in a process of the point's own
    const char *build; // of it: a plan of another is refused
    const char *folder;
    unsigned processes; // runs at a time
    // Tells people a line while the worker works: what it found missing. NULL: nobody listens.
    void (*tell)(const char *line);
    double lease_seconds; // a worker whose beat stands still as long is gone
    struct diag *diag;
};

struct worker_report {
    uint64_t runs, failed, taken, lost; // as in beat.h
    int interrupted;                    // the signal that ended it; 0: nothing was left to do
};

// What --lease says; NULL: as long as usual. False and an error: it is no time.
bool worker_lease(const char *text, double *seconds, struct diag *d);
// Until every point of the plan is done or given up, or a signal. False and an error: it cannot work here.
bool worker_run(const struct worker_order *o, struct worker_report *r);
