// What both shapes of the stencil share: a point and its four neighbours, zeros around the image.
#pragma once
#include "simt.h"

#define STENCIL_ARGUMENTS unsigned width, height; const int *in; int *out;

INLINE int pixel(const int *in, unsigned width, unsigned height, unsigned x, unsigned y)
{
    return x < width && y < height ? in[y * width + x] : 0; // those left of 0 and above are large
}

// A tile in the scratchpad, 32 pixels wide, with what lies around it. Its rows are 64 words apart, and pixels begin at a
// multiple of 32 words, so that the addresses of a warp's pixels are a base and a stride to the register file; what lies
// around is at constant distances. A row's right neighbour is in the next row's left half, which is otherwise free.
enum { COLUMNS = 32, PITCH = 2 * COLUMNS };
INLINE int *tile_pixel(int *tile, unsigned x, unsigned y) { return tile + (y + 1) * PITCH + COLUMNS + x; }
INLINE int stencil_of(const int *p) { return p[0] + p[-1] + p[1] + p[-PITCH] + p[PITCH]; }

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
            int want = pixel(in, width, height, x, y) + pixel(in, width, height, x - 1, y) + pixel(in, width, height, x + 1, y) +
                       pixel(in, width, height, x, y - 1) + pixel(in, width, height, x, y + 1);
            if (out[y * width + x] != want)
                return host_report_wrong(name, y * width + x, (unsigned)out[y * width + x], (unsigned)want);
        }
    return host_report_passed(name, width);
}
