// Capacities of an SM, and values for "none".
#pragma once
#include <stdint.h>

enum {
    SM_WARPS = 64,
    SM_BLOCKS = 64,
    SM_GRIDS = 8,
    SM_SCHEDULERS = 8,
    SM_BANKS = 64,
    NO_BANK = SM_BANKS,
    NO_WARP = SM_WARPS,
    NO_PLACE = SM_WARPS,
    // slot of the first grid's guest (a mechanism's instruction stream); beyond the bits of a 64-bit warp set
    GUEST_SLOT = NO_WARP + 1,
    SM_SLOTS = GUEST_SLOT + SM_GRIDS,
    MAP_REGISTERS = 256
};
enum { NONE32 = UINT32_MAX };
#define CYCLE_NEVER UINT64_MAX

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }
