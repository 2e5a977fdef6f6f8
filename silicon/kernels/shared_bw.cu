// Bandwidth of shared memory, read by a block of 1,024 threads in stretches of four words a thread, one word
// further on each time: four scalar loads, each with its bank shared by four lanes.
#include "device.h"

#define WORDS  (48 * 1024 / 4)
#define ROUNDS (WORDS / 2)

KERNEL void read(float *out)
{
    __shared__ float words[WORDS];
    float sum[4] = {0, 0, 0, 0};

    for (int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = (float)i;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++)
        for (int j = threadIdx.x * 4; j < WORDS - ROUNDS; j += 4 * blockDim.x)
            for (int k = 0; k < 4; k++) sum[k] += words[j + k + round];
    __syncthreads();
    out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
