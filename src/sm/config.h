// Settings of an SM. The chip (chip/config.h) and the memory system (memory/config.h) have settings of
// their own.
#pragma once
#include "base/config.h"

enum fetch_refill { FETCH_WHEN_EMPTY, FETCH_WHEN_SPACE };
enum shared_operand { SHARED_OPERAND_MEMORY, SHARED_OPERAND_ARITHMETIC };
enum shared_wide { SHARED_WIDE_PARTS, SHARED_WIDE_WORDS };
enum tags_allocate { ALLOCATE_MISS, ALLOCATE_FILL, ALLOCATE_STREAMING };
enum l1_fetch { FETCH_SECTORS, FETCH_LINE };
enum l1_write { L1_WRITE_THROUGH, L1_WRITE_ALLOCATE, L1_WRITE_LOCAL_BACK };
enum dependences { DEPENDENCES_SCOREBOARD, DEPENDENCES_ENCODED, DEPENDENCES_SINGLE, DEPENDENCES_BOARD };
enum predict_way { PREDICT_NONE, PREDICT_STATIC, PREDICT_GSHARE, PREDICT_PERFECT };

struct gpu_config {
// Kinds of setting. A setting of kind word is stored as a number: the value of an enum, or the row number in
// a table (pick.def).
#define GPU_U32  CONFIG_MEMBER_U32
#define GPU_BOOL CONFIG_MEMBER_BOOL
#define GPU_WORD CONFIG_MEMBER_WORD

#define GPU_LATENCY(which, name, cycles, busy) uint32_t latency_##which, interval_##which;
#define GPU_PRODUCT(which, name, products)     uint32_t latency_##which, interval_##which;
#include "sm/config.def"
};

enum {
    GPU_KEYS = 0
#define GPU_U32(...)     +1
#define GPU_BOOL(...)    +1
#define GPU_WORD(...)    +1
#define GPU_LATENCY(...) +2
#define GPU_PRODUCT(...) +2
#include "sm/config.def"
};

extern const struct config_key gpu_config_keys[];
extern const size_t gpu_config_key_count; // GPU_KEYS
// whether the setting with index `key` has one value for all SMs of a chip
bool gpu_config_is_chips(size_t key);

// NULL: the settings fit together; else the broken rule between settings, static text.
const char *gpu_config_check(const struct gpu_config *c);
// Number of an SM's registers available to warps with `warp` registers each: whole warps in every register
// file.
uint32_t gpu_registers_for(const struct gpu_config *c, uint32_t warp);
// Capacity in bytes of an SM's instruction cache; 0: every fetch hits.
uint32_t gpu_code_bytes(const struct gpu_config *c, uint32_t line_bytes);

// SMs of one class. A chip without classes has a single unnamed kind with all SMs.
enum { GPU_KINDS_MAX = 8, GPU_KIND_NAME = 32 };
struct gpu_kind {
    char name[GPU_KIND_NAME]; // "": the chip has no classes
    uint32_t first, count;    // indices of the SMs: first .. first + count - 1
    struct gpu_config config;
};
