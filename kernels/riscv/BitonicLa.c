// A bitonic sort of more than the scratchpad holds: strides as long as a part or longer in DRAM, a launch each; what is
// left of a run is done a part at a time in the scratchpad. Needs 2,048 threads. -DELEMENT=float: floating-point keys.
#include "bitonic.h"

#ifdef ELEMENT
#define PROGRAM "BitonicLaFloat"
#else
#define PROGRAM "BitonicLa"
#endif

enum { HALF = SIMT_THREADS, PART = 2 * HALF };

#define PARTS_ARGUMENTS const element *in_keys; const unsigned *in_values; element *keys; unsigned *values;

// A part of keys and values, from DRAM to the scratchpad and back. A thread moves two elements half a part apart.
#define PART_BEGIN                                                                                                     \
    element *const key = SHARED(element, PART);                                                                        \
    unsigned *const value = SHARED(unsigned, PART);                                                                    \
    const unsigned mine = blockIdx.x * PART + threadIdx.x;                                                             \
    const element *const in_keys = arg.in_keys + mine;                                                                 \
    const unsigned *const in_values = arg.in_values + mine;                                                            \
    element *const keys = arg.keys + mine;                                                                             \
    unsigned *const values = arg.values + mine;                                                                        \
    key[threadIdx.x] = in_keys[0];                                                                                     \
    value[threadIdx.x] = in_values[0];                                                                                 \
    key[threadIdx.x + HALF] = in_keys[HALF];                                                                           \
    value[threadIdx.x + HALF] = in_values[HALF];
#define PART_END                                                                                                       \
    __syncthreads();                                                                                                   \
    keys[0] = key[threadIdx.x];                                                                                        \
    values[0] = value[threadIdx.x];                                                                                    \
    keys[HALF] = key[threadIdx.x + HALF];                                                                              \
    values[HALF] = value[threadIdx.x + HALF];

// Sorts each part; every other part rises.
KERNEL(sort_parts, PARTS_ARGUMENTS)
{
    PART_BEGIN
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & (HALF - 1);
    for (unsigned run = 2; run < PART; run *= 2) {
        const unsigned rises = (i & run / 2) != 0;
        BITONIC_MERGE(run / 2, rises)
    }
    const unsigned rises = blockIdx.x & 1;
    BITONIC_MERGE(HALF, rises)
    PART_END
}

// The strides of a run of several parts that lie within a part.
KERNEL(merge_near, PARTS_ARGUMENTS unsigned count, run, stride, rises;)
{
    PART_BEGIN
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) & (arg.count / 2 - 1);
    const unsigned rises = arg.rises ^ ((i & arg.run / 2) != 0);
    BITONIC_MERGE(arg.stride, rises)
    PART_END
}

// A stride of a run: a thread reads a pair and writes it back in order.
KERNEL(merge_far, PARTS_ARGUMENTS unsigned count, run, stride, rises;)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = bitonic_low(i, arg.stride), high = low + arg.stride;
    const unsigned rises = arg.rises ^ ((i & (arg.count / 2 - 1) & arg.run / 2) != 0);
    element key_a = arg.in_keys[low], key_b = arg.in_keys[high];
    unsigned value_a = arg.in_values[low], value_b = arg.in_values[high];
    bitonic_exchange(&key_a, &value_a, &key_b, &value_b, rises);
    arg.keys[low] = key_a;
    arg.values[low] = value_a;
    arg.keys[high] = key_b;
    arg.values[high] = value_b;
}

static void sort(const element *in_keys, const unsigned *in_values, element *keys, unsigned *values, unsigned count)
{
    const struct dim grid = dim(count / PART, 1), block = dim(SIMT_THREADS, 1);
    LAUNCH(sort_parts, grid, block, .in_keys = in_keys, .in_values = in_values, .keys = keys, .values = values);
    for (unsigned run = 2 * PART; run <= count; run *= 2) {
        for (unsigned stride = run / 2; stride >= PART; stride /= 2)
            LAUNCH(merge_far, grid, block, .in_keys = keys, .in_values = values, .keys = keys, .values = values,
                   .count = count, .run = run, .stride = stride, .rises = 1);
        LAUNCH(merge_near, grid, block, .in_keys = keys, .in_values = values, .keys = keys, .values = values,
               .count = count, .run = run, .stride = HALF, .rises = 1);
    }
}

int main(void)
{
    const unsigned count = host_is_small() ? 1 << 13 : 1 << 18;
    element *in_keys = host_alloc(count * sizeof(element)), *keys = host_alloc(count * sizeof(element));
    unsigned *in_values = host_alloc(count * 4), *values = host_alloc(count * 4);
    struct random r = {1};
    for (unsigned i = 0; i < count; i++) {
        in_keys[i] = (element)random_next(&r);
        in_values[i] = bitonic_value(i);
    }
    sort(in_keys, in_values, keys, values, count);
    unsigned char *seen = host_alloc(count);
    for (unsigned i = 0; i < count; i++) {
        if (i && keys[i - 1] > keys[i]) return host_report_wrong(PROGRAM, i, (unsigned)keys[i], (unsigned)keys[i - 1]);
        const unsigned v = bitonic_index(values[i]);
        if (v >= count || seen[v]++) return host_report_wrong(PROGRAM, i, v, count);
        if (keys[i] != in_keys[v]) return host_report_wrong(PROGRAM, i, (unsigned)keys[i], (unsigned)in_keys[v]);
    }
    return host_report_passed(PROGRAM, count);
}
