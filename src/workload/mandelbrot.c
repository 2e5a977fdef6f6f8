// Host side of kernels/mandelbrot.cu: a part of the Mandelbrot set's edge.
#include "workload/host.h"

#include <math.h>

enum { BLOCK_X = 32, BLOCK_Y = 8 };

static uint32_t escape(float real, float imaginary, int most)
{
    volatile float a = 0, b = 0, a2 = 0, b2 = 0; // prevents fused operations
    for (int round = 0; round < most; round++) {
        if (a2 + b2 >= 4) return (uint32_t)round;
        b = fmaf(2 * a, b, imaginary);
        a = a2 - b2;
        a += real;
        a2 = a * a;
        b2 = b * b;
    }
    return (uint32_t)most;
}

void workload_run_mandelbrot(struct host *h)
{
    static const struct {
        int width, height, most;
    } sizes[] = {{50, 30, 100}, {400, 300, 256}, {1280, 960, 512}};
    const int width = sizes[h->size].width, height = sizes[h->size].height, most = sizes[h->size].most;
    const size_t count = (size_t)(width * height);
    const float left = -1.5f, top = 1, step = 2.0f / (float)height;

    uint64_t out = host_alloc(h, count * sizeof(uint32_t));
    host_launch(h, "mandelbrot",
                DIM(host_blocks((size_t)width, BLOCK_X), host_blocks((size_t)height, BLOCK_Y)),
                DIM(BLOCK_X, BLOCK_Y), 0, ARG(out), ARG(width), ARG(height), ARG(most), ARG(left), ARG(top),
                ARG(step));
    const uint32_t *got = host_output(h, out, count * sizeof(uint32_t));

    uint32_t *want = HOST_ARRAY(h, uint32_t, count);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y * width + x] = escape(fmaf(step, (float)x, left), fmaf(-step, (float)y, top), most);
    host_compare_u32(h, "rounds of point", got, want, count);
}
