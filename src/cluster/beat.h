// Workers of a plan: DIR/workers/WHO.beat is a record of fixed length, rewritten by the worker at intervals.
//
// A claim is valid while the worker's beat advances. An observer reads a record repeatedly and measures the
// interval on its own clock. A beat unchanged for a lease means a lost worker. Clocks of different machines
// are never compared, and file times are not used.
#pragma once
#include "cluster/token.h"

struct beat {
    char who[TOKEN_WHO_MAX];
    uint64_t count; // number of beats written
    bool ended;     // the worker has released all claims
    double seconds; // since the worker's start
    // Runs of points that ended with a result. Over all workers, runs beyond the number of points were
    // duplicates.
    uint64_t runs;
    uint64_t failed; // failed runs
    uint64_t taken;  // claims taken over from lost workers
    uint64_t lost;   // own claims taken over by another worker
    int file;        // descriptor of the own record; -1: of another worker
};

// Chooses a name for the process, unique across machines, and creates the record. False and *problem, an
// errno.
bool beat_begin(struct beat *b, const char *workers, int *problem);
// Writes the next beat. A failed write (disk full) is left to the next beat.
void beat_write(struct beat *b);
void beat_end(struct beat *b);
// Parses a record, without the worker's name. False: not a record.
bool beat_parse(struct beat *b, const char *record);
// Reads a worker's record. False: no readable record.
bool beat_read(struct beat *b, const char *workers, const char *who);

// File name of a worker's record in `workers`.
void beat_file(const char *who, char name[TOKEN_WHO_MAX + 8]);

struct beats {
    VEC(struct beat) list; // by name
};
void beats_read(struct beats *b, const char *workers);
void beats_fini(struct beats *b);
