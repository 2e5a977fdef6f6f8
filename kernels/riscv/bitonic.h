// What both sizes of the sort share: Batcher's bitonic network (1968) over keys and their values.
#pragma once
#include "simt.h"

#ifdef ELEMENT
typedef ELEMENT element;
#else
typedef unsigned element;
#endif

// The lower element of the pair that comparison i has at a stride.
INLINE unsigned bitonic_low(unsigned i, unsigned stride) { return 2 * i - (i & (stride - 1)); }

// Puts a pair in order, rising (1) or falling (0).
INLINE void bitonic_exchange(element *key_a, unsigned *value_a, element *key_b, unsigned *value_b, unsigned rises)
{
    if ((*key_a > *key_b) == rises) {
        const element key = *key_a;
        *key_a = *key_b;
        *key_b = key;
        const unsigned value = *value_a;
        *value_a = *value_b;
        *value_b = value;
    }
    simt_meet();
}

// All strides of a run of keys and values in the scratchpad, from the given stride on. A thread has a pair.
#define BITONIC_MERGE(STRIDE, RISES)                                                                                   \
    for (unsigned stride = STRIDE; stride; stride /= 2) {                                                              \
        __syncthreads();                                                                                               \
        const unsigned low = bitonic_low(threadIdx.x, stride), high = low + stride;                                    \
        bitonic_exchange(&key[low], &value[low], &key[high], &value[high], RISES);                                     \
    }

// Values are no count, which registers could keep as a base and a stride, but a permutation of all words: a product with
// an odd number, and back.
INLINE unsigned bitonic_value(unsigned i) { return i * 0x9e3779b1u; }
INLINE unsigned bitonic_index(unsigned value) { return value * 0x0e8b2f51u; }
