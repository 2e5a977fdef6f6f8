// The sum of two vectors.
#include "simt.h"

KERNEL(vecadd, int n; const int *a, *b; int *sum;)
{
    for (int i = threadIdx.x; i < arg.n; i += blockDim.x) arg.sum[i] = arg.a[i] + arg.b[i];
}

int main(void)
{
    const int n = host_is_small() ? 3000 : 1000000;
    const size_t bytes = (size_t)n * sizeof(int);
    int *a = host_alloc(bytes), *b = host_alloc(bytes), *sum = host_alloc(bytes);
    struct random r = {1};
    for (int i = 0; i < n; i++) {
        a[i] = (int)random_next(&r);
        b[i] = (int)random_next(&r);
    }
    LAUNCH(vecadd, dim(1, 1), dim(host_threads(), 1), .n = n, .a = a, .b = b, .sum = sum);
    for (int i = 0; i < n; i++)
        if (sum[i] != a[i] + b[i]) return host_report_wrong("VecAdd", (unsigned)i, (unsigned)sum[i], (unsigned)(a[i] + b[i]));
    return host_report_passed("VecAdd", (unsigned)n);
}
