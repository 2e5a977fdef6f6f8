// The sum of an array in the scratchpad: every thread its share, then a tree.
#include "simt.h"

KERNEL(reduce, int n; const int *in; int *sum;)
{
    int *part = SHARED(int, SIMT_THREADS);
    part[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < arg.n; i += blockDim.x) part[threadIdx.x] += arg.in[i];
    __syncthreads();
    for (int half = blockDim.x >> 1; half; half >>= 1) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *arg.sum = part[0];
}

int main(void)
{
    const int n = host_is_small() ? 3000 : 1000000;
    int *in = host_alloc((size_t)n * sizeof(int)), *sum = host_alloc(sizeof(int)), want = 0;
    struct random r = {1};
    for (int i = 0; i < n; i++) want += in[i] = (int)random_next(&r);
    LAUNCH(reduce, dim(1, 1), dim(host_threads(), 1), .n = n, .in = in, .sum = sum);
    if (*sum != want) return host_report_wrong("Reduce", 0, (unsigned)*sum, (unsigned)want);
    return host_report_passed("Reduce", (unsigned)n);
}
