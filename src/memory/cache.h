// Cache tags: set-associative, sectored, no data (values live in exec/). One structure for L1, L2, constant,
// texture and instruction caches; what a miss or a store does is the owner's business, by the policies below.
//
//      address:  | tag              | set        | line offset |
//      line:     tag, valid sectors, dirty sectors, pending sectors (requested, not yet filled)
//
// Allocating on a miss, the line's way is taken at once and not given up while it has pending sectors.
// Allocating on fill, a way is taken when data comes; who asked for it is known to the owner alone.
//
// A locked line keeps its way as well, until it has been unlocked as often as it was locked. One way of a set
// is never locked, so that a line can always come by waiting for what is pending.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { SECTOR_BYTES = 32 };

enum cache_write { CACHE_WRITE_BACK, CACHE_WRITE_THROUGH };
enum cache_replacement { CACHE_LRU, CACHE_FIFO, CACHE_RANDOM };
enum cache_index { CACHE_INDEX_BITS, CACHE_INDEX_HASH };

enum cache_result {
    CACHE_HIT,         // all wanted sectors are valid
    CACHE_PENDING,     // the rest of them has been requested already
    CACHE_SECTOR_MISS, // the line is there, some sectors are not
    CACHE_MISS,        // the line is not; allocating on a miss, a way was found for it
    CACHE_FULL         // every way of the set is pending or locked: try again later
};

struct cache_config {
    uint32_t sets, ways, line_bytes; // any number of sets; line_bytes a multiple of the sector
    enum cache_replacement replacement;
    bool on_fill;        // a way is taken when data comes
    uint32_t dirty_ways; // of a set at most; then the one used longest ago is cleaned. 0: any number
    enum cache_index index;
    // By hash: of each turn_bytes one piece_bytes belongs to this cache, so that its own lines are numbered without
    // gaps; turn_bytes 0: all of them do.
    uint64_t turn_bytes;
    uint32_t piece_bytes;
};

struct cache;

struct cache_victim { // what an allocation pushed out
    bool valid;
    uint64_t line;           // address
    uint8_t dirty;           // sectors to be written back
    uint64_t cleaned;        // address of a line that stays, and
    uint8_t cleaned_sectors; // which of its sectors are to be written back, too
};

struct cache *cache_create(const struct cache_config *c);
void cache_destroy(struct cache *c);
void cache_clear(struct cache *c);                                   // forgets everything, dirty or not
void cache_clear_range(struct cache *c, uint64_t from, uint64_t to); // lines from there to before `to`

// Looks for sectors of a line (address of its first byte) and touches the line, but for FULL. *missing says
// which are neither there nor pending; allocating on a miss, they become pending, MISS takes a way, and
// *victim says what it held.
enum cache_result cache_load(struct cache *c, uint64_t line, uint8_t sectors, uint8_t *missing,
                             struct cache_victim *victim);
// A store to sectors. allocate: makes the line and the written sectors valid without a fetch (write-validate)
// and, when `dirty`, marks them so; otherwise only a line that is there is changed, and those of its sectors
// that are there or pending become dirty. FULL when there is no way for it.
enum cache_result cache_store(struct cache *c, uint64_t line, uint8_t sectors, bool allocate, bool dirty,
                              struct cache_victim *victim);
// Sectors arrive. Allocating on fill, they may push out another line.
void cache_fill(struct cache *c, uint64_t line, uint8_t sectors, struct cache_victim *victim);
void cache_invalidate(struct cache *c, uint64_t line); // pending sectors stay pending, and locks remain
// False, and nothing has changed: the line has no way, it is locked too often to count, or all ways of its set
// but one hold other locked lines.
bool cache_lock(struct cache *c, uint64_t line);
bool cache_may_lock(const struct cache *c, uint64_t line); // as soon as it has a way, if nothing changes
void cache_unlock(struct cache *c, uint64_t line);         // it is locked
bool cache_touch(struct cache *c, uint64_t line, uint8_t sectors); // as a load, if all of them are there
bool cache_contains(const struct cache *c, uint64_t line, uint8_t sectors);
// A number of the owner's for a line that has a way, until another line takes it; 0: none was given.
void cache_mark(struct cache *c, uint64_t line, uint64_t mark);
uint64_t cache_mark_of(const struct cache *c, uint64_t line);
// Calls visit for every line with dirty sectors, in order of set and way, and makes it clean.
void cache_flush(struct cache *c, void (*visit)(void *context, uint64_t line, uint8_t dirty), void *context);
unsigned cache_pending_lines(const struct cache *c);
