// Workers of a plan: DIR/workers/WHO.beat is a record of fixed length, rewritten by the worker at intervals.
//
// A claim is valid while the worker's beat advances. An observer reads a record repeatedly and measures the
// interval on its own clock. A beat unchanged for the time of a lease means a lost worker. Clocks of
// different machines are never compared. Claims do not depend on file times.
#pragma once
#include "cluster/token.h"

struct beat {
    char who[TOKEN_WHO_MAX];
    uint64_t count; // number of beats written
    bool ended;     // the worker has released all claims
    double seconds; // since the worker's start
    // The worker's runs of points that ended with a result or refusal, counted before the commit. Runs of all
    // workers beyond the number of done points count as duplicate runs.
    uint64_t runs;
    uint64_t failed; // failed runs
    uint64_t taken;  // claims taken over from lost or ended workers
    uint64_t lost;   // own claims taken over by another worker
    // descriptor of the open record's file if the worker is the calling process; -1: another worker, or
    // closed
    int file;
};

// Chooses a worker name for the process, unique across machines, and creates the worker's record. On failure
// false, and an errno in *problem.
bool beat_begin(struct beat *b, const char *workers, int *problem);
// Writes the next beat into the record. After a failed write (disk full), the next call writes again.
void beat_write(struct beat *b);
void beat_end(struct beat *b);
// Parses the text of a record. b->who stays empty: the record lacks the worker's name. False: not a record.
bool beat_parse(struct beat *b, const char *record);
// Reads a worker's record. False: no readable record; b then has the worker's name and whatever was parsed.
bool beat_read(struct beat *b, const char *workers, const char *who);

// File name of a worker's record in the folder DIR/workers.
void beat_file(const char *who, char name[TOKEN_WHO_MAX + 8]);

struct beats {
    VEC(struct beat) list; // by name
};
void beats_read(struct beats *b, const char *workers);
void beats_fini(struct beats *b);
