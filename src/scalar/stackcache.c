#include "scalar/stackcache.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

enum { ADDRESS_BITS = 32, LINE_SHIFT = 7 };
_Static_assert(1 << LINE_SHIFT == STACKCACHE_LINE_BYTES, "bits of an address within a line");

void stackcache_init(struct stackcache *c, uint32_t entries)
{
    assert(is_power_of_two(entries));
    *c = (struct stackcache){.entries = heap_alloc(entries * sizeof *c->entries), .count = entries};
}

void stackcache_fini(struct stackcache *c) { free(c->entries); }

static uint32_t index_of(const struct stackcache *c, uint32_t address)
{
    return (address >> LINE_SHIFT) & (c->count - 1);
}
static uint32_t tag_of(const struct stackcache *c, uint32_t address)
{
    return (address >> LINE_SHIFT) / c->count;
}

static bool is_of(const struct stackcache *c, const struct stackcache_entry *e, uint32_t address)
{
    return e->is_valid && e->tag == tag_of(c, address);
}

static struct stackcache_outcome write_back(struct stackcache *c, struct stackcache_entry *e, uint32_t index)
{
    e->is_valid = false;
    c->written_back++;
    return (struct stackcache_outcome){
        .written_back = true, .victim = e->form, .line = (e->tag * c->count + index) << LINE_SHIFT};
}

struct stackcache_outcome stackcache_load(struct stackcache *c, uint32_t address, bool is_stack)
{
    const struct stackcache_entry *e = &c->entries[index_of(c, address)];
    bool is_here = is_of(c, e, address);
    c->load_hits += is_here;
    c->load_misses += !is_here && is_stack;
    return (struct stackcache_outcome){.is_here = is_here, .form = e->form};
}

struct stackcache_outcome stackcache_store(struct stackcache *c, uint32_t address,
                                           const struct scalar_form *form)
{
    uint32_t index = index_of(c, address);
    struct stackcache_entry *e = &c->entries[index];
    struct stackcache_outcome o = {0};
    // A scalar store evicts a valid entry of a different line; any other store evicts the entry of its own
    // line.
    if (e->is_valid && is_of(c, e, address) != (form != NULL)) o = write_back(c, e, index);
    if (!form) return o;
    *e = (struct stackcache_entry){tag_of(c, address), *form, true};
    o.is_here = true;
    c->stores++;
    return o;
}

uint64_t stackcache_storage_bits(uint32_t entries)
{
    enum { BASE = 32, STRIDE = 2 };
    return (uint64_t)entries * (ADDRESS_BITS - LINE_SHIFT - bit_lowest(entries) + BASE + STRIDE);
}
