// The ratio of temporal resource underutilisation of a block: what warps that end before its last one leave unused by
// block, of what they have (Xiang's dissertation, 3.3.2).
#pragma once
#include <stddef.h>
#include <stdint.h>

// Of warps that have ended so many cycles after their block had begun. 0 of none, and of a block of no time.
double warps_rtru(const uint64_t *cycles, size_t count);
