// Small integer and bit helpers that C17 lacks.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t align_up(uint64_t value, uint64_t alignment) // alignment: a power of two
{
    return (value + alignment - 1) & ~(alignment - 1);
}
static inline uint32_t u32_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t u64_max(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline bool is_power_of_two(uint64_t v) { return v && !(v & (v - 1)); }
static inline unsigned bit_count(uint64_t v) { return (unsigned)__builtin_popcountll(v); }
static inline unsigned bit_count8(uint8_t v) // a few instructions on processors without popcount
{
    const uint64_t of_four_bits = 0x4332322132212110;
    return (of_four_bits >> (v & 15) * 4 & 15) + (of_four_bits >> (v >> 4) * 4 & 15);
}
static inline unsigned bit_lowest(uint64_t v) { return (unsigned)__builtin_ctzll(v); }        // v != 0
static inline unsigned bit_highest(uint64_t v) { return 63u - (unsigned)__builtin_clzll(v); } // v != 0
static inline uint64_t bit_mask(unsigned count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }

static inline uint32_t f32_bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}
static inline float f32_from_bits(uint32_t b)
{
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}
static inline uint64_t f64_bits(double d)
{
    uint64_t b;
    memcpy(&b, &d, sizeof b);
    return b;
}
static inline double f64_from_bits(uint64_t b)
{
    double d;
    memcpy(&d, &b, sizeof d);
    return d;
}
