// The ratio of temporal resource underutilisation of a block (Xiang's dissertation, 3.3.2): the share of the
// warp cycles after each warp's own end, over all warp cycles from the block's start to its last warp's end.
#pragma once
#include <stddef.h>
#include <stdint.h>

// cycles: end of each warp, in cycles after the start of the block. Returns the share lost, 0 to 1; 0 for no
// warps or a block of no duration.
double warps_rtru(const uint64_t *cycles, size_t count);
