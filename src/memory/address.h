// Where a global address lives: slice, channel, bank, row. Consecutive interleave-sized pieces go around
// the slices. Upper address bits are folded in, so power-of-two strides spread over the partitions.
#pragma once
#include "base/divisor.h"
#include "memory/config.h"

struct memory_place {
    uint32_t slice;   // partition * slices + slice within the partition
    uint32_t channel; // partition
    uint32_t bank, row;
};

// The numbers that memory_place_of divides by, prepared for memory_place_at.
struct memory_map {
    struct divisor interleave_bytes, all_slices, slices, dram_groups, pieces_of_row, banks_of_group;
};

void memory_map_init(struct memory_map *m, const struct memory_config *c);
struct memory_place memory_place_at(const struct memory_map *m, uint64_t address);
// The plain statement of memory_place_at.
struct memory_place memory_place_of(const struct memory_config *c, uint64_t address);
