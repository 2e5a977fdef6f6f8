// Greatest common divisors of pairs of numbers by Euclid's algorithm: every thread has a loop of its own length, with a
// division in it.
#include "device.h"

KERNEL void gcd(const unsigned *a, const unsigned *b, unsigned *out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned m = a[i], n = b[i];
        while (n) {
            unsigned rest = m % n;
            m = n;
            n = rest;
        }
        out[i] = m;
    }
}
