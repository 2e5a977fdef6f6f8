// A bitonic sort: a block sorts an array of keys with their values in the scratchpad. A thread loads and stores two
// elements half an array apart.
#include "bitonic.h"

enum { LENGTH = 1024, HALF = LENGTH / 2 };

KERNEL(bitonicsm, unsigned length, rises; const unsigned *in_keys, *in_values; unsigned *keys, *values;)
{
    unsigned *const key = SHARED(unsigned, LENGTH), *const value = SHARED(unsigned, LENGTH);
    const unsigned mine = blockIdx.x * LENGTH + threadIdx.x;
    const unsigned *const in_keys = arg.in_keys + mine, *const in_values = arg.in_values + mine;
    unsigned *const keys = arg.keys + mine, *const values = arg.values + mine;
    key[threadIdx.x] = in_keys[0];
    value[threadIdx.x] = in_values[0];
    key[threadIdx.x + HALF] = in_keys[HALF];
    value[threadIdx.x + HALF] = in_values[HALF];
    for (unsigned run = 2; run < arg.length; run *= 2) {
        const unsigned rises = (threadIdx.x & run / 2) != 0; // every other run
        BITONIC_MERGE(run / 2, rises)
    }
    BITONIC_MERGE(arg.length / 2, arg.rises)
    __syncthreads();
    keys[0] = key[threadIdx.x];
    values[0] = value[threadIdx.x];
    keys[HALF] = key[threadIdx.x + HALF];
    values[HALF] = value[threadIdx.x + HALF];
}

int main(void)
{
    const unsigned arrays = host_is_small() ? 4 : 32, count = arrays * LENGTH;
    unsigned *in_keys = host_alloc(count * 4), *in_values = host_alloc(count * 4);
    unsigned *keys = host_alloc(count * 4), *values = host_alloc(count * 4);
    struct random r = {1};
    for (unsigned i = 0; i < count; i++) {
        in_keys[i] = random_next(&r);
        in_values[i] = bitonic_value(i);
    }
    LAUNCH(bitonicsm, dim(arrays, 1), dim(HALF, 1), .length = LENGTH, .rises = 1, .in_keys = in_keys,
           .in_values = in_values, .keys = keys, .values = values);
    // In order, each value with its key, and no value twice or of another array.
    unsigned char *seen = host_alloc(count);
    for (unsigned i = 0; i < count; i++) {
        if (i % LENGTH && keys[i - 1] > keys[i]) return host_report_wrong("BitonicSm", i, keys[i], keys[i - 1]);
        const unsigned v = bitonic_index(values[i]);
        if (v / LENGTH != i / LENGTH || seen[v]++) return host_report_wrong("BitonicSm", i, v, i / LENGTH * LENGTH);
        if (keys[i] != in_keys[v]) return host_report_wrong("BitonicSm", i, keys[i], in_keys[v]);
    }
    return host_report_passed("BitonicSm", arrays);
}
