// Batcher's bitonic network for more than the scratchpad holds: strides as long as a part or longer in DRAM, a launch
// each; what is left of a run is done a part at a time in the scratchpad. -DELEMENT=float: floating-point keys.
#include "simt.h"

#ifdef ELEMENT
typedef ELEMENT element;
#define PROGRAM "BitonicLaFloat"
#else
typedef unsigned element;
#define PROGRAM "BitonicLa"
#endif

enum { PART = 2 * SIMT_THREADS };

// The pair of elements that compare i has at a stride.
INLINE unsigned low_of(unsigned i, unsigned stride) { return 2 * i - (i & (stride - 1)); }

INLINE void exchange(element *keys, unsigned *values, unsigned low, unsigned high, int falls)
{
    CONVERGE(if ((keys[low] > keys[high]) != falls) {
        element k = keys[low];
        unsigned v = values[low];
        keys[low] = keys[high];
        values[low] = values[high];
        keys[high] = k;
        values[high] = v;
    });
}

// From runs of first / 2 to runs of last, all within a part.
KERNEL(sort_parts, unsigned count, first, last; element *keys; unsigned *values;)
{
    element *key = shared;
    unsigned *value = (unsigned *)(key + PART), begin = blockIdx.x * PART;
    for (unsigned i = threadIdx.x; i < PART; i += blockDim.x) {
        key[i] = arg.keys[begin + i];
        value[i] = arg.values[begin + i];
    }
    for (unsigned run = arg.first; run <= arg.last; run *= 2) {
        int falls = ((begin / 2 + threadIdx.x) & run / 2) != 0 && run < arg.count;
        for (unsigned stride = run < PART ? run / 2 : PART / 2; stride; stride /= 2) {
            __syncthreads();
            unsigned low = low_of(threadIdx.x, stride);
            exchange(key, value, low, low + stride, falls);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < PART; i += blockDim.x) {
        arg.keys[begin + i] = key[i];
        arg.values[begin + i] = value[i];
    }
}

KERNEL(merge_far, unsigned count, run, stride; element *keys; unsigned *values;)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, low = low_of(i, arg.stride);
    int falls = (i & arg.run / 2) != 0 && arg.run < arg.count;
    exchange(arg.keys, arg.values, low, low + arg.stride, falls);
}

static void sort(element *keys, unsigned *values, unsigned count)
{
    const struct dim grid = dim(count / PART, 1), block = dim(SIMT_THREADS, 1);
    LAUNCH(sort_parts, grid, block, .count = count, .first = 2, .last = PART, .keys = keys, .values = values);
    for (unsigned run = 2 * PART; run <= count; run *= 2) {
        for (unsigned stride = run / 2; stride >= PART; stride /= 2)
            LAUNCH(merge_far, grid, block, .count = count, .run = run, .stride = stride, .keys = keys, .values = values);
        LAUNCH(sort_parts, grid, block, .count = count, .first = run, .last = run, .keys = keys, .values = values);
    }
}

int main(void)
{
    const unsigned count = host_is_small() ? 1 << 13 : 1 << 18;
    element *in = host_alloc(count * sizeof(element)), *keys = host_alloc(count * sizeof(element));
    unsigned *values = host_alloc(count * 4);
    struct random r = {1};
    for (unsigned i = 0; i < count; i++) {
        in[i] = keys[i] = (element)random_next(&r);
        values[i] = i;
    }
    sort(keys, values, count);
    unsigned char *seen = host_alloc(count);
    for (unsigned i = 0; i < count; i++) {
        if (i && keys[i - 1] > keys[i]) return host_report_wrong(PROGRAM, i, (unsigned)keys[i], (unsigned)keys[i - 1]);
        if (values[i] >= count || seen[values[i]]++) return host_report_wrong(PROGRAM, i, values[i], count);
        if (keys[i] != in[values[i]]) return host_report_wrong(PROGRAM, i, (unsigned)keys[i], (unsigned)in[values[i]]);
    }
    return host_report_passed(PROGRAM, count);
}
