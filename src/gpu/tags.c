// Caches of an SM that wait for lines: tags, and for every line under way a list of the memory instructions
// (records) and warps that wait for it.
#include "gpu/sm_impl.h"

#include <stdlib.h>
#include <string.h>

void tags_init(struct tags *t, const struct chip_config *c, uint32_t sets, uint32_t ways, uint32_t mshrs,
               uint32_t merges)
{
    struct cache_config config = {sets, ways, c->memory.line_bytes, CACHE_LRU};
    *t = (struct tags){.cache = cache_create(&config), .free = NONE32, .most = mshrs, .merges = merges};
}

void tags_fini(struct tags *t)
{
    cache_destroy(t->cache);
    vec_fini(&t->mshrs);
}

static uint32_t find(const struct tags *t, uint64_t line)
{
    for (uint32_t k = 0; k < t->mshrs.count; k++)
        if (t->mshrs.data[k].sectors && t->mshrs.data[k].line == line) return k;
    return NONE32;
}

static uint32_t new_mshr(struct tags *t, uint64_t line)
{
    uint32_t k = t->free;
    if (k == NONE32) {
        k = (uint32_t)t->mshrs.count;
        vec_push(&t->mshrs, (struct tag_mshr){0});
    } else {
        t->free = t->mshrs.data[k].next_free;
    }
    t->mshrs.data[k] = (struct tag_mshr){.line = line, .first = NONE32};
    t->used++;
    return k;
}

static void add_waiter(struct sm *s, struct tag_mshr *h, uint32_t record)
{
    uint32_t k = s->free_waiter;
    if (k == NONE32) {
        k = (uint32_t)s->waiters.count;
        vec_push(&s->waiters, (struct tag_waiter){0});
    } else {
        s->free_waiter = s->waiters.data[k].next;
    }
    s->waiters.data[k] = (struct tag_waiter){record, h->first};
    h->first = k;
    h->waiters++;
}

enum tag_outcome tags_load(struct sm *s, struct tags *t, enum token_kind kind, uint64_t line, uint8_t sectors,
                           uint32_t record, unsigned warp, bool *started)
{
    *started = false;
    uint32_t k = t->used ? find(t, line) : NONE32;
    bool there = cache_contains(t->cache, line, sectors);
    if (!there && k == NONE32 && t->used >= t->most) return TAG_STALLED;
    if (!there && k != NONE32 && t->mshrs.data[k].waiters >= t->merges) return TAG_STALLED;
    uint8_t missing = 0;
    struct cache_victim victim;
    enum cache_result r = cache_load(t->cache, line, sectors, &missing, &victim);
    if (r == CACHE_FULL) return TAG_STALLED;
    if (t == &s->constant && victim.valid && s->launch->decoded.constant_count)
        memset(s->constant_there, 0, (s->launch->decoded.constant_count / 64 + 1) * sizeof(uint64_t));
    if (r == CACHE_HIT) return TAG_HIT;
    if (k == NONE32) k = new_mshr(t, line);
    struct tag_mshr *h = &t->mshrs.data[k];
    if (record == NONE32)
        h->warps |= 1ull << warp;
    else
        add_waiter(s, h, record);
    if (missing) {
        h->sectors |= missing;
        *started = true;
        lsu_request(s, line, missing, 0, MEMORY_LOAD, (uint32_t)kind << TOKEN_SHIFT | k);
    }
    return TAG_WAITS;
}

void tags_reply(struct sm *s, struct tags *t, uint32_t k, uint8_t sectors)
{
    struct tag_mshr *h = &t->mshrs.data[k];
    cache_fill(t->cache, h->line, sectors);
    h->sectors &= (uint8_t)~sectors;
    if (h->sectors) return;
    for (uint32_t n = h->first, next; n != NONE32; n = next) {
        next = s->waiters.data[n].next;
        record_part_done(s, s->waiters.data[n].record, s->now);
        s->waiters.data[n].next = s->free_waiter;
        s->free_waiter = n;
    }
    uint64_t warps = h->warps, line = h->line;
    h->next_free = t->free;
    t->free = k;
    t->used--;
    for (; warps; warps &= warps - 1) {
        unsigned slot = bit_lowest(warps);
        struct sm_warp *w = &s->warps[slot];
        if (t == &s->code) w->waits_for_line = false;
        if (t == &s->constant) w->waits_for_constant = false;
        if (!w->warp) continue;
        w->granted = line;
        fetch_update(s, slot);
        sm_evaluate(s, slot);
    }
}

bool constant_is_there(struct sm *s, unsigned slot, uint32_t number)
{
    uint32_t k = number - 1;
    if (s->constant_there[k / 64] >> k % 64 & 1) return true;
    uint64_t line = s->launch->decoded.constant_lines[k];
    if (s->warps[slot].granted == line) {
        s->warps[slot].granted = 0;
        return true;
    }
    bool started;
    uint8_t all = (uint8_t)bit_mask(s->launch->config->memory.line_bytes / SECTOR_BYTES);
    enum tag_outcome o = tags_load(s, &s->constant, TOKEN_CONSTANT, line, all, NONE32, slot, &started);
    if (o == TAG_HIT) {
        s->counts.constant_hits++;
        s->constant_there[k / 64] |= 1ull << k % 64;
        return true;
    }
    s->counts.constant_misses += started;
    s->warps[slot].waits_for_constant = o == TAG_WAITS;
    return false;
}
