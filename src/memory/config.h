// Settings of the memory hierarchy behind the SMs: interconnect, L2, DRAM. The settings of L1 are in
// sm/config.h.
#pragma once
#include "base/config.h"
#include "memory/cache.h"

enum { MEMORY_GRIDS = 32 }; // grids with separate counts

struct memory_config {
    // Filled by chip/ from its own settings.
    uint32_t core_mhz;
    bool perfect;         // answer every request after the interconnect latency alone
    bool perfect_atomics; // the same, for atomics and reductions only
    // In a slice of the chip (gpu.slice): interconnect cycles of a flit at the port of an L2 slice. 0: 1
    uint32_t port_cycles;
#define MEMORY_U32  CONFIG_MEMBER_U32
#define MEMORY_WORD CONFIG_MEMBER_WORD
#include "memory/config.def"
#undef MEMORY_U32
#undef MEMORY_WORD
};

static inline uint32_t memory_l2_line_bytes(const struct memory_config *c)
{
    return c->l2_line_bytes ? c->l2_line_bytes : c->line_bytes;
}

extern const struct config_key memory_config_keys[];
extern const size_t memory_config_key_count;

// NULL when the settings fit together, else the conflict and its remedy ("memory.interleave_bytes must be
// …"); static text.
const char *memory_config_check(const struct memory_config *c);
