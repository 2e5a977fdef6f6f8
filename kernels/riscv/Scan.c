// Inclusive prefix sums (Hillis and Steele 1986): a block's width at a time in the scratchpad, in two buffers that are
// read and written in turn. The last sum of the width before is read back from the output.
#include "simt.h"

KERNEL(scan, int n; const int *in; int *out;)
{
    enum { WIDTH = SIMT_THREADS };
    int *from = SHARED(int, WIDTH), *to = SHARED(int, WIDTH);
    const int me = threadIdx.x;
    for (int begin = 0; begin < arg.n; begin += blockDim.x) {
        to[me] = arg.in[begin + me];
        __syncthreads();
        for (int reach = 1; reach < blockDim.x; reach *= 2) {
            int *written = to;
            to = from;
            from = written;
            if (me >= reach)
                to[me] = from[me] + from[me - reach];
            else
                to[me] = from[me];
            __syncthreads();
        }
        const int before = begin ? arg.out[begin - 1] : 0;
        arg.out[begin + me] = to[me] + before;
    }
}

int main(void)
{
    const int n = host_is_small() ? 4096 : 1024000; // whole blocks
    int *in = host_alloc((size_t)n * sizeof(int)), *out = host_alloc((size_t)n * sizeof(int)), want = 0;
    struct random r = {1};
    for (int i = 0; i < n; i++) in[i] = (int)random_next(&r);
    LAUNCH(scan, dim(1, 1), dim(host_threads(), 1), .n = n, .in = in, .out = out);
    for (int i = 0; i < n; i++) {
        want += in[i];
        if (out[i] != want) return host_report_wrong("Scan", (unsigned)i, (unsigned)out[i], (unsigned)want);
    }
    return host_report_passed("Scan", (unsigned)n);
}
