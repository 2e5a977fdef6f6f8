// Tags in one array, a set after the other. Ages are a counter per cache: the smallest is the least recently
// used (or the oldest, for FIFO). RANDOM is an xorshift of that counter, so that it is the same in every run.
#include "memory/cache.h"
#include "base/arena.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

struct way {
    uint64_t line; // address; meaningless while !used
    uint64_t age;
    bool used;
    uint8_t valid, dirty, pending;
};

struct cache {
    struct cache_config config;
    struct way *ways;
    uint64_t clock;
    unsigned pending_lines;
    unsigned line_shift; // line_bytes is a power of two: shift; else 0
    bool sets_are_power;
};

struct cache *cache_create(const struct cache_config *config)
{
    struct cache *c = heap_alloc(sizeof *c);
    c->config = *config;
    c->ways = heap_alloc((size_t)config->sets * config->ways * sizeof *c->ways);
    c->line_shift = is_power_of_two(config->line_bytes) ? bit_lowest(config->line_bytes) : 0;
    c->sets_are_power = is_power_of_two(config->sets);
    return c;
}

void cache_destroy(struct cache *c)
{
    if (!c) return;
    free(c->ways);
    free(c);
}

void cache_clear(struct cache *c)
{
    memset(c->ways, 0, (size_t)c->config.sets * c->config.ways * sizeof *c->ways);
    c->pending_lines = 0;
}

static struct way *set_of(const struct cache *c, uint64_t line)
{
    uint64_t number = c->line_shift ? line >> c->line_shift : line / c->config.line_bytes;
    uint64_t set = c->sets_are_power ? number & (c->config.sets - 1) : number % c->config.sets;
    return &c->ways[set * c->config.ways];
}

static struct way *find(const struct cache *c, uint64_t line)
{
    struct way *set = set_of(c, line);
    for (uint32_t k = 0; k < c->config.ways; k++)
        if (set[k].used && set[k].line == line) return &set[k];
    return NULL;
}

static void touch(struct cache *c, struct way *w)
{
    c->clock++;
    if (c->config.replacement != CACHE_FIFO) w->age = c->clock;
}

static struct way *choose_victim(struct cache *c, uint64_t line)
{
    struct way *set = set_of(c, line), *best = NULL;
    uint32_t candidates = 0;
    for (uint32_t k = 0; k < c->config.ways; k++) {
        if (!set[k].used) return &set[k];
        if (set[k].pending) continue;
        candidates++;
        if (!best || set[k].age < best->age) best = &set[k];
    }
    if (c->config.replacement != CACHE_RANDOM || candidates < 2) return best;
    uint64_t x = c->clock * 0x9e3779b97f4a7c15ull;
    uint32_t skip = (uint32_t)((x ^ x >> 29) % candidates);
    for (uint32_t k = 0; k < c->config.ways; k++)
        if (!set[k].pending && skip-- == 0) return &set[k];
    return best;
}

// A way for a new line, or NULL when all are pending.
static struct way *allocate(struct cache *c, uint64_t line, struct cache_victim *victim)
{
    struct way *w = choose_victim(c, line);
    if (!w) return NULL;
    *victim = (struct cache_victim){w->used, w->line, w->dirty};
    c->clock++;
    *w = (struct way){.line = line, .age = c->clock, .used = true};
    return w;
}

static void add_pending(struct cache *c, struct way *w, uint8_t sectors)
{
    if (!w->pending && sectors) c->pending_lines++;
    w->pending |= sectors;
}

enum cache_result cache_load(struct cache *c, uint64_t line, uint8_t sectors, uint8_t *missing,
                             struct cache_victim *victim)
{
    *missing = 0;
    *victim = (struct cache_victim){0};
    struct way *w = find(c, line);
    bool was_there = w != NULL;
    if (!w) w = allocate(c, line, victim);
    if (!w) return CACHE_FULL;
    if (was_there) touch(c, w);
    uint8_t absent = (uint8_t)(sectors & ~w->valid);
    *missing = (uint8_t)(absent & ~w->pending);
    add_pending(c, w, *missing);
    if (!was_there) return CACHE_MISS;
    return !absent ? CACHE_HIT : *missing ? CACHE_SECTOR_MISS : CACHE_PENDING;
}

enum cache_result cache_store(struct cache *c, uint64_t line, uint8_t sectors, bool allocate_line, bool dirty,
                              struct cache_victim *victim)
{
    *victim = (struct cache_victim){0};
    struct way *w = find(c, line);
    bool was_there = w != NULL;
    if (!w && !allocate_line) return CACHE_MISS;
    if (!w) w = allocate(c, line, victim);
    if (!w) return CACHE_FULL;
    if (was_there) touch(c, w);
    bool hit = (w->valid & sectors) == sectors;
    if (allocate_line) w->valid |= sectors;
    if (dirty) w->dirty |= (uint8_t)(sectors & w->valid);
    return !was_there ? CACHE_MISS : hit ? CACHE_HIT : CACHE_SECTOR_MISS;
}

void cache_fill(struct cache *c, uint64_t line, uint8_t sectors)
{
    struct way *w = find(c, line);
    if (!w) return;
    bool waited = w->pending != 0;
    w->valid |= sectors;
    w->pending &= (uint8_t)~sectors;
    if (waited && !w->pending) c->pending_lines--;
}

void cache_invalidate(struct cache *c, uint64_t line)
{
    struct way *w = find(c, line);
    if (!w) return;
    w->valid = w->dirty = 0;
    if (!w->pending) w->used = false;
}

bool cache_contains(const struct cache *c, uint64_t line, uint8_t sectors)
{
    const struct way *w = find(c, line);
    return w && (w->valid & sectors) == sectors;
}

void cache_flush(struct cache *c, void (*visit)(void *context, uint64_t line, uint8_t dirty), void *context)
{
    for (size_t k = 0; k < (size_t)c->config.sets * c->config.ways; k++) {
        if (!c->ways[k].used || !c->ways[k].dirty) continue;
        visit(context, c->ways[k].line, c->ways[k].dirty);
        c->ways[k].dirty = 0;
    }
}

unsigned cache_pending_lines(const struct cache *c) { return c->pending_lines; }
