#include "energy/sram.h"

#include <math.h>

double sram_access_pj(double reference_pj, uint64_t bits, uint64_t word_bits, unsigned ports)
{
    const double reference_bits = 8 * 1024 * 8, reference_word = 64, stretch = 0.5;
    if (bits < word_bits) bits = word_bits;
    return reference_pj * ((double)word_bits / reference_word) * sqrt((double)bits / reference_bits) *
           (1 + stretch * (ports - 1));
}
