// Host side of kernels/convolutionSeparable.cu: convolution along the rows, followed by the columns.
#include "base/clones.h"
#include "workload/host.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, TILES = 8 };

// out += factor * in, `count` pixels
CLONES static void add(double factor, const double *restrict in, double *restrict out, int count)
{
    for (int i = 0; i < count; i++) out[i] += in[i] * factor;
}

// Convolves the rows of a picture, or its columns; zero outside.
static void convolve(const double *in, const float *taps, double *out, int width, int height, bool columns)
{
    for (int y = 0; y < height; y++)
        for (int k = -RADIUS; k <= RADIUS; k++) {
            double tap = (double)taps[RADIUS - k];
            int before = k < 0 ? -k : 0, after = k > 0 ? k : 0; // pixels of a row without a neighbour
            if (!columns)
                add(tap, in + y * width + before + k, out + y * width + before, width - before - after);
            else if (y + k >= 0 && y + k < height)
                add(tap, in + (y + k) * width, out + y * width, width);
        }
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
    convolve(pixels, taps, want_rows, width, height, false);
    convolve(want_rows, taps, want, width, height, true);
    host_compare_f32(h, "pixel after rows", got_rows, want_rows, count, 1);
    host_compare_f32(h, "pixel", got, want, count, 1);
}
