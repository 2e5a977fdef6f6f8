// Division of 64-bit numbers by a number that stays the same: a multiplication in place of a division.
//
// reciprocal is 2^64 / value, rounded up by less than 1. For n below 2^64 / value, n * reciprocal / 2^64 exceeds
// n / value by less than 1 / value, so the whole part is exact. Larger numbers are divided.
#pragma once
#include <stdint.h>

struct divisor {
    uint64_t value;
    uint64_t reciprocal; // 0 for value 1
    uint64_t limit;      // numbers below are multiplied
    uint64_t all;        // all ones for value 1, else 0
};

static inline struct divisor divisor_of(uint64_t value)
{
    if (value == 1) return (struct divisor){.value = 1, .limit = UINT64_MAX, .all = UINT64_MAX};
    return (struct divisor){
        .value = value, .reciprocal = UINT64_MAX / value + 1, .limit = UINT64_MAX / value};
}

static inline uint64_t divisor_quotient(const struct divisor *d, uint64_t n)
{
    if (__builtin_expect(n >= d->limit, 0)) return n / d->value;
    return (uint64_t)((unsigned __int128)n * d->reciprocal >> 64) + (n & d->all);
}

static inline uint64_t divisor_rest(const struct divisor *d, uint64_t n)
{
    return n - divisor_quotient(d, n) * d->value;
}
