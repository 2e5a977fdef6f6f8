// Host side of kernels/blackScholes.cu. The reference takes the normal distribution from erfc; the kernel's
// polynomial is within 7.5e-8.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 128 };

static double normal_distribution(double x) { return erfc(-x / sqrt(2)) / 2; }

void workload_run_blackScholes(struct host *h)
{
    static const struct {
        unsigned blocks;
        int count;
    } sizes[] = {{8, 2500}, {120, 100000}, {480, 1000000}};
    const int count = sizes[h->size].count;
    const size_t options = (size_t)count, bytes = options * sizeof(float);
    const float interest = 0.02f, volatility = 0.3f;
    const float *price = host_random_f32(h, options, 5, 30), *strike = host_random_f32(h, options, 1, 100);
    const float *years = host_random_f32(h, options, 0.25f, 10);

    uint64_t prices = host_upload(h, price, bytes), strikes = host_upload(h, strike, bytes);
    uint64_t times = host_upload(h, years, bytes), calls = host_alloc(h, bytes), puts = host_alloc(h, bytes);
    host_launch(h, "black_scholes", DIM(sizes[h->size].blocks), DIM(THREADS), 0, ARG(calls), ARG(puts),
                ARG(prices), ARG(strikes), ARG(times), ARG(interest), ARG(volatility), ARG(count));
    const float *got_calls = host_output(h, calls, bytes), *got_puts = host_output(h, puts, bytes);
    if (h->failed) return;

    double *want_calls = HOST_ARRAY(h, double, count), *want_puts = HOST_ARRAY(h, double, count);
    for (int i = 0; i < count; i++) {
        double s = (double)price[i], x = (double)strike[i], t = (double)years[i];
        double r = (double)interest, v = (double)volatility, spread = v * sqrt(t);
        double d = (log(s / x) + (r + v * v / 2) * t) / spread, discounted = x * exp(-r * t);
        want_calls[i] = s * normal_distribution(d) - discounted * normal_distribution(d - spread);
        want_puts[i] = want_calls[i] + discounted - s;
    }
    host_compare_f32(h, "call", got_calls, want_calls, options, 10);
    host_compare_f32(h, "put", got_puts, want_puts, options, 10);
}
