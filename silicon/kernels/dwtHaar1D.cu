// An array filled with one value.
#include "device.h"

KERNEL void fill(float *out, float value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
