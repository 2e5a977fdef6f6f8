// A worker claims points of a plan, longest first, runs each point in a separate process, and commits the
// results.
//
// A process writes DIR/committed/ID.WHO.part. After the process ends, the file gets a checksum (result.h) and
// is renamed to ID.json. Equal runs leave equal results, so concurrent renames are harmless. A refused run
// leaves ID.refused, a failed run ID.failed, both with the message.
//
// Errors of the file system (no space, quota, stale handle) are no failures of the point: the worker releases
// the point, waits, and retries. Waiting is reported with its reason. A point lost three times (token.h) is
// given up.
//
// Missing files are restored where safe: a point's token, after several scans without the token (claims.c),
// and DIR/committed, whose lost results `--collect` detects. Other damage ends the worker with an error.
#pragma once
#include "cluster/plan.h"

enum { WORKER_PROCESSES_MOST = 64 };

struct worker_order {
    // Executes a command line of warpfold, argv[0] included; called in the separate process of a point.
    int (*run)(int argc, char **argv);
    const char *build; // build id of the running program; a plan of another build is refused
    const char *folder;
    unsigned processes; // points run at a time
    // Prints a line for the user during work, about waiting, missing files or broken results; NULL: no
    // output.
    void (*tell)(const char *line);
    double lease_seconds; // a worker whose beat stands still for the lease is lost
    struct diag *diag;
};

struct worker_report {
    uint64_t runs, failed, taken, lost; // the worker's runs, failed runs, claims taken over, claims lost
    int interrupted;                    // the signal that ended the worker; 0: no signal
};

// Parses the value of --lease in seconds; text NULL: the default, 120. False and an error: not a number from
// 1 to 1000000.
bool worker_lease(const char *text, double *seconds, struct diag *d);
// Works until all points are done or given up, or a signal arrives. False and an error: the worker cannot
// work in the folder.
bool worker_run(const struct worker_order *o, struct worker_report *r);
