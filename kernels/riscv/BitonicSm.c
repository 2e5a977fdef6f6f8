// Batcher's bitonic network (1968): a block sorts an array of keys with their values in the scratchpad.
#include "simt.h"

enum { LENGTH = 1024 };

KERNEL(bitonicsm, const unsigned *in_keys, *in_values; unsigned *keys, *values;)
{
    unsigned *key = shared, *value = key + LENGTH, begin = blockIdx.x * LENGTH;
    for (unsigned i = threadIdx.x; i < LENGTH; i += blockDim.x) {
        key[i] = arg.in_keys[begin + i];
        value[i] = arg.in_values[begin + i];
    }
    for (unsigned run = 2; run <= LENGTH; run *= 2)
        for (unsigned stride = run / 2; stride; stride /= 2) {
            __syncthreads();
            unsigned low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
            int falls = (threadIdx.x & run / 2) != 0 && run < LENGTH; // every other run, but the last, falls
            CONVERGE(if ((key[low] > key[high]) != falls) {
                unsigned k = key[low], v = value[low];
                key[low] = key[high];
                value[low] = value[high];
                key[high] = k;
                value[high] = v;
            });
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < LENGTH; i += blockDim.x) {
        arg.keys[begin + i] = key[i];
        arg.values[begin + i] = value[i];
    }
}

int main(void)
{
    const unsigned arrays = host_is_small() ? 4 : 32, count = arrays * LENGTH;
    unsigned *in_keys = host_alloc(count * 4), *in_values = host_alloc(count * 4);
    unsigned *keys = host_alloc(count * 4), *values = host_alloc(count * 4);
    struct random r = {1};
    for (unsigned i = 0; i < count; i++) {
        in_keys[i] = random_next(&r);
        in_values[i] = i;
    }
    LAUNCH(bitonicsm, dim(arrays, 1), dim(LENGTH / 2, 1), .in_keys = in_keys, .in_values = in_values, .keys = keys,
           .values = values);
    // In order, each value with its key, and no value twice or of another array.
    unsigned char *seen = host_alloc(count);
    for (unsigned i = 0; i < count; i++) {
        if (i % LENGTH && keys[i - 1] > keys[i]) return host_report_wrong("BitonicSm", i, keys[i], keys[i - 1]);
        unsigned v = values[i];
        if (v / LENGTH != i / LENGTH || seen[v]++) return host_report_wrong("BitonicSm", i, v, i / LENGTH * LENGTH);
        if (keys[i] != in_keys[v]) return host_report_wrong("BitonicSm", i, keys[i], in_keys[v]);
    }
    return host_report_passed("BitonicSm", arrays);
}
