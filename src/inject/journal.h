// Outcomes of injections as a text file: a line per finished injection, appended when the injection ends.
// After a kill, every injection is either complete in the file or absent. The first line identifies the
// campaign; a file of another build or with other settings is refused.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>

enum inject_outcome {
    INJECT_NONE, // not yet run
    INJECT_DETECTED,
    INJECT_MASKED,
    INJECT_SILENT,
    INJECT_CRASH,
    INJECT_HANG,
    INJECT_OUTCOMES
};
const char *inject_outcome_name(enum inject_outcome o);

enum { INJECT_WORDS = 32, INJECT_MOST = 10000000 };

struct inject_result {
    uint32_t number; // index in the campaign
    uint8_t place;   // enum upset_place
    uint8_t outcome; // enum inject_outcome
    uint64_t seed;
    uint32_t launch; // launch of the workload, from 0
    uint64_t cycle;  // of the flip, on the context's clock
    uint32_t sm, warp, index;
    uint64_t block;
    char what[INJECT_WORDS]; // name of the structure with the flipped bit
    uint32_t what_number, lane, bit;
    uint64_t found; // cycle of the first detection; 0: not detected
};

struct journal {
    int file;                          // -1: in memory only
    VEC(struct inject_result) results; // by injection number; outcome INJECT_NONE: not yet run
    uint32_t done;
    const char *path;
    struct diag *diag;
};

// Opens the journal file at `path`; NULL: in memory only. False and an error: the file cannot be read or
// written, has a malformed or repeated line, or belongs to another campaign.
bool journal_open(struct journal *j, const char *path, const char *of_what, struct diag *d);
bool journal_has(const struct journal *j, uint32_t number);
bool journal_add(struct journal *j, const struct inject_result *r);
void journal_csv(const struct journal *j, uint32_t count, struct strbuf *out); // in order of numbers
void journal_close(struct journal *j);
