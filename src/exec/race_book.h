// What a launch has touched, for the race detector (race.h): of every place the last write and reads.
#pragma once
#include "base/hash.h"
#include "base/vec.h"
#include "exec/launch.h"

enum { RACE_PAGE_WORDS = 256, RACES_COUNTED_MAX = 1 << 20 };

struct race_record { // of an access
    uint32_t time;   // of the launch: memory instructions so far; 0: none
    uint32_t block;  // linear
    uint32_t inst;
    uint32_t stamp; // of the warp: barrier arrivals
    uint32_t sync;  // of the warp: warp-wide syncs
    uint16_t thread;
    bool strong;
};

struct race_cell { // of a word, or of a byte
    struct race_record write, read[2];
    uint32_t value;     // what the last write left, for lanes of one instruction
    uint32_t published; // time up to which the last strong write's block had fenced
};

struct race_page { // of global memory, or all of a block's shared memory
    struct race_cell *cells;
    size_t words;
    uint64_t number; // address / 4 / RACE_PAGE_WORDS
    bool by_byte;    // four cells a word
};

struct race_book {       // of global memory
    struct u64map pages; // number -> index
    VEC(struct race_page) list;
    bool overflowed; // there was more than it holds
};

void race_book_destroy(struct race_book *b); // NULL: nothing
// Of launches that nothing orders against this one and that ran before it (launch.rivals): accesses to one place, at
// least one of which writes, not both strong. Adds to what was found.
void race_between(const struct launch *l, const struct race_book *book, struct launch_race *found);
// "    write by thread (1,0,0) of block (0,0,0) at pc 0x0010 (STG …), k.cu:7"
void race_describe(const struct launch *l, const struct race_record *r, bool is_write, struct strbuf *out);
