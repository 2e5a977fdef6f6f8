// Places touched by a launch, for the race detector (race.h): the last write and the last reads of every
// place.
#pragma once
#include "base/hash.h"
#include "base/vec.h"
#include "exec/launch.h"

struct strbuf;

enum { RACE_PAGE_WORDS = 256, RACES_COUNTED_MAX = 1 << 20 };

struct race_record { // one access
    // Number of the executed memory instruction in the launch, in order of execution; 0: no access.
    uint32_t time;
    uint32_t block; // linear
    uint32_t inst;
    uint32_t stamp; // of the warp: barrier arrivals; of a copy: its group (race_copy.h)
    uint32_t sync;  // of the warp: warp-wide syncs
    uint16_t thread;
    bool strong;
    uint8_t is_copy; // by an asynchronous copy: 1 + enum race_track; 0: no copy
};

struct race_cell { // of a word or a byte
    struct race_record write, read[2];
    uint32_t value; // value of the last write, compared among lanes of one instruction
    // Latest time of a fence that was followed, in the same block, by a strong write to the cell.
    uint32_t published;
};

struct race_page { // a page of global memory, or all of a block's shared memory
    struct race_cell *cells;
    size_t words;
    uint64_t number; // address / 4 / RACE_PAGE_WORDS
    bool by_byte;    // four cells a word
};

struct race_book {       // of global memory
    struct u64map pages; // number -> index
    VEC(struct race_page) list;
    bool overflowed; // the launch touched more memory than the book holds
};

void race_book_destroy(struct race_book *b); // NULL: no effect
// Compares the book of launch l with the books of launch.rivals, launches already over without an order to l.
// A race: two accesses to one place, at least one a write, not both strong. Adds to *found.
void race_between(const struct launch *l, const struct race_book *book, struct launch_race *found);
// Appends "    write by thread (1,0,0) of block (0,0,0) at pc 0x0010 (STG …), k.cu:7".
void race_describe(const struct launch *l, const struct race_record *r, bool is_write, struct strbuf *out);
