// Addresses of a memory instruction's lanes, for coalescing in the timing model and for observers.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { WARP_SIZE_MAX = 64 }; // lanes

// Addresses of all lanes, active or not. ROW: lane n at n times the access's bytes from lane 0. SAME: one address.
// APART: others, also of textures.
enum access_pattern { PATTERN_APART, PATTERN_ROW, PATTERN_SAME };

// REMOTE: after its execution, an instruction that has accessed shared memory of another block (remote.h).
enum access_kind {
    ACCESS_NONE,
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_REDUCE,
    ACCESS_TEXTURE,
    ACCESS_REMOTE
};

struct exec_access {
    uint8_t kind, bytes; // enum access_kind; bytes per lane
    uint8_t pattern;     // enum access_pattern
    uint64_t mask;       // active lanes, guard applied
    // Subsets of mask: lanes that access shared and local memory. The other lanes of mask access global
    // memory (LDC: a constant bank).
    uint64_t shared, local;
    // By lane: address in the memory accessed; an offset in shared and local memory. Texture fetch: address
    // of the first texel read, filled in by the fetch; 0: no texel read.
    uint64_t address[WARP_SIZE_MAX];
};

// True when all lanes of the warp are active and access consecutive data, in lane order, in one memory space.
bool exec_access_is_row(const struct exec_access *a, unsigned lanes);
// The same by the pattern found with the addresses; false also for some rows over a multiple of 4 GiB.
bool exec_access_was_row(const struct exec_access *a, unsigned lanes);
