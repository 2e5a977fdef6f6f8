// Host side of kernels/convolutionSeparable.cu: convolution along the rows, followed by the columns.
#include "workload/host.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, TILES = 8 };

// Convolves a row or column of `count` pixels, `step` elements apart, zero outside.
static void convolve(const double *in, const float *taps, double *out, int count, int step)
{
    for (int at = 0; at < count; at++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (at + k >= 0 && at + k < count)
                out[at * step] += in[(at + k) * step] * (double)taps[RADIUS - k];
}

void workload_run_convolutionSeparable(struct host *h)
{
    static const struct {
        int width, height; // multiples of 128 and of 64
    } sizes[] = {{128, 64}, {640, 512}, {1536, 1536}, {512, 512}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const unsigned columns = (unsigned)width, rows = (unsigned)height;
    const size_t count = (size_t)(width * height), bytes = count * sizeof(float);
    const float *image = host_random_f32(h, count, 0, 1), *taps = host_random_f32(h, TAPS, 0, 0.1f);

    host_set_symbol(h, "taps", taps, TAPS * sizeof(float));
    uint64_t in = host_upload(h, image, bytes), between = host_alloc(h, bytes), out = host_alloc(h, bytes);
    host_launch(h, "convolution_rows", DIM(columns / (TILES * 16), rows / 4), DIM(16, 4), 0, ARG(between),
                ARG(in), ARG(width));
    host_launch(h, "convolution_columns", DIM(columns / 16, rows / (TILES * 8)), DIM(16, 8), 0, ARG(out),
                ARG(between), ARG(width), ARG(height));
    const float *got_rows = host_output(h, between, bytes), *got = host_output(h, out, bytes);

    double *pixels = HOST_ARRAY(h, double, count), *want_rows = HOST_ARRAY(h, double, count);
    double *want = HOST_ARRAY(h, double, count);
    for (size_t i = 0; i < count; i++) pixels[i] = (double)image[i];
    for (int y = 0; y < height; y++) convolve(pixels + y * width, taps, want_rows + y * width, width, 1);
    for (int x = 0; x < width; x++) convolve(want_rows + x, taps, want + x, height, width);
    host_compare_f32(h, "pixel after rows", got_rows, want_rows, count, 1);
    host_compare_f32(h, "pixel", got, want, count, 1);
}
