// An mbarrier (PTX ISA 9.7.13.15) in its eight bytes of shared memory. PTX leaves the layout open.
//
//      63  62             42 41 40 39       20 19        0
//     ┌───┬──────────────────┬─────┬───────────┬───────────┐
//     │ p │ bytes, signed    │     │ expected  │ missing   │
//     └───┴──────────────────┴─────┴───────────┴───────────┘
//
//     p         parity of the present phase
//     bytes     the tx-count: bytes expected and not yet complete; below zero where they complete first
//     expected  arrivals expected in every phase
//     missing   arrivals missing in the present phase
//
// A phase is over once neither arrivals nor bytes are missing. The compiler makes initialisation, tests and counts from
// ordinary instructions; every other operation is the atomic ATOM_ARRIVE.
#pragma once
#include <stdint.h>

enum {
    MBARRIER_COUNT_BITS = 20,
    MBARRIER_BYTES_BITS = 21,
    MBARRIER_BYTES_BIT = 42,
    MBARRIER_PARITY_BIT = 63
};

// State after a change. change, in the fields of a state: arrivals made, arrivals that later phases no longer expect, and
// bytes to add.
static inline uint64_t mbarrier_arrive(uint64_t state, uint64_t change)
{
    const uint64_t mask = (1ull << MBARRIER_COUNT_BITS) - 1, bytes_mask = (1ull << MBARRIER_BYTES_BITS) - 1;
    uint64_t expected = ((state >> MBARRIER_COUNT_BITS) - (change >> MBARRIER_COUNT_BITS)) & mask,
             missing = (state - change) & mask, parity = state >> MBARRIER_PARITY_BIT,
             bytes = ((state >> MBARRIER_BYTES_BIT) + (change >> MBARRIER_BYTES_BIT)) & bytes_mask;
    if (!missing && !bytes) missing = expected, parity ^= 1;
    return parity << MBARRIER_PARITY_BIT | bytes << MBARRIER_BYTES_BIT | expected << MBARRIER_COUNT_BITS |
           missing;
}
