// The energy of an access to a small SRAM, from its size, width and ports.
//
// Word lines and bit lines grow with the square root of the capacity, and so does the energy of a bit. Each
// port beyond the first adds a word line and a pair of bit lines to every cell, stretching all lines by half
// a cell. Calibrated at one point (64 bits of 8 KB, one port). Horowitz's other points, 20 pJ for 32 KB and
// 100 pJ for 1 MB, come out as 20 and 113. Left out: associative search; tags count as read bits.
#pragma once
#include <math.h>
#include <stdint.h>

// Energy in pJ of accessing `word_bits` of an SRAM of `bits`. `reference_pj`: energy of reading 64 bits from
// 8 KB with one port. bits, word_bits, ports: 1 or more.
static inline double sram_access_pj(double reference_pj, uint64_t bits, uint64_t word_bits, unsigned ports)
{
    const double reference_bits = 8 * 1024 * 8, reference_word = 64, stretch = 0.5;
    if (bits < word_bits) bits = word_bits;
    return reference_pj * ((double)word_bits / reference_word) * sqrt((double)bits / reference_bits) *
           (1 + stretch * (ports - 1));
}
