// Physical registers of an SM: values by number, references, a list of free numbers, and signatures.
//
//     result ─▶ signature ─▶ number with the signature ─▶ value read back, compared ─▶ equal: one reference more
//                                                                                    └▶ different, or no number:
//                                                       free number, written    ─▶ signature names the number
//
// A signature is a hash of all lanes, and names a number in use. Values are
// compared before a number is shared, so a wrong signature costs a read and no more.
#include "base/hash.h"
#include "sm/places.h"
#include "tech/wir/wir.h"

#include <stdlib.h>
#include <string.h>

void wir_pool_begin(struct wir_pool *p, const struct wir_options *o, uint32_t count, uint32_t lanes,
                    uint32_t banks, uint64_t *counters)
{
    uint32_t ways = o->signature_ways < o->signatures ? o->signature_ways : o->signatures;
    *p = (struct wir_pool){.count = count,
                           .lanes = lanes,
                           .sets = o->signatures / ways,
                           .ways = ways,
                           .mask = (uint32_t)bit_mask(o->signature_bits),
                           .free_count = count,
                           .counters = counters};
    p->numbers = heap_alloc(count * sizeof *p->numbers);
    p->values = heap_alloc((size_t)count * lanes * sizeof *p->values);
    p->banks = heap_alloc(count);
    p->free = heap_alloc(count * sizeof *p->free);
    p->signatures = heap_alloc((size_t)p->sets * ways * sizeof *p->signatures);
    for (uint32_t n = 0; n < count; n++) {
        p->banks[n] = (uint8_t)(n % banks);
        p->free[n] = (uint16_t)n;
    }
}

void wir_pool_end(struct wir_pool *p)
{
    free(p->numbers);
    free(p->values);
    free(p->banks);
    free(p->free);
    free(p->signatures);
}

static struct wir_signature *set_of(const struct wir_pool *p, uint32_t hash)
{
    return p->signatures + (size_t)(hash % p->sets) * p->ways;
}

void wir_unsign(struct wir_pool *p, uint16_t number)
{
    struct wir_number *n = &p->numbers[number];
    struct wir_signature *set = set_of(p, n->hash);
    if (!n->is_signed) return;
    n->is_signed = false;
    for (uint32_t k = 0; k < p->ways; k++)
        if (set[k].used && set[k].number == number) set[k].used = false;
}

void wir_drop(struct wir_pool *p, uint16_t number, uint64_t from)
{
    struct wir_number *n = &p->numbers[number];
    p->counters[COUNT_references]++;
    if (--n->references) return;
    wir_unsign(p, number);
    n->free_from = from;
    uint32_t end = p->free_first + p->free_count++;
    p->free[end < p->count ? end : end - p->count] = number;
    p->counters[COUNT_freed]++;
}

uint16_t wir_take(struct wir_pool *p)
{
    uint16_t number = p->free[p->free_first];
    p->free_first = p->free_first + 1 == p->count ? 0 : p->free_first + 1;
    p->free_count--;
    p->numbers[number].references = 1;
    p->counters[COUNT_allocated]++;
    return number;
}

// Two lanes at a time; a warp has an even number of lanes, or one.
static uint32_t sum(const uint32_t *lanes, uint32_t count)
{
    uint64_t h = count & 1 ? lanes[count - 1] : 0;
    for (uint32_t n = 0; n + 1 < count; n += 2) {
        uint64_t word;
        memcpy(&word, lanes + n, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 32;
    }
    return (uint32_t)hash_u64(h);
}

uint16_t wir_find(struct wir_pool *p, const uint32_t *lanes, uint32_t *hash)
{
    *hash = sum(lanes, p->lanes) & p->mask;
    struct wir_signature *set = set_of(p, *hash);
    for (uint32_t k = 0; k < p->ways; k++)
        if (set[k].used && set[k].hash == *hash) {
            set[k].last_used = ++p->serial;
            return set[k].number;
        }
    return WIR_NONE;
}

// The signature's place: of another number with the same signature, unused, or not used longest.
static struct wir_signature *place_for(struct wir_signature *set, uint32_t ways, uint32_t hash)
{
    struct wir_signature *best = set;
    for (uint32_t k = 0; k < ways; k++) {
        if (set[k].used && set[k].hash == hash) return &set[k];
        if (best->used && (!set[k].used || set[k].last_used < best->last_used)) best = &set[k];
    }
    return best;
}

void wir_sign(struct wir_pool *p, uint16_t number, uint32_t hash)
{
    struct wir_signature *s = place_for(set_of(p, hash), p->ways, hash);
    if (s->used) p->numbers[s->number].is_signed = false;
    *s = (struct wir_signature){.used = true, .number = number, .hash = hash, .last_used = ++p->serial};
    p->numbers[number].hash = hash;
    p->numbers[number].is_signed = true;
}
