// What bench/silicon needs of a card beside the points: the clock of an SM about a launch, and a launch of nothing.

static __device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// The timer goes on in steps of up to a microsecond: the beginning of one.
static __device__ unsigned long long next_step(unsigned long long after)
{
    unsigned long long now;
    do now = nanoseconds();
    while (now <= after);
    return now;
}

// One thread: cycles and nanoseconds of a millisecond, from the beginning of a step to that of another.
extern "C" __global__ void clock_of_sm(unsigned long long *out)
{
    unsigned long long from = next_step(nanoseconds()), cycles = clock64();
    unsigned long long to = next_step(from + 1000000);
    out[0] = clock64() - cycles;
    out[1] = to - from;
}

extern "C" __global__ void nothing() {}
