// An mbarrier (PTX ISA 9.7.13.15) in its eight bytes of shared memory. PTX leaves the layout open.
//
//     bit 63      parity of the present phase
//     bits 20-39  arrivals expected in every phase
//     bits 0-19   arrivals missing in the present phase
//
// The compiler makes initialisation, tests and counts from ordinary instructions; arrival is the atomic ATOM_ARRIVE.
#pragma once
#include <stdint.h>

enum { MBARRIER_COUNT_BITS = 20, MBARRIER_PARITY_BIT = 63 };

// State after an arrival. change: arrivals made, and from bit 20 on arrivals that later phases no longer expect.
static inline uint64_t mbarrier_arrive(uint64_t state, uint64_t change)
{
    const uint64_t mask = (1ull << MBARRIER_COUNT_BITS) - 1;
    uint64_t expected = ((state >> MBARRIER_COUNT_BITS) - (change >> MBARRIER_COUNT_BITS)) & mask,
             missing = (state - change) & mask, parity = state >> MBARRIER_PARITY_BIT;
    if (!missing) missing = expected, parity ^= 1;
    return parity << MBARRIER_PARITY_BIT | expected << MBARRIER_COUNT_BITS | missing;
}
