// Host side of kernels/fft512.cu: forward and back, both compared.
#include "workload/host.h"

#include <math.h>

enum { POINTS = 512, THREADS = 64 };

struct complex {
    double re, im;
};

// The transform of n numbers `step` apart, from the transforms of the even and the odd numbers.
static void transform(const float *in, int step, struct complex *out, int n)
{
    struct complex even[POINTS / 2], odd[POINTS / 2];
    if (n == 1) {
        *out = (struct complex){(double)in[0], (double)in[1]};
        return;
    }
    transform(in, 2 * step, even, n / 2);
    transform(in + 2 * step, 2 * step, odd, n / 2);
    for (int k = 0; k < n / 2; k++) {
        double angle = -2 * acos(-1) * k / n, c = cos(angle), s = sin(angle);
        double re = c * odd[k].re - s * odd[k].im, im = c * odd[k].im + s * odd[k].re;
        out[k] = (struct complex){even[k].re + re, even[k].im + im};
        out[k + n / 2] = (struct complex){even[k].re - re, even[k].im - im};
    }
}

void workload_run_fft512(struct host *h)
{
    static const unsigned batches[] = {3, 200, 2000, 128};
    const unsigned batch = batches[h->size];
    const size_t count = (size_t)batch * 2 * POINTS, bytes = count * sizeof(float);
    const float *numbers = host_random_f32(h, count, -1, 1);

    uint64_t in = host_upload(h, numbers, bytes), spectrum = host_alloc(h, bytes), out = host_alloc(h, bytes);
    host_launch(h, "fft512_forward", DIM(batch), DIM(THREADS), 0, ARG(spectrum), ARG(in));
    host_launch(h, "fft512_back", DIM(batch), DIM(THREADS), 0, ARG(out), ARG(spectrum));
    const float *got_spectrum = host_output(h, spectrum, bytes), *got = host_output(h, out, bytes);

    double *want_spectrum = HOST_ARRAY(h, double, count), *want = HOST_ARRAY(h, double, count);
    struct complex transformed[POINTS];
    for (size_t at = 0; at < count; at += 2 * POINTS) {
        transform(numbers + at, 1, transformed, POINTS);
        for (size_t k = 0; k < POINTS; k++) {
            want_spectrum[at + 2 * k] = transformed[k].re;
            want_spectrum[at + 2 * k + 1] = transformed[k].im;
        }
    }
    for (size_t i = 0; i < count; i++) want[i] = (double)numbers[i];
    host_compare_f32(h, "part of the spectrum", got_spectrum, want_spectrum, count, sqrt(POINTS));
    host_compare_f32(h, "part of a number", got, want, count, 1);
}
