// Cache tags: set-associative, sectored, without data (values live in exec/). One structure serves L1, L2,
// constant, texture and instruction caches; the owner decides, by the policies below, how to handle misses
// and stores.
//
//      address:  | tag              | set        | line offset |
//      line:     tag, valid sectors, dirty sectors, pending sectors (requested, not yet filled)
//
// Allocate on miss: the way is taken at once and stays taken while the line has pending sectors. Allocate
// on fill: the way is taken when data arrives; only the owner knows the requesters.
//
// A locked line keeps its way until unlocked as often as it was locked. At least one way of a set is never
// locked, so a new line can always enter once the pending sectors have arrived.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { SECTOR_BYTES = 32 };

enum cache_write { CACHE_WRITE_BACK, CACHE_WRITE_THROUGH };
enum cache_replacement { CACHE_LRU, CACHE_FIFO, CACHE_RANDOM };
enum cache_index { CACHE_INDEX_BITS, CACHE_INDEX_HASH };

enum cache_result {
    CACHE_HIT,         // all wanted sectors are valid
    CACHE_PENDING,     // every wanted sector is valid or already requested, and some are not yet filled
    CACHE_SECTOR_MISS, // the line has a way; some wanted sectors are not valid, and for a load not pending
    CACHE_MISS,        // the line had no way; allocated now by a load without on_fill, or an allocating store
    CACHE_FULL         // every way of the set is pending or locked: try again later
};

struct cache_config {
    uint32_t sets, ways, line_bytes; // any number of sets; line_bytes a multiple of the sector
    enum cache_replacement replacement;
    bool on_fill;        // allocate on fill instead of on miss
    uint32_t dirty_ways; // most dirty ways of a set before the oldest dirty line is cleaned; 0: no limit
    enum cache_index index;
    // CACHE_INDEX_HASH: out of every turn_bytes of address space, piece_bytes belong to this cache. The hash
    // numbers only lines of the cache, without gaps. turn_bytes 0: the cache holds the whole address space.
    uint64_t turn_bytes;
    uint32_t piece_bytes;
};

struct cache;

struct cache_victim { // line evicted by an allocation
    bool valid;
    uint64_t line; // address
    uint8_t dirty; // sectors to be written back
    // A line cleaned by the dirty-way limit, written back but not evicted: its address and the sectors to
    // write.
    uint64_t cleaned;
    uint8_t cleaned_sectors;
};

struct cache *cache_create(const struct cache_config *c);
void cache_destroy(struct cache *c);
void cache_clear(struct cache *c); // drops all lines, dirty or not
// A closed cache takes no unused way in a set that holds lines, unless no line can leave: a set is full with the lines
// that it has. cache_clear opens the cache.
void cache_close(struct cache *c, bool is_closed);
void cache_clear_range(struct cache *c, uint64_t from, uint64_t to); // drops lines at addresses from..to-1

// Looks up sectors of a line (`line`: address of its first byte) and touches the line unless the result is
// CACHE_FULL. *missing: the wanted sectors neither valid nor pending; none for CACHE_FULL. On
// allocate-on-miss, *missing becomes pending, CACHE_MISS takes a way, and *victim is the line evicted from
// the way.
enum cache_result cache_load(struct cache *c, uint64_t line, uint8_t sectors, uint8_t *missing,
                             struct cache_victim *victim);
// A store to sectors. `allocate`: makes the line and the written sectors valid without a fetch
// (write-validate) and, with `dirty`, dirty. Without `allocate`, only a present line changes: with `dirty`,
// the written sectors that are valid or pending become dirty. CACHE_FULL: no way is free. *victim: the line
// evicted or cleaned, if any.
enum cache_result cache_store(struct cache *c, uint64_t line, uint8_t sectors, bool allocate, bool dirty,
                              struct cache_victim *victim);
// Sectors of a line arrive from the next level. On allocate-on-fill, the line may evict *victim.
void cache_fill(struct cache *c, uint64_t line, uint8_t sectors, struct cache_victim *victim);
void cache_invalidate(struct cache *c, uint64_t line); // pending sectors stay pending, and locks remain
// Locks a line. False, with nothing changed: the line has no way, its lock count is at the limit, or all
// ways but one of the set hold other locked lines.
bool cache_lock(struct cache *c, uint64_t line);
// Whether cache_lock would succeed now, given a way for the line.
bool cache_may_lock(const struct cache *c, uint64_t line);
void cache_unlock(struct cache *c, uint64_t line); // the line must be locked
// If all the sectors are valid, touches the line as a load hit does and returns true; else changes nothing
// and returns false.
bool cache_touch(struct cache *c, uint64_t line, uint8_t sectors);
bool cache_contains(const struct cache *c, uint64_t line, uint8_t sectors);
// Attaches the owner's number to a line with a way; kept until the way takes a new line. cache_mark_of: the
// number; 0: never given, or no way.
void cache_mark(struct cache *c, uint64_t line, uint64_t mark);
uint64_t cache_mark_of(const struct cache *c, uint64_t line);
// Calls visit for every line with dirty sectors, in order of set and way, and makes the line clean.
void cache_flush(struct cache *c, void (*visit)(void *context, uint64_t line, uint8_t dirty), void *context);
unsigned cache_pending_lines(const struct cache *c);
