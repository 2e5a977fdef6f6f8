// Places touched by a launch, for the race detector (race.h): the last write and the last reads of every
// place.
//
// A record is an executed instruction of a warp. A cell has three accesses, each a number of a record and a lane in a word:
//
//     records   … 71: warp 2, STS, t 9 | 72: warp 0, LDS, t 10 …     cell   write 71.4 | reads 72.0 12.9 | value
//
// A book outlives its launch, and the next launch goes on in it: numbers go on too, so an access of an earlier launch or
// block is told by its number (`since` of the page) and cells are not cleared. When the records are many, records without
// a cell are dropped and the rest is numbered from 1.
#pragma once
#include "base/hash.h"
#include "base/vec.h"
#include "exec/access.h"
#include "exec/launch.h"

struct strbuf;

enum { RACE_PAGE_WORDS = 256, RACES_COUNTED_MAX = 1 << 20 };

struct race_record { // one access, or the accesses of a warp's lanes by one instruction
    uint32_t time;   // number of the executed memory instruction in the launch, from 1
    uint32_t block;  // linear
    uint32_t inst;
    uint32_t stamp;  // of the warp: barrier arrivals; of a copy: its group (race_copy.h)
    uint32_t sync;   // of the warp: warp-wide syncs
    uint16_t thread; // in a book: of lane 0
    bool strong;
    uint8_t is_copy; // by an asynchronous copy: 1 + enum race_track; 0: no copy
};

// Cells of a page, by word or by byte. An access: number of its record * WARP_SIZE_MAX + lane; up to the page's `since`:
// none. Loops over neighbouring cells are loops over these arrays.
struct race_cells {
    uint32_t *write, *read[2]; // accesses; read[0]: the later
    uint32_t *value;           // of the last write, compared among lanes of one instruction
};

enum { RACE_CELL_WORDS = 4 };

struct race_page { // a page of global memory, or all of a block's shared memory
    struct race_cells cells;
    uint32_t *memory; // of the cells: the arrays of accesses, and from 3 * room on values. NULL: none
    size_t words;
    uint64_t number; // address / 4 / RACE_PAGE_WORDS
    size_t room;     // cells taken
    uint32_t
        *published; // by cell: latest time of a fence followed, in its block, by a strong write. NULL: all 0
    uint32_t since;
    bool by_byte; // four cells a word
};

struct race_slab { // memory from the host, zero at first
    uint32_t *memory;
    size_t room, used; // cells
};

struct race_book {
    VEC(struct race_record) records; // of the launch
    VEC(uint32_t) numbers;           // of a renumbering: by record, the new number
    uint32_t first;                  // number of records.data[0], at least 1
    size_t records_most;             // records before the next renumbering
    uint32_t start;                  // `since` of the launch's pages
    struct u64map pages;             // of global memory: number -> index
    VEC(struct race_page *) list;    // of this launch and earlier ones; without memory: dropped
    VEC(struct race_page *) shared;  // of shared memory: all
    VEC(struct race_page *) spare;   // of shared memory: of blocks that are over
    VEC(struct race_slab) slabs;     // memory of the cells of global memory, never freed before the book
    VEC(uint32_t *) unused;          // memory of a page's cells each
    uint64_t touched, held;          // cells of global memory: touched by the launch, taken from slabs
    uint64_t shared_held;            // cells of shared memory
    bool overflowed;                 // the launch touched more memory than the book holds
};

// Begins a launch, in the book at *spare (taken) or, if NULL, in a new one.
struct race_book *race_book_take(struct race_book **spare);
// Ends a launch whose book is not kept: the book goes to *spare; spare NULL: freed.
void race_book_leave(struct race_book *b, struct race_book **spare);
void race_book_destroy(struct race_book *b); // NULL: no effect
// The page of global memory of a number; NULL: the book is full, and says so. Valid until the next call.
struct race_page *race_book_page(struct race_book *b, uint64_t number);
// Empty records of a block's shared memory, and their return.
struct race_page *race_book_shared(struct race_book *b, size_t words);
void race_book_give_back(struct race_book *b, struct race_page *shared);
// All accesses so far are ordered before all later accesses: forgets them.
void race_book_settle(const struct race_book *b, struct race_page *shared);
// Divides a page into a cell per byte; every byte inherits the accesses of its word.
void race_page_divide(struct race_book *b, struct race_page *p, bool is_global);

// Adds a record. Returns the access of its lane 0. Numbers of earlier accesses may change, outside of cells and pages too.
uint32_t race_book_add(struct race_book *b, const struct race_record *r);

// Record of an access, of all lanes.
static inline const struct race_record *race_book_record(const struct race_book *b, uint32_t access)
{
    return &b->records.data[access / WARP_SIZE_MAX - b->first];
}

// Record of an access alone.
static inline struct race_record race_book_access(const struct race_book *b, uint32_t access)
{
    struct race_record r = *race_book_record(b, access);
    r.thread = (uint16_t)(r.thread + access % WARP_SIZE_MAX);
    return r;
}

static inline size_t race_page_cells(const struct race_page *p)
{
    return p->by_byte ? 4 * p->words : p->words;
}
// The index of a byte's cell.
static inline size_t race_page_index(const struct race_page *p, size_t byte)
{
    return p->by_byte ? byte : byte / 4;
}
static inline uint32_t race_page_published(const struct race_page *p, size_t cell)
{
    return p->published ? p->published[cell] : 0;
}
void race_page_publish(struct race_page *p, size_t cell, uint32_t time);

static inline bool race_page_is_of(const struct race_page *p, const struct race_book *b)
{
    return p->memory && p->since == b->start;
}

// Compares the book of launch l with the books of launch.rivals, launches already over without an order to l.
// A race: two accesses to one place, at least one a write, not both strong. Adds to *found.
void race_between(const struct launch *l, const struct race_book *book, struct launch_race *found);
// Appends "    write by thread (1,0,0) of block (0,0,0) at pc 0x0010 (STG …), k.cu:7".
void race_describe(const struct launch *l, const struct race_record *r, bool is_write, struct strbuf *out);
