// What both shapes of the stencil share: a point and its four neighbours, zeros around the image.
#pragma once
#include "simt.h"

#define STENCIL_ARGUMENTS unsigned width, height; const int *in; int *out;

INLINE int stencil_pixel(const int *in, unsigned width, unsigned height, unsigned x, unsigned y)
{
    return x < width && y < height ? in[y * width + x] : 0; // those left of 0 and above are large
}

// The image, a launch of the kernel by `run`, and the test. What main returns.
INLINE int stencil_main(const char *name, void (*run)(unsigned width, unsigned height, const int *in, int *out))
{
    const unsigned width = host_is_small() ? 64 : 1024, height = width;
    int *in = host_alloc(width * height * sizeof(int)), *out = host_alloc(width * height * sizeof(int));
    struct random r = {1};
    for (unsigned i = 0; i < width * height; i++) in[i] = (int)random_next(&r);
    run(width, height, in, out);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            int want = stencil_pixel(in, width, height, x, y);
            want += stencil_pixel(in, width, height, x - 1, y) + stencil_pixel(in, width, height, x + 1, y);
            want += stencil_pixel(in, width, height, x, y - 1) + stencil_pixel(in, width, height, x, y + 1);
            if (out[y * width + x] != want)
                return host_report_wrong(name, y * width + x, (unsigned)out[y * width + x], (unsigned)want);
        }
    return host_report_passed(name, width);
}
