// The buffer beside L1: tags and lines under way, by the functions of tags.h. The buffer holds global memory of a
// single grid, so a line's address within the buffer is the launch's.
#include "sm/sm_impl.h"

#include <stdlib.h>

static uint8_t whole(const struct sm_grid *g) { return (uint8_t)bit_mask(g->sm->line_bytes / SECTOR_BYTES); }

void line_buffer_begin(struct sm_grid *g, unsigned tech, uint32_t lines)
{
    struct line_buffer *b = heap_alloc(sizeof *b);
    uint32_t ways = tech_buffer_ways(lines), sets = lines / ways;
    const struct cache_config config = {
        .sets = sets, .ways = ways, .line_bytes = g->sm->line_bytes, .replacement = CACHE_LRU};
    b->tech = tech;
    b->store = (struct tag_store){.cache = cache_create(&config), .is_shared = true};
    mshrs_init(&b->store.mshrs, sets * ways, g->sm->config->l1_merges);
    g->line_buffer = b;
}

void line_buffer_end(struct sm_grid *g)
{
    struct line_buffer *b = g->line_buffer;
    if (!b) return;
    cache_destroy(b->store.cache);
    mshrs_fini(&b->store.mshrs);
    vec_fini(&b->notes);
    free(b);
    g->line_buffer = NULL;
}

struct tag_store *line_buffer_store(struct sm_grid *g, uint64_t line, enum token_kind *kind)
{
    struct tag_store *l1 = &g->sm->tags.l1;
    bool in_l1 = l1->perfect || tags_is_under_way(g, l1, line) || tags_contain(g, l1, line);
    *kind = in_l1 ? TOKEN_L1 : TOKEN_BUFFER;
    return in_l1 ? l1 : &g->line_buffer->store;
}

// The line moves to L1, or stays if no way of L1 is free.
static void take(struct sm_grid *g, uint64_t line)
{
    struct line_buffer *b = g->line_buffer;
    if (!tags_store(g, &g->sm->tags.l1, line, whole(g), false)) return;
    cache_invalidate(b->store.cache, line);
    mech_buffered(g, b->tech, line, TECH_BUFFER_TAKEN);
}

// The note of a line under way; NULL: none.
static struct line_note *note_of(const struct line_buffer *b, uint64_t line)
{
    for (size_t k = 0; k < b->notes.count; k++)
        if (b->notes.data[k].line == line) return &b->notes.data[k];
    return NULL;
}

static void note(struct line_buffer *b, uint64_t line, bool is_stale)
{
    struct line_note *n = note_of(b, line);
    if (n)
        n->is_stale |= is_stale;
    else
        vec_push(&b->notes, (struct line_note){line, is_stale});
}

bool line_buffer_load(struct sm_grid *g, uint64_t line, struct mshr_waiter who, enum tag_outcome *o)
{
    struct tag_store *t = &g->line_buffer->store;
    const struct tag_store *l1 = &g->sm->tags.l1;
    if (l1->perfect || tags_has(g, l1, line, who.sectors)) return false;
    if (cache_contains(t->cache, line, whole(g))) {
        take(g, line);
        *o = TAG_HIT;
        return true;
    }
    uint32_t k = mshrs_find(&t->mshrs, line);
    const struct line_note *n = note_of(g->line_buffer, line);
    if (k == MSHR_NONE || (n && n->is_stale)) return false;
    *o = mshrs_have_room(&t->mshrs, k) ? TAG_WAITS : TAG_STALLED;
    if (*o == TAG_STALLED) return true;
    if (who.kind != WAITER_NOBODY) mshrs_wait(&t->mshrs, k, who);
    note(g->line_buffer, line, false);
    return true;
}

static void drop(struct sm_grid *g, uint64_t line)
{
    struct line_buffer *b = g->line_buffer;
    cache_invalidate(b->store.cache, line);
    mech_buffered(g, b->tech, line, TECH_BUFFER_DROPPED);
}

void line_buffer_written(struct sm_grid *g, uint64_t line)
{
    struct line_buffer *b = g->line_buffer;
    if (mshrs_find(&b->store.mshrs, line) != MSHR_NONE)
        note(b, line, true);
    else if (cache_contains(b->store.cache, line, whole(g)))
        drop(g, line);
}

void line_buffer_reply(struct sm_grid *g, uint32_t mshr, uint8_t sectors, enum gpu_level level)
{
    struct line_buffer *b = g->line_buffer;
    uint64_t line = b->store.mshrs.all.data[mshr].line;
    tags_reply(g, &b->store, mshr, sectors, level);
    if (mshrs_find(&b->store.mshrs, line) != MSHR_NONE) return; // further sectors to come
    mech_buffered(g, b->tech, line, TECH_BUFFER_FILLED);
    struct line_note *n = note_of(b, line);
    if (!n) return;
    bool is_stale = n->is_stale;
    *n = vec_last(&b->notes);
    b->notes.count--;
    if (is_stale)
        drop(g, line);
    else
        take(g, line);
}

void line_buffer_replaced(struct sm_grid *g, uint64_t line)
{
    mech_buffered(g, g->line_buffer->tech, line, TECH_BUFFER_REPLACED);
}
