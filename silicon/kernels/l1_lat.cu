// Latency of L1: one thread follows a chain of 4,096 pointers, 32 KiB that it has written before, for 32,768
// steps.
#include "device.h"

#define POINTERS 4096
#define STEPS    32768

KERNEL void chase(unsigned long long *chain, unsigned long long *out)
{
    for (int i = 0; i < POINTERS; i++) chain[i] = (unsigned long long)&chain[(i + 1) % POINTERS];

    unsigned long long at = (unsigned long long)chain;
    for (int i = 0; i < STEPS; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    *out = at;
}
