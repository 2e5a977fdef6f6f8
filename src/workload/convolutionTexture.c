// Host side of kernels/convolutionTexture.cu and of convolutionTexture12.cu: the second pass reads the first
// pass's result as a texture.
#include "workload/host.h"

#include <math.h>

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };

static int clamp(int value, int high) { return value < 0 ? 0 : value > high ? high : value; }

static void convolve(struct host *h, const char *rows_kernel, const char *columns_kernel, unsigned block_y)
{
    static const struct {
        int width, height;
    } sizes[] = {{50, 40}, {650, 500}, {2050, 1600}, {3072, 1536}, {1024, 328}};
    const int width = sizes[h->size].width, height = sizes[h->size].height;
    const size_t count = (size_t)(width * height), bytes = count * sizeof(float);
    const struct host_dim grid = DIM(host_blocks((size_t)width, 16), host_blocks((size_t)height, block_y));
    const struct host_dim block = DIM(16, block_y);
    const float *image = host_random_f32(h, count, 0, 1);
    float *taps = host_random_f32(h, TAPS, 0.5f, 1);
    for (int k = 0; k < TAPS; k++) taps[k] /= TAPS;

    host_set_symbol(h, "taps", taps, TAPS * sizeof(float));
    uint64_t in = host_upload(h, image, bytes), between = host_alloc(h, bytes), out = host_alloc(h, bytes);
    uint64_t in_texture = host_texture_f32(h, in, (unsigned)width, (unsigned)height);
    host_launch(h, rows_kernel, grid, block, 0, ARG(between), ARG(in_texture), ARG(width), ARG(height));
    uint64_t between_texture = host_texture_f32(h, between, (unsigned)width, (unsigned)height);
    host_launch(h, columns_kernel, grid, block, 0, ARG(out), ARG(between_texture), ARG(width), ARG(height));
    const float *got_rows = host_output(h, between, bytes), *got = host_output(h, out, bytes);

    double *rows = HOST_ARRAY(h, double, count), *want = HOST_ARRAY(h, double, count);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = -RADIUS; k <= RADIUS; k++)
                rows[y * width + x] +=
                    (double)image[y * width + clamp(x + k, width - 1)] * (double)taps[RADIUS - k];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = -RADIUS; k <= RADIUS; k++)
                want[y * width + x] += rows[clamp(y + k, height - 1) * width + x] * (double)taps[RADIUS - k];
    host_compare_f32(h, "pixel after rows", got_rows, rows, count, 1);
    host_compare_f32(h, "pixel", got, want, count, 1);
}

void workload_run_convolutionTexture(struct host *h) { convolve(h, "convolve_rows", "convolve_columns", 16); }

void workload_run_convolutionTexture12(struct host *h)
{
    convolve(h, "convolve_rows12", "convolve_columns12", 12);
}
