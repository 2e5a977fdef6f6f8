// Inclusive prefix sums (Hillis and Steele 1986): a block's width at a time in the scratchpad, in two buffers that are
// read and written in turn, with what came before carried on.
#include "simt.h"

KERNEL(scan, int n; const int *in; int *out;)
{
    int *from = shared, *to = from + blockDim.x, carry = 0;
    for (unsigned begin = 0; begin < (unsigned)arg.n; begin += blockDim.x) {
        from[threadIdx.x] = arg.in[begin + threadIdx.x];
        __syncthreads();
        for (unsigned reach = 1; reach < blockDim.x; reach *= 2) {
            int sum = from[threadIdx.x];
            if (threadIdx.x >= reach) sum += from[threadIdx.x - reach];
            to[threadIdx.x] = sum;
            int *swap = from;
            from = to;
            to = swap;
            __syncthreads();
        }
        arg.out[begin + threadIdx.x] = carry + from[threadIdx.x];
        carry += from[blockDim.x - 1];
        __syncthreads();
    }
}

int main(void)
{
    const int n = host_is_small() ? 4096 : 1024000; // whole blocks
    int *in = host_alloc((size_t)n * sizeof(int)), *out = host_alloc((size_t)n * sizeof(int)), want = 0;
    struct random r = {1};
    for (int i = 0; i < n; i++) in[i] = (int)random_next(&r);
    LAUNCH(scan, dim(1, 1), dim(SIMT_THREADS, 1), .n = n, .in = in, .out = out);
    for (int i = 0; i < n; i++) {
        want += in[i];
        if (out[i] != want) return host_report_wrong("Scan", (unsigned)i, (unsigned)out[i], (unsigned)want);
    }
    return host_report_passed("Scan", (unsigned)n);
}
