// Where a global address lives: slice, channel, bank, row. Consecutive interleave-sized pieces go around
// the slices. Upper address bits are folded in, so power-of-two strides spread over the partitions.
#pragma once
#include "memory/config.h"

struct memory_place {
    uint32_t slice;   // partition * slices + slice within the partition
    uint32_t channel; // partition
    uint32_t bank, row;
};

struct memory_place memory_place_of(const struct memory_config *c, uint64_t address);
