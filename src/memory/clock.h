// Clock domains. Everything a caller sees is in core cycles; a component that runs on another clock keeps its
// own cycles inside and converts at its edges, upwards, so that nothing happens before its time.
#pragma once
#include <stdint.h>

struct clock_ratio {
    uint32_t core_mhz, own_mhz;
};

// First own cycle that begins at or after a core cycle.
static inline uint64_t clock_from_core(struct clock_ratio c, uint64_t core)
{
    return (core * c.own_mhz + c.core_mhz - 1) / c.core_mhz;
}
// First core cycle that begins at or after an own cycle.
static inline uint64_t clock_to_core(struct clock_ratio c, uint64_t own)
{
    return (own * c.core_mhz + c.own_mhz - 1) / c.own_mhz;
}
// Core cycle during which an own cycle begins. What runs up to core cycle `until` (own < clock_from_core(until)) does this own cycle if
// and only if the core cycle is below `until`.
static inline uint64_t clock_in_core(struct clock_ratio c, uint64_t own)
{
    return own * c.core_mhz / c.own_mhz;
}
