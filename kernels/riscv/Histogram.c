// How often each byte occurs: bins in the scratchpad, atomic additions.
#include "simt.h"

enum { BINS = 256 };

KERNEL(histogram, int n; const unsigned char *bytes; int *bins;)
{
    int *count = SHARED(int, BINS);
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) count[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < arg.n; i += blockDim.x) atomicAdd(&count[arg.bytes[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) arg.bins[i] = count[i];
}

int main(void)
{
    const int n = host_is_small() ? 3000 : 1000000;
    unsigned char *bytes = host_alloc((size_t)n);
    int *bins = host_alloc(BINS * sizeof(int));
    unsigned want[BINS] = {0};
    struct random r = {1};
    for (int i = 0; i < n; i++) want[bytes[i] = (unsigned char)random_next(&r)]++;
    LAUNCH(histogram, dim(1, 1), dim(host_threads(), 1), .n = n, .bytes = bytes, .bins = bins);
    for (unsigned i = 0; i < BINS; i++)
        if ((unsigned)bins[i] != want[i]) return host_report_wrong("Histogram", i, (unsigned)bins[i], want[i]);
    return host_report_passed("Histogram", (unsigned)n);
}
