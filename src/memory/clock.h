// Clock domains. Callers see core cycles only. A component on a different clock keeps its own cycles inside
// and converts at its edges, rounding up, so no event happens early.
#pragma once
#include <stdint.h>

struct clock_ratio {
    uint32_t core_mhz, own_mhz;
};

// First cycle of the component's own clock beginning at or after a core cycle.
static inline uint64_t clock_from_core(struct clock_ratio c, uint64_t core)
{
    return (core * c.own_mhz + c.core_mhz - 1) / c.core_mhz;
}
// First core cycle beginning at or after a cycle of the component's own clock.
static inline uint64_t clock_to_core(struct clock_ratio c, uint64_t own)
{
    return (own * c.core_mhz + c.own_mhz - 1) / c.own_mhz;
}
// Core cycle during which a cycle `own` of the component's clock begins. A run up to core cycle `until` (own
// < clock_from_core(until)) covers the own cycle if and only if the returned core cycle is below `until`.
static inline uint64_t clock_in_core(struct clock_ratio c, uint64_t own)
{
    return own * c.core_mhz / c.own_mhz;
}
