// Addresses of a memory instruction's lanes, for coalescing in the timing model and for observers.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { WARP_SIZE_MAX = 64 }; // lanes

enum access_kind { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCE, ACCESS_TEXTURE };

struct exec_access {
    uint8_t kind, bytes; // enum access_kind; bytes per lane
    uint64_t mask;       // active lanes, guard applied
    // Subsets of mask: lanes in shared and in local memory; the rest of mask is in global memory.
    uint64_t shared, local;
    // By lane, address in the lane's space. Texture fetch: of the first texel (0: none), set when executed.
    uint64_t address[WARP_SIZE_MAX];
};

// True when all lanes are active, in one space, and their data are consecutive.
bool exec_access_is_row(const struct exec_access *a, unsigned lanes);
