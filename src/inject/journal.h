// What has become of injections: a line each, appended when it has ended, so that whatever kills us every one of them is
// whole in the file or has to be done. The first line says of what they are; results of other builds or settings are refused.
#pragma once
#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>

enum inject_outcome {
    INJECT_NONE, // not yet
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
    uint32_t number; // in its campaign
    uint8_t place;   // enum upset_place
    uint8_t outcome; // enum inject_outcome
    uint64_t seed;
    uint32_t launch; // of the workload, from 0
    uint64_t cycle;  // of the context's clock, in which the bit turned
    uint32_t sm, warp, index;
    uint64_t block;
    char what[INJECT_WORDS]; // has a bit that turned
    uint32_t what_number, lane, bit;
    uint64_t found; // cycle of the first check that spoke; 0: none did
};

struct journal {
    int file;                          // -1: in memory alone
    VEC(struct inject_result) results; // by number; outcome INJECT_NONE: not done
    uint32_t done;
    const char *path;
    struct diag *diag;
};

// `path` NULL: in memory alone. False and an error: it cannot be written, or has other results.
bool journal_open(struct journal *j, const char *path, const char *of_what, struct diag *d);
bool journal_has(const struct journal *j, uint32_t number);
bool journal_add(struct journal *j, const struct inject_result *r);
void journal_csv(const struct journal *j, uint32_t count, struct strbuf *out); // by number
void journal_close(struct journal *j);
