// Hashing, and maps from byte strings or 64-bit keys to 32-bit values. Iteration follows insertion order, so
// output never depends on addresses.
#pragma once
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

static inline uint64_t hash_u64(uint64_t x) // the finaliser of splitmix64
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// The map does not copy keys; keys must outlive the map (for example, arena strings).
struct strmap_entry {
    const char *key;
    size_t length;
    uint32_t value;
};

struct strmap {
    VEC(struct strmap_entry) entries; // insertion order
    uint32_t *slots;                  // 1 + entry index, 0 = free
    size_t slot_count;
};

void strmap_fini(struct strmap *m);
bool strmap_get(const struct strmap *m, const char *key, size_t length, uint32_t *value);
// Inserts or replaces. True: the key is new.
bool strmap_set(struct strmap *m, const char *key, size_t length, uint32_t value);

struct u64map_entry {
    uint64_t key;
    uint32_t value;
};

struct u64map {
    VEC(struct u64map_entry) entries;
    uint32_t *slots;
    size_t slot_count;
};

void u64map_fini(struct u64map *m);
bool u64map_get(const struct u64map *m, uint64_t key, uint32_t *value);
bool u64map_set(struct u64map *m, uint64_t key, uint32_t value);
