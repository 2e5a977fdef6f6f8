// Who works at a plan: DIR/workers/WHO.beat, a record of fixed length that its worker writes over again and again.
//
// A claim is as good as its worker's beat. Whether that goes on is judged by whoever wants to know, who reads the record twice and
// takes the time between on a clock of its own: a beat that has not changed for a lease is of a worker that is gone. No two machines'
// clocks are compared, and no time of the file system is read.
#pragma once
#include "cluster/token.h"

struct beat {
    char who[TOKEN_WHO_MAX];
    uint64_t count; // of beats
    bool ended;     // it has handed back what it held
    double seconds; // since it started
    uint64_t
        runs; // that ended with a result, whoever else had one: what is more than there are points was run twice
    uint64_t failed; // tries
    uint64_t taken;  // claims of workers that were gone
    uint64_t lost;   // claims of its own that another took meanwhile
    int file;        // of one's own: the record; -1
};

// A name for this process that no other has, on any machine; then its record. False and *problem, an errno.
bool beat_begin(struct beat *b, const char *workers, int *problem);
// The next beat. What cannot be written now (the disk is full) the next one may write.
void beat_write(struct beat *b);
void beat_end(struct beat *b);
// Reads a record's words, without a worker's name. False: not a record.
bool beat_parse(struct beat *b, const char *record);
// What a worker's record says now; false: there is none that can be read.
bool beat_read(struct beat *b, const char *workers, const char *who);

// The name of a worker's record in `workers`.
void beat_file(const char *who, char name[TOKEN_WHO_MAX + 8]);

struct beats {
    VEC(struct beat) list; // by name
};
void beats_read(struct beats *b, const char *workers);
void beats_fini(struct beats *b);
