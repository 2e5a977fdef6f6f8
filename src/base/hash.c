// Open addressing with linear probing over a power-of-two table of entry numbers, at most half full.
#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ (length * 0x9e3779b97f4a7c15ull);
    for (; length >= 8; length -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = hash_u64(h ^ word) + 0x9e3779b97f4a7c15ull;
    }
    uint64_t tail = 0;
    if (length) memcpy(&tail, p, length);
    return hash_u64(h ^ tail);
}

static uint64_t strmap_hash(const char *key, size_t length) { return hash_bytes(key, length, 0); }

void strmap_fini(struct strmap *m)
{
    vec_fini(&m->entries);
    free(m->slots);
    *m = (struct strmap){0};
}

static size_t strmap_slot(const struct strmap *m, const char *key, size_t length)
{
    size_t i = (size_t)strmap_hash(key, length) & (m->slot_count - 1);
    for (; m->slots[i]; i = (i + 1) & (m->slot_count - 1)) {
        const struct strmap_entry *e = &m->entries.data[m->slots[i] - 1];
        if (e->length == length && memcmp(e->key, key, length) == 0) break;
    }
    return i;
}

bool strmap_get(const struct strmap *m, const char *key, size_t length, uint32_t *value)
{
    if (!m->slot_count) return false;
    size_t i = strmap_slot(m, key, length);
    if (!m->slots[i]) return false;
    *value = m->entries.data[m->slots[i] - 1].value;
    return true;
}

bool strmap_set(struct strmap *m, const char *key, size_t length, uint32_t value)
{
    if ((m->entries.count + 1) * 2 > m->slot_count) {
        m->slot_count = m->slot_count ? m->slot_count * 2 : 16;
        free(m->slots);
        m->slots = heap_alloc(m->slot_count * sizeof *m->slots);
        for (size_t e = 0; e < m->entries.count; e++)
            m->slots[strmap_slot(m, m->entries.data[e].key, m->entries.data[e].length)] = (uint32_t)e + 1;
    }
    size_t i = strmap_slot(m, key, length);
    if (m->slots[i]) {
        m->entries.data[m->slots[i] - 1].value = value;
        return false;
    }
    vec_push(&m->entries, (struct strmap_entry){key, length, value});
    m->slots[i] = (uint32_t)m->entries.count;
    return true;
}

void u64map_fini(struct u64map *m)
{
    vec_fini(&m->entries);
    free(m->slots);
    *m = (struct u64map){0};
}

static size_t u64map_slot(const struct u64map *m, uint64_t key)
{
    size_t i = (size_t)hash_u64(key) & (m->slot_count - 1);
    while (m->slots[i] && m->entries.data[m->slots[i] - 1].key != key) i = (i + 1) & (m->slot_count - 1);
    return i;
}

bool u64map_get(const struct u64map *m, uint64_t key, uint32_t *value)
{
    if (!m->slot_count) return false;
    size_t i = u64map_slot(m, key);
    if (!m->slots[i]) return false;
    *value = m->entries.data[m->slots[i] - 1].value;
    return true;
}

bool u64map_set(struct u64map *m, uint64_t key, uint32_t value)
{
    if ((m->entries.count + 1) * 2 > m->slot_count) {
        m->slot_count = m->slot_count ? m->slot_count * 2 : 16;
        free(m->slots);
        m->slots = heap_alloc(m->slot_count * sizeof *m->slots);
        for (size_t e = 0; e < m->entries.count; e++)
            m->slots[u64map_slot(m, m->entries.data[e].key)] = (uint32_t)e + 1;
    }
    size_t i = u64map_slot(m, key);
    if (m->slots[i]) {
        m->entries.data[m->slots[i] - 1].value = value;
        return false;
    }
    vec_push(&m->entries, (struct u64map_entry){key, value});
    m->slots[i] = (uint32_t)m->entries.count;
    return true;
}
