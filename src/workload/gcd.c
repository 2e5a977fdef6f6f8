// Host side of kernels/gcd.cu.
#include "workload/host.h"

static uint32_t divisor(uint32_t m, uint32_t n) // by halves and differences
{
    if (!m || !n) return m | n;
    int shift = __builtin_ctz(m | n);
    m >>= __builtin_ctz(m);
    while (n) {
        n >>= __builtin_ctz(n);
        uint32_t less = m < n ? m : n;
        n = m < n ? n - m : m - n;
        m = less;
    }
    return m << shift;
}

void workload_run_gcd(struct host *h)
{
    static const int counts[] = {1000, 100000, 2000000}, blocks[] = {3, 300, 2000};
    const int count = counts[h->size];
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    uint32_t *a = host_random_u32(h, (size_t)count, 1 << 24), *b = host_random_u32(h, (size_t)count, 1 << 24);
    a[0] = 0; // both, and either, may be 0
    b[0] = 0;
    a[1] = 0;
    b[2] = 0;

    uint64_t device_a = host_upload(h, a, bytes), device_b = host_upload(h, b, bytes),
             out = host_alloc(h, bytes);
    host_launch(h, "gcd", DIM((unsigned)blocks[h->size]), DIM(256), 0, ARG(device_a), ARG(device_b), ARG(out),
                ARG(count));
    const uint32_t *got = host_output(h, out, bytes);

    uint32_t *want = HOST_ARRAY(h, uint32_t, (size_t)count);
    for (int i = 0; i < count; i++) want[i] = divisor(a[i], b[i]);
    host_compare_u32(h, "divisor", got, want, (size_t)count);
}
