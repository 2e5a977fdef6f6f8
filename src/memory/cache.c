// Lookup goes through a hash table, so a set of 96 ways costs no more than a set of four. A set takes fresh
// ways until all are used; then the oldest line neither pending nor locked is the victim:
//
//     set:  oldest ─▶ … ─▶ newest      LRU: an access makes the line newest; FIFO: only allocation does
//
// RANDOM starts at a way given by a hash of the allocation count: every run chooses the same victims. An
// invalidated line, unless pending or locked, becomes the oldest of the set.
#include "memory/cache.h"
#include "base/arena.h"
#include "base/bits.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX, BUCKET_BITS_FIRST = 6 };

struct way {
    uint64_t line; // address
    uint32_t chain;
    uint32_t older, newer;
    uint8_t valid, dirty, pending;
    bool used; // holds a line
};

struct set {
    uint32_t oldest, newest;
    uint32_t count;  // ways taken so far
    uint32_t locked; // ways that hold a locked line
};

struct cache {
    struct cache_config config;
    // The first ways of all sets, then the second ways, …: a large cache with few lines touches few pages of
    // the host's memory.
    struct way *ways;
    struct set *sets;
    uint16_t *locks; // by way: how often the line is locked; NULL before the first lock
    uint64_t *marks; // by way: number given by the cache's owner (cache_mark); NULL before the first mark
    // First way of each chain; few at first, so that few lines touch few pages: 2^(64 - bucket_shift).
    uint32_t *buckets;
    unsigned bucket_shift, bucket_shift_least;
    uint32_t lines; // held
    uint64_t allocations;
    unsigned pending_lines;
    unsigned line_shift; // log2 of line_bytes; 0: not a power of two
    bool sets_are_power;
    bool is_closed; // cache_close
};

static void set_buckets(struct cache *c, unsigned bits)
{
    size_t bytes = sizeof *c->buckets << bits;
    c->buckets = heap_resize(c->buckets, bytes);
    memset(c->buckets, 0xff, bytes);
    c->bucket_shift = 64 - bits;
}

struct cache *cache_create(const struct cache_config *config)
{
    struct cache *c = heap_alloc(sizeof *c);
    uint64_t count = (uint64_t)config->sets * config->ways;
    unsigned bits = bit_highest(count) + 1;
    c->config = *config;
    c->ways = heap_resize(NULL, count * sizeof *c->ways); // not zeroed: take_fresh and allocate write a way
    c->sets = heap_alloc(config->sets * sizeof *c->sets);
    c->bucket_shift_least = 64 - bits;
    set_buckets(c, bits < BUCKET_BITS_FIRST ? bits : BUCKET_BITS_FIRST);
    c->line_shift = is_power_of_two(config->line_bytes) ? bit_lowest(config->line_bytes) : 0;
    c->sets_are_power = is_power_of_two(config->sets);
    return c;
}

void cache_destroy(struct cache *c)
{
    if (!c) return;
    free(c->ways);
    free(c->locks);
    free(c->marks);
    free(c->sets);
    free(c->buckets);
    free(c);
}

// -- finding ------------------------------------------------------------------------------------------------

static uint64_t line_number(const struct cache *c, uint64_t line)
{
    return c->line_shift ? line >> c->line_shift : line / c->config.line_bytes;
}

// A line number whose lowest `bits` bits are the XOR of all its groups of `bits` bits. Line numbers a
// multiple of the set count apart share a set under bit indexing; folding lets their upper bits choose the
// set, too. Neighbouring lines still spread over the sets.
static uint64_t fold(uint64_t number, unsigned bits)
{
    uint64_t folded = number;
    while (number >>= bits) folded ^= number;
    return folded;
}

static uint64_t own_number(const struct cache_config *c, uint64_t line)
{
    if (!c->turn_bytes) return line / c->line_bytes;
    return line / c->turn_bytes * (c->piece_bytes / c->line_bytes) + line % c->piece_bytes / c->line_bytes;
}

static uint32_t set_of(const struct cache *c, uint64_t line)
{
    uint32_t sets = c->config.sets;
    if (c->config.index == CACHE_INDEX_HASH && sets > 1)
        return (uint32_t)(fold(own_number(&c->config, line), bit_highest(sets - 1) + 1) % sets);
    uint64_t number = line_number(c, line);
    return (uint32_t)(c->sets_are_power ? number & (sets - 1) : number % sets);
}

static struct way *way_at(const struct cache *c, uint32_t set, uint32_t number)
{
    return &c->ways[(size_t)number * c->config.sets + set];
}

static struct set *set_with(const struct cache *c, const struct way *w)
{
    uint32_t k = (uint32_t)(w - c->ways), sets = c->config.sets;
    return &c->sets[c->sets_are_power ? k & (sets - 1) : k % sets];
}

static uint32_t *bucket_of(const struct cache *c, uint64_t line)
{
    return &c->buckets[line_number(c, line) * 0x9e3779b97f4a7c15ull >> c->bucket_shift];
}

static struct way *way_holding(const struct cache *c, uint64_t line)
{
    uint32_t k = *bucket_of(c, line);
    while (k != NONE && c->ways[k].line != line) k = c->ways[k].chain;
    return k == NONE ? NULL : &c->ways[k];
}

static void forget(struct cache *c, struct way *w)
{
    uint32_t *link = bucket_of(c, w->line), k = (uint32_t)(w - c->ways);
    while (*link != k) link = &c->ways[*link].chain;
    *link = w->chain;
    w->used = false;
    c->lines--;
}

static void enter(struct cache *c, struct way *w)
{
    uint32_t *bucket = bucket_of(c, w->line);
    w->chain = *bucket;
    *bucket = (uint32_t)(w - c->ways);
}

static __attribute__((noinline)) void grow_buckets(struct cache *c)
{
    set_buckets(c, 64 - c->bucket_shift + 1);
    for (uint32_t set = 0; set < c->config.sets; set++)
        for (uint32_t k = 0; k < c->sets[set].count; k++)
            if (way_at(c, set, k)->used) enter(c, way_at(c, set, k));
}

// -- ages ---------------------------------------------------------------------------------------------------

static void unlink_way(struct cache *c, struct set *s, struct way *w)
{
    if (w->older != NONE)
        c->ways[w->older].newer = w->newer;
    else
        s->oldest = w->newer;
    if (w->newer != NONE)
        c->ways[w->newer].older = w->older;
    else
        s->newest = w->older;
}

static void make_newest(struct cache *c, struct set *s, struct way *w)
{
    uint32_t k = (uint32_t)(w - c->ways);
    w->older = s->newest;
    w->newer = NONE;
    if (s->newest != NONE)
        c->ways[s->newest].newer = k;
    else
        s->oldest = k;
    s->newest = k;
}

static void make_oldest(struct cache *c, struct set *s, struct way *w)
{
    uint32_t k = (uint32_t)(w - c->ways);
    w->newer = s->oldest;
    w->older = NONE;
    if (s->oldest != NONE)
        c->ways[s->oldest].older = k;
    else
        s->newest = k;
    s->oldest = k;
}

static void touch(struct cache *c, struct way *w)
{
    if (c->config.replacement != CACHE_LRU || w->newer == NONE) return;
    struct set *s = set_with(c, w);
    unlink_way(c, s, w);
    make_newest(c, s, w);
}

// -- locks --------------------------------------------------------------------------------------------------

static bool is_locked(const struct cache *c, const struct way *w)
{
    return c->locks && c->locks[w - c->ways];
}

bool cache_may_lock(const struct cache *c, uint64_t line)
{
    const struct way *w = way_holding(c, line);
    if (w && is_locked(c, w)) return c->locks[w - c->ways] != UINT16_MAX;
    return c->sets[set_of(c, line)].locked + 1 < c->config.ways;
}

bool cache_lock(struct cache *c, uint64_t line)
{
    const struct way *w = way_holding(c, line);
    if (!w || !cache_may_lock(c, line)) return false;
    if (!c->locks) c->locks = heap_alloc((size_t)c->config.sets * c->config.ways * sizeof *c->locks);
    if (!c->locks[w - c->ways]++) set_with(c, w)->locked++;
    return true;
}

void cache_unlock(struct cache *c, uint64_t line)
{
    const struct way *w = way_holding(c, line);
    assert(w && is_locked(c, w));
    if (!--c->locks[w - c->ways]) set_with(c, w)->locked--;
}

void cache_mark(struct cache *c, uint64_t line, uint64_t mark)
{
    const struct way *w = way_holding(c, line);
    if (!w) return;
    if (!c->marks) c->marks = heap_alloc((size_t)c->config.sets * c->config.ways * sizeof *c->marks);
    c->marks[w - c->ways] = mark;
}

uint64_t cache_mark_of(const struct cache *c, uint64_t line)
{
    const struct way *w = way_holding(c, line);
    return w && c->marks ? c->marks[w - c->ways] : 0;
}

// -- allocating ---------------------------------------------------------------------------------------------

// Whether the line of `w` may be evicted: neither pending nor locked.
static bool is_free_to_go(const struct cache *c, const struct way *w)
{
    return !w->pending && !is_locked(c, w);
}

static struct way *take_fresh(struct cache *c, uint32_t set)
{
    struct set *s = &c->sets[set];
    if (!s->count) s->oldest = s->newest = NONE;
    struct way *w = way_at(c, set, s->count++);
    make_newest(c, s, w);
    w->used = false;
    return w;
}

// The oldest way that may be evicted; used_only: of the ways that hold lines. NULL: none.
static struct way *oldest_to_go(const struct cache *c, const struct set *s, bool used_only)
{
    uint32_t k = s->oldest;
    while (k != NONE && !(is_free_to_go(c, &c->ways[k]) && (c->ways[k].used || !used_only)))
        k = c->ways[k].newer;
    return k == NONE ? NULL : &c->ways[k];
}

static struct way *choose_victim(struct cache *c, uint32_t set)
{
    const struct set *s = &c->sets[set];
    struct way *oldest = &c->ways[s->oldest];
    if (c->config.replacement == CACHE_RANDOM && oldest->used) {
        uint32_t start = (uint32_t)(hash_u64(c->allocations) % c->config.ways);
        for (uint32_t k = 0; k < c->config.ways; k++) {
            struct way *w = way_at(c, set, (start + k) % c->config.ways);
            if (is_free_to_go(c, w)) return w;
        }
        return NULL;
    }
    struct way *w = oldest_to_go(c, s, c->is_closed);
    return w || !c->is_closed ? w : oldest_to_go(c, s, false);
}

// Takes a way for a new line; NULL when every way of the set is pending or locked.
static struct way *allocate(struct cache *c, uint64_t line, struct cache_victim *victim)
{
    uint32_t set = set_of(c, line);
    bool has_room = c->sets[set].count < c->config.ways;
    bool is_fresh = has_room && !(c->is_closed && c->sets[set].count);
    struct way *w = is_fresh ? take_fresh(c, set) : choose_victim(c, set);
    if (!w && has_room) w = take_fresh(c, set);
    if (!w) return NULL;
    if (w->used) {
        *victim = (struct cache_victim){.valid = true, .line = w->line, .dirty = w->dirty};
        forget(c, w);
    }
    if (w->newer != NONE) {
        unlink_way(c, &c->sets[set], w);
        make_newest(c, &c->sets[set], w);
    }
    if ((uint64_t)++c->lines >> (64 - c->bucket_shift) && c->bucket_shift > c->bucket_shift_least)
        grow_buckets(c);
    c->allocations++;
    w->line = line;
    w->used = true;
    if (c->marks) c->marks[w - c->ways] = 0;
    w->valid = w->dirty = w->pending = 0;
    enter(c, w);
    return w;
}

static void add_pending(struct cache *c, struct way *w, uint8_t sectors)
{
    if (!w->pending && sectors) c->pending_lines++;
    w->pending |= sectors;
}

// -- the owner's side ---------------------------------------------------------------------------------------

enum cache_result cache_load(struct cache *c, uint64_t line, uint8_t sectors, uint8_t *missing,
                             struct cache_victim *victim)
{
    *missing = 0;
    *victim = (struct cache_victim){0};
    struct way *w = way_holding(c, line);
    bool was_there = w != NULL;
    if (!w && c->config.on_fill) {
        *missing = sectors;
        return CACHE_MISS;
    }
    if (!w) w = allocate(c, line, victim);
    if (!w) return CACHE_FULL;
    if (was_there) touch(c, w);
    uint8_t absent = (uint8_t)(sectors & ~w->valid);
    *missing = (uint8_t)(absent & ~w->pending);
    if (!c->config.on_fill) add_pending(c, w, *missing);
    if (!was_there) return CACHE_MISS;
    return !absent ? CACHE_HIT : *missing ? CACHE_SECTOR_MISS : CACHE_PENDING;
}

// Dirty-way limit: when the set of `w` has more dirty ways than allowed, cleans the oldest dirty line other
// than `w`.
static void clean_oldest(struct cache *c, const struct way *w, struct cache_victim *victim)
{
    uint32_t dirty = 0;
    struct way *oldest = NULL;
    if (!c->config.dirty_ways || !w->dirty) return;
    for (uint32_t k = set_with(c, w)->oldest; k != NONE; k = c->ways[k].newer) {
        if (!c->ways[k].used || !c->ways[k].dirty) continue;
        if (!oldest && &c->ways[k] != w) oldest = &c->ways[k];
        dirty++;
    }
    if (dirty <= c->config.dirty_ways || !oldest) return;
    victim->cleaned = oldest->line;
    victim->cleaned_sectors = oldest->dirty;
    oldest->dirty = 0;
}

enum cache_result cache_store(struct cache *c, uint64_t line, uint8_t sectors, bool allocate_line, bool dirty,
                              struct cache_victim *victim)
{
    *victim = (struct cache_victim){0};
    struct way *w = way_holding(c, line);
    bool was_there = w != NULL;
    if (!w && !allocate_line) return CACHE_MISS;
    if (!w) w = allocate(c, line, victim);
    if (!w) return CACHE_FULL;
    if (was_there) touch(c, w);
    bool hit = (w->valid & sectors) == sectors;
    if (allocate_line) w->valid |= sectors;
    bool was_clean = !w->dirty;
    if (dirty) w->dirty |= (uint8_t)(sectors & (w->valid | w->pending));
    if (was_clean) clean_oldest(c, w, victim);
    return !was_there ? CACHE_MISS : hit ? CACHE_HIT : CACHE_SECTOR_MISS;
}

void cache_fill(struct cache *c, uint64_t line, uint8_t sectors, struct cache_victim *victim)
{
    *victim = (struct cache_victim){0};
    struct way *w = way_holding(c, line);
    if (!w && c->config.on_fill) w = allocate(c, line, victim);
    if (!w) return;
    bool waited = w->pending != 0;
    w->valid |= sectors;
    w->pending &= (uint8_t)~sectors;
    if (waited && !w->pending) c->pending_lines--;
}

void cache_invalidate(struct cache *c, uint64_t line)
{
    struct way *w = way_holding(c, line);
    if (!w) return;
    w->valid = w->dirty = 0;
    if (w->pending || is_locked(c, w)) return;
    struct set *s = &c->sets[set_of(c, line)];
    forget(c, w);
    unlink_way(c, s, w);
    make_oldest(c, s, w);
}

// Takes time in proportion to the sets and the lines held, not to all ways: a chip may clear its L2 at every
// launch.
void cache_clear(struct cache *c)
{
    bool any = true;
    for (uint32_t k = 0; any; k++) {
        any = false;
        for (uint32_t set = 0; set < c->config.sets; set++) {
            if (k >= c->sets[set].count) continue;
            const struct way *w = way_at(c, set, k);
            if (w->used) *bucket_of(c, w->line) = NONE;
            any = true;
        }
    }
    for (uint32_t set = 0; set < c->config.sets; set++) c->sets[set].count = c->sets[set].locked = 0;
    c->lines = 0;
    free(c->locks);
    c->locks = NULL;
    c->pending_lines = 0;
    c->is_closed = false;
}

void cache_close(struct cache *c, bool is_closed) { c->is_closed = is_closed; }

void cache_clear_range(struct cache *c, uint64_t from, uint64_t to)
{
    if (!from && to == UINT64_MAX) {
        cache_clear(c);
        return;
    }
    for (uint32_t set = 0; set < c->config.sets; set++)
        for (uint32_t k = 0; k < c->sets[set].count; k++) {
            const struct way *w = way_at(c, set, k);
            if (w->used && w->line >= from && w->line < to) cache_invalidate(c, w->line);
        }
}

bool cache_touch(struct cache *c, uint64_t line, uint8_t sectors)
{
    struct way *w = way_holding(c, line);
    if (!w || (w->valid & sectors) != sectors) return false;
    touch(c, w);
    return true;
}

bool cache_contains(const struct cache *c, uint64_t line, uint8_t sectors)
{
    const struct way *w = way_holding(c, line);
    return w && (w->valid & sectors) == sectors;
}

void cache_flush(struct cache *c, void (*visit)(void *context, uint64_t line, uint8_t dirty), void *context)
{
    for (uint32_t set = 0; set < c->config.sets; set++)
        for (uint32_t k = 0; k < c->sets[set].count; k++) {
            struct way *w = way_at(c, set, k);
            if (!w->used || !w->dirty) continue;
            visit(context, w->line, w->dirty);
            w->dirty = 0;
        }
}

unsigned cache_pending_lines(const struct cache *c) { return c->pending_lines; }
