// Caches of an SM: tags, and MSHRs with the instructions (records) and warps that wait for lines.
#include "exec/launch.h"
#include "sm/sm_impl.h"

#include <stdlib.h>
#include <string.h>

struct tags_config {
    uint32_t sets, ways, mshrs, merges;
    enum cache_replacement replacement;
    enum tags_allocate allocate;
    enum cache_index index;
};

static void store_init(struct tag_store *t, uint32_t line_bytes, const struct tags_config *own)
{
    struct cache_config config = {.sets = own->sets,
                                  .ways = own->ways,
                                  .line_bytes = line_bytes,
                                  .replacement = own->replacement,
                                  .on_fill = own->allocate != ALLOCATE_MISS,
                                  .index = own->index};
    t->cache = cache_create(&config);
    // A streaming cache tracks misses in its lines: only the number of lines limits the outstanding misses.
    mshrs_init(&t->mshrs, own->allocate == ALLOCATE_STREAMING ? own->sets * own->ways : own->mshrs,
               own->merges);
}

static void store_fini(struct tag_store *t)
{
    cache_destroy(t->cache);
    mshrs_fini(&t->mshrs);
}

static bool store_is_quiet(const struct tag_store *t)
{
    return !t->mshrs.used && !t->mshrs.waiting && !cache_pending_lines(t->cache);
}

void tags_init(struct sm *s)
{
    enum { READ_ONLY_MSHRS = 16 };
    const struct gpu_config *c = s->config;
    uint32_t line = s->line_bytes;
    const struct tags_config l1 = {c->l1_sets,
                                   c->l1_ways,
                                   c->l1_mshrs,
                                   c->l1_merges,
                                   (enum cache_replacement)c->l1_replacement,
                                   (enum tags_allocate)c->l1_allocate,
                                   (enum cache_index)c->l1_index},
                             texture = {c->texture_sets,
                                        c->texture_ways,
                                        c->l1_mshrs,
                                        c->l1_merges,
                                        (enum cache_replacement)c->texture_replacement,
                                        (enum tags_allocate)c->texture_allocate,
                                        (enum cache_index)c->texture_index},
                             constant = {c->constant_sets,
                                         c->constant_ways,
                                         READ_ONLY_MSHRS,
                                         SM_WARPS,
                                         (enum cache_replacement)c->constant_replacement,
                                         ALLOCATE_MISS,
                                         CACHE_INDEX_BITS},
                             code = {c->icache_sets,
                                     c->icache_ways,
                                     READ_ONLY_MSHRS,
                                     SM_WARPS,
                                     (enum cache_replacement)c->icache_replacement,
                                     ALLOCATE_MISS,
                                     CACHE_INDEX_BITS};
    store_init(&s->tags.l1, line, &l1);
    if (c->l1_fetch == FETCH_LINE) s->tags.l1.whole = (uint8_t)bit_mask(line / SECTOR_BYTES);
    store_init(&s->tags.texture, line, &texture);
    store_init(&s->tags.constant, line, &constant);
    store_init(&s->tags.code, line, &code);
    s->tags.l1.is_shared = c->l1_keep;
    s->tags.texture.is_shared = c->texture_keep;
    s->tags.code.is_shared = c->icache_warm;
    s->tags.constant.is_shared = c->constant_keep;
    s->tags.l1.perfect = s->tags.texture.perfect = s->tags.constant.perfect = c->memory_perfect;
    s->tags.code.perfect = c->warm;
    s->tags.constant.perfect |= c->warm;
}

void tags_fini(struct sm *s)
{
    store_fini(&s->tags.l1);
    store_fini(&s->tags.texture);
    store_fini(&s->tags.constant);
    store_fini(&s->tags.code);
}

// -- addresses of launches ----------------------------------------------------------------------------------

// Whether launches find each other's constants: equal banks and offsets are one line, whatever the launch.
static bool shares_constants(const struct sm_grid *g, const struct tag_store *t)
{
    return t->is_shared && t == &g->sm->tags.constant;
}

// The line's address within the cache.
static uint64_t place_of(const struct sm_grid *g, const struct tag_store *t, uint64_t line)
{
    if (t->is_shared) return shares_constants(g, t) ? line - g->launch->space : line;
    return line >= GPU_LOCAL_ADDRESS ? line : line + g->launch->space;
}

// The inverse of place_of: the launch's address of the line at address `place` of the cache.
static uint64_t line_at(const struct sm_grid *g, const struct tag_store *t, uint64_t place)
{
    if (t->is_shared) return shares_constants(g, t) ? place + g->launch->space : place;
    return place - g->launch->space >= GPU_LOCAL_ADDRESS ? place : place - g->launch->space;
}

// The line's address in the L2.
static uint64_t line_in_memory(const struct sm_grid *g, enum token_kind kind, uint64_t line)
{
    return kind == TOKEN_CODE ? line - g->launch->code + g->launch->kept_code : line;
}

static void mark(const struct sm_grid *g, const struct tag_store *t, uint64_t place)
{
    if (g->sm->config->check) cache_mark(t->cache, place, g->launch->launch->grid_id);
}

// With sim.check, verifies that a hit line was filled by the same launch, or is global memory shared between
// launches.
static void check_hit(const struct sm_grid *g, const struct tag_store *t, uint64_t place)
{
    bool shares_far = t == &g->sm->tags.code || t == &g->sm->tags.constant;
    if (!g->sm->config->check || (t->is_shared && (place < GPU_LOCAL_ADDRESS || shares_far))) return;
    if (cache_mark_of(t->cache, place) != g->launch->launch->grid_id)
        g->sm->check.broken = "a launch found a cache line filled by a different launch";
}

static void clear_space(const struct sm_grid *g, struct tag_store *t)
{
    uint64_t space = g->launch->space;
    if (shares_constants(g, t)) return;
    cache_clear_range(t->cache, t->is_shared ? space + GPU_LOCAL_ADDRESS : space, space + GPU_SPACE(1));
}

static void inherit(struct tag_store *to, struct tag_store *from)
{
    struct cache *kept = from->cache;
    from->cache = to->cache;
    to->cache = kept;
}

static void inherit_global(struct tag_store *to, struct tag_store *from)
{
    inherit(to, from);
    cache_clear_range(to->cache, GPU_LOCAL_ADDRESS, UINT64_MAX);
}

void tags_inherit(struct sm *s, struct sm *from)
{
    if (s->config->l1_keep) inherit_global(&s->tags.l1, &from->tags.l1);
    if (s->config->texture_keep) inherit_global(&s->tags.texture, &from->tags.texture);
    if (s->config->icache_warm) inherit(&s->tags.code, &from->tags.code);
    if (s->config->constant_keep) inherit(&s->tags.constant, &from->tags.constant);
}

static size_t constant_words(const struct sm_grid *g) { return g->launch->decoded.constant_count / 64 + 1; }

void tags_begin(struct sm_grid *g)
{
    g->tags.constant_there = heap_alloc(constant_words(g) * sizeof *g->tags.constant_there);
}

// A grid leaves: its locks end, and the lines private to the grid are invalidated. After the last grid
// nothing is invalidated: sm_renew makes new caches.
void tags_end(struct sm_grid *g)
{
    struct tags *s = &g->sm->tags;
    while (g->tags.locked.count) cache_unlock(s->l1.cache, place_of(g, &s->l1, vec_pop(&g->tags.locked)));
    vec_fini(&g->tags.locked);
    free(g->tags.constant_there);
    if (!g->sm->room.grid_count) return;
    clear_space(g, &s->l1);
    clear_space(g, &s->texture);
    clear_space(g, &s->constant);
    clear_space(g, &s->code);
}

bool tags_are_quiet(const struct sm *s)
{
    return store_is_quiet(&s->tags.l1) && store_is_quiet(&s->tags.texture) &&
           store_is_quiet(&s->tags.constant) && store_is_quiet(&s->tags.code);
}

static void forget_constants(struct sm *s)
{
    EACH_GRID(s, g) { memset(g->tags.constant_there, 0, constant_words(g) * sizeof *g->tags.constant_there); }
}

// Handles the line evicted by a load, fill or store of grid g. Each grid forgets its constant_there after an
// eviction from the constant cache. Dirty sectors are written back on behalf of g.
static void evicted(struct sm_grid *g, struct tag_store *t, const struct cache_victim *victim)
{
    if (!victim->valid) return;
    if (t == &g->sm->tags.constant) forget_constants(g->sm);
    if (g->line_buffer && t == &g->line_buffer->store) line_buffer_replaced(g, victim->line);
    if (!victim->dirty) return;
    g->counts.l1_writebacks += bit_count8(victim->dirty);
    lsu_request(g, victim->line, victim->dirty, bit_count8(victim->dirty) * SECTOR_BYTES, MEMORY_STORE,
                (uint32_t)TOKEN_WRITEBACK << TOKEN_SHIFT);
}

enum tag_outcome tags_load(struct sm_grid *g, struct tag_store *t, enum token_kind kind, uint64_t line,
                           struct mshr_waiter who, bool *started)
{
    *started = false;
    if (t->perfect) return TAG_HIT;
    uint64_t place = place_of(g, t, line);
    if (cache_touch(t->cache, place, who.sectors)) { // the usual case
        check_hit(g, t, place);
        return TAG_HIT;
    }
    if (t->whole & ~who.sectors && !cache_contains(t->cache, place, who.sectors)) who.sectors = t->whole;
    uint32_t k = mshrs_find(&t->mshrs, place);
    if (!mshrs_have_room(&t->mshrs, k) && !cache_contains(t->cache, place, who.sectors)) return TAG_STALLED;
    uint8_t missing = 0;
    struct cache_victim victim;
    enum cache_result r = cache_load(t->cache, place, who.sectors, &missing, &victim);
    if (r == CACHE_FULL) return TAG_STALLED;
    evicted(g, t, &victim);
    if (r == CACHE_HIT) {
        check_hit(g, t, place);
        return TAG_HIT;
    }
    if (k == MSHR_NONE) k = mshrs_take(&t->mshrs, place);
    struct mshr *h = &t->mshrs.all.data[k];
    missing &= (uint8_t)~h->sectors;
    if (who.kind == WAITER_WARP)
        h->warps |= 1ull << who.token;
    else if (who.kind != WAITER_NOBODY)
        mshrs_wait(&t->mshrs, k, who);
    if (missing) {
        h->sectors |= missing;
        *started = true;
        lsu_request(g, line_in_memory(g, kind, line), missing, 0, MEMORY_LOAD,
                    (uint32_t)kind << TOKEN_SHIFT | k);
    }
    return TAG_WAITS;
}

bool tags_contain(const struct sm_grid *g, const struct tag_store *t, uint64_t line)
{
    uint8_t all = (uint8_t)bit_mask(g->sm->line_bytes / SECTOR_BYTES);
    return tags_has(g, t, line, all);
}

bool tags_has(const struct sm_grid *g, const struct tag_store *t, uint64_t line, uint8_t sectors)
{
    return cache_contains(t->cache, place_of(g, t, line), sectors);
}

bool tags_is_under_way(const struct sm_grid *g, const struct tag_store *t, uint64_t line)
{
    return mshrs_find(&t->mshrs, place_of(g, t, line)) != MSHR_NONE;
}

bool tags_wait(const struct sm_grid *g, struct tag_store *t, uint64_t line, uint32_t record, uint8_t sectors)
{
    uint32_t k = mshrs_find(&t->mshrs, place_of(g, t, line));
    if (!mshrs_have_room(&t->mshrs, k)) return false;
    mshrs_wait(&t->mshrs, k,
               (struct mshr_waiter){.token = record, .sectors = sectors, .kind = WAITER_RECORD});
    return true;
}

bool tags_store(struct sm_grid *g, struct tag_store *t, uint64_t line, uint8_t sectors, bool dirty)
{
    struct cache_victim victim;
    uint64_t place = place_of(g, t, line);
    if (cache_store(t->cache, place, sectors, true, dirty, &victim) == CACHE_FULL) return false;
    evicted(g, t, &victim);
    mark(g, t, place);
    return true;
}

void tags_store_through(const struct sm_grid *g, uint64_t line, uint8_t sectors)
{
    const struct tag_store *t = &g->sm->tags.l1;
    struct cache_victim victim;
    cache_store(t->cache, place_of(g, t, line), sectors, false, false, &victim);
}

void tags_drop(const struct sm_grid *g, uint64_t line)
{
    const struct tag_store *t = &g->sm->tags.l1;
    cache_invalidate(t->cache, place_of(g, t, line));
}

bool tags_touch(const struct sm_grid *g, uint64_t line, uint8_t sectors)
{
    const struct tag_store *t = &g->sm->tags.l1;
    return cache_touch(t->cache, place_of(g, t, line), sectors);
}

bool tags_lock(struct sm_grid *g, uint64_t line)
{
    const struct tag_store *t = &g->sm->tags.l1;
    if (!cache_lock(t->cache, place_of(g, t, line))) return false;
    vec_push(&g->tags.locked, line);
    return true;
}

bool tags_may_lock(const struct sm_grid *g, uint64_t line)
{
    const struct tag_store *t = &g->sm->tags.l1;
    // with memory.perfect no load brings a line to L1
    return !t->perfect && cache_may_lock(t->cache, place_of(g, t, line));
}

bool tags_has_locked(const struct sm_grid *g, uint64_t line)
{
    for (size_t k = 0; k < g->tags.locked.count; k++)
        if (g->tags.locked.data[k] == line) return true;
    return false;
}

void tags_unlock(struct sm_grid *g, uint64_t line)
{
    const struct tag_store *t = &g->sm->tags.l1;
    size_t k = g->tags.locked.count - 1;
    while (g->tags.locked.data[k] != line) k--;
    g->tags.locked.data[k] = vec_last(&g->tags.locked);
    g->tags.locked.count--;
    cache_unlock(t->cache, place_of(g, t, line));
    lsu_look_again(g->sm);
}

// A line of code or constants requested by the warp in `slot` has arrived: the warp no longer waits, and may
// use the line once. Returns the warp.
static struct sm_warp *grant(struct sm *s, const struct tag_store *t, unsigned slot, uint64_t line)
{
    struct sm_warp *w = &s->warps[slot];
    if (t == &s->tags.code) front_line_came(&w->front);
    if (t == &s->tags.constant) w->tags.waits_for_constant = false;
    w->tags.granted = line;
    return w;
}

static void wake_warps(struct sm *s, const struct tag_store *t, uint64_t warps, uint64_t line)
{
    for (; warps; warps &= warps - 1) {
        unsigned slot = bit_lowest(warps);
        if (!grant(s, t, slot, line)->warp) continue;
        front_update(s, slot);
        ready_evaluate(s, slot);
    }
}

void tags_reply(struct sm_grid *g, struct tag_store *t, uint32_t k, uint8_t sectors, enum gpu_level level)
{
    struct sm *s = g->sm;
    struct mshr *h = &t->mshrs.all.data[k];
    uint64_t place = h->line, line = line_at(g, t, place), warps = h->warps;
    struct cache_victim victim;
    struct mshr_waiter w;
    cache_fill(t->cache, place, sectors, &victim);
    evicted(g, t, &victim);
    mark(g, t, place);
    h->sectors &= (uint8_t)~sectors;
    while (mshrs_next_served(&t->mshrs, k, &w)) {
        switch ((enum waiter_kind)w.kind) {
        case WAITER_RECORD: lsu_record_part(s, w.token, level); break;
        case WAITER_EARLY: lsu_early_came(sm_grid_of(s, w.grid), w.owner, line, w.token); break;
        case WAITER_GUEST: grant(s, t, w.token, line); break;
        case WAITER_WARP: // in h->warps
        case WAITER_NOBODY: break;
        }
    }
    if (h->sectors) return;
    mshrs_release(&t->mshrs, k);
    wake_warps(s, t, warps, line);
}

bool tags_have_constant(struct sm *s, unsigned slot, uint32_t number)
{
    struct sm_warp *w = &s->warps[slot];
    struct sm_grid *g = w->grid;
    uint32_t k = number - 1;
    if (g->tags.constant_there[k / 64] >> k % 64 & 1) return true;
    uint64_t line = g->launch->decoded.constant_lines[k] + g->launch->space;
    if (tags_take_granted(&w->tags, line)) return true;
    bool started;
    uint8_t all = (uint8_t)bit_mask(s->line_bytes / SECTOR_BYTES);
    struct mshr_waiter who = {
        .token = slot, .sectors = all, .kind = slot < SM_WARPS ? WAITER_WARP : WAITER_GUEST};
    enum tag_outcome o = tags_load(g, &s->tags.constant, TOKEN_CONSTANT, line, who, &started);
    if (o == TAG_HIT) {
        g->counts.constant_hits++;
        g->tags.constant_there[k / 64] |= 1ull << k % 64;
        return true;
    }
    g->counts.constant_misses += started;
    w->tags.waits_for_constant = o == TAG_WAITS;
    return false;
}
