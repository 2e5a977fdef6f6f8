// Places touched by a launch, for the race detector (race.h): the last write and the last reads of every
// place.
//
// A book outlives its launch, and the next launch goes on in it: times go on too, so a record of an earlier launch or
// block is told by its time and cells are never cleared.
//
//     launch 1: times 1 … 70, launch 2: 71 …     page   since 70   [ write 12 (none) | write 75 | … ]
#pragma once
#include "base/hash.h"
#include "base/vec.h"
#include "exec/launch.h"

struct strbuf;

enum { RACE_PAGE_WORDS = 256, RACES_COUNTED_MAX = 1 << 20 };

struct race_record { // one access
    // Number of the executed memory instruction in the book, in order of execution; up to the page's `since`: no access.
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
    uint32_t since;  // times up to here are of earlier launches or, in shared memory, of earlier blocks
    size_t room;     // cells taken
};

struct race_slab { // memory from the host, zero at first
    struct race_cell *cells;
    size_t room, used; // cells
};

struct race_book {
    struct u64map pages;            // of global memory: number -> index
    VEC(struct race_page) list;     // of this launch and earlier ones; cells NULL: dropped
    VEC(struct race_page) spare;    // of shared memory, of blocks that are over
    uint32_t start, time;           // times at the launch's begin and end
    VEC(struct race_slab) slabs;    // memory of the cells of global memory, never freed before the book
    VEC(struct race_cell *) unused; // of a page each
    uint64_t touched, held;         // cells of global memory: touched by the launch, taken from slabs
    bool overflowed;                // the launch touched more memory than the book holds
};

// Begins a launch, in the book at *spare (taken) or, if NULL, in a new one.
struct race_book *race_book_take(struct race_book **spare);
// Ends a launch whose book is not kept: the book goes to *spare; spare NULL: freed.
void race_book_leave(struct race_book *b, struct race_book **spare);
void race_book_destroy(struct race_book *b); // NULL: no effect
// The page of global memory of a number; NULL: the book is full, and says so. Valid until the next call.
struct race_page *race_book_page(struct race_book *b, uint64_t number);
// Empty records of a block's shared memory at time `now`, and their return.
struct race_page race_book_shared(struct race_book *b, size_t words, uint32_t now);
void race_book_give_back(struct race_book *b, struct race_page shared);
// Divides a page into a cell per byte; every byte inherits the records of its word.
void race_page_divide(struct race_book *b, struct race_page *p, bool is_global);

static inline bool race_page_is_of(const struct race_page *p, const struct race_book *b)
{
    return p->cells && p->since == b->start;
}

// Compares the book of launch l with the books of launch.rivals, launches already over without an order to l.
// A race: two accesses to one place, at least one a write, not both strong. Adds to *found.
void race_between(const struct launch *l, const struct race_book *book, struct launch_race *found);
// Appends "    write by thread (1,0,0) of block (0,0,0) at pc 0x0010 (STG …), k.cu:7".
void race_describe(const struct launch *l, const struct race_record *r, bool is_write, struct strbuf *out);
