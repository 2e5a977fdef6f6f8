// Two profiles side by side, a source line at a time: an earlier profile's JSON beside the JSON of the present one.
//
// Lines with the same text of source are one row, so a row survives edits above the line; without text, lines with the
// same file and number. Slots are in percent of all slots of the earlier run, so the difference is what the line gained.
#pragma once
#include "base/json.h"
#include "base/json_read.h"
#include "base/str.h"
#include "base/vec.h"

enum { BESIDE_SIDES = 2 }; // 0: before, 1: now

struct beside_row {
    const char *source;             // "" without text
    const char *line[BESIDE_SIDES]; // "a.cu:12"; NULL: absent
    double slots[BESIDE_SIDES];     // of schedulers
    const char *reason[BESIDE_SIDES];
    double most[BESIDE_SIDES]; // slots of the line with the most of `reason`
};

struct beside {
    struct arena arena; // texts of rows are of the trees
    const char *file;   // of the earlier profile
    double cycles[BESIDE_SIDES], slots[BESIDE_SIDES];
    VEC(struct beside_row) rows; // by difference, the largest first
};

// Reads both profiles. False: a text is no JSON of a profile; *why says which and where, static or in the arena.
bool beside_init(struct beside *b, const char *file, const char *before, const char *now, const char **why);
void beside_fini(struct beside *b);
void beside_text(const struct beside *b, bool colour, struct strbuf *out);
void beside_json(const struct beside *b, struct json *j); // writes the value of "beside"
