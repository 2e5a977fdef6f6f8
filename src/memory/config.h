// Settings of the memory hierarchy behind the SMs: interconnect, L2, DRAM. The L1 side is in gpu/.
#pragma once
#include "base/config.h"
#include "memory/cache.h"

enum { MEMORY_GRIDS = 32 }; // whose requests are counted apart

struct memory_config {
    // Filled by gpu/ from its own settings.
    uint32_t core_mhz;
    bool perfect; // every request is answered after the way through the interconnect
#define MEMORY_U32(field, key, low, high, initial, meaning, source)    uint32_t field;
#define MEMORY_WORD(field, key, type, words, initial, meaning, source) int field; // enum type
#include "memory/config.def"
#undef MEMORY_U32
#undef MEMORY_WORD
};

extern const struct config_key memory_config_keys[];
extern const size_t memory_config_key_count;

// NULL when the settings fit together, else what does not and what would ("l2.interleave…"), static text.
const char *memory_config_check(const struct memory_config *c);
