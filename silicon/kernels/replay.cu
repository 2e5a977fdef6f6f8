// What a launch finds in the L2 when a profiler repeats it for its counters: dirty lines of what was restored before it.
#include "device.h"

extern "C" __global__ void dirty_lines(unsigned *words)
{
    words[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
