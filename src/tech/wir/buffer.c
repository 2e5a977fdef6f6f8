// The reuse buffer: numbers of results by operation and numbers of sources.
//
//   entry   operation │ numbers of sources │ numbers of results │ ready from │ loads: epoch, warps that had it
//           └─────────── compared ─────────┘
//
// An entry holds its numbers, so their values stay until the entry goes. A load's entry stands for the memory of an
// epoch; whatever may let a warp see another warp's write ends the epoch. A warp never takes a load's entry that it
// has made or taken before, so a warp that reads in a loop sees memory again.
#include "base/hash.h"
#include "sm/places.h"
#include "tech/wir/wir.h"

void wir_buffer_begin(struct wir *w)
{
    const struct wir_options *o = w->launch->options;
    uint32_t ways = o->ways < o->entries ? o->ways : o->entries, sets = o->entries / ways;
    w->buffer = (struct wir_buffer){.count = sets * ways, .sets = sets, .ways = ways};
    w->buffer.entries = heap_alloc((size_t)sets * ways * sizeof *w->buffer.entries);
}

bool wir_set_key(struct wir *w, unsigned place, const struct wir_plan *p)
{
    const struct wir_register *map = w->map[place];
    struct wir_key *key = &w->key;
    key->operation = p->operation;
    key->block = p->kind == WIR_SHARED ? 1 + tech_block_of(w->grid, place) : 0;
    key->count = p->count;
    for (unsigned k = 0; k < p->count; k++) {
        const struct wir_register *r = &map[p->sources[k]];
        if (r->is_pinned || r->number == WIR_NONE) return false;
        key->sources[k] = r->number;
    }
    return true;
}

static bool same_key(const struct wir_key *a, const struct wir_key *b)
{
    bool same = a->operation == b->operation && a->block == b->block;
    for (unsigned k = 0; same && k < a->count; k++) same = a->sources[k] == b->sources[k];
    return same;
}

static struct wir_entry *set_of(struct wir *w, const struct wir_key *key)
{
    uint64_t mixed = key->operation | (uint64_t)key->block << 32;
    for (unsigned k = 0; k < key->count; k++) mixed = (mixed ^ key->sources[k]) * 0x9e3779b97f4a7c15ull;
    return w->buffer.entries + (size_t)(hash_u64(mixed) % w->buffer.sets) * w->buffer.ways;
}

static struct wir_entry *find(const struct wir *w, struct wir_entry *set, const struct wir_key *key)
{
    for (uint32_t k = 0; k < w->buffer.ways; k++)
        if (set[k].used && same_key(&set[k].key, key)) return &set[k];
    return NULL;
}

// A bank reads a set a cycle; warps that issue the same instruction together share the read.
static bool take_port(struct wir *w)
{
    struct wir_buffer *b = &w->buffer;
    uint32_t bank = (uint32_t)((size_t)(w->set - b->entries) / b->ways) % wir_banks(w->launch->options);
    uint64_t cycle = tech_now(w->grid) + 1;
    if (b->read_cycle[bank] == cycle) return b->read_set[bank] == w->set;
    b->read_cycle[bank] = cycle;
    b->read_set[bank] = w->set;
    w->counters[COUNT_reads]++;
    return true;
}

// Whether the warp may take the load's entry.
static bool is_current(const struct wir *w, unsigned place, const struct wir_entry *e)
{
    if (e->is_read_only) return true;
    bool again = w->launch->options->loads == WIR_LOADS_ON && e->had >> place & 1;
    return e->epoch == w->epoch && !again;
}

struct wir_entry *wir_look_up(struct wir *w, unsigned place, const struct wir_plan *p)
{
    w->fills = false;
    w->set = set_of(w, &w->key);
    if (!take_port(w)) {
        w->counters[COUNT_port_misses]++;
        return NULL;
    }
    struct wir_entry *e = find(w, w->set, &w->key);
    bool ended = e && p->kind != WIR_COMPUTES && !is_current(w, place, e);
    bool there = e && e->ready <= tech_now(w->grid);
    w->counters[COUNT_lookups]++;
    w->counters[COUNT_other] += !e;
    w->counters[COUNT_ended] += ended;
    w->counters[COUNT_pending] += e && !ended && !there;
    w->fills = !e || ended;
    if (!e || ended || (!there && w->launch->options->pending == WIR_PENDING_EXECUTES)) return NULL;
    e->last_used = ++w->buffer.serial;
    e->had |= 1ull << place;
    return e;
}

// -- references ---------------------------------------------------------------------------------------------

void wir_hold_sources(struct wir *w, const struct wir_key *key)
{
    for (unsigned k = 0; k < key->count; k++) wir_hold(&w->pool, key->sources[k]);
}

void wir_drop_sources(struct wir *w, const struct wir_key *key)
{
    for (unsigned k = 0; k < key->count; k++) wir_drop(&w->pool, key->sources[k], tech_now(w->grid));
}

static void clear(struct wir *w, struct wir_entry *e)
{
    if (!e->used) return;
    e->used = false;
    wir_drop_sources(w, &e->key);
    for (unsigned n = 0; n < e->result_count; n++) wir_drop(&w->pool, e->results[n], tech_now(w->grid));
}

static struct wir_entry *place_for(struct wir *w, struct wir_entry *set, const struct wir_key *key)
{
    struct wir_entry *best = find(w, set, key);
    if (best) return best;
    best = set;
    for (uint32_t k = 1; k < w->buffer.ways; k++)
        if (best->used && (!set[k].used || set[k].last_used < best->last_used)) best = &set[k];
    return best;
}

void wir_fill(struct wir *w, unsigned place, uint32_t index, const struct wir_key *key, uint64_t ready,
              uint64_t epoch)
{
    const struct op *o = &w->launch->ops[index];
    struct wir_entry *e = place_for(w, key == &w->key ? w->set : set_of(w, key), key);
    clear(w, e);
    e->used = true;
    e->is_read_only = w->launch->plans[index].is_read_only;
    e->result_count = o->dst_words;
    e->key = *key;
    e->ready = ready;
    e->epoch = epoch;
    e->had = 1ull << place;
    e->last_used = ++w->buffer.serial;
    for (unsigned n = 0; n < o->dst_words; n++) {
        e->results[n] = w->map[place][o->dst + n].number;
        wir_hold(&w->pool, e->results[n]);
    }
    w->counters[COUNT_filled]++;
}

// Rename tables alone never need more numbers than there are: as many as warps have registers.
void wir_make_room(struct wir *w)
{
    for (uint32_t k = 0; k < w->buffer.count && !w->pool.free_count; k++) {
        struct wir_entry *e = &w->buffer.entries[w->buffer.hand];
        w->buffer.hand = (w->buffer.hand + 1) % w->buffer.count;
        w->counters[COUNT_given_up] += e->used;
        clear(w, e);
    }
    for (unsigned place = 0; place < WIR_WARPS && !w->pool.free_count; place++)
        for (unsigned k = 0; k < WIR_LOADS; k++) {
            struct wir_load *l = &w->loads[place][k];
            if (l->used) wir_drop_sources(w, &l->key);
            l->used = false;
        }
}
