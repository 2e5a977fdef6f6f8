// Settings of the SM and the chip. The memory behind the SMs has its own (memory/config.h).
#pragma once
#include "memory/config.h"

enum fetch_refill { FETCH_WHEN_EMPTY, FETCH_WHEN_SPACE };
enum pick_policy { // who goes first: pick.h
#define PICK(symbol, word, meaning) PICK_##symbol,
#include "gpu/pick.def"
#undef PICK
};
enum tags_allocate { ALLOCATE_MISS, ALLOCATE_FILL, ALLOCATE_STREAMING };
enum l1_write { L1_WRITE_THROUGH, L1_WRITE_ALLOCATE, L1_WRITE_LOCAL_BACK };
enum dependences { DEPENDENCES_SCOREBOARD, DEPENDENCES_ENCODED };

struct gpu_config {
#define GPU_U32(field, key, low, high, initial, meaning, source)    uint32_t field;
#define GPU_BOOL(field, key, initial, meaning, source)              bool field;
#define GPU_WORD(field, key, type, words, initial, meaning, source) int field; // enum type
#define GPU_LATENCY(which, name, cycles, busy)                      uint32_t latency_##which, interval_##which;
#include "gpu/config.def"
#undef GPU_U32
#undef GPU_BOOL
#undef GPU_WORD
#undef GPU_LATENCY
};

extern const struct config_key gpu_config_keys[];
extern const size_t gpu_config_key_count;

// NULL when the settings fit together, else what does not and what would; static text.
const char *gpu_config_check(const struct gpu_config *c);

// Everything the two tables set together, for one chip: the memory takes the core's clock.
struct tech_use;
struct chip_config {
    struct gpu_config gpu;
    struct memory_config memory;
    const struct tech_use *techs; // mechanisms (tech.h), in order
    unsigned tech_count;
};
