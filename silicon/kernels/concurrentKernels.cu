// A thread that watches the clock until a time is over.
#include "device.h"

KERNEL void wait_cycles(long long *waited, long long cycles)
{
    unsigned start = (unsigned)clock();
    long long passed = 0;

    while (passed < cycles) passed = (unsigned)clock() - start;
    waited[0] = passed;
}
