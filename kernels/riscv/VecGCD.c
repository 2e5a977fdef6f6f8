// Greatest common divisors of pairs, by Euclid's algorithm with subtractions: every thread its own number of steps.
#include "simt.h"

KERNEL(vecgcd, int n; const unsigned *a, *b; unsigned *gcd;)
{
    for (int i = threadIdx.x; i < arg.n; i += blockDim.x) {
        unsigned a = arg.a[i], b = arg.b[i];
        CONVERGE(while (a != b) CONVERGE(if (a > b) a -= b; else b -= a;););
        arg.gcd[i] = a;
    }
}

static unsigned gcd_by_remainders(unsigned a, unsigned b)
{
    while (b) {
        unsigned r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int main(void)
{
    const int n = host_is_small() ? 100 : 100000;
    const size_t bytes = (size_t)n * sizeof(unsigned);
    unsigned *a = host_alloc(bytes), *b = host_alloc(bytes), *gcd = host_alloc(bytes);
    struct random r = {100};
    for (int i = 0; i < n; i++) {
        a[i] = 1 + (random_next(&r) & 255);
        b[i] = 1 + (random_next(&r) & 255);
    }
    LAUNCH(vecgcd, dim(1, 1), dim(host_threads(), 1), .n = n, .a = a, .b = b, .gcd = gcd);
    for (int i = 0; i < n; i++) {
        unsigned want = gcd_by_remainders(a[i], b[i]);
        if (gcd[i] != want) return host_report_wrong("VecGCD", (unsigned)i, gcd[i], want);
    }
    return host_report_passed("VecGCD", (unsigned)n);
}
