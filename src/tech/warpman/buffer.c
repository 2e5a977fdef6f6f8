// The workload buffer as a word of bits.
#include "tech/warpman/warpman.h"

#include "base/bits.h"

unsigned warpman_physical_bits(const struct gpu_config *c)
{
    unsigned bits = 0;
    while (1u << bits < c->max_blocks) bits++;
    return bits;
}

unsigned warpman_buffer_bits(const struct gpu_config *c)
{
    return warpman_physical_bits(c) + BUFFER_LOGICAL_BITS + 2 * BUFFER_WARP_BITS + 1;
}

static void put(uint64_t *word, unsigned bits, uint64_t value)
{
    *word = *word << bits | (value & bit_mask(bits));
}

static uint64_t take(uint64_t *word, unsigned bits)
{
    uint64_t value = *word & bit_mask(bits);
    *word >>= bits;
    return value;
}

uint64_t warpman_buffer_pack(const struct warpman_buffer *b, const struct gpu_config *c)
{
    uint64_t word = 0;
    put(&word, warpman_physical_bits(c), b->physical);
    put(&word, BUFFER_LOGICAL_BITS, b->logical);
    put(&word, BUFFER_WARP_BITS, b->start);
    put(&word, BUFFER_WARP_BITS, b->end);
    put(&word, 1, b->valid);
    return word;
}

void warpman_buffer_unpack(struct warpman_buffer *b, uint64_t bits, const struct gpu_config *c)
{
    *b = (struct warpman_buffer){.valid = take(&bits, 1)};
    b->end = (uint32_t)take(&bits, BUFFER_WARP_BITS);
    b->start = (uint32_t)take(&bits, BUFFER_WARP_BITS);
    b->logical = take(&bits, BUFFER_LOGICAL_BITS);
    b->physical = (unsigned)take(&bits, warpman_physical_bits(c));
}
