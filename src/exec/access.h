// Where the lanes of a memory instruction go: what the timing model coalesces and observers are told.
#pragma once
#include "exec/launch.h"

enum access_kind { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCE, ACCESS_TEXTURE };

struct exec_access {
    uint8_t kind, bytes;             // enum access_kind; of a lane
    uint64_t mask;                   // lanes that take part
    uint64_t shared, local;          // those of them that go there; the others to global memory
    uint64_t address[WARP_SIZE_MAX]; // in the lane's space; of a texture fetch, the first texel's (0: none),
                                     // known when it has executed
};

// Every lane takes part, all in one space, and their data lie one behind the other.
bool exec_access_is_row(const struct exec_access *a, unsigned lanes);
