// What mechanisms keep on a watched SM, as rows of text that change over time: an entry of a table is a row.
//
//     round of a launch   tell, tell, tell …   end: rows of the launch not told in the round become empty
//     changes             (time, row, text)    only of rows with another text than before
#pragma once
#include "base/hash.h"
#include "base/vec.h"

#include <stdint.h>

enum watch_owner { WATCH_OF_SM, WATCH_OF_BLOCK, WATCH_OF_WARP };

struct watch_table {
    const char *tech, *name; // static texts
};

struct watch_row {
    uint32_t launch, number; // number: of the row in the table of its owner
    uint32_t text;           // index in `texts`; 0: empty
    uint32_t round;          // the last in which the row was told
    uint8_t table;           // index in `tables`
    uint8_t owner, index;    // owner: enum watch_owner; index: block slot or warp slot
};

struct watch_change {
    uint64_t time;
    uint32_t row, text; // from `time` on
};

struct watch_rows {
    VEC(struct watch_table) tables;
    VEC(struct watch_row) rows;       // in order of the first telling
    VEC(struct watch_change) changes; // in order of time
    VEC(char *) texts;                // heap; texts[0] is ""
    struct strmap numbers;            // of texts
    struct u64map by_key;             // of rows
    uint32_t round;
};

void watch_rows_fini(struct watch_rows *r);
void watch_rows_begin(struct watch_rows *r); // a round, of one launch
// Tells a row; `is` names the row, with `launch`, `table`, `owner`, `index` and `number` set.
void watch_rows_tell(struct watch_rows *r, struct watch_row is, uint64_t time, const char *text);
void watch_rows_end(struct watch_rows *r, uint32_t launch, uint64_t time);
uint8_t watch_rows_table(struct watch_rows *r, const char *tech, const char *name); // index; added if new
